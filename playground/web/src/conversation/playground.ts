/**
 * What happens when a person does something? The page's store: state, and what changes it.
 *
 * `reduce` says what the state becomes; here is what is asked of the server for it, in which
 * order, and what is done where that fails. Everything impure comes from the `World`.
 *
 * Of the server's session three things are held true:
 *  - It is emptied before an edit is shown, so the page never shows what the session does not have.
 *  - After an undo of an edit it holds what the page does not show. It is then `stale`, and is
 *    emptied before anything else is asked.
 *  - A turn without a place is not begun: `refused` restores everything, and it can be tried again.
 */

import { createApi } from "../protocol/api";
import { errorFrom, type RequestFailed } from "../protocol/errors";
import { requestBody } from "../protocol/request";
import { type Prepared, prepareImage } from "./images";
import type { Actions, Notice, Playground, Settings } from "./model";
import type { PhaseEvent } from "./phase";
import { canContinue, isStopping, mayAsk } from "./possible";
import {
  type Conversation,
  type ConversationEvent,
  emptyConversation,
  reduce,
  type Turn,
} from "./reducer";
import { holdSession } from "./session";
import {
  INITIAL_SETTINGS,
  keepSettings,
  loadSettings,
  withDefaults,
  withinRange,
} from "./settings";
import { type Running, runTurn } from "./turn";
import { watchServer } from "./watch";
import type { World } from "./world";

