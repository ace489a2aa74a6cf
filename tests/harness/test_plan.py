"""Claims about what is said in each turn of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from harness.plan import PlannedLeg, plan
from harness.scenario import parse_scenario

SCENARIO = parse_scenario(
    """\
name = "some"
question = "does it?"
answer = "whether it does"
system = "{nonce}"
[lists]
people = ["Ada", "Ben", "Cora", "Dan"]
towns = ["Oslo", "Rome", "Bonn"]
[slots]
who = { from = "people" }
other = { from = "people" }
age = { number = [20, 29] }
nonce = { digits = 6, fresh = true }
notes = { count = 7, mark = "{n} ", each = ["{people} {towns}"], among = ["{who} told"] }
[[turn]]
user = "{nonce} {who} {other} {age}\\n{notes}"
[[turn]]
user = "Who am I?"
expect.contains = ["{who}"]
expect.excludes = ["{other}"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]
[[leg]]
name = "cold"
replays = "warm"
""",
    Path("some.toml"),
)


def planned(*, repeats: int = 3, seed: int = 1, salt: str = "salt") -> tuple[PlannedLeg, ...]:
    """The plan of the scenario above."""
    return plan(SCENARIO, repeats=repeats, seed=seed, salt=salt)


def test_legs_are_played_in_order_within_each_repeat() -> None:
    """A replay comes after what it replays, near it in time."""
    assert [(leg.repeat, leg.leg.name) for leg in planned(repeats=2)] == [
        (1, "warm"),
        (1, "cold"),
        (2, "warm"),
        (2, "cold"),
    ]


def test_warm_ups_come_before_the_first_repeat() -> None:
    """They are repeats like the others, numbered from 0 down."""
    legs = plan(replace(SCENARIO, warm_ups=2), repeats=1, seed=1, salt="salt")

    assert [leg.repeat for leg in legs] == [-1, -1, 0, 0, 1, 1]
    assert legs[4:] == planned(repeats=1)


def test_a_seed_and_a_salt_decide_everything() -> None:
    """The same two give the same plan."""
    assert planned() == planned()


def test_the_seed_decides_the_facts_and_the_salt_the_fresh_slots() -> None:
    """Another salt changes only the nonce; another seed changes what the conversation is about."""
    nonce, facts = _parts(planned())
    other_nonce, same_facts = _parts(planned(salt="other"))
    _, other_facts = _parts(planned(seed=2))

    assert facts == same_facts
    assert nonce != other_nonce
    assert facts != other_facts


def test_repeats_have_facts_of_their_own() -> None:
    """A server cannot answer the second repeat from the first."""
    told = {leg.turns[0].said[0].partition(" ")[2] for leg in planned() if leg.leg.name == "warm"}

    assert len(told) == 3


def test_a_kept_session_repeats_itself_and_a_cold_prompt_does_not() -> None:
    """A kept leg has one nonce for all its prompts; each prompt sent cold has its own."""
    warm, cold = planned()[:2]

    assert len({turn.system for turn in warm.turns}) == 1
    assert len({turn.system for turn in cold.turns} | {warm.turns[0].system}) == 3
    assert warm.turns[1].said[0] == warm.turns[0].said[0]


def test_a_replay_differs_only_in_its_fresh_slots() -> None:
    """Both legs say the same apart from the nonce, which keeps its length."""
    warm, cold = planned()[:2]
    said_warm, said_cold = warm.turns[1].said[0], cold.turns[1].said[0]

    assert said_cold.replace(cold.turns[1].system, warm.turns[1].system) == said_warm
    assert len(said_cold) == len(said_warm)


def test_two_slots_of_a_list_never_share_a_value_and_lines_avoid_both() -> None:
    """What the questions ask about is said once."""
    for leg in planned(repeats=20):
        first, *notes = leg.turns[0].said[0].split("\n")
        _, who, other, _ = first.split()

        assert who != other
        assert not {who, other} & {name for name, where in _told(notes) if where != "told"}


def test_lines_are_numbered_and_hold_those_that_stand_among_them() -> None:
    """Seven lines, one of which tells the fact; where it stands is drawn too."""
    repeats = [leg.turns[0].said[0].split("\n") for leg in planned(repeats=20)[::2]]
    places = {
        next(place for place, (_, where) in enumerate(_told(notes)) if where == "told")
        for _, *notes in repeats
    }

    assert all([note.split()[0] for note in notes] == list("1234567") for _, *notes in repeats)
    assert len(places) > 3


def test_lines_go_through_a_list_before_they_repeat() -> None:
    """Six lines over two people and three towns say each as often as the others."""
    for leg in planned(repeats=5):
        notes = [told for told in _told(leg.turns[0].said[0].split("\n")[1:]) if told[1] != "told"]

        assert sorted(Counter(name for name, _ in notes).values()) == [3, 3]
        assert sorted(Counter(town for _, town in notes).values()) == [2, 2, 2]


def test_promises_have_their_slots_filled() -> None:
    """What must be in an answer, and what must not, is drawn with the facts."""
    warm, cold = planned()[:2]
    _, who, other, age = warm.turns[0].said[0].split("\n")[0].split()

    assert warm.turns[1].promise.contains == (who,)
    assert warm.turns[1].promise.excludes == (other,)
    assert warm.turns[1].promise.reset == "exact_prefix"
    assert cold.turns[1].promise.reset is None
    assert 20 <= int(age) <= 29


def _parts(legs: tuple[PlannedLeg, ...]) -> tuple[str, str]:
    nonce, _, facts = legs[0].turns[0].said[0].partition(" ")
    return nonce, facts


def _told(notes: list[str]) -> list[tuple[str, str]]:
    """Who and where, of lines `1 Ada Oslo`."""
    return [(note.split()[1], note.split()[2]) for note in notes]
