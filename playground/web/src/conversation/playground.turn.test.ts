import { describe, expect, it } from "vitest";
import { openPage, TURN } from "./opened";
import { SESSION_KEY } from "./session";
import { refusal, settle, unreachable } from "./testing";

describe("a turn", () => {
  it("is asked with a name of its own, in the session, and streams both channels", async () => {
    const { say, world, answer, state, server } = await openPage();
    const turn = await say("Hi");
    expect(turn.requestId).not.toBeNull();
    expect(turn.body).toMatchObject({
      model: "muse-test",
      messages: [{ role: "user", content: "Hi" }],
      temperature: 0.7,
      seed: 42,
      session_id: world.kept.get(SESSION_KEY),
      stream_options: { include_usage: true, include_status: true },
    });
    expect(state().draft).toBe("");
    expect(answer().phase).toEqual({ kind: "connecting" });

    turn.status({ state: "queued", position: 1 });
    await world.draw();
    expect(answer().phase).toEqual({ kind: "queued", position: 1 });
    turn.status({ state: "prefill", done: 3, total: 9 });
    await world.draw();
    expect(answer().phase).toEqual({ kind: "prefilling", done: 3, total: 9 });
    await world.pass(400);
    turn.reasoning("Hm.");
    await world.draw();
    expect(answer()).toMatchObject({
      phase: { kind: "thinking" },
      reasoning: "Hm.",
      thoughtFrom: 400,
    });
    await world.pass(600);
    turn.answer("Hello");
    await world.draw();
    expect(answer()).toMatchObject({
      phase: { kind: "answering" },
      text: "Hello",
      thoughtTo: 1000,
    });
    turn.done("stop", { completion_tokens: 2 });
    await settle();
    expect(answer()).toMatchObject({
      phase: { kind: "complete" },
      metrics: { completion_tokens: 2, prompt_tokens: null },
      wallMs: 1000,
      firstTextMs: 400,
    });
    expect(server.asked).toEqual([TURN]);
  });

  it("draws what comes between two frames at once, and the end without a frame", async () => {
    const { say, world, playground, answer } = await openPage();
    const turn = await say("Hi");
    let drawn = 0;
    playground.subscribe(() => {
      drawn += 1;
    });
    for (let piece = 0; piece < 100; piece += 1) turn.answer("x");
    await settle();
    expect([drawn, world.waitingFrames]).toEqual([0, 1]);
    await world.draw();
    expect([drawn, answer().text.length]).toEqual([1, 100]);
    turn.answer("y").done();
    await settle();
    expect([drawn, world.waitingFrames]).toEqual([2, 0]);
    expect(answer().text).toHaveLength(101);
  });

  it("leaves the messages before it the same objects", async () => {
    const { exchange, say, world, state } = await openPage();
    await exchange("One", "1");
    const before = state().messages;
    const turn = await say("Two");
    turn.answer("2");
    await world.draw();
    expect(state().messages[0]).toBe(before[0]);
    expect(state().messages[1]).toBe(before[1]);
  });

  it("sends visible text alone as history, of answers that have some", async () => {
    const { say, world, server } = await openPage();
    const first = await say("One");
    first.reasoning("secret").error("generation_failed", "secret failure");
    await settle();
    const second = await say("Two");
    second.reasoning("secret").answer("2").done();
    await world.draw();
    await say("Three");
    expect(server.turn.body.messages).toEqual([
      { role: "user", content: "One" },
      { role: "user", content: "Two" },
      { role: "assistant", content: "2" },
      { role: "user", content: "Three" },
    ]);
  });

  it("is interrupted where the stream ends without its last frame, and keeps its text", async () => {
    const { say, answer, server } = await openPage();
    const turn = await say("Hi");
    const polls = server.count("GET /health");
    turn.answer("Hel").close();
    await settle();
    expect(answer()).toMatchObject({ text: "Hel", phase: { kind: "interrupted" } });
    expect(server.count("GET /health")).toBeGreaterThan(polls);
  });

  it("is interrupted where the connection breaks", async () => {
    const { say, answer } = await openPage();
    const turn = await say("Hi");
    turn.reasoning("Hm").break();
    await settle();
    expect(answer()).toMatchObject({ reasoning: "Hm", phase: { kind: "interrupted" } });
  });

  it("keeps its text beside an error that comes in the stream", async () => {
    const { say, answer } = await openPage();
    const turn = await say("Hi");
    turn.answer("Hel").error("unavailable", "the worker has ended");
    await settle();
    expect(answer()).toMatchObject({
      text: "Hel",
      phase: { kind: "failed", error: { code: "unavailable", message: "the worker has ended" } },
    });
  });

  it("fails with the server's words where it is refused, and can be asked again", async () => {
    const { answer, server, actions, texts } = await openPage();
    server.on(TURN, () => refusal(400, "context_length_exceeded", "the prompt has 2000 tokens"));
    actions.setDraft("Hi");
    await actions.send();
    expect(answer().phase).toEqual({
      kind: "failed",
      error: {
        code: "context_length_exceeded",
        message: "the prompt has 2000 tokens",
        status: 400,
      },
    });
    expect(texts()).toEqual(["Hi", ""]);
    server.on(TURN, unreachable);
    await actions.regenerate();
    expect(answer().phase).toMatchObject({ kind: "failed", error: { code: "offline" } });
    expect(texts()).toEqual(["Hi", ""]);
  });

  it("is one at a time, and needs something to say", async () => {
    const { say, actions, server, state } = await openPage();
    actions.setDraft("  \n");
    await actions.send();
    expect(server.turns).toHaveLength(0);
    await say("One");
    actions.setDraft("Two");
    await actions.send();
    await actions.regenerate();
    expect(server.turns).toHaveLength(1);
    expect(state().draft).toBe("Two");
  });

  it("never takes what comes late of another attempt", async () => {
    const { say, world, actions, answer } = await openPage();
    const old = await say("Hi");
    old.answer("old");
    void actions.newChat();
    await settle();
    const turn = await say("New");
    old.answer("late").done();
    turn.answer("new");
    await world.draw();
    expect(answer()).toMatchObject({ text: "new", phase: { kind: "answering" } });
  });
});
