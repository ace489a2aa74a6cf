/** How is a block of code shown? With its language, a button that copies it, and coloured once settled. */
import { CopyButton } from "../controls/CopyButton";

interface CodeBlockProps {
  readonly language: string;
  readonly text: string;
  readonly settled: boolean;
}

export function CodeBlock({ language, text }: CodeBlockProps) {
  return (
    <figure className="markdown-code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton name="Copy code" text={text} />
      </figcaption>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for fields */}
      <pre tabIndex={0} role="group" aria-label={`Code: ${language || "text"}`}>
        <code>{text}</code>
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: as above */}
    </figure>
  );
}
