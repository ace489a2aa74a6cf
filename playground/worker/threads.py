"""With how many threads does a token come soonest, on this machine and now?

XNNPACK's threads spin between the operations of a step, so one for every core is slower than fewer
where the cores have other work; server and client are other work. What is best is not to be told
from the number of cores, so it is tried: the program is loaded with 1, 2, 4 threads, as far as
there are cores, and the time of what a turn does most is taken. More threads have to be worth it:
each step up must save `LEAST_SAVING`, or the smaller number stays. Less than that, which is what
the second of two cores brings, server and client take back as soon as tokens are sent.

The number of threads belongs to the process and takes them from programs loaded before, so each
trial loads the program anew: most threads first, since it mostly ends with one, and the last one
loaded can stay. A program of more than `LARGEST_TRIED` bytes takes long to load, so nothing is
tried, and half of the cores are taken.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "MOST_THREADS",
    "candidates",
    "half_of",
    "load_with_best",
    "soonest",
    "usable_cores",
]

MOST_THREADS = 1024
"""Nobody may ask for more: XNNPACK breaks down somewhere above."""
MOST_TRIED = 4
LEAST_SAVING = 0.25
LARGEST_TRIED = 2**27


P = TypeVar("P")


def load_with_best(
    load: Callable[[int], P], duration_s: Callable[[P], float], *, cores: int, size: int
) -> tuple[P, str]:
    """Load a program with the number of threads that serves it best; return it and the reason.

    `load(threads)` loads it, and takes the threads of the one before; `duration_s` times what it
    is to be good at; `size` is its file's, in bytes.
    """
    tried = candidates(cores)
    if len(tried) == 1:
        return load(1), f"{cores} core"
    if size > LARGEST_TRIED:
        return load(half_of(cores)), (
            f"half of {cores} cores: a program of {size / 1e6:.0f} MB is not loaded to try others"
        )
    durations = {}
    for threads in reversed(tried):
        program = load(threads)
        durations[threads] = duration_s(program)
        if threads != tried[0]:
            del program  # one at a time, so that the peak of memory is that of one
    best = soonest(durations)
    if best != tried[0]:
        del program
        program = load(best)
    times = ", ".join(f"{durations[n] * 1e3:.2f} ms with {n}" for n in sorted(durations))
    return program, f"measured at start: {times}; more must save {LEAST_SAVING:.0%}"


def candidates(cores: int) -> tuple[int, ...]:
    """Return the numbers that are tried: powers of two, up to the cores and `MOST_TRIED`."""
    return tuple(threads for threads in (1, 2, 4) if threads <= min(cores, MOST_TRIED))


def half_of(cores: int) -> int:
    """Return half of the cores, so that server and client have the other half."""
    return max(1, min(MOST_TRIED, cores // 2))


def soonest(durations: Mapping[int, float]) -> int:
    """Return the smallest number of threads that a larger one does not beat clearly."""
    best, *more = sorted(durations)
    for threads in more:
        if durations[threads] <= durations[best] * (1 - LEAST_SAVING):
            best = threads
    return best


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
