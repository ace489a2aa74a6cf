"""What is said of a gate, and what is to be done next?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.gate.result import Difference, Ruling
from harness.report.gate import gate_reports
from harness.report.gate.drift import drift
from harness.report.gate.words import (
    advice,
    change_words,
    limits_of,
    needing,
    order_words,
    ruling_words,
)
from harness.units import RATIO, SECONDS, TOKENS_PER_SECOND
from harness.verdict import Outcome
from tests.harness.report.gate.examples import EXAMPLES, METRICS, gate, measured

GATE = "muse-bench gate --baseline embedded-prev --candidate embedded"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("pass", "muse-bench accept DIR"),
        ("a-a", "muse-bench accept DIR"),
        ("urls", ""),
        ("fail-statistics", "muse-bench report DIR --check"),
        ("fail-correctness", ""),
        (
            "inconclusive",
            f"{GATE} --pairs 34",
        ),
        (
            "refused-not-comparable",
            f"{GATE} --allow power",
        ),
        ("refused-too-coarse", ""),
        ("stopped", "muse-bench gate --resume DIR"),
        ("not-interleaved", GATE),
    ],
)
def test_each_ending_has_its_next_step(name: str, command: str) -> None:
    """A command to paste where there is one, and words in any case."""
    told = advice(EXAMPLES[name]())

    assert told.said
    assert told.command == command


def test_more_pairs_are_asked_for_only_where_they_can_be_had() -> None:
    """Nobody waits for four hundred pairs, and who ran out of time needs time."""
    whole = EXAMPLES["inconclusive"]()
    noisy = replace(whole, metrics=tuple(replace(m, needed=426) for m in whole.metrics))

    assert advice(noisy).command == ""
    assert "quieter machine. It would take about 426 pairs" in advice(noisy).said
    spent = replace(whole.record, notes=("no new pair after 20 min",))
    assert "time for 3 of 10 pairs" in advice(replace(whole, pairs=3, record=spent)).said


def test_time_is_blamed_only_where_it_was_spent() -> None:
    """A side that broke has fewer pairs as well."""
    broke = replace(EXAMPLES["inconclusive"](), pairs=3)

    assert "time" not in advice(broke).said
    assert advice(broke).command == f"{GATE} --pairs 34"


def test_a_fail_that_was_not_found_again_asks_for_another_gate() -> None:
    """It is not told that there was no time, nor that more pairs would do."""
    one = measured(METRICS[0], 0.8, pairs=6, confirming=6, ruling=Ruling.INCONCLUSIVE)
    lost = replace(one, first=Ruling.FAIL, confirmed=False)
    told = advice(gate(ruling=Ruling.INCONCLUSIVE, metrics=(lost,), pairs=6, confirming=6))

    assert "Decode rate: worse at first, not found again" in told.said
    assert ("time" in told.said, told.command) == (False, GATE)


def test_only_what_is_guarded_can_be_allowed() -> None:
    """No name is offered that the command then refuses."""
    result = EXAMPLES["refused-not-comparable"]()
    library = Difference("libexecutorch.so", "1" * 12, "2" * 12, under_test=False)

    told = advice(replace(result, differences=(*result.differences, library)))

    assert ("agree" in told.said, "--allow" in told.said + told.command) == (True, False)


def test_blocks_begin_and_end_where_an_anchor_was_measured() -> None:
    """A start that was played once more makes a block longer."""
    result = gate(anchors=((1, 0.2), (6, 0.2), (21, 0.2)))
    drawn = "".join(drift(result))

    assert order_words(result) == "ABBAA BBAABBAABBAABBA (A is the baseline)"
    assert [f'class="grid" x1="{x}%"' in drawn for x in (20, 25, 100)] == [False, True, True]


def test_a_gate_that_left_the_suite_out_is_told_to_play_it() -> None:
    """However good its numbers are."""
    whole = gate(ruling=Ruling.INCONCLUSIVE)
    without = replace(whole, record=replace(whole.record, suite=False, policy="muse"))

    command = advice(without).command

    assert command == f"{GATE} --policy muse"


def test_a_folder_with_a_space_and_a_difference_that_was_allowed_are_in_the_command() -> None:
    """What is pasted into a shell does what it says."""
    result = gate()
    allowed = replace(result, record=replace(result.record, allowed=("power",)))

    command = advice(allowed, "reports/runs/a b").command

    assert command == "muse-bench accept 'reports/runs/a b' --allow power"


def test_what_an_instrument_would_take_is_told() -> None:
    """Too coarse is no end: every form says what would do."""
    result = EXAMPLES["refused-too-coarse"]()

    for form in ("report.md", "report.html", "result.json", "junit.xml"):
        assert (
            "allow --pairs 30, widen the margin or quieten the machine"
            in (gate_reports(result)[form])
        )


def test_a_time_and_its_rate_are_told_the_same_change() -> None:
    """A rate of 1/1.25 takes a quarter longer."""
    one = measured(METRICS[0], 1.0)
    rate = replace(one, unit=TOKENS_PER_SECOND, ratio=0.8)
    time = replace(one, unit=SECONDS, ratio=1.25)
    neither = replace(one, unit=RATIO, ratio=1.25)

    told = [change_words(each) for each in (rate, time, neither)]

    assert told == ["25.0 % worse", "25.0 % worse", "25.0 % more"]
    assert change_words(replace(time, ratio=1.0004)) == "no change"
    assert change_words(replace(time, ratio=None)) == ""


def test_a_margin_ends_on_the_side_that_is_worse() -> None:
    """Above 1 for a time, below for a rate, on both where neither way is better."""
    one = replace(measured(METRICS[0], 1.0), margin=0.25)

    ends = [limits_of(replace(one, unit=unit)) for unit in (SECONDS, TOKENS_PER_SECOND, RATIO)]

    assert ends == [(1.25,), (0.8,), (0.8, 1.25)]


def test_a_fail_that_is_still_to_be_found_again_is_no_fail_yet() -> None:
    """And one that was not found again says so."""
    one = replace(measured(METRICS[0], 0.8), ruling=Ruling.INCONCLUSIVE, first=Ruling.FAIL)

    assert ruling_words(replace(one, confirmed=None)) == "inconclusive, to be found again"
    assert ruling_words(replace(one, confirmed=False)) == "inconclusive, not found again"
    assert ruling_words(replace(one, ruling=Ruling.FAIL, confirmed=True)) == "fail, found again"


def test_a_check_that_fails_on_both_sides_needs_a_look_though_it_decides_nothing() -> None:
    """It is shown as such, and not folded away."""
    row = gate().checks[0]
    both = replace(row, baseline={Outcome.FAIL: 1}, candidate={Outcome.FAIL: 1})

    assert needing([row, both]) == [both]
