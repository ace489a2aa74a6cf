"""A gate is played in ABBA order until it is decided, whatever its sides do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.order import GateAsked
from harness.gate.pins import Pin
from harness.gate.record import Noise, Side
from harness.gate.result import Ruling
from harness.rehearsal import Answer
from tests.harness.gate.playing.stage import (
    OLD,
    RUNTIME,
    Stage,
    at_its_starts,
    crash,
    die,
    once,
    only,
)

if TYPE_CHECKING:
    from harness.gate.record import StartRecord
    from tests.harness.gate.playing.stage import Gate


def test_both_sides_are_started_in_turn_until_it_is_decided(gate: Gate) -> None:
    """The suites first; then one block, since two pairs are enough to decide here."""
    played = gate.play()

    assert played.stage.met == ["old", "new", *map(_pin, played.starts)]
    assert played.order in {"ABBA", "BAAB"}
    assert [start.pair for start in played.starts] == [1, 1, 2, 2]
    assert played.result.ruling is Ruling.PASS, played.result.headline
    assert "every gated metric is decided after 2 pairs" in played.said


def _pin(start: StartRecord) -> str:
    return "old" if start.side is Side.BASELINE else "new"


def test_a_start_keeps_what_was_seen_of_it(gate: Gate) -> None:
    """When it was ready, what it had loaded, its memory; the anchor stands around the block."""
    played = gate.play()

    first, *between, last = played.starts
    assert first.ready_s == 1.0
    assert (first.worker_steady_bytes, first.worker_peak_bytes) == (8 * 2**20, 16 * 2**20)
    assert (first.loaded is not None, first.runtime is not None) == (True, True)
    assert (first.anchor_before_s, last.anchor_after_s) == (0.25, 0.25)
    assert not any(each.anchor_before_s or each.anchor_after_s for each in between)


def test_both_sides_of_a_pair_are_asked_the_very_same(gate: Gate) -> None:
    """And no two pairs are."""
    played = gate.play()

    asked = [(played.folder / path / "talk" / "trace.jsonl").read_text() for path in played.paths]
    codes = [text.partition(": Where does Ada")[0][-12:] for text in asked]
    assert codes[0] == codes[1] != codes[2] == codes[3]


def test_pairs_are_added_until_they_are_spent(gate: Gate) -> None:
    """Nothing is decided here before nine pairs, and there are five at most."""
    played = gate.play(Stage(decides=9), asked=GateAsked(pairs=5))

    blocks = [played.order[:4], played.order[4:8]]
    assert sorted(blocks) == ["ABBA", "BAAB"]
    assert [len(played.starts), played.result.pairs] == [10, 5]
    assert played.result.ruling is Ruling.INCONCLUSIVE


def test_no_pair_begins_when_the_time_is_spent(gate: Gate) -> None:
    """Each start rests for a second; the pair that was begun is played to its end."""
    played = gate.play(Stage(decides=9), asked=GateAsked(budget_min=2.5 / 60))

    assert played.order in {"ABBA", "BAAB"}
    assert played.record.notes == ("no new pair after 0.0416667 min",)
    assert played.starts[-1].anchor_after_s is not None
    assert played.record.spent_s > 4


def test_a_fail_has_to_be_found_again_in_a_fresh_block(gate: Gate) -> None:
    """Its pairs go on from those before, and are asked something else."""
    played = gate.play(Stage(ready_s={"new": 2.0}))

    confirming = [start for start in played.starts if start.confirms]
    assert [start.pair for start in confirming] == [3, 3, 4, 4]
    assert {start.block for start in confirming} == {2}
    assert len({start.salt for start in played.starts}) == 4
    assert played.result.ruling is Ruling.FAIL
    assert played.result.confirming == 2


def test_a_fail_is_looked_for_again_whatever_time_is_left(gate: Gate) -> None:
    """What the pairs found must not stay open because they took all of the time."""
    played = gate.play(Stage(ready_s={"new": 2.0}), asked=GateAsked(budget_min=2.5 / 60))

    assert [played.result.pairs, played.result.confirming] == [2, 2]
    assert played.result.ruling is Ruling.FAIL


def test_a_fail_that_is_not_found_again_is_none(gate: Gate) -> None:
    """The candidate was slow in the first block alone."""
    stage = Stage(ready_s={"new": 2.0})
    stage.before_start = recovers

    played = gate.play(stage)

    assert played.result.ruling is Ruling.INCONCLUSIVE
    assert played.result.metrics[0].confirmed is False


def recovers(stage: Stage, _pin: str) -> None:
    """The suites and four starts are met; from then on the candidate is as good."""
    if len(stage.met) >= 6:
        stage.ready_s = {}


def test_what_fails_in_the_suite_is_played_once_more_and_ends_the_gate(gate: Gate) -> None:
    """Found again, it fails the candidate, whatever the numbers would be."""
    played = gate.play(Stage(answer={"new": wrong}))

    again = played.folder / "suites" / "candidate-again"
    assert [path.parent.name for path in sorted(again.glob("*/run.json"))] == ["again", "talk"]
    assert played.stage.met == ["old", "new", "new"]
    assert played.result.ruling is Ruling.FAIL
    assert played.result.exit_code == 1
    assert "whatever else it does" in played.said


def wrong(_messages: object) -> Answer:
    """Does not know where Ada lives."""
    return Answer("In Rome.")


def test_a_candidate_that_fails_is_measured_all_the_same_where_all_is_asked_for(
    gate: Gate,
) -> None:
    """`--all`."""
    played = gate.play(Stage(answer={"new": wrong}), asked=GateAsked(everything=True))

    assert played.order in {"ABBA", "BAAB"}
    assert played.result.ruling is Ruling.FAIL


def test_what_fails_on_both_sides_is_looked_for_again_on_both(gate: Gate) -> None:
    """And does not fail the candidate."""
    played = gate.play(Stage(answer={"old": wrong, "new": wrong}))

    assert played.stage.met[:4] == ["old", "new", "new", "old"]
    assert played.result.ruling is Ruling.PASS


def test_without_its_suite_nothing_passes(gate: Gate) -> None:
    """And the report says so."""
    played = gate.play(asked=GateAsked(suite=False))

    assert played.result.ruling is Ruling.INCONCLUSIVE
    assert "the acceptance suite was left out" in played.result.headline
    assert not (played.folder / "suites").exists()


def test_a_start_that_breaks_is_tried_once_more(gate: Gate) -> None:
    """What broke is kept, and told; its pair is whole."""
    stage = Stage()
    stage.before_turn = once(5, die)

    played = gate.play(stage)

    broke = [start for start in played.starts if start.stopped]
    assert [len(played.starts), len(broke)] == [5, 1]
    assert "is the server running?" in broke[0].stopped
    after = played.starts[broke[0].index]
    assert (after.pair, after.side, after.salt) == (broke[0].pair, broke[0].side, broke[0].salt)
    assert played.result.pairs == 2


def test_a_candidate_that_breaks_twice_fails(gate: Gate) -> None:
    """The other side of its pair is played, so that it is known that it does not."""
    stage = Stage()
    stage.before_start = at_its_starts("new", crash)

    played = gate.play(stage)

    assert sorted(played.order) == ["A", "B", "B"]
    assert played.result.ruling is Ruling.FAIL
    assert "start.played in starts" in played.result.headline


def test_a_baseline_that_breaks_twice_leaves_nothing_to_tell(gate: Gate) -> None:
    """That is no fault of the candidate's, and no praise of it."""
    stage = Stage()
    stage.before_start = at_its_starts("old", crash)

    played = gate.play(stage)

    assert sorted(played.order) == ["A", "A", "B"]
    assert played.result.ruling is Ruling.INCONCLUSIVE


