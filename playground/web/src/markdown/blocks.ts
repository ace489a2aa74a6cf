/**
 * Which blocks does a growing text have, and which of them can no longer change?
 *
 * Markdown's blocks are closed line by line: once a later block has begun, no line that is still to
 * come can change an earlier one. (A definition is the one exception: the line below may yet be its
 * title, and is read like a paragraph that goes on.) So only the last block is open; all before it are
 * settled, kept by identity and never parsed again, and what is parsed per step is the tail. An open
 * list or table is settled item by item and row by row, an open fence is appended to without parsing,
 * and a long tail that cannot be split (one huge paragraph) is parsed when it has grown by an eighth,
 * what is new shown plain until then. Per step that is at most two parses of a short tail, and over a
 * text of n characters O(n).
 *
 * A label may be defined after it was used: pieces that use it are then parsed once more.
 */
import type { Code, List, ListItem, RootContent, Table, TableRow } from "mdast";
import { closeHalfOpen } from "./closing";
import { closesFence, fenceMark, mayCloseFence } from "./fence";
import { headOf, parse, sourceOf, startOf } from "./grammar";
import { Labels, type Piece } from "./labels";
import { append, at, count, type Pages, replaced } from "./pages";
import { withPlainText } from "./plain";

/** An item of a list or a row of a table. `key` is where it starts in the text. */
export interface Part {
  readonly key: number;
  readonly node: ListItem | TableRow;
}

/** A block at the top level. `key` is where it starts in the text, and stays its own. */
export interface Block {
  readonly key: number;
  readonly settled: boolean;
  /** A list or table has no children here, they are its parts; an open fence has no value. */
  readonly node: RootContent;
  /** The parts of a list or table; a table's head is the first. */
  readonly parts: Pages<Part>;
  /** The lines of an open fence. */
  readonly lines: Pages<string>;
}

/** A tail of so many characters is parsed at each step; a longer one when it has grown by an eighth. */
const SHORT = 800;
const GROWTH = 8;

/** A list or table that goes on in the tail; a table's rows are read below its `head`. */
interface Growing {
  readonly block: Block;
  readonly head: string;
}

interface Fence {
  readonly block: Block;
  readonly node: Code;
  readonly mark: string;
}

/** Reads one text as it grows. What it returns are values; a text that changes otherwise starts anew. */
export class BlockReader {
  /** How many characters were parsed so far: what the work is counted in. */
  parsed = 0;

  #raw = "";
  #ended = false;
  #settled: Pages<Block> = [];
  #growing: Growing | null = null;
  #fence: Fence | null = null;
  #labels = new Labels();
  /** The text from `#offset` on, its line ends normalised: what is not settled. */
  #tail = "";
  #offset = 0;
  /** How much of the tail was there when it was last tried to settle it. */
  #tried = 0;
  /** How much of the tail was there when it was last parsed to be shown, and what it said. */
  #shown: { readonly length: number; readonly nodes: readonly RootContent[] } | null = null;
  #view: Pages<Block> | null = null;

  /** All blocks of `text`; while it is streaming, what is half open at its end is closed. */
  read(text: string, streaming: boolean): Pages<Block> {
    // A slice is compared much faster than `startsWith` does it, and this is done at each step.
    const grows = !this.#ended && text.slice(0, this.#raw.length) === this.#raw;
    const stays = this.#ended && !streaming && text === this.#raw;
    if (!grows && !stays) this.#reset();
    this.#take(text, streaming);
    if (!streaming && !this.#ended) this.#end();
    this.#view ??= this.#ended ? this.#settled : this.#show();
    return this.#view;
  }

  #reset(): void {
    this.#raw = "";
    this.#ended = false;
    this.#settled = [];
    this.#growing = null;
    this.#fence = null;
    this.#labels = new Labels();
    this.#tail = "";
    this.#offset = 0;
    this.#tried = 0;
    this.#shown = null;
    this.#view = null;
  }

