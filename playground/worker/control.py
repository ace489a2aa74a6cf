"""Which cancellations came on the control descriptor since the loop last looked?

The loop looks itself, before each step, and no thread reads for it: a thread would first have to
be given a processor and the interpreter, and on a busy machine a turn that was told to stop went
on for many steps until it was.  What comes while nothing runs waits in the pipe for the next turn.
"""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING, Self

from playground.worker.cancellation import FrameSplitter

if TYPE_CHECKING:
    from playground.worker.cancellation import Cancellations

__all__ = ["Control"]

READ_BYTES = 4096


class Control:
    """The reading end of the pipe on which the parent names the requests to be cancelled."""

    def __init__(self, descriptor: int, cancellations: Cancellations) -> None:
        self._descriptor = descriptor
        self._cancellations = cancellations
        self._frames = FrameSplitter()
        self._ready = select.poll()
        self._ready.register(descriptor, select.POLLIN)

    @classmethod
    def open(cls, name: str, cancellations: Cancellations) -> Self:
        """The descriptor that a number names; no child of ours inherits it.

        Raises:
            ValueError: it is no number.
            OSError: it is not open.
        """
        descriptor = int(name)
        os.set_inheritable(descriptor, False)
        return cls(descriptor, cancellations)

    def look(self) -> None:
        """Pass on what came; returns at once."""
        while self._ready.poll(0):
            data = os.read(self._descriptor, READ_BYTES)
            if not data:  # the parent closed its end: stdin tells what that means
                self._ready.unregister(self._descriptor)
                return
            for request_id in self._frames.feed(data):
                if not self._cancellations.cancel_id(request_id):
                    print(f"ignored: cancel frame {request_id} is stale", file=sys.stderr)
