"""What does a reply say about the prompt tokens it did not have to compute again?

Two dialects are read.  `muse_metrics` tells everything: how many tokens were reused, how many
prefilled, how many are resident now, and why the session was or was not reset.  The OpenAI
`usage.prompt_tokens_details.cached_tokens` tells the first only, and a server may round it down
to whole blocks, so nothing exact is built on it.  What a reply does not say is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.events import Extension, UsageSeen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.events import Event, Observation

__all__ = ["Reuse", "reuse_of"]


@dataclass(frozen=True, slots=True)
class Reuse:
    """The token accounts of one reply."""

    source: str | None
    """`muse_metrics`, `usage`, or None where reuse is not reported at all."""
    prompt: int | None = None
    completion: int | None = None
    reused: int | None = None
    prefilled: int | None = None
    resident: int | None = None
    reset_reason: str | None = None
    at: int | None = None
    """Index of the event that says so, for evidence."""


def reuse_of(seen: Observation) -> Reuse:
    """The token accounts in one observation."""
    metrics = seen.extension("muse_metrics")
    if metrics is not None and _count(metrics, "reused_prompt_tokens") is not None:
        return Reuse(
            source="muse_metrics",
            prompt=_count(metrics, "prompt_tokens"),
            completion=_count(metrics, "completion_tokens"),
            reused=_count(metrics, "reused_prompt_tokens"),
            prefilled=_count(metrics, "prefilled_prompt_tokens"),
            resident=_count(metrics, "resident_tokens"),
            reset_reason=_word(metrics, "session_reset_reason"),
            at=_index(seen, _is_metrics),
        )
    usage = seen.usage
    if usage is None:
        return Reuse(source=None)
    return Reuse(
        source="usage" if usage.cached_tokens is not None else None,
        prompt=usage.prompt_tokens,
        completion=usage.completion_tokens,
        reused=usage.cached_tokens,
        at=_index(seen, lambda event: isinstance(event, UsageSeen)),
    )


def _is_metrics(event: Event) -> bool:
    return isinstance(event, Extension) and event.name == "muse_metrics"


def _index(seen: Observation, told: Callable[[Event], bool]) -> int | None:
    return next((o.index for o in reversed(seen.events) if told(o.event)), None)


def _count(metrics: Mapping[str, Any], key: str) -> int | None:
    value = metrics.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _word(metrics: Mapping[str, Any], key: str) -> str | None:
    value = metrics.get(key)
    return value if isinstance(value, str) else None
