"""A plan says which case is sent when, so that whatever drifts touches all legs alike."""

from __future__ import annotations

from pathlib import Path

from harness.exam.cases import Case, Expect
from harness.exam.plan import body_of, chosen, plan_exam
from harness.exam.scenario import ExamLeg, parse_exam

HEAD = 'name = "some"\nquestion = "q"\nanswer = "a"\ncases.file = "c.jsonl"\n'
TWO = HEAD + '[[leg]]\nname = "a"\n[[leg]]\nname = "b"\n'
CASES = tuple(
    Case(f"{group}-{n}", group, ({"role": "user", "content": "?"},), Expect(("yes",)))
    for group in ("sums", "words")
    for n in (1, 2)
)


def order(text: str, **asked: int) -> list[str]:
    """The plan in short: leg, place and repeat of each turn."""
    planned = plan_exam(parse_exam(text, Path("some.toml")), CASES, **asked)
    return [f"{p.label.leg}{p.label.turn}.{p.label.repeat}" for p in planned]


def test_legs_take_turns_case_by_case_and_who_is_first_changes() -> None:
    """A B, B A, A B, B A."""
    assert order(TWO) == ["a1.1", "b1.1", "b2.1", "a2.1", "a3.1", "b3.1", "b4.1", "a4.1"]


def test_the_next_repeat_goes_the_other_way_round() -> None:
    """So that of two repeats each leg is first once for every case."""
    assert order(TWO, repeat=2)[8:] == [
        "b1.2",
        "a1.2",
        "a2.2",
        "b2.2",
        "b3.2",
        "a3.2",
        "a4.2",
        "b4.2",
    ]


def test_warm_ups_come_first_as_repeat_nought() -> None:
    """They are in no figure, and every leg has them."""
    assert order("warm_ups = 1\n" + TWO)[:3] == ["a1.0", "b1.0", "a1.1"]


def test_a_leg_asks_its_own_groups_as_often_as_it_says() -> None:
    """Other legs are not held up by it."""
    text = (
        HEAD
        + '[[leg]]\nname = "a"\nfirst = 1\n[[leg]]\nname = "b"\ngroups = ["words"]\nrepeat = 2\n'
    )

    assert order(text) == ["a1.1", "b3.1", "a3.1", "b4.1", "b3.2", "b4.2"]


def test_what_the_command_line_asks_goes_before_what_a_leg_says() -> None:
    """`--first 1 --repeat 1` is a smoke test of any exam."""
    text = HEAD + '[[leg]]\nname = "a"\nfirst = 2\nrepeat = 5\n'

    assert order(text, first=1, repeat=1) == ["a1.1", "a3.1"]


def test_of_a_pair_both_are_asked_or_neither() -> None:
    """A pair counts as one case."""
    pairs = [
        Case(f"{pair}{half}", "left", ({"role": "user"},), Expect(("yes",)), pair)
        for half in "ab"
        for pair in ("p", "q")
    ]

    assert chosen(ExamLeg("a", first=1), pairs) == (0, 2)


def test_a_body_holds_the_case_and_the_settings_of_its_leg() -> None:
    """System first, the case's strength before the general one, extras merged key by key."""
    text = (
        HEAD
        + 'settings = { max_tokens = 5, reasoning_effort = "low", extra = { a = 1, b = 1 } }\n'
        + '[[leg]]\nname = "a"\nsettings = { temperature = 1.0, extra = { b = 2 } }\n'
    )
    tools = ({"type": "function"},)
    case = Case(
        "c",
        "g",
        ({"role": "user", "content": "?"},),
        Expect(("yes",)),
        None,
        "Be brief.",
        "high",
        tools,
    )
    (planned,) = plan_exam(parse_exam(text, Path("some.toml")), [case])

    assert body_of(planned, "nano") == {
        "model": "nano",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 1.0,
        "max_tokens": 5,
        "reasoning_effort": "high",
        "a": 1,
        "b": 2,
        "tools": [{"type": "function"}],
    }


def test_a_seed_is_one_higher_in_every_repeat() -> None:
    """Else every repeat of a sampled leg would say the same."""
    text = HEAD + '[[leg]]\nname = "a"\nrepeat = 2\nfirst = 1\nsettings = { seed = 7 }\n'
    planned = plan_exam(parse_exam(text, Path("some.toml")), CASES[:1])

    assert [body_of(each, "nano")["seed"] for each in planned] == [7, 8]
    assert "system" not in {m["role"] for m in body_of(planned[0], "nano")["messages"]}


def test_a_pair_is_not_a_case_of_the_same_name() -> None:
    """What a pair is called and what a case is called are names of two kinds."""
    ask = ({"role": "user", "content": "?"},)
    cases = (
        Case("x", "sums", ask, Expect(("yes",))),
        Case("y", "sums", ask, Expect(("yes",)), "x"),
        Case("z", "sums", ask, Expect(("yes",)), "x"),
    )

    assert chosen(ExamLeg("a"), cases, first=1) == (0,)
