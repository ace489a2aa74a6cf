// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { AssistantMessage } from "../../conversation/model";
import { answer } from "../../testing/drawn";
import { installSizes } from "../../testing/sizes";
import { Thinking } from "./Thinking";

installSizes();
afterEach(cleanup);

const THINKING = answer({ phase: { kind: "thinking" }, reasoning: "Hm.", thoughtFrom: 1000 });
const ANSWERING = answer({
  phase: { kind: "answering" },
  reasoning: "Hm.",
  thoughtFrom: 1000,
  thoughtTo: 4100,
  text: "So",
});

function drawing(message: AssistantMessage, onToggle = (_: boolean) => {}) {
  return (
    <Thinking message={message} onToggle={onToggle}>
      Hm.
    </Thinking>
  );
}

const toggle = () => screen.getByRole("button");
const isOpen = () => toggle().getAttribute("aria-expanded") === "true";

test("it is open while reasoning arrives and closes at the first text of the answer", () => {
  const { rerender } = render(drawing(THINKING));
  expect([isOpen(), toggle().textContent]).toEqual([true, "Thinking… 0s"]);

  rerender(drawing(ANSWERING));
  expect([isOpen(), toggle().textContent]).toEqual([false, "Thought for 3.1 s"]);
});

test("a thought that came in one piece is not said to have taken no time", () => {
  const at = ANSWERING.thoughtFrom;

  render(drawing({ ...ANSWERING, thoughtTo: at }));
  expect(toggle().textContent).toBe("Thought for under 0.1 s");
});

test("what a person chose holds, whatever the turn does", () => {
  const { rerender } = render(drawing({ ...THINKING, thoughtOpen: false }));
  expect(isOpen()).toBe(false);

  rerender(drawing({ ...ANSWERING, thoughtOpen: true }));
  expect(isOpen()).toBe(true);
});

test("the toggle asks for the opposite of what is shown", () => {
  const chosen: boolean[] = [];
  const { rerender } = render(drawing(THINKING, (open) => chosen.push(open)));

  fireEvent.click(toggle());
  rerender(drawing(ANSWERING, (open) => chosen.push(open)));
  fireEvent.click(toggle());

  expect(chosen).toEqual([false, true]);
});