export function createPlayground(world: World): Playground {
  const api = createApi(world);
  const listeners = new Set<() => void>();
  const kept = loadSettings(world.store);
  let state: Conversation = emptyConversation(kept ?? INITIAL_SETTINGS);
  let chosen: Partial<Settings> = kept ?? {};
  let running: Running | null = null;
  let stale = false;
  let emptying: Promise<void> | null = null;
  /** The picture that is still being read; the one that was chosen last is the one that counts. */
  let reading: Promise<Prepared | null> | null = null;
  let again: () => Promise<void> = async () => {};

  function dispatch(event: ConversationEvent): void {
    const next = reduce(state, event);
    if (next === state) return;
    state = next;
    for (const listener of [...listeners]) listener();
  }

  function notice(tone: Notice["tone"], text: string, action: Notice["action"] = null): void {
    for (const { id } of state.notices.filter((one) => one.text === text)) {
      dispatch({ kind: "dismissed", id });
    }
    dispatch({ kind: "noticed", notice: { id: world.uuid(), tone, text, action } });
  }

  const session = holdSession(world, (ours) => {
    if (!ours) endNow();
    dispatch({ kind: "ownership", ownership: { kind: ours ? "mine" : "other-tab" } });
  });

  const watch = watchServer(api, world, {
    connection: (connection) => dispatch({ kind: "connection", connection }),
    runtime: (runtime) => {
      dispatch({ kind: "runtime", runtime });
      const settings = { ...withDefaults(state.settings, runtime), ...chosen };
      dispatch({ kind: "settings", settings: withinRange(settings, runtime) });
    },
  });

  /** The id that turns are sent with; null where none is kept, or none is to be had. */
  function sessionId(): string | null {
    const named = state.runtime?.supports.warmResume !== false && !state.anonymous;
    return named ? session.id() : null;
  }

  async function emptySession(): Promise<void> {
    const id = sessionId();
    if (id !== null) await api.reset(id).catch(unlessUnknown);
    stale = false;
  }

  /** Empty the session if it holds what the page does not show; one request at a time. */
  function freshen(): Promise<void> {
    if (!stale) return Promise.resolve();
    emptying ??= emptySession().finally(() => {
      emptying = null;
    });
    return emptying;
  }

  function newTurn(messageId: string): Turn {
    return {
      requestId: world.uuid(),
      messageId,
      sentAt: world.now(),
      maxTokens: state.settings.maxTokens,
      contextLength: state.runtime?.contextLength ?? null,
    };
  }

  /** Begin what an event asks for, and see it through to its end. */
  async function ask(
    event: Extract<ConversationEvent, { kind: "sent" | "asked" | "went-on" }>,
    tryAgain: () => Promise<void>,
  ): Promise<void> {
    const { requestId } = event.turn;
    dispatch(event);
    if (state.turn?.requestId !== requestId) return;
    again = tryAgain;
    const goOn = event.kind === "went-on";
    const body = requestBody({
      messages: goOn ? state.messages : state.messages.slice(0, -1),
      settings: state.settings,
      runtime: state.runtime,
      sessionId: sessionId(),
      seed: state.settings.seed ?? world.seed(),
      goOn,
    });
    const line = {
      open: async (signal: AbortSignal) => {
        await freshen();
        return api.turn(body, requestId, signal);
      },
      cancel: () => api.cancel(requestId),
    };
    const mine = runTurn(line, world, (events) => tell(requestId, events));
    running = mine;
    await mine.over;
    if (running === mine) running = null;
  }

  function tell(requestId: string, events: readonly PhaseEvent[]): void {
    const failure = events.find((event) => event.kind === "error" || event.kind === "lost");
    if (failure?.kind === "error" && failure.error.status === 429) {
      dispatch({ kind: "refused", requestId });
    } else {
      dispatch({ kind: "streamed", requestId, events, at: world.now() });
    }
    if (failure) void watch.check();
  }

  /** End the running turn at once: the server is told, and nobody waits for it. */
  function endNow(): void {
    const { turn } = state;
    if (!turn || !running) return;
    void api.cancel(turn.requestId).catch(() => {});
    running.abort();
  }

  const actions: Actions = {
    setDraft: (text) => dispatch({ kind: "drafted", text }),

    attach: async (file) => {
      const { runtime } = state;
      if (runtime && !runtime.supports.vision) {
        return notice("error", "This model does not look at pictures.");
      }
      const limit = runtime?.maxImageBytes ?? null;
      const mine = prepareImage(file, limit, world.pictures).catch(() => null);
      reading = mine;
      const prepared = await mine;
      if (reading !== mine) return;
      reading = null;
      if (prepared?.ok) dispatch({ kind: "attached", image: prepared.image });
      else notice("error", prepared?.problem ?? "This file cannot be read. Is it still there?");
    },

    detach: () => {
      reading = null;
      dispatch({ kind: "attached", image: null });
    },

    send: async () => {
      while (reading) if (!(await reading)?.ok) return; // it belongs to what is sent
      if (state.draft.trim() === "" && !state.attachment) return;
      if (!mayAskNow()) return;
      const turn = newTurn(world.uuid());
      await ask({ kind: "sent", turn, userId: world.uuid() }, actions.send);
    },

    stop: async () => {
      const { turn } = state;
      if (!turn || !running || isStopping(state)) return;
      const { requestId } = turn;
      const at = world.now();
      dispatch({ kind: "streamed", requestId, events: [{ kind: "stop", at }], at });
      await running.stop();
    },

    startEdit: (id) => dispatch({ kind: "edit-started", id }),
    setEdit: (text) => dispatch({ kind: "edit-typed", text }),
    cancelEdit: () => dispatch({ kind: "edit-cancelled" }),

    saveEdit: async () => {
      const message = state.messages.find(({ id }) => id === state.editing?.id);
      if (!message || !state.editing || state.editing.saving || !mayAsk(state)) return;
      const hasImage = message.role === "user" && message.image !== null;
      if (state.editing.text.trim() === "" && !hasImage) {
        return notice("error", "A message cannot be empty.");
      }
      dispatch({ kind: "edit-saving", saving: true });
      try {
        await emptySession();
      } catch (thrown) {
        dispatch({ kind: "edit-saving", saving: false });
        return notice("error", `The edit is not saved. ${errorFrom(thrown).message}`);
      }
      dispatch({ kind: "edit-saved" });
      notice("info", "Edited. What came after it is gone.", "undo");
      if (message.role === "user" && mayAsk(state)) await askForLast(true); // it may be lost by now
    },

    regenerate: async () => {
      if (mayAskNow()) await askForLast(false);
    },

    continueAnswer: async () => {
      const answer = state.messages.at(-1);
      if (!answer || !canContinue(answer) || !mayAskNow()) return;
      await ask({ kind: "went-on", turn: newTurn(answer.id) }, actions.continueAnswer);
    },

    newChat: async () => {
      if (state.resetting || state.editing?.saving || state.ownership.kind === "other-tab") return;
      endNow();
      dispatch({ kind: "resetting", resetting: true });
      const failed = await leaveSession();
      dispatch({ kind: "resetting", resetting: false });
      if (failed) return notice("error", `No new chat was begun. ${failed.message}`);
      dispatch({ kind: "cleared" });
      dispatch({ kind: "anonymous", anonymous: false });
      if (state.ownership.kind === "other-client") {
        dispatch({ kind: "ownership", ownership: { kind: "mine" } });
      }
      if (state.undoable) notice("info", "A new chat has begun.", "undo");
    },

    undo: () => {
      if (!state.undoable || state.resetting || state.editing?.saving) return;
      stale ||= state.undoable === "edit";
      endNow();
      dispatch({ kind: "undone" });
      void freshen().catch(() => {}); // what fails is tried again before the next turn
    },

    toggleThought: (id, open) => dispatch({ kind: "thought-toggled", id, open }),

    setSettings: (change) => {
      const settings = withinRange({ ...state.settings, ...change }, state.runtime);
      chosen = { ...chosen, ...change };
      dispatch({ kind: "settings", settings });
      keepSettings(world.store, settings);
    },

    resetSettings: () => {
      const { system, remember } = state.settings;
      chosen = { system, remember };
      const settings = withDefaults(state.settings, state.runtime);
      dispatch({ kind: "settings", settings });
      keepSettings(world.store, settings);
    },

    takeOver: async () => {
      if (state.ownership.kind === "other-tab") return session.steal();
      dispatch({ kind: "ownership", ownership: { kind: "mine" } });
      await again();
    },

    goAnonymous: async () => {
      if (state.ownership.kind !== "other-client") return;
      dispatch({ kind: "anonymous", anonymous: true });
      dispatch({ kind: "ownership", ownership: { kind: "mine" } });
      await again();
    },

    dismiss: (id) => dispatch({ kind: "dismissed", id }),
    checkNow: () => watch.check(),
  };

  /** An open editor is not closed by a turn: what is typed in it would be lost. */
  function mayAskNow(): boolean {
    if (!mayAsk(state)) return false;
    if (state.editing) notice("info", "Save or cancel the edit first.");
    return state.editing === null;
  }

  async function askForLast(keepUndo: boolean): Promise<void> {
    const turn = newTurn(world.uuid());
    await ask({ kind: "asked", turn, keepUndo }, actions.regenerate);
  }

  /** Free the session's place, or at least empty it; what failed, if neither could be done. */
  async function leaveSession(): Promise<Error | null> {
    const id = sessionId();
    if (id === null) return null;
    try {
      await api.close(id).catch(unlessUnknown);
      session.renew();
    } catch (thrown) {
      if (errorFrom(thrown).code === "timeout") return thrown as RequestFailed; // so would the other
      try {
        await api.reset(id);
      } catch (failed) {
        return failed as RequestFailed;
      }
    }
    stale = false;
    return null;
  }

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    actions,
    reports: api.reports,
    dispose: () => {
      endNow();
      watch.stop();
      session.release();
    },
  };
}

/** A session that the server does not know is as empty as one can be. */
function unlessUnknown(thrown: unknown): void {
  if (errorFrom(thrown).status !== 404) throw thrown;
}
