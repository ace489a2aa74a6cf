/**
 * Does a scroll box stay at its end while it grows? Until its reader scrolls up.
 *
 * Who moved is told by position and not by time: our own moves are remembered, so a position above
 * the last one, in a box that did not shrink, is the reader's doing and ends the following. Moving
 * down to the end, or within a little of it, takes it up again.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** So near to the end counts as the end, in px. */
const NEAR = 32;

export interface Follow {
  /** Whether the end is in sight, as far as following goes. */
  readonly following: boolean;
  /** Go to the end and stay there. */
  readonly toEnd: () => void;
  /** Go to the start, and no longer follow. */
  readonly toStart: () => void;
}

export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  initially = true,
): Follow {
  const [following, setFollowing] = useState(initially);
  const follows = useRef(initially);
  const last = useRef({ top: 0, room: 0 });

  const set = useCallback((value: boolean) => {
    follows.current = value;
    setFollowing(value);
  }, []);

  const pin = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    box.scrollTop = box.scrollHeight;
    last.current = { top: box.scrollTop, room: roomOf(box) };
  }, [scroller]);

  const toEnd = useCallback(() => {
    set(true);
    pin();
  }, [pin, set]);

  const toStart = useCallback(() => {
    set(false);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [scroller, set]);

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null) return;

    function onScroll() {
      if (box === null) return;
      const { top, room } = last.current;
      const now = { top: box.scrollTop, room: roomOf(box) };
      last.current = now;
      if (now.top < top - 1 && now.room >= room - 1) set(false);
      else if (now.top > top && now.room - now.top <= NEAR) set(true);
    }

    /** A wheel turned up means up, even where the box was just moved down under it. */
    function onWheel(event: WheelEvent) {
      if (event.deltaY < 0 && box !== null && box.scrollTop > 0) set(false);
    }

    const sizes = new ResizeObserver(() => {
      if (follows.current) pin();
      else if (roomOf(box) <= NEAR) set(true); // everything is in sight
    });
    sizes.observe(inner);
    sizes.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    box.addEventListener("wheel", onWheel, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("wheel", onWheel);
    };
  }, [scroller, content, pin, set]);

  return { following, toEnd, toStart };
}

/** How far it can be scrolled, in px. */
function roomOf(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight;
}
