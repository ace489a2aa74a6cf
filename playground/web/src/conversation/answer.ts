/**
 * How does an answer grow? From nothing, by the events of its turn.
 *
 * Thinking is timed from its first text to the first text of the answer, or to the end where there
 * is none. An answer that goes on keeps the time that it thought before.
 */

import type { AssistantMessage } from "./model";
import { type Facts, isEnd, nextPhase, type PhaseEvent } from "./phase";

/** When something happened to a turn, and what was known of the turn. Times in ms. */
export interface Moment extends Omit<Facts, "metrics"> {
  readonly at: number;
  readonly sentAt: number;
}

/** An answer of which nothing is known. */
export function newAnswer(id: string): AssistantMessage {
  return {
    role: "assistant",
    id,
    text: "",
    reasoning: "",
    phase: { kind: "connecting" },
    thoughtFrom: null,
    thoughtTo: null,
    thoughtOpen: null,
    metrics: null,
    usage: null,
    wallMs: null,
    firstTextMs: null,
    edited: false,
  };
}

/** One answer after one event of its turn. */
export function advance(
  answer: AssistantMessage,
  event: PhaseEvent,
  moment: Moment,
): AssistantMessage {
  const { at, sentAt } = moment;
  const phase = nextPhase(answer.phase, event, { ...moment, metrics: answer.metrics });
  const next = phase === answer.phase ? answer : { ...answer, phase };
  switch (event.kind) {
    case "reasoning":
      return {
        ...next,
        reasoning: answer.reasoning + event.text,
        thoughtFrom: answer.thoughtFrom ?? at,
        firstTextMs: answer.firstTextMs ?? at - sentAt,
      };
    case "answer":
      return {
        ...next,
        text: answer.text + event.text,
        thoughtTo: thoughtEnd(answer, at),
        firstTextMs: answer.firstTextMs ?? at - sentAt,
      };
    case "metrics":
      return { ...next, metrics: event.metrics };
    case "usage":
      return { ...next, usage: event.usage };
    default:
      return isEnd(phase)
        ? { ...next, thoughtTo: thoughtEnd(answer, at), wallMs: at - sentAt }
        : next;
  }
}

function thoughtEnd({ thoughtFrom, thoughtTo }: AssistantMessage, at: number): number | null {
  return thoughtFrom === null ? null : (thoughtTo ?? at);
}
