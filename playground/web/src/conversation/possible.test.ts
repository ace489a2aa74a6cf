import { describe, expect, it } from "vitest";
import { newAnswer } from "./answer";
import type { Message, Phase, State } from "./model";
import { canContinue, isBusy, isStopping, mayAsk } from "./possible";
import { emptyConversation } from "./reducer";
import { INITIAL_SETTINGS } from "./settings";

const QUESTION: Message = { role: "user", id: "q", text: "Hi", image: null, edited: false };
const answer = (phase: Phase, text = "Hel"): Message => ({ ...newAnswer("a"), text, phase });
const state = (messages: readonly Message[], change: Partial<State> = {}): State => ({
  ...emptyConversation(INITIAL_SETTINGS),
  messages,
  ...change,
});
const failed = (code: string): Phase => ({
  kind: "failed",
  error: { code, message: "", status: null },
});
const DONE = answer({ kind: "complete" });
const LIVE = answer({ kind: "answering" });

describe("canContinue", () => {
  it.each<[Phase, boolean]>([
    [{ kind: "stopped", forced: false }, true],
    [{ kind: "stopped", forced: true }, true],
    [{ kind: "interrupted" }, true],
    [{ kind: "cut", by: "limit" }, true],
    [{ kind: "cut", by: "context" }, false],
    [failed("unavailable"), true],
    [failed("context_length_exceeded"), false],
    [{ kind: "complete" }, false],
    [{ kind: "answering" }, false],
  ])("of an answer that is %j is %s", (phase, possible) => {
    expect(canContinue(answer(phase))).toBe(possible);
    expect(canContinue(answer(phase, ""))).toBe(false);
  });

  it("is never of a question", () => {
    expect(canContinue(QUESTION)).toBe(false);
  });
});

describe("mayAsk", () => {
  it.each<[string, State, boolean]>([
    ["at rest", state([QUESTION, DONE]), true],
    ["while an answer is under way", state([QUESTION, LIVE]), false],
    ["while the session is left", state([], { resetting: true }), false],
    ["in the other tab", state([], { ownership: { kind: "other-tab" } }), false],
    [
      "while an edit is saved",
      state([QUESTION], { editing: { id: "q", text: "", saving: true } }),
      false,
    ],
  ])("%s", (_, now, possible) => {
    expect(mayAsk(now)).toBe(possible);
  });
});

it("a stop that was asked for is busy until its end", () => {
  const stopping = state([QUESTION, answer({ kind: "stopping", since: 0 })]);
  expect([isBusy(stopping), isStopping(stopping)]).toEqual([true, true]);
  const stopped = state([QUESTION, answer({ kind: "stopped", forced: false })]);
  expect([isBusy(stopped), isStopping(stopped)]).toEqual([false, false]);
});
