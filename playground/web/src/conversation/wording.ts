/**
 * How is a turn told in words: what it is doing, how it ended, what it cost?
 *
 * A number that is not known is left out; 0 is said only where 0 was measured.
 */

import type { Metrics } from "../protocol/types";
import type { AssistantMessage, Message, Phase } from "./model";

/** What a screen reader is told when an answer comes into a phase; null: nothing worth it. */
export function phaseAnnouncement(phase: Phase, before?: Phase): string | null {
  switch (phase.kind) {
    case "connecting":
      return "Generating";
    case "thinking":
      return "Thinking";
    case "answering":
      return before?.kind === "thinking" ? "Thinking finished" : null;
    case "complete":
      return "Response complete";
    case "stopping":
    case "stopped":
    case "interrupted":
    case "cut":
      return phaseLine(phase);
    default:
      return null; // an error is an alert of its own; waiting is seen, not told
  }
}

/** The one line that is shown while an answer is in a phase; null where its text says enough. */
export function phaseLine(phase: Phase): string | null {
  switch (phase.kind) {
    case "connecting":
      return "Connecting…";
    case "queued":
      return phase.position > 1 ? `Waiting: ${phase.position} ahead` : "Waiting: next";
    case "encoding":
      return "Looking at the image…";
    case "prefilling":
      return phase.done === null || phase.total === null
        ? "Reading the prompt…"
        : `Reading the prompt… ${grouped(phase.done)} of ${grouped(phase.total)} tokens`;
    case "thinking":
      return "Thinking…";
    case "answering":
      return "Answering…";
    case "stopping":
      return "Stopping…";
    case "complete":
      return null;
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
    case "failed":
      return phase.error.message;
  }
}

/** The parts of the quiet line under an answer. */
export function metricsSummary(message: AssistantMessage): readonly string[] {
  const { metrics, usage } = message;
  const first = metrics?.ttft_ms ?? message.firstTextMs;
  const tokens = metrics?.completion_tokens ?? usage?.completion_tokens ?? null;
  const perSecond = tokens !== null && tokens < 2 ? null : metrics?.decode_tokens_per_second;
  return [
    first == null ? null : `${duration(first)} to first token`,
    perSecond == null ? null : rate(perSecond),
    tokens === null ? null : counted(tokens, "token"),
  ].filter((part) => part !== null);
}

/** One row of what a turn cost; `why` says what it means where the name does not. */
export interface Detail {
  readonly name: string;
  readonly value: string;
  readonly why?: string;
}

/** Rows that belong together. */
export interface DetailGroup {
  readonly name: "Time" | "Tokens" | "Drafting";
  readonly details: readonly Detail[];
}

/** Everything that is known of what a turn cost; a group of which nothing is known is left out. */
export function metricsGroups(message: AssistantMessage): readonly DetailGroup[] {
  const { metrics, usage } = message;
  const groups: readonly DetailGroup[] = [
    { name: "Time", details: [...(metrics ? timesOf(metrics) : []), ...timesHere(message)] },
    {
      name: "Tokens",
      details: metrics
        ? [...promptOf(metrics), ...outputOf(metrics)]
        : [
            ...row("Prompt", usage?.prompt_tokens ?? null, tokens),
            ...row("Output", usage?.completion_tokens ?? null, tokens),
          ],
    },
    { name: "Drafting", details: metrics ? draftingOf(metrics) : [] },
  ];
  return groups.filter(({ details }) => details.length > 0);
}

function timesOf(metrics: Metrics): readonly Detail[] {
  return [
    ...row("Total", metrics.wall_ms, duration, "On the server's clock, waiting included"),
    ...row("Waited in the queue", metrics.queue_ms, duration, "Until the model was free"),
    ...row("First token", metrics.ttft_ms, duration, "Thinking or answer, waiting included"),
    ...row("Looking at the image", metrics.vision_encoder_ms, duration),
    ...timed("Reading the prompt", metrics.prefill_ms, metrics.prefill_tokens_per_second),
    ...timed("Writing the output", metrics.decode_ms, metrics.decode_tokens_per_second),
  ];
}

function timesHere(message: AssistantMessage): readonly Detail[] {
  return [
    ...row("Total, in this page", message.wallMs, duration, "From sending to the last text"),
    ...row("First text, in this page", message.firstTextMs, duration),
  ];
}

