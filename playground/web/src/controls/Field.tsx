/**
 * What stands around a field? Its label above; below it what it takes, and what is wrong with it.
 *
 * Hint and error are part of the field's description, so they are read with it.
 */
import CircleAlert from "lucide-react/icons/circle-alert";
import type { ReactNode } from "react";
import "./fields.css";

/** What every field is told. */
export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
}

interface FrameProps extends FieldProps {
  readonly id: string;
  readonly error: string | null;
  readonly children: ReactNode;
}

/** The ids for `aria-describedby`, of those parts that are there. */
export function descriptionOf(id: string, hint: ReactNode, error: string | null) {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(" ") : undefined;
}

export function Field({ id, label, hint, error, children }: FrameProps) {
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && <Hint id={id}>{hint}</Hint>}
      {error && (
        <p className="field-error" id={`${id}-error`} role="alert">
          <CircleAlert aria-hidden="true" />
          <span>{error}</span>
        </p>
      )}
    </div>
  );
}

export function Hint({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <p className="field-hint" id={`${id}-hint`}>
      {children}
    </p>
  );
}
