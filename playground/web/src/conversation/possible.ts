/**
 * What may be done now? The same answers for the buttons and for what they do.
 */

import type { Message, State } from "./model";
import { isEnd } from "./phase";

/** Whether an answer is on its way. */
export function isBusy({ messages }: Pick<State, "messages">): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && !isEnd(last.phase);
}

/** Whether a stop was asked for and has not come to its end. */
export function isStopping({ messages }: Pick<State, "messages">): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.phase.kind === "stopping";
}

/** Whether the server may be asked for anything. */
export function mayAsk(state: State): boolean {
  return (
    !isBusy(state) && !state.resetting && !state.editing?.saving && state.ownership.kind === "mine"
  );
}

/** Whether an answer ended before it was complete and has text to go on from. */
export function canContinue(message: Message): boolean {
  if (message.role !== "assistant" || message.text === "") return false;
  const { phase } = message;
  return (
    phase.kind === "stopped" ||
    phase.kind === "interrupted" ||
    (phase.kind === "cut" && phase.by === "limit") ||
    (phase.kind === "failed" && phase.error.code !== "context_length_exceeded")
  );
}
