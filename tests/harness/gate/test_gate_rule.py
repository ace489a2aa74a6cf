"""The decision rule is right as often as it is promised to be.

Nothing is measured: gates are drawn from models of noise with one seed, so that these tests come
out the same each time.  A rate is held to its promise by the end of its exact interval of 98 %.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from harness.gate.baseline import KeptNoise, keep_noise
from harness.gate.record import Noise
from harness.gate.sequence import Design
from tests.benchmarks.gate_rule.__main__ import all_tables, main
from tests.benchmarks.gate_rule.gates import Share, play
from tests.benchmarks.gate_rule.models import Drift, Kept
from tests.benchmarks.gate_rule.naive import median_fails, pooled_fails
from tests.benchmarks.gate_rule.tables import ASSUMED, DRIFT_MARGIN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.gate_rule.models import Model

DESIGN = Design(least=4, pairs=10, confirm=6, confidence=0.90)
TRIALS, SEED = 4_000, 6
ONE_WORSE = np.array([0, 0, 0, 0, 0, 0.10])
"""The last metric, the noisiest of those assumed."""


@pytest.mark.parametrize(
    ("model", "margin"),
    [
        (Drift(shared=1.0), DRIFT_MARGIN),
        (Drift(shared=0.0), DRIFT_MARGIN),
        (Kept([each.noise for each in ASSUMED], shared=0.5), 0.05),
        (Kept([each.noise for each in ASSUMED], shared=0.0), 0.05),
    ],
    ids=["drift, shared noise", "drift, own noise", "A/A, shared noise", "A/A, own noise"],
)
def test_the_three_promised_rates_are_kept(model: Model, margin: float) -> None:
    """Six gated metrics, ten pairs; where one is worse it is one of the six."""
    margins = np.full(6, margin)

    same, worse = play(model, [np.zeros(6), ONE_WORSE], margins, DESIGN, TRIALS, SEED)

    assert same.failed.interval(0.98)[1] <= 0.02
    assert same.passed.interval(0.98)[0] >= 0.90
    assert worse.failed.interval(0.98)[0] >= 0.95


@pytest.mark.parametrize("noise", [0.05, 0.15, 0.50])
def test_no_noise_makes_false_fails(noise: float) -> None:
    """An instrument that is far too coarse cannot tell, and says so."""
    (same,) = play(Kept([noise] * 6, 0.0), [np.zeros(6)], np.full(6, 0.05), DESIGN, TRIALS, SEED)

    assert same.failed.interval(0.98)[1] <= 0.02
    assert same.first.value > same.failed.value


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.05])
def test_a_change_of_the_margin_seldom_passes(noise: float) -> None:
    """However often is looked: at most 5 % of candidates that are worse by just the margin."""
    effect = np.array([0.05])

    (gate,) = play(Kept([noise], 0.0), [effect], effect, DESIGN, 5 * TRIALS, SEED)

    assert gate.passed.interval(0.98)[0] <= 0.05


def test_starts_that_take_turns_are_what_the_rule_rests_on() -> None:
    """With all starts of one side first a drift is a difference: fewer gates pass."""
    margins, none = np.full(6, DRIFT_MARGIN), [np.zeros(6)]

    (turns,) = play(Drift(), none, margins, DESIGN, 1_000, SEED)
    (blocked,) = play(Drift(blocked=True), none, margins, DESIGN, 1_000, SEED)

    assert turns.passed.interval()[0] > blocked.passed.interval()[1]


def test_simpler_rules_fail_what_is_just_as_good() -> None:
    """A single start, and requests taken for independent, each fail more than one in ten."""
    single = median_fails(Drift(1, blocked=True, session=2), 0.0, 0.05, 1, 1_000, SEED)
    pooled = pooled_fails(Drift(1, session=10), 0.0, 5, 1_000, SEED)

    assert single.interval()[0] > 0.10
    assert pooled.interval()[0] > 0.10


def test_equal_seeds_make_equal_gates() -> None:
    """And other seeds others."""
    one, two, three = (
        play(Drift(), [np.zeros(6)], np.full(6, 0.05), DESIGN, 500, seed) for seed in (1, 1, 2)
    )

    assert one == two
    assert one != three


def test_a_share_has_an_exact_interval() -> None:
    """None of 4,000 is at most 9 of 10,000 (the rule of three says 7.5, one-sided)."""
    low, high = Share(0, 4_000).interval()

    assert low == 0
    assert high == pytest.approx(0.00092, abs=1e-5)


def test_the_noise_that_was_kept_is_what_gates_are_drawn_with(tmp_path: Path) -> None:
    """With the margins of the policy of that name; what it does not gate is left out."""
    kept = KeptNoise(
        "2026-11-30T00:00:00Z",
        "a quiet machine",
        "0" * 64,
        10,
        {},
        {"decode-plain": Noise(10, 0.012, 0.007), "no-such-metric": Noise(10, 0.9, 0.5)},
    )
    file = keep_noise(kept, "embedded", "embedded", tmp_path)

    tables = all_tables([file], 50, SEED)
    found = next(table for table in tables if table.title == "Metrics by themselves")

    assert [row[:2] for row in found.rows] == [("decode-plain", "1.2 %")]
    assert "the noise of a quiet machine" in next(tables).title


def test_the_tables_can_be_had_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With the seed they were drawn with."""
    assert main(["--trials", "50", "--seed", "3", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["seed"], told["trials"]) == (3, 50)
    assert all(len(row) == len(table["head"]) for table in told["tables"] for row in table["rows"])
