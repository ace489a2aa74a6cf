/**
 * What is the world of a real browser? `World`, in terms of the web platform.
 */

import type { Hold, Locks, Pictures, Store, World } from "./world";

/** How soon a frame comes where none is drawn, as in a hidden tab. */
const HIDDEN_FRAME_MS = 100;

export function browserDeps(): World {
  return {
    fetch: (path, init) => fetch(path, init),
    now: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    frame,
    visible: () => document.visibilityState !== "hidden",
    onVisible: (run) => {
      const changed = () => document.visibilityState === "visible" && run();
      document.addEventListener("visibilitychange", changed);
      return () => document.removeEventListener("visibilitychange", changed);
    },
    uuid: () => crypto.randomUUID(),
    seed: () => {
      const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
      return (high % 2 ** 21) * 2 ** 32 + low || 1;
    },
    store: browserStore(),
    locks: "locks" in navigator ? browserLocks(navigator.locks) : noLocks,
    pictures: browserPictures,
  };
}

/** Whichever comes first: a frame asked for before a tab was hidden does not come at all. */
function frame(run: () => void): () => void {
  const callOff = () => {
    cancelAnimationFrame(drawn);
    clearTimeout(timer);
  };
  const once = () => {
    callOff();
    run();
  };
  const drawn = requestAnimationFrame(once);
  const timer = setTimeout(once, HIDDEN_FRAME_MS);
  return callOff;
}

/** `localStorage`, where it may be used. */
function browserStore(): Store {
  function tolerant<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch {
      return otherwise; // blocked, or full
    }
  }
  return {
    get: (key) => tolerant(() => localStorage.getItem(key), null),
    set: (key, value) => tolerant(() => localStorage.setItem(key, value), undefined),
    remove: (key) => tolerant(() => localStorage.removeItem(key), undefined),
  };
}

function browserLocks(locks: LockManager): Locks {
  return {
    take: (name, how, signal) =>
      new Promise<Hold | null>((resolve) => {
        const options: LockOptions =
          how === "wait" ? { signal } : how === "try" ? { ifAvailable: true } : { steal: true };
        let taken = () => {};
        const lost = new Promise<void>((told) => {
          taken = told;
        });
        const held = (lock: Lock | null) => {
          if (lock === null) return resolve(null);
          return new Promise<void>((release) => resolve({ lost, release }));
        };
        // Rejects where the wait was called off, and where the lock was stolen while it was held.
        locks.request(name, options, held).catch(() => {
          resolve(null);
          taken();
        });
      }),
  };
}

/** Without locks every tab has the session; the server still keeps turns apart. */
const noLocks: Locks = {
  take: async () => ({ lost: new Promise<void>(() => {}), release: () => {} }),
};

const browserPictures: Pictures = {
  measure: async (file) => {
    const bitmap = await decoded(file);
    if (bitmap === null) return null;
    const { width, height } = bitmap;
    bitmap.close();
    return { width, height };
  },
  encode: async (file, type, { width, height }) => {
    const bitmap = await decoded(file);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (bitmap === null || context === null) return null;
    if (type === "image/jpeg") {
      context.fillStyle = "white"; // a JPEG has no transparency
      context.fillRect(0, 0, width, height);
    }
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return canvas.convertToBlob({ type, quality: 0.92 }).catch(() => null);
  },
};

function decoded(file: Blob): Promise<ImageBitmap | null> {
  return createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
}