  /** Takes what is new, and settles what its lines close. */
  #take(text: string, streaming: boolean): void {
    let fresh = text.slice(this.#raw.length);
    if (streaming && fresh.endsWith("\r")) fresh = fresh.slice(0, -1); // a "\n" may follow
    if (fresh === "") return;
    this.#raw = text.slice(0, this.#raw.length + fresh.length);
    this.#tail += fresh.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").replaceAll("\ufeff", "");
    this.#view = null;
    do {
      if (this.#fence !== null && !this.#readFence(this.#fence)) return;
    } while (this.#settle());
  }

  /** Settles what the complete lines of the tail close; true where a fence has begun. */
  #settle(): boolean {
    const complete = this.#tail.lastIndexOf("\n") + 1;
    if (complete <= this.#tried || !this.#worthParsing(complete - this.#tried)) return false;
    const head = this.#head();
    const source = head + this.#tail.slice(0, complete);
    const nodes = this.#parse(source);
    const kept = firstOpen(nodes, source);
    for (const node of nodes.slice(0, kept)) this.#place(node, source, head.length);
    const open = nodes[kept];
    const from = open ? this.#begin(open, source, head.length) : source.length;
    this.#tail = this.#tail.slice(from - head.length);
    this.#offset += from - head.length;
    this.#tried = source.length - from;
    if (from > head.length) this.#shown = null;
    this.#lookBack();
    return this.#fence !== null;
  }

  /** Settles all that is left. */
  #end(): void {
    if (this.#fence) {
      const { block, mark } = this.#fence;
      const whole = this.#tail === "" || closesFence(this.#tail, mark);
      const lines = whole ? block.lines : append(block.lines, this.#tail);
      this.#closeFence({ ...this.#fence, block: { ...block, lines } });
    } else {
      const head = this.#head();
      const source = head + this.#tail;
      const nodes = source === "" ? [] : this.#parse(source);
      for (const node of nodes) this.#place(node, source, head.length);
      this.#closeGrowing();
    }
    this.#ended = true;
    this.#view = null;
    this.#tail = "";
    this.#lookBack();
  }

  /** The settled blocks, and what the tail looks like for now. */
  #show(): Pages<Block> {
    if (this.#fence) {
      const { block, mark } = this.#fence;
      const waits = this.#tail === "" || mayCloseFence(this.#tail, mark);
      const lines = waits ? block.lines : append(block.lines, this.#tail);
      return append(this.#settled, { ...block, lines });
    }
    const head = this.#head();
    const source = head + this.#tail;
    const nodes = this.#tailNodes();
    const growing = this.#growing?.block;
    const goesOn = growing !== undefined && nodes[0]?.type === growing.node.type;
    let pages = growing && !goesOn ? append(this.#settled, growing) : this.#settled;
    for (const node of nodes) {
      const more = goesOn && node === nodes[0];
      const block = more ? growing : this.#block(node, source, head.length);
      const added = this.#parts(node, more, source, head.length);
      pages = append(pages, { ...block, parts: added.reduce(append<Part>, block.parts) });
    }
    return pages;
  }

  /** The tail as it is shown: parsed with its ends closed, or as parsed before and plain text. */
  #tailNodes(): readonly RootContent[] {
    const shown = this.#shown;
    const length = this.#tail.length;
    if (shown?.length === length) return shown.nodes;
    if (shown && !this.#worthParsing(length - shown.length))
      return withPlainText(shown.nodes, this.#tail.slice(shown.length));
    const nodes = this.#parse(closeHalfOpen(this.#head() + this.#tail));
    this.#shown = { length, nodes };
    return nodes;
  }

  /** Settles a whole block. */
  #place(node: RootContent, source: string, head: number): void {
    this.#labels.define([node]);
    const goesOn = this.#goesOn(node);
    if (!goesOn) this.#closeGrowing();
    const block = this.#grown(node, source, head, Number.POSITIVE_INFINITY);
    if (REFERRING.has(node.type)) this.#wait(sourceOf(source, node), null);
    this.#growing = null;
    this.#settled = append(this.#settled, { ...block, settled: true });
  }

  /** Begins with the block that is still open; says where in `source` the tail goes on. */
  #begin(node: RootContent, source: string, head: number): number {
    const start = Math.max(startOf(source, node), head);
    const last = isSplit(node) ? node.children.at(-1) : undefined;
    if (isSplit(node) && last && node.children.length > (node.type === "table" ? 2 : 1)) {
      this.#labels.define(node.children.slice(0, -1));
      const block = this.#grown(node, source, head, node.children.length - 1);
      this.#growing = { block, head: node.type === "table" ? headOf(source, node) : "" };
      return startOf(source, last);
    }
    const mark = node.type === "code" ? fenceMark(source.slice(start)) : null;
    if (node.type !== "code" || mark === null) return start;
    const block = this.#block({ ...node, value: "" }, source, head);
    this.#fence = { block, node, mark };
    return source.indexOf("\n", start) + 1;
  }

  /** Reads the new lines of an open fence; true if one of them has closed it. */
  #readFence(fence: Fence): boolean {
    let { lines } = fence.block;
    let from = 0;
    let closed = false;
    for (let end = this.#tail.indexOf("\n"); end >= 0 && !closed; ) {
      const line = this.#tail.slice(from, end);
      closed = closesFence(line, fence.mark);
      if (!closed) lines = append(lines, line);
      from = end + 1;
      end = this.#tail.indexOf("\n", from);
    }
    this.#tail = this.#tail.slice(from);
    this.#offset += from;
    this.#fence = { ...fence, block: { ...fence.block, lines } };
    if (closed) this.#closeFence(this.#fence);
    return closed;
  }

  #closeFence({ block, node }: Fence): void {
    const value = block.lines.flat().join("\n");
    this.#settled = append(this.#settled, { ...block, node: { ...node, value }, settled: true });
    this.#fence = null;
    this.#tried = 0;
    this.#shown = null;
  }

  #closeGrowing(): void {
    if (this.#growing)
      this.#settled = append(this.#settled, { ...this.#growing.block, settled: true });
    this.#growing = null;
  }

  /** The block that `node` makes or goes on with, `upto` of the node's children settled as its parts. */
  #grown(node: RootContent, source: string, head: number, upto: number): Block {
    const goesOn = this.#goesOn(node);
    const block = goesOn && this.#growing ? this.#growing.block : this.#block(node, source, head);
    const above = node.type === "table" ? headOf(source, node) : "";
    let { parts } = block;
    for (const part of this.#parts(node, goesOn, source, head)) {
      if (isSplit(node) && part.node === node.children[upto]) break;
      const isHead = node.type === "table" && part.node === node.children[0];
      this.#wait(isHead ? above : above + sourceOf(source, part.node), count(parts));
      parts = append(parts, part);
    }
    return { ...block, parts };
  }

