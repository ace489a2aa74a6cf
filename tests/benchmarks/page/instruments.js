/**
 * What does the page do while an answer comes? Put into it before its own scripts, read at the end.
 *
 *     load()               when the message box was there (usableAt), when the server was known to be
 *                          ready (readyAt), and the compressed bytes of each file up to now
 *     read()               of what came since then:
 *         frames           a stamp for each frame
 *         arrivals         (stamp, characters of the answer up to here): a chunk of bytes came
 *         paints           (stamp, mark): a frame was drawn that shows this mark for the first time
 *     characters           of the answer up to now
 *     metrics              what the engine says of the turn
 *
 * Stamps are milliseconds since the navigation began. A frame's stamp is when its callbacks run; a
 * paint's is a message posted there, which is handled when the frame has been laid out and painted.
 * Stamps go into room that is set aside beforehand, so that keeping them makes no garbage.
 */
(() => {
  const ROOM = 400_000;
  const MARK = /m(\d+)/g;
  const REACH = 2_000;

  function kept(width) {
    const numbers = new Float64Array(ROOM * width);
    let used = 0;
    return {
      add: (...entry) => {
        if (used + width > numbers.length) return;
        numbers.set(entry, used);
        used += width;
      },
      all: () => Array.from({ length: used / width }, (_, n) =>
        Array.from(numbers.subarray(n * width, (n + 1) * width), (x) => Math.round(x * 1e3) / 1e3),
      ),
    };
  }

  const frames = kept(1);
  const arrivals = kept(2);
  const paints = kept(2);
  const speed = {
    usableAt: null,
    readyAt: null,
    characters: 0,
    metrics: null,
    load: () => ({
      usableAt: speed.usableAt,
      readyAt: speed.readyAt,
      files: ["navigation", "resource"]
        .flatMap((type) => performance.getEntriesByType(type))
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize]),
    }),
    read: () => ({ frames: frames.all().flat(), arrivals: arrivals.all(), paints: paints.all() }),
  };
  window.museSpeed = speed;

  // The highest mark that stands in the document, and the highest that has been painted.
  let written = -1;
  let painted = -1;

  function look(text) {
    for (const [, mark] of text.slice(-REACH).matchAll(MARK)) written = Math.max(written, +mark);
  }

  function changed(records) {
    for (const { type, target, addedNodes } of records) {
      if (type === "characterData") look(target.data);
      for (const node of addedNodes) look(node.textContent ?? "");
    }
    if (speed.usableAt === null && document.querySelector('textarea[aria-label="Message"]')) {
      speed.usableAt = performance.now();
    }
    if (speed.readyAt === null && document.querySelector('#root[data-connection="ready"]')) {
      speed.readyAt = performance.now();
    }
  }

  new MutationObserver(changed).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["data-connection"],
  });

  const after = new MessageChannel();
  after.port1.onmessage = () => {
    if (written === painted) return;
    painted = written;
    paints.add(performance.now(), painted);
  };
  requestAnimationFrame(function frame() {
    frames.add(performance.now());
    after.port2.postMessage(null);
    requestAnimationFrame(frame);
  });

  function reader() {
    const decoder = new TextDecoder();
    let rest = "";
    return (chunk) => {
      const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = events.pop();
      for (const event of events) take(event);
    };
  }

  function take(event) {
    if (!event.startsWith("data: {")) return;
    const frame = JSON.parse(event.slice(6));
    const text = frame.choices?.[0]?.delta?.content;
    if (text) {
      speed.characters += text.length;
      arrivals.add(performance.now(), speed.characters);
    }
    if (frame.muse_metrics) speed.metrics = frame.muse_metrics;
  }

  const fetched = window.fetch.bind(window);
  window.fetch = async (path, init) => {
    const response = await fetched(path, init);
    if (!String(path).endsWith("/v1/chat/completions")) return response;
    const read = reader();
    const tee = new TransformStream({
      transform: (chunk, stream) => {
        read(chunk);
        stream.enqueue(chunk);
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(tee), { status, headers });
  };
})();
