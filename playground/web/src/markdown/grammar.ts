/**
 * What does a piece of Markdown say? CommonMark with GFM and maths, as mdast; no input, no output.
 *
 * Two things differ from a plain parse:
 * - Definitions (`[label]: url`, `[^label]: note`) may stand in another piece of the same answer, so
 *   those known so far are passed in, and references come out as the links that they stand for.
 * - Work is bounded. Containers open within the first 100 columns of a line alone, and what holds
 *   more marks in one run of lines than an honest paragraph does (emphasis and brackets cost their
 *   square) is split at its blocks; a block that is itself so crowded keeps its marks as text.
 */
import type {
  Definition,
  FootnoteDefinition,
  ListItem,
  Nodes,
  RootContent,
  Table,
  TableRow,
} from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Construct, Extension, TokenizeContext } from "micromark-util-types";
import { MATHS_MARKS, maths, mathsFromMarkdown } from "./maths";

/** Definitions by identifier; those of footnotes begin with `^`. */
export type Definitions = ReadonlyMap<string, Definition | FootnoteDefinition>;

const MARKS_OF_A_RUN = 1000;
const COLUMNS_OF_CONTAINERS = 100;

const SYNTAX = [gfm({ singleTilde: false }), maths()];
const TREE = [gfmFromMarkdown(), mathsFromMarkdown()];
const CONTAINERS = ["blockQuote", "list", "gfmFootnoteDefinition"];
/** The tokens that a new container opens with, and the characters that it begins with. */
const OPENINGS = ["blockQuote", "listItemPrefix", "gfmFootnoteDefinition"];
const BEGINNINGS = ">*+-[0123456789";
const MARKS = [
  "attention",
  "autolink",
  "codeText",
  "emailAutolink",
  "gfmFootnoteCall",
  "gfmPotentialFootnoteCall",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
  "protocolAutolink",
  "strikethrough",
  "wwwAutolink",
  ...MATHS_MARKS,
];

/** The blocks of `source`, with offsets into it; references to `known` and own definitions resolved. */
export function parse(source: string, known: Definitions): RootContent[] {
  if (!crowded(source)) return read(source, known, []);
  const blocks = read(source, known, MARKS);
  const all = definitionsAfter(known, blocks);
  return blocks.map((block) => {
    if (block.type === "list") return { ...block, children: block.children.map(item) };
    if (block.type === "table") return { ...block, children: block.children.map(rowOf(block)) };
    return alone(block, "") ?? block;
  });

  function item(node: ListItem): ListItem {
    const list = alone(node, "");
    return (list?.type === "list" && list.children[0]) || node;
  }

  function rowOf(table: Table): (row: TableRow) => TableRow {
    const head = headOf(source, table);
    return (row) => {
      const [first] = table.children;
      const read = row === first ? alone(head, "") : alone(row, head);
      return (read?.type === "table" && read.children[row === first ? 0 : 1]) || row;
    };
  }

  /** What a part says when it is read by itself, below `head`; null where that is too much as well. */
  function alone(part: RootContent | string, head: string): RootContent | null {
    const text = typeof part === "string" ? part : sourceOf(source, part);
    if (crowded(text)) return null;
    return read(head + text, all, [])[0] ?? null;
  }
}

/** The lines that a top-level block, an item or a row of one takes, from the start of its first. */
export function sourceOf(source: string, node: Nodes): string {
  return source.slice(startOf(source, node), node.position?.end.offset);
}

/** Where the first line of a node starts; an underlined heading claims definitions above its text. */
export function startOf(source: string, node: Nodes): number {
  const first = (node.type === "heading" && node.children[0]) || node;
  const offset = first.position?.start.offset ?? 0;
  return offset === 0 ? 0 : source.lastIndexOf("\n", offset - 1) + 1;
}

/** The two lines that make what follows a table. */
export function headOf(source: string, table: Table): string {
  const start = startOf(source, table);
  const second = source.indexOf("\n", source.indexOf("\n", start) + 1);
  return second < 0 ? `${source.slice(start)}\n` : source.slice(start, second + 1);
}

/** `known` and whatever is defined in `blocks`; the first definition of a label holds. */
export function definitionsAfter(known: Definitions, blocks: readonly Nodes[]): Definitions {
  let all = known;
  const define = (identifier: string, node: Definition | FootnoteDefinition): void => {
    if (!all.has(identifier)) all = new Map(all).set(identifier, node);
  };
  const visit = (node: Nodes): void => {
    if (node.type === "definition") define(node.identifier, node);
    if (node.type === "footnoteDefinition") define(`^${node.identifier}`, node);
    if (node.type !== "paragraph" && "children" in node) node.children.forEach(visit);
  };
  blocks.forEach(visit);
  return all;
}

