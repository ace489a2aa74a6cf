"""What can this target report, and how do we know?

A target is asked first (`GET /api/runtime`, our playground's route).  One that has no such route
is judged by what its replies hold.  A capability that was claimed and then not shown is a broken
promise; one that was never claimed is only skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.reuse import Reuse

__all__ = ["Capabilities", "ReuseReport", "capabilities", "unclaimed"]

DURABLE = "durableCache"
"""The claim that what was computed is still there after a restart."""


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
    window: int | None = None
    """Tokens that a prompt and its answer may have together; None where it does not say."""
    forgets: str = "it does not claim a cache that outlives it"
    """Why what was computed is gone when it is started again; empty where it claims otherwise."""


def capabilities(runtime: Mapping[str, Any] | None, replies: Iterable[Reuse]) -> Capabilities:
    """What the target claims in `/api/runtime`, else what its replies hold."""
    told = (runtime or {}).get("contextLength")
    return replace(
        _reuse(runtime, replies),
        window=told if isinstance(told, int) else None,
        forgets="; ".join(unclaimed([DURABLE], runtime)),
    )


def _reuse(runtime: Mapping[str, Any] | None, replies: Iterable[Reuse]) -> Capabilities:
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


def unclaimed(needs: Iterable[str], runtime: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What is needed of a target and not claimed by it, each with how that is known.

    A need is one of `supports` in `/api/runtime`, or one of its figures (`contextLength`), whose
    value may be named: `maxNamedSessions=1`.
    """
    return tuple(
        f"{need}: {why}" for need in needs if (why := _why_unclaimed(need, runtime)) is not None
    )


def _why_unclaimed(need: str, runtime: Mapping[str, Any] | None) -> str | None:
    """How it is known that a need is not met; None where it is."""
    if not runtime:
        return "it has no /api/runtime to claim it"
    name, _, value = need.partition("=")
    claims = runtime.get("supports")
    claimed = claims.get(name) if isinstance(claims, dict) else None
    if claimed is False:
        return f"/api/runtime says supports.{name} is false"
    figure = runtime.get(name)
    if isinstance(figure, int) and value not in {"", str(figure)}:
        return f"/api/runtime says {name} is {figure}"
    known = claimed is True or (isinstance(figure, int) and figure > 0)
    return None if known else "/api/runtime does not claim it"
