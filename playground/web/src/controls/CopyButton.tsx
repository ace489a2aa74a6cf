/** How is a text taken to the clipboard? By a button that turns into a tick, and says so aloud. */
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useRef, useState } from "react";
import { useAnnounce } from "../status/announcer";
import { IconButton } from "./IconButton";

const TICK_MS = 1600;

interface CopyButtonProps {
  readonly name: string;
  /** The text, or what makes it once it is asked for. */
  readonly text: string | (() => string);
}

export function CopyButton({ name, text }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  const announce = useAnnounce();
  useEffect(() => () => window.clearTimeout(timer.current), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    } catch {
      announce("Not copied: the browser did not allow it");
      return;
    }
    announce("Copied");
    setCopied(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), TICK_MS);
  }

  return (
    <IconButton name={name} icon={copied ? <Check /> : <Copy />} size="small" onClick={copy} />
  );
}
