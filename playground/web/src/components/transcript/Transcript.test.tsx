// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { UserMessage } from "../../conversation/model";
import { answer, drawn, question } from "../../testing/drawn";
import { installSizes } from "../../testing/sizes";
import { Transcript } from "./Transcript";

installSizes();
afterEach(cleanup);

/** A message that counts how often it is looked at. */
function watched(text: string): { message: UserMessage; looks: () => number } {
  let looks = 0;
  const message = {
    ...question(text),
    get text() {
      looks += 1;
      return text;
    },
  };
  return { message, looks: () => looks };
}

test("only the answer that streams is drawn again", () => {
  const { message, looks } = watched("Hello");
  const { playground, set } = drawn({
    messages: [message, answer({ phase: { kind: "answering" }, text: "Hi" })],
  });
  render(<Transcript playground={playground} focusComposer={() => {}} welcome={null} />);
  const before = looks();

  act(() =>
    set({ messages: [message, answer({ phase: { kind: "answering" }, text: "Hi there" })] }),
  );

  expect(screen.getByText("Hi there")).toBeTruthy();
  expect(looks()).toBe(before);
});

test("the conversation is busy while an answer comes, and never speaks for itself", () => {
  const { playground, set } = drawn({ messages: [question("Hello")] });
  render(<Transcript playground={playground} focusComposer={() => {}} welcome={null} />);
  const log = screen.getByRole("log", { name: "Conversation" });
  const heard = () => [log.getAttribute("aria-busy"), log.getAttribute("aria-live")];

  expect(heard()).toEqual(["false", "off"]);
  act(() => set({ messages: [question("Hello"), answer({ phase: { kind: "connecting" } })] }));
  expect(heard()).toEqual(["true", "off"]);
});
