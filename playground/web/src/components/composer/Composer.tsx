/**
 * Where is the next message written? In a field that is never taken away while it is written in.
 *
 * Send and Stop are one button, so that the focus stays where it is when a turn begins and ends.
 * What cannot be done is refused by `aria-disabled` and a reason in words, not by taking the
 * element out of reach.
 */
import ImagePlus from "lucide-react/icons/image-plus";
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useId, useRef } from "react";
import { IconButton } from "../../controls/IconButton";
import type { Playground, State } from "../../conversation/model";
import { isBusy, isStopping } from "../../conversation/possible";
import { commandOf } from "../../shortcuts/shortcuts";
import { useAnnounce } from "../../status/announcer";
import { usePlayground } from "../../usePlayground";
import "./composer.css";
import { ContextGauge } from "./ContextGauge";
import { ImageChip } from "./ImageChip";
import { bringsText, pictureIn } from "./pictures";
import { SendButton } from "./SendButton";
import { StrengthSelect } from "./StrengthSelect";
import { isComposing } from "./typing";
import { useAutoGrow } from "./useAutoGrow";

interface ComposerProps {
  readonly playground: Playground;
  /** So that others can put the focus here. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

export function Composer({ playground, field }: ComposerProps) {
  const { actions } = playground;
  const draft = usePlayground(playground, (state) => state.draft);
  const attachment = usePlayground(playground, (state) => state.attachment);
  const live = usePlayground(playground, isBusy);
  const stopping = usePlayground(playground, isStopping);
  const refusal = usePlayground(playground, whyNotSend);
  const sees = usePlayground(playground, (state) => state.runtime?.supports.vision ?? false);
  const replaces = usePlayground(playground, hasEarlierImage);
  const file = useRef<HTMLInputElement>(null);
  const note = useId();
  const announce = useAnnounce();
  useAutoGrow(field, draft);

  const does = stopping ? "stopping" : live ? "stop" : "send";
  const empty = draft.trim() === "" && attachment === null;
  const disabled = does === "stopping" || (does === "send" && (empty || refusal !== null));

  function press() {
    if (does === "stop") void actions.stop();
    else if (!disabled) void actions.send();
    else if (refusal && !empty) announce(refusal.words);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (isComposing(event)) return;
    const command = commandOf(
      event.nativeEvent,
      draft === "" ? ["composer", "empty-composer"] : ["composer"],
    );
    if (command === "send") {
      event.preventDefault();
      if (!live) press();
    } else if (command === "edit-last" && !live) {
      const last = playground.getState().messages.findLast(({ role }) => role === "user");
      if (last) {
        event.preventDefault();
        actions.startEdit(last.id);
      }
    }
  }

  function onPaste(event: ClipboardEvent) {
    const picture = sees ? pictureIn(event.clipboardData) : null;
    if (picture === null) return;
    if (!bringsText(event.clipboardData, picture)) event.preventDefault();
    void actions.attach(picture);
  }

  return (
    <form
      className="composer"
      aria-label="Composer"
      onSubmit={(event) => {
        event.preventDefault();
        press();
      }}
    >
      {attachment && (
        <ImageChip
          image={attachment}
          replaces={replaces}
          onReplace={() => file.current?.click()}
          onRemove={() => {
            actions.detach();
            field.current?.focus();
          }}
        />
      )}
      <textarea
        ref={field}
        className="composer-field"
        dir="auto"
        aria-label="Message"
        aria-describedby={refusal === null ? undefined : note}
        placeholder={live ? "Write the next message…" : "Ask something…"}
        rows={1}
        enterKeyHint="send"
        value={draft}
        onChange={(event) => actions.setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-foot">
        {sees && (
          <>
            <IconButton
              name="Attach image"
              icon={<ImagePlus />}
              onClick={() => file.current?.click()}
            />
            <input
              ref={file}
              type="file"
              accept="image/*"
              hidden
              aria-label="Image file"
              onChange={(event) => {
                const chosen = event.currentTarget.files?.[0];
                event.currentTarget.value = ""; // the same file may be chosen again
                if (chosen) void actions.attach(chosen);
                field.current?.focus();
              }}
            />
          </>
        )}
        <StrengthSelect playground={playground} />
        <p id={note} className="composer-note">
          {refusal && (
            <span className={refusal.shown ? undefined : "visually-hidden"}>{refusal.words}</span>
          )}
        </p>
        <ContextGauge playground={playground} />
        <SendButton does={does} disabled={disabled} />
      </div>
    </form>
  );
}

interface Refusal {
  readonly words: string;
  /** What is wrong with the connection is shown elsewhere already. */
  readonly shown: boolean;
}

const REFUSALS = {
  editing: { words: "Save or cancel your edit first.", shown: true },
  resetting: { words: "Starting over…", shown: true },
  connecting: { words: "Connecting…", shown: false },
  loading: { words: "The model is loading…", shown: false },
  offline: { words: "The server does not answer.", shown: false },
  "engine-gone": { words: "The engine is gone.", shown: false },
} as const satisfies Readonly<Record<string, Refusal>>;

/** Why nothing can be sent now, whatever is written; null where it can. */
function whyNotSend(state: State): Refusal | null {
  if (state.editing !== null) return REFUSALS.editing;
  if (state.resetting) return REFUSALS.resetting;
  return state.connection.kind === "ready" ? null : REFUSALS[state.connection.kind];
}

function hasEarlierImage({ messages }: State): boolean {
  return messages.some((message) => message.role === "user" && message.image !== null);
}
