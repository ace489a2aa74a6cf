/**
 * When does what happen in the page?  Put into it before its own scripts; read by the harness.
 *
 *     museBench.begin()     forget what was kept, and keep from here on
 *     museBench.end()       what was kept since then; nothing is kept until the next `begin`
 *     museBench.state()     { phase, quietMs, open }: of the last answer, since when nothing of
 *                           the conversation has changed, and how many requests are not over
 *
 *     at             when it began to keep
 *     inputs         [stamp, kind, name of what was hit]: what the person did
 *     requests       what went over the wire, bytes and all; see `opened`
 *     marks          name -> [first, last]: `reasoning` and `content` are text of the last answer
 *                    written into the document, `answer` any change of it, `log` any change of the
 *                    conversation; `paint.…` the same when a frame was drawn that shows it
 *     phases         [stamp, phase] of the last answer
 *     lagMs          the most that a timer of 10 ms came late
 *
 * Stamps are milliseconds of performance.now().  An input's is the event's own: when the browser
 * was given it.  A chunk's is when it came, whether or not the page was reading: the page is given
 * a stream of its own, which holds the same bytes, and whose end, errors, cancel and abort are those
 * of the real one.  A paint's is that of a message posted by a frame's callback, which is handled
 * when that frame has been laid out and drawn.
 */
