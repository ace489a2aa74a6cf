/**
 * Which requests does the page make, and how long does it wait for each?
 *
 *     health, runtime, reports    5 s
 *     cancel                      5 s
 *     reset, close               20 s    they wait their turn behind what the server is doing
 *     a turn                      as long as it takes; whoever asked may abort it
 *
 * Whatever goes wrong is a `RequestFailed`. Fetch and timers are passed in.
 */

import { errorFrom, errorOf, OFFLINE, RequestFailed } from "./errors";
import { isObject } from "./frames";
import { runtimeFrom } from "./runtime";
import type { ReportEntry, ReportList, RuntimeReport } from "./types";

export const SHORT_MS = 5_000;
export const SESSION_MS = 20_000;

/** What the page needs of the world to make requests. */
export interface Wire {
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Run something later; what is returned calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** How the server says it is. */
export type Health =
  | { readonly kind: "ok" }
  | { readonly kind: "loading"; readonly reason: string | null }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface Api {
  health(): Promise<Health>;
  runtime(): Promise<RuntimeReport>;
  reports(): Promise<ReportList>;
  /** Whether there was such a turn to cancel. */
  cancel(requestId: string): Promise<boolean>;
  reset(sessionId: string): Promise<void>;
  close(sessionId: string): Promise<void>;
  /** The answer's bytes, as soon as it begins. */
  turn(
    body: Record<string, unknown>,
    requestId: string,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
}

export function createApi(wire: Wire): Api {
  const session = (id: string) => `/v1/sessions/${encodeURIComponent(id)}`;

  async function ask<T>(
    path: string,
    init: RequestInit,
    ms: number,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    let late = false;
    const callOff = wire.after(ms, () => {
      late = true;
      controller.abort();
    });
    try {
      return await read(await wire.fetch(path, { ...init, signal: controller.signal }));
    } catch (thrown) {
      throw new RequestFailed(late ? timeout(ms) : errorFrom(thrown));
    } finally {
      callOff();
    }
  }

  return {
    health: () => ask("/health", {}, SHORT_MS, healthOf),
    runtime: async () => runtimeFrom(await ask("/api/runtime", {}, SHORT_MS, objectIn)),
    reports: async () => reportsIn(await ask("/api/reports", {}, SHORT_MS, objectIn)),
    cancel: async (requestId) => {
      const init = post({ request_id: requestId });
      return (await ask("/api/cancel", init, SHORT_MS, objectIn)).cancelled === true;
    },
    reset: async (id) => {
      await ask(`${session(id)}/reset`, { method: "POST" }, SESSION_MS, objectIn);
    },
    close: async (id) => {
      await ask(session(id), { method: "DELETE" }, SESSION_MS, objectIn);
    },
    turn: async (body, requestId, signal) => {
      const init = post(body, { "x-request-id": requestId });
      const response = await wire.fetch("/v1/chat/completions", { ...init, signal });
      if (!response.ok) throw new RequestFailed(await errorOf(response));
      if (response.body === null) throw new RequestFailed(OFFLINE);
      return response.body;
    },
  };
}

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** 200 and 503 are both answers; only another status is a failure. */
async function healthOf(response: Response): Promise<Health> {
  if (response.ok) return { kind: "ok" };
  const body: unknown = await response.json().catch(() => null);
  if (response.status !== 503 || !isObject(body)) {
    throw new RequestFailed({
      code: "http",
      message: `The server answered HTTP ${response.status}.`,
      status: response.status,
    });
  }
  const reason = typeof body.reason === "string" ? body.reason : null;
  if (body.status === "loading") return { kind: "loading", reason };
  return { kind: "unavailable", reason: reason ?? "The model is not available." };
}

async function objectIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (!response.ok) throw new RequestFailed(await errorOf(response));
  const body: unknown = await response.json().catch(() => null);
  if (isObject(body)) return body;
  throw new RequestFailed({
    code: "protocol",
    message: "The server answered with something that is not an object.",
    status: response.status,
  });
}

function reportsIn(body: Readonly<Record<string, unknown>>): ReportList {
  const entries = Array.isArray(body.reports) ? body.reports.filter(isObject) : [];
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    directory: text(body.directory),
    reports: entries.flatMap((entry): ReportEntry[] => {
      const name = text(entry.name);
      if (name === null) return [];
      return [
        {
          name,
          scenario: text(entry.scenario),
          verdict: text(entry.verdict),
          headline: text(entry.headline),
          finished: text(entry.finished),
        },
      ];
    }),
  };
}

function timeout(ms: number) {
  const message = `The server did not answer within ${ms / 1000} seconds.`;
  return { code: "timeout", message, status: null };
}
