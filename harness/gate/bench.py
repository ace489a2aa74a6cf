"""What does a gate need of the world around it?  Everything that it cannot work out is here.

`system_bench` is the real one; whoever tests a gate passes in others.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.gate.anchor import measure_anchor
from harness.gate.judge import judge_gate
from harness.gate.loaded import find_loaded
from harness.gate.machine_facts import machine_facts
from harness.gate.memory import peak_bytes, resident_bytes
from harness.playing import meeting
from harness.target import Target, parse_url

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from harness.gate.pins import Loaded, Pin
    from harness.gate.result import GateResult
    from harness.machine import SystemMachine
    from harness.results import RunFolder
    from harness.runner import Chat
    from harness.waiting import Waiting

__all__ = ["Bench", "Meet", "system_bench"]


class Meet(Protocol):
    """Starts a side, or goes to where somebody else started it."""

    def __call__(
        self, pin: Pin, folder: RunFolder, *, page: bool = False
    ) -> AbstractAsyncContextManager[tuple[Target, Chat]]:
        """The side and a client of it, as long as the block runs; its log is in the folder.

        Raises:
            HarnessError: it did not start, or does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Bench:
    """What a gate is played with."""

    meet: Meet
    loaded: Callable[[Target, Mapping[str, object] | None], Loaded | None]
    """What the processes of a target have loaded, by what its `/api/runtime` says; None where
    nobody can tell."""
    memory: Callable[[int], int | None]
    """Resident bytes of a process of this machine."""
    peak: Callable[[int], int | None]
    """The most that it had resident."""
    anchor: Callable[[], float]
    """Seconds that a fixed piece of our own work takes now."""
    machine: Callable[[], Mapping[str, str]]
    """How the machine stands now; see `machine_facts`."""
    judge: Callable[[Path], GateResult]
    """What a gate comes to so far, by its folder."""
    sleep: Callable[[float], Awaitable[None]]


def meet_pin(waiting: Waiting | None = None) -> Meet:
    """What meets a side in earnest."""
    beside: list[SystemMachine] = []

    def meet(
        pin: Pin, folder: RunFolder, *, page: bool = False
    ) -> AbstractAsyncContextManager[tuple[Target, Chat]]:
        target = None if pin.url is None else Target("url", parse_url(pin.url))
        arguments: Sequence[str] = () if target else pin.arguments
        return meeting(target, arguments, folder, page=page, waiting=waiting, beside=beside)

    return meet


def system_bench(waiting: Waiting | None = None) -> Bench:
    """What a gate is played with in earnest; `waiting` is told how far turns are."""
    return Bench(
        meet=meet_pin(waiting),
        loaded=find_loaded,
        memory=resident_bytes,
        peak=peak_bytes,
        anchor=measure_anchor,
        machine=machine_facts,
        judge=judge_gate,
        sleep=asyncio.sleep,
    )
