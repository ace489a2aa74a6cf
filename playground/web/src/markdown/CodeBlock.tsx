/**
 * How is a block of code shown? With its language, a button that copies it, and coloured once settled.
 *
 * While it grows it is shown by pages of lines, so that a long one is not laid out anew at each step.
 */
import { memo, type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../controls/CopyButton";
import type { Coloured } from "./highlight";
import type { Pages } from "./pages";

/** Longer code than this stays plain: colouring it would hold up the page. */
const LONGEST_COLOURED = 40_000;

interface CodeBlockProps {
  readonly language: string;
  readonly text: string;
  /** Its lines, where it has grown while it was shown; until it is settled they are all there is. */
  readonly lines?: Pages<string>;
  readonly settled?: boolean;
}

export function CodeBlock({ language, text, lines = [], settled = true }: CodeBlockProps) {
  const label = language || "text";
  const colours = useColours(language.toLowerCase(), text, settled);
  return (
    <figure className="markdown-code">
      <figcaption>
        <span>{label}</span>
        <CopyButton name="Copy code" text={() => (settled ? text : lines.flat().join("\n"))} />
      </figcaption>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for fields */}
      <pre tabIndex={0} role="group" aria-label={`Code: ${label}`}>
        <code>{colours ? inColours(colours) : lines.length > 0 ? inPages(lines) : text}</code>
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: as above */}
    </figure>
  );
}

/** The colours of settled code, as soon as its grammar is there and the page has nothing else to do. */
function useColours(language: string, text: string, settled: boolean): Coloured[] | null {
  const [colours, setColours] = useState<{ of: string; are: Coloured[] | null } | null>(null);
  useEffect(() => {
    if (!settled || language === "" || text.length > LONGEST_COLOURED) return;
    let wanted = true;
    import("./highlight")
      .then(({ coloured }) => {
        if (wanted) setColours({ of: text, are: coloured(language, text) });
      })
      .catch(() => {}); // plain code says the same
    return () => {
      wanted = false;
    };
  }, [language, text, settled]);
  return settled && colours?.of === text ? colours.are : null;
}

function inColours(stretches: readonly Coloured[]): ReactNode {
  return stretches.map((stretch, index) =>
    typeof stretch === "string" ? (
      stretch
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: settled code does not change
      <span key={index} className={stretch.className}>
        {inColours(stretch.children)}
      </span>
    ),
  );
}

function inPages(lines: Pages<string>): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a page of lines stays in its place
  return lines.map((page, index) => <LinePage key={index} lines={page} />);
}

const LinePage = memo(function LinePage({ lines }: { readonly lines: readonly string[] }) {
  return <span className="markdown-code-page">{`${lines.join("\n")}\n`}</span>;
});
