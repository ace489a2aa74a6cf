/** What does a phase of an answer mean for the page: is it under way, and what is said about it? */
import type { AssistantMessage, Message, Phase } from "../../conversation/model";

const ENDS: ReadonlySet<Phase["kind"]> = new Set([
  "complete",
  "stopped",
  "cut",
  "interrupted",
  "failed",
]);

export function isLive(phase: Phase): boolean {
  return !ENDS.has(phase.kind);
}

/** The answer that is under way, if one is. */
export function liveAnswer(messages: readonly Message[]): AssistantMessage | null {
  const last = messages.at(-1);
  return last?.role === "assistant" && isLive(last.phase) ? last : null;
}

const COUNT = new Intl.NumberFormat("en");

/** One line about a phase; null where the answer speaks for itself. A failure has words of its own. */
export function phaseWords(phase: Phase): string | null {
  switch (phase.kind) {
    case "connecting":
      return "Connecting…";
    case "queued":
      return phase.position > 1
        ? `Waiting: ${COUNT.format(phase.position)} ahead`
        : "Waiting: next";
    case "encoding":
      return "Looking at the image…";
    case "prefilling":
      return phase.done === null || phase.total === null
        ? "Reading the prompt…"
        : `Reading the prompt… ${COUNT.format(phase.done)} of ${COUNT.format(phase.total)} tokens`;
    case "thinking":
      return "Thinking…";
    case "answering":
      return "Answering…";
    case "stopping":
      return "Stopping…";
    case "stopped":
      return phase.forced
        ? "Stopped: the server did not confirm, so the connection was closed"
        : "Stopped";
    case "cut":
      return phase.by === "limit"
        ? "Cut off: output limit reached"
        : "Cut off: the context is full";
    case "interrupted":
      return "Interrupted: the connection ended before the answer did";
    case "complete":
    case "failed":
      return null;
  }
}
