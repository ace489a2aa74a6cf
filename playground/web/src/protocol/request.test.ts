import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message, UserMessage } from "../conversation/model";
import { INITIAL_SETTINGS } from "../conversation/settings";
import { type Asked, history, requestBody } from "./request";
import { runtimeFrom } from "./runtime";

const RUNTIME = runtimeFrom({ modelId: "muse", supports: { dflash: true, warmResume: true } });
const IMAGE = { name: "a.png", url: "data:image/png;base64,AA==", bytes: 1, width: 1, height: 1 };

const user = (text: string, image: UserMessage["image"] = null): UserMessage => ({
  role: "user",
  id: text,
  text,
  image,
  edited: false,
});

const answer = (text: string, reasoning = "secret thoughts"): AssistantMessage => ({
  role: "assistant",
  id: text,
  text,
  reasoning,
  phase: { kind: "failed", error: { code: "x", message: "secret error", status: 500 } },
  thoughtFrom: 1,
  thoughtTo: 2,
  thoughtOpen: null,
  metrics: null,
  usage: null,
  wallMs: 1,
  firstTextMs: 1,
  edited: true,
});

function asked(messages: readonly Message[], change: Partial<Asked> = {}): Asked {
  const settings = INITIAL_SETTINGS;
  return { messages, settings, runtime: RUNTIME, sessionId: "s", seed: 7, goOn: false, ...change };
}

describe("requestBody", () => {
  it("asks for everything that the page shows", () => {
    expect(requestBody(asked([user("Hi")]))).toEqual({
      model: "muse",
      messages: [{ role: "user", content: "Hi" }],
      temperature: 1,
      top_p: 0.95,
      top_k: 64,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true, include_status: true },
      chat_template_kwargs: { reasoning_strength: "high", return_reasoning: true },
      session_id: "s",
      muse: { dflash: true },
    });
  });

  it("asks for stops and a cap only where there are some", () => {
    const settings = { ...INITIAL_SETTINGS, stop: ["END"], maxTokens: 9 };
    expect(requestBody(asked([user("Hi")], { settings }))).toMatchObject({
      stop: ["END"],
      max_tokens: 9,
    });
  });

  it("leaves out what the server does not have: a model's name, a session, a draft", () => {
    const body = requestBody(asked([user("Hi")], { runtime: null, sessionId: null }));
    expect(Object.keys(body)).not.toContain("model");
    expect(Object.keys(body)).not.toContain("session_id");
    expect(Object.keys(body)).not.toContain("muse");
  });

  it("asks to go on inside the last answer", () => {
    const body = requestBody(asked([user("Hi"), answer("Hel")], { goOn: true }));
    expect(body.muse).toEqual({ dflash: true, continue: true });
    expect(body.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hel" },
    ]);
  });
});

describe("history", () => {
  it("puts instructions first, where there are any", () => {
    expect(history([user("Hi")], "Be brief.")[0]).toEqual({ role: "system", content: "Be brief." });
    expect(history([user("Hi")], "  \n")).toHaveLength(1);
  });

  it("puts a picture before its text", () => {
    const image = { type: "image_url", image_url: { url: IMAGE.url } };
    expect(history([user("What?", IMAGE), user("", IMAGE)], "")).toEqual([
      { role: "user", content: [image, { type: "text", text: "What?" }] },
      { role: "user", content: [image] },
    ]);
  });

  it("has no reasoning and no error of an answer, and no answer without text", () => {
    const said = history([user("Hi"), answer(""), user("Again"), answer("Hello")], "");
    expect(said).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Again" },
      { role: "assistant", content: "Hello" },
    ]);
    expect(JSON.stringify(said)).not.toContain("secret");
  });

  it("leaves out a question that has lost its picture and never had a text", () => {
    expect(history([user(""), user("Hi")], "")).toEqual([{ role: "user", content: "Hi" }]);
  });
});
