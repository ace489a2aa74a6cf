import fc from "fast-check";
import { expect, test } from "vitest";
import { type NumberRange, rangeInWords, readNumber, stepFrom } from "./number";

const temperature: NumberRange = { min: 0, max: 2, step: 0.05, integer: false, optional: false };
const tokens: NumberRange = { min: 1, max: 8192, step: 1, integer: true, optional: true };

test.each([
  ["0.7", 0.7],
  [" 1 ", 1],
  ["0,7", 0.7],
  [".5", 0.5],
  ["2.", 2],
  ["2", 2],
])("reads %j as a number", (text, value) => {
  expect(readNumber(text, temperature)).toEqual({ value });
});

test("reads a whole number with or without commas between thousands", () => {
  expect(readNumber("1,024", tokens)).toEqual({ value: 1024 });
  expect(readNumber("1024", tokens)).toEqual({ value: 1024 });
});

test("blank is null where a field is optional, and a problem where it is not", () => {
  expect(readNumber(" ", tokens)).toEqual({ value: null });
  expect(readNumber("", temperature)).toEqual({ problem: "Blank. Enter a number from 0 to 2." });
});

test.each([
  ["3", temperature, "3 is out of range. Enter a number from 0 to 2."],
  ["-0.1", temperature, "-0.1 is out of range. Enter a number from 0 to 2."],
  ["warm", temperature, "“warm” is not a number. Enter a number from 0 to 2."],
  ["1e1", temperature, "“1e1” is not a number. Enter a number from 0 to 2."],
  ["Infinity", temperature, "“Infinity” is not a number. Enter a number from 0 to 2."],
  [".", temperature, "“.” is not a number. Enter a number from 0 to 2."],
  ["1.5", tokens, "1.5 is not whole. Enter a whole number from 1 to 8,192."],
  ["9,000", tokens, "9,000 is out of range. Enter a whole number from 1 to 8,192."],
])("says what is wrong with %j, and what would be right", (text, range, problem) => {
  expect(readNumber(text, range)).toEqual({ problem });
});

test("never gives a number outside the range, whatever is typed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
      const reading = readNumber(text, temperature);
      if ("problem" in reading) return;
      expect(reading.value).toBeGreaterThanOrEqual(0);
      expect(reading.value).toBeLessThanOrEqual(2);
    }),
  );
});

test("steps along multiples of the step without leaving the range", () => {
  expect(stepFrom(0.7, 1, temperature)).toBe(0.75);
  expect(stepFrom(0.1, 1, temperature)).toBe(0.15);
  expect(stepFrom(2, 1, temperature)).toBe(2);
  expect(stepFrom(1, -1, tokens)).toBe(1);
});

test("tells a range with its thousands apart", () => {
  expect(rangeInWords(tokens)).toBe("1 to 8,192");
});
