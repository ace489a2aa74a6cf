/** How full is the context? What the last turn left in it, of all that fits. */
import type { Playground } from "../../conversation/model";
import { contextUsed } from "../../conversation/wording";
import { usePlayground } from "../../usePlayground";

const COUNT = new Intl.NumberFormat("en-US");
const NEARLY_FULL = 0.85;

interface ContextGaugeProps {
  readonly playground: Playground;
}

export function ContextGauge({ playground }: ContextGaugeProps) {
  const used = usePlayground(playground, (state) => contextUsed(state.messages));
  const length = usePlayground(playground, (state) => state.runtime?.contextLength ?? null);
  if (used === null || length === null) return null;
  const share = Math.min(1, used / length);
  const words = `${COUNT.format(used)} of ${COUNT.format(length)} tokens`;
  return (
    <div
      className="context-gauge"
      title={`Context used: ${words}`}
      data-full={share >= NEARLY_FULL}
    >
      <meter
        className="visually-hidden"
        aria-label="Context used"
        aria-valuetext={words}
        max={length}
        value={Math.min(used, length)}
      />
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle className="context-gauge-track" cx="10" cy="10" r="8" pathLength="100" />
        <circle
          className="context-gauge-used"
          cx="10"
          cy="10"
          r="8"
          pathLength="100"
          strokeDasharray={`${share * 100} 100`}
        />
      </svg>
      <span className="context-gauge-words" aria-hidden="true">
        {COUNT.format(used)} / {COUNT.format(length)}
      </span>
    </div>
  );
}
