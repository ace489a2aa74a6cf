"""Visits become figures, and figures of the same round become ratios."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.fingerprint import Fingerprint
from tests.benchmarks.peers.arms import BASELINE
from tests.benchmarks.peers.figures import FIGURES, agreement, baseline_of, rows
from tests.benchmarks.peers.record import Asked, Kind, Seen, Turn, Visit, dump, load
from tests.benchmarks.peers.table import render

if TYPE_CHECKING:
    from tests.benchmarks.peers.figures import Row

MACHINE = Fingerprint("Linux 6", "x86_64", "a processor", 2, None, "CPython 3.11", {}, None)


THEIRS, OURS, CHOOSES = Asked(BASELINE, 2), Asked("ours", 2), Asked("chooses", None)
ARMS = (Asked(BASELINE, 1), THEIRS, OURS, CHOOSES)


def turn(kind: Kind, **fields: object) -> Turn:
    """100 steps in a second behind a first text after a tenth of one, unless told otherwise."""
    usual = Turn("a", kind, 1_000, 0, 101, 0.1, 1.1, 100, "yes", None, None, 0.9, dirty=False)
    return replace(usual, **fields)  # type: ignore[arg-type]


def visit(arm: Asked, number: int, speed: float = 1.0) -> Visit:
    """One of each kind, `speed` times as fast as usual."""
    spoken = {"first_text_s": 0.1 / speed, "finish_s": 1.1 / speed}
    turns = (
        turn(Kind.SHORT, **spoken),
        turn(Kind.COLD, first_text_s=None, steps=0, finish_s=0.5 / speed, made=1),
        turn(Kind.DEEP, **spoken),
        turn(Kind.WARM, cached_tokens=990, **spoken),
    )
    return Visit(arm.label, number, 1.0, 2**20, 0.1, turns)


def ratios(row: Row) -> list[float | None]:
    """One a figure."""
    return [cell.ratio.ratio if cell.ratio else None for cell in row.cells]


def test_the_figures_of_a_visit() -> None:
    """Each as its definition says."""
    found = {figure.name: figure.of(visit(OURS, 0)) for figure in FIGURES}

    assert found == pytest.approx(
        {
            "decode, short": 100.0,
            "decode, deep": 100.0,
            "prefill": 2_000.0,
            "warm TTFT": 0.1,
            "peak memory": 2**20,
            "ready": 1.0,
        }
    )


def test_cached_tokens_are_not_prefilled() -> None:
    """A rate over tokens that were not computed would flatter."""
    prefill = next(figure for figure in FIGURES if figure.name == "prefill")
    cold = turn(Kind.COLD, cached_tokens=500, finish_s=0.5)

    assert prefill.of(Visit("a", 0, 1.0, 1, 0.1, (cold,))) == pytest.approx(1_000.0)


def test_a_ratio_pairs_the_visits_of_a_round() -> None:
    """What slows both down in one round leaves it alone."""
    slow = [1.0, 0.25, 0.5, 0.8]
    visits = [visit(THEIRS, number, speed) for number, speed in enumerate(slow)]
    visits += [visit(OURS, number, 2 * speed) for number, speed in enumerate(slow)]
    row = next(row for row in rows(ARMS, visits, BASELINE) if row.arm is OURS)

    assert ratios(row) == pytest.approx([2.0, 2.0, 2.0, 0.5, 1.0, 1.0])
    assert row.cells[0].ratio is not None
    assert row.cells[0].ratio.low == pytest.approx(2.0)


def test_rounds_that_one_of_both_lacks_are_not_compared() -> None:
    """A server may fail halfway."""
    visits = [visit(THEIRS, 0), visit(THEIRS, 1, 9.0), visit(OURS, 0, 2.0)]
    row = next(row for row in rows(ARMS, visits, BASELINE) if row.arm is OURS)

    assert row.cells[0].ratio is not None
    assert row.cells[0].ratio.n == 1


def test_the_baseline_has_as_many_threads() -> None:
    """The most of them for a server that chooses for itself; none is compared with itself."""
    visits = [visit(THEIRS, 0)]

    assert THEIRS is baseline_of(OURS, ARMS, BASELINE)
    assert THEIRS is baseline_of(CHOOSES, ARMS, BASELINE)
    assert [None] * len(FIGURES) == ratios(rows(ARMS, visits, BASELINE)[0])


def test_agreement_counts_equal_answers() -> None:
    """Of the conversations that both have, whatever they said in later turns."""
    here = visit(OURS, 0)
    other = replace(here, turns=tuple(replace(each, text="no") for each in here.turns))

    assert agreement([here], [here]) == (1, 1)
    assert agreement([here], [other]) == (0, 1)


def test_drafts_and_the_servers_own_clock_are_told() -> None:
    """Acceptance over all turns, seconds a token at depth."""
    seen = visit(OURS, 0)
    drafting = replace(
        seen, turns=tuple(replace(each, drafted=30, accepted=20) for each in seen.turns)
    )
    row = rows(ARMS, [drafting], BASELINE)[0]

    assert row.acceptance == pytest.approx(2 / 3)
    assert row.step_s == pytest.approx(0.01)
    assert row.own_step_s == pytest.approx(0.9 / 101)


def test_a_record_is_read_as_it_was_written() -> None:
    """A report can be made again, by other definitions too."""
    seen = Seen([visit(THEIRS, 0), visit(OURS, 0)], {CHOOSES.label: "it ended with 1"})

    assert (MACHINE, ARMS, seen) == load(dump(MACHINE, ARMS, seen))


def test_the_report_says_what_failed_and_what_has_no_value() -> None:
    """Nothing is left out in silence, and nothing is 0 that is not known."""
    seen = Seen([visit(THEIRS, 0), visit(OURS, 0)], {CHOOSES.label: "it ended with 1"})
    report = render(MACHINE, ARMS, seen)

    assert "| ours | 100 tok/s | 100 tok/s |" in report
    assert "| ours | 1.00 | 1.00 |" in report
    assert f"| {BASELINE} | 100 tok/s |" in report
    assert f"| {BASELINE} | 1.00 |" not in report
    assert f"- {CHOOSES.label}: it ended with 1" in report
