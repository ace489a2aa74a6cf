/** How is text shown that has arrived since the last parse? Plain, at the end of the last block. */
import type { PhrasingContent, RootContent } from "mdast";

/** `nodes` with `text` at their end; the nodes themselves stay as they are. */
export function withPlainText(nodes: readonly RootContent[], text: string): RootContent[] {
  const last = nodes.at(-1);
  const added: PhrasingContent = { type: "text", value: text };
  if (last === undefined) return [{ type: "paragraph", children: [added] }];
  return [...nodes.slice(0, -1), extended(last, added)];
}

function extended<T extends RootContent>(node: T, added: PhrasingContent & { value: string }): T {
  switch (node.type) {
    case "paragraph":
    case "heading":
    case "tableCell":
      return { ...node, children: [...node.children, added] };
    case "code":
    case "html":
      return { ...node, value: `${node.value}${added.value}` };
    default: {
      if (!("children" in node)) return node;
      const last = node.children.at(-1);
      if (last === undefined) return node;
      return { ...node, children: [...node.children.slice(0, -1), extended(last, added)] };
    }
  }
}
