/**
 * What went wrong with a request, in words?
 *
 *     who says so                               code
 *     the server, `{"error": {message, code}}`  its own code, else its type
 *     something else that answers HTTP          `http`
 *     no answer: refused, cut, blocked          `offline`
 *     no answer in time                         `timeout`
 *     an answer that is not the protocol's      `protocol`
 */

import type { TurnError } from "./types";

/** A request that did not do what was asked. */
export class RequestFailed extends Error {
  constructor(readonly error: TurnError) {
    super(error.message);
    this.name = "RequestFailed";
  }
}

export const OFFLINE: TurnError = {
  code: "offline",
  message: "The server does not answer. Is it still running?",
  status: null,
};

/** What a body of the server's error shape says; `status` is HTTP's, if it is known. */
export function errorIn(body: unknown, status: number | null): TurnError {
  const said = (body as { error?: unknown } | null)?.error;
  if (typeof said === "string" && said !== "") return { code: "http", message: said, status };
  if (typeof said === "object" && said !== null) {
    const { message, code, type } = said as Record<string, unknown>;
    return {
      code: [code, type].find((name) => typeof name === "string") ?? "server_error",
      message: typeof message === "string" && message !== "" ? message : "The server failed.",
      status,
    };
  }
  const answer = status === null ? "an error without a message" : `HTTP ${status}`;
  return { code: "http", message: `The server answered ${answer}.`, status };
}

/** The error that an HTTP answer holds. */
export async function errorOf(response: Response): Promise<TurnError> {
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // Whatever answered does not speak our shape; its status is all that is known.
  }
  return errorIn(body, response.status);
}

/** The same, for anything that a fetch throws. */
export function errorFrom(thrown: unknown): TurnError {
  return thrown instanceof RequestFailed ? thrown.error : OFFLINE;
}
