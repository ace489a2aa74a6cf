/**
 * How is a number entered? As text that may be cleared and half-written, until it is committed.
 *
 * Leaving the field or Enter commits, the arrow keys step and commit, Escape takes the draft back.
 * `type="number"` is not used: it hides what was typed when it is not a number.
 */
import { type KeyboardEvent, useId } from "react";
import { Button } from "./Button";
import { descriptionOf, Field, type FieldProps } from "./Field";
import { type NumberRange, readNumber, stepFrom } from "./number";
import { useDraft } from "./useDraft";

interface NumberFieldProps extends FieldProps {
  /** null: blank. */
  readonly value: number | null;
  readonly range: NumberRange;
  readonly placeholder?: string;
  /** The name of a button beside the field that blanks it. */
  readonly blankedBy?: string;
  readonly onCommit: (value: number | null) => void;
}

export function NumberField(props: NumberFieldProps) {
  const { label, hint, value, range, placeholder, blankedBy, onCommit } = props;
  const id = useId();
  const inForce = value === null ? "" : String(value);
  const draft = useDraft(inForce, (text) => readNumber(text, range), onCommit);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      draft.settle();
    } else if (event.key === "Escape" && draft.pending) {
      event.preventDefault();
      draft.revert();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const from = readNumber(draft.text, range);
      if ("problem" in from || from.value === null) return;
      event.preventDefault();
      const next = stepFrom(from.value, event.key === "ArrowUp" ? 1 : -1, range);
      draft.revert();
      if (next !== value) onCommit(next);
    }
  };

  return (
    <Field id={id} label={label} hint={hint} error={draft.problem}>
      <div className="field-row">
        <input
          id={id}
          className="field-input"
          type="text"
          inputMode={range.integer ? "numeric" : "decimal"}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={draft.text}
          aria-invalid={draft.problem !== null || undefined}
          aria-describedby={descriptionOf(id, hint, draft.problem)}
          onChange={(event) => draft.type(event.currentTarget.value)}
          onBlur={draft.settle}
          onKeyDown={onKeyDown}
        />
        {blankedBy && (
          <Button
            onClick={() => {
              draft.revert();
              onCommit(null);
            }}
          >
            {blankedBy}
          </Button>
        )}
      </div>
    </Field>
  );
}
