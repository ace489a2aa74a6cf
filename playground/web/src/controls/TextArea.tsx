/** How is a text of several lines entered? Committed when the field is left; Escape takes it back. */
import { useId } from "react";
import { descriptionOf, Field, type FieldProps } from "./Field";
import { type Reading, useDraft } from "./useDraft";

interface TextAreaProps<T> extends FieldProps {
  /** The value in force, as text. */
  readonly text: string;
  readonly read: (text: string) => Reading<T>;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly code?: boolean;
  readonly onCommit: (value: T) => void;
}

export function TextArea<T>(props: TextAreaProps<T>) {
  const { label, hint, text, read, rows = 3, placeholder, code = false, onCommit } = props;
  const id = useId();
  const draft = useDraft(text, read, onCommit);
  return (
    <Field id={id} label={label} hint={hint} error={draft.problem}>
      <textarea
        id={id}
        className={code ? "field-input field-text field-code" : "field-input field-text"}
        rows={rows}
        placeholder={placeholder}
        spellCheck={!code}
        value={draft.text}
        aria-invalid={draft.problem !== null || undefined}
        aria-describedby={descriptionOf(id, hint, draft.problem)}
        onChange={(event) => draft.type(event.currentTarget.value)}
        onBlur={draft.settle}
        onKeyDown={(event) => {
          if (event.key === "Escape" && draft.pending && !event.nativeEvent.isComposing) {
            event.preventDefault();
            draft.revert();
          }
        }}
      />
    </Field>
  );
}
