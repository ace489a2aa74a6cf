import { describe, expect, it } from "vitest";
import { metricsFrom } from "../protocol/frames";
import type { Phase } from "./model";
import { type Facts, isEnd, nextPhase, type PhaseEvent } from "./phase";

const ERROR = { code: "unavailable", message: "gone", status: null };
const FACTS: Facts = { finish: null, metrics: null, maxTokens: null, contextLength: 100 };

const PHASES: Readonly<Record<Phase["kind"], Phase>> = {
  connecting: { kind: "connecting" },
  queued: { kind: "queued", position: 2 },
  encoding: { kind: "encoding" },
  prefilling: { kind: "prefilling", done: 1, total: 2 },
  thinking: { kind: "thinking" },
  answering: { kind: "answering" },
  stopping: { kind: "stopping", since: 5 },
  complete: { kind: "complete" },
  stopped: { kind: "stopped", forced: false },
  cut: { kind: "cut", by: "limit" },
  interrupted: { kind: "interrupted" },
  failed: { kind: "failed", error: ERROR },
};

const EVENTS: Readonly<Record<string, PhaseEvent>> = {
  queued: { kind: "status", status: { state: "queued", position: 3 } },
  encoding: { kind: "status", status: { state: "encoding" } },
  prefill: { kind: "status", status: { state: "prefill", done: 4, total: 8 } },
  decode: { kind: "status", status: { state: "decode" } },
  reasoning: { kind: "reasoning", text: "a" },
  answer: { kind: "answer", text: "a" },
  stop: { kind: "stop", at: 9 },
  error: { kind: "error", error: ERROR },
  abandoned: { kind: "abandoned" },
  aborted: { kind: "aborted" },
  lost: { kind: "lost" },
  done: { kind: "done" },
  finish: { kind: "finish", reason: "stop" },
  metrics: { kind: "metrics", metrics: metricsFrom({}) },
  usage: {
    kind: "usage",
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};

/** One row a phase, one column an event; `.` stays the very same object. */
const TABLE = `
            queued  encoding  prefill     decode  reasoning  answer     stop      error   abandoned  aborted  lost         done         finish  metrics  usage
connecting  queued  encoding  prefilling  .       thinking   answering  stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
queued      queued  encoding  prefilling  .       thinking   answering  stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
encoding    queued  encoding  prefilling  .       thinking   answering  stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
prefilling  queued  encoding  prefilling  .       thinking   answering  stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
thinking    .       .         .           .       .          answering  stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
answering   .       .         .           .       .          .          stopping  failed  stopped    stopped  interrupted  interrupted  .       .        .
stopping    .       .         .           .       .          .          .         failed  stopped    stopped  stopped      stopped      .       .        .
complete    .       .         .           .       .          .          .         .       .          .        .            .            .       .        .
stopped     .       .         .           .       .          .          .         .       .          .        .            .            .       .        .
cut         .       .         .           .       .          .          .         .       .          .        .            .            .       .        .
interrupted .       .         .           .       .          .          .         .       .          .        .            .            .       .        .
failed      .       .         .           .       .          .          .         .       .          .        .            .            .       .        .
`;

const [head = [], ...rows] = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/ +/));
const CELLS = rows.flatMap(([phase = "", ...cells]) =>
  cells.map((becomes, column) => ({ phase, event: head[column] ?? "", becomes })),
);

describe("nextPhase", () => {
  it("has a row for each phase, and a column for each event", () => {
    expect(rows.map(([phase]) => phase).sort()).toEqual(Object.keys(PHASES).sort());
    expect([...head].sort()).toEqual(Object.keys(EVENTS).sort());
    expect(CELLS).toHaveLength(head.length * rows.length);
  });

  it.each(CELLS)("makes $becomes of $phase at $event", ({ phase, event, becomes }) => {
    const from = PHASES[phase as Phase["kind"]];
    const to = nextPhase(from, EVENTS[event] as PhaseEvent, FACTS);
    if (becomes === ".") expect(to).toBe(from);
    else expect(to.kind).toBe(becomes);
  });

  it("knows the ends from which nothing leads away", () => {
    const ends = Object.values(PHASES).filter(isEnd);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(
      ["complete", "cut", "failed", "interrupted", "stopped"].sort(),
    );
  });

  it("takes over what a status says", () => {
    const next = (name: string) => nextPhase(PHASES.connecting, EVENTS[name] as PhaseEvent, FACTS);
    expect(next("queued")).toEqual({ kind: "queued", position: 3 });
    expect(next("prefill")).toEqual({ kind: "prefilling", done: 4, total: 8 });
    const bare: PhaseEvent = { kind: "status", status: { state: "prefill" } };
    expect(nextPhase(PHASES.queued, bare, FACTS)).toEqual({
      kind: "prefilling",
      done: null,
      total: null,
    });
  });

  it("says whether a stop was confirmed", () => {
    const ended = (kind: "abandoned" | "aborted") => nextPhase(PHASES.stopping, { kind }, FACTS);
    expect(ended("abandoned")).toEqual({ kind: "stopped", forced: true });
    expect(ended("aborted")).toEqual({ kind: "stopped", forced: false });
  });

  const done = (phase: Phase, facts: Partial<Facts>) =>
    nextPhase(phase, { kind: "done" }, { ...FACTS, finish: "stop", ...facts });
  const cancelled = (value: boolean) => metricsFrom({ cancelled: value });

  it("believes the metrics whether a turn was cancelled", () => {
    expect(done(PHASES.answering, {})).toEqual({ kind: "complete" });
    expect(done(PHASES.stopping, {})).toEqual({ kind: "stopped", forced: false });
    expect(done(PHASES.stopping, { metrics: cancelled(true) }).kind).toBe("stopped");
    expect(done(PHASES.stopping, { metrics: cancelled(false) }).kind).toBe("complete");
    expect(done(PHASES.answering, { metrics: cancelled(true) }).kind).toBe("stopped");
  });

  it("tells the output limit from a full context", () => {
    const cut = (maxTokens: number | null, prompt: number | null, completion: number | null) =>
      done(PHASES.answering, {
        finish: "length",
        maxTokens,
        metrics: metricsFrom({ prompt_tokens: prompt, completion_tokens: completion }),
      });
    expect(cut(10, 50, 10)).toEqual({ kind: "cut", by: "limit" });
    expect(cut(10, 90, 10)).toEqual({ kind: "cut", by: "context" });
    expect(cut(80, 50, 50)).toEqual({ kind: "cut", by: "context" });
    expect(cut(null, 50, 10)).toEqual({ kind: "cut", by: "context" });
    expect(cut(10, null, null)).toEqual({ kind: "cut", by: "limit" });
  });
});
