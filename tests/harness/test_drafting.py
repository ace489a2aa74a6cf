"""What drafting gained follows from the server's counts, and counts that cannot be are named."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agreement import AGREEMENTS, disagreements
from harness.metrics import measure
from harness.testing import DONE, frame, trace
from harness.wire import observe

HONEST: dict[str, Any] = {
    "completion_tokens": 24,
    "dflash": "on",
    "dflash_rounds": 8,
    "dflash_proposed": 23,
    "dflash_accepted": 14,
    "dflash_attempts_by_row": [8, 8, 7],
    "dflash_accepts_by_row": [7, 5, 2],
    "dflash_plain_steps": 2,
}
"""1 + 2 + 8 + 14 = 25: the end-of-turn token was made, and is not counted."""

LIES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"dflash_accepted": 24, "dflash_accepts_by_row": [8, 8, 8], "dflash_plain_steps": 0},
        ["draft.accepted", "draft.rows", "draft.total"],
    ),
    ({"dflash_rounds": 7, "dflash_plain_steps": 3}, ["draft.accepted"]),
    ({"dflash_attempts_by_row": [8, 8]}, ["draft.accepted", "draft.rows", "draft.rows"]),
    ({"dflash_proposed": 22}, ["draft.rows"]),
    ({"dflash_accepted": 13}, ["draft.rows"]),
    ({"dflash_accepts_by_row": [5, 7, 2]}, ["draft.rows"]),
    ({"dflash_accepts_by_row": [5, 2, 7]}, ["draft.rows"]),
    ({"dflash_plain_steps": 4}, ["draft.total"]),
    ({"dflash_plain_steps": 0}, ["draft.total"]),
]


def seen(extensions: dict[str, Any]) -> Any:  # noqa: ANN401
    """A turn of 24 tokens, with these extensions behind it."""
    tail = frame(finish="stop") + frame(**extensions) + frame(usage={"completion_tokens": 24})
    return observe(
        trace(
            *((100 + number, frame(content="x")) for number in range(24)),
            (125, tail + DONE),
            request={"stream": True, "stream_options": {"include_usage": True}},
        )
    )


def drafted(**changes: Any) -> Any:  # noqa: ANN401
    """The turn with its counts changed."""
    return seen({"muse_metrics": HONEST | changes})


def figures(observation: Any) -> dict[str, float | None]:  # noqa: ANN401
    """All that is measured of drafting."""
    found = measure(observation)
    return {name: it.value for name, it in found.items() if name.startswith("draft.")}


def test_what_drafting_gained_follows_from_the_counts() -> None:
    """Tokens a round with the one more, acceptance in all and by row."""
    assert figures(drafted()) == {
        "draft.rounds": 8,
        "draft.plain_steps": 2,
        "draft.proposed": 23,
        "draft.accepted": 14,
        "draft.per_round": 1 + 14 / 8,
        "draft.acceptance": 14 / 23,
        "draft.row1": 7 / 8,
        "draft.row2": 5 / 8,
        "draft.row3": 2 / 7,
    }


def test_a_turn_that_did_not_draft_has_no_rates() -> None:
    """Its counts are 0, and nothing follows from them."""
    off = drafted(
        dflash="off",
        dflash_rounds=0,
        dflash_proposed=0,
        dflash_accepted=0,
        dflash_attempts_by_row=[],
        dflash_accepts_by_row=[],
        dflash_plain_steps=23,
    )
    found = measure(off)

    assert (found["draft.rounds"].value, found["draft.plain_steps"].value) == (0, 23)
    assert [found[name].reason for name in ("draft.per_round", "draft.acceptance")] == [
        "nothing was drafted"
    ] * 2
    assert found["draft.row1"].reason == "nothing was proposed in row 1"
    assert disagreements(off) == ()


def test_a_server_that_says_nothing_of_drafts_has_no_figures() -> None:
    """Nor one whose counts are null, since its model has no draft."""
    silent = [seen({}), seen({"muse_metrics": dict.fromkeys(HONEST) | {"dflash": "unavailable"}})]

    assert [set(figures(turn).values()) for turn in silent] == [{None}, {None}]
    assert [disagreements(turn) for turn in silent] == [(), ()]


def test_llama_cpp_says_what_was_proposed_and_accepted() -> None:
    """In its timings; rounds it does not count."""
    turn = seen({"timings": {"draft_n": 20, "draft_n_accepted": 15}})
    found = measure(turn)

    assert found["draft.acceptance"].value == 15 / 20
    assert found["draft.acceptance"].note == "from timings.draft_n_accepted"
    assert found["draft.per_round"].value is None


def test_counts_that_can_be_true_break_no_rule() -> None:
    """With the end-of-turn token as a correction, or accepted, and a turn that was cut."""
    ways = [drafted(), drafted(dflash_plain_steps=3), drafted(dflash_plain_steps=1)]

    assert [disagreements(turn) for turn in ways] == [(), (), ()]


@pytest.mark.parametrize(("changes", "rules"), LIES)
def test_counts_that_cannot_be_true_are_named(changes: dict[str, Any], rules: list[str]) -> None:
    """By rule, each with its figures."""
    assert [found.rule for found in disagreements(drafted(**changes))] == rules


def test_every_rule_of_drafting_is_broken_by_some_lie() -> None:
    """No rule is described that nothing can break."""
    broken = {rule for _, rules in LIES for rule in rules}

    assert broken == {rule for rule in AGREEMENTS if rule.startswith("draft.")}


@pytest.mark.parametrize("rows", ["3", [1.5, 1], [-1, 0], [True], None, {}])
def test_rows_that_are_no_counts_are_not_read(rows: object) -> None:
    """They are as good as absent."""
    assert measure(drafted(dflash_attempts_by_row=rows))["draft.row1"].reason == (
        "the server does not report dflash_attempts_by_row"
    )
