/**
 * What is maths, and what is money? Maths only where nothing else can be meant.
 *
 *   $$ … $$   \[ … \]   on lines of their own: a block, which a blank line ends
 *   $$ … $$   \( … \)   \[ … \]   within a paragraph; the last only if it holds something of maths,
 *                       for `\[1\]` is how one writes a bracket
 *   $ … $     by pandoc's rule: on one line, no space inside the dollars, no digit after the second;
 *             besides, no letter or digit touches them from outside, and a number with words after it
 *             is a price
 *
 * A micromark extension and what turns its tokens into mdast.
 */
import type { Literal } from "mdast";
import type { Extension as TreeExtension } from "mdast-util-from-markdown";
import type {
  Code,
  Construct,
  Effects,
  Extension,
  State,
  TokenizeContext,
} from "micromark-util-types";

export interface Maths extends Literal {
  type: "math" | "inlineMath";
  /** Shown on a line of its own; a block that is not closed is not maths yet. */
  display: boolean;
  closed: boolean;
}

export interface InlineMaths extends Maths {
  type: "inlineMath";
}

export interface MathsBlock extends Maths {
  type: "math";
}

declare module "mdast" {
  interface PhrasingContentMap {
    inlineMath: InlineMaths;
  }
  interface BlockContentMap {
    math: MathsBlock;
  }
  interface RootContentMap {
    inlineMath: InlineMaths;
    math: MathsBlock;
  }
}

declare module "micromark-util-types" {
  interface TokenTypeMap {
    mathsText: "mathsText";
    mathsFlow: "mathsFlow";
    mathsData: "mathsData";
  }
}

/** The names of the constructs within a paragraph. */
export const MATHS_MARKS = ["mathsText"];

const DOLLAR = 36;
const BACKSLASH = 92;

export function maths(): Extension {
  const text: Construct = { name: "mathsText", tokenize: tokenizeText };
  const flow: Construct = { name: "mathsFlow", tokenize: tokenizeFlow, concrete: true };
  return {
    text: { [DOLLAR]: text, [BACKSLASH]: text },
    flow: { [DOLLAR]: flow, [BACKSLASH]: flow },
  };
}

export function mathsFromMarkdown(): TreeExtension {
  return {
    enter: {
      mathsText(token) {
        const written = this.sliceSerialize(token);
        const [open = "", close = ""] = marksOf(written);
        const value = written.slice(open.length, -close.length).trim();
        const display = open === "$$" || open === "\\[";
        this.enter({ type: "inlineMath", value, display, closed: true }, token);
      },
      mathsFlow(token) {
        const written = this.sliceSerialize(token).trim();
        const [open = "", close = ""] = marksOf(written);
        const closed = written.length >= open.length + close.length && written.endsWith(close);
        const value = closed ? written.slice(open.length, -close.length).trim() : written;
        this.enter({ type: "math", value, display: true, closed }, token);
      },
    },
    exit: {
      mathsText(token) {
        this.exit(token);
      },
      mathsFlow(token) {
        this.exit(token);
      },
    },
  };
}

/** Where the maths that begins at `from` in a text ends, or -1; the rule of the construct, on a string. */
export function endOfMaths(text: string, from: number): number {
  const [open, close] = marksOf(text.slice(from, from + 2));
  if (open === undefined || close === undefined) return -1;
  if (open === "$" && isWord(text.charCodeAt(from - 1))) return -1;
  for (let at = from + open.length; at < text.length; at++) {
    if (open === "$" && text[at] === "\n") return -1;
    if (text.startsWith(close, at)) {
      const content = text.slice(from + open.length, at);
      return isMaths(open, content, text.charCodeAt(at + close.length)) ? at + close.length : -1;
    }
    if (text[at] === "\\") at++;
  }
  return -1;
}

function marksOf(text: string): [string, string] | [] {
  if (text.startsWith("$$")) return ["$$", "$$"];
  if (text.startsWith("$")) return ["$", "$"];
  if (text.startsWith("\\(")) return ["\\(", "\\)"];
  if (text.startsWith("\\[")) return ["\\[", "\\]"];
  return [];
}

/** Whether what stands between the marks is maths; `after` is the character code that follows. */
function isMaths(open: string, content: string, after: Code): boolean {
  if (content.trim() === "") return false;
  if (open === "\\[") return /[\\^_=+<>]|\d\s*[-*/]/.test(content);
  if (open !== "$") return true;
  return !/^\s|\s$/.test(content) && !isWord(after) && after !== DOLLAR && !isPrice(content);
}

/** A number with a word after it, or with nothing but what prices have: `5 for US`, `20/month or`. */
function isPrice(content: string): boolean {
  if (!/^\d/.test(content)) return false;
  const bare = content.replace(/\\[a-zA-Z]+|\{[^{}]*\}/g, "");
  return /[a-zA-Z]{2}|,\s|[-–—]$/.test(bare);
}

