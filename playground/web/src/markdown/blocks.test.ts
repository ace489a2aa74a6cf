import fc from "fast-check";
import type { Nodes } from "mdast";
import { expect, test, vi } from "vitest";
import { type Block, BlockReader } from "./blocks";
import { parse } from "./grammar";
import type { Pages } from "./pages";

/** What the blocks say, without where they were read and how they were gathered. */
function said(pages: Pages<Block>): unknown[] {
  return pages.flat().map(({ key, node, parts }) => {
    const children = parts.flat().map((part) => part.node);
    return {
      key,
      node: bare(
        "children" in node && children.length > 0 ? ({ ...node, children } as Nodes) : node,
      ),
    };
  });
}

/** A node without its positions, and without how its list is spaced. */
function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  const { position: _position, ...rest } = node as Record<string, unknown>;
  if (rest.type === "list") delete rest.spread;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, bare(value)]));
}

/** The text cut in pieces at the places given, each read as it comes. */
function streamed(text: string, cuts: readonly number[]): Pages<Block> {
  const reader = new BlockReader();
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  for (const place of places) reader.read(text.slice(0, place), true);
  return reader.read(text, false);
}

const WORDS = [
  "\n",
  "\n",
  "\n\n",
  "\n\n\n",
  " ",
  "  ",
  "    ",
  "\t",
  "\r\n",
  "word",
  "two words ",
  "# ",
  "## ",
  "> ",
  "- ",
  "* ",
  "+ ",
  "1. ",
  "2) ",
  "- [ ] ",
  "- [x] ",
  "```",
  "```js\n",
  "~~~",
  "````",
  "`",
  "``",
  "*",
  "**",
  "_",
  "~~",
  "[",
  "]",
  "[foo]",
  "![a][foo]",
  "[b][foo]",
  "[foo]: /url\n",
  "[bar]: <x y> 'title\n",
  "'",
  "[^1]",
  "[^1]: note\n",
  "(",
  "](",
  ")",
  "![",
  "| a | b |\n|---|---|\n",
  "|",
  "| x | y |\n",
  "|-|\n",
  "---\n",
  "===\n",
  "***\n",
  "<div>",
  "</div>\n",
  "<!--",
  "-->",
  "<b>",
  "&amp;",
  "\\",
  "http://a.b/c",
  "$",
  "$$\n",
  "\\[\n",
  "\\]\n",
  "$$",
  "x",
  "5",
  "\\(",
  "\\)",
];
const markdown = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { maxLength: 40 },
  )
  .map((words) => words.join(""));
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });
// The seed is fixed so that a run says the same of the same code; another seed is another search.
const RUNS = { numRuns: 100, seed: 4 };
// For slow machines: nothing is timed here.
vi.setConfig({ testTimeout: 120_000 });

test("however a text arrives, its blocks are those of the whole text read at once", () => {
  fc.assert(
    fc.property(markdown, cuts, (text, cuts) => {
      expect(said(streamed(text, cuts))).toEqual(said(streamed(text, [])));
    }),
    RUNS,
  );
});

test("read character by character, its blocks are those that one parse of the whole text finds", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      const whole = text
        .replace(/\r\n?/g, "\n")
        .replaceAll("\0", "\ufffd")
        .replaceAll("\ufeff", "");

      const blocks = said(
        streamed(
          text,
          [...text].map((_, index) => index),
        ),
      );

      expect(blocks.map((block) => (block as { node: unknown }).node)).toEqual(
        bare(parse(whole, new Map())),
      );
    }),
    RUNS,
  );
});

test.each([
  "[foo]: /url\n'\n---\n",
  "[foo]: /url\n'title\nof it'\n\n[foo]",
  "[foo]: /url ''\n- \n/u\n===\n",
  "[foo]: /url\n    [foo]: /url\n",
  "[foo]: /url\n    ---\n===\n",
  "[a]: /u\n[\nb]: /u\n\n[foo]",
  "a [foo] and ![b][foo]\n\n[foo]: /url",
  "](\n1. + \n2. x\n",
  "    code\n2) \n",
  "- a\n- 2) x\n- b",
])("what once was read otherwise in steps than whole: %j", (text) => {
  const whole = bare(parse(text, new Map()));

  const blocks = said(
    streamed(
      text,
      [...text].map((_, index) => index),
    ),
  );

  expect(blocks.map((block) => (block as { node: unknown }).node)).toEqual(whole);
});

const KINDS: Record<string, (index: number) => string> = {
  prose: (index) =>
    `Paragraph ${index} has **weight**, \`code\` and a [link](https://example.org).\n\n`,
  code: (index) => (index === 0 ? "```python\n" : `value_${index} = compute(${index})\n`),
  list: (index) => `${index + 1}. Item ${index} of *many*\n`,
  "nested list": (index) => (index === 0 ? "- All of them\n" : `  - Item ${index}\n`),
  table: (index) => (index === 0 ? "| a | b |\n|---|---|\n" : `| ${index} | **${index}** |\n`),
  "one paragraph": (index) => `Sentence ${index} goes on and on. `,
  quote: (index) => `> line ${index}\n`,
  marks: () => "**a**",
  definitions: (index) => `[a${index}] is\n\n[a${index}]: https://example.org/${index}\n\n`,
};

test.each(Object.entries(KINDS))(
  "the work on a long text grows as its length does: %s",
  (_kind, line) => {
    const work = (length: number): number => {
      let text = "";
      for (let index = 0; text.length < length; index++) text += line(index);
      const reader = new BlockReader();
      for (let end = 40; end < length; end += 40) reader.read(text.slice(0, end), true);
      reader.read(text.slice(0, length), false);
      return reader.parsed;
    };

    const [short, long] = [work(4_000), work(16_000)];

    expect(long).toBeLessThan(4.6 * short);
    expect(long).toBeLessThan(16_000 * 42);
  },
);
