import { expect, test } from "vitest";
import { commandOf, keysOf, type Place, type Pressed, SHORTCUTS } from "./shortcuts";

const NOTHING: Pressed = {
  key: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
};

/** A key event from the keys that are down. */
function pressed(keys: string): Pressed {
  const down = keys.split("+");
  return {
    ...NOTHING,
    key: down.at(-1) ?? "",
    ctrlKey: down.includes("Ctrl"),
    metaKey: down.includes("Cmd"),
    altKey: down.includes("Alt"),
    shiftKey: down.includes("Shift"),
  };
}

test.each<[string, Place, string]>([
  ["Escape", "page", "stop"],
  ["Ctrl+k", "page", "focus-composer"],
  ["Ctrl+Shift+O", "page", "new-chat"],
  ["Ctrl+,", "page", "settings"],
  ["Ctrl+/", "page", "help"],
  ["Ctrl+Shift+/", "page", "help"],
  ["Enter", "composer", "send"],
  ["Shift+Enter", "composer", "newline"],
  ["ArrowUp", "empty-composer", "edit-last"],
  ["Ctrl+Enter", "editor", "save-edit"],
  ["Escape", "editor", "cancel-edit"],
])("%s on %s is %s", (keys, place, command) => {
  expect(commandOf(pressed(keys), [place], false)).toBe(command);
});

test.each(["k", "?", "/", "Alt+k", "Ctrl+Alt+k", "Cmd+k", "Ctrl+Cmd+k", "Ctrl+Shift+k", "Enter"])(
  "%s means nothing on the page",
  (keys) => {
    expect(commandOf(pressed(keys), ["page"], false)).toBeNull();
  },
);

test("on a Mac the chord is Command, and Ctrl stays with the text field", () => {
  expect(commandOf(pressed("Cmd+k"), ["page"], true)).toBe("focus-composer");
  expect(commandOf(pressed("Ctrl+k"), ["page"], true)).toBeNull();
});

test("Enter that ends a composition sends nothing", () => {
  expect(commandOf({ ...pressed("Enter"), isComposing: true }, ["composer"], false)).toBeNull();
});

test("no two shortcuts of a place have the same keys", () => {
  const all = SHORTCUTS.map(({ place, key, mod, shift }) => [place, key, mod, shift].join());

  expect(new Set(all).size).toBe(all.length);
});

test("no letter or sign is a shortcut by itself", () => {
  const bare = SHORTCUTS.filter(({ key, mod }) => key.length === 1 && !mod);

  expect(bare).toEqual([]);
});

test("keys are written as they are on the keyboard", () => {
  const newChat = SHORTCUTS.find(({ command }) => command === "new-chat");
  if (!newChat) throw new Error("there is no shortcut for a new chat");

  expect(keysOf(newChat, false)).toEqual(["Ctrl", "Shift", "O"]);
  expect(keysOf(newChat, true)).toEqual(["⌘", "⇧", "O"]);
});
