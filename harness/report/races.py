"""A run of races, told: cell by cell how often the moment was hit and what it came to.

Times are summarised by `stats`: a percentile is printed only where there are enough races for it,
so most are found where all cells of a point, or of a way, are taken together.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.dirty import is_dirty, told_stains
from harness.races.ways import STOPS
from harness.report.environment import settings_line
from harness.report.figures import Samples
from harness.report.sheets import Row, SampleSheet, Sheet, Told
from harness.report.timeline import Line, ended_s
from harness.stats import PERCENTILES, summarise
from harness.units import NOTHING, SECONDS, format_value
from harness.verdict import worst_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from harness.judged import Judged
    from harness.races.facts import SeenRace
    from harness.races.judge import RacedCell, RacesResult
    from harness.stats import Summary
    from harness.verdict import Outcome

__all__ = ["tell_races"]

TIMES: Mapping[str, Callable[[SeenRace], float | None]] = {
    "ack": lambda race: race.ack_s,
    "quiet": lambda race: race.quiet_s,
    "free": lambda race: race.free_s,
}
ABOUT = (
    "ack: from the stop to the answer of the first cancel; quiet: to the last piece of text, 0 "
    "where none came after it; free: until what came next had begun. Medians, of the races that "
    "hit their moment."
)
SLOWEST = 3
"""Of each point, the races that are drawn."""
DRAWN = (
    f"Of each point the {SLOWEST} races that took longest to end once they were stopped, each from "
    "the moment its turn was sent."
)
CELLS = ("point", "way", "races", "hit", "missed", "failed", *TIMES, "outcome")
DISTRIBUTIONS = ("races of", "time", "n", "median", "95 % interval")


def tell_races(result: RacesResult) -> Told:
    """Every cell as a row, and the times of all that is long enough to have percentiles."""
    record, races = result.record, result.scenario
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        suites.setdefault(each.about.partition(",")[0], []).append(each)
    points = [(plan.at.value, plan.about) for plan in races.point]
    ways = [(plan.does.value, plan.about) for plan in races.way]
    percentiles = tuple(f"p{p}" for p in PERCENTILES)
    head = (*DISTRIBUTIONS, *percentiles, "max")
    return Told(
        kind="races",
        question=races.question,
        answer=races.answer,
        environment=(
            ("settings", settings_line(races.settings)),
            ("races", str(record.repeats)),
            ("seed, salt", f"{record.seed}, {record.salt}"),
            ("raced turns", told_stains(race.raced.trace for race in result.turns)),
        ),
        sheets=(
            Sheet("Cells", CELLS, tuple(map(_row, result.cells)), about=ABOUT),
            Sheet(
                "Times",
                head,
                tuple(_distributions(result)),
                about="A percentile is printed where there are enough races to bound it.",
            ),
            Sheet("Points", ("point", "about"), tuple(Row(p) for p in points)),
            Sheet("Ways", ("way", "about"), tuple(Row(w) for w in ways)),
        ),
        brief=Sheet("Points", ("point", *CELLS[2:]), tuple(_points(result))),
        suites=suites,
        samples=tuple(_samples(result)),
        drawn=tuple(_drawn(result)),
        drawn_about=DRAWN,
        document={
            "scenario": {
                "points": [{"at": p.at.value, "about": p.about} for p in races.point],
                "ways": [{"does": w.does.value, "about": w.about} for w in races.way],
                "settings": asdict(races.settings),
            },
            "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
            "cells": [_cell(cell) for cell in result.cells],
            "turns": [_race(race) for race in result.turns],
        },
        headline=_headline(result),
    )


def _headline(result: RacesResult) -> str:
    raced = len(result.turns)
    hits = sum(cell.hits for cell in result.cells)
    failed = sum(cell.failed for cell in result.cells)
    played = sum(bool(cell.races) for cell in result.cells)
    said = f"{raced} races in {played} of {len(result.cells)} cells, {hits} hit their moment, "
    said += f"{failed} broke a promise"
    for name, time in TIMES.items():
        median = _summary(result.turns, time).median
        if median is not None:
            said += f"; {name} {format_value(median, SECONDS)}"
    return f"{said}."


def _row(cell: RacedCell) -> Row:
    return Row(
        (cell.cell.point.value, cell.cell.way.value, *_figures(cell.races, [cell])), cell.outcome
    )


def _points(result: RacesResult) -> Iterator[Row]:
    for point in result.scenario.point:
        cells = [cell for cell in result.cells if cell.cell.point is point.at]
        races = [race for cell in cells for race in cell.races]
        yield Row((point.at.value, *_figures(races, cells)), _worst(c.outcome for c in cells))


def _figures(races: Sequence[SeenRace], cells: Sequence[RacedCell]) -> tuple[str, ...]:
    """Of `CELLS`, all but the first two."""
    hits = sum(race.hit for race in races)
    counts = (len(races), hits, len(races) - hits, sum(cell.failed for cell in cells))
    medians = (_summary(races, time).median for time in TIMES.values())
    shown = (NOTHING if m is None else format_value(m, SECONDS) for m in medians)
    worst = _worst(cell.outcome for cell in cells)
    return (*map(str, counts), *shown, worst.value if worst else "not raced")


def _drawn(result: RacesResult) -> Iterator[Line]:
    """The stopped turns that are worth a look, point by point."""
    for place, point in enumerate(result.scenario.point):
        raced = [
            (ended_s(race.raced) - race.stopped_at_ns / 1e9, race)
            for race in result.turns
            if race.cell.point is point.at and race.cell.way in STOPS
            if race.hit and race.stopped_at_ns is not None
        ]
        for _, race in sorted(raced, key=lambda each: -each[0])[:SLOWEST]:
            name = f"{race.cell.name}, race {race.number}"
            yield Line(name, race.raced, f"leg-{place % 4}", point.at.value)


def _samples(result: RacesResult) -> Iterator[SampleSheet]:
    """Each time, point by point, of the races that hit their moment."""
    for name, time in TIMES.items():
        rows = []
        for place, point in enumerate(result.scenario.point):
            found = [
                (value, is_dirty(race.raced.trace))
                for race in result.turns
                if race.hit and race.cell.point is point.at
                if (value := time(race)) is not None
            ]
            if found:
                values, dirty = zip(*found, strict=True)
                rows.append(Samples(point.at.value, values, dirty, color=f"leg-{place % 4}"))
        if rows:
            yield SampleSheet(name, SECONDS, tuple(rows))


def _distributions(result: RacesResult) -> Iterator[Row]:
    parts: dict[str, list[SeenRace]] = {"every cell": list(result.turns)}
    for race in result.turns:
        parts.setdefault(f"point {race.cell.point.value}", []).append(race)
    for race in result.turns:
        parts.setdefault(f"way {race.cell.way.value}", []).append(race)
    for part, races in parts.items():
        for name, time in TIMES.items():
            found = _summary(races, time)
            if found.median is not None:
                yield Row((part, name, *_spread(found)))


def _spread(found: Summary) -> Iterator[str]:
    ends = (found.low, found.high)
    yield str(found.n)
    yield _shown(found.median)
    yield NOTHING if None in ends else f"{_shown(ends[0])} to {_shown(ends[1])}"
    for p in PERCENTILES:
        yield _shown(found.percentiles.get(p))
    yield _shown(found.maximum)


def _shown(value: float | None) -> str:
    return NOTHING if value is None else format_value(value, SECONDS)


def _summary(races: Iterable[SeenRace], time: Callable[[SeenRace], float | None]) -> Summary:
    hits = [race for race in races if race.hit]
    values = [(race, value) for race in hits if (value := time(race)) is not None]
    dirty = sum(is_dirty(race.raced.trace) for race, _ in values)
    return summarise([value for _, value in values], dirty=dirty)


def _cell(cell: RacedCell) -> dict[str, Any]:
    times = {name: _summary(cell.races, time) for name, time in TIMES.items()}
    return {
        "point": cell.cell.point.value,
        "way": cell.cell.way.value,
        "races": len(cell.races),
        "hits": cell.hits,
        "failed": cell.failed,
        "outcome": cell.outcome.value if cell.outcome else None,
        "skipped": cell.skipped,
        "times_s": {
            name: {"n": found.n, "median": found.median, "maximum": found.maximum}
            | {f"p{p}": value for p, value in found.percentiles.items()}
            for name, found in times.items()
        },
    }


def _race(race: SeenRace) -> dict[str, Any]:
    return {
        "number": race.number,
        "point": race.cell.point.value,
        "way": race.cell.way.value,
        "trace_id": race.raced.trace.trace_id,
        "hit": race.hit,
        **{f"{name}_s": time(race) for name, time in TIMES.items()},
        "texts_after_ack": len(race.texts_after_ack),
        "dirty": is_dirty(race.raced.trace),
    }


def _worst(outcomes: Iterable[Outcome | None]) -> Outcome | None:
    """None where nothing was raced."""
    found = [outcome for outcome in outcomes if outcome]
    return worst_of(found) if found else None
