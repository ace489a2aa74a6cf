/**
 * How does a conversation leave the page: as Markdown to read, or as JSON to work with?
 *
 * Both hold what is seen: also reasoning, how an answer ended, and what it cost. A picture is named
 * in Markdown, and whole in JSON. In Markdown a code block that a message leaves open is closed, for
 * else all that follows would be part of it.
 */

import { closesFence, fenceMark } from "../markdown/fence";
import type { AssistantMessage, Message, State, UserMessage } from "./model";
import { metricsSummary, phaseLine } from "./wording";

/** A name for the file, without its ending. */
export function exportStem(now: Date): string {
  return `muse-chat-${now.toISOString().slice(0, 16).replace(/[T:]/g, "-")}`;
}

export function toMarkdown(state: State, now: Date): string {
  const model = state.runtime?.model ?? "Muse";
  const { system } = state.settings;
  const parts = [
    `# Conversation with ${model}`,
    `Exported ${now.toISOString()}`,
    ...(system.trim() === "" ? [] : ["## System message", system]),
    ...state.messages.flatMap((message) =>
      message.role === "user" ? userParts(message) : answerParts(message, model),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function userParts({ text, image }: UserMessage): readonly string[] {
  const picture = image && `*Picture: ${image.name}, ${image.width} × ${image.height} pixels*`;
  return ["## You", picture, withFenceClosed(text)].filter(
    (part) => part !== null && part !== "",
  ) as string[];
}

function answerParts(message: AssistantMessage, model: string): readonly string[] {
  const line = message.phase.kind === "complete" ? null : phaseLine(message.phase);
  const parts = [
    `## ${model}`,
    message.reasoning && `> **Thinking**\n>\n${quoted(message.reasoning.trim())}`,
    withFenceClosed(message.text),
    line && `*${line}*`,
    metricsSummary(message).join(" · "),
  ];
  return parts.filter((part): part is string => part !== null && part !== "");
}

function withFenceClosed(text: string): string {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    if (open === null) open = fenceMark(line);
    else if (closesFence(line, open)) open = null;
  }
  if (open === null) return text;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${open}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

export function toJson(state: State, now: Date): string {
  const { remember, ...settings } = state.settings;
  const transcript = {
    format: "muse-playground-transcript",
    version: 1,
    exported: now.toISOString(),
    model: state.runtime?.modelId ?? null,
    artifactSha256: state.runtime?.artifactSha256 ?? null,
    settings,
    messages: state.messages.map(withoutView),
  };
  return `${JSON.stringify(transcript, null, 2)}\n`;
}

/** Without what only this page, on this screen, needs. */
function withoutView(message: Message): object {
  if (message.role === "user") {
    const { id, ...rest } = message;
    return rest;
  }
  const { id, thoughtOpen, thoughtFrom, thoughtTo, ...rest } = message;
  const thoughtMs = thoughtFrom === null || thoughtTo === null ? null : thoughtTo - thoughtFrom;
  return { ...rest, thoughtMs };
}
