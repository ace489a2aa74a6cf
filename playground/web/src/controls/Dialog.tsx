/**
 * What lies over the page and has to be left before it goes on? The browser's own `<dialog>`.
 *
 * It keeps the focus inside, closes by Escape, and gives the focus back to where it was. A click
 * beside it closes it too. A sheet is a dialog at the page's edge that brings a head of its own, with
 * a button that closes it.
 */
import X from "lucide-react/icons/x";
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
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
  const beganBeside = useRef(false);

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

  // Its content fills it: only the backdrop is left. A drag that began inside, as when text is
  // selected, is no click beside it.
  const isBeside = (event: MouseEvent) => event.target === ref.current;

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={ref}
      className={shape}
      aria-label={title}
      onPointerDown={(event) => {
        beganBeside.current = isBeside(event);
      }}
      onClick={(event) => {
        if (beganBeside.current && isBeside(event)) onClose();
      }}
      onCancel={(event) => {
        event.preventDefault(); // closed by `open`, so that there is one truth
        onClose();
      }}
    >
      <div className="dialog-content">
        {shape === "dialog" && (
          <header className="dialog-header">
            <h2 className="dialog-title">{title}</h2>
            <IconButton name="Close" icon={<X />} onClick={onClose} />
          </header>
        )}
        {open && children}
      </div>
    </dialog>
  );
}
