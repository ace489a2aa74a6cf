import { expect, test } from "vitest";
import { readStops } from "./stops";

test("each line is a stop string, blank lines are none, and spaces count", () => {
  expect(readStops("END\n\n  two spaces\n")).toEqual({ value: ["END", "  two spaces"] });
});

test("more than sixteen are refused, and none is cut off", () => {
  expect(readStops("x\n".repeat(16))).toEqual({ value: Array(16).fill("x") });
  expect(readStops("x\n".repeat(17))).toEqual({
    problem: "17 stop strings. At most 16 are allowed.",
  });
});

test("a long one is named by its place and length, in characters and not in code units", () => {
  expect(readStops("🙂".repeat(256))).toEqual({ value: ["🙂".repeat(256)] });
  expect(readStops(`a\n${"🙂".repeat(257)}`)).toEqual({
    problem: "Stop string 2 has 257 characters. At most 256 are allowed.",
  });
});
