"""Whatever stops a gate, it can be gone on from; and only where it is still the same gate."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import HarnessError, NotComparable, UsageError
from harness.fingerprint import Commit
from harness.gate.order import GateAsked
from harness.gate.pins import Pin
from harness.gate.record import Side
from harness.gate.result import Ruling
from tests.harness.gate.playing.stage import (
    HERE,
    NEW,
    POLICY,
    TALK,
    Stage,
    crash,
    cut,
    in_turn,
    once,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.harness.gate.playing.stage import Gate, Played

MEETINGS = 10
"""Two suites, two pairs, and two that confirm."""
TURNS = (1, 2, 4, 5, 6, 9, 12)
"""Of two parts of each suite, and one of each start."""


def slow_candidate(**spoilt: Callable[[Stage, str], None]) -> Stage:
    """It fails, so that there is a fresh block, too."""
    stage = Stage(ready_s={"new": 2.0})
    for name, spoil in spoilt.items():
        setattr(stage, name, spoil)
    return stage


def is_whole(played: Played) -> bool:
    """Whether the gate was played to its end, with nothing twice."""
    pairs = [(start.pair, start.side, start.confirms) for start in played.starts]
    planned = [(pair, side, pair > 2) for pair in (1, 2, 3, 4) for side in Side]
    return sorted(pairs, key=str) == sorted(planned, key=str) and not any(
        start.stopped for start in played.starts
    )


@pytest.mark.parametrize("at", range(1, MEETINGS + 1))
def test_it_goes_on_where_it_was_cut_before_a_start(gate: Gate, at: int) -> None:
    """As each side is met: what was finished is not played again."""
    left = gate.play(slow_candidate(before_start=once(at, cut)))

    assert isinstance(left.stopped, asyncio.CancelledError)
    assert left.record.stopped == "stopped by hand"
    assert left.result.ruling is Ruling.INCONCLUSIVE
    played = gate.play(slow_candidate(), resume=True)
    assert is_whole(played)
    assert played.result.ruling is Ruling.FAIL
    assert len(left.stage.met) + len(played.stage.met) in {MEETINGS, MEETINGS + 1}


@pytest.mark.parametrize("at", TURNS)
def test_it_goes_on_where_it_was_cut_in_a_turn(gate: Gate, at: int) -> None:
    """Every side that was met is stopped, and what was cut is played again."""
    left = gate.play(slow_candidate(before_turn=once(at, cut)))

    assert left.stage.left == left.stage.met
    played = gate.play(slow_candidate(), resume=True)
    assert is_whole(played)
    assert played.result.ruling is Ruling.FAIL
    assert played.record.stopped == ""


def test_the_starts_of_a_pair_lie_side_by_side(gate: Gate) -> None:
    """The one that was whole is played again with the one that was cut, from the same salt."""
    left = gate.play(Stage(before_start=once(4, cut)))
    whole, hurt = left.starts

    played = gate.play(resume=True)

    assert (whole.whole, hurt.ended_at) == (True, None)
    (doubt,) = [doubt for doubt in played.result.doubts if doubt.startswith("thrown away at ")]
    assert ", to be played again: 001-" in doubt
    assert doubt in played.said
    assert [start.index for start in played.starts] == [1, 2, 3, 4]
    assert played.starts[0].salt == whole.salt


def test_what_broke_is_kept_where_a_gate_goes_on(gate: Gate) -> None:
    """It is a fact about its side; its pair is played again."""
    left = gate.play(Stage(before_start=in_turn({4: crash, 5: cut})))

    played = gate.play(resume=True)

    (broke,) = [start for start in played.starts if start.stopped]
    assert broke in left.starts
    assert played.result.pairs == 2


def test_a_suite_that_was_cut_is_played_from_its_beginning(gate: Gate) -> None:
    """A suite is of one process; the one that was finished stays."""
    left = gate.play(Stage(before_turn=once(4, cut)))
    kept = (left.folder / "suites" / "baseline" / "suite.json").read_bytes()

    played = gate.play(resume=True)

    assert played.stage.met[0] == "new"
    assert any(doubt.endswith("the suite of the candidate") for doubt in played.result.doubts)
    assert (played.folder / "suites" / "baseline" / "suite.json").read_bytes() == kept
    assert played.result.ruling is Ruling.PASS


def test_a_gate_that_is_over_is_only_judged(gate: Gate) -> None:
    """Nothing is started."""
    gate.play()

    played = gate.play(resume=True)

    assert played.stage.met == []
    assert played.result.ruling is Ruling.PASS


def test_a_gate_whose_time_was_spent_goes_on_with_more_of_it(gate: Gate) -> None:
    """What was spent is counted over all its sessions."""
    left = gate.play(Stage(decides=3), asked=GateAsked(budget_min=2.5 / 60))
    starts, spent_s = left.starts, left.record.spent_s

    still = gate.play(Stage(decides=3), resume=True).starts
    played = gate.play(Stage(decides=3), asked=GateAsked(budget_min=1), resume=True)

    assert (len(starts), len(still)) == (4, 4)
    assert len(played.starts) == 8
    assert played.record.spent_s > spent_s
    assert played.result.ruling is Ruling.PASS


def test_another_pin_of_the_same_name_is_another_gate(gate: Gate) -> None:
    """Told by name, with both digests."""
    gate.play(Stage(before_start=once(4, cut)))
    other = Pin("new", "pin", "f" * 64, NEW.facts)

    said = refusal(gate, candidate=other)

    assert "the pin new says something else than when the gate was begun (bbbb" in said
    assert "now ffff" in said


def test_another_policy_is_another_gate(gate: Gate) -> None:
    """Even where only a comment changed: nobody reads what is no rule."""
    gate.play(Stage(before_start=once(4, cut)))

    assert "is not the one that the gate was begun with" in refusal(gate, policy=f"{POLICY}\n")


def test_another_commit_of_the_harness_is_another_gate(gate: Gate, tmp_path: Path) -> None:
    """Its numbers would be those of two instruments."""
    gate.play(Stage(before_start=once(4, cut)))
    path = tmp_path / "gate" / "gate.json"
    record = json.loads(path.read_text())
    record["fingerprint"]["commit"] = {"revision": "e" * 40, "dirty": False}
    path.write_text(json.dumps(record))

    assert "the gate was begun by the harness of commit eeeeeeeeeeee, this is " in refusal(gate)


@pytest.mark.parametrize("commit", [None, Commit("c" * 40, dirty=True)], ids=["none", "dirty"])
@pytest.mark.parametrize("at_first", [True, False])
def test_a_harness_that_no_commit_knows_is_not_gone_on_with(
    gate: Gate, commit: Commit | None, *, at_first: bool
) -> None:
    """Nobody can say that it is the one that the gate was begun with: then, or now."""
    unknown = replace(HERE, commit=commit)
    first, then = (unknown, HERE) if at_first else (HERE, unknown)
    gate.play(Stage(here=first, before_start=once(4, cut)))

    assert "does not say which that is" in refusal(gate, stage=Stage(here=then))


def test_other_prompts_have_to_be_allowed(gate: Gate) -> None:
    """And stand in the report then."""
    gate.play(Stage(before_start=once(4, cut)))
    gate.talk = TALK.replace("Where does", "Where did")

    assert "not comparable: prompts: then " in refusal(gate)
    played = gate.play(asked=GateAsked(allow=("prompts",)), resume=True)
    (found,) = [each for each in played.result.differences if not each.under_test]
    assert (found.what, found.allowed) == ("prompts", True)
    assert played.result.ruling is Ruling.PASS


def test_what_was_refused_can_be_allowed_when_it_goes_on(gate: Gate) -> None:
    """The finding that was refused does not refuse it again."""
    stage = Stage(before_start=in_turn({4: unplug}))
    left = gate.play(stage)

    played = gate.play(
        Stage(facts={"power source": "battery"}), asked=GateAsked(allow=("power",)), resume=True
    )

    assert left.result.ruling is Ruling.REFUSED
    assert played.result.ruling is Ruling.PASS, played.result.headline
    (doubt,) = [each for each in played.result.doubts if each.startswith("it was refused before")]
    assert doubt.endswith(left.record.refused)


def unplug(stage: Stage) -> None:
    """Somebody takes the notebook along."""
    stage.facts["power source"] = "battery"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (GateAsked(pairs=8), "--pairs is settled when a gate begins; leave it out with --resume"),
        (GateAsked(seed=8), "--seed is settled when a gate begins; leave it out with --resume"),
        (GateAsked(allow=("luck",)), "--allow 'luck' is nothing that is guarded; host, hardware"),
    ],
)
def test_what_cannot_be_asked_of_a_gate_under_way(gate: Gate, asked: GateAsked, said: str) -> None:
    """Told in one line, before anything is touched."""
    gate.play(Stage(before_start=once(4, cut)))

    with pytest.raises(UsageError) as caught:
        gate.play(asked=asked, resume=True)

    assert said in str(caught.value)


def refusal(gate: Gate, **changed: object) -> str:
    """Why a gate cannot go on; it is as it was."""
    with pytest.raises(NotComparable) as caught:
        gate.play(resume=True, **changed)  # type: ignore[arg-type]
    assert isinstance(caught.value, HarnessError)
    assert caught.value.exit_code == 2
    return str(caught.value)
