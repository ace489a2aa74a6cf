/**
 * What is the world of a real browser? `World`, in terms of the web platform.
 */

import type { Hold, Locks, Pictures, Size, Store, World } from "./world";

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
    const picture = await decoded(file);
    if (picture === null) return null;
    const { width, height } = picture;
    picture.close();
    return { width, height };
  },
  encode: async (file, type, { width, height }) => {
    const picture = await decoded(file);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (picture === null || context === null) return null;
    if (type === "image/jpeg") {
      context.fillStyle = "white"; // a JPEG has no transparency
      context.fillRect(0, 0, width, height);
    }
    context.imageSmoothingQuality = "high";
    context.drawImage(picture.source, 0, 0, width, height);
    picture.close();
    return canvas.convertToBlob({ type, quality: 0.92 }).catch(() => null);
  },
};

interface Decoded extends Size {
  readonly source: CanvasImageSource;
  close(): void;
}

/** Some browsers open formats in an `<img>` alone: Safari HEIC, all of them SVG. */
async function decoded(file: Blob): Promise<Decoded | null> {
  try {
    const source = await createImageBitmap(file, { imageOrientation: "from-image" });
    const { width, height } = source;
    return { source, width, height, close: () => source.close() };
  } catch {
    return decodedByElement(file);
  }
}

async function decodedByElement(file: Blob): Promise<Decoded | null> {
  const source = new Image();
  source.src = URL.createObjectURL(file);
  const close = () => URL.revokeObjectURL(source.src);
  const loaded = await source.decode().then(
    () => true,
    () => false,
  );
  const { naturalWidth: width, naturalHeight: height } = source;
  if (loaded && width > 0 && height > 0) return { source, width, height, close };
  close();
  return null;
}
