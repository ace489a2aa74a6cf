/** Where can a picture be dropped? Anywhere on the page; a veil says so while one is over it. */
import ImagePlus from "lucide-react/icons/image-plus";
import { useEffect, useState } from "react";
import { bringsFiles } from "./pictures";
import "./drop-zone.css";

interface DropZoneProps {
  /** Where the model does not see, a drop is refused rather than left to the browser. */
  readonly accepts: boolean;
  readonly limit: string;
  readonly onFile: (file: File) => void;
}

export function DropZone({ accepts, limit, onFile }: DropZoneProps) {
  const [over, setOver] = useState(false);

  useEffect(() => {
    function onDrag(event: DragEvent) {
      if (!bringsFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = accepts ? "copy" : "none";
      setOver(accepts);
    }

    /** Leaving an element is not leaving the page; that has no related target. */
    function onLeave(event: DragEvent) {
      if (event.relatedTarget === null) setOver(false);
    }

    function onDrop(event: DragEvent) {
      if (!bringsFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file && accepts) onFile(file);
    }

    document.addEventListener("dragenter", onDrag);
    document.addEventListener("dragover", onDrag);
    document.addEventListener("dragleave", onLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragenter", onDrag);
      document.removeEventListener("dragover", onDrag);
      document.removeEventListener("dragleave", onLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, [accepts, onFile]);

  if (!over) return null;
  return (
    <div className="drop-zone">
      <div className="drop-zone-words">
        <ImagePlus aria-hidden="true" />
        <strong>Drop an image to attach it</strong>
        <span>{limit}</span>
      </div>
    </div>
  );
}