function promptOf(metrics: Metrics): readonly Detail[] {
  return [
    ...row("Prompt", metrics.prompt_tokens, tokens),
    ...row("Reused", metrics.reused_prompt_tokens, tokens, "Were in the cache already"),
    ...row("Computed", metrics.prefilled_prompt_tokens, tokens, "Were read for this turn"),
    ...row("Cache", metrics.session_reset_reason, resetReason),
    ...row("Image", metrics.image_tokens || null, tokens, "Part of the prompt"),
  ];
}

function outputOf(metrics: Metrics): readonly Detail[] {
  return [
    ...row("Output", metrics.completion_tokens, tokens),
    ...row("Thinking", metrics.thinking_tokens, tokens, "Part of the output"),
    ...row(
      "In the context",
      metrics.resident_tokens,
      tokens,
      "Stay in the cache for the next turn",
    ),
    ...row("Broken format", metrics.malformed || null, (count) => counted(count, "time")),
  ];
}

function draftingOf(metrics: Metrics): readonly Detail[] {
  const { dflash_rounds: rounds, dflash_accepted: accepted } = metrics;
  return [
    ...row("Drafting", metrics.dflash, draftingState),
    ...row("Rounds", rounds, grouped, "Steps that checked a draft"),
    ...row("Plain steps", metrics.dflash_plain_steps, grouped),
    ...(rounds && accepted !== null
      ? row("Accepted per round", accepted / rounds, (mean) => mean.toFixed(2))
      : []),
    ...row(
      "Accepted by place",
      acceptanceByRow(metrics),
      (text) => text,
      "In the draft, from the first",
    ),
  ];
}

function acceptanceByRow(metrics: Metrics): string | null {
  const { dflash_attempts_by_row: attempts, dflash_accepts_by_row: accepts } = metrics;
  if (!attempts || !accepts) return null;
  const shares = attempts.map((tried, place) => {
    const taken = accepts[place];
    return tried > 0 && taken !== undefined ? `${Math.round((100 * taken) / tried)} %` : "–";
  });
  return shares.some((share) => share !== "–") ? shares.join(" · ") : null;
}

function draftingState(state: string): string {
  const words: Readonly<Record<string, string>> = {
    on: "On",
    off: "Off",
    fallback: "Given up for part of the turn, being slower",
    unavailable: "Not offered by this model",
  };
  return words[state] ?? state;
}

/** Why the cache was used or not. */
export function resetReason(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    exact_prefix: "Warm: all that came before was there",
    new: "Cold: nothing was there yet",
    mismatch: "Cold: the conversation is not the one that was there (edited, or asked again)",
    equal: "Cold: the same prompt again",
    dirty: "Cold: the last turn was cut short, so nothing of it was trusted",
  };
  return words[reason] ?? reason;
}

/** Tokens of the conversation after its last answer; null where no answer has said it. */
export function contextUsed(messages: readonly Message[]): number | null {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    const { prompt_tokens: prompt, completion_tokens: completion } =
      message.metrics ?? message.usage ?? {};
    if (prompt != null && completion != null) return prompt + completion;
  }
  return null;
}

function row<Value>(
  name: string,
  value: Value | null,
  worded: (value: Value) => string,
  why?: string,
): readonly Detail[] {
  return value === null ? [] : [{ name, value: worded(value), ...(why ? { why } : {}) }];
}

function timed(name: string, ms: number | null, perSecond: number | null): readonly Detail[] {
  const parts = [ms === null ? null : duration(ms), perSecond === null ? null : rate(perSecond)];
  return row(name, parts.filter((part) => part !== null).join(" · ") || null, (text) => text);
}

/** Why the server has no place for the conversation, under the heading "In use elsewhere". */
export function capacityWords(places: number | null): string {
  return places === null || places === 1
    ? "The server keeps one conversation at a time, and another program has it."
    : `The server keeps ${places} conversations at a time, and other programs have them.`;
}

const GROUPED = new Intl.NumberFormat("en-US");

function grouped(count: number): string {
  return GROUPED.format(count);
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function tokens(count: number): string {
  return counted(count, "token");
}

/** Three digits or so: 0.4 ms, 12 ms, 0.41 s, 12.3 s, 2 min 5 s. */
export function duration(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${grouped(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

/** Of a file or of memory: kB, MB and GB are powers of ten here, as file managers have them. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  if (bytes < 999_950_000) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function rate(perSecond: number): string {
  return `${perSecond < 100 ? perSecond.toFixed(1) : grouped(Math.round(perSecond))} tokens/s`;
}
