/** How does a text field grow with its text? By CSS `field-sizing`, or by measuring where there is none. */
import { type RefObject, useLayoutEffect } from "react";

const BY_STYLE = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

export function useAutoGrow(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the text that changes the height
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null || BY_STYLE) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
  }, [field, text]);
}
