/**
 * What did the model think before it answered? A disclosure over the answer.
 *
 * It is open while reasoning arrives and closes at the first text of the answer; once a person has
 * opened or closed it, that holds. The clock redraws its own few characters alone.
 */
import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { AssistantMessage } from "../../conversation/model";
import { isEnd } from "../../conversation/phase";
import { useFollow } from "../transcript/useFollow";

const TICK_MS = 250;

interface ThinkingProps {
  readonly message: AssistantMessage;
  readonly onToggle: (open: boolean) => void;
  /** The reasoning, rendered. */
  readonly children: ReactNode;
}

export function Thinking({ message, onToggle, children }: ThinkingProps) {
  const id = useId();
  const thinking = !isEnd(message.phase) && message.thoughtTo === null;
  const open = message.thoughtOpen ?? thinking;
  return (
    <section className="thinking" data-open={open}>
      <button
        type="button"
        className="thinking-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => onToggle(!open)}
      >
        <ChevronRight className="thinking-arrow" aria-hidden="true" />
        {thinking ? (
          <span>
            Thinking… <Seconds />
          </span>
        ) : (
          <span>{thoughtWords(message)}</span>
        )}
      </button>
      <div id={id} hidden={!open}>
        {open && <ThoughtBox thinking={thinking}>{children}</ThoughtBox>}
      </div>
    </section>
  );
}

function thoughtWords({ thoughtFrom, thoughtTo }: AssistantMessage): string {
  if (thoughtFrom === null || thoughtTo === null) return "Thoughts";
  const seconds = (thoughtTo - thoughtFrom) / 1000;
  if (seconds < 0.05) return "Thought for under 0.1 s"; // all of it came in one piece
  return `Thought for ${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/** Seconds since it appeared, which is when reasoning began. */
function Seconds() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const from = performance.now();
    const timer = window.setInterval(
      () => setSeconds(Math.floor((performance.now() - from) / 1000)),
      TICK_MS,
    );
    return () => window.clearInterval(timer);
  }, []);
  return <span className="thinking-seconds">{seconds}s</span>;
}

interface ThoughtBoxProps {
  readonly thinking: boolean;
  readonly children: ReactNode;
}

function ThoughtBox({ thinking, children }: ThoughtBoxProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useFollow(scroller, content, thinking);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this is text
    <div
      ref={scroller}
      className="thinking-box"
      role="group"
      aria-label="Reasoning"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
    >
      <div ref={content}>{children}</div>
    </div>
  );
}
