import { describe, expect, it } from "vitest";
import { runtimeFrom } from "../protocol/runtime";
import {
  INITIAL_SETTINGS,
  keepSettings,
  loadSettings,
  MAX_STOP_CHARACTERS,
  MAX_STOPS,
  SETTINGS_KEY,
  withDefaults,
  withinRange,
} from "./settings";
import { RUNTIME, TestWorld } from "./testing";

const runtime = runtimeFrom(RUNTIME);

describe("withDefaults", () => {
  it("takes the server's, and keeps what is said to the model", () => {
    const settings = { ...INITIAL_SETTINGS, system: "Be brief.", temperature: 2, seed: 3 };
    expect(withDefaults(settings, runtime)).toEqual({
      ...INITIAL_SETTINGS,
      system: "Be brief.",
      temperature: 0.7,
      topP: 0.9,
      topK: 5,
      strength: "low",
    });
  });

  it("takes ours where the server has not said, or says what is not known here", () => {
    expect(withDefaults(INITIAL_SETTINGS, null)).toEqual(INITIAL_SETTINGS);
    const odd = { ...runtime, defaults: { ...runtime.defaults, reasoningStrength: "extreme" } };
    expect(withDefaults(INITIAL_SETTINGS, odd).strength).toBe("high");
  });
});

describe("withinRange", () => {
  it.each([
    [{ temperature: -1 }, { temperature: 0 }],
    [{ temperature: 9 }, { temperature: 2 }],
    [{ temperature: Number.NaN }, { temperature: 1 }],
    [{ topP: 0 }, { topP: 0.01 }],
    [{ topK: 2.6 }, { topK: 3 }],
    [{ topK: 2 ** 40 }, { topK: 2 ** 31 - 1 }],
    [{ seed: null }, { seed: null }],
    [{ seed: 0 }, { seed: 1 }],
    [{ maxTokens: null }, { maxTokens: null }],
    [{ maxTokens: 10_000 }, { maxTokens: 1000 }],
    [{ maxTokens: 0 }, { maxTokens: 1 }],
    [{ stop: ["", "END"] }, { stop: ["END"] }],
  ])("makes of %j %j", (change, expected) => {
    expect(withinRange({ ...INITIAL_SETTINGS, ...change }, runtime)).toMatchObject(expected);
  });

  it("has no more and no longer stop strings than the server takes", () => {
    const stop = Array.from({ length: 20 }, () => "x".repeat(300));
    const { stop: kept } = withinRange({ ...INITIAL_SETTINGS, stop }, null);
    expect([kept.length, kept[0]?.length]).toEqual([MAX_STOPS, MAX_STOP_CHARACTERS]);
    const faces = "😀".repeat(MAX_STOP_CHARACTERS);
    expect(withinRange({ ...INITIAL_SETTINGS, stop: [faces] }, null).stop).toEqual([faces]);
  });
});

describe("kept settings", () => {
  it("come back as they were", () => {
    const { store } = new TestWorld();
    const settings = { ...INITIAL_SETTINGS, system: "Hi", seed: 3, stop: ["a"], remember: true };
    keepSettings(store, settings);
    expect(loadSettings(store)).toEqual(settings);
    keepSettings(store, { ...settings, remember: false });
    expect(loadSettings(store)).toBeNull();
  });

  it.each(["", "{", "null", "7", "[]x"])("are none where there is %j", (text) => {
    const { store } = new TestWorld();
    store.set(SETTINGS_KEY, text);
    expect(loadSettings(store)).toBeNull();
  });

  it("are the initial ones where they are not what they should be", () => {
    const { store } = new TestWorld();
    const odd = { temperature: "hot", topK: 1e99, strength: "extreme", stop: [1], dflash: 0 };
    store.set(SETTINGS_KEY, JSON.stringify({ ...odd, system: "Hi" }));
    expect(loadSettings(store)).toEqual({
      ...INITIAL_SETTINGS,
      system: "Hi",
      topK: 2 ** 31 - 1,
      remember: true,
    });
  });
});
