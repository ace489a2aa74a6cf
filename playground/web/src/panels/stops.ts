/** Which stop strings does a text mean, one a line? Blank lines mean nothing. */

import type { Reading } from "../controls/useDraft";
import { MAX_STOP_CHARACTERS, MAX_STOPS } from "../conversation/settings";

export function readStops(text: string): Reading<readonly string[]> {
  const stops = text.split("\n").filter((line) => line.trim() !== "");
  if (stops.length > MAX_STOPS) {
    return { problem: `${stops.length} stop strings. At most ${MAX_STOPS} are allowed.` };
  }
  const long = stops.findIndex((stop) => lengthOf(stop) > MAX_STOP_CHARACTERS);
  if (long < 0) return { value: stops };
  const length = lengthOf(stops[long] ?? "");
  return {
    problem: `Stop string ${long + 1} has ${length} characters. At most ${MAX_STOP_CHARACTERS} are allowed.`,
  };
}

/** Characters as the server counts them: code points. */
function lengthOf(text: string): number {
  return [...text].length;
}
