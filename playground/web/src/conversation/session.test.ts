import { describe, expect, it } from "vitest";
import { holdSession, SESSION_KEY } from "./session";
import { settle, TestLocks, TestWorld } from "./testing";

async function tab(locks: TestLocks, world = new TestWorld(locks)) {
  const told: boolean[] = [];
  const session = holdSession(world, (ours) => void told.push(ours));
  await settle();
  return { world, session, told };
}

describe("holdSession", () => {
  it("keeps the id over a reload", async () => {
    const first = await tab(new TestLocks());
    const id = first.session.id();
    expect(first.session.id()).toBe(id);
    const world = new TestWorld();
    world.kept.set(SESSION_KEY, id);
    expect((await tab(new TestLocks(), world)).session.id()).toBe(id);
    expect(first.session.renew()).not.toBe(id);
  });

  it.each(["", "a b", "ä", "x".repeat(129)])(
    "takes another one for %j, which is none",
    async (kept) => {
      const world = new TestWorld();
      world.kept.set(SESSION_KEY, kept);
      const { session } = await tab(new TestLocks(), world);
      expect(session.id()).not.toBe(kept);
      expect(world.kept.get(SESSION_KEY)).toBe(session.id());
    },
  );

  it("works where nothing can be kept", async () => {
    const world = new TestWorld();
    const blocked = { get: () => null, set: () => {}, remove: () => {} };
    const session = holdSession({ ...world, store: blocked }, () => {});
    expect(session.id()).toBe(session.id());
  });

  it("is one tab's; a second has it when the first is closed", async () => {
    const locks = new TestLocks();
    const one = await tab(locks);
    const two = await tab(locks);
    expect([one.told, two.told]).toEqual([[true], [false]]);
    one.session.release();
    await settle();
    expect(two.told).toEqual([false, true]);
  });

  it("can be taken, and back again", async () => {
    const locks = new TestLocks();
    const one = await tab(locks);
    const two = await tab(locks);
    await two.session.steal();
    await settle();
    expect([one.told, two.told]).toEqual([
      [true, false],
      [false, true],
    ]);
    await one.session.steal();
    await settle();
    expect([one.told, two.told]).toEqual([
      [true, false, true],
      [false, true, false],
    ]);
  });

  it("reads the id anew when it becomes this tab's", async () => {
    const locks = new TestLocks();
    const one = await tab(locks);
    const two = await tab(locks);
    two.session.id();
    two.world.kept.set(SESSION_KEY, "renewed-by-the-other");
    one.session.release();
    await settle();
    expect(two.session.id()).toBe("renewed-by-the-other");
  });

  it("does not take it any more when it was let go while waiting", async () => {
    const locks = new TestLocks();
    const one = await tab(locks);
    const two = await tab(locks);
    two.session.release();
    one.session.release();
    await settle();
    expect(two.told).toEqual([false]);
    expect((await tab(locks)).told).toEqual([true]);
  });

  it("does not keep what it gets after it was let go", async () => {
    const locks = new TestLocks();
    const told: boolean[] = [];
    const session = holdSession(new TestWorld(locks), (ours) => void told.push(ours));
    session.release();
    await settle();
    expect(told).toEqual([]);
    expect((await tab(locks)).told).toEqual([true]);
  });
});
