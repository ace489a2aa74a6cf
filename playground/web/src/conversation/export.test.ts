import { describe, expect, it } from "vitest";
import { metricsFrom } from "../protocol/frames";
import { runtimeFrom } from "../protocol/runtime";
import { exportStem, toJson, toMarkdown } from "./export";
import type { AssistantMessage, State, UserMessage } from "./model";
import { emptyConversation } from "./reducer";
import { INITIAL_SETTINGS } from "./settings";
import { RUNTIME } from "./testing";

const NOW = new Date("2026-11-29T20:30:15Z");
const URL = "data:image/png;base64,AAAA";

const STATE: State = {
  ...emptyConversation({ ...INITIAL_SETTINGS, system: "Be brief." }),
  runtime: runtimeFrom(RUNTIME),
  messages: [
    {
      role: "user",
      id: "1",
      text: "What is this?",
      image: { name: "cat.png", url: URL, bytes: 3, width: 4, height: 3 },
      edited: false,
    },
    {
      role: "assistant",
      id: "2",
      text: "A **cat**",
      reasoning: "Fur.\n\nWhiskers.\n",
      phase: { kind: "stopped", forced: false },
      thoughtFrom: 100,
      thoughtTo: 350,
      thoughtOpen: true,
      metrics: metricsFrom({ completion_tokens: 4, ttft_ms: 20 }),
      usage: null,
      wallMs: 500,
      firstTextMs: 30,
      edited: false,
    },
  ],
};

describe("toMarkdown", () => {
  it("reads as a conversation", () => {
    expect(toMarkdown(STATE, NOW)).toBe(`# Conversation with Muse Test

Exported 2026-11-29T20:30:15.000Z

## System message

Be brief.

## You

*Picture: cat.png, 4 × 3 pixels*

What is this?

## Muse Test

> **Thinking**
>
> Fur.
>
> Whiskers.

A **cat**

*Stopped*

20 ms to first token · 4 tokens
`);
  });

  it.each([
    ["Look:\n\n```python\nprint(1", "```python\nprint(1\n```\n\n## Muse Test"],
    ["~~~~\n~~~\n", "~~~~\n~~~\n~~~~\n\n## Muse Test"],
    ["```\ndone\n```", "```\ndone\n```\n\n## Muse Test"],
  ])("closes a code block that a message leaves open: %j", (text, exported) => {
    const [first, second] = STATE.messages;
    const messages = [{ ...first, text, image: null } as UserMessage, second as AssistantMessage];
    expect(toMarkdown({ ...STATE, messages }, NOW)).toContain(exported);
  });
});

describe("toJson", () => {
  it("has all that was said and measured, and nothing of the view", () => {
    const transcript = JSON.parse(toJson(STATE, NOW));
    expect(transcript).toMatchObject({
      format: "muse-playground-transcript",
      version: 1,
      exported: "2026-11-29T20:30:15.000Z",
      model: "muse-test",
      settings: { system: "Be brief.", temperature: 1 },
      messages: [
        { role: "user", text: "What is this?", image: { url: URL } },
        {
          role: "assistant",
          text: "A **cat**",
          reasoning: "Fur.\n\nWhiskers.\n",
          phase: { kind: "stopped", forced: false },
          metrics: { completion_tokens: 4, prompt_tokens: null },
          thoughtMs: 250,
        },
      ],
    });
    expect(JSON.stringify(transcript)).not.toMatch(/"id"|thoughtOpen|remember/);
  });
});

describe("exportStem", () => {
  it("says when, in a way that every file system takes", () => {
    expect(exportStem(NOW)).toBe("muse-chat-2026-11-29-20-30");
  });
});
