"""Stamps and counts are looked up where servers put them, or are absent with the reason."""

from __future__ import annotations

import pytest

from harness.testing import DONE, frame, trace
from harness.trace import Action
from harness.turn_facts import COUNTS, SERVER_FIGURES, Absent, Noted, TurnFacts
from harness.units import tidy
from harness.wire import observe

MS = 1_000_000


def facts(*script: tuple[float, str], **fields: object) -> TurnFacts:
    """The facts of a stream that ends in order after the script."""
    last_ms = script[-1][0] if script else 0
    whole = trace(*script, (last_ms + 1, frame(finish="stop") + DONE), **fields)  # type: ignore[arg-type]
    return TurnFacts(observe(whole))


def test_the_stamps_are_those_of_the_first_and_last_frames_that_count() -> None:
    """Role and comments stop no clock; each channel has its own first."""
    turn = facts(
        (1, ": wait\n\n"),
        (2, frame(role="assistant")),
        (5, frame(reasoning="h")),
        (9, frame(content="a")),
        (12, frame(content="b")),
    )

    assert turn.stamps == {
        "byte0": 1 * MS,
        "event0": 2 * MS,
        "tok0": 5 * MS,
        "tokN": 12 * MS,
        "reason0": 5 * MS,
        "vis0": 9 * MS,
        "done": 13 * MS,
    }


def test_the_first_source_that_knows_a_count_is_taken() -> None:
    """Usage before the server's own metrics; a later source is named."""
    usage = {"prompt_tokens": 7, "completion_tokens": None}
    metrics = {"prompt_tokens": 8, "completion_tokens": 9}
    turn = facts((1, frame(content="a", usage=usage, muse_metrics=metrics)))

    assert turn.count("prompt") == Noted(7)
    assert turn.count("completion") == Noted(9, "from muse_metrics.completion_tokens")


def test_an_unknown_count_names_where_it_was_looked_for() -> None:
    """The reason lists the keys of every source."""
    with pytest.raises(Absent, match="does not report reasoning_tokens or thinking_tokens"):
        facts((1, frame(content="a"))).count("reasoning")


def test_counts_given_twice_are_had_in_pairs() -> None:
    """What both usage and the metrics say is there to be compared, reasoning apart.

    Reasoning is apart because servers tokenise the reasoning text anew for one of the two.
    """
    usage = {"prompt_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 3}}
    metrics = {"prompt_tokens": 8, "thinking_tokens": 4}
    turn = facts((1, frame(content="a", usage=usage, muse_metrics=metrics)))

    assert list(turn.counted_twice()) == [("prompt", 7, 8)]


@pytest.mark.parametrize(
    ("metrics", "request_fields", "hidden"),
    [
        ({"thinking_tokens": 4}, {}, True),
        ({"thinking_tokens": 0}, {"chat_template_kwargs": {"return_reasoning": False}}, False),
        ({}, {"chat_template_kwargs": {"return_reasoning": False}}, True),
        ({}, {"chat_template_kwargs": {"return_reasoning": True}}, False),
        ({}, {}, False),
    ],
)
def test_reasoning_is_hidden_when_it_was_counted_or_may_have_been(
    metrics: dict[str, int], request_fields: dict[str, object], *, hidden: bool
) -> None:
    """The server's count decides; without one, what the request asked for."""
    turn = facts(
        (1, frame(content="a", muse_metrics=metrics)), request={"stream": True} | request_fields
    )

    assert turn.hidden_reasoning is hidden


def test_shown_reasoning_is_not_hidden() -> None:
    """Whatever was counted, it was there to be timed."""
    assert not facts(
        (1, frame(reasoning="h", muse_metrics={"thinking_tokens": 4}))
    ).hidden_reasoning


def test_a_cancel_that_was_never_answered_says_so() -> None:
    """An acknowledgement that did not come is absent, not late."""
    turn = facts((1, frame(content="a")), actions=[Action(0, "cancel")])

    with pytest.raises(Absent, match="the cancel was not answered"):
        turn.cancel_ack()


def test_every_figure_has_a_unit_that_is_known() -> None:
    """The tables can be read without a guess."""
    for places in SERVER_FIGURES.values():
        assert all(tidy(1, spelling) for _, _, spelling in places)
    assert all(places for places in COUNTS.values())
