/** What has to be told once? Short notes over the composer, there until dismissed or done with. */
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Undo2 from "lucide-react/icons/undo-2";
import X from "lucide-react/icons/x";
import { useEffect, useRef } from "react";
import { Button } from "../../controls/Button";
import { IconButton } from "../../controls/IconButton";
import type { Actions, Notice, Playground } from "../../conversation/model";
import { useAnnounce } from "../../status/announcer";
import { usePlayground } from "../../usePlayground";
import { useHandOn } from "../useHandOn";
import "./notices.css";

interface NoticesProps {
  readonly playground: Playground;
  /** Who has the focus after a note that had it. */
  readonly handOn: () => void;
}

export function Notices({ playground, handOn }: NoticesProps) {
  const notices = usePlayground(playground, (state) => state.notices);
  if (notices.length === 0) return null;
  return (
    <ul className="notices" aria-label="Notices">
      {notices.map((notice) => (
        <Note key={notice.id} notice={notice} actions={playground.actions} handOn={handOn} />
      ))}
    </ul>
  );
}

interface NoteProps {
  readonly notice: Notice;
  readonly actions: Actions;
  readonly handOn: () => void;
}

function Note({ notice, actions, handOn }: NoteProps) {
  const { id, tone, text, action } = notice;
  const note = useRef<HTMLLIElement>(null);
  const announce = useAnnounce();
  useHandOn(note, handOn);
  useEffect(() => {
    if (tone === "info") announce(text); // an error is an alert, and speaks for itself
  }, [tone, text, announce]);

  return (
    <li ref={note} className="notice" data-tone={tone}>
      {tone === "error" ? <TriangleAlert aria-hidden="true" /> : <Info aria-hidden="true" />}
      <p role={tone === "error" ? "alert" : undefined}>{text}</p>
      {action === "undo" && (
        <Button tone="quiet" size="small" icon={<Undo2 />} onClick={() => actions.undo()}>
          Undo
        </Button>
      )}
      <IconButton name="Dismiss" icon={<X />} size="small" onClick={() => actions.dismiss(id)} />
    </li>
  );
}
