"""What can this target report, and how do we know?

A target is asked first (`GET /api/runtime`, our playground's route).  One that has no such route
is judged by what its replies hold.  A capability that was claimed and then not shown is a broken
promise; one that was never claimed is only skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.reuse import Reuse

__all__ = ["Capabilities", "ReuseReport", "capabilities"]


class ReuseReport(Enum):
    """How much a target tells about the prompt tokens it reuses."""

    NOTHING = "nothing"
    """Neither claimed nor seen in any reply."""
    CACHED_TOKENS = "cached_tokens"
    """`usage.prompt_tokens_details.cached_tokens`: a count, possibly rounded to blocks."""
    ACCOUNTS = "accounts"
    """`muse_metrics`: reused, prefilled and resident tokens and the session reset reason."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a target can report."""

    reuse: ReuseReport
    why: str
    """How this is known, in words for a person."""


def capabilities(runtime: Mapping[str, Any] | None, replies: Iterable[Reuse]) -> Capabilities:
    """What the target claims in `/api/runtime`, else what its replies hold."""
    claims = runtime.get("supports") if runtime else None
    if isinstance(claims, dict) and claims.get("reuseMetrics") is True:
        return Capabilities(ReuseReport.ACCOUNTS, "/api/runtime says supports.reuseMetrics")
    sources = {reply.source for reply in replies}
    if "muse_metrics" in sources:
        return Capabilities(ReuseReport.ACCOUNTS, "its replies carry muse_metrics")
    if "usage" in sources:
        return Capabilities(
            ReuseReport.CACHED_TOKENS,
            "its replies carry usage.prompt_tokens_details.cached_tokens and no muse_metrics",
        )
    return Capabilities(
        ReuseReport.NOTHING,
        "it has no /api/runtime that claims reuse metrics, and its replies carry neither "
        "muse_metrics nor cached_tokens",
    )
