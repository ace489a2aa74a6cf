"""How fast is the machine itself just now?

A fixed piece of work of our own, one thread, of three kinds: what the interpreter does, arithmetic
in compiled code, and moving memory that no cache holds.  It is taken before and after each block of
starts; a change of it is none of the servers'.  It is no figure of a machine: only two of them
taken in one session mean anything together.
"""

from __future__ import annotations

import hashlib
import statistics
from typing import TYPE_CHECKING

from harness.clock import SystemClock

if TYPE_CHECKING:
    from harness.clock import Clock

__all__ = ["measure_anchor"]

ROUNDS = 5
STEPS = 250_000
"""Of the interpreter, in a round: about a third of it."""
MOVED = 32 * 2**20
"""Bytes that are hashed in a round, and copied: more than caches hold."""
COPIES = 2


def measure_anchor(clock: Clock | None = None) -> float:
    """Seconds that a round of the work takes, in the median of `ROUNDS`; half a second in all."""
    clock = clock or SystemClock()
    source = bytes(range(256)) * (MOVED // 256)
    target = bytearray(MOVED)
    times = []
    for _ in range(ROUNDS):
        started = clock.now_ns()
        _work(source, target)
        times.append((clock.now_ns() - started) / 1e9)
    return statistics.median(times)


def _work(source: bytes, target: bytearray) -> None:
    total = 0
    for number in range(STEPS):
        total = (total * 31 + number) & 0xFFFFFFFF
    hashlib.sha256(source).digest()
    for _ in range(COPIES):
        target[:] = source
