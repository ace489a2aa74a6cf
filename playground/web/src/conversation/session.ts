/**
 * Whose session is it: this tab's, or another's?
 *
 * The session's id lies in the browser's storage, so that a reload finds it; all tabs would share
 * it, and a lock of the browser says which one may. A tab without it waits, and has it when the
 * other is closed; or takes it, and then the other loses it at once.
 *
 *     try ──► mine ──► stolen ──► other-tab ──► waited for, or taken ──► mine
 *       └───────────────────────────▲
 */

import type { CallOff, Hold, World } from "./world";

export const SESSION_KEY = "muse:session";
const LOCK = "muse-session";
/** What the server takes as an id; anything else in the storage was not put there by this page. */
const ID = /^[\x21-\x7e]{1,128}$/;

export interface Session {
  /** The id, as the storage has it now. */
  id(): string;
  /** Another id, for another conversation. */
  renew(): string;
  /** Take it from the tab that has it. */
  steal(): Promise<void>;
  release: CallOff;
}

/** `owned` is told whenever it becomes ours, or another tab's. */
export function holdSession(
  world: Pick<World, "locks" | "store" | "uuid">,
  owned: (ours: boolean) => void,
): Session {
  const { locks, store } = world;
  let id = stored();
  let hold: Hold | null = null;
  let released = false;
  let waiting = new AbortController();

  function stored(): string | null {
    const kept = store.get(SESSION_KEY);
    return kept !== null && ID.test(kept) ? kept : null;
  }

  function renew(): string {
    id = world.uuid();
    store.set(SESSION_KEY, id);
    return id;
  }

  async function take(how: "try" | "wait" | "steal"): Promise<void> {
    waiting.abort();
    waiting = new AbortController();
    const { signal } = waiting;
    const got = await locks.take(LOCK, how, signal);
    if (got && (released || signal.aborted)) return got.release();
    if (got) return have(got);
    if (how === "try" && !signal.aborted) {
      owned(false);
      void take("wait");
    }
  }

  function have(got: Hold): void {
    hold = got;
    id = stored() ?? id; // another tab may have begun another conversation
    owned(true);
    void got.lost.then(() => {
      if (hold !== got || released) return;
      hold = null;
      owned(false);
      void take("wait");
    });
  }

  void take("try");
  return {
    id: () => id ?? renew(),
    renew,
    steal: () => take("steal"),
    release: () => {
      released = true;
      waiting.abort();
      hold?.release();
    },
  };
}
