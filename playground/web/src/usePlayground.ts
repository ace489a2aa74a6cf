/** How does a component see the store? By the part of it that it draws, so that only that redraws it. */
import { useSyncExternalStore } from "react";
import type { Playground, State } from "./conversation/model";

/** `select` must give back the same value for the same state: a field, not a new object. */
export function usePlayground<T>(playground: Playground, select: (state: State) => T): T {
  return useSyncExternalStore(playground.subscribe, () => select(playground.getState()));
}
