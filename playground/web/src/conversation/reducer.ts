/**
 * What does a conversation become when something happens? A pure function, and the events it knows.
 *
 *     event        is refused while             and does
 *
 *     sent         a turn runs                  draft and picture become a message, an answer begins
 *     asked        a turn runs                  the last answer goes, another begins
 *     went-on      a turn runs                  the last answer goes on
 *     streamed     it is of another turn        texts and phases go into the answer (see `phase.ts`)
 *     refused      it is of another turn        all is again as it was before the turn was asked
 *     edit-saved   nothing is edited            text is replaced, all behind it goes
 *     cleared      a turn runs                  all messages go
 *     undone       there is nothing to undo     messages are as before the edit, or the new chat
 *
 * and the others set one part of the state each. What is refused changes nothing: the very same
 * state comes back. Messages that do not change keep their identity, so that nothing of them has
 * to be drawn again; the messages behind `streamed` differ in one.
 *
 * An undo is offered until something is asked again; what an edit asks by itself does not count.
 */

import type { RuntimeReport } from "../protocol/types";
import { advance, newAnswer } from "./answer";
import type {
  AssistantMessage,
  Attachment,
  Connection,
  Message,
  Notice,
  Ownership,
  Settings,
  State,
  UserMessage,
} from "./model";
import { isEnd, type PhaseEvent } from "./phase";
import { capacityWords, phaseAnnouncement } from "./wording";

/** The turn that is running. */
export interface Turn {
  /** Each attempt has its own, so what comes late of another is known by it. */
  readonly requestId: string;
  /** The answer that it writes. */
  readonly messageId: string;
  readonly sentAt: number;
  readonly maxTokens: number | null;
  readonly contextLength: number | null;
}

/** The state with what only the reducer needs. */
export interface Conversation extends State {
  readonly turn: (Turn & { readonly finish: string | null; readonly before: Before }) | null;
  readonly saved: readonly Message[] | null;
}

/** The messages before the turn was asked, and what its question took. */
type Before = Pick<State, "messages" | "draft" | "attachment">;

export type ConversationEvent =
  | { readonly kind: "drafted"; readonly text: string }
  | { readonly kind: "attached"; readonly image: Attachment | null }
  | { readonly kind: "sent"; readonly turn: Turn; readonly userId: string }
  | { readonly kind: "asked"; readonly turn: Turn; readonly keepUndo: boolean }
  | { readonly kind: "went-on"; readonly turn: Turn }
  | {
      readonly kind: "streamed";
      readonly requestId: string;
      readonly events: readonly PhaseEvent[];
      readonly at: number;
    }
  | { readonly kind: "refused"; readonly requestId: string }
  | { readonly kind: "edit-started"; readonly id: string }
  | { readonly kind: "edit-typed"; readonly text: string }
  | { readonly kind: "edit-saving"; readonly saving: boolean }
  | { readonly kind: "edit-cancelled" }
  | { readonly kind: "edit-saved" }
  | { readonly kind: "cleared" }
  | { readonly kind: "undone" }
  | { readonly kind: "thought-toggled"; readonly id: string; readonly open: boolean }
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "runtime"; readonly runtime: RuntimeReport }
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "ownership"; readonly ownership: Ownership }
  | { readonly kind: "anonymous"; readonly anonymous: boolean }
  | { readonly kind: "resetting"; readonly resetting: boolean }
  | { readonly kind: "noticed"; readonly notice: Notice }
  | { readonly kind: "dismissed"; readonly id: string };

/** An empty page. */
export function emptyConversation(settings: Settings): Conversation {
  return {
    messages: [],
    draft: "",
    attachment: null,
    editing: null,
    settings,
    runtime: null,
    connection: { kind: "connecting" },
    ownership: { kind: "mine" },
    anonymous: false,
    resetting: false,
    notices: [],
    undoable: null,
    announcement: "",
    turn: null,
    saved: null,
  };
}

export function reduce(state: Conversation, event: ConversationEvent): Conversation {
  switch (event.kind) {
    case "drafted":
      return { ...state, draft: event.text };
    case "attached":
      return { ...state, attachment: event.image };
    case "sent":
      return state.turn ? state : send(state, event.turn, event.userId);
    case "asked":
      return state.turn ? state : askAgain(state, event.turn, event.keepUndo);
    case "went-on":
      return state.turn ? state : goOn(state, event.turn);
    case "streamed":
      return stream(state, event);
    case "refused":
      return refuse(state, event);
    case "edit-started":
      return startEdit(state, event.id);
    case "edit-typed":
      return state.editing && !state.editing.saving
        ? { ...state, editing: { ...state.editing, text: event.text } }
        : state;
    case "edit-saving":
      return state.editing
        ? { ...state, editing: { ...state.editing, saving: event.saving } }
        : state;
    case "edit-cancelled":
      return state.editing && !state.editing.saving ? { ...state, editing: null } : state;
    case "edit-saved":
      return saveEdit(state);
    case "cleared":
      return state.turn ? state : clear(state);
    case "undone":
      return state.saved && !state.turn
        ? { ...withoutUndo(state), messages: state.saved, editing: null }
        : state;
    case "thought-toggled":
      return withMessage(state, event.id, (message) =>
        message.role === "assistant" ? { ...message, thoughtOpen: event.open } : message,
      );
    case "noticed":
      return { ...state, notices: [...state.notices, event.notice] };
    case "dismissed":
      return { ...state, notices: state.notices.filter(({ id }) => id !== event.id) };
    case "settings":
      return { ...state, settings: event.settings };
    case "runtime":
      return { ...state, runtime: event.runtime };
    case "connection":
      return { ...state, connection: event.connection };
    case "ownership":
      return { ...state, ownership: event.ownership };
    case "anonymous":
      return { ...state, anonymous: event.anonymous };
    case "resetting":
      return { ...state, resetting: event.resetting };
  }
}