def test_a_suite_that_cannot_be_started_is_told_and_shown_by_the_starts(gate: Gate) -> None:
    """A candidate that never starts fails."""
    stage = Stage()
    stage.before_start = only("new", crash)

    played = gate.play(stage)

    assert "the suite of the candidate was not played: could not start" in played.record.notes[0]
    assert played.result.ruling is Ruling.FAIL


def test_what_was_not_pinned_stops_the_gate_before_anything_is_played(gate: Gate) -> None:
    """The candidate has loaded the baseline's runtime."""
    played = gate.play(Stage(loaded={"old": "1", "new": "1"}))

    assert played.result.exit_code == 2
    assert played.record.refused == (
        "the candidate is not as pinned: it has executorch 1, and 2 is pinned"
    )
    assert (played.starts, played.stage.left) == ((), ["old", "new"])
    assert played.stopped is None


def test_a_side_that_becomes_another_in_the_middle_stops_the_gate(gate: Gate) -> None:
    """Somebody started another server at its address."""
    there = Pin("http://127.0.0.1:9", "url", "c" * 64, {})
    stage = Stage(loaded={"old": "1", there.name: "2"})
    stage.before_start = becomes_another

    played = gate.play(stage, candidate=there)

    assert played.result.exit_code == 2
    assert "the candidate was not one thing in all its starts" in played.record.refused


