"""Figures are held to their goals, and the report says what is not so good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.fingerprint import Commit, Fingerprint
from tests.benchmarks.page.goals import Goal, Verdict, goals
from tests.benchmarks.page.record import Conditions, Heap, Load, Pair, Seen, Stream, dump, load
from tests.benchmarks.page.report import render

MACHINE = Fingerprint(
    "Linux 6",
    "x86_64",
    "a processor",
    2,
    None,
    "CPython 3.11",
    {},
    Commit("0123456789abcdef", False),
)
STREAM = Stream(
    tokens=1_000,
    asked_per_s=500.0,
    made_per_s=499.0,
    frames_ms=tuple(16.0 * n for n in range(100)),
    delays_ms=(20.0, 24.0, 28.0),
    unpainted=0,
)
SEEN = Seen(
    conditions=Conditions(MACHINE, "Chromium 1", (1440, 900), 0.5, 1.5, quick=False),
    loads=(Load(300.0, 350.0, 132_000, 190_000),),
    slow=replace(STREAM, asked_per_s=50.0, made_per_s=50.0),
    fast=STREAM,
    heaps=tuple(Heap(n * 1_000, 8_000_000 + n * 30_000, 2_000_000, 1_000 * n) for n in range(1, 6)),
    pairs=(Pair(499.0, 500.0), Pair(500.0, 500.0), Pair(498.0, 500.0)),
)


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [
        (1.0, None, None, Verdict.MET),
        (1.1, None, None, Verdict.MISSED),
        (0.5, 0.1, 0.9, Verdict.MET),
        (0.5, -0.2, 1.2, Verdict.UNCLEAR),
        (1.5, 0.9, 2.1, Verdict.UNCLEAR),
        (1.5, 1.1, 2.1, Verdict.MISSED),
    ],
)
def test_a_bound_from_above(
    value: float, low: float | None, high: float | None, verdict: Verdict
) -> None:
    """The whole interval on one side, or nothing is said."""
    assert Goal("a", "%", value, 1.0, low=low, high=high).verdict is verdict


@pytest.mark.parametrize(
    ("value", "verdict"), [(99.0, Verdict.MET), (98.9, Verdict.MISSED), (100.0, Verdict.MET)]
)
def test_a_bound_from_below(value: float, verdict: Verdict) -> None:
    """More is better for the share of good frames."""
    assert Goal("a", "%", value, 99.0, at_least=True).verdict is verdict


def test_one_long_frame_misses_its_goal_alone() -> None:
    """99 % of a hundred frames may be good, and one still too long."""
    stamps = [*STREAM.frames_ms, STREAM.frames_ms[-1] + 201.0]
    seen = replace(SEEN, fast=replace(STREAM, frames_ms=tuple(stamps)))
    missed = [goal.name for goal in goals(seen) if goal.verdict is Verdict.MISSED]

    assert missed == ["longest frame"]


def test_a_heap_that_bends_misses_its_goal() -> None:
    """Growth with the square of the text is not linear."""
    heaps = tuple(replace(heap, script_bytes=heap.characters**2) for heap in SEEN.heaps)
    missed = [goal for goal in goals(replace(SEEN, heaps=heaps)) if goal.verdict is Verdict.MISSED]

    assert [goal.name.partition(":")[0] for goal in missed] == ["heap"]


def test_the_embedded_model_has_a_goal_where_it_was_asked() -> None:
    """And none where it was not."""
    with_model = replace(SEEN, model_pairs=SEEN.pairs)

    assert len(goals(with_model)) == len(goals(SEEN)) + 1


def test_a_record_is_read_as_it_was_written() -> None:
    """A report can be made again, by other definitions too."""
    assert load(dump(SEEN)) == SEEN


def test_the_report_says_under_which_conditions() -> None:
    """Machine, load, browser, and that a run was a short one."""
    report = render(replace(SEEN, conditions=replace(SEEN.conditions, quick=True)))

    assert "a processor, 2 CPUs, Linux 6; commit 0123456789ab" in report
    assert "Chromium 1, headless, 1440 x 900" in report
    assert "load average: 0.5 before, 1.5 after" in report
    assert "**quick**" in report
    assert "**quick**" not in render(SEEN)


def test_the_report_has_a_verdict_a_goal() -> None:
    """In words, with the bound and the value beside it."""
    report = render(SEEN)

    assert "| frames of at most 50 ms | at least 99 % | 100 % | met |" in report
    assert "| bytes to paint at 500 tokens/s, p99 | at most 100 ms | 27.92 ms | met |" in report
    assert "Of 9 goals: " in report
