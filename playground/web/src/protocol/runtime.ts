/**
 * What does `GET /api/runtime` say? Read tolerantly: another version may say less, or more.
 */

import { type Fields, isObject, numberOf, textOf } from "./frames";
import type { RuntimeReport } from "./types";

export function runtimeFrom(report: Fields): RuntimeReport {
  const number = (name: keyof RuntimeReport) => numberOf(report[name]);
  const text = (name: keyof RuntimeReport) => textOf(report[name]);
  const part = (name: keyof RuntimeReport) => (isObject(report[name]) ? report[name] : {});
  const supports = part("supports");
  const defaults = part("defaults");
  const memory = part("memory");
  const contextLength = number("contextLength") ?? 0;
  return {
    state: text("state") ?? "unknown",
    reason: text("reason"),
    model: text("model") ?? "unknown model",
    modelId: text("modelId") ?? "",
    backend: text("backend"),
    artifact: text("artifact"),
    artifactSha256: text("artifactSha256"),
    device: text("device"),
    contextLength,
    maxImages: number("maxImages"),
    maxImageBytes: number("maxImageBytes"),
    maxImageCells: number("maxImageCells"),
    modelBytes: number("modelBytes"),
    loadTimeMs: number("loadTimeMs"),
    executorchVersion: text("executorchVersion"),
    torchVersion: text("torchVersion"),
    pythonVersion: text("pythonVersion"),
    threads: number("threads"),
    threadsReason: text("threadsReason"),
    maxSessions: number("maxSessions"),
    maxNamedSessions: number("maxNamedSessions"),
    dflashBlockLength: number("dflashBlockLength"),
    dflashDraftTokens: number("dflashDraftTokens"),
    dflashEnabled: report.dflashEnabled === true,
    supports: {
      vision: supports.vision === true,
      warmResume: supports.warmResume === true,
      cancel: supports.cancel === true,
      reuseMetrics: supports.reuseMetrics === true,
      dflash: supports.dflash === true,
    },
    defaults: {
      temperature: numberOf(defaults.temperature) ?? 0,
      topP: numberOf(defaults.topP) ?? 1,
      topK: numberOf(defaults.topK) ?? 0,
      maxTokens: numberOf(defaults.maxTokens) ?? contextLength,
      reasoningStrength: textOf(defaults.reasoningStrength) ?? "high",
    },
    memory: {
      serverPeakBytes: numberOf(memory.serverPeakBytes),
      workerPeakBytes: numberOf(memory.workerPeakBytes),
    },
    version: text("version"),
  };
}
