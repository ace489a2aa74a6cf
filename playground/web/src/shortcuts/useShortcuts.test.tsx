// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useShortcuts } from "./useShortcuts";

afterEach(cleanup);

function Page({ stop, children }: { stop: () => void; children?: React.ReactNode }) {
  useShortcuts({ stop });
  return <main>{children}</main>;
}

/** How often Escape, pressed on an element of the page, stopped the answer. */
function stopsAfterEscapeOn(text: string, children: React.ReactNode): number {
  let stops = 0;
  const stop = () => {
    stops += 1;
  };
  render(<Page stop={stop}>{children}</Page>);
  fireEvent.keyDown(screen.getByText(text), { key: "Escape" });
  return stops;
}

test("Escape anywhere on the page stops the answer", () => {
  expect(stopsAfterEscapeOn("here", <p>here</p>)).toBe(1);
});

test("Escape in an open dialog is the dialog's", () => {
  expect(stopsAfterEscapeOn("here", <dialog open>here</dialog>)).toBe(0);
});

test("Escape that an element has dealt with does nothing more", () => {
  const spent = <p onKeyDown={(event) => event.preventDefault()}>here</p>;

  expect(stopsAfterEscapeOn("here", spent)).toBe(0);
});

test("a key without a handler keeps its meaning for the browser", () => {
  render(<Page stop={() => {}}>here</Page>);

  const passed = fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });

  expect(passed).toBe(true);
});

test("the newest handler is called", () => {
  const heard: string[] = [];
  const { rerender } = render(<Page stop={() => heard.push("old")} />);
  rerender(<Page stop={() => heard.push("new")} />);

  fireEvent.keyDown(document.body, { key: "Escape" });

  expect(heard).toEqual(["new"]);
});
