/** What do tests need of a browser that jsdom does not have? Dialogs, and questions about media. */

/** `<dialog>` opens and closes; modality, backdrop and focus trap are the real browser's. */
export function installDialogs(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
    this.querySelector<HTMLElement>("button, input, [tabindex='0']")?.focus();
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

/** A media query whose answer a test may change. */
export interface FakeMedia {
  readonly query: MediaQueryList;
  set(matches: boolean): void;
}

export function fakeMedia(matches: boolean): FakeMedia {
  const target = new EventTarget() as EventTarget & { matches: boolean };
  target.matches = matches;
  return {
    query: target as unknown as MediaQueryList,
    set(next) {
      target.matches = next;
      target.dispatchEvent(new Event("change"));
    },
  };
}

/** `window.matchMedia` gives the same answer to every question, until it is set. */
export function installMedia(matches: boolean): FakeMedia {
  const media = fakeMedia(matches);
  window.matchMedia = () => media.query;
  return media;
}
