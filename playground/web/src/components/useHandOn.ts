/** Where does the focus go when what has it goes away? To whoever is named, instead of nowhere. */
import { type RefObject, useLayoutEffect } from "react";

/** Calls `handOn` if the element has the focus in it when it is taken off the page. */
export function useHandOn(element: RefObject<HTMLElement | null>, handOn: () => void): void {
  useLayoutEffect(() => {
    const owner = element.current;
    return () => {
      if (owner?.contains(document.activeElement)) handOn();
    };
  }, [element, handOn]);
}
