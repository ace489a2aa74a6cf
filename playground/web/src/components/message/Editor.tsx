/**
 * How is a message changed where it stands? In a field of its own: Escape cancels, Ctrl or ⌘ with
 * Enter saves, and what would be dropped by saving is said before it is.
 */
import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { Button } from "../../controls/Button";
import { Spinner } from "../../controls/Spinner";
import type { Actions } from "../../conversation/model";
import { commandOf } from "../../shortcuts/shortcuts";
import { isComposing } from "../composer/typing";
import { useAutoGrow } from "../composer/useAutoGrow";

interface EditorProps {
  readonly name: string;
  readonly text: string;
  readonly saving: boolean;
  readonly saveWords: "Save" | "Save and regenerate";
  readonly mayBeEmpty: boolean;
  readonly actions: Actions;
}

export function Editor({ name, text, saving, saveWords, mayBeEmpty, actions }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const refused = saving || (text.trim() === "" && !mayBeEmpty);
  useAutoGrow(field, text);
  useEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.focus();
    field.current?.setSelectionRange(end, end);
  }, []);

  function save() {
    if (!refused) void actions.saveEdit();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return;
    const command = commandOf(event.nativeEvent, ["editor"]);
    if (command === null) return;
    event.preventDefault();
    if (command === "save-edit") save();
    else if (command === "cancel-edit" && !saving) actions.cancelEdit();
  }

  return (
    <div className="editor">
      <textarea
        ref={field}
        className="editor-field"
        dir="auto"
        aria-label={`Editing: ${name}`}
        aria-describedby={hint}
        value={text}
        readOnly={saving}
        rows={2}
        onChange={(event) => actions.setEdit(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className="editor-foot">
        <p id={hint} className="editor-hint">
          {saveWords === "Save"
            ? "Saving drops everything after this answer."
            : "Saving drops everything after this message and asks again."}
        </p>
        <Button tone="quiet" disabled={saving} onClick={() => actions.cancelEdit()}>
          Cancel
        </Button>
        <Button
          tone="primary"
          icon={saving ? <Spinner /> : undefined}
          aria-disabled={refused}
          onClick={save}
        >
          {saveWords}
        </Button>
      </div>
    </div>
  );
}
