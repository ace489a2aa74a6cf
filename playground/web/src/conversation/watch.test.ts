import { describe, expect, it } from "vitest";
import { createApi, SHORT_MS } from "../protocol/api";
import type { RuntimeReport } from "../protocol/types";
import type { Connection } from "./model";
import { json, settle, silence, TestWorld, unreachable } from "./testing";
import { POLL_MS, RUNTIME_EVERY, watchServer } from "./watch";

async function start() {
  const world = new TestWorld();
  const connections: Connection[] = [];
  const runtimes: RuntimeReport[] = [];
  const watch = watchServer(createApi(world), world, {
    connection: (connection) => void connections.push(connection),
    runtime: (runtime) => void runtimes.push(runtime),
  });
  await settle();
  const polls = () => world.server.count("GET /health");
  return { world, server: world.server, connections, runtimes, watch, polls };
}

describe("watchServer", () => {
  it("asks at once, and then each 2.5 s", async () => {
    const { world, polls, connections, runtimes } = await start();
    expect([polls(), connections, runtimes.length]).toEqual([1, [{ kind: "ready" }], 1]);
    await world.pass(POLL_MS * 2);
    expect([polls(), connections.length, runtimes.length]).toEqual([3, 1, 1]);
  });

  it("asks what runs there each tenth time", async () => {
    const { world, runtimes } = await start();
    await world.pass(POLL_MS * RUNTIME_EVERY);
    expect(runtimes).toHaveLength(2);
  });

  it("tells of changes, and asks what runs there after each", async () => {
    const { world, server, connections, runtimes } = await start();
    server.on("GET /health", unreachable);
    await world.pass(POLL_MS);
    server.on("GET /health", () => json({ status: "unavailable", reason: "it died" }, 503));
    await world.pass(POLL_MS);
    server.on("GET /health", () => json({ status: "ok" }));
    await world.pass(POLL_MS);
    expect(connections).toEqual([
      { kind: "ready" },
      { kind: "offline" },
      { kind: "engine-gone", reason: "it died" },
      { kind: "ready" },
    ]);
    expect(runtimes).toHaveLength(3);
  });

  it("says offline where no answer comes, and goes on asking", async () => {
    const { world, server, connections, polls } = await start();
    server.on("GET /health", silence);
    await world.pass(POLL_MS + SHORT_MS);
    expect(connections.at(-1)).toEqual({ kind: "offline" });
    server.on("GET /health", () => json({ status: "ok" }));
    await world.pass(POLL_MS);
    expect(connections.at(-1)).toEqual({ kind: "ready" });
    expect(polls()).toBe(3);
  });

  it("rests while the page is hidden, and asks at once when it is seen", async () => {
    const { world, polls } = await start();
    await world.show(false);
    await world.pass(POLL_MS * 4);
    expect(polls()).toBeLessThanOrEqual(2);
    const before = polls();
    await world.show(true);
    expect(polls()).toBe(before + 1);
    await world.pass(POLL_MS);
    expect(polls()).toBe(before + 2);
  });

  it("asks one thing at a time, whoever wants to know", async () => {
    const { server, polls, watch } = await start();
    server.on("GET /health", silence);
    void watch.check();
    void watch.check();
    await settle();
    expect(polls()).toBe(2);
  });

  it("is silent when it was stopped", async () => {
    const { world, polls, watch, connections, server } = await start();
    server.on("GET /health", unreachable);
    void watch.check();
    watch.stop();
    await world.pass(POLL_MS * 4);
    await world.show(true);
    expect([polls(), connections.length, world.waitingTimers]).toEqual([2, 1, 0]);
  });
});
