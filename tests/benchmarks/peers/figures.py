"""Which figures follow from the visits, and how do servers compare?

A visit gives one number of each kind; visits are what is summarised and paired, not turns:

    decode, short   steps / seconds from the first text to the finish, over all SHORT turns
    decode, deep    the same over DEEP and WARM turns
    prefill         prompt tokens that were computed / seconds to the finish, over all COLD turns
                    (one token wanted: the prompt, one step, and the way there and back)
    warm TTFT       median over WARM turns of the seconds to the first text
    peak memory     of all the server's processes
    ready           seconds from its start to its first answer on /health

A ratio is a server over the baseline with as many threads (with the most where a server chooses
for itself), paired by round, so that what ails the machine for a while ails both.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.stats import Comparison, Summary, compare_paired, summarise
from harness.units import BYTES, SECONDS, TOKENS_PER_SECOND
from tests.benchmarks.peers.record import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.units import Unit
    from tests.benchmarks.peers.record import Asked, Turn, Visit

__all__ = ["FIGURES", "Cell", "Figure", "Row", "agreement", "baseline_of", "rows"]

SEED = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """One definition."""

    name: str
    unit: Unit
    of: Callable[[Visit], float]


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one server."""

    figure: Figure
    summary: Summary
    ratio: Comparison | None
    """Over the baseline; None for the baseline itself, or where it was not measured."""


@dataclass(frozen=True, slots=True)
class Row:
    """One server."""

    arm: Asked
    cells: tuple[Cell, ...]
    same: tuple[int, int] | None
    """Answers equal to the baseline's, of how many; None for the baseline itself."""
    acceptance: float | None
    """Share of drafted tokens that were accepted; None where none were drafted."""
    step_s: float
    """Seconds a step at depth, as the client sees it."""
    own_step_s: float | None
    """Seconds a token at depth by the server's own clock; None where it does not say."""


def decode_rate(turns: Sequence[Turn]) -> float:
    """Steps a second over turns that said something."""
    timed = [
        (turn.steps, turn.finish_s - turn.first_text_s)
        for turn in turns
        if turn.first_text_s is not None and turn.steps
    ]
    seconds = sum(span for _, span in timed)
    if seconds <= 0:
        raise ValueError("no time passed in these turns")
    return sum(steps for steps, _ in timed) / seconds


def prefill_rate(turns: Sequence[Turn]) -> float:
    """Prompt tokens a second."""
    computed = sum(turn.prompt_tokens - turn.cached_tokens for turn in turns)
    return computed / sum(turn.finish_s for turn in turns)


def warm_ttft(turns: Sequence[Turn]) -> float:
    """Seconds, the median."""
    return statistics.median(turn.first_text_s for turn in turns if turn.first_text_s is not None)


FIGURES = (
    Figure("decode, short", TOKENS_PER_SECOND, lambda v: decode_rate(v.of(Kind.SHORT))),
    Figure("decode, deep", TOKENS_PER_SECOND, lambda v: decode_rate(v.of(Kind.DEEP, Kind.WARM))),
    Figure("prefill", TOKENS_PER_SECOND, lambda v: prefill_rate(v.of(Kind.COLD))),
    Figure("warm TTFT", SECONDS, lambda v: warm_ttft(v.of(Kind.WARM))),
    Figure("peak memory", BYTES, lambda v: float(v.peak_bytes)),
    Figure("ready", SECONDS, lambda v: v.ready_s),
)


def rows(arms: Sequence[Asked], visits: Sequence[Visit], baseline: str) -> tuple[Row, ...]:
    """Every arm's row, in the order of `arms`."""
    by_arm = {arm.label: [v for v in visits if v.arm == arm.label] for arm in arms}
    return tuple(
        _row(arm, by_arm[arm.label], _visits_of(baseline_of(arm, arms, baseline), by_arm))
        for arm in arms
        if by_arm[arm.label]
    )


def baseline_of(arm: Asked, arms: Sequence[Asked], baseline: str) -> Asked | None:
    """The baseline that an arm is compared with; None where there is none."""
    found = [each for each in arms if each.name == baseline and each.threads is not None]
    if arm.threads is None:
        return max(found, key=lambda each: each.threads or 0, default=None)
    return next((each for each in found if each.threads == arm.threads), None)


def agreement(visits: Sequence[Visit], others: Sequence[Visit]) -> tuple[int, int]:
    """How many short and deep first answers are the same in both, of how many; from round 0."""
    here, there = _answers(visits), _answers(others)
    shared = here.keys() & there.keys()
    return sum(here[name] == there[name] for name in shared), len(shared)


def _row(arm: Asked, visits: Sequence[Visit], base: Sequence[Visit]) -> Row:
    deep = [turn for visit in visits for turn in visit.of(Kind.DEEP, Kind.WARM)]
    drafted = sum(turn.drafted or 0 for visit in visits for turn in visit.turns)
    accepted = sum(turn.accepted or 0 for visit in visits for turn in visit.turns)
    return Row(
        arm=arm,
        cells=tuple(_cell(figure, visits, base) for figure in FIGURES),
        same=agreement(visits, base) if base and base is not visits else None,
        acceptance=accepted / drafted if drafted else None,
        step_s=1 / decode_rate(deep),
        own_step_s=_own_step(deep),
    )


def _cell(figure: Figure, visits: Sequence[Visit], base: Sequence[Visit]) -> Cell:
    values = {visit.round: figure.of(visit) for visit in visits}
    under = {visit.round: figure.of(visit) for visit in base}
    rounds = sorted(values.keys() & under.keys())
    ratio = None
    if rounds and base is not visits:
        ratio = compare_paired([values[r] for r in rounds], [under[r] for r in rounds], SEED)
    return Cell(figure, summarise(list(values.values())), ratio)


def _own_step(turns: Sequence[Turn]) -> float | None:
    told = [(turn.decode_s, turn.made) for turn in turns if turn.decode_s]
    tokens = sum(count for _, count in told)
    return sum(seconds for seconds, _ in told if seconds) / tokens if tokens else None


def _answers(visits: Sequence[Visit]) -> Mapping[str, str]:
    turns = (turn for visit in visits[:1] for turn in visit.of(Kind.SHORT, Kind.DEEP))
    return {turn.conversation: turn.text for turn in turns}


def _visits_of(arm: Asked | None, by_arm: Mapping[str, Sequence[Visit]]) -> Sequence[Visit]:
    return by_arm[arm.label] if arm is not None else ()
