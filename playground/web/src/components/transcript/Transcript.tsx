/** What was said so far? The conversation in order, in a box that stays at its end until told otherwise. */
import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../../controls/Button";
import type { Message, Playground } from "../../conversation/model";
import { isBusy } from "../../conversation/possible";
import { usePlayground } from "../../usePlayground";
import { AssistantMessage } from "../message/AssistantMessage";
import { Unanswered } from "../message/Ending";
import { UserMessage } from "../message/UserMessage";
import "./transcript.css";
import { useFollow } from "./useFollow";

interface TranscriptProps {
  readonly playground: Playground;
  readonly focusComposer: () => void;
  /** Shown while nothing was said. */
  readonly welcome: ReactNode;
}

export function Transcript({ playground, focusComposer, welcome }: TranscriptProps) {
  const messages = usePlayground(playground, (state) => state.messages);
  const editing = usePlayground(playground, (state) => state.editing);
  const mine = usePlayground(playground, (state) => state.ownership.kind === "mine");
  const resetting = usePlayground(playground, (state) => state.resetting);
  const live = isBusy({ messages });
  const reachable = usePlayground(playground, (state) => state.connection.kind === "ready");
  const locked = live || resetting || !mine || editing !== null;

  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { following, toEnd, toStart } = useFollow(scroller, content, messages.length > 0);
  const blank = messages.length === 0;
  useEffect(() => {
    if (blank) toStart(); // a welcome is read from its beginning
  }, [blank, toStart]);
  const asked = live ? messages.at(-1)?.id : null;
  useEffect(() => {
    if (asked) toEnd(); // whoever asks wants to see the answer
  }, [asked, toEnd]);

  function jump() {
    toEnd();
    scroller.current?.focus({ preventScroll: true }); // the button is gone
  }

  const edited = useRef<string | null>(null);
  useEffect(() => {
    const before = edited.current;
    edited.current = editing?.id ?? null;
    if (before === null || editing !== null || document.activeElement !== document.body) return;
    const button = content.current?.querySelector<HTMLElement>(
      `[data-id="${CSS.escape(before)}"] [data-edit][aria-disabled="false"]`,
    );
    if (button) button.focus();
    else focusComposer();
  }, [editing, focusComposer]);

  return (
    <div className="transcript">
      <div
        ref={scroller}
        className="transcript-scroller"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={live}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
      >
        <div ref={content} className="transcript-content">
          {blank && welcome}
          {numbered(messages).map(({ message, ordinal }) => {
            const common = {
              ordinal,
              edit: editing?.id === message.id ? editing.text : null,
              saving: editing?.id === message.id && editing.saving,
              locked,
              actions: playground.actions,
            };
            return message.role === "user" ? (
              <UserMessage key={message.id} message={message} {...common} />
            ) : (
              <AssistantMessage
                key={message.id}
                message={message}
                last={message === messages.at(-1)}
                reachable={reachable}
                focusComposer={focusComposer}
                {...common}
              />
            );
          })}
          {messages.at(-1)?.role === "user" && !locked && (
            <Unanswered
              retry={() => {
                focusComposer();
                void playground.actions.regenerate();
              }}
            />
          )}
        </div>
      </div>
      {!following && !blank && (
        <Button className="transcript-jump" icon={<ArrowDown />} onClick={jump}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}

/** Each message with its number among those of its role, from 1. */
function numbered(messages: readonly Message[]) {
  const counts = { user: 0, assistant: 0 };
  return messages.map((message) => {
    counts[message.role] += 1;
    return { message, ordinal: counts[message.role] };
  });
}
