/** How fast was it? A quiet line that unfolds to everything that was measured. */
import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import type { AssistantMessage } from "../../conversation/model";
import { type DetailGroup, metricsGroups, metricsSummary } from "../../conversation/wording";
import "./metrics.css";

interface MetricsLineProps {
  readonly message: AssistantMessage;
}

/** Three items of the foot that it stands in. */
export function MetricsLine({ message }: MetricsLineProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const groups = metricsGroups(message);
  if (groups.length === 0) return null;
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
      <div id={id} className="metrics-details" hidden={!open}>
        {open && groups.map((group) => <Group key={group.name} {...group} />)}
      </div>
    </>
  );
}

function Group({ name, details }: DetailGroup) {
  return (
    <div className="metrics-group" data-group={name.toLowerCase()}>
      <p className="metrics-heading">{name}</p>
      <dl>
        {details.map((detail) => (
          <div key={detail.name} className="metrics-row">
            <dt>{detail.name}</dt>
            <dd title={detail.why}>{detail.value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
