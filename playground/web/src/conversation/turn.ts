/**
 * How does one turn run, from its request to its last event, and how is it stopped?
 *
 * Events are told in batches: what came since the last frame is drawn at once, so that a fast
 * answer costs one drawing a frame. The end is told without delay.
 *
 * A stop asks the server to cancel, and then there is a bound to everything:
 *
 *     cancelled       the turn ends by itself; after 5 s without an end it is closed: abandoned
 *     no such turn    it may be ending, or not have begun: it has 300 ms, then is closed: aborted
 *     no answer       it is closed: abandoned
 *
 * Closing the connection cancels the turn in the server as well, whether it can say so or not.
 */

import { errorFrom } from "../protocol/errors";
import { append, type TurnEvent, TurnReader } from "../protocol/stream";
import type { PhaseEvent } from "./phase";
import type { World } from "./world";

export const STOP_MS = 5_000;
export const NO_SUCH_TURN_MS = 300;

/** A turn that runs. */
export interface Running {
  /** Resolves when the last event has been told; never rejects. */
  readonly over: Promise<void>;
  /** Ask the server to end it; resolves when it is over. */
  stop(): Promise<void>;
  /** Close the connection now. */
  abort(): void;
}

/** What a turn asks of the server. */
export interface Line {
  /** Begin: the bytes of the answer. */
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** End it early: whether there was such a turn. */
  cancel(): Promise<boolean>;
}

/** Begin a turn; `tell` is given its events in order, and nothing after its end. */
export function runTurn(
  line: Line,
  world: Pick<World, "after" | "frame">,
  tell: (events: readonly PhaseEvent[]) => void,
): Running {
  const connection = new AbortController();
  const told = batched(world, tell);
  let callOffBound = () => {};

  function end(event: "abandoned" | "aborted"): void {
    told.add({ kind: event });
    told.close();
    connection.abort();
  }

  async function receive(): Promise<void> {
    try {
      await read(await line.open(connection.signal), told.add);
    } catch (thrown) {
      told.add({ kind: "error", error: errorFrom(thrown) });
    } finally {
      callOffBound();
      told.close();
    }
  }

  const over = receive();
  return {
    over,
    abort: () => end("aborted"),
    stop: async () => {
      const bound = (ms: number, event: "abandoned" | "aborted") => {
        callOffBound();
        callOffBound = world.after(ms, () => end(event));
      };
      bound(STOP_MS, "abandoned");
      try {
        if (!(await line.cancel())) bound(NO_SUCH_TURN_MS, "aborted");
      } catch {
        end("abandoned");
      }
      await over;
    },
  };
}

/** Tell what a stream holds; a stream that breaks off has been lost. */
async function read(
  bytes: ReadableStream<Uint8Array>,
  tell: (event: TurnEvent) => void,
): Promise<void> {
  const turn = new TurnReader();
  const reader = bytes.getReader();
  try {
    while (!turn.isOver) {
      const { done, value } = await reader.read();
      for (const event of done ? turn.end() : turn.push(value)) tell(event);
    }
    await reader.cancel();
  } catch {
    for (const event of turn.end()) tell(event);
  }
}

/** Gathers events until the next frame; `close` tells the rest and then takes no more. */
function batched(world: Pick<World, "frame">, tell: (events: readonly PhaseEvent[]) => void) {
  let gathered: PhaseEvent[] = [];
  let closed = false;
  let callOff: (() => void) | null = null;

  function flush(): void {
    callOff?.();
    callOff = null;
    const events = gathered;
    gathered = [];
    if (events.length > 0) tell(events);
  }

  return {
    add: (event: PhaseEvent) => {
      if (closed) return;
      append(gathered, event);
      callOff ??= world.frame(flush);
    },
    close: () => {
      if (closed) return;
      closed = true;
      flush();
    },
  };
}
