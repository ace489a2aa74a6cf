"""What did drafting do over many turns: how many tokens a round gave, and which guess was kept?

Sums of what each reply reports in `muse_metrics` (of one turn alone: `harness.drafting`); a reply
without rounds adds nothing.  Of a turn:

    dflash_rounds            rounds of one draft and one verification
    dflash_accepted          drafted tokens that were kept
    dflash_attempts_by_row   how often the 1st, 2nd, … token of a draft was put to the test
    dflash_accepts_by_row    and how often it was kept
    dflash_plain_steps       tokens that were decoded without a draft

    tokens per round = (accepted + rounds) / rounds: each round gives one token of the target's own
    acceptance of a row = accepts / attempts
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.exam.marking import MarkedTurn

__all__ = ["Drafting", "drafting"]


@dataclass(frozen=True, slots=True)
class Drafting:
    """The sums over some turns."""

    turns: int
    """Those that report rounds."""
    rounds: int
    accepted: int
    plain_steps: int
    attempts: tuple[int, ...]
    accepts: tuple[int, ...]
    modes: Mapping[str, int]
    """How many turns say that drafting was on, off, fallback or unavailable."""

    @property
    def tokens_per_round(self) -> float | None:
        """The target's own token included; None without a round."""
        return (self.accepted + self.rounds) / self.rounds if self.rounds else None

    @property
    def acceptance(self) -> tuple[float | None, ...]:
        """Of each row; None where it was never put to the test."""
        return tuple(
            kept / tried if tried else None
            for kept, tried in zip(self.accepts, self.attempts, strict=True)
        )


def drafting(turns: Iterable[MarkedTurn]) -> Drafting:
    """The sums over these turns."""
    told = [turn.turn.seen.extension("muse_metrics") or {} for turn in turns]
    rounds = [metrics for metrics in told if _count(metrics, "dflash_rounds")]
    attempts = _by_row(rounds, "dflash_attempts_by_row")
    accepts = _by_row(rounds, "dflash_accepts_by_row")
    rows = min(len(attempts), len(accepts))
    return Drafting(
        turns=len(rounds),
        rounds=sum(_count(metrics, "dflash_rounds") for metrics in rounds),
        accepted=sum(_count(metrics, "dflash_accepted") for metrics in rounds),
        plain_steps=sum(_count(metrics, "dflash_plain_steps") for metrics in rounds),
        attempts=attempts[:rows],
        accepts=accepts[:rows],
        modes=dict(Counter(str(m["dflash"]) for m in told if m.get("dflash"))),
    )


def _count(metrics: Mapping[str, Any], key: str) -> int:
    value = metrics.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _by_row(told: Iterable[Mapping[str, Any]], key: str) -> tuple[int, ...]:
    rows = [
        [count if type(count) is int else 0 for count in value]
        for metrics in told
        if isinstance(value := metrics.get(key), list)
    ]
    return tuple(sum(column) for column in zip_longest(*rows, fillvalue=0))
