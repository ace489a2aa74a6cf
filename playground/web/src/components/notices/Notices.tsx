/** What has to be told once? Short notes over the composer, there until dismissed or done with. */
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Undo2 from "lucide-react/icons/undo-2";
import X from "lucide-react/icons/x";
import { useEffect } from "react";
import { Button } from "../../controls/Button";
import { IconButton } from "../../controls/IconButton";
import type { Playground } from "../../conversation/model";
import { useAnnounce } from "../../status/announcer";
import { usePlayground } from "../../usePlayground";
import "./notices.css";

interface NoticesProps {
  readonly playground: Playground;
  /** A note that goes takes its buttons along. */
  readonly focusComposer: () => void;
}

export function Notices({ playground, focusComposer }: NoticesProps) {
  const notices = usePlayground(playground, (state) => state.notices);
  const { actions } = playground;
  const announce = useAnnounce();
  const latest = notices.at(-1);
  useEffect(() => {
    if (latest?.tone === "info") announce(latest.text); // an error is an alert, and speaks itself
  }, [latest, announce]);

  if (notices.length === 0) return null;
  return (
    <ul className="notices" aria-label="Notices">
      {notices.map(({ id, tone, text, action }) => (
        <li key={id} className="notice" data-tone={tone}>
          {tone === "error" ? <TriangleAlert aria-hidden="true" /> : <Info aria-hidden="true" />}
          <p role={tone === "error" ? "alert" : undefined}>{text}</p>
          {action === "undo" && (
            <Button
              tone="quiet"
              size="small"
              icon={<Undo2 />}
              onClick={() => {
                actions.undo();
                focusComposer();
              }}
            >
              Undo
            </Button>
          )}
          <IconButton
            name="Dismiss"
            icon={<X />}
            size="small"
            onClick={() => {
              actions.dismiss(id);
              focusComposer();
            }}
          />
        </li>
      ))}
    </ul>
  );
}
