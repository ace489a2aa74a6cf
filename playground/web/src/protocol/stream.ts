/**
 * What does a turn tell, as its bytes come in?
 *
 *     frame                                        event
 *     choices[0].delta.reasoning_content           reasoning
 *     choices[0].delta.content                     answer
 *     choices[0].finish_reason                     finish
 *     muse_status                                  status
 *     muse_metrics                                 metrics
 *     usage                                        usage
 *     error                                        error
 *     [DONE]                                       done: the last one, whatever follows
 *     bytes that are no such frame                 error, with the code `protocol`
 *     the end, without [DONE]                      lost
 *
 * One frame may hold several of them. A frame of a kind that is not known says nothing. Text is
 * joined with text of its channel that came just before, so a chunk of bytes makes few events.
 */

import { errorIn } from "./errors";
import { type Fields, isObject, metricsFrom, statusFrom, usageFrom } from "./frames";
import { SSEDecoder } from "./sse";
import type { Metrics, StatusFrame, TurnError, Usage } from "./types";

export type TurnEvent =
  | { readonly kind: "status"; readonly status: StatusFrame }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "finish"; readonly reason: string }
  | { readonly kind: "metrics"; readonly metrics: Metrics }
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "error"; readonly error: TurnError }
  | { readonly kind: "done" }
  | { readonly kind: "lost" };

/** `push` bytes as they come, `end` when no more will; both return the events that this makes. */
export class TurnReader {
  private readonly frames = new SSEDecoder();
  private over = false;

  push(bytes: Uint8Array): TurnEvent[] {
    const events: TurnEvent[] = [];
    for (const data of this.frames.push(bytes)) {
      if (this.over) break;
      for (const event of eventsOf(data)) append(events, event);
      this.over = events.at(-1)?.kind === "done";
    }
    return events;
  }

  end(): TurnEvent[] {
    if (this.over) return [];
    this.over = true;
    return [{ kind: "lost" }];
  }

  /** Whether the last event has been told. */
  get isOver(): boolean {
    return this.over;
  }
}

/** Add an event to others; text joins text of the same channel that stands last. */
export function append<Event extends { readonly kind: string }>(events: Event[], event: Event) {
  const last = events.at(-1);
  if (last && isPiece(last) && isPiece(event) && last.kind === event.kind) {
    events[events.length - 1] = { ...last, text: last.text + event.text };
  } else {
    events.push(event);
  }
}

function isPiece(event: { readonly kind: string }): event is { kind: string; text: string } {
  return event.kind === "answer" || event.kind === "reasoning";
}

function eventsOf(data: string): TurnEvent[] {
  if (data === "[DONE]") return [{ kind: "done" }];
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return [protocolError("The server sent something that is not JSON.")];
  }
  if (!isObject(frame)) return [protocolError("The server sent something that is no frame.")];
  if (frame.error != null) return [{ kind: "error", error: errorIn(frame, null) }];
  return [...textsOf(frame), ...reportsOf(frame)];
}

function textsOf(frame: Fields): TurnEvent[] {
  const choice = Array.isArray(frame.choices) ? (frame.choices[0] as unknown) : undefined;
  if (!isObject(choice)) return [];
  const delta = isObject(choice.delta) ? choice.delta : {};
  const events: TurnEvent[] = [];
  if (isText(delta.reasoning_content)) {
    events.push({ kind: "reasoning", text: delta.reasoning_content });
  }
  if (isText(delta.content)) events.push({ kind: "answer", text: delta.content });
  if (isText(choice.finish_reason)) events.push({ kind: "finish", reason: choice.finish_reason });
  return events;
}

function reportsOf(frame: Fields): TurnEvent[] {
  const events: TurnEvent[] = [];
  const status = statusFrom(frame.muse_status);
  if (status) events.push({ kind: "status", status });
  if (isObject(frame.muse_metrics)) {
    events.push({ kind: "metrics", metrics: metricsFrom(frame.muse_metrics) });
  }
  const usage = usageFrom(frame.usage);
  if (usage) events.push({ kind: "usage", usage });
  return events;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function protocolError(message: string): TurnEvent {
  return { kind: "error", error: { code: "protocol", message, status: null } };
}
