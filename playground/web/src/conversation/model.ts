/**
 * What is on the page: a conversation, the turn that is running, and what the server is like.
 *
 * These are values, frozen by type; `reducer.ts` says how they follow from each other, and
 * `playground.ts` lets things happen. Components draw them and call `Actions`, nothing else.
 */

import type { Metrics, ReportList, RuntimeReport, TurnError, Usage } from "../protocol/types";

export type { TurnError };

/** A picture that is attached to a user's message. */
export interface Attachment {
  readonly name: string;
  /** `data:image/png;base64,…` or `data:image/jpeg;base64,…`, as it is sent. */
  readonly url: string;
  /** Decoded size. */
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

export interface UserMessage {
  readonly role: "user";
  readonly id: string;
  readonly text: string;
  readonly image: Attachment | null;
  readonly edited: boolean;
}

/**
 * How far an answer is.
 *
 * connecting → queued → encoding → prefilling → thinking → answering → one of the ends;
 * stopping may follow any of them but the ends.
 */
export type Phase =
  | { readonly kind: "connecting" }
  | { readonly kind: "queued"; readonly position: number }
  | { readonly kind: "encoding" }
  | { readonly kind: "prefilling"; readonly done: number | null; readonly total: number | null }
  | { readonly kind: "thinking" }
  | { readonly kind: "answering" }
  | { readonly kind: "stopping"; readonly since: number }
  | { readonly kind: "complete" }
  /** `forced`: the server did not confirm in time, and the connection was closed. */
  | { readonly kind: "stopped"; readonly forced: boolean }
  /** The room was used up: by the output limit, or by the context. */
  | { readonly kind: "cut"; readonly by: "limit" | "context" }
  /** The stream ended without `[DONE]`, or the connection was lost. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

export interface AssistantMessage {
  readonly role: "assistant";
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly phase: Phase;
  /** When reasoning began and ended, on the page's clock (ms). */
  readonly thoughtFrom: number | null;
  readonly thoughtTo: number | null;
  /** null: follows the turn (open while reasoning arrives); else the person's own choice. */
  readonly thoughtOpen: boolean | null;
  readonly metrics: Metrics | null;
  readonly usage: Usage | null;
  /** From sending to the end on the page's clock (ms). */
  readonly wallMs: number | null;
  /** From sending to the first text of either channel on the page's clock (ms). */
  readonly firstTextMs: number | null;
  readonly edited: boolean;
}

export type Message = UserMessage | AssistantMessage;

export type Strength = "low" | "medium" | "high" | "xhigh";

/** What a turn is asked with. null: the server's own, or unset. */
export interface Settings {
  readonly system: string;
  readonly strength: Strength;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  /** null: another one for each turn. */
  readonly seed: number | null;
  readonly stop: readonly string[];
  /** null: whatever room is left in the context. */
  readonly maxTokens: number | null;
  readonly dflash: boolean;
  /** Whether settings are kept over a reload. */
  readonly remember: boolean;
}

/** How the page stands with the server. */
export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "loading"; readonly reason: string | null }
  | { readonly kind: "ready" }
  | { readonly kind: "offline" }
  /** The server answers, its engine is gone. */
  | { readonly kind: "engine-gone"; readonly reason: string };

/** Who else has this conversation's session. */
export type Ownership =
  | { readonly kind: "mine" }
  /** Another tab of this browser; taking over ends its turn. */
  | { readonly kind: "other-tab" }
  /** Another program has all places of the server (HTTP 429). */
  | { readonly kind: "other-client"; readonly message: string };

/** Something to be told once, and then dismissed. */
export interface Notice {
  readonly id: string;
  readonly tone: "info" | "error";
  readonly text: string;
  /** Offered as a button, if there is one. */
  readonly action: "undo" | null;
}

export interface State {
  readonly messages: readonly Message[];
  /** Text in the composer. */
  readonly draft: string;
  readonly attachment: Attachment | null;
  /** The message that is being edited, with the text as it stands in the editor. */
  readonly editing: { readonly id: string; readonly text: string; readonly saving: boolean } | null;
  readonly settings: Settings;
  readonly runtime: RuntimeReport | null;
  readonly connection: Connection;
  readonly ownership: Ownership;
  /** Turns go without a session, since another program has its place: none is warm. */
  readonly anonymous: boolean;
  /** A session request (reset, close) is under way. */
  readonly resetting: boolean;
  readonly notices: readonly Notice[];
  /** What an undo would bring back, until the next send. */
  readonly undoable: "edit" | "new-chat" | null;
  /** Announced politely to screen readers. */
  readonly announcement: string;
}

/** Everything that a person can do. None of them throws; what fails becomes a notice. */
export interface Actions {
  setDraft(text: string): void;
  attach(file: File): Promise<void>;
  detach(): void;
  send(): Promise<void>;
  stop(): Promise<void>;
  startEdit(id: string): void;
  setEdit(text: string): void;
  cancelEdit(): void;
  saveEdit(): Promise<void>;
  /** Ask again for the last answer: regenerate, or retry after a failure. */
  regenerate(): Promise<void>;
  /** Go on with an answer that was stopped, cut or interrupted. */
  continueAnswer(): Promise<void>;
  newChat(): Promise<void>;
  undo(): void;
  toggleThought(id: string, open: boolean): void;
  setSettings(change: Partial<Settings>): void;
  resetSettings(): void;
  /** Take the session from the other tab; or, where another program has it, try again. */
  takeOver(): Promise<void>;
  /** Go on without a session of one's own, until the next new chat. */
  goAnonymous(): Promise<void>;
  dismiss(noticeId: string): void;
  /** Ask for the server's state now. */
  checkNow(): Promise<void>;
}

/** The page's one store: `useSyncExternalStore(subscribe, getState)`. */
export interface Playground {
  getState(): State;
  subscribe(listener: () => void): () => void;
  readonly actions: Actions;
  /** The finished runs of `muse-bench`; rejects with `RequestFailed` (see `protocol/errors`). */
  reports(): Promise<ReportList>;
  /** Stop polling and let go of the session. */
  dispose(): void;
}