(() => {
  const POLLED = /^\/(health|api\/runtime|api\/reports)\b/;
  const TURN = "/v1/chat/completions";
  const BEAT_MS = 10;

  performance.setResourceTimingBufferSize(100_000);
  let kept = null;
  let changedAt = performance.now();
  const pending = new Set();

  function begin() {
    changedAt = performance.now();
    pending.clear();
    kept = { at: changedAt, inputs: [], requests: [], marks: {}, phases: [], lagMs: 0 };
    watchFrames(kept);
    beat(kept);
  }

  function end() {
    const { requests, ...rest } = kept;
    kept = null;
    return { ...rest, requests: requests.map(told) };
  }

  function state() {
    return {
      phase: lastAnswer()?.dataset.phase ?? null,
      quietMs: performance.now() - changedAt,
      open: kept ? kept.requests.filter((each) => each.closedAt === null).length : 0,
    };
  }

  // -- the wire

  function told(request) {
    const chunks = request.chunks.map(([at, bytes]) => [at, base64(bytes)]);
    const entry = performance
      .getEntriesByName(new URL(request.path, location.href).href, "resource")
      .findLast((each) => each.startTime >= request.at - 1);
    return { ...request, chunks, sentAt: entry?.requestStart || null };
  }

  function base64(bytes) {
    let text = "";
    for (let from = 0; from < bytes.length; from += 8192) {
      text += String.fromCharCode(...bytes.subarray(from, from + 8192));
    }
    return btoa(text);
  }

  function opened(path, init) {
    const method = (init?.method ?? "GET").toUpperCase();
    const request = {
      method,
      path,
      requestHeaders: [...new Headers(init?.headers)],
      body: typeof init?.body === "string" ? init.body : null,
      at: performance.now(),
      status: null,
      headers: [],
      headersAt: null,
      chunks: [],
      closedAt: null,
      closed: null, // "whole" | "cancelled" by the page | "aborted" by the page | "broken"
      error: null,
    };
    kept?.requests.push(request);
    return request;
  }

  function close(request, how, error = null) {
    if (request.closedAt !== null) return;
    request.closedAt = performance.now();
    request.closed = how;
    request.error = error && `${error.name}: ${error.message}`;
  }

  function failed(request, error) {
    close(request, error?.name === "AbortError" ? "aborted" : "broken", error);
  }

  function copied(request, response) {
    const reader = response.body.getReader();
    const stream = new ReadableStream(
      {
        async start(page) {
          try {
            for (;;) {
              const { done, value } = await reader.read();
              if (done) break;
              request.chunks.push([performance.now(), value.slice()]);
              page.enqueue(value);
            }
            close(request, "whole");
            page.close();
          } catch (error) {
            failed(request, error);
            try {
              page.error(error);
            } catch {} // the page has cancelled it
          }
        },
        cancel(reason) {
          close(request, "cancelled");
          return reader.cancel(reason);
        },
      },
      new CountQueuingStrategy({ highWaterMark: Number.POSITIVE_INFINITY }),
    );
    const { status, statusText, headers } = response;
    return new Response(stream, { status, statusText, headers });
  }

  const fetched = window.fetch.bind(window);
  window.fetch = async (resource, init) => {
    const url = new URL(resource instanceof Request ? resource.url : resource, location.href);
    if (url.origin !== location.origin || POLLED.test(url.pathname)) return fetched(resource, init);
    const request = opened(url.pathname + url.search, init);
    let response;
    try {
      response = await fetched(resource, init);
    } catch (error) {
      failed(request, error);
      throw error;
    }
    request.headersAt = performance.now();
    request.status = response.status;
    request.headers = [...response.headers];
    if (response.body === null || [204, 205, 304].includes(response.status)) {
      close(request, "whole");
      return response;
    }
    return copied(request, response);
  };

  // -- the person

  for (const kind of ["click", "keydown"]) {
    window.addEventListener(
      kind,
      (event) => {
        if (!event.isTrusted || (kind === "keydown" && !["Enter", "Escape"].includes(event.key))) {
          return;
        }
        const hit = event.target.closest?.("button, a, textarea, input, [role]");
        const name = hit?.getAttribute("aria-label") ?? hit?.textContent?.trim().slice(0, 40) ?? "";
        kept?.inputs.push([event.timeStamp, kind, name]);
      },
      { capture: true },
    );
  }

  // -- the document

  function lastAnswer() {
    const answers = document.querySelectorAll('[data-role="assistant"]');
    return answers[answers.length - 1] ?? null;
  }

  function mark(name, at) {
    const known = kept.marks[name];
    if (known) known[1] = at;
    else kept.marks[name] = [at, at];
    if (!name.startsWith("paint.")) pending.add(name);
  }

  function channelOf(element) {
    const text = element?.closest(".markdown");
    if (!text) return null;
    return text.closest(".thinking") ? "reasoning" : "content";
  }

  function written(record, answer) {
    const { target, addedNodes } = record;
    const inside = channelOf(target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement);
    if (inside) return [inside];
    const found = [];
    for (const node of addedNodes) {
      if (node.nodeType !== Node.ELEMENT_NODE || !node.textContent) continue;
      const texts = node.matches(".markdown") ? [node] : node.querySelectorAll(".markdown");
      for (const text of texts) if (answer.contains(text)) found.push(channelOf(text));
    }
    return found;
  }

  new MutationObserver((records) => {
    const at = performance.now();
    const answer = lastAnswer();
    for (const record of records) {
      const element =
        record.target.nodeType === Node.ELEMENT_NODE ? record.target : record.target.parentElement;
      if (!element?.closest('[role="log"]')) continue;
      changedAt = at;
      if (kept === null) continue;
      mark("log", at);
      const brought = [...record.addedNodes].some((node) => node.contains(answer));
      if (answer === null || !(answer.contains(record.target) || brought)) continue;
      mark("answer", at);
      if (record.type !== "attributes") {
        for (const channel of written(record, answer)) mark(channel, at);
      }
    }
    const phase = answer?.dataset.phase;
    if (kept && phase && kept.phases.at(-1)?.[1] !== phase) kept.phases.push([at, phase]);
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["data-phase", "data-open", "aria-expanded", "hidden"],
  });

  const after = new MessageChannel();
  after.port1.onmessage = () => {
    if (kept === null || pending.size === 0) return;
    const at = performance.now();
    for (const name of pending) mark(`paint.${name}`, at);
    pending.clear();
  };

  function watchFrames(mine) {
    requestAnimationFrame(() => {
      if (kept !== mine) return;
      after.port2.postMessage(null);
      watchFrames(mine);
    });
  }

  function beat(mine) {
    const due = performance.now() + BEAT_MS;
    setTimeout(() => {
      if (kept !== mine) return;
      mine.lagMs = Math.max(mine.lagMs, performance.now() - due);
      beat(mine);
    }, BEAT_MS);
  }

  window.museBench = { begin, end, state };
})();
