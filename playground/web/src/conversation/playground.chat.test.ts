import { describe, expect, it } from "vitest";
import { SESSION_MS } from "../protocol/api";
import { CANCEL, CLOSE, openPage, RESET, TURN } from "./opened";
import { SESSION_KEY } from "./session";
import { refusal, settle, silence, unreachable } from "./testing";

describe("asking again", () => {
  it("drops the last answer and needs no reset", async () => {
    const { exchange, actions, server, texts } = await openPage();
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
    const { actions, server } = await openPage();
    await actions.regenerate();
    await actions.continueAnswer();
    expect(server.turns).toHaveLength(0);
  });

  it("goes on in a stopped answer, in the same message", async () => {
    const { say, actions, server, answer, world, texts } = await openPage();
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
    const { exchange, actions, server } = await openPage();
    await exchange("One", "1");
    await actions.continueAnswer();
    expect(server.turns).toHaveLength(1);
  });
});

describe("a new chat", () => {
  it("frees the session's place and takes another name", async () => {
    const { exchange, say, actions, server, state, world } = await openPage();
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
    const { say, actions, server, state } = await openPage();
    const turn = await say("One");
    await actions.newChat();
    expect(turn.aborted).toBe(true);
    expect(server.asked[1]).toBe(CANCEL);
    expect(server.asked[2]).toMatch(/^DELETE/);
    expect(state().messages).toEqual([]);
  });

  it("empties the place where it cannot be freed", async () => {
    const { exchange, actions, server, state, world } = await openPage();
    await exchange("One", "1");
    const session = world.kept.get(SESSION_KEY);
    server.on(CLOSE, () => refusal(500, "server_error", "no"));
    await actions.newChat();
    expect(server.asked.at(-1)).toBe(`POST /v1/sessions/${session}/reset`);
    expect(state().messages).toEqual([]);
    expect(world.kept.get(SESSION_KEY)).toBe(session);
  });

  it("loses nothing where neither can be done", async () => {
    const { exchange, actions, server, state, notices, texts } = await openPage();
    await exchange("One", "1");
    server.on(CLOSE, unreachable);
    server.on(RESET, unreachable);
    await actions.newChat();
    expect(texts()).toEqual(["One", "1"]);
    expect(notices()[0]).toMatch(/^No new chat was begun\./);
    expect(state().resetting).toBe(false);
  });

  it("is waited for once, however busy the server is", async () => {
    const { exchange, actions, server, notices, texts, world } = await openPage();
    await exchange("One", "1");
    server.on(CLOSE, silence);
    void actions.newChat();
    await world.pass(SESSION_MS);
    expect(server.asked.at(-1)).toMatch(/^DELETE/);
    expect(texts()).toEqual(["One", "1"]);
    expect(notices()).toEqual([
      "No new chat was begun. The server did not answer within 20 seconds.",
    ]);
  });

  it("can be undone under the new name, with what was running as stopped", async () => {
    const { exchange, say, actions, server, texts, answer, world } = await openPage();
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
    const { actions, state } = await openPage();
    await actions.newChat();
    expect([state().undoable, state().notices]).toEqual([null, []]);
  });
});
