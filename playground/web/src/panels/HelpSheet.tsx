/** Which keys are there? The table of shortcuts, as people read it. */
import { Fragment } from "react";
import { Dialog } from "../controls/Dialog";
import { keysOf, ON_MAC, type Place, SHORTCUTS } from "../shortcuts/shortcuts";
import "./help.css";

const GROUPS: readonly { title: string; places: readonly Place[] }[] = [
  { title: "Anywhere", places: ["page"] },
  { title: "In the message field", places: ["composer", "empty-composer"] },
  { title: "While editing a message", places: ["editor"] },
];

interface HelpSheetProps {
  readonly open: boolean;
  readonly mac?: boolean;
  readonly onClose: () => void;
}

export function HelpSheet({ open, mac = ON_MAC, onClose }: HelpSheetProps) {
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      <div className="help">
        {GROUPS.map(({ title, places }) => (
          <section key={title}>
            <h3 className="help-heading">{title}</h3>
            <dl className="help-list">
              {SHORTCUTS.filter(({ place }) => places.includes(place)).map((shortcut) => (
                <div className="help-line" key={shortcut.command}>
                  <dt>{shortcut.does}</dt>
                  <dd className="help-keys">
                    {keysOf(shortcut, mac).map((key, index) => (
                      <Fragment key={key}>
                        {index > 0 && <span className="visually-hidden"> and </span>}
                        <kbd>{key}</kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
