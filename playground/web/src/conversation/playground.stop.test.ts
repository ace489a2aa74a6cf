import { describe, expect, it } from "vitest";
import { CANCEL, openPage, TURN } from "./opened";
import { json, settle, silence, unreachable } from "./testing";
import { NO_SUCH_TURN_MS, STOP_MS } from "./turn";

describe("stop", () => {
  it("cancels by the turn's name, and keeps what was said", async () => {
    const { say, world, actions, answer, server, state } = await openPage();
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
      const { say, world, actions, answer, texts } = await openPage();
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
    const { say, world, actions, answer, server } = await openPage();
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
    const { say, actions, server } = await openPage();
    await say("Hi");
    void actions.stop();
    void actions.stop();
    await settle();
    expect(server.count(CANCEL)).toBe(1);
  });

  it("is over for good after its bound: the connection is closed, and it says so", async () => {
    const { say, world, actions, answer } = await openPage();
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
    const { actions, world, answer, server } = await openPage();
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
    const { say, actions, answer, server } = await openPage();
    const turn = await say("Hi");
    server.on(CANCEL, () => json({ cancelled: false }));
    const stopping = actions.stop();
    turn.answer("Hello").done("stop", { cancelled: false });
    await stopping;
    expect(answer()).toMatchObject({ text: "Hello", phase: { kind: "complete" } });
  });

  it("closes the connection where nobody answers the cancel", async () => {
    const { say, actions, answer, server } = await openPage();
    const turn = await say("Hi");
    server.on(CANCEL, unreachable);
    await actions.stop();
    expect(turn.aborted).toBe(true);
    expect(answer().phase).toEqual({ kind: "stopped", forced: true });
  });

  it("leaves no timer behind", async () => {
    const { say, world, actions, playground } = await openPage();
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
