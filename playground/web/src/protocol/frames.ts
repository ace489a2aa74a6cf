/**
 * What do the objects inside of frames say? Read tolerantly: a value of another type is not known.
 */

import type { Metrics, StatusFrame, Usage } from "./types";

export type Fields = Readonly<Record<string, unknown>>;

/** `muse_metrics`, with null for whatever is missing or is not what it should be. */
export function metricsFrom(fields: Fields): Metrics {
  const number = (name: keyof Metrics) => numberOf(fields[name]);
  const text = (name: keyof Metrics) => textOf(fields[name]);
  const rows = (name: keyof Metrics) => numbersOf(fields[name]);
  return {
    prompt_tokens: number("prompt_tokens"),
    completion_tokens: number("completion_tokens"),
    reused_prompt_tokens: number("reused_prompt_tokens"),
    prefilled_prompt_tokens: number("prefilled_prompt_tokens"),
    resident_tokens: number("resident_tokens"),
    session_reset_reason: text("session_reset_reason"),
    thinking_tokens: number("thinking_tokens"),
    prefill_ms: number("prefill_ms"),
    decode_ms: number("decode_ms"),
    total_ms: number("total_ms"),
    image_tokens: number("image_tokens"),
    vision_encoder_ms: number("vision_encoder_ms"),
    prefill_tokens_per_second: number("prefill_tokens_per_second"),
    decode_tokens_per_second: number("decode_tokens_per_second"),
    dflash: text("dflash"),
    dflash_rounds: number("dflash_rounds"),
    dflash_proposed: number("dflash_proposed"),
    dflash_accepted: number("dflash_accepted"),
    dflash_attempts_by_row: rows("dflash_attempts_by_row"),
    dflash_accepts_by_row: rows("dflash_accepts_by_row"),
    dflash_plain_steps: number("dflash_plain_steps"),
    queue_ms: number("queue_ms"),
    prompt_ms: number("prompt_ms"),
    ttft_ms: number("ttft_ms"),
    wall_ms: number("wall_ms"),
    cancelled: typeof fields.cancelled === "boolean" ? fields.cancelled : null,
    malformed: number("malformed"),
    request_id: text("request_id"),
    session_id: text("session_id"),
  };
}

/** OpenAI's `usage`; null where the server sent none, as it does in every frame but one. */
export function usageFrom(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const prompt = numberOf(value.prompt_tokens);
  const completion = numberOf(value.completion_tokens);
  if (prompt === null || completion === null) return null;
  const details = (name: string) => (isObject(value[name]) ? value[name] : {});
  const cached = numberOf(details("prompt_tokens_details").cached_tokens);
  const reasoning = numberOf(details("completion_tokens_details").reasoning_tokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: numberOf(value.total_tokens) ?? prompt + completion,
    prompt_tokens_details: cached === null ? null : { cached_tokens: cached },
    completion_tokens_details: reasoning === null ? null : { reasoning_tokens: reasoning },
  };
}

const STATES: readonly string[] = ["queued", "encoding", "prefill", "decode"];

/** `muse_status`; null for a state that is not known here. */
export function statusFrom(value: unknown): StatusFrame | null {
  if (!isObject(value) || !STATES.includes(String(value.state))) return null;
  const count = (name: "position" | "done" | "total") => {
    const number = numberOf(value[name]);
    return number === null ? {} : { [name]: number };
  };
  const state = value.state as StatusFrame["state"];
  return { state, ...count("position"), ...count("done"), ...count("total") };
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numbersOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((item) => numberOf(item) !== null) ? value : null;
}
