/** How is an answer shown while it grows? Block by block; what is settled is not looked at again. */
import { parse } from "./grammar";
import { renderAll } from "./render";
import "./markdown.css";

interface MarkdownProps {
  readonly text: string;
  readonly streaming: boolean;
}

export function Markdown({ text }: MarkdownProps) {
  return (
    <div className="markdown">
      <div className="markdown-page">{renderAll(parse(text, new Map()))}</div>
    </div>
  );
}
