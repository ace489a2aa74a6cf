import { describe, expect, it } from "vitest";
import type { AssistantMessage, State } from "./model";
import { createPlayground } from "./playground";
import { SESSION_KEY } from "./session";
import { SETTINGS_KEY } from "./settings";
import { json, refusal, settle, silence, TestLocks, TestWorld, unreachable } from "./testing";
import { NO_SUCH_TURN_MS, STOP_MS } from "./turn";

async function start(world = new TestWorld()) {
  const playground = createPlayground(world);
  await settle();
  const { server } = world;
  const { actions } = playground;
  const state = () => playground.getState();
  return {
    world,
    server,
    playground,
    actions,
    state,
    answer: () => lastAnswer(state()),
    texts: () => state().messages.map(({ text }) => text),
    notices: () => state().notices.map(({ text }) => text),
    /** Send, and let the server begin to answer. */
    say: async (text: string) => {
      actions.setDraft(text);
      void actions.send();
      await settle();
      return server.turn;
    },
    /** A question, and its answer to the end. */
    exchange: async (question: string, text: string) => {
      actions.setDraft(question);
      const sending = actions.send();
      await settle();
      server.turn.answer(text).done();
      await sending;
    },
  };
}

function lastAnswer(state: State): AssistantMessage {
  const message = state.messages.at(-1);
  if (message?.role !== "assistant") throw new Error("the last message is no answer");
  return message;
}

const RESET = "POST /v1/sessions/*/reset";
const CLOSE = "DELETE /v1/sessions/*";
const TURN = "POST /v1/chat/completions";
const CANCEL = "POST /api/cancel";

