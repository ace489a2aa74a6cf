import { describe, expect, it } from "vitest";
import { CANCEL, openPage, TURN } from "./opened";
import { SETTINGS_KEY } from "./settings";
import { json, refusal, settle, TestLocks, TestWorld, unreachable } from "./testing";
import type { Size } from "./world";

describe("a session in use elsewhere", () => {
  it("restores question and history where the server has no place, and can try again", async () => {
    const { exchange, actions, server, state, texts } = await openPage();
    await exchange("One", "1");
    server.on(TURN, () => refusal(429, "capacity_exhausted", "the one place is taken"));
    actions.setDraft("Two");
    await actions.send();
    expect(state().ownership).toEqual({
      kind: "other-client",
      message: "The server keeps one conversation at a time, and another program has it.",
    });
    expect(texts()).toEqual(["One", "1"]);
    expect(state().draft).toBe("Two");
    await actions.takeOver();
    expect(state().ownership.kind).toBe("other-client");
    expect(state().draft).toBe("Two");
  });

  it("goes on without a session until the next new chat", async () => {
    const { actions, server, state } = await openPage();
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
    const one = await openPage(new TestWorld(locks));
    const two = await openPage(new TestWorld(locks));
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
    const { state, actions } = await openPage(world);
    expect(state().settings).toMatchObject({ temperature: 0.7, topK: 5, strength: "low" });
    actions.setSettings({ temperature: 1.5, maxTokens: 5000 });
    await world.pass(60_000);
    expect(state().settings).toMatchObject({ temperature: 1.5, topK: 5, maxTokens: 1000 });
    actions.resetSettings();
    expect(state().settings).toMatchObject({ temperature: 0.7, maxTokens: null });
  });

  it("are kept over a reload by choice alone", async () => {
    const world = new TestWorld();
    const { actions, playground } = await openPage(world);
    actions.setSettings({ system: "Be brief.", temperature: 1.5 });
    expect([...world.kept.keys()]).toEqual([]);
    actions.setSettings({ remember: true });
    expect(world.kept.has(SETTINGS_KEY)).toBe(true);
    playground.dispose();
    const later = new TestWorld();
    for (const [key, value] of world.kept) later.kept.set(key, value);
    const { state, actions: next } = await openPage(later);
    expect(state().settings).toMatchObject({
      system: "Be brief.",
      temperature: 1.5,
      remember: true,
    });
    next.setSettings({ remember: false });
    expect(later.kept.has(SETTINGS_KEY)).toBe(false);
  });

  it("draw a seed for each turn, or use the one that is set", async () => {
    const { exchange, actions, server } = await openPage();
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
    const { actions, say, server, state } = await openPage();
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
    const { actions, server } = await openPage();
    await actions.attach(png("a.png"));
    void actions.send();
    await settle();
    expect(server.turn.body.messages[0].content).toHaveLength(1);
  });

  it("are one in a conversation: another takes its place", async () => {
    const { actions, exchange, say, server } = await openPage();
    await actions.attach(png("a.png"));
    await exchange("What?", "A cat");
    await actions.attach(png("b.png"));
    await say("And this?");
    const [first, , third] = server.turn.body.messages;
    expect(first.content).toBe("What?");
    expect(third.content).toHaveLength(2);
  });

  it("are the ones that were chosen last, however long each takes to be read", async () => {
    const { actions, state, world } = await openPage();
    const ready = new Map<string, (size: Size) => void>();
    world.pictures.measure = async (file?: Blob) =>
      new Promise((resolve) => ready.set((file as File).name, resolve));
    void actions.attach(png("slow.png"));
    void actions.attach(png("quick.png"));
    await settle();
    ready.get("quick.png")?.({ width: 1, height: 1 });
    await settle();
    ready.get("slow.png")?.({ width: 9, height: 9 });
    await settle();
    expect(state().attachment?.name).toBe("quick.png");
    void actions.attach(png("unwanted.png"));
    actions.detach();
    await settle();
    ready.get("unwanted.png")?.({ width: 9, height: 9 });
    await settle();
    expect(state().attachment).toBeNull();
  });

  it("are waited for by what is sent with them, which stays where they are refused", async () => {
    const { actions, server, state, world } = await openPage();
    actions.setDraft("What?");
    void actions.attach(png("a.png"));
    void actions.send();
    expect(server.turns).toHaveLength(0);
    await settle();
    expect(server.turn.body.messages[0].content).toHaveLength(2);
    server.turn.answer("A cat").done();
    await settle();
    world.pictures.measure = async () => null;
    actions.setDraft("And this?");
    void actions.attach(png("damaged.png"));
    await actions.send();
    expect([server.turns.length, state().draft]).toEqual([1, "And this?"]);
  });

  it("are refused in words, and by a model that does not look", async () => {
    const { actions, notices, state, server, world } = await openPage();
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
    const { exchange, say, server, state, texts, world } = await openPage();
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
