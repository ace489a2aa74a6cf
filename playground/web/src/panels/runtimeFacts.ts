/**
 * What does the server's report say, line by line?
 *
 * A value that it does not give is null, and told as "not reported", never as 0 or "no".
 */
import { duration, sizeWords } from "../conversation/wording";
import type { RuntimeReport } from "../protocol/types";

export interface Fact {
  readonly name: string;
  /** null: not reported. */
  readonly value: string | null;
  /** Why it is so. */
  readonly because?: string | null;
  /** The whole of a value that is shown in part, to be copied. */
  readonly whole?: string | null;
}

export interface FactGroup {
  readonly title: string;
  readonly facts: readonly Fact[];
}

const HASH_SHOWN = 12;

export function factsOf(report: RuntimeReport): readonly FactGroup[] {
  const { supports, memory } = report;
  return [
    {
      title: "Model",
      facts: [
        { name: "Name", value: text(report.model) },
        { name: "Id", value: text(report.modelId) },
        { name: "State", value: text(report.state), because: report.reason },
        { name: "Context", value: count(report.contextLength || null, "tokens") },
        { name: "Artifact", value: text(report.artifact) },
        {
          name: "SHA-256",
          value: as(report.artifactSha256, (hash) => `${hash.slice(0, HASH_SHOWN)}…`),
          whole: report.artifactSha256,
        },
        { name: "Size", value: as(report.modelBytes, sizeWords) },
        { name: "Load time", value: as(report.loadTimeMs, duration) },
      ],
    },
    {
      title: "Execution",
      facts: [
        { name: "Backend", value: text(report.backend) },
        { name: "Device", value: text(report.device) },
        { name: "Threads", value: count(report.threads), because: report.threadsReason },
      ],
    },
    {
      title: "Memory at its peak",
      facts: [
        { name: "Server", value: as(memory.serverPeakBytes, sizeWords) },
        { name: "Worker", value: as(memory.workerPeakBytes, sizeWords) },
      ],
    },
    {
      title: "DFlash",
      facts: [
        { name: "Offered", value: yesOrNo(supports.dflash) },
        { name: "On by default", value: yesOrNo(report.dflashEnabled) },
        { name: "Block length", value: count(report.dflashBlockLength, "tokens") },
        { name: "Draft tokens", value: count(report.dflashDraftTokens) },
      ],
    },
    {
      title: "Sessions",
      facts: [
        { name: "Places", value: count(report.maxSessions) },
        { name: "Kept warm", value: count(report.maxNamedSessions) },
        { name: "Warm resume", value: yesOrNo(supports.warmResume) },
        { name: "Reuse reported", value: yesOrNo(supports.reuseMetrics) },
        { name: "Cancel", value: yesOrNo(supports.cancel) },
      ],
    },
    { title: "Images", facts: imageFacts(report) },
    {
      title: "Versions",
      facts: [
        { name: "Playground", value: text(report.version) },
        { name: "ExecuTorch", value: text(report.executorchVersion) },
        { name: "PyTorch", value: text(report.torchVersion) },
        { name: "Python", value: text(report.pythonVersion) },
      ],
    },
  ];
}

/** Limits of images mean something only where there are images. */
function imageFacts(report: RuntimeReport): readonly Fact[] {
  const seen: Fact = { name: "Vision", value: yesOrNo(report.supports.vision) };
  if (report.supports.vision === false) return [seen];
  return [
    seen,
    { name: "In a conversation", value: count(report.maxImages) },
    { name: "Largest file", value: as(report.maxImageBytes, sizeWords) },
    { name: "Most cells", value: count(report.maxImageCells) },
  ];
}

function as<T>(value: T | null, write: (value: T) => string): string | null {
  return value === null ? null : write(value);
}

/** An empty text says no more than none. */
function text(value: string | null): string | null {
  return value || null;
}

const grouping = new Intl.NumberFormat("en");

function count(value: number | null, unit = ""): string | null {
  return as(value, (many) => `${grouping.format(many)} ${unit}`.trim());
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