def becomes_another(stage: Stage, _pin: str) -> None:
    """Before the last two starts."""
    if len(stage.met) == 4:
        stage.loaded = {name: "3" if "http" in name else "1" for name in stage.loaded}


def test_a_server_that_goes_on_is_asked_something_new_each_time(gate: Gate) -> None:
    """It would know again what it was asked."""
    there = Pin("http://127.0.0.1:9", "url", "c" * 64, {})

    played = gate.play(Stage(loaded={"old": "1", there.name: "2"}), candidate=there)

    assert len({start.salt for start in played.starts}) == len(played.starts) == 4
    told = [doubt for doubt in played.result.doubts if "address" in doubt]
    assert told[0].startswith(f"{there.name} is an address, and was not started anew")
    assert told[1:] == [
        "with an address the prompts of a pair differ, so that answers were not compared"
    ]


def test_other_defaults_are_not_comparable_unless_that_is_allowed(gate: Gate) -> None:
    """Found as soon as the second side is met."""
    warm = {**RUNTIME, "defaults": {"temperature": 0.7}}

    played = gate.play(Stage(runtime={"new": warm}))

    assert played.result.exit_code == 2
    assert played.record.refused == (
        "not comparable: sampling: baseline temperature 0.0, candidate temperature 0.7; "
        "to compare all the same, say --allow sampling"
    )
    assert not played.starts


def test_what_is_allowed_to_differ_stands_in_the_report(gate: Gate) -> None:
    """By name, with both values."""
    warm = {**RUNTIME, "defaults": {"temperature": 0.7}}

    played = gate.play(Stage(runtime={"new": warm}), asked=GateAsked(allow=("sampling",)))

    assert played.result.ruling is Ruling.PASS
    (found,) = [each for each in played.result.differences if not each.under_test]
    assert (found.what, found.candidate, found.allowed) == ("sampling", "temperature 0.7", True)


def test_a_machine_that_changes_in_the_middle_ends_the_gate(gate: Gate) -> None:
    """It was unplugged after the first pair."""
    stage = Stage(decides=9)
    stage.before_start = unplugs

    played = gate.play(stage)

    assert len(played.starts) == 2
    assert played.result.exit_code == 2
    assert "power: at the beginning mains, now battery" in played.record.refused


def unplugs(stage: Stage, _pin: str) -> None:
    """Before the second start."""
    if len(stage.met) == 3:
        stage.facts["power source"] = "battery"


def test_heat_is_told_and_is_no_ground_to_refuse(gate: Gate) -> None:
    """The processor is held back from the second start on."""
    stage = Stage()
    stage.before_start = lambda stage, _pin: stage.facts.update(thermal="held back")

    played = gate.play(stage)

    assert played.result.ruling is Ruling.PASS
    assert any("the processor was held back" in note for note in played.record.notes)


def test_an_instrument_that_is_too_coarse_measures_nothing(gate: Gate) -> None:
    """By the noise that was kept: refused, with the pairs it would take."""
    noise = {"ready": Noise(n=10, sd=0.5, half_width=0.3)}

    played = gate.play(noise=noise)

    assert played.result.exit_code == 2
    assert played.stage.met == []
    assert "instrument too coarse for ready: pairs lie 50.0 % apart" in played.record.refused


def test_noise_itself_can_always_be_measured(gate: Gate) -> None:
    """A pin against itself is asked for nothing else."""
    noise = {"ready": Noise(n=10, sd=0.5, half_width=0.3)}

    played = gate.play(Stage(loaded={"old": "1"}), candidate=OLD, noise=noise)

    assert played.result.ruling is Ruling.PASS, played.result.headline


def test_who_watches_sees_which_start_it_is_and_what_it_comes_to(gate: Gate) -> None:
    """One block above which lines go by; nothing of it stays."""
    played = gate.play(terminal=True)

    assert "pair 1/6" in played.said
    assert "candidate new: talk" in played.said
    assert "at most 10 min left" in played.said
    assert "time to ready" in played.said
