/** How is one of a few chosen? Radio buttons side by side, with the keys that radio buttons have. */
import { useId } from "react";
import { type FieldProps, Hint } from "./Field";
import "./fields.css";

interface SegmentedProps<T extends string> extends FieldProps {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const { label, hint, value, options, onChange } = props;
  const id = useId();
  return (
    <div
      className="field"
      role="radiogroup"
      aria-labelledby={id}
      aria-describedby={hint ? `${id}-hint` : undefined}
    >
      <span className="field-label" id={id}>
        {label}
      </span>
      <div className="segmented">
        {options.map((option) => (
          <label className="segmented-option" key={option.value}>
            <input
              className="visually-hidden"
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className="segmented-label">{option.label}</span>
          </label>
        ))}
      </div>
      {hint && <Hint id={id}>{hint}</Hint>}
    </div>
  );
}
