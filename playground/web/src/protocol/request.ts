/**
 * What is sent to ask for a turn?
 *
 * The whole transcript each time: the server finds by exact token ids what is resident already.
 * Reasoning, errors and metrics are the page's own and are not part of it; a message without text
 * or picture is left out, as there is nothing in it to read. A picture stands before its text.
 */

import type { Message, Settings } from "../conversation/model";
import type { RuntimeReport } from "./types";

/** Everything that a request is made of. */
export interface Asked {
  readonly messages: readonly Message[];
  readonly settings: Settings;
  readonly runtime: RuntimeReport | null;
  /** null: the turn leaves nothing warm. */
  readonly sessionId: string | null;
  readonly seed: number;
  /** Whether to go on inside the last answer instead of beginning one. */
  readonly goOn: boolean;
}

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly Part[];
}

/** The body of `POST /v1/chat/completions`. */
export function requestBody(asked: Asked): Record<string, unknown> {
  const { settings, runtime } = asked;
  const dflash = runtime?.supports.dflash ? { dflash: settings.dflash } : {};
  const muse = { ...dflash, ...(asked.goOn ? { continue: true } : {}) };
  return {
    ...(runtime?.modelId ? { model: runtime.modelId } : {}),
    messages: history(asked.messages, settings.system),
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    seed: asked.seed,
    ...(settings.stop.length > 0 ? { stop: settings.stop } : {}),
    ...(settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens }),
    stream: true,
    stream_options: { include_usage: true, include_status: true },
    chat_template_kwargs: { reasoning_strength: settings.strength, return_reasoning: true },
    ...(asked.sessionId === null ? {} : { session_id: asked.sessionId }),
    ...(Object.keys(muse).length > 0 ? { muse } : {}),
  };
}

/** The messages as the model is to see them. */
export function history(messages: readonly Message[], system: string): readonly ChatMessage[] {
  const instructions: ChatMessage[] =
    system.trim() === "" ? [] : [{ role: "system", content: system }];
  const said = messages.flatMap((message): ChatMessage[] => {
    if (message.role === "user" && message.image) {
      return [{ role: "user", content: withImage(message.image.url, message.text) }];
    }
    return message.text === "" ? [] : [{ role: message.role, content: message.text }];
  });
  return [...instructions, ...said];
}

function withImage(url: string, text: string): readonly Part[] {
  const image: Part = { type: "image_url", image_url: { url } };
  return text === "" ? [image] : [image, { type: "text", text }];
}
