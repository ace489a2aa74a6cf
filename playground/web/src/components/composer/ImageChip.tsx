/** Which picture goes with the next message? A thumbnail, with what can be done about it. */
import Repeat from "lucide-react/icons/repeat";
import X from "lucide-react/icons/x";
import { IconButton } from "../../controls/IconButton";
import type { Attachment } from "../../conversation/model";
import { sizeWords } from "../../conversation/wording";

interface ImageChipProps {
  readonly image: Attachment;
  /** The conversation has a picture already, whose place it takes. */
  readonly replaces: boolean;
  readonly onReplace: () => void;
  readonly onRemove: () => void;
}

export function ImageChip({ image, replaces, onReplace, onRemove }: ImageChipProps) {
  return (
    <div className="image-chip">
      <img src={image.url} alt="" />
      <div className="image-chip-words">
        <p className="image-chip-name">{image.name}</p>
        <p>
          {image.width} × {image.height}, {sizeWords(image.bytes)}
        </p>
        {replaces && <p>Takes the place of the earlier image</p>}
      </div>
      <IconButton name="Replace image" icon={<Repeat />} size="small" onClick={onReplace} />
      <IconButton name="Remove image" icon={<X />} size="small" onClick={onRemove} />
    </div>
  );
}
