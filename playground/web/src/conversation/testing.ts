/**
 * What is the world in tests? Time that stands still until it is moved, and a server by script.
 *
 * Nothing here waits for a clock: `pass` moves it, `draw` draws a frame, and `settle` lets what is
 * ready run.
 */

import type { Hold, Locks, Size, World } from "./world";

/** Let everything run that waits for no clock and no server. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Clock, timers, frames and visibility, in the hands of a test. */
export class TestWorld implements World {
  readonly server = new TestServer();
  readonly kept = new Map<string, string>();
  readonly store = {
    get: (key: string) => this.kept.get(key) ?? null,
    set: (key: string, value: string) => void this.kept.set(key, value),
    remove: (key: string) => void this.kept.delete(key),
  };
  pictures = {
    measure: async (): Promise<Size | null> => ({ width: 4, height: 3 }),
    encode: async (): Promise<Blob | null> => null,
  };
  private time = 0;
  private ids = 0;
  private timers = new Set<Timer>();
  private frames = new Set<() => void>();
  private seen = true;
  private watchers = new Set<() => void>();

  constructor(readonly locks: Locks = new TestLocks()) {}

  fetch = (path: string, init: RequestInit) => this.server.fetch(path, init);
  now = () => this.time;
  uuid = () => `id-${++this.ids}`;
  seed = () => 42;
  visible = () => this.seen;

  after = (ms: number, run: () => void) => {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  };

  frame = (run: () => void) => {
    this.frames.add(run);
    return () => void this.frames.delete(run);
  };

  onVisible = (run: () => void) => {
    this.watchers.add(run);
    return () => void this.watchers.delete(run);
  };

  /** Let time pass, run what is due in its order, and let that settle. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due);
      this.time = due.at;
      due.run();
      await settle();
    }
    this.time = end;
    await settle();
  }

  /** Draw a frame with what has come until now. */
  async draw(): Promise<void> {
    await settle();
    const due = [...this.frames];
    this.frames.clear();
    for (const run of due) run();
    await settle();
  }

  async show(visible: boolean): Promise<void> {
    this.seen = visible;
    if (visible) for (const run of [...this.watchers]) run();
    await settle();
  }

  get waitingFrames(): number {
    return this.frames.size;
  }

  get waitingTimers(): number {
    return this.timers.size;
  }
}

type Answer = (request: TestRequest) => Response | Promise<Response>;

export interface TestRequest {
  /** "POST /api/cancel" */
  readonly what: string;
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the test expects of it
  readonly body: any;
  readonly headers: Headers;
  readonly signal: AbortSignal | null;
}

export const RUNTIME = {
  state: "ready",
  model: "Muse Test",
  modelId: "muse-test",
  contextLength: 1000,
  maxImages: 1,
  maxImageBytes: 1000,
  supports: { vision: true, warmResume: true, cancel: true, reuseMetrics: true, dflash: true },
  defaults: { temperature: 0.7, topP: 0.9, topK: 5, maxTokens: 1000, reasoningStrength: "low" },
};

/** A server whose answers a test sets, and whose turns it plays. */
export class TestServer {
  readonly requests: TestRequest[] = [];
  readonly turns: TestTurn[] = [];
  private readonly answers = new Map<string, Answer>([
    ["GET /health", () => json({ status: "ok" })],
    ["GET /api/runtime", () => json(RUNTIME)],
    ["GET /api/reports", () => json({ directory: null, reports: [] })],
    ["POST /v1/chat/completions", (request) => this.begin(request)],
    ["POST /api/cancel", () => json({ cancelled: true })],
    ["POST /v1/sessions/*/reset", () => json({ reset: true })],
    ["DELETE /v1/sessions/*", () => json({ closed: true })],
  ]);

  /** Answer otherwise from now on; a star stands for the id of any session. */
  on(what: string, answer: Answer): void {
    this.answers.set(what, answer);
  }

  fetch = async (path: string, init: RequestInit): Promise<Response> => {
    const request = {
      what: `${init.method ?? "GET"} ${path}`,
      body: typeof init.body === "string" ? JSON.parse(init.body) : null,
      headers: new Headers(init.headers),
      signal: init.signal ?? null,
    };
    this.requests.push(request);
    const answer = this.answers.get(request.what.replace(/(\/v1\/sessions\/)[^/]+/, "$1*"));
    if (!answer) return json({ error: { message: "nothing is served there" } }, 404);
    return untilAborted(answer(request), request.signal);
  };

