/**
 * What lies over the page and has to be left before it goes on? The browser's own `<dialog>`.
 *
 * It keeps the focus inside, closes by Escape, and gives the focus back to where it was. A sheet
 * is a dialog at the page's edge. A click beside it closes it too.
 */
import X from "lucide-react/icons/x";
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./IconButton";
import "./dialog.css";

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly shape?: "dialog" | "sheet";
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ open, title, shape = "dialog", onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) return;
    const cameFrom = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus();
    };
  }, [open]);

  const onClick = (event: MouseEvent) => {
    if (event.target === ref.current) onClose(); // its content fills it: only the backdrop is left
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={ref}
      className={shape}
      aria-labelledby={id}
      onClick={onClick}
      onCancel={(event) => {
        event.preventDefault(); // closed by `open`, so that there is one truth
        onClose();
      }}
    >
      <div className="dialog-content">
        <header className="dialog-header">
          <h2 className="dialog-title" id={id}>
            {title}
          </h2>
          <IconButton name="Close" icon={<X />} onClick={onClose} />
        </header>
        {open && children}
      </div>
    </dialog>
  );
}