describe("a turn", () => {
  it("is asked with a name of its own, in the session, and streams both channels", async () => {
    const { say, world, answer, state, server } = await start();
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
    const { say, world, playground, answer } = await start();
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
    const { exchange, say, world, state } = await start();
    await exchange("One", "1");
    const before = state().messages;
    const turn = await say("Two");
    turn.answer("2");
    await world.draw();
    expect(state().messages[0]).toBe(before[0]);
    expect(state().messages[1]).toBe(before[1]);
  });

  it("sends visible text alone as history, of answers that have some", async () => {
    const { say, world, server } = await start();
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
    const { say, answer, server } = await start();
    const turn = await say("Hi");
    const polls = server.count("GET /health");
    turn.answer("Hel").close();
    await settle();
    expect(answer()).toMatchObject({ text: "Hel", phase: { kind: "interrupted" } });
    expect(server.count("GET /health")).toBeGreaterThan(polls);
  });

  it("is interrupted where the connection breaks", async () => {
    const { say, answer } = await start();
    const turn = await say("Hi");
    turn.reasoning("Hm").break();
    await settle();
    expect(answer()).toMatchObject({ reasoning: "Hm", phase: { kind: "interrupted" } });
  });

  it("keeps its text beside an error that comes in the stream", async () => {
    const { say, answer } = await start();
    const turn = await say("Hi");
    turn.answer("Hel").error("unavailable", "the worker has ended");
    await settle();
    expect(answer()).toMatchObject({
      text: "Hel",
      phase: { kind: "failed", error: { code: "unavailable", message: "the worker has ended" } },
    });
  });

  it("fails with the server's words where it is refused, and can be asked again", async () => {
    const { answer, server, actions, texts } = await start();
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
    const { say, actions, server, state } = await start();
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
    const { say, world, actions, answer } = await start();
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

describe("stop", () => {
  it("cancels by the turn's name, and keeps what was said", async () => {
    const { say, world, actions, answer, server, state } = await start();
    const turn = await say("Hi");
    turn.reasoning("Hm").answer("Hel");
    await world.draw();
    const stopping = actions.stop();
    await settle();
    expect(answer().phase).toEqual({ kind: "stopping", since: world.now() });
    expect(server.requests.at(-1)).toMatchObject({
      what: CANCEL,
      body: { request_id: turn.requestId },
    });
    turn.done("stop", { cancelled: true });
    await stopping;
    expect(answer()).toMatchObject({
      text: "Hel",
      reasoning: "Hm",
      phase: { kind: "stopped", forced: false },
    });
    expect(state().announcement).toBe("Stopped");
  });

  it.each([["queued"], ["encoding"], ["prefill"]])(
    "works while %s, with nothing said",
    async (s) => {
      const { say, world, actions, answer, texts } = await start();
      const turn = await say("Hi");
      turn.status({ state: s });
      await world.draw();
      const stopping = actions.stop();
      await settle();
      turn.done("stop", { cancelled: true });
      await stopping;
      expect(answer().phase).toEqual({ kind: "stopped", forced: false });
      expect(texts()).toEqual(["Hi", ""]);
    },
  );

  it("works while thinking, keeps the thoughts, and the next question goes out", async () => {
    const { say, world, actions, answer, server } = await start();
    const turn = await say("Hi");
    turn.reasoning("Hm");
    await world.draw();
    const stopping = actions.stop();
    await settle();
    turn.done("stop", { cancelled: true });
    await stopping;
    expect(answer()).toMatchObject({ reasoning: "Hm", text: "", phase: { kind: "stopped" } });
    await say("Again");
    expect(server.turn.body.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Again" },
    ]);
  });

  it("asks once, however often it is pressed", async () => {
    const { say, actions, server } = await start();
    await say("Hi");
    void actions.stop();
    void actions.stop();
    await settle();
    expect(server.count(CANCEL)).toBe(1);
  });

  it("is over for good after its bound: the connection is closed, and it says so", async () => {
    const { say, world, actions, answer } = await start();
    const turn = await say("Hi");
    turn.answer("Hel");
    await world.draw();
    const stopping = actions.stop();
    await world.pass(STOP_MS - 1);
    expect(answer().phase.kind).toBe("stopping");
    await world.pass(1);
    await stopping;
    expect(turn.aborted).toBe(true);
    expect(answer()).toMatchObject({ text: "Hel", phase: { kind: "stopped", forced: true } });
    turn.answer("late");
    await world.draw();
    expect(answer().text).toBe("Hel");
    await say("Go on");
    expect(answer().phase.kind).toBe("connecting");
  });

  it("closes the connection where there is no such turn yet", async () => {
    const { actions, world, answer, server } = await start();
    server.on(TURN, silence);
    server.on(CANCEL, () => json({ cancelled: false }));
    actions.setDraft("Hi");
    void actions.send();
    await settle();
    const stopping = actions.stop();
    await settle();
    await world.pass(NO_SUCH_TURN_MS);
    await stopping;
    expect(answer().phase).toEqual({ kind: "stopped", forced: false });
  });

  it("takes the end that was already on its way where there is no such turn any more", async () => {
    const { say, actions, answer, server } = await start();
    const turn = await say("Hi");
    server.on(CANCEL, () => json({ cancelled: false }));
    const stopping = actions.stop();
    turn.answer("Hello").done("stop", { cancelled: false });
    await stopping;
    expect(answer()).toMatchObject({ text: "Hello", phase: { kind: "complete" } });
  });

  it("closes the connection where nobody answers the cancel", async () => {
    const { say, actions, answer, server } = await start();
    const turn = await say("Hi");
    server.on(CANCEL, unreachable);
    await actions.stop();
    expect(turn.aborted).toBe(true);
    expect(answer().phase).toEqual({ kind: "stopped", forced: true });
  });

  it("leaves no timer behind", async () => {
    const { say, world, actions, playground } = await start();
    const turn = await say("Hi");
    const stopping = actions.stop();
    await settle();
    turn.done("stop", { cancelled: true });
    await stopping;
    playground.dispose();
    await settle();
    expect([world.waitingTimers, world.waitingFrames]).toEqual([0, 0]);
  });
});

describe("an edit", () => {
  it("of a question empties the session, then commits, and asks", async () => {
    const { exchange, actions, server, texts, state, world } = await start();
    await exchange("One", "1");
    await exchange("Two", "2");
    const id = state().messages[0]?.id ?? "";
    actions.startEdit(id);
    actions.setEdit("Eins");
    void actions.saveEdit();
    expect(state().editing).toMatchObject({ text: "Eins", saving: true });
    expect(texts()).toEqual(["One", "1", "Two", "2"]);
    await settle();
    const session = world.kept.get(SESSION_KEY);
    expect(server.asked.slice(2)).toEqual([`POST /v1/sessions/${session}/reset`, TURN]);
    expect(server.turn.body.messages).toEqual([{ role: "user", content: "Eins" }]);
    server.turn.answer("I").done();
    await settle();
    expect(texts()).toEqual(["Eins", "I"]);
    expect(state().messages[0]).toMatchObject({ id, edited: true });
    expect(state().editing).toBeNull();
  });

  it("of an answer drops its reasoning and what it cost, and waits", async () => {
    const { say, actions, server, state, texts, world } = await start();
    const turn = await say("One");
    turn.reasoning("Hm").answer("1").done("stop", { completion_tokens: 3 });
    await world.draw();
    actions.startEdit(state().messages[1]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    expect(server.turns).toHaveLength(1);
    expect(state().messages[1]).toMatchObject({
      text: "Eins",
      reasoning: "",
      metrics: null,
      usage: null,
      thoughtFrom: null,
      edited: true,
    });
    await say("Two");
    expect(server.turn.body.messages[1]).toEqual({ role: "assistant", content: "Eins" });
    expect(texts()).toEqual(["One", "Eins", "Two", ""]);
  });

  it.each([
    ["is refused", () => refusal(409, "session_busy", "other turns are still running")],
    ["finds nobody", unreachable],
  ])("changes nothing where the reset %s", async (_, answer) => {
    const { exchange, actions, server, state, notices } = await start();
    await exchange("One", "1");
    const before = state().messages;
    server.on(RESET, answer);
    actions.startEdit(before[0]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    expect(state().messages).toBe(before);
    expect(state().editing).toMatchObject({ text: "Eins", saving: false });
    expect(notices()[0]).toMatch(/^The edit is not saved\./);
    expect(server.turns).toHaveLength(1);
  });

  it("changes nothing where the reset takes too long", async () => {
    const { exchange, actions, server, state, notices, world } = await start();
    await exchange("One", "1");
    server.on(RESET, silence);
    actions.startEdit(state().messages[0]?.id ?? "");
    actions.setEdit("Eins");
    void actions.saveEdit();
    await world.pass(20_000);
    expect(notices()).toEqual([
      "The edit is not saved. The server did not answer within 20 seconds.",
    ]);
    expect(state().editing?.saving).toBe(false);
  });

  it("goes on where the server does not know the session", async () => {
    const { exchange, actions, server, state } = await start();
    await exchange("One", "1");
    server.on(RESET, () => refusal(404, "not_found", "no such session"));
    actions.startEdit(state().messages[1]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    expect(state().editing).toBeNull();
  });

  it("cannot make a message empty, but for one with a picture", async () => {
    const { exchange, actions, state, notices, server } = await start();
    await exchange("One", "1");
    actions.startEdit(state().messages[0]?.id ?? "");
    actions.setEdit(" ");
    await actions.saveEdit();
    expect(notices()).toEqual(["A message cannot be empty."]);
    expect(server.turns).toHaveLength(1);
  });

  it("is not begun while an answer is on its way, and keeps new questions waiting", async () => {
    const { exchange, say, actions, state, notices, server } = await start();
    await exchange("One", "1");
    actions.startEdit(state().messages[0]?.id ?? "");
    actions.setDraft("Two");
    await actions.send();
    await actions.regenerate();
    expect(notices()).toEqual(["Save or cancel the edit first."]);
    expect(state().editing).not.toBeNull();
    actions.cancelEdit();
    await say("Two");
    actions.startEdit(state().messages[0]?.id ?? "");
    expect(state().editing).toBeNull();
    expect(server.turns).toHaveLength(2);
  });

  it("can be undone while its answer comes; what is asked then is cold", async () => {
    const { exchange, say, actions, server, state, texts } = await start();
    await exchange("One", "1");
    const before = state().messages;
    actions.startEdit(before[0]?.id ?? "");
    actions.setEdit("Eins");
    void actions.saveEdit();
    await settle();
    const turn = server.turn;
    turn.answer("I");
    expect(state().undoable).toBe("edit");
    expect(state().notices.at(-1)?.action).toBe("undo");
    actions.undo();
    await settle();
    expect(turn.aborted).toBe(true);
    expect(state().messages).toEqual(before);
    expect([state().undoable, state().notices]).toEqual([null, []]);
    expect(server.asked.at(-1)).toMatch(/reset$/);
    await say("Two");
    expect(texts()).toEqual(["One", "1", "Two", ""]);
    expect(server.asked.filter((what) => what.endsWith("reset"))).toHaveLength(2);
  });

  it("that was undone is never asked warm: the reset is tried again before the next turn", async () => {
    const { exchange, actions, server, state, answer } = await start();
    await exchange("One", "1");
    actions.startEdit(state().messages[1]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    server.on(RESET, () => refusal(409, "session_busy", "busy"));
    actions.undo();
    await settle();
    actions.setDraft("Two");
    await actions.send();
    expect(answer().phase).toMatchObject({ kind: "failed", error: { code: "session_busy" } });
    expect(server.turns).toHaveLength(1);
    server.on(RESET, () => json({ reset: true }));
    void actions.regenerate();
    await settle();
    expect(server.turns).toHaveLength(2);
    expect(server.asked.slice(-2)[0]).toMatch(/reset$/);
  });

  it("cannot be undone after the next question", async () => {
    const { exchange, say, actions, state } = await start();
    await exchange("One", "1");
    actions.startEdit(state().messages[1]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    await say("Two");
    expect([state().undoable, state().notices]).toEqual([null, []]);
    const messages = state().messages;
    actions.undo();
    expect(state().messages).toBe(messages);
  });
});

describe("asking again", () => {
  it("drops the last answer and needs no reset", async () => {
    const { exchange, actions, server, texts } = await start();
    await exchange("One", "1");
    void actions.regenerate();
    await settle();
    expect(server.asked).toEqual([TURN, TURN]);
    expect(server.turn.body.messages).toEqual([{ role: "user", content: "One" }]);
    expect(server.turns[0]?.requestId).not.toBe(server.turns[1]?.requestId);
    server.turn.answer("I").done();
    await settle();
    expect(texts()).toEqual(["One", "I"]);
  });

  it("does nothing where nothing was asked", async () => {
    const { actions, server } = await start();
    await actions.regenerate();
    await actions.continueAnswer();
    expect(server.turns).toHaveLength(0);
  });

  it("goes on in a stopped answer, in the same message", async () => {
    const { say, actions, server, answer, world, texts } = await start();
    const turn = await say("One");
    turn.reasoning("Hm").answer("Hel");
    await world.draw();
    const stopping = actions.stop();
    await settle();
    turn.done("stop", { cancelled: true });
    await stopping;
    const { id } = answer();
    void actions.continueAnswer();
    await settle();
    expect(server.turn.body).toMatchObject({
      muse: { continue: true },
      messages: [
        { role: "user", content: "One" },
        { role: "assistant", content: "Hel" },
      ],
    });
    expect(answer()).toMatchObject({ id, text: "Hel", phase: { kind: "connecting" } });
    server.turn.answer("lo").done();
    await settle();
    expect(answer()).toMatchObject({
      id,
      text: "Hello",
      reasoning: "Hm",
      phase: { kind: "complete" },
    });
    expect(texts()).toEqual(["One", "Hello"]);
  });

  it("does not go on in an answer that is complete", async () => {
    const { exchange, actions, server } = await start();
    await exchange("One", "1");
    await actions.continueAnswer();
    expect(server.turns).toHaveLength(1);
  });
});

describe("a new chat", () => {
  it("frees the session's place and takes another name", async () => {
    const { exchange, say, actions, server, state, world } = await start();
    await exchange("One", "1");
    const old = world.kept.get(SESSION_KEY);
    await actions.newChat();
    expect(server.asked.at(-1)).toBe(`DELETE /v1/sessions/${old}`);
    const fresh = world.kept.get(SESSION_KEY);
    expect(fresh).not.toBe(old);
    expect(state().messages).toEqual([]);
    await say("Two");
    expect(server.turn.body).toMatchObject({ session_id: fresh });
    expect(server.turn.body.messages).toHaveLength(1);
  });

  it("ends what is running first", async () => {
    const { say, actions, server, state } = await start();
    const turn = await say("One");
    await actions.newChat();
    expect(turn.aborted).toBe(true);
    expect(server.asked[1]).toBe(CANCEL);
    expect(server.asked[2]).toMatch(/^DELETE/);
    expect(state().messages).toEqual([]);
  });

  it("empties the place where it cannot be freed", async () => {
    const { exchange, actions, server, state, world } = await start();
    await exchange("One", "1");
    const session = world.kept.get(SESSION_KEY);
    server.on(CLOSE, () => refusal(500, "server_error", "no"));
    await actions.newChat();
    expect(server.asked.at(-1)).toBe(`POST /v1/sessions/${session}/reset`);
    expect(state().messages).toEqual([]);
    expect(world.kept.get(SESSION_KEY)).toBe(session);
  });

  it("loses nothing where neither can be done", async () => {
    const { exchange, actions, server, state, notices, texts } = await start();
    await exchange("One", "1");
    server.on(CLOSE, unreachable);
    server.on(RESET, unreachable);
    await actions.newChat();
    expect(texts()).toEqual(["One", "1"]);
    expect(notices()[0]).toMatch(/^No new chat was begun\./);
    expect(state().resetting).toBe(false);
  });

  it("can be undone under the new name, with what was running as stopped", async () => {
    const { exchange, say, actions, server, texts, answer, world } = await start();
    await exchange("One", "1");
    const turn = await say("Two");
    turn.answer("2");
    await world.draw();
    await actions.newChat();
    actions.undo();
    expect(texts()).toEqual(["One", "1", "Two", "2"]);
    expect(answer().phase).toEqual({ kind: "stopped", forced: false });
    await say("Three");
    expect(server.turn.body.session_id).toBe(world.kept.get(SESSION_KEY));
    expect(server.turn.body.messages).toHaveLength(5);
  });

  it("offers no undo where there was nothing", async () => {
    const { actions, state } = await start();
    await actions.newChat();
    expect([state().undoable, state().notices]).toEqual([null, []]);
  });
});

describe("a session in use elsewhere", () => {
  it("restores question and history where the server has no place, and can try again", async () => {
    const { exchange, actions, server, state, texts } = await start();
    await exchange("One", "1");
    server.on(TURN, () => refusal(429, "capacity_exhausted", "the one place is taken"));
    actions.setDraft("Two");
    await actions.send();
    expect(state().ownership).toEqual({
      kind: "other-client",
      message: "the server keeps one conversation at a time, and another program has it.",
    });
    expect(texts()).toEqual(["One", "1"]);
    expect(state().draft).toBe("Two");
    await actions.takeOver();
    expect(state().ownership.kind).toBe("other-client");
    expect(state().draft).toBe("Two");
  });

  it("goes on without a session until the next new chat", async () => {
    const { actions, server, state } = await start();
    server.on(TURN, () => refusal(429, "capacity_exhausted", "taken"));
    actions.setDraft("Two");
    await actions.send();
    const free = new TestWorld().server;
    server.on(TURN, (request) =>
      free.fetch("/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify(request.body),
        headers: request.headers,
      }),
    );
    void actions.goAnonymous();
    await settle();
    expect(free.turn.body.messages).toEqual([{ role: "user", content: "Two" }]);
    expect(Object.keys(free.turn.body)).not.toContain("session_id");
    expect(state().anonymous).toBe(true);
    free.turn.answer("2").done();
    await settle();
    await actions.newChat();
    expect(state().anonymous).toBe(false);
    expect(free.turns).toHaveLength(1);
  });

  it("is held by one tab; the other waits, and may take it over", async () => {
    const locks = new TestLocks();
    const one = await start(new TestWorld(locks));
    const two = await start(new TestWorld(locks));
    expect(one.state().ownership.kind).toBe("mine");
    expect(two.state().ownership.kind).toBe("other-tab");
    two.actions.setDraft("Hi");
    await two.actions.send();
    expect(two.server.turns).toHaveLength(0);

    const turn = await one.say("One");
    await two.actions.takeOver();
    await settle();
    expect(two.state().ownership.kind).toBe("mine");
    expect(one.state().ownership.kind).toBe("other-tab");
    expect(turn.aborted).toBe(true);
    expect(one.answer().phase).toEqual({ kind: "stopped", forced: false });
    expect(one.server.asked).toContain(CANCEL);

    two.playground.dispose();
    await settle();
    expect(one.state().ownership.kind).toBe("mine");
  });
});

describe("settings", () => {
  it("are the server's own, until a person changes them", async () => {
    const world = new TestWorld();
    const { state, actions } = await start(world);
    expect(state().settings).toMatchObject({ temperature: 0.7, topK: 5, strength: "low" });
    actions.setSettings({ temperature: 1.5, maxTokens: 5000 });
    await world.pass(60_000);
    expect(state().settings).toMatchObject({ temperature: 1.5, topK: 5, maxTokens: 1000 });
    actions.resetSettings();
    expect(state().settings).toMatchObject({ temperature: 0.7, maxTokens: null });
  });

  it("are kept over a reload by choice alone", async () => {
    const world = new TestWorld();
    const { actions, playground } = await start(world);
    actions.setSettings({ system: "Be brief.", temperature: 1.5 });
    expect([...world.kept.keys()]).toEqual([]);
    actions.setSettings({ remember: true });
    expect(world.kept.has(SETTINGS_KEY)).toBe(true);
    playground.dispose();
    const later = new TestWorld();
    for (const [key, value] of world.kept) later.kept.set(key, value);
    const { state, actions: next } = await start(later);
    expect(state().settings).toMatchObject({
      system: "Be brief.",
      temperature: 1.5,
      remember: true,
    });
    next.setSettings({ remember: false });
    expect(later.kept.has(SETTINGS_KEY)).toBe(false);
  });

  it("draw a seed for each turn, or use the one that is set", async () => {
    const { exchange, actions, server } = await start();
    await exchange("One", "1");
    actions.setSettings({ seed: 7 });
    await exchange("Two", "2");
    expect(server.turns.map(({ body }) => body.seed)).toEqual([42, 7]);
  });
});

describe("pictures", () => {
  const png = (name: string) =>
    new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)], name);

  it("are sent before the text, and again with each turn", async () => {
    const { actions, say, server, state } = await start();
    await actions.attach(png("a.png"));
    expect(state().attachment).toMatchObject({ name: "a.png", width: 4, height: 3, bytes: 8 });
    const turn = await say("What?");
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    expect(turn.body.messages[0].content).toEqual([image, { type: "text", text: "What?" }]);
    turn.answer("A cat").done();
    await settle();
    await say("Sure?");
    expect(server.turn.body.messages[0].content[0]).toEqual(image);
    expect(state().attachment).toBeNull();
  });

  it("may be all that is said", async () => {
    const { actions, server } = await start();
    await actions.attach(png("a.png"));
    void actions.send();
    await settle();
    expect(server.turn.body.messages[0].content).toHaveLength(1);
  });

  it("are one in a conversation: another takes its place", async () => {
    const { actions, exchange, say, server } = await start();
    await actions.attach(png("a.png"));
    await exchange("What?", "A cat");
    await actions.attach(png("b.png"));
    await say("And this?");
    const [first, , third] = server.turn.body.messages;
    expect(first.content).toBe("What?");
    expect(third.content).toHaveLength(2);
  });

  it("are refused in words, and by a model that does not look", async () => {
    const { actions, notices, state, server, world } = await start();
    world.pictures.measure = async () => null;
    await actions.attach(new File(["hello"], "a.txt"));
    expect(notices().at(-1)).toMatch(/not a picture/);
    world.pictures.measure = () => Promise.reject(new Error("gone"));
    await actions.attach(png("a.png"));
    expect(notices().at(-1)).toMatch(/cannot be read/);
    server.on("GET /api/runtime", () => json({ supports: { vision: false } }));
    await world.pass(60_000);
    await actions.attach(png("a.png"));
    expect(notices().at(-1)).toBe("This model does not look at pictures.");
    expect(state().attachment).toBeNull();
  });
});

describe("a restart of the server", () => {
  it("keeps what is seen, and goes on", async () => {
    const { exchange, say, server, state, texts, world } = await start();
    await exchange("One", "1");
    server.on("GET /health", unreachable);
    await world.pass(3000);
    expect(state().connection.kind).toBe("offline");
    server.on("GET /health", () => json({ status: "ok" }));
    await world.pass(3000);
    expect(state().connection.kind).toBe("ready");
    await say("Two");
    expect(texts()).toEqual(["One", "1", "Two", ""]);
    expect(server.turn.body.messages).toHaveLength(3);
  });
});
