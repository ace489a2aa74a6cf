import { describe, expect, it } from "vitest";
import { metricsFrom } from "../protocol/frames";
import type { AssistantMessage, Phase } from "./model";
import {
  contextUsed,
  duration,
  metricsGroups,
  metricsSummary,
  phaseAnnouncement,
  phaseLine,
  resetReason,
  sizeWords,
} from "./wording";

function answer(change: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    id: "a",
    text: "Hello",
    reasoning: "",
    phase: { kind: "complete" },
    thoughtFrom: null,
    thoughtTo: null,
    thoughtOpen: null,
    metrics: null,
    usage: null,
    wallMs: null,
    firstTextMs: null,
    edited: false,
    ...change,
  };
}

const measured = (metrics: object) => answer({ metrics: metricsFrom({ ...metrics }) });
const details = (message: AssistantMessage) =>
  metricsGroups(message).flatMap((group) => group.details);
const rows = (message: AssistantMessage) =>
  Object.fromEntries(details(message).map(({ name, value }) => [name, value]));

describe("phaseLine", () => {
  const error = { code: "x", message: "It broke.", status: null };
  it.each<[Phase, string | null]>([
    [{ kind: "connecting" }, "Connecting…"],
    [{ kind: "queued", position: 1 }, "Waiting: next"],
    [{ kind: "queued", position: 3 }, "Waiting: 3 ahead"],
    [{ kind: "encoding" }, "Looking at the image…"],
    [{ kind: "prefilling", done: null, total: null }, "Reading the prompt…"],
    [{ kind: "prefilling", done: 512, total: 1024 }, "Reading the prompt… 512 of 1,024 tokens"],
    [{ kind: "thinking" }, "Thinking…"],
    [{ kind: "answering" }, "Answering…"],
    [{ kind: "stopping", since: 0 }, "Stopping…"],
    [{ kind: "stopped", forced: false }, "Stopped"],
    [
      { kind: "stopped", forced: true },
      "Stopped: the server did not confirm, so the connection was closed",
    ],
    [{ kind: "interrupted" }, "Interrupted: the connection ended before the answer did"],
    [{ kind: "cut", by: "limit" }, "Cut off: output limit reached"],
    [{ kind: "cut", by: "context" }, "Cut off: the context is full"],
    [{ kind: "complete" }, null],
    [{ kind: "failed", error }, "It broke."],
  ])("of %j is %j", (phase, line) => {
    expect(phaseLine(phase)).toBe(line);
  });
});

describe("phaseAnnouncement", () => {
  it("tells what is worth hearing, once", () => {
    expect(phaseAnnouncement({ kind: "connecting" })).toBe("Generating");
    expect(phaseAnnouncement({ kind: "answering" }, { kind: "thinking" })).toBe(
      "Thinking finished",
    );
    expect(phaseAnnouncement({ kind: "answering" }, { kind: "connecting" })).toBeNull();
    expect(phaseAnnouncement({ kind: "complete" })).toBe("Response complete");
    expect(phaseAnnouncement({ kind: "stopped", forced: false })).toBe("Stopped");
    expect(phaseAnnouncement({ kind: "queued", position: 2 })).toBeNull();
  });
});

describe("metricsSummary", () => {
  it("tells the first token, the speed and the length", () => {
    const message = measured({
      ttft_ms: 412,
      decode_tokens_per_second: 50.44,
      completion_tokens: 1204,
    });
    expect(metricsSummary(message)).toEqual([
      "0.41 s to first token",
      "50.4 tokens/s",
      "1,204 tokens",
    ]);
  });

  it("leaves out what is not known, and says 0 where it is 0", () => {
    expect(metricsSummary(answer({}))).toEqual([]);
    expect(metricsSummary(measured({ completion_tokens: 0 }))).toEqual(["0 tokens"]);
  });

  it("gives no speed for a single token", () => {
    expect(
      metricsSummary(measured({ completion_tokens: 1, decode_tokens_per_second: 23_609 })),
    ).toEqual(["1 token"]);
  });

  it("takes the page's clock, and the usage, where there are no metrics", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
    expect(metricsSummary(answer({ firstTextMs: 1500, usage }))).toEqual([
      "1.50 s to first token",
      "5 tokens",
    ]);
  });
});

