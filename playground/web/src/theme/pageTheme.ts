/** What is the theme made of on a real page? */
import { createTheme, type Theme } from "./theme";

/** To be built once, where the page starts. */
export function themeOfPage(): Theme {
  return createTheme({
    root: document.documentElement,
    storage: storageOrNone(),
    dark: window.matchMedia("(prefers-color-scheme: dark)"),
    window,
  });
}

/** Blocked storage throws when it is merely looked at. */
function storageOrNone(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
