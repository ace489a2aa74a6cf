// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { NumberField } from "./NumberField";
import type { NumberRange } from "./number";

afterEach(cleanup);

const range: NumberRange = { min: 0, max: 2, step: 0.05, integer: false, optional: false };

interface FormProps {
  readonly initial: number | null;
  readonly over: Partial<NumberRange>;
  readonly blankedBy: string | undefined;
  readonly committed: (number | null)[];
}

/** A field with a value in force, and a button that changes it from outside. */
function Form({ initial, over, blankedBy, committed }: FormProps) {
  const [value, set] = useState(initial);
  return (
    <>
      <NumberField
        label="Temperature"
        hint="0 to 2"
        value={value}
        range={{ ...range, ...over }}
        {...(blankedBy && { blankedBy })}
        onCommit={(next) => {
          committed.push(next);
          set(next);
        }}
      />
      <button type="button" onClick={() => set(1)}>
        One
      </button>
    </>
  );
}

function show(initial: number | null, over: Partial<NumberRange> = {}, blankedBy?: string) {
  const committed: (number | null)[] = [];
  render(<Form initial={initial} over={over} blankedBy={blankedBy} committed={committed} />);
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Temperature" });
  return {
    committed,
    field,
    type: (text: string) => fireEvent.change(field, { target: { value: text } }),
    press: (key: string) => fireEvent.keyDown(field, { key }),
    leave: () => fireEvent.blur(field),
  };
}

/** The texts that describe an element to a screen reader. */
function descriptionOf(element: Element): readonly (string | null | undefined)[] {
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent);
}

test("can be cleared and half typed without a commit or a complaint", () => {
  const { field, type, committed } = show(0.7);

  type("");
  expect(field.value).toBe("");
  type("1.");

  expect(field.value).toBe("1.");
  expect(committed).toEqual([]);
  expect(screen.queryByRole("alert")).toBeNull();
});

test.each(["leave", "Enter"])("commits by %s", (how) => {
  const { type, press, leave, committed } = show(0.7);

  type("1.2");
  how === "Enter" ? press("Enter") : leave();

  expect(committed).toEqual([1.2]);
});

test.each([
  ["1.2", [1.2]],
  ["3", []],
])("a field that goes away with %j in it commits %j", (text, expected) => {
  const { type, committed } = show(0.7);
  type(text);

  cleanup();

  expect(committed).toEqual(expected);
});

test("does not commit what was not changed", () => {
  const { leave, press, committed } = show(0.7);

  leave();
  press("Enter");

  expect(committed).toEqual([]);
});

test("keeps a wrong text, says what is wrong as its description, and commits nothing", () => {
  const { field, type, leave, committed } = show(0.7);

  type("3");
  leave();

  expect(field.value).toBe("3");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(descriptionOf(field)).toEqual([
    "0 to 2",
    "3 is out of range. Enter a number from 0 to 2.",
  ]);
  expect(committed).toEqual([]);
});

test("a problem goes as soon as the text is right, before it is committed", () => {
  const { field, type, leave, committed } = show(0.7);
  type("3");
  leave();

  type("1.3");

  expect(screen.queryByRole("alert")).toBeNull();
  expect(field.hasAttribute("aria-invalid")).toBe(false);
  expect(committed).toEqual([]);
});

test("blank is a problem where it has to have a value", () => {
  const { type, leave } = show(0.7);

  type("");
  leave();

  expect(screen.getByRole("alert").textContent).toBe("Blank. Enter a number from 0 to 2.");
});

test("blank is committed as null where it is optional", () => {
  const { type, leave, committed } = show(0.7, { optional: true });

  type("");
  leave();

  expect(committed).toEqual([null]);
});

test("Escape takes a draft back and is spent on it; without a draft it passes", () => {
  const { field, type, press } = show(0.7);
  type("1.9");

  const passedWithDraft = press("Escape");
  const passedWithout = press("Escape");

  expect(field.value).toBe("0.7");
  expect([passedWithDraft, passedWithout]).toEqual([false, true]);
});

test("arrow keys step from what is typed, and stay in the range", () => {
  const { type, press, committed } = show(0.7);

  press("ArrowUp");
  type("1.98");
  press("ArrowUp");
  press("ArrowUp");

  expect(committed).toEqual([0.75, 2]);
});

test("a value from outside takes the draft's place", () => {
  const { field, type, leave } = show(0.7);
  type("3");
  leave();

  fireEvent.click(screen.getByRole("button", { name: "One" }));

  expect(field.value).toBe("1");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("its button blanks it, a wrong draft included", () => {
  const { field, type, leave, committed } = show(null, { optional: true }, "Fill context");
  type("99");
  leave();

  fireEvent.click(screen.getByRole("button", { name: "Fill context" }));

  expect(field.value).toBe("");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(committed).toEqual([null]);
});
