/** Why is this answer not whole, and what can be done about it? */
import CircleStop from "lucide-react/icons/circle-stop";
import Scissors from "lucide-react/icons/scissors";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unplug from "lucide-react/icons/unplug";
import type { ReactNode } from "react";
import { Button } from "../../controls/Button";
import type { AssistantMessage, Phase } from "../../conversation/model";
import { canContinue } from "../../conversation/possible";
import { phaseLine } from "../../conversation/wording";

interface Kind {
  readonly tone: "plain" | "doubt" | "failure";
  readonly icon: ReactNode;
}

const KINDS: Partial<Readonly<Record<Phase["kind"], Kind>>> = {
  stopped: { tone: "plain", icon: <CircleStop /> },
  cut: { tone: "doubt", icon: <Scissors /> },
  interrupted: { tone: "doubt", icon: <Unplug /> },
  failed: { tone: "failure", icon: <TriangleAlert /> },
};

/** A question without an answer, as it is left where there was no place for its turn. */
export function Unanswered({ retry }: { readonly retry: () => void }) {
  return (
    <div className="ending" data-tone="plain">
      <p>Not answered yet</p>
      <Button onClick={retry}>Retry</Button>
    </div>
  );
}

interface EndingProps {
  readonly message: AssistantMessage;
  /** What is offered where it is the last answer: ask again, or go on. null where it is not. */
  readonly again: { readonly retry: () => void; readonly goOn: () => void } | null;
}

/** Whether asking again is the answer to what happened; else it is one of the quiet actions. */
export function offersRetry({ kind }: Phase): boolean {
  return kind === "failed" || kind === "interrupted";
}

export function Ending({ message, again }: EndingProps) {
  const { phase } = message;
  const kind = KINDS[phase.kind];
  if (kind === undefined) return null;
  const full = phase.kind === "cut" && phase.by === "context";
  return (
    <div className="ending" data-tone={kind.tone}>
      <span className="ending-icon" aria-hidden="true">
        {kind.icon}
      </span>
      <p role={phase.kind === "failed" ? "alert" : undefined}>
        {phaseLine(phase)}
        {full && again && (
          <span className="ending-advice">
            Start a new chat, or edit an earlier message, to make room.
          </span>
        )}
      </p>
      {again && (
        <div className="ending-actions">
          {offersRetry(phase) && <Button onClick={again.retry}>Retry</Button>}
          {canContinue(message) && <Button onClick={again.goOn}>Continue</Button>}
        </div>
      )}
    </div>
  );
}
