// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { type FakeMedia, fakeMedia } from "../testing/browser";
import { createTheme, STORED_AS, type Surroundings } from "./theme";

const root = document.documentElement;

beforeEach(() => {
  localStorage.clear();
  root.removeAttribute("data-theme");
});

function themeOn(media: FakeMedia, storage: Surroundings["storage"] = localStorage) {
  return createTheme({ root, storage, dark: media.query, window });
}

/** A browser that forbids storage. */
const BLOCKED: Surroundings["storage"] = {
  getItem: forbid,
  setItem: forbid,
  removeItem: forbid,
};

function forbid(): never {
  throw new DOMException("blocked", "SecurityError");
}

test("follows the system until something is chosen", () => {
  const media = fakeMedia(true);
  const theme = themeOn(media);
  const shown = [root.dataset.theme];

  media.set(false);
  shown.push(root.dataset.theme);
  theme.choose("dark");
  media.set(true);
  media.set(false);
  shown.push(root.dataset.theme);

  expect(shown).toEqual(["dark", "light", "dark"]);
});

test("keeps a choice, and forgets it for the system's", () => {
  const theme = themeOn(fakeMedia(false));

  theme.choose("dark");
  const kept = localStorage.getItem(STORED_AS);
  theme.choose("system");

  expect(kept).toBe("dark");
  expect(localStorage.getItem(STORED_AS)).toBeNull();
  expect(root.dataset.theme).toBe("light");
});

test("a blocked storage changes nothing but how long a choice lasts", () => {
  const theme = themeOn(fakeMedia(false), BLOCKED);

  theme.choose("dark");

  expect(theme.getChoice()).toBe("dark");
  expect(root.dataset.theme).toBe("dark");
});

test("another tab's choice arrives here", () => {
  const theme = themeOn(fakeMedia(false));
  let told = 0;
  theme.subscribe(() => {
    told += 1;
  });

  localStorage.setItem(STORED_AS, "dark");
  window.dispatchEvent(new StorageEvent("storage", { key: STORED_AS }));

  expect(theme.getChoice()).toBe("dark");
  expect(root.dataset.theme).toBe("dark");
  expect(told).toBe(1);
});

test("the browser's frame takes the page's colour", () => {
  root.style.backgroundColor = "rgb(1, 2, 3)";

  themeOn(fakeMedia(false));
  themeOn(fakeMedia(false));

  const metas = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]');
  expect([...metas].map((meta) => meta.content)).toEqual(["rgb(1, 2, 3)"]);
});

describe("before anything is drawn", () => {
  const script = readFileSync(`${import.meta.dirname}/../../public/theme.js`, "utf8");

  test.each([null, "light", "dark", "system", "<svg>"])(
    "theme.js says what the theme will say, with %j kept",
    (kept) => {
      for (const dark of [false, true]) {
        const storage = { getItem: () => kept, setItem() {}, removeItem() {} };
        const media = fakeMedia(dark);

        new Function("localStorage", "matchMedia", script)(storage, () => media.query);
        const before = root.dataset.theme;
        themeOn(media, storage);

        expect(before).toBe(root.dataset.theme);
      }
    },
  );

  test("theme.js follows the system where storage is blocked", () => {
    new Function("localStorage", "matchMedia", script)(BLOCKED, () => fakeMedia(true).query);

    expect(root.dataset.theme).toBe("dark");
  });
});
