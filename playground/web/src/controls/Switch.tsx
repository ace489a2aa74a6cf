/** How is something turned on and off? */
import { useId } from "react";
import { type FieldProps, Hint } from "./Field";
import "./fields.css";

interface SwitchProps extends FieldProps {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

export function Switch({ label, hint, on, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="field">
      <div className="switch">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        <button
          id={id}
          type="button"
          className="switch-track"
          role="switch"
          aria-checked={on}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onClick={() => onChange(!on)}
        />
      </div>
      {hint && <Hint id={id}>{hint}</Hint>}
    </div>
  );
}
