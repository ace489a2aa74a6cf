/**
 * How does a field hold text that is not a value yet?
 *
 * While a person types, the text is a draft: it may be empty or wrong. It becomes a value when the
 * field is left, Enter is pressed, or the field goes away. A draft that is wrong stays as it was
 * written, with its problem beside it, and the value in force stays in force. A value that changes
 * from outside takes the draft's place.
 */
import { useEffect, useRef, useState } from "react";

/** What a text means. */
export type Reading<T> = { readonly value: T } | { readonly problem: string };

export interface Draft {
  readonly text: string;
  readonly problem: string | null;
  /** Whether the text differs from the value in force. */
  readonly pending: boolean;
  type(text: string): void;
  /** Commit the text, or say what is wrong with it. */
  settle(): void;
  /** Back to the value in force. */
  revert(): void;
}

export function useDraft<T>(
  inForce: string,
  read: (text: string) => Reading<T>,
  onCommit: (value: T) => void,
): Draft {
  const [draft, setDraft] = useState<string | null>(null);
  const [judged, setJudged] = useState(false);
  const [seen, setSeen] = useState(inForce);
  const revert = () => {
    setDraft(null);
    setJudged(false);
  };
  if (seen !== inForce) {
    setSeen(inForce);
    revert();
  }

  const reading = draft === null ? null : read(draft);
  const commit = () => {
    if (reading && "value" in reading && draft !== inForce) onCommit(reading.value);
  };
  const atEnd = useRef(commit);
  useEffect(() => {
    atEnd.current = commit;
  });
  useEffect(() => () => atEnd.current(), []);

  return {
    text: draft ?? inForce,
    problem: judged && reading && "problem" in reading ? reading.problem : null,
    pending: draft !== null && draft !== inForce,
    type: setDraft,
    settle() {
      if (!reading) return;
      if ("problem" in reading) return setJudged(true);
      revert();
      commit();
    },
    revert,
  };
}
