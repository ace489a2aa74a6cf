import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { metricsFrom } from "../protocol/frames";
import type { AssistantMessage } from "./model";
import { isEnd } from "./phase";
import {
  type Conversation,
  type ConversationEvent,
  emptyConversation,
  reduce,
  type Turn,
} from "./reducer";
import { INITIAL_SETTINGS } from "./settings";

const turn = (requestId: string, change: Partial<Turn> = {}): Turn => ({
  requestId,
  messageId: `answer-${requestId}`,
  sentAt: 1000,
  maxTokens: null,
  contextLength: 100,
  ...change,
});
const IMAGE = { name: "a.png", url: "data:image/png;base64,AA==", bytes: 1, width: 1, height: 1 };
const EMPTY = emptyConversation(INITIAL_SETTINGS);

function play(state: Conversation, ...events: readonly ConversationEvent[]): Conversation {
  return events.reduce(reduce, state);
}

const sent = (requestId: string): ConversationEvent => ({
  kind: "sent",
  turn: turn(requestId),
  userId: `question-${requestId}`,
});
type Streamed = Extract<ConversationEvent, { kind: "streamed" }>;
const streamed = (requestId: string, events: Streamed["events"], at = 2000): ConversationEvent => ({
  kind: "streamed",
  requestId,
  events,
  at,
});
const whole = (requestId: string, text: string): ConversationEvent =>
  streamed(requestId, [
    { kind: "answer", text },
    { kind: "finish", reason: "stop" },
    { kind: "done" },
  ]);
const last = (state: Conversation) => state.messages.at(-1) as AssistantMessage;

const IDLE = play(EMPTY, { kind: "drafted", text: "One" }, sent("1"), whole("1", "1"));
const RUNNING = play(IDLE, { kind: "drafted", text: "Two" }, sent("2"));
const EDITING = play(IDLE, { kind: "edit-started", id: "question-1" });
const SAVING = play(EDITING, { kind: "edit-saving", saving: true });

