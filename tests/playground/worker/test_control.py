"""Claims about the control descriptor: what was written is known at the next look."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from playground.worker.cancellation import Cancellations
from playground.worker.control import Control
from playground.worker.messages import GenerateRequest, Sampling

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe: where it is read, and where it is written."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:  # the test closed it
            continue


def request(number: int) -> GenerateRequest:
    """One that can be cancelled by this number."""
    return GenerateRequest(
        session_id="s", segments=(), sampling=Sampling(), cancel_request_id=number
    )


def frame(number: int) -> bytes:
    """As the parent writes it."""
    return number.to_bytes(8, "little")


def test_a_look_halts_the_request_that_a_frame_names(pipe: tuple[int, int]) -> None:
    """Whether it runs or is still to come, and however the frame was cut."""
    cancellations = Cancellations()
    control = Control.open(str(pipe[0]), cancellations)
    first, second = (cancellations.admit(request(number)) for number in (1, 2))

    control.look()
    assert (first.halted, second.halted) == (None, None)
    os.write(pipe[1], frame(2) + frame(3)[:5])
    control.look()
    assert (first.halted, second.halted) == (None, "cancelled")
    os.write(pipe[1], frame(3)[5:])
    control.look()

    assert cancellations.admit(request(3)).halted == "cancelled"
    assert cancellations.admit(request(4)).halted is None


def test_a_stale_frame_is_told_and_does_nothing(
    pipe: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its request is over."""
    cancellations = Cancellations()
    control = Control.open(str(pipe[0]), cancellations)
    cancellations.finish(cancellations.admit(request(1)))

    os.write(pipe[1], frame(1))
    control.look()

    assert "cancel frame 1 is stale" in capsys.readouterr().err


def test_a_closed_end_ends_the_looking_and_nothing_else(pipe: tuple[int, int]) -> None:
    """What was written before is heard."""
    cancellations = Cancellations()
    control = Control.open(str(pipe[0]), cancellations)
    ticket = cancellations.admit(request(1))

    os.write(pipe[1], frame(1))
    os.close(pipe[1])
    control.look()
    control.look()

    assert ticket.halted == "cancelled"


def test_the_descriptor_is_not_inherited(pipe: tuple[int, int]) -> None:
    """A child of ours would keep it open, and take frames."""
    os.set_inheritable(pipe[0], True)

    Control.open(str(pipe[0]), Cancellations())

    assert not os.get_inheritable(pipe[0])
