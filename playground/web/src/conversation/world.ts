/**
 * What does the conversation need of the world around it? Everything impure, by name.
 *
 * `browser.ts` has the real ones; tests have theirs, with time in their own hands.
 */

import type { Wire } from "../protocol/api";

/** Calls off what was arranged; harmless when it is over. */
export type CallOff = () => void;

export interface World extends Wire {
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Run once, when the next picture is drawn, or soon where none is (a hidden tab). */
  frame(run: () => void): CallOff;
  /** Whether the page can be seen. */
  visible(): boolean;
  onVisible(run: () => void): CallOff;
  uuid(): string;
  /** Between 1 and 2^53 - 1. */
  seed(): number;
  readonly store: Store;
  readonly locks: Locks;
  readonly pictures: Pictures;
}

/** A few strings that outlive the page; may forget all of them, and never throws. */
export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** A lock that one tab of this browser can have at a time. */
export interface Locks {
  /**
   * `try` gives null where another has it, `wait` waits for it until called off (then null),
   * `steal` takes it.
   */
  take(name: string, how: "try" | "wait" | "steal", signal: AbortSignal): Promise<Hold | null>;
}

export interface Hold {
  /** Resolves when another tab has taken it. */
  readonly lost: Promise<void>;
  release(): void;
}

/** What the browser knows of pictures. */
export interface Pictures {
  /** Width and height as it is shown, turned as its EXIF says; null where it cannot be decoded. */
  measure(file: Blob): Promise<Size | null>;
  /** The same picture as a PNG or, where it has no transparency, JPEG of at most this size. */
  encode(file: Blob, type: "image/png" | "image/jpeg", size: Size): Promise<Blob | null>;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}
