import { describe, expect, it } from "vitest";
import { openPage, RESET, TURN } from "./opened";
import { SESSION_KEY } from "./session";
import { json, refusal, settle, silence, TestLocks, TestWorld, unreachable } from "./testing";

describe("an edit", () => {
  it("of a question empties the session, then commits, and asks", async () => {
    const { exchange, actions, server, texts, state, world } = await openPage();
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
    const { say, actions, server, state, texts, world } = await openPage();
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

  it("asks nothing where another tab took the session while it was emptied", async () => {
    const locks = new TestLocks();
    const { exchange, actions, server, state, texts } = await openPage(new TestWorld(locks));
    await exchange("One", "1");
    let emptied = (_: Response) => {};
    server.on(RESET, () => new Promise<Response>((resolve) => (emptied = resolve)));
    actions.startEdit(state().messages[0]?.id ?? "");
    actions.setEdit("Eins");
    void actions.saveEdit();
    await settle();
    const other = await openPage(new TestWorld(locks));
    await other.actions.takeOver();
    await settle();
    emptied(json({ reset: true }));
    await settle();
    expect(state().ownership.kind).toBe("other-tab");
    expect(texts()).toEqual(["Eins"]);
    expect(server.turns).toHaveLength(1);
  });

  it.each([
    ["is refused", () => refusal(409, "session_busy", "other turns are still running")],
    ["finds nobody", unreachable],
  ])("changes nothing where the reset %s", async (_, answer) => {
    const { exchange, actions, server, state, notices } = await openPage();
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
    const { exchange, actions, server, state, notices, world } = await openPage();
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
    const { exchange, actions, server, state } = await openPage();
    await exchange("One", "1");
    server.on(RESET, () => refusal(404, "not_found", "no such session"));
    actions.startEdit(state().messages[1]?.id ?? "");
    actions.setEdit("Eins");
    await actions.saveEdit();
    expect(state().editing).toBeNull();
  });

  it("cannot make a message empty, but for one with a picture", async () => {
    const { exchange, actions, state, notices, server } = await openPage();
    await exchange("One", "1");
    actions.startEdit(state().messages[0]?.id ?? "");
    actions.setEdit(" ");
    await actions.saveEdit();
    expect(notices()).toEqual(["A message cannot be empty."]);
    expect(server.turns).toHaveLength(1);
  });

  it("is not begun while an answer is on its way, and keeps new questions waiting", async () => {
    const { exchange, say, actions, state, notices, server } = await openPage();
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
    const { exchange, say, actions, server, state, texts } = await openPage();
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
    const { exchange, actions, server, state, answer } = await openPage();
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
    const { exchange, say, actions, state } = await openPage();
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
