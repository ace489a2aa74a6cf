"""The report: one table a number of threads, and where the time of a token goes."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from harness.report.markdown import section, table
from harness.units import NOTHING, format_value
from tests.benchmarks.peers.arms import BASELINE
from tests.benchmarks.peers.figures import FIGURES, rows
from tests.benchmarks.peers.record import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.fingerprint import Fingerprint
    from tests.benchmarks.peers.figures import Cell, Row
    from tests.benchmarks.peers.record import Asked, Seen, Visit

__all__ = ["render"]

TITLES = tuple(figure.name for figure in FIGURES)


def render(machine: Fingerprint, arms: Sequence[Asked], seen: Seen) -> str:
    """The text of `peers.md`."""
    return "\n".join(_lines(machine, rows(arms, seen.visits, BASELINE), seen)) + "\n"


def _lines(machine: Fingerprint, all_rows: Sequence[Row], seen: Seen) -> Iterator[str]:
    yield "# Muse Nano beside its peers"
    yield ""
    yield "Figures are medians over rounds, with the median's interval in brackets where there are"
    yield f"rounds enough for one. Ratios are to {BASELINE} with as many threads (the most of them"
    yield "for a server that chooses for itself), paired by round, with 90 % intervals."
    yield "Of warm TTFT, peak memory and ready, less is better."
    for threads in dict.fromkeys(row.arm.threads for row in all_rows):
        some = [row for row in all_rows if row.arm.threads == threads]
        yield from section(_title(threads), _figures(some))
        yield ""
        yield from _ratios(some)
    yield from section("Where the time of a token goes, at depth", _times(all_rows))
    if seen.failures:
        failures = (f"- {label}: {why}" for label, why in seen.failures.items())
        yield from section("Could not be measured", failures)
    if seen.visits:
        yield from section("Conditions", _conditions(machine, seen.visits))


def _figures(some: Sequence[Row]) -> Iterator[str]:
    yield from table(
        ("server", *TITLES, "accepted drafts"),
        [
            (
                row.arm.name,
                *(_value(cell) for cell in row.cells),
                NOTHING if row.acceptance is None else f"{row.acceptance:.0%}",
            )
            for row in some
        ],
    )


def _ratios(some: Sequence[Row]) -> Iterator[str]:
    yield from table(
        ("ratio", *TITLES, "same answers"),
        [
            (
                row.arm.name,
                *(_ratio(cell) for cell in row.cells),
                f"{row.same[0]} of {row.same[1]}",
            )
            for row in some
            if row.same
        ],
    )


def _times(all_rows: Sequence[Row]) -> Iterator[str]:
    yield from table(
        ("server", "seen by the client", "by the server's own clock", "between the two"),
        [
            (
                row.arm.label,
                _microseconds(row.step_s),
                _microseconds(row.own_step_s),
                NOTHING if row.own_step_s is None else f"{1 - row.own_step_s / row.step_s:.1%}",
            )
            for row in all_rows
        ],
    )


def _conditions(machine: Fingerprint, visits: Sequence[Visit]) -> Iterator[str]:
    rounds = len({visit.round for visit in visits})
    loads = [visit.load for visit in visits]
    turns = [turn for visit in visits for turn in visit.turns]
    short = statistics.median(t.prompt_tokens for t in turns if t.kind is Kind.SHORT)
    deep = [t.prompt_tokens for t in turns if t.kind in {Kind.DEEP, Kind.WARM}]
    commit = machine.commit
    at = f"{commit.revision[:12]}{' (changed)' if commit.dirty else ''}" if commit else NOTHING
    yield f"- {machine.processor}, {machine.cores} cores, {machine.system}; commit {at}"
    yield f"- {rounds} rounds, in turn forwards and backwards; one server alive at a time"
    yield f"- load average before a visit: {min(loads):.1f} to {max(loads):.1f}"
    yield f"- short prompts: {short:.0f} tokens in the median; deep: {min(deep)} to {max(deep)}"
    yield f"- {sum(t.dirty for t in turns)} of {len(turns)} turns with a client that was late"
    yield "- greedy; /v1/chat/completions with our template and usage as each server counts it"


def _title(threads: int | None) -> str:
    if threads is None:
        return "Threads as the server chooses"
    return "1 thread" if threads == 1 else f"{threads} threads"


def _value(cell: Cell) -> str:
    summary, unit = cell.summary, cell.figure.unit
    middle = format_value(summary.median, unit)
    if summary.low is None or summary.high is None:
        return middle
    return f"{middle} [{format_value(summary.low, unit)}, {format_value(summary.high, unit)}]"


def _ratio(cell: Cell) -> str:
    ratio = cell.ratio
    if ratio is None or ratio.ratio is None:
        return NOTHING
    if ratio.low is None or ratio.high is None:
        return f"{ratio.ratio:.2f}"
    return f"{ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"


def _microseconds(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds * 1e6:,.0f} µs"