  /** The children of a list or table as parts; the head of a table that goes on is there already. */
  #parts(node: RootContent, goesOn: boolean, source: string, head: number): Part[] {
    if (!isSplit(node)) return [];
    const children: (ListItem | TableRow)[] = node.children;
    const added = goesOn && node.type === "table" ? children.slice(1) : children;
    return added.map((child) => ({ key: this.#key(child, source, head), node: child }));
  }

  #block(node: RootContent, source: string, head: number): Block {
    const shell = isSplit(node) ? { ...node, children: [] } : node;
    const key = this.#key(node, source, head);
    return { key, settled: false, node: shell, parts: [], lines: [] };
  }

  #key(node: RootContent, source: string, head: number): number {
    return this.#offset + startOf(source, node) - head;
  }

  #goesOn(node: RootContent): boolean {
    return this.#growing !== null && this.#growing.block.node.type === node.type;
  }

  #head(): string {
    return this.#growing?.head ?? "";
  }

  /** Whether what would be parsed is short, or enough of it is new. */
  #worthParsing(fresh: number): boolean {
    const length = this.#head().length + this.#tail.length;
    return length <= SHORT || fresh * GROWTH >= length;
  }

  #parse(source: string): RootContent[] {
    this.parsed += source.length;
    return parse(source, this.#labels.definitions);
  }

  #wait(source: string, part: number | null): void {
    this.#labels.wait({ source, block: count(this.#settled), part });
  }

  /** Parses the settled pieces once more whose labels have been defined since. */
  #lookBack(): void {
    for (const piece of this.#labels.takeDue(this.#ended)) {
      const [node] = this.#parse(piece.source);
      const growing = this.#growing;
      if (node === undefined) continue;
      if (growing && piece.block === count(this.#settled)) {
        this.#growing = { ...growing, block: withPiece(growing.block, piece, node) };
        continue;
      }
      const block = at(this.#settled, piece.block);
      if (block)
        this.#settled = replaced(this.#settled, piece.block, withPiece(block, piece, node));
    }
  }
}

/** The kinds of block that may refer to a label, apart from lists and tables, whose parts do. */
const REFERRING: ReadonlySet<string> = new Set([
  "paragraph",
  "heading",
  "blockquote",
  "footnoteDefinition",
]);

function isSplit(node: RootContent): node is List | Table {
  return node.type === "list" || node.type === "table";
}

/** The first of `nodes` that later lines may change, or that says less without what is above it. */
function firstOpen(nodes: readonly RootContent[], source: string): number {
  const last = nodes.at(-1);
  const above = nodes.at(-2);
  if (last === undefined || above?.type !== "definition") return Math.max(0, nodes.length - 1);
  const start = startOf(source, last);
  const isApart = source.slice(above.position?.end.offset, start).split("\n").length > 2;
  return isApart || source[start] === "[" ? nodes.length - 1 : nodes.length - 2;
}

/** The block with one piece of it read anew as `node`. */
function withPiece(block: Block, piece: Piece, node: RootContent): Block {
  if (piece.part === null) return { ...block, node };
  const part = at(block.parts, piece.part);
  const index = node.type === "table" && piece.part > 0 ? 1 : 0;
  const child = isSplit(node) ? node.children[index] : undefined;
  if (part === undefined || child === undefined) return block;
  const parts = replaced(block.parts, piece.part, { key: part.key, node: child });
  return { ...block, parts };
}
