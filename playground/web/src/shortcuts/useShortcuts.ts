/**
 * Who hears the keys that hold on the whole page?
 *
 * One listener, on the document. It is quiet while a dialog or a menu is open, which have keys of
 * their own, and where an element has dealt with the key already.
 */
import { useEffect, useRef } from "react";
import { type Command, commandOf } from "./shortcuts";

export type Handlers = Readonly<Partial<Record<Command, () => void>>>;

export function useShortcuts(handlers: Handlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open], [role=menu]")) return;
      const command = commandOf(event, ["page"]);
      const handle = command && latest.current[command];
      if (!handle) return;
      event.preventDefault();
      handle();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
