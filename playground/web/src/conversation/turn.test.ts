import { describe, expect, it } from "vitest";
import type { PhaseEvent } from "./phase";
import { settle, TestWorld } from "./testing";
import { runTurn } from "./turn";

/** A turn over a stream that is in the test's hands, and that no abort closes. */
async function start() {
  const world = new TestWorld();
  const told: PhaseEvent[][] = [];
  let bytes: ReadableStreamDefaultController<Uint8Array> | null = null;
  let left = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      bytes = controller;
    },
    cancel: () => {
      left = true;
    },
  });
  const line = { open: async () => stream, cancel: async () => true };
  const turn = runTurn(line, world, (events) => void told.push([...events]));
  await settle();
  const answer = (text: string) =>
    send(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
  async function send(text: string): Promise<void> {
    bytes?.enqueue(new TextEncoder().encode(text));
    await settle();
  }
  return { world, told, turn, send, answer, left: () => left };
}

describe("runTurn", () => {
  it("tells what came since the last frame, texts in one", async () => {
    const { world, told, answer } = await start();
    await answer("a");
    await answer("b");
    expect(told).toEqual([]);
    await world.draw();
    await answer("c");
    await world.draw();
    await world.draw();
    expect(told).toEqual([[{ kind: "answer", text: "ab" }], [{ kind: "answer", text: "c" }]]);
  });

  it("tells the end at once, and leaves a stream that stays open behind it", async () => {
    const { world, told, turn, answer, send, left } = await start();
    await answer("a");
    await send("data: [DONE]\n\n");
    await turn.over;
    expect(told).toEqual([[{ kind: "answer", text: "a" }, { kind: "done" }]]);
    expect([left(), world.waitingFrames]).toEqual([true, 0]);
  });

  it("tells nothing after it was aborted, whatever still comes", async () => {
    const { world, told, turn, answer } = await start();
    await answer("a");
    turn.abort();
    await answer("late");
    await world.draw();
    turn.abort();
    expect(told).toEqual([[{ kind: "answer", text: "a" }, { kind: "aborted" }]]);
    expect(world.waitingFrames).toBe(0);
  });
});
