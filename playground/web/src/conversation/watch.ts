/**
 * How is the server? Asked each 2.5 s while the page can be seen, and at once when it is seen again.
 *
 * One question at a time: the next is asked so long after the last was answered, or was given up.
 * What runs there is asked when the answer changes, and each tenth time.
 */

import type { Api, Health } from "../protocol/api";
import type { RuntimeReport } from "../protocol/types";
import type { Connection } from "./model";
import type { World } from "./world";

export const POLL_MS = 2_500;
export const RUNTIME_EVERY = 10;

export interface Watch {
  /** Ask now; resolves when it is known. */
  check(): Promise<void>;
  stop(): void;
}

export interface Seen {
  connection(connection: Connection): void;
  runtime(runtime: RuntimeReport): void;
}

export function watchServer(
  api: Api,
  world: Pick<World, "after" | "visible" | "onVisible">,
  seen: Seen,
): Watch {
  let stopped = false;
  let asking: Promise<void> | null = null;
  let callOff = () => {};
  let last: Connection = { kind: "connecting" };
  let sinceRuntime = RUNTIME_EVERY;

  async function ask(): Promise<void> {
    const connection = await api
      .health()
      .then(connectionOf, (): Connection => ({ kind: "offline" }));
    if (stopped) return;
    const changed = !same(connection, last);
    sinceRuntime = changed ? RUNTIME_EVERY : sinceRuntime + 1;
    if (sinceRuntime >= RUNTIME_EVERY && connection.kind !== "offline") {
      const runtime = await api.runtime().catch(() => null);
      if (stopped) return;
      if (runtime) {
        sinceRuntime = 0;
        seen.runtime(runtime);
      }
    }
    last = connection;
    if (changed) seen.connection(connection);
  }

  function check(): Promise<void> {
    callOff();
    asking ??= ask().finally(() => {
      asking = null;
      if (!stopped && world.visible()) callOff = world.after(POLL_MS, () => void check());
    });
    return asking;
  }

  const unwatch = world.onVisible(() => void check());
  void check();
  return {
    check,
    stop: () => {
      stopped = true;
      callOff();
      unwatch();
    },
  };
}

function connectionOf(health: Health): Connection {
  switch (health.kind) {
    case "ok":
      return { kind: "ready" };
    case "loading":
      return { kind: "loading", reason: health.reason };
    case "unavailable":
      return { kind: "engine-gone", reason: health.reason };
  }
}

function same(one: Connection, other: Connection): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
