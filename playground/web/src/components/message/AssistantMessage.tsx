/**
 * What did the model answer? Its thoughts, the answer, how it ended, and at what speed.
 *
 * The foot has one height in all phases, so that nothing jumps when an answer ends.
 */
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { memo } from "react";
import { CopyButton } from "../../controls/CopyButton";
import { IconButton } from "../../controls/IconButton";
import { Spinner } from "../../controls/Spinner";
import type { Actions, AssistantMessage as Message } from "../../conversation/model";
import { isEnd } from "../../conversation/phase";
import { Editor } from "./Editor";
import { Ending, offersRetry } from "./Ending";
import "./message.css";
import { phaseLine } from "../../conversation/wording";
import { MetricsLine } from "./MetricsLine";
import { Rendered } from "./Rendered";
import { Thinking } from "./Thinking";

interface AssistantMessageProps {
  readonly message: Message;
  /** Which of the answers it is, from 1. */
  readonly ordinal: number;
  readonly last: boolean;
  /** The editor's text, while this answer is being edited. */
  readonly edit: string | null;
  readonly saving: boolean;
  /** Nothing may be edited or asked now: a turn or a session request is under way. */
  readonly locked: boolean;
  /** Whether the server answers: what is there is not given up for what cannot come. */
  readonly reachable: boolean;
  readonly actions: Actions;
  /** What asks again takes itself away; the composer is where typing goes on. */
  readonly focusComposer: () => void;
}

export const AssistantMessage = memo(function AssistantMessage({
  message,
  ordinal,
  last,
  edit,
  saving,
  locked,
  reachable,
  actions,
  focusComposer,
}: AssistantMessageProps) {
  const live = !isEnd(message.phase);
  const again = last && !locked && reachable && edit === null ? { retry, goOn } : null;

  function retry() {
    focusComposer();
    void actions.regenerate();
  }

  function goOn() {
    focusComposer();
    void actions.continueAnswer();
  }

  return (
    <article
      className="message assistant-message"
      data-id={message.id}
      data-role="assistant"
      data-phase={message.phase.kind}
      data-last={last}
      aria-label={`Answer ${ordinal}`}
    >
      <h2 className="visually-hidden">Answer {ordinal}</h2>
      {message.reasoning !== "" && (
        <Thinking message={message} onToggle={(open) => actions.toggleThought(message.id, open)}>
          <Rendered text={message.reasoning} streaming={live && message.thoughtTo === null} />
        </Thinking>
      )}
      {edit !== null ? (
        <Editor
          name={`Answer ${ordinal}`}
          text={edit}
          saving={saving}
          saveWords="Save"
          mayBeEmpty={false}
          actions={actions}
        />
      ) : (
        message.text !== "" && <Rendered text={message.text} streaming={live} />
      )}
      <Ending message={message} again={again} />
      {edit === null && (
        <div className="assistant-message-foot">
          {live ? (
            <PhaseLine message={message} />
          ) : (
            <>
              <MetricsLine message={message} />
              <div className="message-actions">
                {message.edited && <span className="message-tag">Edited</span>}
                {message.text !== "" && (
                  <>
                    <CopyButton name="Copy answer" text={message.text} />
                    <IconButton
                      name={`Edit answer ${ordinal}`}
                      icon={<Pencil />}
                      data-edit
                      size="small"
                      aria-disabled={locked}
                      onClick={locked ? undefined : () => actions.startEdit(message.id)}
                    />
                  </>
                )}
                {last && !offersRetry(message.phase) && (
                  <IconButton
                    name="Regenerate"
                    icon={<RefreshCw />}
                    size="small"
                    aria-disabled={locked || !reachable}
                    onClick={locked || !reachable ? undefined : retry}
                  />
                )}
              </div>
            </>
          )}
        </div>
      )}
    </article>
  );
});

/** What is waited for. Thinking is told by its disclosure, which has the same words. */
function PhaseLine({ message }: { readonly message: Message }) {
  if (message.phase.kind === "thinking" && message.reasoning !== "") return null;
  return (
    <p className="phase-line">
      <Spinner />
      {phaseLine(message.phase)}
    </p>
  );
}
