/**
 * How does an answer's Markdown look? mdast nodes as React elements, one kind of node at a time.
 *
 * Nothing of the text becomes markup: HTML is shown as the text that it is, images as a note with a
 * link, links lead to the web and to mail alone, and no id or class is ever taken from the text.
 * Headings begin at level 3, below those of the page and of the message: the first of an answer has
 * that level, however deep it calls itself.
 */
import type {
  Heading,
  Image,
  Link,
  List,
  ListItem,
  Nodes,
  PhrasingContent,
  Table,
  TableRow,
} from "mdast";
import { createContext, type ReactNode, useContext } from "react";
import { CodeBlock } from "./CodeBlock";
import { Formula } from "./Formula";
import { safeLink } from "./links";
import type { Maths as MathsNode } from "./maths";

/** The elements of nodes that stand beside each other. */
export function renderAll(nodes: readonly Nodes[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: nodes have no other identity, and no state
  return nodes.map((node, index) => <Rendered key={index} node={node} />);
}

/** The element of a block or phrase. */
export function Rendered({ node }: { readonly node: Nodes }): ReactNode {
  switch (node.type) {
    case "root":
      return renderAll(node.children);
    case "paragraph":
      return <p>{renderAll(node.children)}</p>;
    case "heading":
      return <HeadingLine heading={node} />;
    case "blockquote":
      return <blockquote>{renderAll(node.children)}</blockquote>;
    case "list":
      return <ListFrame list={node}>{renderItems(node.children)}</ListFrame>;
    case "listItem":
      return <Item item={node} />;
    case "table":
      return (
        <TableFrame table={node} head={node.children[0]}>
          {renderRows(node.children.slice(1), node)}
        </TableFrame>
      );
    case "code":
      return <CodeBlock language={node.lang ?? ""} text={node.value} />;
    case "inlineMath":
    case "math":
      return <Maths maths={node} />;
    case "thematicBreak":
      return <hr />;
    case "html":
    case "text":
      return node.value;
    case "emphasis":
      return <em>{renderAll(node.children)}</em>;
    case "strong":
      return <strong>{renderAll(node.children)}</strong>;
    case "delete":
      return <del>{renderAll(node.children)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "break":
      return <br />;
    case "link":
      return <Anchor link={node} />;
    case "image":
      return <ImageNote image={node} />;
    case "footnoteReference":
      return <sup>[{node.label ?? node.identifier}]</sup>;
    case "footnoteDefinition":
      return (
        <div className="markdown-footnote">
          <span className="markdown-footnote-label">[{node.label ?? node.identifier}]</span>
          <div>{renderAll(node.children)}</div>
        </div>
      );
    default:
      return null; // definitions say nothing by themselves
  }
}

function Maths({ maths }: { readonly maths: MathsNode }) {
  if (!maths.closed) return <p className="markdown-plain">{maths.value}</p>;
  return <Formula source={maths.value} display={maths.display} />;
}

function Anchor({ link }: { readonly link: Link }) {
  const safe = safeLink(link.url);
  if (safe === null) return renderAll(link.children);
  return (
    <a href={safe.href} target="_blank" rel="noopener noreferrer" title={safe.host}>
      {renderAll(link.children)}
    </a>
  );
}

/** An image is never asked for: it would tell its host that, and what, somebody is reading. */
function ImageNote({ image }: { readonly image: Image }) {
  const safe = safeLink(image.url);
  return (
    <span className="markdown-image">
      [Image: {image.alt || "no description"}]
      {safe && (
        <>
          {" ("}
          <a href={safe.href} target="_blank" rel="noopener noreferrer" title={safe.host}>
            {safe.host}
          </a>
          {")"}
        </>
      )}
    </span>
  );
}

/** How deep the first heading of the answer calls itself. */
export const FirstDepth = createContext(1);

function HeadingLine({ heading }: { readonly heading: Heading }) {
  const level = 3 + Math.max(0, heading.depth - useContext(FirstDepth));
  const Element = `h${Math.min(6, level)}` as "h3" | "h4" | "h5" | "h6";
  return <Element data-depth={heading.depth}>{renderAll(heading.children)}</Element>;
}

interface ListFrameProps {
  readonly list: List;
  readonly children: ReactNode;
}

export function ListFrame({ list, children }: ListFrameProps) {
  if (list.ordered) return <ol start={list.start ?? 1}>{children}</ol>;
  return <ul>{children}</ul>;
}

function renderItems(items: readonly ListItem[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: as above
  return items.map((item, index) => <Item key={index} item={item} />);
}

export function Item({ item }: { readonly item: ListItem }) {
  if (typeof item.checked !== "boolean") return <li>{renderAll(item.children)}</li>;
  return (
    <li className="markdown-task">
      <input
        type="checkbox"
        disabled
        checked={item.checked}
        readOnly
        aria-label={plainText(item).trim() || "Task"}
      />
      <div>{renderAll(item.children)}</div>
    </li>
  );
}

interface TableFrameProps {
  readonly table: Table;
  readonly head: TableRow | undefined;
  readonly children: ReactNode;
}

export function TableFrame({ table, head, children }: TableFrameProps) {
  const name = head ? plainText(head) : "";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, a region is a landmark
    <div
      className="markdown-table"
      role="group"
      aria-label={`Table: ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
    >
      <table>
        <thead>{head && <Row row={head} table={table} head />}</thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function renderRows(rows: readonly TableRow[], table: Table): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: as above
  return rows.map((row, index) => <Row key={index} row={row} table={table} />);
}

interface RowProps {
  readonly row: TableRow;
  readonly table: Table;
  readonly head?: boolean;
}

export function Row({ row, table, head = false }: RowProps) {
  return (
    <tr>
      {row.children.map((cell, index) => {
        const props = { "data-align": table.align?.[index] ?? undefined };
        const content = renderAll(cell.children);
        // biome-ignore-start lint/suspicious/noArrayIndexKey: a cell is its column
        return head ? (
          <th key={index} scope="col" {...props}>
            {content}
          </th>
        ) : (
          <td key={index} {...props}>
            {content}
          </td>
        );
        // biome-ignore-end lint/suspicious/noArrayIndexKey: a cell is its column
      })}
    </tr>
  );
}

/** What a node says, without marks. */
function plainText(node: Nodes | PhrasingContent): string {
  if ("value" in node) return node.value;
  if (!("children" in node)) return "";
  const between = node.type === "tableRow" ? ", " : "";
  return node.children.map(plainText).join(between);
}