  /** What was asked, in order, without the polls. */
  get asked(): readonly string[] {
    const polls = ["GET /health", "GET /api/runtime"];
    return this.requests.map(({ what }) => what).filter((what) => !polls.includes(what));
  }

  count(what: string): number {
    return this.requests.filter((request) => request.what === what).length;
  }

  /** The turn that began last. */
  get turn(): TestTurn {
    const turn = this.turns.at(-1);
    if (!turn) throw new Error("no turn has begun");
    return turn;
  }

  private begin(request: TestRequest): Response {
    const turn = new TestTurn(request);
    this.turns.push(turn);
    return new Response(turn.stream, { headers: { "content-type": "text/event-stream" } });
  }
}

async function untilAborted(answer: Response | Promise<Response>, signal: AbortSignal | null) {
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted) fail();
    signal?.addEventListener("abort", fail);
  });
  return Promise.race([answer, aborted]);
}

/** A turn as the server plays it. */
export class TestTurn {
  readonly stream: ReadableStream<Uint8Array>;
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  private open = true;

  constructor(readonly request: TestRequest) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.controller = controller;
      },
      cancel: () => {
        this.open = false;
      },
    });
    request.signal?.addEventListener("abort", () => {
      this.break(new DOMException("aborted", "AbortError"));
    });
  }

  get requestId(): string | null {
    return this.request.headers.get("x-request-id");
  }

  get body() {
    return this.request.body;
  }

  get aborted(): boolean {
    return this.request.signal?.aborted ?? false;
  }

  raw(text: string): this {
    if (this.open) this.controller?.enqueue(new TextEncoder().encode(text));
    return this;
  }

  frame(value: unknown): this {
    return this.raw(`data: ${JSON.stringify(value)}\n\n`);
  }

  status(status: object): this {
    return this.frame({ muse_status: status });
  }

  reasoning(text: string): this {
    return this.frame({ choices: [{ delta: { reasoning_content: text } }] });
  }

  answer(text: string): this {
    return this.frame({ choices: [{ delta: { content: text } }] });
  }

  /** The whole end of a turn that went well. */
  done(reason = "stop", metrics: object = {}): this {
    this.frame({ choices: [{ delta: {}, finish_reason: reason }] });
    this.frame({ muse_metrics: metrics });
    return this.raw("data: [DONE]\n\n").close();
  }

  error(code: string, message: string): this {
    return this.frame({ error: { message, type: "server_error", code } })
      .raw("data: [DONE]\n\n")
      .close();
  }

  close(): this {
    if (this.open) this.controller?.close();
    this.open = false;
    return this;
  }

  break(reason: unknown = new TypeError("network error")): this {
    if (this.open) this.controller?.error(reason);
    this.open = false;
    return this;
  }
}

/** A lock that several pages of a test share. */
export class TestLocks implements Locks {
  private holder: { readonly lose: () => void } | null = null;
  private queue: (() => void)[] = [];

  take = async (_: string, how: "try" | "wait" | "steal", signal: AbortSignal) => {
    if (how === "steal") this.holder?.lose();
    else if (this.holder && how === "try") return null;
    else if (this.holder && !(await this.turn(signal))) return null;
    return this.hold();
  };

  private turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const next = () => resolve(true);
      this.queue.push(next);
      signal.addEventListener("abort", () => {
        this.queue = this.queue.filter((waiting) => waiting !== next);
        resolve(false);
      });
    });
  }

  private hold(): Hold {
    let lose = () => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const holder = { lose };
    this.holder = holder;
    const release = () => {
      if (this.holder !== holder) return;
      this.holder = null;
      this.queue.shift()?.();
    };
    return { lost, release };
  }
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json" },
  });
}

/** An error as the server says it. */
export function refusal(status: number, code: string, message: string): Response {
  return json({ error: { message, type: "error", code } }, status);
}

/** A fetch that finds nobody. */
export function unreachable(): Promise<Response> {
  return Promise.reject(new TypeError("Failed to fetch"));
}

/** An answer that never comes. */
export function silence(): Promise<Response> {
  return new Promise(() => {});
}
