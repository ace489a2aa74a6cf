// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createRef } from "react";
import { afterEach, expect, test } from "vitest";
import { answer, drawn, question } from "../../testing/drawn";
import { Composer } from "./Composer";

afterEach(cleanup);

const ANSWERING = [question("Hello"), answer({ phase: { kind: "answering" }, text: "Hi" })];

function draw(part: Parameters<typeof drawn>[0] = {}) {
  const store = drawn(part);
  render(<Composer playground={store.playground} field={createRef()} />);
  return { ...store, field: screen.getByRole("textbox", { name: "Message" }) };
}

test("Enter sends, Shift with Enter does not", () => {
  const { asked, field } = draw({ draft: "Hello" });

  fireEvent.keyDown(field, { key: "Enter", shiftKey: true });
  expect(asked).toEqual([]);

  fireEvent.keyDown(field, { key: "Enter" });
  expect(asked).toEqual(["send"]);
});

test.each([
  ["while a character is composed", { key: "Enter", isComposing: true }],
  ["as Safari reports the one that ends a composition", { key: "Enter", keyCode: 229 }],
])("Enter does not send %s", (_, press) => {
  const { asked, field } = draw({ draft: "こんにちは" });

  fireEvent.keyDown(field, press);

  expect(asked).toEqual([]);
});

test("Send becomes Stop and Send again as one element, which keeps the focus", () => {
  const { set } = draw({ draft: "Hello" });
  const button = screen.getByRole("button", { name: "Send" });
  button.focus();

  act(() => set({ draft: "", messages: ANSWERING }));
  expect(screen.getByRole("button", { name: "Stop" })).toBe(button);

  act(() =>
    set({ messages: [question("Hello"), answer({ phase: { kind: "stopping", since: 0 } })] }),
  );
  expect(screen.getByRole("button", { name: "Stopping…" })).toBe(button);

  act(() => set({ messages: [] }));
  expect(screen.getByRole("button", { name: "Send" })).toBe(button);
  expect(document.activeElement).toBe(button);
});

test("the next message may be written while an answer comes, but Enter does not send it", () => {
  const { asked, field } = draw({ messages: ANSWERING });

  fireEvent.change(field, { target: { value: "And then" } });
  fireEvent.keyDown(field, { key: "Enter" });

  expect((field as HTMLTextAreaElement).value).toBe("And then");
  expect(asked).toEqual([]);
});

test("Stop is pressed at once, a double click on Send does not stop what it sent", () => {
  const { asked, set } = draw({ draft: "Hello" });
  const button = screen.getByRole("button", { name: "Send" });

  fireEvent.click(button, { detail: 1 });
  act(() => set({ messages: ANSWERING }));
  fireEvent.click(button, { detail: 2 });
  expect(asked).toEqual(["send"]);

  fireEvent.click(button, { detail: 1 });
  expect(asked).toEqual(["send", "stop"]);
});

test("a picture is taken from a paste, text is left to the browser", () => {
  const { asked, field } = draw();
  const picture = new File(["…"], "a.png", { type: "image/png" });

  fireEvent.paste(field, { clipboardData: { files: [], types: ["text/plain"] } });
  expect(asked).toEqual([]);

  fireEvent.paste(field, { clipboardData: { files: [picture], getData: () => "" } });
  expect(asked).toEqual(["attach"]);
});

test.each([
  ["cells of a table", true],
  ["a.png", false],
])("of a picture that comes with the text %j, the text is pasted: %s", (text, pasted) => {
  const { asked, field } = draw();
  const picture = new File(["…"], "a.png", { type: "image/png" });

  const goesOn = fireEvent.paste(field, {
    clipboardData: { files: [picture], getData: () => text },
  });

  expect([asked, goesOn]).toEqual([["attach"], pasted]);
});
