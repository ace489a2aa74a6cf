import { describe, expect, it } from "vitest";
import { json, refusal, settle, silence, TestWorld, unreachable } from "../conversation/testing";
import { createApi, SESSION_MS, SHORT_MS } from "./api";
import { RequestFailed } from "./errors";

function start() {
  const world = new TestWorld();
  return { world, server: world.server, api: createApi(world) };
}

/** How a request fails, if it does. */
async function failure(request: Promise<unknown>) {
  const thrown = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  return thrown instanceof RequestFailed ? thrown.error : thrown;
}

describe("health", () => {
  it.each([
    [json({ status: "ok" }), { kind: "ok" }],
    [json({ status: "unavailable", reason: "gone" }, 503), { kind: "unavailable", reason: "gone" }],
    [json({ status: "loading", reason: null }, 503), { kind: "loading", reason: null }],
    [json({ status: "odd" }, 503), { kind: "unavailable", reason: "The model is not available." }],
  ])("%# is what the server says of itself", async (answer, expected) => {
    const { api, server } = start();
    server.on("GET /health", () => answer);
    expect(await api.health()).toEqual(expected);
  });

  it("fails where something else answers", async () => {
    const { api, server } = start();
    server.on("GET /health", () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    expect(await failure(api.health())).toMatchObject({ code: "http", status: 502 });
  });
});

describe("a request", () => {
  it("that finds nobody says so", async () => {
    const { api, server } = start();
    server.on("GET /health", unreachable);
    expect(await failure(api.health())).toMatchObject({ code: "offline", status: null });
  });

  it("that is refused has the server's words", async () => {
    const { api, server } = start();
    server.on("POST /v1/sessions/*/reset", () => refusal(409, "session_busy", "busy"));
    expect(await failure(api.reset("s"))).toEqual({
      code: "session_busy",
      message: "busy",
      status: 409,
    });
  });

  it.each([
    [
      new Response("oops", { status: 500 }),
      { code: "http", message: "The server answered HTTP 500." },
    ],
    [json({ error: "plain words" }, 400), { code: "http", message: "plain words" }],
    [json({ error: { type: "server_error" } }, 500), { code: "server_error" }],
    [json({ detail: "other shape" }, 422), { code: "http" }],
    [json([1]), { code: "protocol" }],
    [new Response("not json"), { code: "protocol" }],
  ])("%# fails in words whatever answers", async (answer, expected) => {
    const { api, server } = start();
    server.on("GET /api/runtime", () => answer);
    expect(await failure(api.runtime())).toMatchObject(expected);
  });

  it.each([
    ["GET /health", SHORT_MS, "health"],
    ["POST /api/cancel", SHORT_MS, "cancel"],
    ["POST /v1/sessions/*/reset", SESSION_MS, "reset"],
    ["DELETE /v1/sessions/*", SESSION_MS, "close"],
  ] as const)("%s is given up after %d ms", async (what, ms, name) => {
    const { api, server, world } = start();
    server.on(what, silence);
    let failed: unknown = null;
    void failure(api[name]("s")).then((error) => {
      failed = error;
    });
    await world.pass(ms - 1);
    expect(failed).toBeNull();
    await world.pass(1);
    expect(failed).toMatchObject({ code: "timeout" });
    expect(server.requests[0]?.signal?.aborted).toBe(true);
  });

  it("that is answered leaves no timer", async () => {
    const { api, world } = start();
    await api.health();
    expect(world.waitingTimers).toBe(0);
  });

  it("has the session's name in its path, whatever is in it", async () => {
    const { api, server } = start();
    await api.reset("a/b?c");
    expect(server.asked).toEqual(["POST /v1/sessions/a%2Fb%3Fc/reset"]);
  });
});

describe("reports", () => {
  it("are read with distrust", async () => {
    const { api, server } = start();
    server.on("GET /api/reports", () =>
      json({ directory: "runs", reports: [{ name: "a", verdict: "met", extra: 1 }, {}, null, 7] }),
    );
    expect(await api.reports()).toEqual({
      directory: "runs",
      reports: [{ name: "a", scenario: null, verdict: "met", headline: null, finished: null }],
    });
  });
});

describe("a turn", () => {
  it("carries its name, and has no time-out", async () => {
    const { api, server, world } = start();
    server.on("POST /v1/chat/completions", silence);
    const connection = new AbortController();
    let failed: unknown = null;
    void failure(api.turn({ stream: true }, "req-1", connection.signal)).then((error) => {
      failed = error;
    });
    await world.pass(3_600_000);
    expect(failed).toBeNull();
    expect(server.requests[0]?.headers.get("x-request-id")).toBe("req-1");
    expect(server.requests[0]?.headers.get("content-type")).toBe("application/json");
    connection.abort();
    await settle();
    expect(failed).not.toBeNull();
  });
});
