/** Is a key press part of writing a character, rather than a command? */
import type { KeyboardEvent } from "react";

const PROCESSED_BY_INPUT_METHOD = 229;

/** Safari ends the composition before the key that ended it, and tells only by its code. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === PROCESSED_BY_INPUT_METHOD;
}
