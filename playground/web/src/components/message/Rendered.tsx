/** How is the model's text drawn? As Markdown; as it came, should that ever fail. */
import { Markdown } from "../../markdown/Markdown";
import { Guard } from "../Guard";

interface RenderedProps {
  readonly text: string;
  readonly streaming: boolean;
}

export function Rendered({ text, streaming }: RenderedProps) {
  return (
    <Guard instead={<p className="rendered-plain">{text}</p>}>
      <Markdown text={text} streaming={streaming} />
    </Guard>
  );
}