function isWord(code: Code): boolean {
  if (code === null || code < 0 || Number.isNaN(code)) return false;
  return /[\p{L}\p{N}]/u.test(String.fromCharCode(code));
}

function tokenizeText(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const { previous } = this;
  const { take, leave } = insideOf(effects);
  let open = "";
  let content = "";
  return begin;

  function begin(code: Code): State | undefined {
    effects.enter("mathsText");
    take(code);
    open = code === DOLLAR ? "$" : "\\";
    return second;
  }

  function second(code: Code): State | undefined {
    if (open === "\\" && code !== 40 && code !== 91) return nok(code);
    if (open === "\\" || code === DOLLAR) {
      open += String.fromCharCode(code ?? 0);
      take(code);
      return within;
    }
    return isWord(previous) ? nok(code) : within(code);
  }

  function within(code: Code): State | undefined {
    if (code === null || (open === "$" && isLineEnd(code))) return nok(code);
    take(code);
    if (open.startsWith("$") && code === DOLLAR) return open === "$" ? after : closing;
    if (code === BACKSLASH) return escaped;
    content += code < 0 ? " " : String.fromCharCode(code);
    return within;
  }

  /** After a backslash: the end of what a backslash has begun, or any other character. */
  function escaped(code: Code): State | undefined {
    if ((open === "\\(" && code === 41) || (open === "\\[" && code === 93)) {
      take(code);
      return after;
    }
    content += "\\";
    if (code === null || code < 0) return within(code);
    take(code);
    content += String.fromCharCode(code);
    return within;
  }

  /** After the first dollar of the second two. */
  function closing(code: Code): State | undefined {
    if (code !== DOLLAR) {
      content += "$";
      return within(code);
    }
    take(code);
    return after;
  }

  function after(code: Code): State | undefined {
    if (!isMaths(open, content, code)) return nok(code);
    leave();
    effects.exit("mathsText");
    return ok(code);
  }
}

function tokenizeFlow(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const { interrupt } = this;
  const { take, leave } = insideOf(effects);
  const context = this;
  let open = "";
  let line = "";
  return begin;

  function begin(code: Code): State | undefined {
    effects.enter("mathsFlow");
    take(code);
    open = code === DOLLAR ? "$" : "\\";
    return second;
  }

  function second(code: Code): State | undefined {
    if (code !== (open === "$" ? DOLLAR : 91)) return nok(code);
    take(code);
    open = open === "$" ? "$$" : "\\[";
    return first;
  }

  /** The rest of the first line decides what this is. */
  function first(code: Code): State | undefined {
    if (!isLineEnd(code)) {
      take(code);
      line += code === null || code < 0 ? " " : String.fromCharCode(code);
      return first;
    }
    const close = open === "$$" ? "$$" : "\\]";
    const inside = line.trim();
    const whole = inside.endsWith(close);
    const content = inside.slice(0, whole ? -close.length : undefined);
    if (content.includes(close) || (whole && !isMaths(open, content, null))) return nok(code);
    if (!whole && open === "$$" && inside !== "" && !inside.startsWith("\\")) return nok(code);
    return whole || interrupt ? done(code) : next(code);
  }

  /** At the end of a line that has not closed: on to the next one, unless it is blank or lazy. */
  function next(code: Code): State | undefined {
    if (code === null) return done(code);
    return effects.check({ tokenize: goesOn, partial: true }, onward, done)(code);
  }

  function onward(code: Code): State | undefined {
    take(code);
    line = "";
    return further;
  }

  function further(code: Code): State | undefined {
    if (!isLineEnd(code)) {
      take(code);
      line += code === null || code < 0 ? " " : String.fromCharCode(code);
      return further;
    }
    const close = open === "$$" ? "$$" : "\\]";
    return line.trimEnd().endsWith(close) ? done(code) : next(code);
  }

  function done(code: Code): State | undefined {
    leave();
    effects.exit("mathsFlow");
    return ok(code);
  }

  function goesOn(effects: Effects, ok: State, nok: State): State {
    const ahead = insideOf(effects);
    return (code) => {
      ahead.take(code);
      return (code) => (context.parser.lazy[context.now().line] ? nok(code) : blank(code));
    };

    function blank(code: Code): State | undefined {
      if (isLineEnd(code)) return nok(code);
      if (code !== -2 && code !== -1 && code !== 32) {
        ahead.leave();
        return ok(code);
      }
      ahead.take(code);
      return blank;
    }
  }
}

/** Writes the inside of a token: its lines and line ends are tokens of their own, as micromark wants it. */
function insideOf(effects: Effects): { take: (code: Code) => void; leave: () => void } {
  let inData = false;
  const leave = (): void => {
    if (inData) effects.exit("mathsData");
    inData = false;
  };
  const take = (code: Code): void => {
    if (isLineEnd(code)) {
      leave();
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return;
    }
    if (!inData) effects.enter("mathsData");
    inData = true;
    effects.consume(code);
  };
  return { take, leave };
}

function isLineEnd(code: Code): boolean {
  return code === null || (code <= -3 && code >= -5);
}
