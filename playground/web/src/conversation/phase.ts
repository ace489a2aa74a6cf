/**
 * How does an answer come along? One answer's states, and what each event makes of them.
 *
 *              status                             text
 *              queued   encoding  prefill     decode  reasoning  answer     stop      an end
 *
 *  connecting  queued   encoding  prefilling  ·       thinking   answering  stopping  ends
 *  queued      queued   encoding  prefilling  ·       thinking   answering  stopping  ends
 *  encoding    queued   encoding  prefilling  ·       thinking   answering  stopping  ends
 *  prefilling  queued   encoding  prefilling  ·       thinking   answering  stopping  ends
 *  thinking    ·        ·         ·           ·       ·          answering  stopping  ends
 *  answering   ·        ·         ·           ·       ·          ·          stopping  ends
 *  stopping    ·        ·         ·           ·       ·          ·          ·         ends
 *  an end      ·        ·         ·           ·       ·          ·          ·         ·
 *
 * `·` stays as it is. So text is a point of no return: a status that comes late never takes an
 * answer back to waiting, and reasoning between two parts of an answer does not hide the answer.
 * `decode` alone says nothing that a person sees; the text that follows does.
 *
 *  end                                          becomes
 *
 *  error                                        failed
 *  abandoned: the server does not confirm       stopped, forced
 *  aborted: closed by us, nothing to confirm    stopped
 *  lost                                         stopped while stopping, else interrupted
 *  done, without a finish reason                stopped while stopping, else interrupted
 *  done, cancelled by the metrics               stopped
 *  done, by `length`                            cut, by the context if that is full, else the limit
 *  done, else                                   complete
 *
 * A turn that ends by itself in the moment in which it is stopped is complete: the metrics know.
 * Without metrics, what ends while stopping is stopped.
 */

import type { TurnEvent } from "../protocol/stream";
import type { Metrics, StatusFrame } from "../protocol/types";
import type { Phase } from "./model";

/** What is known of a turn beside its phase, when it ends. */
export interface Facts {
  readonly finish: string | null;
  readonly metrics: Metrics | null;
  readonly maxTokens: number | null;
  readonly contextLength: number | null;
}

/** What a stream tells, and what is done to it from here. */
export type PhaseEvent =
  | TurnEvent
  | { readonly kind: "stop"; readonly at: number }
  | { readonly kind: "abandoned" }
  | { readonly kind: "aborted" };

const ENDS: ReadonlySet<Phase["kind"]> = new Set([
  "complete",
  "stopped",
  "cut",
  "interrupted",
  "failed",
]);

/** Whether nothing more will come. */
export function isEnd(phase: Phase): boolean {
  return ENDS.has(phase.kind);
}

/** Whether text of either channel can have come. */
function isWaiting(phase: Phase): boolean {
  return ["connecting", "queued", "encoding", "prefilling"].includes(phase.kind);
}

/** The phase after an event; the very same object where the event changes nothing. */
export function nextPhase(phase: Phase, event: PhaseEvent, facts: Facts): Phase {
  if (isEnd(phase)) return phase;
  switch (event.kind) {
    case "status":
      return isWaiting(phase) ? (waitingFor(event.status) ?? phase) : phase;
    case "reasoning":
      return isWaiting(phase) ? { kind: "thinking" } : phase;
    case "answer":
      return isWaiting(phase) || phase.kind === "thinking" ? { kind: "answering" } : phase;
    case "stop":
      return phase.kind === "stopping" ? phase : { kind: "stopping", since: event.at };
    case "error":
      return { kind: "failed", error: event.error };
    case "abandoned":
      return { kind: "stopped", forced: true };
    case "aborted":
      return { kind: "stopped", forced: false };
    case "lost":
      return brokenOff(phase);
    case "done":
      return facts.finish === null ? brokenOff(phase) : ending(phase, facts);
    case "finish":
    case "metrics":
    case "usage":
      return phase;
  }
}

function waitingFor(status: StatusFrame): Phase | null {
  switch (status.state) {
    case "queued":
      return { kind: "queued", position: status.position ?? 1 };
    case "encoding":
      return { kind: "encoding" };
    case "prefill":
      return { kind: "prefilling", done: status.done ?? null, total: status.total ?? null };
    case "decode":
      return null;
  }
}

function brokenOff(phase: Phase): Phase {
  return phase.kind === "stopping" ? { kind: "stopped", forced: false } : { kind: "interrupted" };
}

function ending(phase: Phase, facts: Facts): Phase {
  const cancelled = facts.metrics?.cancelled ?? phase.kind === "stopping";
  if (cancelled) return { kind: "stopped", forced: false };
  if (facts.finish === "length") return { kind: "cut", by: cutBy(facts) };
  return { kind: "complete" };
}

function cutBy({ metrics, maxTokens, contextLength }: Facts): "limit" | "context" {
  if (maxTokens === null) return "context";
  const prompt = metrics?.prompt_tokens ?? null;
  const completion = metrics?.completion_tokens ?? null;
  if (prompt === null || completion === null || contextLength === null) return "limit";
  return prompt + completion >= contextLength ? "context" : "limit";
}
