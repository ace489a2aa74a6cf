/**
 * Which keys do what, and where?
 *
 * The one table: handlers ask it (`commandOf`), and the help sheet prints it. No single letter or
 * sign is a shortcut outside the field it belongs to (WCAG 2.1.4), and no chord uses Alt, which types
 * characters and belongs to assistive technology. On a Mac, Ctrl stays with the text field.
 * Some browsers have a search or a list of bookmarks on Ctrl+K and Ctrl+Shift+O; chat pages share
 * the convention that these are theirs while the page has the focus.
 */

/** Where a shortcut holds. */
export type Place = "page" | "composer" | "empty-composer" | "editor";

export type Command =
  | "focus-composer"
  | "new-chat"
  | "stop"
  | "settings"
  | "help"
  | "send"
  | "newline"
  | "edit-last"
  | "save-edit"
  | "cancel-edit";

export interface Shortcut {
  readonly command: Command;
  readonly place: Place;
  /** `KeyboardEvent.key`, letters in lower case. */
  readonly key: string;
  /** Ctrl, on a Mac Command. */
  readonly mod: boolean;
  /** null: where the key sits decides whether Shift is needed for it. */
  readonly shift: boolean | null;
  readonly does: string;
}

const PLAIN = { mod: false, shift: false } as const;
const MOD = { mod: true, shift: false } as const;

export const SHORTCUTS: readonly Shortcut[] = [
  { command: "stop", place: "page", key: "Escape", ...PLAIN, does: "Stop the answer" },
  { command: "focus-composer", place: "page", key: "k", ...MOD, does: "Go to the message field" },
  {
    command: "new-chat",
    place: "page",
    key: "o",
    mod: true,
    shift: true,
    does: "Start a new chat",
  },
  { command: "settings", place: "page", key: ",", ...MOD, does: "Open or close the settings" },
  { command: "help", place: "page", key: "/", mod: true, shift: null, does: "Show this list" },
  { command: "send", place: "composer", key: "Enter", ...PLAIN, does: "Send" },
  {
    command: "newline",
    place: "composer",
    key: "Enter",
    mod: false,
    shift: true,
    does: "Begin a new line",
  },
  {
    command: "edit-last",
    place: "empty-composer",
    key: "ArrowUp",
    ...PLAIN,
    does: "Edit your last message, while the field is empty",
  },
  { command: "save-edit", place: "editor", key: "Enter", ...MOD, does: "Save" },
  { command: "cancel-edit", place: "editor", key: "Escape", ...PLAIN, does: "Cancel" },
];

/** What of a key event decides. */
export type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "isComposing"
>;

export const ON_MAC = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? "");

/** The command that a key means in these places, if it means one. */
export function commandOf(
  pressed: Pressed,
  places: readonly Place[],
  mac: boolean = ON_MAC,
): Command | null {
  const [chord, other] = mac
    ? [pressed.metaKey, pressed.ctrlKey]
    : [pressed.ctrlKey, pressed.metaKey];
  if (pressed.isComposing || pressed.altKey || other) return null;
  const found = SHORTCUTS.find(
    ({ place, key, mod, shift }) =>
      places.includes(place) &&
      key === (pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key) &&
      mod === chord &&
      (shift === null || shift === pressed.shiftKey),
  );
  return found?.command ?? null;
}

/** The keys of a shortcut as they are written on them. */
export function keysOf({ key, mod, shift }: Shortcut, mac: boolean): readonly string[] {
  const keys = [KEY_NAMES[key] ?? key.toUpperCase()];
  if (shift) keys.unshift(mac ? "⇧" : "Shift");
  if (mod) keys.unshift(mac ? "⌘" : "Ctrl");
  return keys;
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  Escape: "Esc",
  Enter: "Enter",
  ArrowUp: "↑",
};
