import { expect, test } from "vitest";
import type { RuntimeReport } from "../protocol/types";
import { RUNTIME } from "../testing/runtime";
import { factsOf } from "./runtimeFacts";

/** The facts by name. */
function told(report: RuntimeReport): Readonly<Record<string, string | null>> {
  const facts = factsOf(report).flatMap((group) => group.facts);
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

test("amounts have units that keep them short", () => {
  const facts = told(RUNTIME);

  expect(facts.Size).toBe("62.9 MB");
  expect(facts["Load time"]).toBe("0.41 s");
  expect(facts.Context).toBe("8,192 tokens");
  expect(facts["Largest file"]).toBe("10.5 MB");
});

test("a long hash is shown in part, and whole to be copied", () => {
  const facts = factsOf(RUNTIME).flatMap((group) => group.facts);

  expect(facts.find(({ name }) => name === "SHA-256")).toEqual({
    name: "SHA-256",
    value: "0123456789ab…",
    whole: RUNTIME.artifactSha256,
  });
});

test("threads come with the reason for their number", () => {
  const facts = factsOf(RUNTIME).flatMap((group) => group.facts);

  expect(facts.find(({ name }) => name === "Threads")).toEqual({
    name: "Threads",
    value: "2",
    because: "fastest of 1, 2",
  });
});

test("what is not known is null, and 0 stays 0", () => {
  const facts = told({ ...RUNTIME, maxNamedSessions: 0 });

  expect(facts.PyTorch).toBeNull();
  expect(facts.Worker).toBeNull();
  expect(facts["Kept warm"]).toBe("0");
});

test("an empty text or a context of no length says nothing either", () => {
  const facts = told({ ...RUNTIME, modelId: "", contextLength: 0 });

  expect([facts.Id, facts.Context]).toEqual([null, null]);
});

test("without vision nothing is said of images", () => {
  const blind = { ...RUNTIME, supports: { ...RUNTIME.supports, vision: false } };

  const images = factsOf(blind).find(({ title }) => title === "Images");

  expect(images?.facts).toEqual([{ name: "Vision", value: "no" }]);
});