/** A conversation has one picture: a new one takes the place of the one that it has. */
function withQuestion(state: Conversation, id: string): readonly Message[] {
  const image = state.attachment;
  const before = image === null ? state.messages : state.messages.map(withoutImage);
  return [...before, { role: "user", id, text: state.draft, image, edited: false }];
}

function withoutImage(message: Message): Message {
  return message.role === "user" && message.image ? { ...message, image: null } : message;
}

function send(state: Conversation, turn: Turn, userId: string): Conversation {
  const { draft, attachment } = state;
  const begun = begin(state, [...withQuestion(state, userId), newAnswer(turn.messageId)], turn, {
    draft,
    attachment,
  });
  return { ...begun, draft: "", attachment: null };
}

function askAgain(state: Conversation, turn: Turn, keepUndo: boolean): Conversation {
  const { messages } = state;
  const asked = messages.at(-1)?.role === "user" ? messages : messages.slice(0, -1);
  if (asked.at(-1)?.role !== "user") return state;
  const begun = begin(state, [...asked, newAnswer(turn.messageId)], turn);
  if (!keepUndo) return begun;
  const { saved, undoable, notices } = state;
  return { ...begun, saved, undoable, notices };
}

function goOn(state: Conversation, turn: Turn): Conversation {
  const answer = state.messages.at(-1);
  if (answer?.role !== "assistant" || answer.id !== turn.messageId) return state;
  const { text, reasoning, thoughtFrom, thoughtTo, thoughtOpen, edited } = answer;
  const kept = { text, reasoning, thoughtFrom, thoughtTo, thoughtOpen, edited };
  return begin(state, [...state.messages.slice(0, -1), { ...newAnswer(answer.id), ...kept }], turn);
}

function begin(
  state: Conversation,
  messages: readonly Message[],
  turn: Turn,
  taken: Pick<Before, "draft" | "attachment"> = { draft: "", attachment: null },
): Conversation {
  return {
    ...withoutUndo(state),
    messages,
    editing: null,
    announcement: phaseAnnouncement({ kind: "connecting" }) ?? "",
    turn: { ...turn, finish: null, before: { messages: state.messages, ...taken } },
  };
}

function stream(
  state: Conversation,
  { requestId, events, at }: Extract<ConversationEvent, { kind: "streamed" }>,
): Conversation {
  const { turn } = state;
  const answer = state.messages.at(-1);
  if (turn?.requestId !== requestId || answer?.role !== "assistant") return state;
  let finish = turn.finish;
  let next = answer;
  for (const event of events) {
    if (isEnd(next.phase)) break;
    if (event.kind === "finish") finish = event.reason;
    next = advance(next, event, { ...turn, finish, at });
  }
  if (next === answer && finish === turn.finish) return state;
  const over = isEnd(next.phase);
  const told =
    next.phase.kind === answer.phase.kind ? null : phaseAnnouncement(next.phase, answer.phase);
  return {
    ...state,
    messages: [...state.messages.slice(0, -1), next],
    announcement: told ?? state.announcement,
    turn: over ? null : finish === turn.finish ? turn : { ...turn, finish },
  };
}

/** The server has no place for the session: nothing was asked, so nothing was lost. */
function refuse(
  state: Conversation,
  { requestId }: Extract<ConversationEvent, { kind: "refused" }>,
): Conversation {
  if (state.turn?.requestId !== requestId) return state;
  const { before } = state.turn;
  return {
    ...state,
    messages: before.messages,
    draft: [before.draft, state.draft].filter((text) => text !== "").join("\n"),
    attachment: state.attachment ?? before.attachment,
    ownership: {
      kind: "other-client",
      message: capacityWords(state.runtime?.maxNamedSessions ?? null),
    },
    announcement: "",
    turn: null,
  };
}

function startEdit(state: Conversation, id: string): Conversation {
  const message = state.messages.find((one) => one.id === id);
  if (!message || state.turn || state.resetting || state.editing?.saving) return state;
  return { ...state, editing: { id, text: message.text, saving: false } };
}

function saveEdit(state: Conversation): Conversation {
  const { editing } = state;
  const place = state.messages.findIndex(({ id }) => id === editing?.id);
  const message = state.messages[place];
  if (!editing || !message || state.turn) return state;
  return {
    ...withoutUndo(state),
    messages: [...state.messages.slice(0, place), edited(message, editing.text)],
    editing: null,
    saved: state.messages,
    undoable: "edit",
  };
}

/** Reasoning and metrics told of the old text, so they go with it. */
function edited(message: Message, text: string): UserMessage | AssistantMessage {
  if (message.role === "user") return { ...message, text, edited: true };
  return { ...newAnswer(message.id), text, phase: { kind: "complete" }, edited: true };
}

function clear(state: Conversation): Conversation {
  const saved = state.messages.length > 0 ? state.messages : null;
  return {
    ...withoutUndo(state),
    messages: [],
    editing: null,
    saved,
    undoable: saved && "new-chat",
  };
}

function withoutUndo(state: Conversation): Conversation {
  if (state.saved === null) return state;
  const notices = state.notices.filter(({ action }) => action !== "undo");
  return { ...state, saved: null, undoable: null, notices };
}

function withMessage(
  state: Conversation,
  id: string,
  change: (message: Message) => Message,
): Conversation {
  const place = state.messages.findIndex((message) => message.id === id);
  const message = state.messages[place];
  return message ? { ...state, messages: state.messages.with(place, change(message)) } : state;
}
