/**
 * What would half-written Markdown look like once it is finished? So it is shown while it streams.
 *
 * The end of the tail is completed or held back, so that no raw mark flickers: open emphasis, code
 * and strikethrough are closed, a link that is not whole is its label, a table without its second
 * line gets one, and a last line that is nothing but a beginning (`#`, `-`, `**`, "```") waits. Only
 * what follows the last beginning of a block is looked at. This is a guess for the moment; when the
 * text has ended, what was written counts.
 */
import { closeMarks } from "./closingMarks";
import { fenceMark } from "./fence";

/** A last line that says nothing yet: it begins a heading, item, rule, fence, quote, row or formula. */
const BEGINNING =
  /^[ \t]*(?:>[ \t]?)*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:#{1,6}|[-+*_=~`]+|\d{1,9}[.)]|\$\$?|\\[[(]?|!|\|)?[ \t]*$/;

/** The marks that a line begins a block with, before what it says. */
const BLOCK_MARKS =
  /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)]|#{1,6})[ \t]+|>)+(?:\[[ xX]?(?:\](?:[ \t]|$)|$))?/;

const DELIMITERS = /^[ \t]*\|?[ \t:|-]*$/;

/** A tail that is still arriving, made whole. */
export function closeHalfOpen(source: string): string {
  const lines = source.split("\n");
  if (isOpenFence(lines)) return source;
  if (lines.at(-1) !== "" && BEGINNING.test(lines.at(-1) ?? "")) {
    lines.pop();
    if (lines.every((line) => line.trim() === "")) return "";
  }
  const first = beginningOfRun(lines);
  const before = lines.slice(0, first).map((line) => `${line}\n`);
  const run = lines.slice(first).join("\n");
  if (isRow(run)) return before.join("") + wholeTable(lines.slice(first));
  const marks = BLOCK_MARKS.exec(run)?.[0] ?? "";
  if (marks === run) return before.join("") + marks.replace(/\[[ xX]?\]?$/, "");
  return before.join("") + marks + closeMarks(run.slice(marks.length));
}

/** The line that the last block begins on, as far as lines can tell. */
function beginningOfRun(lines: readonly string[]): number {
  let first = lines.length - 1;
  if (lines[first] === "") first--; // the line that is about to begin
  if (isRow(lines[first])) {
    while (isRow(lines[first - 1])) first--;
    return first;
  }
  for (; first > 0; first--) {
    if (BLOCK_MARKS.test(lines[first] ?? "") || lines[first - 1]?.trim() === "") break;
  }
  return Math.max(0, first);
}

function isRow(line: string | undefined): boolean {
  return line !== undefined && /^[ \t]*\|/.test(line);
}

/** Whether the last line stands in a fence: one of a list or quote, for one at the top is never parsed. */
function isOpenFence(lines: readonly string[]): boolean {
  let open: string | null = null;
  for (const line of lines) {
    const mark = fenceMark(line.replace(/^(?:[ \t]|>|[-+*][ \t]|\d{1,9}[.)][ \t])+/, ""));
    if (mark === null) continue;
    if (open === null) open = mark;
    else if (mark.startsWith(open) && line.trimEnd().endsWith(mark)) open = null;
  }
  return open !== null;
}

/** Rows that a delimiter row makes a table, the last cell of the last row with its marks closed. */
function wholeTable(rows: readonly string[]): string {
  const [head = "", delimiters = ""] = rows;
  if (!DELIMITERS.test(delimiters) || rows.length > 2) return closeRow(rows.join("\n"));
  const closed = rows.length === 1 ? closeRow(head) : head;
  const cells = closed
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/).length;
  return `${closed}\n|${" --- |".repeat(cells)}`;
}

function closeRow(rows: string): string {
  const cell = Math.max(rows.lastIndexOf("|"), rows.lastIndexOf("\n")) + 1;
  return rows.slice(0, cell) + closeMarks(rows.slice(cell));
}
