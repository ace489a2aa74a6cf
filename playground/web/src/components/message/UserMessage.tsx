/** What did the person say? A bubble at the right, as typed, with its picture above. */
import Pencil from "lucide-react/icons/pencil";
import { memo } from "react";
import { CopyButton } from "../../controls/CopyButton";
import { IconButton } from "../../controls/IconButton";
import type { Actions, UserMessage as Message } from "../../conversation/model";
import { Editor } from "./Editor";
import "./message.css";

interface UserMessageProps {
  readonly message: Message;
  /** Which of the user's messages it is, from 1. */
  readonly ordinal: number;
  /** The editor's text, while this message is being edited. */
  readonly edit: string | null;
  readonly saving: boolean;
  /** Nothing may be edited now: a turn or a session request is under way. */
  readonly locked: boolean;
  readonly actions: Actions;
}

export const UserMessage = memo(function UserMessage({
  message,
  ordinal,
  edit,
  saving,
  locked,
  actions,
}: UserMessageProps) {
  const editing = edit !== null;
  return (
    <article
      className="message user-message"
      data-id={message.id}
      data-role="user"
      data-editing={editing}
      aria-label={`Your message ${ordinal}`}
    >
      <h2 className="visually-hidden">Your message {ordinal}</h2>
      {message.image && (
        <img
          className="user-message-image"
          src={message.image.url}
          width={message.image.width}
          height={message.image.height}
          alt={`Attached: ${message.image.name}`}
        />
      )}
      {editing ? (
        <Editor
          name={`Your message ${ordinal}`}
          text={edit}
          saving={saving}
          saveWords="Save and regenerate"
          mayBeEmpty={message.image !== null}
          actions={actions}
        />
      ) : (
        <>
          {message.text && (
            <p className="user-message-bubble" dir="auto">
              {message.text}
            </p>
          )}
          <div className="message-actions">
            {message.edited && <span className="message-tag">Edited</span>}
            {message.text && <CopyButton name="Copy message" text={message.text} />}
            <IconButton
              name={`Edit your message ${ordinal}`}
              icon={<Pencil />}
              data-edit
              size="small"
              aria-disabled={locked}
              onClick={locked ? undefined : () => actions.startEdit(message.id)}
            />
          </div>
        </>
      )}
    </article>
  );
});