describe("reduce", () => {
  it.each<[string, Conversation, ConversationEvent]>([
    ["a question while a turn runs", RUNNING, sent("3")],
    [
      "another attempt while a turn runs",
      RUNNING,
      { kind: "asked", turn: turn("3"), keepUndo: false },
    ],
    ["going on while a turn runs", RUNNING, { kind: "went-on", turn: turn("3") }],
    ["going on in an answer that is not the last", IDLE, { kind: "went-on", turn: turn("9") }],
    [
      "another attempt where nothing was asked",
      EMPTY,
      { kind: "asked", turn: turn("3"), keepUndo: false },
    ],
    ["a piece of another attempt", RUNNING, whole("1", "late")],
    ["a piece where no turn runs", IDLE, whole("1", "late")],
    ["an empty piece", RUNNING, streamed("2", [])],
    ["a refusal of another attempt", RUNNING, { kind: "refused", requestId: "1" }],
    ["an edit while a turn runs", RUNNING, { kind: "edit-started", id: "question-1" }],
    ["an edit of nothing", IDLE, { kind: "edit-started", id: "nothing" }],
    ["another edit while one is saved", SAVING, { kind: "edit-started", id: "answer-1" }],
    ["typing where nothing is edited", IDLE, { kind: "edit-typed", text: "x" }],
    ["typing while an edit is saved", SAVING, { kind: "edit-typed", text: "x" }],
    ["cancelling an edit that is saved", SAVING, { kind: "edit-cancelled" }],
    ["saving where nothing is edited", IDLE, { kind: "edit-saved" }],
    ["clearing while a turn runs", RUNNING, { kind: "cleared" }],
    ["undoing where nothing was done", IDLE, { kind: "undone" }],
    ["a toggle of nothing", IDLE, { kind: "thought-toggled", id: "nothing", open: true }],
  ])("changes nothing at %s", (_, state, event) => {
    expect(reduce(state, event)).toBe(state);
  });

  it("takes draft and picture into a question, and begins its answer", () => {
    const asked = play(
      EMPTY,
      { kind: "drafted", text: "Hi" },
      { kind: "attached", image: IMAGE },
      sent("1"),
    );
    expect(asked).toMatchObject({
      draft: "",
      attachment: null,
      turn: { requestId: "1" },
      messages: [
        { role: "user", id: "question-1", text: "Hi", image: IMAGE },
        { role: "assistant", id: "answer-1", phase: { kind: "connecting" } },
      ],
    });
  });

  it("leaves all messages but the last the same objects while one streams", () => {
    const next = reduce(RUNNING, streamed("2", [{ kind: "answer", text: "a" }]));
    expect(next.messages.slice(0, -1)).toEqual(RUNNING.messages.slice(0, -1));
    for (const [place, message] of next.messages.slice(0, -1).entries()) {
      expect(message).toBe(RUNNING.messages[place]);
    }
  });

  it("says the same of events one by one as of all at once", () => {
    const events: Streamed["events"] = [
      { kind: "status", status: { state: "prefill", done: 1, total: 2 } },
      { kind: "reasoning", text: "Hm" },
      { kind: "answer", text: "Hel" },
      { kind: "answer", text: "lo" },
      { kind: "stop", at: 2000 },
      { kind: "finish", reason: "stop" },
      { kind: "metrics", metrics: metricsFrom({ cancelled: true }) },
      { kind: "done" },
      { kind: "answer", text: "late" },
    ];
    const atOnce = reduce(RUNNING, streamed("2", events));
    expect(last(atOnce)).toMatchObject({ text: "Hello", phase: { kind: "stopped" } });
    fc.assert(
      fc.property(fc.nat(events.length), fc.nat(events.length), (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const parts = [events.slice(0, from), events.slice(from, to), events.slice(to)];
        const apart = play(RUNNING, ...parts.map((part) => streamed("2", part)));
        expect({ ...apart, announcement: "" }).toEqual({ ...atOnce, announcement: "" });
      }),
    );
  });

  it("knows when thinking began and ended, on whatever channel the turn ends", () => {
    const thinking = reduce(RUNNING, streamed("2", [{ kind: "reasoning", text: "Hm" }], 1500));
    expect(last(thinking)).toMatchObject({ thoughtFrom: 1500, thoughtTo: null, firstTextMs: 500 });
    const more = reduce(thinking, streamed("2", [{ kind: "reasoning", text: "." }], 1600));
    expect(last(more)).toMatchObject({ reasoning: "Hm.", thoughtFrom: 1500, thoughtTo: null });
    const answering = reduce(more, streamed("2", [{ kind: "answer", text: "A" }], 1700));
    expect(last(answering)).toMatchObject({ thoughtTo: 1700, firstTextMs: 500 });
    const broken = reduce(more, streamed("2", [{ kind: "lost" }], 1800));
    expect(last(broken)).toMatchObject({ thoughtTo: 1800, wallMs: 800 });
    expect(
      last(reduce(RUNNING, streamed("2", [{ kind: "answer", text: "A" }]))).thoughtFrom,
    ).toBeNull();
  });

  it("knows that the context was full, by what the turn was asked with", () => {
    const end: Streamed["events"] = [{ kind: "finish", reason: "length" }, { kind: "done" }];
    expect(last(reduce(RUNNING, streamed("2", end))).phase).toEqual({ kind: "cut", by: "context" });
    const capped = play(IDLE, {
      kind: "asked",
      turn: turn("3", { maxTokens: 5 }),
      keepUndo: false,
    });
    expect(last(reduce(capped, streamed("3", end))).phase).toEqual({ kind: "cut", by: "limit" });
  });

  it("keeps a person's own choice of what is open", () => {
    const toggled = play(
      RUNNING,
      { kind: "thought-toggled", id: "answer-2", open: false },
      streamed("2", [{ kind: "reasoning", text: "Hm" }]),
      whole("2", "Hello"),
    );
    expect(last(toggled).thoughtOpen).toBe(false);
  });

  it("restores all at a refusal, and what was typed since", () => {
    const asked = play(
      IDLE,
      { kind: "drafted", text: "Two" },
      { kind: "attached", image: IMAGE },
      sent("2"),
      { kind: "drafted", text: "Three" },
      { kind: "refused", requestId: "2" },
    );
    expect(asked).toMatchObject({
      draft: "Two\nThree",
      attachment: IMAGE,
      turn: null,
      ownership: { kind: "other-client", message: expect.stringContaining("one conversation") },
    });
    expect(asked.messages).toBe(IDLE.messages);
  });

  it("does not double a draft that the question did not take", () => {
    const drafted = play(IDLE, { kind: "drafted", text: "Two" });
    const refused = play(
      drafted,
      { kind: "asked", turn: turn("2"), keepUndo: false },
      { kind: "refused", requestId: "2" },
    );
    expect(refused.draft).toBe("Two");
    expect(refused.messages).toBe(IDLE.messages);
  });

  it("has the messages as they were after an edit is undone", () => {
    const edited = play(EDITING, { kind: "edit-typed", text: "Eins" }, { kind: "edit-saved" });
    expect(edited.messages).toEqual([
      { role: "user", id: "question-1", text: "Eins", image: null, edited: true },
    ]);
    expect(edited.undoable).toBe("edit");
    const undone = play(edited, { kind: "undone" });
    expect(undone.messages).toBe(IDLE.messages);
    expect(undone.undoable).toBeNull();
  });

  it("keeps an undo through what the edit itself asks, and no longer", () => {
    const edited = play(EDITING, { kind: "edit-typed", text: "Eins" }, { kind: "edit-saved" });
    const asked = play(edited, { kind: "asked", turn: turn("2"), keepUndo: true });
    expect(asked.undoable).toBe("edit");
    const answered = play(asked, whole("2", "I"));
    expect(answered.undoable).toBe("edit");
    expect(reduce(answered, sent("3")).undoable).toBeNull();
    expect(
      reduce(answered, { kind: "asked", turn: turn("3"), keepUndo: false }).undoable,
    ).toBeNull();
  });

  it("drops the notice that offers an undo with the undo", () => {
    const notice = { id: "n", tone: "info", text: "Gone.", action: "undo" } as const;
    const other = { ...notice, id: "m", action: null };
    const told = play(
      IDLE,
      { kind: "cleared" },
      { kind: "noticed", notice },
      { kind: "noticed", notice: other },
    );
    expect(play(told, { kind: "undone" }).notices).toEqual([other]);
    expect(play(told, { kind: "dismissed", id: "n" }).notices).toEqual([other]);
  });

  it("has one picture in a conversation", () => {
    const state = play(
      EMPTY,
      { kind: "attached", image: IMAGE },
      sent("1"),
      whole("1", "A cat"),
      { kind: "attached", image: { ...IMAGE, name: "b.png" } },
      sent("2"),
    );
    const pictures = state.messages.flatMap((one) =>
      one.role === "user" && one.image ? [one.image.name] : [],
    );
    expect(pictures).toEqual(["b.png"]);
  });

  it.each<[ConversationEvent, object]>([
    [{ kind: "connection", connection: { kind: "offline" } }, { connection: { kind: "offline" } }],
    [{ kind: "ownership", ownership: { kind: "other-tab" } }, { ownership: { kind: "other-tab" } }],
    [{ kind: "anonymous", anonymous: true }, { anonymous: true }],
    [{ kind: "resetting", resetting: true }, { resetting: true }],
    [{ kind: "drafted", text: "x" }, { draft: "x" }],
  ])("sets one part at %j", (event, part) => {
    const { messages } = RUNNING;
    expect(reduce(RUNNING, event)).toEqual({ ...RUNNING, ...part });
    expect(reduce(RUNNING, event).messages).toBe(messages);
  });

  it("holds its invariants, whatever happens in whatever order", () => {
    const id = fc.constantFrom("1", "2", "3");
    const messageId = fc.constantFrom("question-1", "answer-1", "question-2", "answer-2");
    const piece = fc.constantFrom<Streamed["events"][number]>(
      { kind: "status", status: { state: "queued", position: 1 } },
      { kind: "reasoning", text: "r" },
      { kind: "answer", text: "a" },
      { kind: "stop", at: 1 },
      { kind: "finish", reason: "length" },
      { kind: "error", error: { code: "x", message: "x", status: null } },
      { kind: "aborted" },
      { kind: "lost" },
      { kind: "done" },
    );
    const event: fc.Arbitrary<ConversationEvent> = fc.oneof(
      fc.string().map((text) => ({ kind: "drafted" as const, text })),
      id.map(sent),
      fc
        .tuple(id, fc.boolean())
        .map(([one, keepUndo]) => ({ kind: "asked" as const, turn: turn(one), keepUndo })),
      id.map((one) => ({ kind: "went-on" as const, turn: turn(one) })),
      fc.tuple(id, fc.array(piece, { maxLength: 3 })).map(([one, pieces]) => streamed(one, pieces)),
      id.map((requestId) => ({ kind: "refused" as const, requestId })),
      messageId.map((one) => ({ kind: "edit-started" as const, id: one })),
      fc.constantFrom<ConversationEvent>(
        { kind: "edit-typed", text: "e" },
        { kind: "edit-saving", saving: true },
        { kind: "edit-saving", saving: false },
        { kind: "edit-cancelled" },
        { kind: "edit-saved" },
        { kind: "cleared" },
        { kind: "undone" },
      ),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = EMPTY;
        for (const one of events) {
          state = reduce(state, one);
          const answers = state.messages.filter((message) => message.role === "assistant");
          const live = answers.filter(({ phase }) => !isEnd(phase));
          expect(live.map((answer) => answer.id)).toEqual(state.turn ? [state.turn.messageId] : []);
          if (state.turn) expect(state.messages.at(-1)).toBe(live[0]);
          expect(state.undoable === null).toBe(state.saved === null);
          if (state.editing) {
            expect(state.messages.map((message) => message.id)).toContain(state.editing.id);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
