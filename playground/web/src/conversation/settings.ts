/**
 * What may a turn be asked with, which values are there at first, and what is kept over a reload?
 *
 * Fields read texts by these ranges and say what is wrong; `withinRange` is for values that come
 * from elsewhere. Settings are kept only where the person wants it, and read back with distrust.
 */

import type { RuntimeReport } from "../protocol/types";
import type { Settings, Strength } from "./model";
import type { Store } from "./world";

export const SETTINGS_KEY = "muse:settings";
export const STRENGTHS: readonly Strength[] = ["low", "medium", "high", "xhigh"];
export const MAX_STOPS = 16;
/** Of one stop string, in code points, as the server counts. */
export const MAX_STOP_CHARACTERS = 256;

/** What a number may be. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly integer: boolean;
  /** Whether the field may be left empty, which is null. */
  readonly optional: boolean;
}

export type NumberField = "temperature" | "topP" | "topK" | "seed" | "maxTokens";

/** The ranges of all fields; the context bounds the output. */
export function rangesFor(runtime: RuntimeReport | null): Readonly<Record<NumberField, Range>> {
  return {
    temperature: { min: 0, max: 2, step: 0.05, integer: false, optional: false },
    topP: { min: 0.01, max: 1, step: 0.01, integer: false, optional: false },
    topK: { min: 0, max: 2 ** 31 - 1, step: 1, integer: true, optional: false },
    seed: { min: 1, max: Number.MAX_SAFE_INTEGER, step: 1, integer: true, optional: true },
    maxTokens: {
      min: 1,
      max: runtime?.contextLength || Number.MAX_SAFE_INTEGER,
      step: 1,
      integer: true,
      optional: true,
    },
  };
}

function allowedStops(stops: readonly string[]): readonly string[] {
  return stops
    .filter((stop) => stop !== "")
    .map((stop) => [...stop].slice(0, MAX_STOP_CHARACTERS).join(""))
    .slice(0, MAX_STOPS);
}

/** Before the server has said what its defaults are. */
export const INITIAL_SETTINGS: Settings = {
  system: "",
  strength: "high",
  temperature: 1,
  topP: 0.95,
  topK: 64,
  seed: null,
  stop: [],
  maxTokens: null,
  dflash: true,
  remember: false,
};

/** The server's own defaults; what is said to the model and what is kept stay as they are. */
export function withDefaults(settings: Settings, runtime: RuntimeReport | null): Settings {
  const { system, remember } = settings;
  const defaults = runtime?.defaults;
  const known = defaults && {
    temperature: defaults.temperature,
    topP: defaults.topP,
    topK: defaults.topK,
    strength: strengthOf(defaults.reasoningStrength) ?? INITIAL_SETTINGS.strength,
  };
  return withinRange({ ...INITIAL_SETTINGS, ...known, system, remember }, runtime);
}

/** The same settings, each within its range; what is no number at all becomes the initial one. */
export function withinRange(settings: Settings, runtime: RuntimeReport | null): Settings {
  const ranges = rangesFor(runtime);
  const number = (field: NumberField): number | null => {
    const { min, max, integer } = ranges[field];
    const value = settings[field];
    if (value === null) return null;
    if (!Number.isFinite(value)) return INITIAL_SETTINGS[field];
    return Math.min(max, Math.max(min, integer ? Math.round(value) : value));
  };
  return {
    ...settings,
    temperature: number("temperature") ?? INITIAL_SETTINGS.temperature,
    topP: number("topP") ?? INITIAL_SETTINGS.topP,
    topK: number("topK") ?? INITIAL_SETTINGS.topK,
    seed: number("seed"),
    maxTokens: number("maxTokens"),
    stop: allowedStops(settings.stop),
  };
}

function strengthOf(value: unknown): Strength | null {
  return STRENGTHS.find((strength) => strength === value) ?? null;
}

/** What was kept, if anything was, and can be read. */
export function loadSettings(store: Store): Settings | null {
  let kept: unknown;
  try {
    kept = JSON.parse(store.get(SETTINGS_KEY) ?? "null");
  } catch {
    return null;
  }
  if (typeof kept !== "object" || kept === null) return null;
  const fields = kept as Readonly<Record<string, unknown>>;
  const read = <Name extends keyof Settings>(name: Name, is: (value: unknown) => boolean) =>
    (is(fields[name]) ? fields[name] : INITIAL_SETTINGS[name]) as Settings[Name];
  return withinRange(
    {
      system: read("system", isString),
      strength: read("strength", (value) => strengthOf(value) !== null),
      temperature: read("temperature", isNumber),
      topP: read("topP", isNumber),
      topK: read("topK", isNumber),
      seed: read("seed", isNumber),
      stop: read("stop", (value) => Array.isArray(value) && value.every(isString)),
      maxTokens: read("maxTokens", isNumber),
      dflash: read("dflash", (value) => typeof value === "boolean"),
      remember: true,
    },
    null,
  );
}

/** Keep them if the person wants it, else forget what was kept. */
export function keepSettings(store: Store, settings: Settings): void {
  const { remember, ...kept } = settings;
  if (remember) store.set(SETTINGS_KEY, JSON.stringify(kept));
  else store.remove(SETTINGS_KEY);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
