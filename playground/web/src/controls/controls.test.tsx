// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeAll, expect, test } from "vitest";
import { findingsOf } from "../testing/axe";
import { installDialogs } from "../testing/browser";
import { Dialog } from "./Dialog";
import { Menu } from "./Menu";
import { Segmented } from "./Segmented";
import { Switch } from "./Switch";
import { TextArea } from "./TextArea";

beforeAll(installDialogs);
afterEach(cleanup);

test("a segmented control is a radio group with one choice", () => {
  const chosen: string[] = [];
  const options = [
    { value: "low", label: "Low" },
    { value: "high", label: "High" },
  ];
  render(
    <Segmented
      label="Reasoning"
      value="low"
      options={options}
      onChange={(value) => chosen.push(value)}
    />,
  );

  fireEvent.click(screen.getByRole("radio", { name: "High" }));

  expect(screen.getByRole("radiogroup", { name: "Reasoning" })).toBeDefined();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Low" }).checked).toBe(true);
  expect(chosen).toEqual(["high"]);
});

test("a switch says whether it is on, and its label works it too", () => {
  const turned: boolean[] = [];
  render(<Switch label="DFlash" on={false} onChange={(on) => turned.push(on)} />);
  const control = screen.getByRole("switch", { name: "DFlash" });

  fireEvent.click(screen.getByText("DFlash"));

  expect(control.getAttribute("aria-checked")).toBe("false");
  expect(turned).toEqual([true]);
});

test("a text area commits when it is left, and not before", () => {
  const committed: string[] = [];
  const onCommit = (text: string) => committed.push(text);
  render(
    <TextArea label="System message" text="" read={(value) => ({ value })} onCommit={onCommit} />,
  );
  const field = screen.getByRole("textbox", { name: "System message" });

  fireEvent.change(field, { target: { value: "Be brief." } });
  expect(committed).toEqual([]);
  fireEvent.blur(field);

  expect(committed).toEqual(["Be brief."]);
});

function Opener() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Dialog open={open} title="Help" onClose={() => setOpen(false)}>
        <p>Inside</p>
      </Dialog>
    </>
  );
}

/** Opens the dialog as a person does, from a button that has the focus. */
function openDialog(): HTMLElement {
  render(<Opener />);
  const opener = screen.getByRole("button", { name: "Open" });
  opener.focus();
  fireEvent.click(opener);
  return opener;
}

test.each([
  ["its button", () => fireEvent.click(screen.getByRole("button", { name: "Close" }))],
  ["Escape", () => fireEvent(screen.getByRole("dialog"), new Event("cancel", { bubbles: false }))],
  ["a click beside it", () => clickFrom(screen.getByRole("dialog"))],
])("a dialog closed by %s gives the focus back", (_, close) => {
  const opener = openDialog();
  expect(document.activeElement).not.toBe(opener);

  close();

  expect(screen.queryByText("Inside")).toBeNull();
  expect(document.activeElement).toBe(opener);
});

test("a drag from inside a dialog that ends beside it leaves it open", () => {
  openDialog();

  clickFrom(screen.getByText("Inside"));

  expect(screen.getByText("Inside")).toBeDefined();
});

/** A press on an element that is let go beside the dialog: the browser calls that a click there. */
function clickFrom(pressed: Element): void {
  fireEvent.pointerDown(pressed);
  fireEvent.click(screen.getByRole("dialog"));
}

/** A menu of three, and what was chosen from it. */
function showMenu() {
  const chosen: string[] = [];
  const items = ["System", "Light", "Dark"].map((label) => ({
    label,
    checked: label === "Light",
    onChoose: () => chosen.push(label),
  }));
  render(<Menu name="Theme" icon={null} items={items} />);
  return { chosen, button: screen.getByRole("button", { name: "Theme" }) };
}

const focused = () => document.activeElement?.textContent;
const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });

test("a menu opens on the item in force, and says so", () => {
  const { button } = showMenu();

  fireEvent.click(button);

  expect(button.getAttribute("aria-expanded")).toBe("true");
  expect(focused()).toBe("Light");
  expect(document.activeElement?.getAttribute("aria-checked")).toBe("true");
});

test("in a menu, arrows go round, Home and End to the ends, a letter to its item", () => {
  const { button } = showMenu();
  button.focus();
  press("ArrowUp");
  const visited = [focused()];

  for (const key of ["ArrowDown", "ArrowUp", "Home", "End", "l"]) {
    press(key);
    visited.push(focused());
  }

  expect(visited).toEqual(["Dark", "System", "Dark", "System", "Dark", "Light"]);
});

test("Escape closes a menu, gives the focus back, and goes no further", () => {
  const { button, chosen } = showMenu();
  fireEvent.click(button);

  const passed = press("Escape");

  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
  expect(passed).toBe(false);
  expect(chosen).toEqual([]);
});

test("a click beside a menu closes it", () => {
  const { button } = showMenu();
  fireEvent.click(button);

  fireEvent.pointerDown(document.body);

  expect(screen.queryByRole("menu")).toBeNull();
});

test("choosing closes the menu before anything is done", () => {
  const { button, chosen } = showMenu();
  fireEvent.click(button);

  fireEvent.click(screen.getByRole("menuitemradio", { name: "Dark" }));

  expect(chosen).toEqual(["Dark"]);
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
});

test("axe finds nothing in an open menu or dialog", async () => {
  const { button } = showMenu();
  fireEvent.click(button);
  openDialog();

  expect(await findingsOf(document.body)).toEqual([]);
});
