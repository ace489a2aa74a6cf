"""What turns under way wait for is read off the bytes as they come."""

from __future__ import annotations

import pytest

from harness.testing import DONE, ManualClock, frame
from harness.waiting import Waiting


@pytest.fixture
def waiting() -> Waiting:
    """With one turn that was just sent."""
    waiting = Waiting(ManualClock())
    waiting.sent("a")
    return waiting


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (": queued 1\n\n", "queued"),
        (": prefill\n\n", "prefill"),
        ('data: {"muse_status": {"state": "queued", "position": 1}}\n\n', "queued"),
        (frame(role="assistant"), "first token"),
        (frame(role="assistant", content=""), "first token"),
        (frame(reasoning="Let me"), "thought"),
        (frame(content="In"), "answer"),
        (frame(reasoning="so.") + frame(content="In"), "answer"),
        (DONE, "first token"),
    ],
)
def test_a_piece_of_a_reply_shows_what_comes(waiting: Waiting, said: str, what: str) -> None:
    """Words of the model that look like it change nothing for long."""
    waiting.received("a", said.encode())

    assert str(waiting) == what


def test_a_turn_that_was_asked_to_stop_waits_for_that_alone(waiting: Waiting) -> None:
    """Whatever still comes; and when it is over, nothing is waited for."""
    waiting.stopping("a")
    waiting.received("a", frame(content="still here").encode())
    stopping = str(waiting)
    waiting.over("a")
    waiting.stopping("a")

    assert (stopping, str(waiting), waiting.longest_s) == ("stop", "", 0.0)


def test_turns_of_many_clients_are_counted() -> None:
    """And the longest of them says how long."""
    clock = ManualClock()
    waiting = Waiting(clock)
    for turn in "abc":
        waiting.sent(turn)
        clock.advance_ms(1000)
    waiting.received("a", frame(content="In").encode())

    assert str(waiting) == "1 answer, 2 first token"
    assert waiting.longest_s == 3.0
