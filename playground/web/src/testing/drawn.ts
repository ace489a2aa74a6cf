/** What does a component need of the store to be drawn? A state that a test sets, and a list of what was asked. */
import type {
  Actions,
  AssistantMessage,
  Playground,
  State,
  UserMessage,
} from "../conversation/model";
import { INITIAL_SETTINGS } from "../conversation/settings";
import { RUNTIME } from "./runtime";

export const CALM: State = {
  messages: [],
  draft: "",
  attachment: null,
  editing: null,
  settings: INITIAL_SETTINGS,
  runtime: RUNTIME,
  connection: { kind: "ready" },
  ownership: { kind: "mine" },
  anonymous: false,
  resetting: false,
  notices: [],
  undoable: null,
  announcement: "",
};

export function question(text: string): UserMessage {
  return { role: "user", id: `question-${text}`, text, image: null, edited: false };
}

export function answer(part: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    id: "answer",
    text: "",
    reasoning: "",
    phase: { kind: "complete" },
    thoughtFrom: null,
    thoughtTo: null,
    thoughtOpen: null,
    metrics: null,
    usage: null,
    wallMs: null,
    firstTextMs: null,
    edited: false,
    ...part,
  };
}

export interface Drawn {
  readonly playground: Playground;
  /** The actions that were called, by name. */
  readonly asked: readonly string[];
  set(change: Partial<State>): void;
}

/** Typing changes the draft, as it has to; all else that is asked is written down and not done. */
export function drawn(part: Partial<State> = {}): Drawn {
  let state: State = { ...CALM, ...part };
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const set = (change: Partial<State>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const actions = new Proxy({} as Actions, {
    get: (_, name: string) => (argument: unknown) => {
      if (name === "setDraft") set({ draft: String(argument) });
      else asked.push(name);
      return Promise.resolve();
    },
  });
  const playground: Playground = {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    actions,
    reports: () => Promise.resolve({ directory: null, reports: [] }),
    dispose: () => {},
  };
  return { playground, asked, set };
}
