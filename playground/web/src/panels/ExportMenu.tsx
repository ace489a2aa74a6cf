/** How does the conversation leave the page? As a file of the person's, or by the clipboard. */
import Braces from "lucide-react/icons/braces";
import ClipboardCopy from "lucide-react/icons/clipboard-copy";
import Download from "lucide-react/icons/download";
import FileText from "lucide-react/icons/file-text";
import { Menu } from "../controls/Menu";
import { exportStem, toJson, toMarkdown } from "../conversation/export";
import type { Playground } from "../conversation/model";
import { useAnnounce } from "../status/announcer";
import { download } from "./download";

interface ExportMenuProps {
  readonly playground: Pick<Playground, "getState">;
  readonly disabled: boolean;
  /** Gives the person a file. */
  readonly save?: (name: string, type: string, text: string) => void;
}

export function ExportMenu({ playground, disabled, save = download }: ExportMenuProps) {
  const announce = useAnnounce();

  async function copy() {
    try {
      await navigator.clipboard.writeText(toMarkdown(playground.getState(), new Date()));
      announce("Copied");
    } catch {
      announce("Not copied: the browser did not allow it");
    }
  }

  return (
    <Menu
      name="Export"
      icon={<Download />}
      disabled={disabled}
      items={[
        {
          label: "Save as Markdown",
          icon: <FileText aria-hidden="true" />,
          onChoose: () => {
            const now = new Date();
            const text = toMarkdown(playground.getState(), now);
            save(`${exportStem(now)}.md`, "text/markdown;charset=utf-8", text);
          },
        },
        {
          label: "Save as JSON",
          icon: <Braces aria-hidden="true" />,
          onChoose: () => {
            const now = new Date();
            const text = toJson(playground.getState(), now);
            save(`${exportStem(now)}.json`, "application/json", text);
          },
        },
        {
          label: "Copy as Markdown",
          icon: <ClipboardCopy aria-hidden="true" />,
          onChoose: () => void copy(),
        },
      ]}
    />
  );
}
