"""What follows from a run: verdicts, summaries, comparisons, and the exit code.

A pure function of what `results.read_run` reads, so that a result can be derived again from a
folder at any time and comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.capabilities import Capabilities, capabilities
from harness.checks import check_turn
from harness.checks.speedup import at_least
from harness.checks.typed import plays
from harness.dirty import is_dirty
from harness.driver import share_out
from harness.judged import Judged, JudgedRun
from harness.metrics import METRICS
from harness.played import play_back
from harness.stats import compare_paired, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.metrics import Metric
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.scenario import Comparison as Asked
    from harness.scenario import Scenario
    from harness.stats import Comparison, Summary
    from harness.trace import Trace, TurnLabel

__all__ = ["CONFIDENCE", "Cell", "Compared", "Judged", "Result", "judge", "repeat_name"]

CONFIDENCE = 0.90
"""Of every interval in a result: five repeats are enough for one of the median."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric of one turn of one leg, over all repeats."""

    leg: str
    turn: int
    metric: Metric
    values: tuple[float, ...]
    dirty: tuple[bool, ...]
    """Which of the values are of a dirty turn."""
    summary: Summary
    reason: str
    """Why there is no value, where there is none."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of the scenario, for one turn."""

    asked: Asked
    turn: int
    found: Comparison


@dataclass(frozen=True, slots=True)
class Result(JudgedRun):
    """A run, judged."""

    record: RunRecord
    scenario: Scenario
    """With the legs that were played, by whom each of them was."""
    can: Capabilities
    turns: tuple[PlayedTurn, ...]
    cells: tuple[Cell, ...]
    compared: tuple[Compared, ...]

    def cell(self, leg: str, turn: int, metric: str) -> Cell:
        """The cell of a table."""
        return next(c for c in self.cells if (c.leg, c.turn, c.metric.name) == (leg, turn, metric))

    @property
    def typical(self) -> tuple[PlayedTurn, ...]:
        """The turns of the repeat that took the median time in all; empty where none is whole."""
        planned = len(self.scenario.leg) * len(self.scenario.turn)
        totals = {}
        for repeat in dict.fromkeys(t.label.repeat for t in self.turns if t.label.repeat >= 1):
            times = [
                turn.measurements["client.to_done"].value
                for turn in self.turns
                if turn.label.repeat == repeat
            ]
            known = [time for time in times if time is not None]
            if len(known) == planned:
                totals[repeat] = sum(known)
        if not totals:
            return ()
        middle = sorted(totals, key=lambda repeat: totals[repeat])[(len(totals) - 1) // 2]
        return tuple(turn for turn in self.turns if turn.label.repeat == middle)

    def of(self, leg: str, turn: int) -> Sequence[PlayedTurn]:
        """The repeats of one turn of one leg, warm-ups not among them."""
        counted = (t for t in self.turns if t.label.repeat >= 1)
        return [t for t in counted if (t.label.leg, t.label.turn) == (leg, turn)]


def repeat_name(repeat: int) -> str:
    """What a repeat is called: `repeat 3`, or `warm-up` for those before the first."""
    return f"repeat {repeat}" if repeat >= 1 else "warm-up"


def judge(record: RunRecord, scenario: Scenario, traces: Sequence[Trace]) -> Result:
    """Everything that follows from a run."""
    promises = {promised.label: promised.promise for promised in record.promised}
    turns = play_back(promises, traces)
    counted = [turn for turn in turns if turn.label.repeat >= 1]
    can = capabilities(record.target.runtime, [turn.reuse for turn in turns])
    scenario, left_out = share_out(scenario, record.driven)
    compared = tuple(_compare(record, scenario, counted))
    played = {turn.label for turn in turns}
    return Result(
        record=record,
        scenario=scenario,
        can=can,
        turns=turns,
        cells=tuple(_cells(scenario, counted)),
        compared=compared,
        judged=(
            *_judge_turns(turns, can),
            *_judge_comparisons(compared, counted, can),
            *(Judged(plays(why), None, what) for what, why in left_out),
        ),
        unplayed=tuple(label for label in promises if label not in played),
    )


def _judge_turns(turns: Sequence[PlayedTurn], can: Capabilities) -> Iterator[Judged]:
    for turn in turns:
        label = turn.label
        about = f"{label.leg} turn {label.turn}, {repeat_name(label.repeat)}"
        for verdict in check_turn(turn, can):
            yield Judged(verdict, label, about)


def _judge_comparisons(
    compared: Sequence[Compared], turns: Sequence[PlayedTurn], can: Capabilities
) -> Iterator[Judged]:
    for each in compared:
        legs = {each.asked.baseline, each.asked.candidate}
        traces = [
            turn.seen.trace
            for turn in turns
            if turn.label.turn == each.turn and turn.label.leg in legs
        ]
        for verdict in at_least(each.asked.at_least, each.found, can, traces):
            yield Judged(verdict, None, f"{each.asked.name}, turn {each.turn}")


def _cells(scenario: Scenario, turns: Sequence[PlayedTurn]) -> Iterator[Cell]:
    for leg in scenario.leg:
        for number in range(1, len(scenario.turn) + 1):
            played = [t for t in turns if (t.label.leg, t.label.turn) == (leg.name, number)]
            for metric in METRICS.values():
                yield _cell(leg.name, number, metric, played)


def _cell(leg: str, number: int, metric: Metric, played: Sequence[PlayedTurn]) -> Cell:
    found = [turn.measurements[metric.name] for turn in played]
    values = tuple(each.value for each in found if each.value is not None)
    dirty = tuple(
        is_dirty(turn.seen.trace)
        for each, turn in zip(found, played, strict=True)
        if each.value is not None
    )
    summary = summarise(
        values, confidence=CONFIDENCE, dirty=sum(dirty), missing=len(found) - len(values)
    )
    reasons = dict.fromkeys(each.reason for each in found if each.reason)
    return Cell(leg, number, metric, values, dirty, summary, "" if values else "; ".join(reasons))


def _compare(
    record: RunRecord, scenario: Scenario, turns: Sequence[PlayedTurn]
) -> Iterator[Compared]:
    values = {turn.label: turn for turn in turns}
    for asked in scenario.compare:
        for number in asked.turns:
            yield Compared(asked, number, _paired(record, asked, number, values))


def _paired(
    record: RunRecord, asked: Asked, number: int, turns: Mapping[TurnLabel, PlayedTurn]
) -> Comparison:
    """Baseline over candidate, by repeats in which both have a value."""
    sides: dict[int, dict[str, PlayedTurn]] = {}
    for label, turn in turns.items():
        if label.turn == number and label.leg in {asked.baseline, asked.candidate}:
            sides.setdefault(label.repeat, {})[label.leg] = turn
    pairs = [
        (sides[repeat][asked.baseline], sides[repeat][asked.candidate])
        for repeat in sorted(sides)
        if {asked.baseline, asked.candidate} <= sides[repeat].keys()
    ]
    numbers = [tuple(turn.measurements[asked.metric].value for turn in pair) for pair in pairs]
    whole = [(a, b) for a, b in numbers if a and b]
    told = [pair for pair, (a, b) in zip(pairs, numbers, strict=True) if a and b]
    dirty = sum(any(is_dirty(turn.seen.trace) for turn in pair) for pair in told)
    return compare_paired(
        [a for a, _ in whole],
        [b for _, b in whole],
        record.seed,
        confidence=CONFIDENCE,
        dirty=dirty,
        missing=len(pairs) - len(whole),
    )
