/**
 * What the server says, in TypeScript: tolerant, since the server may be another version.
 *
 * `playground/events.py` defines every metric, `playground/report.py` every key of the report. A
 * value that is not known is null, never 0.
 */

/** `muse_metrics`. Times in milliseconds. */
export interface Metrics {
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly reused_prompt_tokens: number | null;
  readonly prefilled_prompt_tokens: number | null;
  readonly resident_tokens: number | null;
  readonly session_reset_reason: string | null;
  readonly thinking_tokens: number | null;
  readonly prefill_ms: number | null;
  readonly decode_ms: number | null;
  readonly total_ms: number | null;
  readonly image_tokens: number | null;
  readonly vision_encoder_ms: number | null;
  readonly prefill_tokens_per_second: number | null;
  readonly decode_tokens_per_second: number | null;
  readonly dflash: string | null;
  readonly dflash_rounds: number | null;
  readonly dflash_proposed: number | null;
  readonly dflash_accepted: number | null;
  readonly dflash_attempts_by_row: readonly number[] | null;
  readonly dflash_accepts_by_row: readonly number[] | null;
  readonly dflash_plain_steps: number | null;
  readonly queue_ms: number | null;
  readonly prompt_ms: number | null;
  readonly ttft_ms: number | null;
  readonly wall_ms: number | null;
  readonly cancelled: boolean | null;
  readonly malformed: number | null;
  readonly request_id: string | null;
  readonly session_id: string | null;
}

/** OpenAI's `usage`. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

/** `muse_status`: what a turn waits for, if `stream_options.include_status` asked for it. */
export interface StatusFrame {
  readonly state: "queued" | "encoding" | "prefill" | "decode";
  /** Turns ahead, while queued. */
  readonly position?: number;
  /** Tokens of the prompt that are computed, of those that have to be. */
  readonly done?: number;
  readonly total?: number;
}

/** `GET /api/runtime`. */
export interface RuntimeReport {
  readonly state: string;
  readonly reason: string | null;
  readonly model: string;
  readonly modelId: string;
  readonly backend: string | null;
  readonly artifact: string | null;
  readonly artifactSha256: string | null;
  readonly device: string | null;
  readonly contextLength: number;
  readonly maxImages: number | null;
  readonly maxImageBytes: number | null;
  readonly maxImageCells: number | null;
  readonly modelBytes: number | null;
  readonly loadTimeMs: number | null;
  readonly executorchVersion: string | null;
  readonly torchVersion: string | null;
  readonly pythonVersion: string | null;
  readonly threads: number | null;
  readonly threadsReason: string | null;
  readonly maxSessions: number | null;
  readonly maxNamedSessions: number | null;
  readonly dflashBlockLength: number | null;
  readonly dflashDraftTokens: number | null;
  readonly dflashEnabled: boolean;
  readonly supports: {
    readonly vision: boolean;
    readonly warmResume: boolean;
    readonly cancel: boolean;
    readonly reuseMetrics: boolean;
    readonly dflash: boolean;
  };
  readonly defaults: {
    readonly temperature: number;
    readonly topP: number;
    readonly topK: number;
    readonly maxTokens: number;
    readonly reasoningStrength: string;
  };
  readonly memory: {
    readonly serverPeakBytes: number | null;
    readonly workerPeakBytes: number | null;
  };
  readonly version: string | null;
}

/** One finished run of `muse-bench`, from `GET /api/reports`. */
export interface ReportEntry {
  /** The run's folder; its HTML report is at `/reports/{name}/report.html`. */
  readonly name: string;
  readonly scenario: string | null;
  readonly verdict: string | null;
  readonly headline: string | null;
  /** ISO 8601. */
  readonly finished: string | null;
}

/** `GET /api/reports`. */
export interface ReportList {
  /** The directory that is looked in; null where the server was started without one. */
  readonly directory: string | null;
  /** Newest first. */
  readonly reports: readonly ReportEntry[];
}

/** What went wrong, in words for a person. */
export interface TurnError {
  /** The server's `code`, or one of ours: see `errors.ts`. */
  readonly code: string;
  readonly message: string;
  /** HTTP status, where there was an answer. */
  readonly status: number | null;
}
