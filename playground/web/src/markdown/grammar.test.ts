import type { Nodes } from "mdast";
import { expect, test, vi } from "vitest";
import { definitionsAfter, labelsIn, parse } from "./grammar";

// For slow machines: nothing is timed here.
vi.setConfig({ testTimeout: 60_000 });

function depth(node: Nodes): number {
  return "children" in node ? 1 + Math.max(0, ...node.children.map(depth)) : 1;
}

function text(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(text).join("") : "";
}

test.each([">", "- ", "1. ", "> - ", "[^a]: "])(
  "containers nest so deep and no deeper: %j",
  (mark) => {
    const [block] = parse(`${mark.repeat(3000)}x`, new Map());

    expect(block && depth(block)).toBeLessThan(220);
  },
);

test("a paragraph with more marks than anyone writes keeps them as text", () => {
  const crowded = "**a** ".repeat(4_000).trim();
  const [first, second] = parse(`${crowded}\n\nand **b**`, new Map());

  expect(first && text(first)).toBe(crowded);
  expect(second && text(second)).toBe("and b");
});

test("a long list or table is not crowded by its items or rows", () => {
  const list = parse("- **a** and `b`\n".repeat(300), new Map());
  const table = parse(`| a |\n|---|\n${"| **a** |\n".repeat(600)}`, new Map());

  expect(list.map(text)).toEqual(["a and b".repeat(300)]);
  expect(table.map(text)).toEqual(["a".repeat(601)]);
});

test("references are resolved by definitions of other pieces, of which the first holds", () => {
  const known = definitionsAfter(
    new Map(),
    parse("[A  b]: /one\n[a b]: /two\n[^n]: note", new Map()),
  );

  const [block] = parse("[x][a\nb] and ![y][A B] and [a b] and [c][^n]", known);
  const children = block?.type === "paragraph" ? block.children : [];
  expect(children.map((node) => ("url" in node ? node.url : node.type))).toEqual([
    "/one",
    "text",
    "/one",
    "text",
    "/one",
    "text",
    "footnoteReference",
  ]);
});

test("all that stands in brackets may be a label", () => {
  expect(labelsIn("[a][B  c] ![d [e]] [f\\]g] [h")).toEqual(new Set(["a", "b c", "e", "f\\]g"]));
});