describe("metricsGroups", () => {
  it("has every number that is known, in words", () => {
    const message = measured({
      prompt_tokens: 512,
      completion_tokens: 40,
      reused_prompt_tokens: 500,
      prefilled_prompt_tokens: 12,
      resident_tokens: 552,
      session_reset_reason: "exact_prefix",
      thinking_tokens: 10,
      prefill_ms: 24,
      decode_ms: 800,
      image_tokens: 64,
      vision_encoder_ms: 5.25,
      prefill_tokens_per_second: 500,
      decode_tokens_per_second: 50,
      dflash: "on",
      dflash_rounds: 20,
      dflash_accepted: 19,
      dflash_attempts_by_row: [20, 20, 0],
      dflash_accepts_by_row: [15, 4, 0],
      dflash_plain_steps: 0,
      queue_ms: 0,
      ttft_ms: 30,
      wall_ms: 900,
    });
    expect(rows(message)).toEqual({
      Total: "0.90 s",
      "Waited in the queue": "0 ms",
      "First token": "30 ms",
      "Reading the prompt": "24 ms · 500 tokens/s",
      "Writing the output": "0.80 s · 50.0 tokens/s",
      "Looking at the image": "5.3 ms",
      Prompt: "512 tokens",
      Reused: "500 tokens",
      Computed: "12 tokens",
      Cache: "Warm: all that came before was there",
      Image: "64 tokens",
      Output: "40 tokens",
      Thinking: "10 tokens",
      "In the context": "552 tokens",
      Drafting: "On",
      Rounds: "20",
      "Plain steps": "0",
      "Accepted per round": "0.95",
      "Accepted by place": "75 % · 20 % · –",
    });
  });

  it("has nothing for what is not known", () => {
    expect(details(answer({}))).toEqual([]);
    expect(details(measured({}))).toEqual([]);
  });

  it("has no acceptance where nothing was proposed", () => {
    const { "Accepted per round": mean, "Accepted by place": places } = rows(
      measured({
        dflash_rounds: 0,
        dflash_accepted: 0,
        dflash_attempts_by_row: [0, 0],
        dflash_accepts_by_row: [0, 0],
      }),
    );
    expect([mean, places]).toEqual([undefined, undefined]);
  });

  it("has the page's own clock beside the server's, and the usage where there are no metrics", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
    expect(rows(answer({ wallMs: 65_000, firstTextMs: 12_345, usage }))).toEqual({
      "Total, in this page": "1 min 5 s",
      "First text, in this page": "12.3 s",
      Prompt: "3 tokens",
      Output: "5 tokens",
    });
  });

  it("are in groups, of which an empty one is left out", () => {
    const names = (message: AssistantMessage) => metricsGroups(message).map(({ name }) => name);
    const every = measured({ ttft_ms: 1, prompt_tokens: 1, dflash: "on" });
    expect(names(every)).toEqual(["Time", "Tokens", "Drafting"]);
    expect(names(measured({ prompt_tokens: 1 }))).toEqual(["Tokens"]);
    expect(names(answer({}))).toEqual([]);
  });

  it("names each row once", () => {
    const every = Object.keys(metricsFrom({})).map((name) => [name, 1]);
    const names = details(measured(Object.fromEntries(every))).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("resetReason", () => {
  it.each(["exact_prefix", "new", "mismatch", "equal", "dirty"])("has words for %s", (reason) => {
    expect(resetReason(reason)).toMatch(/^(Warm|Cold): /);
  });

  it("says what it does not know as it is", () => {
    expect(resetReason("moon_phase")).toBe("moon_phase");
  });
});

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [0.04, "0 ms"],
    [9.96, "10 ms"],
    [99.6, "100 ms"],
    [100, "0.10 s"],
    [9_994, "9.99 s"],
    [9_995, "10.0 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [3_725_000, "62 min 5 s"],
  ])("of %d ms is %s", (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});

describe("contextUsed", () => {
  it("is what the last answer left, of those that say it", () => {
    const first = measured({ prompt_tokens: 10, completion_tokens: 5 });
    expect(contextUsed([])).toBeNull();
    expect(contextUsed([first])).toBe(15);
    expect(contextUsed([first, answer({})])).toBe(15);
    const usage = { prompt_tokens: 20, completion_tokens: 2, total_tokens: 22 };
    expect(contextUsed([first, answer({ usage })])).toBe(22);
  });
});

it.each([
  [999, "999 B"],
  [1_000, "1 kB"],
  [10_485_760, "10.5 MB"],
  [999_949_999, "999.9 MB"],
  [999_950_000, "1.0 GB"],
])("%d bytes are %s", (bytes, words) => {
  expect(sizeWords(bytes)).toBe(words);
});
