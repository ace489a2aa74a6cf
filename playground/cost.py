"""What did a turn cost, in the worker's counts and on the server's clock?

`metrics_of` gathers what `Metrics` defines, `usage_of` the few counts that OpenAI knows, and
`summary_of` is the line of the log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.events import Metrics, Usage

if TYPE_CHECKING:
    from playground.runtime import Turn
    from playground.worker.draft_counts import DraftCounts

__all__ = ["metrics_of", "summary_of", "usage_of"]


def metrics_of(
    turn: Turn,
    *,
    accepted_at: float,
    prompt_s: float,
    thinking: int,
    image_tokens: int = 0,
    malformed: int | None = None,
) -> Metrics:
    """What a turn that is over cost.

    `accepted_at` is on the turn's clock in seconds, `prompt_s` the time to render and tokenise;
    `thinking` is its reasoning in tokens, `malformed` counts its faults of grammar.
    """
    done = turn.done

    def since_accepted(at: float | None) -> float | None:
        return None if at is None else round((at - accepted_at) * 1000, 3)

    ours = Metrics(
        thinking_tokens=thinking,
        image_tokens=image_tokens,
        malformed=malformed,
        queue_ms=since_accepted(turn.sent_at),
        prompt_ms=round(prompt_s * 1000, 3),
        ttft_ms=since_accepted(turn.shown_at),
        wall_ms=since_accepted(turn.over_at),
        cancelled=turn.cancelled and (done is None or done.cancelled),
        request_id=turn.request_id,
        session_id=turn.session.session_id,
    )
    if done is None:
        return ours
    return replace(
        ours,
        # 0: it was cancelled before the worker had looked at its prompt.
        prompt_tokens=done.prompt_tokens or None,
        completion_tokens=done.completion_tokens,
        reused_prompt_tokens=done.reused_prompt_tokens,
        prefilled_prompt_tokens=done.prefilled_prompt_tokens,
        resident_tokens=done.resident_tokens,
        session_reset_reason=done.session_reset_reason,
        prefill_ms=done.prefill_ms,
        decode_ms=done.decode_ms,
        total_ms=done.total_ms,
        vision_encoder_ms=done.vision_encoder_ms,
        # The worker's 0.0 says that there was nothing to divide by.
        prefill_tokens_per_second=done.prefill_tok_s or None,
        decode_tokens_per_second=done.decode_tok_s or None,
        **_drafting(done.draft_counts),
    )


def _drafting(counts: DraftCounts | None) -> dict[str, Any]:
    """The metrics of drafting; counts only where there is a draft."""
    if counts is None or counts.dflash == "unavailable":
        return {"dflash": counts and counts.dflash}
    return {
        "dflash": counts.dflash,
        "dflash_rounds": counts.speculative_cycles,
        "dflash_proposed": counts.proposed,
        "dflash_accepted": counts.accepted,
        "dflash_attempts_by_row": counts.draft_attempts_by_row,
        "dflash_accepts_by_row": counts.draft_accepts_by_row,
        "dflash_plain_steps": counts.target_only_cycles,
    }


def usage_of(turn: Turn, *, prompt_tokens: int, thinking: int) -> Usage:
    """The turn as OpenAI counts it; `prompt_tokens` is what the server sent to the worker."""
    done = turn.done
    return Usage(
        prompt_tokens=(done and done.prompt_tokens) or prompt_tokens,
        completion_tokens=done.completion_tokens if done else 0,
        cached_tokens=done.reused_prompt_tokens if done else 0,
        reasoning_tokens=thinking,
    )


def summary_of(metrics: Metrics) -> str:
    """Counts and times; what was said is nobody's business but the caller's."""
    return " ".join(f"{name}={value}" for name, value in metrics.as_json().items())
