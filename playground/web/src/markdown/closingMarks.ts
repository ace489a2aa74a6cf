/**
 * Which marks does the text of a half-written paragraph still lack? One pass, as CommonMark pairs them.
 *
 * What is open gets its end; what has only just begun (`**` with nothing behind it, `[text](htt`) is
 * left out until there is more.
 */
import { endOfMaths } from "./maths";

/** How far ahead the other end of a link or formula is looked for. */
const REACH = 1000;

/** An emphasis that is open: its mark, how many of it, and where in the output it begins. */
interface OpenMark {
  readonly mark: string;
  length: number;
  readonly at: number;
}

export function closeMarks(text: string): string {
  const open: OpenMark[] = [];
  let out = "";
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? "";
    const step = STEPS[char]?.(text, at) ?? null;
    if (step === null && "*_~".includes(char)) {
      const run = runAt(text, at);
      out = emphasis(text, at, run, open, out);
      at += run.length;
    } else if (step === null) {
      out += char;
      at++;
    } else {
      out += step.shown;
      at = step.next;
    }
  }
  return closed(out, open);
}

/** What a mark at `at` shows, and where the text goes on; null where it is a character like others. */
type Step = (text: string, at: number) => { shown: string; next: number } | null;

const STEPS: Record<string, Step> = {
  "\\": (text, at) => maths(text, at) ?? taken(text, at, at + 2),
  $: (text, at) => maths(text, at),
  "`": code,
  "!": (text, at) => (text[at + 1] === "[" ? image(text, at) : null),
  "[": link,
  "<": autolink,
};

function taken(text: string, at: number, next: number) {
  return { shown: text.slice(at, next), next };
}

function code(text: string, at: number) {
  const run = runAt(text, at);
  const from = at + run.length;
  for (let end = text.indexOf(run, from); end >= 0; end = text.indexOf(run, end + 1)) {
    const other = runAt(text, end);
    if (other.length === run.length) return taken(text, at, end + run.length);
    end += other.length - 1;
  }
  const inside = text.slice(from).replace(/`+$/, "");
  return { shown: inside.trim() === "" ? "" : run + inside + run, next: text.length };
}

/** A formula is taken whole; one that backslashes have begun waits for its end. */
function maths(text: string, at: number) {
  const end = endOfMaths(text.slice(0, at + REACH), at);
  if (end >= 0) return taken(text, at, end);
  const begun = /^(?:\\\(|\\\[|\$\$)/.test(text.slice(at, at + 2));
  const close = text[at] === "$" ? "$$" : text[at + 1] === "(" ? "\\)" : "\\]";
  if (!begun || text.length - at > REACH || text.includes(close, at + 2)) return null;
  return { shown: "", next: text.length };
}

/** A link is taken whole, its label read on; one that is not whole is its label. */
function link(text: string, at: number) {
  const label = endOfLabel(text, at);
  if (label < 0) return text.startsWith("[^", at) ? { shown: "", next: text.length } : unmarked(at);
  const next = text[label + 1];
  if (next === undefined) return { shown: text.slice(at + 1, label), next: text.length };
  if (next !== "(" && next !== "[") return null;
  const end = next === "(" ? endOfTarget(text, label + 1) : endOfLabel(text, label + 1);
  if (end >= 0) {
    const inside = closeMarks(text.slice(at + 1, label));
    return { shown: `[${inside}${text.slice(label, end + 1)}`, next: end + 1 };
  }
  if (text.length - label > REACH) return null;
  return { shown: closeMarks(text.slice(at + 1, label)), next: text.length };
}

/** An image says nothing before it is whole. */
function image(text: string, at: number) {
  const label = endOfLabel(text, at + 1);
  const next = text[label + 1];
  const end = next === "(" ? endOfTarget(text, label + 1) : label;
  if (label >= 0 && next !== undefined && end >= 0) return taken(text, at, end + 1);
  return text.length - at > REACH ? null : { shown: "", next: text.length };
}

function autolink(text: string, at: number) {
  const found = /^<[a-z][a-z0-9+.-]{1,31}:[^\s<>]*(>?)/i.exec(text.slice(at, at + REACH));
  if (found === null) return null;
  if (found[1] !== "") return taken(text, at, at + found[0].length);
  return at + found[0].length === text.length ? unmarked(at) : null;
}

/** The mark is left out, what follows it stays. */
function unmarked(at: number) {
  return { shown: "", next: at + 1 };
}

function endOfLabel(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < Math.min(text.length, at + REACH); index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === "[") depth++;
    else if (text[index] === "]" && --depth === 0) return index;
  }
  return -1;
}

function endOfTarget(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < Math.min(text.length, at + REACH); index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === "(") depth++;
    else if (text[index] === ")" && --depth === 0) return index;
  }
  return -1;
}

/** The run of one mark that begins at `at`. */
function runAt(text: string, at: number): string {
  let end = at;
  while (text[end] === text[at]) end++;
  return text.slice(at, end);
}

/** Reads a run of emphasis marks: it closes what is open, opens, or waits at the end of the text. */
function emphasis(text: string, at: number, run: string, open: OpenMark[], out: string): string {
  const mark = run[0] ?? "";
  const before = text[at - 1] ?? " ";
  const after = text[at + run.length];
  const inWord = mark === "_" && isWord(before) && after !== undefined && isWord(after);
  let left = run.length;
  if (mark === "~" && left !== 2) return after === undefined ? out : out + run;
  if (!/\s/.test(before) && !inWord) {
    for (let index = open.length - 1; index >= 0 && left > 0; index--) {
      const other = open[index];
      if (other?.mark !== mark) continue;
      const pairs = Math.min(left, other.length);
      other.length -= pairs;
      left -= pairs;
      open.length = other.length > 0 ? index + 1 : index;
    }
  }
  const shown = out + run.slice(left);
  if (left === 0) return shown;
  if (after === undefined) return shown; // it may open, or be cut in two: it waits
  if (!/\s/.test(after) && !inWord) open.push({ mark, length: left, at: shown.length });
  return shown + run.slice(0, left);
}

/** The output with its open marks closed, from the innermost; those that hold nothing are left out. */
function closed(text: string, open: readonly OpenMark[]): string {
  let out = text;
  for (const { mark, length, at } of [...open].reverse()) {
    const marks = mark.repeat(length);
    const inside = out.slice(at).replace(/^[*_~]+/, "");
    out = inside.trim() === "" ? out.slice(0, at) : out.trimEnd() + marks;
  }
  return out;
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}
