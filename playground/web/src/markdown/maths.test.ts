import { expect, test } from "vitest";
import { parse } from "./grammar";
import { endOfMaths, type Maths } from "./maths";

/** The formulas of a text, each with its kind. */
function formulas(text: string): string[] {
  const found: string[] = [];
  const visit = (node: { type: string; children?: unknown[] }): void => {
    if (node.type === "math" || node.type === "inlineMath") {
      const { display, value, closed } = node as unknown as Maths;
      found.push(`${closed ? "" : "open "}${display ? "display" : "inline"}: ${value}`);
    }
    for (const child of node.children ?? []) visit(child as { type: string });
  };
  parse(text, new Map()).forEach(visit);
  return found;
}

test.each([
  "It costs $5 and $10.",
  "$5-$10, or $1,000 to $2,000",
  "US$5 or AU$6, $7 for US$",
  "$20/month or US$",
  "$5, not $",
  "from $HOME/bin:$PATH to $FOO and back",
  "a $ b $ c",
  "$x $ and $ x$",
  "`$x$` and `\\(x\\)`",
  "\\$x\\$",
  "$1\n$",
  "\\[1\\] and \\[see there\\]",
  "$$ is a lot of money",
  "    $$x$$",
  "```\n$$\nx\n$$\n```",
  "$20 million is less than $30 million$",
])("no maths, but what was written: %j", (text) => {
  expect(formulas(text)).toEqual([]);
});

test.each([
  ["$x$", ["inline: x"]],
  ["so $a_1 * b_2$, and $c*d$.", ["inline: a_1 * b_2", "inline: c*d"]],
  ["$2\\pi r$ and $5$ and $3x+2$", ["inline: 2\\pi r", "inline: 5", "inline: 3x+2"]],
  ["$10\\text{ kg}$", ["inline: 10\\text{ kg}"]],
  ["$5 and $10, where $n$", ["inline: n"]],
  ["\\(a + b\\) and \\(c\\)", ["inline: a + b", "inline: c"]],
  ["\\(a\nb\\)", ["inline: a\nb"]],
  ["so \\[x^2\\] is", ["display: x^2"]],
  ["so $$x^2$$ is", ["display: x^2"]],
  ["$$x^2$$", ["display: x^2"]],
  ["$$\na\n- b\n= c\n$$", ["display: a\n- b\n= c"]],
  ["text:\n\\[\na\n=\nb\n\\]\nmore", ["display: a\n=\nb"]],
  [
    "\\[ \\begin{aligned}\na &= b\n\\end{aligned} \\]",
    ["display: \\begin{aligned}\na &= b\n\\end{aligned}"],
  ],
  ["- item\n\n  $$\n  a\n  $$", ["display: a"]],
  ["> $$\n> a\n> $$", ["display: a"]],
  ["$$\na\n\nb", ["open display: $$\na"]],
  ["| a |\n|---|\n| $x$ |", ["inline: x"]],
])("maths: %j", (text, expected) => {
  expect(formulas(text)).toEqual(expected);
});

test.each(["$x$ b", "$5 and $10", "\\(a\\)", "$$x$$ y", "$a", "\\[1\\]", "\\[x=1\\]", "$x$2"])(
  "the end of maths is found in a string as the parser finds it: %j",
  (text) => {
    const [block] = parse(`${text}`, new Map());
    const first = block?.type === "paragraph" ? block.children[0] : block;
    const isMaths = first?.type === "inlineMath" || first?.type === "math";

    expect(endOfMaths(text, 0)).toBe(isMaths ? first?.position?.end.offset : -1);
  },
);
