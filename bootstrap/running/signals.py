"""How does a signal end what is going on? As an error that ends the running command with it."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Never

from bootstrap.errors import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["stopping_on"]


@contextlib.contextmanager
def stopping_on(*numbers: signal.Signals) -> Iterator[None]:
    """Have these end the block with `Stopped`; one that is ignored, as by nohup, stays so."""

    def stop(number: int, frame: FrameType | None) -> Never:  # noqa: ARG001
        raise Stopped

    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = [(number, signal.signal(number, stop)) for number in heard]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
