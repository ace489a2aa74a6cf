/**
 * Which theme holds: the person's choice, or the system's?
 *
 * `<html data-theme>` is always `light` or `dark`, and the `theme-color` of the browser's frame
 * follows the page's ground. `public/theme.js` says the same before anything is drawn, so that no
 * page flashes; a test holds the two together. The choice is kept as `muse:theme`, unless it is
 * "system", which is nothing to keep; a browser that forbids storage forgets it with the page.
 */

export type Choice = "system" | "light" | "dark";

/** What the theme depends on, all of it passed in. */
export interface Surroundings {
  readonly root: HTMLElement;
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  /** `(prefers-color-scheme: dark)` */
  readonly dark: Pick<MediaQueryList, "matches" | "addEventListener">;
  /** Other tabs' changes of the storage arrive here. */
  readonly window: Pick<Window, "addEventListener">;
}

export interface Theme {
  getChoice(): Choice;
  choose(choice: Choice): void;
  subscribe(listener: () => void): () => void;
}

export const STORED_AS = "muse:theme";

export function createTheme({ root, storage, dark, window }: Surroundings): Theme {
  const listeners = new Set<() => void>();
  let choice = stored(storage);

  const apply = () => {
    const shown = choice === "system" ? (dark.matches ? "dark" : "light") : choice;
    root.dataset.theme = shown;
    colourFrame(root);
    for (const listener of listeners) listener();
  };

  dark.addEventListener("change", apply);
  window.addEventListener("storage", (event) => {
    if (event.key !== STORED_AS && event.key !== null) return;
    choice = stored(storage);
    apply();
  });
  apply();

  return {
    getChoice: () => choice,
    choose(next) {
      choice = next;
      keep(storage, next);
      apply();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function stored(storage: Surroundings["storage"]): Choice {
  try {
    const kept = storage?.getItem(STORED_AS);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

function keep(storage: Surroundings["storage"], choice: Choice): void {
  try {
    if (choice === "system") storage?.removeItem(STORED_AS);
    else storage?.setItem(STORED_AS, choice);
  } catch {
    // forgotten with the page
  }
}

/** `<meta name="theme-color">` takes the colour that the style sheet gives the page. */
function colourFrame(root: HTMLElement): void {
  const page = root.ownerDocument;
  const colour = page.defaultView?.getComputedStyle(root).backgroundColor;
  if (!colour) return;
  let meta = page.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (!meta) {
    meta = page.createElement("meta");
    meta.name = "theme-color";
    page.head.append(meta);
  }
  meta.content = colour;
}
