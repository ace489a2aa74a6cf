/**
 * How is an answer shown while it grows? Block by block; what is settled is not rendered again.
 *
 * Blocks, items, rows and lines come in pages that keep their identity, so that a step looks at the
 * pages and at the last entries, not at thousands of settled ones.
 */
import type { ListItem, Table, TableRow } from "mdast";
import { memo, type ReactNode, useState } from "react";
import { type Block, BlockReader, type Part } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { FirstDepth, Item, ListFrame, Rendered, Row, TableFrame } from "./render";
import "./markdown.css";

interface MarkdownProps {
  readonly text: string;
  readonly streaming: boolean;
}

export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  // The reader remembers what it has read and nothing else: the same text gives the same blocks.
  const [reader] = useState(() => new BlockReader());
  const pages = reader.read(text, streaming);
  return (
    <FirstDepth value={firstDepth(pages)}>
      <div className="markdown">
        {pages.map((blocks) => (
          <BlockPage key={keyOf(blocks)} blocks={blocks} />
        ))}
      </div>
    </FirstDepth>
  );
});

function firstDepth(pages: readonly (readonly Block[])[]): number {
  for (const page of pages) {
    for (const { node } of page) if (node.type === "heading") return node.depth;
  }
  return 1;
}

const BlockPage = memo(function BlockPage({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <div className="markdown-page">
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} />
      ))}
    </div>
  );
});

const BlockView = memo(function BlockView({ block }: { readonly block: Block }): ReactNode {
  const { node, parts, lines, settled } = block;
  switch (node.type) {
    case "list":
      return (
        <ListFrame list={node}>
          {parts.map((page) => (
            <ItemPage key={keyOf(page)} parts={page} />
          ))}
        </ListFrame>
      );
    case "table": {
      const head = parts[0]?.[0];
      return (
        <TableFrame table={node} head={head?.node as TableRow | undefined}>
          {parts.map((page) => (
            <RowPage key={keyOf(page)} parts={page} table={node} head={head} />
          ))}
        </TableFrame>
      );
    }
    case "code":
      return (
        <CodeBlock language={node.lang ?? ""} text={node.value} lines={lines} settled={settled} />
      );
    default:
      return <Rendered node={node} />;
  }
});

const ItemPage = memo(function ItemPage({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map(({ key, node }) => <Item key={key} item={node as ListItem} />);
});

interface RowPageProps {
  readonly parts: readonly Part[];
  readonly table: Table;
  readonly head: Part | undefined;
}

const RowPage = memo(function RowPage({ parts, table, head }: RowPageProps) {
  return parts
    .filter((part) => part !== head)
    .map(({ key, node }) => <Row key={key} row={node as TableRow} table={table} />);
});

/** What a page is known by: its first entry stays the first. */
function keyOf(page: readonly { readonly key: number }[]): number {
  return page[0]?.key ?? -1;
}
