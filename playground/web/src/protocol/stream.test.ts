import { describe, expect, it } from "vitest";
import { append, type TurnEvent, TurnReader } from "./stream";

const encode = (text: string) => new TextEncoder().encode(text);
const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  frame({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const DONE = "data: [DONE]\n\n";

/** The events of a stream, texts of a channel that follow each other being joined. */
function read(...chunks: readonly Uint8Array[]): TurnEvent[] {
  const turn = new TurnReader();
  const events: TurnEvent[] = [];
  for (const piece of chunks) for (const event of turn.push(piece)) append(events, event);
  for (const event of turn.end()) append(events, event);
  return events;
}

const readText = (text: string) => read(encode(text));

describe("TurnReader", () => {
  it("reads a whole turn, wherever its bytes are cut", () => {
    const bytes = encode(
      chunk({ role: "assistant" }) +
        ": queued 1\n\n" +
        frame({ muse_status: { state: "prefill", done: 5, total: 9 } }) +
        chunk({ reasoning_content: "Hm " }, null, { usage: null }) +
        chunk({ reasoning_content: "né." }) +
        chunk({ content: "Ja 👍" }) +
        chunk({ content: "!" }) +
        chunk({}, "stop") +
        frame({ muse_metrics: { prompt_tokens: 9, ttft_ms: 1.5 } }) +
        frame({ id: "c", choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } }) +
        DONE,
    );
    const whole = read(bytes);
    expect(whole.map(({ kind }) => kind)).toEqual([
      "status",
      "reasoning",
      "answer",
      "finish",
      "metrics",
      "usage",
      "done",
    ]);
    expect(whole).toContainEqual({ kind: "reasoning", text: "Hm né." });
    expect(whole).toContainEqual({ kind: "answer", text: "Ja 👍!" });
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
    }
  });

  it("tells both channels of one frame, and its finish", () => {
    const events = readText(chunk({ reasoning_content: "a", content: "b" }, "length") + DONE);
    expect(events).toEqual([
      { kind: "reasoning", text: "a" },
      { kind: "answer", text: "b" },
      { kind: "finish", reason: "length" },
      { kind: "done" },
    ]);
  });

  it("tells an error, and the end that follows it", () => {
    const error = { message: "the worker has ended", type: "server_error", code: "unavailable" };
    expect(readText(chunk({ content: "a" }) + frame({ error }) + DONE)).toEqual([
      { kind: "answer", text: "a" },
      {
        kind: "error",
        error: { code: "unavailable", message: "the worker has ended", status: null },
      },
      { kind: "done" },
    ]);
  });

  it("says that a stream without [DONE] was lost", () => {
    expect(readText(chunk({ content: "a" })).at(-1)).toEqual({ kind: "lost" });
  });

  it("takes nothing after [DONE]", () => {
    expect(readText(DONE + chunk({ content: "late" }) + DONE)).toEqual([{ kind: "done" }]);
    expect(read(encode(DONE), encode(chunk({ content: "late" })))).toEqual([{ kind: "done" }]);
  });

  it.each(["{", "nonsense", "7", "null", "[]"])("calls %s a fault of the protocol", (data) => {
    expect(readText(`data: ${data}\n\n`)[0]).toMatchObject({
      kind: "error",
      error: { code: "protocol" },
    });
  });

  it.each([
    {},
    { unknown: 1 },
    { choices: [] },
    { choices: null },
    { choices: [null] },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: "" } }] },
    { choices: [{ delta: { content: 7, tool_calls: [{}] } }] },
    { muse_status: { state: "dreaming" } },
    { muse_status: null },
    { usage: null },
    { usage: { prompt_tokens: "many" } },
    { error: null },
  ])("says nothing of %j", (value) => {
    expect(readText(frame(value) + DONE)).toEqual([{ kind: "done" }]);
  });

  it("keeps null what the metrics do not know, and never makes it 0", () => {
    const [event] = readText(
      frame({ muse_metrics: { ttft_ms: null, decode_ms: "fast", queue_ms: 0 } }),
    );
    if (event?.kind !== "metrics") throw new Error("no metrics");
    const { queue_ms, ...others } = event.metrics;
    expect(queue_ms).toBe(0);
    expect(Object.values(others)).toEqual(Object.values(others).map(() => null));
  });
});