/** The identifiers that `source` may refer to: all that stands between two brackets. */
export function labelsIn(source: string): Set<string> {
  const labels = new Set<string>();
  for (const [, label = ""] of source.matchAll(/\[((?:\\.|[^\\[\]]){1,999})\]/gs))
    labels.add(
      label
        .replace(/[\t\n ]+/g, " ")
        .trim()
        .toLowerCase()
        .toUpperCase()
        .toLowerCase(),
    );
  return labels;
}

/** Whether some run of lines holds too many marks to be read for them. */
function crowded(source: string): boolean {
  if (source.length <= MARKS_OF_A_RUN) return false;
  let marks = 0;
  for (const [mark] of source.matchAll(/[*_~`$]+|[[\]<\\&@]|\n[ \t]*\n/g)) {
    marks = mark.startsWith("\n") ? 0 : marks + 1;
    if (marks > MARKS_OF_A_RUN) return true;
  }
  return false;
}

function read(source: string, known: Definitions, disabled: readonly string[]): RootContent[] {
  const tree = fromMarkdown(source, {
    extensions: [...SYNTAX, { disable: { null: [...disabled] } }, containers(), defining(known)],
    mdastExtensions: TREE,
  });
  const all = definitionsAfter(known, tree.children);
  for (const node of tree.children) resolve(node, all);
  return tree.children;
}

/** References turned, in place, into the links and images that they stand for. */
function resolve(parent: Nodes, definitions: Definitions): void {
  if (!("children" in parent)) return;
  const children = parent.children as Nodes[];
  for (const [index, node] of children.entries()) {
    resolve(node, definitions);
    if (node.type !== "linkReference" && node.type !== "imageReference") continue;
    const definition = definitions.get(node.identifier);
    const url = definition?.type === "definition" ? definition.url : "";
    const position = node.position;
    children[index] =
      node.type === "linkReference"
        ? { type: "link", url, children: node.children, ...(position && { position }) }
        : { type: "image", url, alt: node.alt ?? null, ...(position && { position }) };
  }
}

/**
 * No container opens beyond a column that nobody reaches by hand; and one that opens inside another on
 * the same line, or after indented code, does not count as one that interrupts a paragraph, so that
 * `- 2) x` reads the same wherever it stands (as CommonMark has it; micromark alone does not).
 */
function containers(): Extension {
  const rule: Construct = {
    tokenize(_effects, _ok, nok) {
      const disabled = this.parser.constructs.disable.null ?? [];
      const others = disabled.filter((name) => !CONTAINERS.includes(name));
      const deep = this.now().column > COLUMNS_OF_CONTAINERS ? CONTAINERS : [];
      disabled.splice(0, disabled.length, ...others, ...deep);
      if (this.interrupt && !interruptsParagraph(this)) this.interrupt = false;
      return nok;
    },
  };
  return {
    document: Object.fromEntries([...BEGINNINGS].map((mark) => [mark.charCodeAt(0), rule])),
  };
}

/** Whether the line that a container is about to open on goes on, so far, with a paragraph. */
function interruptsParagraph({ events, now }: TokenizeContext): boolean {
  const { line } = now();
  for (let index = events.length - 1; index >= 0; index--) {
    const [kind, token] = events[index] ?? [];
    if (token === undefined || kind === "exit") continue;
    if (token.type === "chunkFlow")
      return token._tokenizer?.currentConstruct?.name !== "codeIndented";
    if (token.start.line === line && OPENINGS.includes(token.type)) return false;
  }
  return true;
}

/** Labels that are defined elsewhere count as defined, from the first `[` or `![` on. */
function defining(known: Definitions): Extension {
  let told = false;
  const seed: Construct = {
    tokenize(_effects, _ok, nok) {
      if (!told) {
        told = true;
        const parser = this.parser as typeof this.parser & { gfmFootnotes?: string[] };
        parser.gfmFootnotes ??= [];
        for (const identifier of known.keys()) {
          if (identifier.startsWith("^"))
            parser.gfmFootnotes.push(identifier.slice(1).toUpperCase());
          else parser.defined.push(identifier.toUpperCase());
        }
      }
      return nok;
    },
  };
  return { text: { 33: seed, 91: seed } };
}
