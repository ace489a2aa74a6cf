/**
 * What is told to screen readers, and where? In one polite region, so that nothing talks over another.
 *
 * The store's announcements and the page's own ("Copied") arrive in the same place; the latest wins.
 * The region is there before anything is said, as it has to be.
 */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";

const Announce = createContext<(text: string) => void>(() => {});

/** Says something politely; does nothing where no region is. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

interface AnnouncerProps {
  /** What the store has to say; said whenever it changes. */
  readonly announcement: string;
  readonly children: ReactNode;
}

export function Announcer({ announcement, children }: AnnouncerProps) {
  const [said, setSaid] = useState({ text: "", times: 0 });
  const announce = useCallback(
    (text: string) => setSaid((before) => ({ text, times: before.times + 1 })),
    [],
  );
  useEffect(() => announce(announcement), [announce, announcement]);
  return (
    <Announce value={announce}>
      {children}
      <div role="status" className="visually-hidden">
        {/* The key makes the same words a change, so that they are said again. */}
        <span key={said.times}>{said.text}</span>
      </div>
    </Announce>
  );
}
