import { expect, test } from "vitest";
import { silencesStrength } from "./Hints";

test.each([
  ["Explain your Reasoning Effort.", true],
  ["reasoning strength: low", true],
  ["Give reasons, with effort and strength.", false],
  ["", false],
])("the system message %j silences the reasoning control: %s", (system, expected) => {
  expect(silencesStrength(system)).toBe(expected);
});
