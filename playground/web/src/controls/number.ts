/**
 * Which number does a text mean, and is it one that is allowed?
 *
 * Nothing is clamped or rounded: a text outside the range is a problem, said with the range.
 */
import type { Reading } from "./useDraft";

/** Which numbers a field takes, both ends included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** How far an arrow key goes. */
  readonly step: number;
  /** Whole numbers alone. */
  readonly integer: boolean;
  /** Whether blank is a value, null. */
  readonly optional: boolean;
}

const DECIMAL = /^[+-]?(\d+[.,]?\d*|[.,]\d+)$/;
const GROUPED = /^\d{1,3}(,\d{3})+$/;
const grouping = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

/** "0 to 2", "1 to 8,192". */
export function rangeInWords({ min, max }: NumberRange): string {
  return `${grouping.format(min)} to ${grouping.format(max)}`;
}

/** Read a text. A comma is a point, as many write it, or between thousands of a whole number. */
export function readNumber(text: string, range: NumberRange): Reading<number | null> {
  const written = text.trim();
  const wanted = `${range.integer ? "a whole number" : "a number"} from ${rangeInWords(range)}`;
  if (written === "") {
    return range.optional ? { value: null } : { problem: `Blank. Enter ${wanted}.` };
  }
  const digits =
    range.integer && GROUPED.test(written)
      ? written.replaceAll(",", "")
      : written.replace(",", ".");
  const value = DECIMAL.test(written) || GROUPED.test(written) ? Number(digits) : Number.NaN;
  if (Number.isNaN(value)) return { problem: `“${written}” is not a number. Enter ${wanted}.` };
  if (value < range.min || value > range.max) {
    return { problem: `${written} is out of range. Enter ${wanted}.` };
  }
  if (range.integer && !Number.isInteger(value)) {
    return { problem: `${written} is not whole. Enter ${wanted}.` };
  }
  return { value };
}

/** One step up or down from a value, along multiples of the step, within the range. */
export function stepFrom(value: number, direction: 1 | -1, range: NumberRange): number {
  const next = Math.round(value / range.step + direction) * range.step;
  const decimals = range.step.toString().split(".")[1]?.length ?? 0;
  return Math.min(range.max, Math.max(range.min, Number(next.toFixed(decimals))));
}
