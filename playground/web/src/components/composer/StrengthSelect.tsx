/** How hard shall the model think next? The settings' reasoning control, where the message is written. */
import type { Playground, Strength } from "../../conversation/model";
import { usePlayground } from "../../usePlayground";

const STRENGTHS: readonly (readonly [Strength, string])[] = [
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
  ["xhigh", "Extra high"],
];

interface StrengthSelectProps {
  readonly playground: Playground;
}

export function StrengthSelect({ playground }: StrengthSelectProps) {
  const strength = usePlayground(playground, (state) => state.settings.strength);
  return (
    <label className="strength-select" title="Changing it makes the next turn start cold">
      <span className="strength-select-label">Reasoning</span>
      <select
        aria-label="Reasoning strength"
        value={strength}
        onChange={(event) =>
          playground.actions.setSettings({ strength: event.currentTarget.value as Strength })
        }
      >
        {STRENGTHS.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
