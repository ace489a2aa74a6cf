/** How fast was it? A quiet line that unfolds to everything that was measured. */
import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import type { AssistantMessage } from "../../conversation/model";
import { metricsDetails, metricsSummary } from "../../conversation/wording";
import "./metrics.css";

interface MetricsLineProps {
  readonly message: AssistantMessage;
}

/** Three items of the foot that it stands in. */
export function MetricsLine({ message }: MetricsLineProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const details = metricsDetails(message);
  if (details.length === 0) return null;
  return (
    <>
      <p className="metrics-summary">
        {metricsSummary(message).map((part) => (
          <span key={part}>{part}</span>
        ))}
      </p>
      <button
        type="button"
        className="metrics-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        Details
        <ChevronDown aria-hidden="true" />
      </button>
      <dl id={id} className="metrics-details" hidden={!open}>
        {open &&
          details.map(({ name, value, why }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={why}>{value}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}
