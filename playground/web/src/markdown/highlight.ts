/**
 * Which colours does a piece of code get? Those of highlight.js's grammar for its language, if there is one.
 *
 * The grammars are a file of their own, loaded when the first block asks for one.
 */
import { common, createLowlight } from "lowlight";

/** A stretch of code: text, or a class of highlight.js around further stretches. */
export type Coloured = string | { readonly className: string; readonly children: Coloured[] };

const LOWLIGHT = createLowlight(common);
LOWLIGHT.registerAlias({ ini: ["conf", "env"], javascript: ["mjs"], typescript: ["mts"] });

/** The code in stretches, or null where its language is not known. */
export function coloured(language: string, code: string): Coloured[] | null {
  if (!LOWLIGHT.registered(language)) return null;
  return stretches(LOWLIGHT.highlight(language, code).children);
}

type Nodes = ReturnType<typeof LOWLIGHT.highlight>["children"];

function stretches(nodes: Nodes): Coloured[] {
  return nodes.flatMap((node): Coloured[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    const names = node.properties.className;
    const className = Array.isArray(names) ? names.join(" ") : "";
    return [{ className, children: stretches(node.children) }];
  });
}
