"""What else did the machine do during a turn?

Read when a turn begins and when it has ended, outside of what is timed; the difference becomes
the `marks` of its trace (`dirty` says from where on they matter):

    busy           share of all processors' time that neither we nor the target had
    load           load average over processors, where the system keeps no such account
    asleep_s       seconds the machine was suspended
    clock_jump_s   seconds by which the wall clock was set, forward or back

`busy` is counted in ticks of 10 ms or so; for a turn shorter than `WINDOW_S` the time before it is
taken in.  It needs to be known what the target itself took: nothing of this machine where it runs
on another, the processes it names where it runs here.  Where that is not known there is no mark.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from harness.clock import instants
from harness.processes import parse_stat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.clock import Instants

__all__ = [
    "Machine",
    "QuietMachine",
    "Reading",
    "SystemMachine",
    "load_average",
    "marks_between",
    "read_machine",
]

WINDOW_S = 0.25
KEPT = 64
"""Readings that are remembered: turns side by side, and the time before a short one."""

PROC = Path("/proc")


class Machine(Protocol):
    """What the client asks of the machine it runs on."""

    def begin(self) -> Reading:
        """How things stand; to be called before a turn."""
        ...

    def marks(self, begun: Reading) -> Mapping[str, float]:
        """What the machine did since; to be called after the turn."""
        ...


@dataclass(frozen=True, slots=True)
class Ticks:
    """Seconds of all processors together since some fixed instant."""

    all_s: float
    busy_s: float
    ours_s: float
    target_s: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """By process id: when it was started, in seconds since boot, and what it has taken since."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The machine at one instant."""

    at: Instants
    ticks: Ticks | None = None
    """None where the system keeps no such account."""
    load: float | None = None


class QuietMachine:
    """A machine of which nothing is known: no turn is marked."""

    def begin(self) -> Reading:
        """Nothing is read."""
        return Reading(instants())

    def marks(self, begun: Reading) -> Mapping[str, float]:  # noqa: ARG002
        """Nothing was seen."""
        return {}


class SystemMachine:
    """This machine.

    `beside` is everybody who measures at the same time, as they come and go: what their targets
    take is not the doing of others.
    """

    def __init__(
        self,
        proc: Path = PROC,
        now: Callable[[], Instants] = instants,
        *,
        beside: Sequence[SystemMachine] = (),
    ) -> None:
        self._proc, self._now, self._beside = proc, now, beside
        self._target: tuple[int, ...] | None = None
        self._read: deque[Reading] = deque(maxlen=KEPT)
        self.begin()

    @property
    def target(self) -> tuple[int, ...] | None:
        """The processes of the target; None where they are not known."""
        return self._target

    def target_is(self, pids: Sequence[int] | None) -> None:
        """Which processes are the target's: none where it runs elsewhere, None where unknown."""
        self._target = None if pids is None else tuple(pids)
        self.begin()

    def begin(self) -> Reading:
        """How things stand."""
        known = {pid for each in (self, *self._beside) for pid in each.target or ()}
        reading = read_machine(sorted(known), self._now(), proc=self._proc)
        self._read.append(reading)
        return reading

    def marks(self, begun: Reading) -> Mapping[str, float]:
        """What the machine did since."""
        now = self.begin()
        begins = now.at.monotonic_ns - int(WINDOW_S * 1e9)
        before = [read for read in self._read if read.at.monotonic_ns <= begins]
        window = begun if begun.at.monotonic_ns <= begins else before[-1] if before else None
        found = dict(marks_between(begun, now))
        found.pop("busy", None)
        if window is not None and self._whole(now):
            found |= {k: v for k, v in marks_between(window, now).items() if k == "busy"}
        return found

    def _whole(self, reading: Reading) -> bool:
        """Whether all that the target takes is known; not where it was started again since."""
        if self._target is None or reading.ticks is None:
            return False
        return set(self._target) <= reading.ticks.target_s.keys()


def read_machine(target: Sequence[int], at: Instants, *, proc: Path = PROC) -> Reading:
    """The machine now, which is `at`; of the target's processes those that are gone left out."""
    try:
        first = (proc / "stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    except OSError:
        return Reading(at, load=load_average())
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    user, nice, system, idle, waiting, *stolen = (int(ticks) * tick_s for ticks in first)
    busy_s = user + nice + system + sum(stolen)
    ours = os.times()
    return Reading(
        at,
        Ticks(
            busy_s + idle + waiting,
            busy_s,
            ours.user + ours.system,
            {pid: taken for pid in target if (taken := _taken(proc / str(pid), tick_s))},
        ),
    )


def marks_between(begun: Reading, ended: Reading) -> Mapping[str, float]:
    """What the machine did from one reading to the other."""
    found = {}
    passed = {
        name: (getattr(ended.at, name) - getattr(begun.at, name)) / 1e9
        for name in ("monotonic_ns", "wall_ns", "boot_ns")
    }
    asleep = passed["boot_ns"] - passed["monotonic_ns"]
    found["asleep_s"] = round(max(asleep, 0.0), 4)
    found["clock_jump_s"] = round(passed["wall_ns"] - passed["boot_ns"], 4)
    if ended.load is not None:
        found["load"] = round(ended.load, 2)
    if begun.ticks and ended.ticks and (busy := _busy(begun, begun.ticks, ended.ticks)) is not None:
        found["busy"] = round(busy, 3)
    return found


def _busy(begun: Reading, before: Ticks, after: Ticks) -> float | None:
    """The share that others had; None where the target's is not known, or no time passed."""
    passed_s = after.all_s - before.all_s
    known_s = after.ours_s - before.ours_s
    if set(before.target_s) - set(after.target_s) or passed_s <= 0:
        return None  # a process of the target ended, and took with it what it had taken
    for pid, (started_s, taken_s) in after.target_s.items():
        if pid in before.target_s:
            known_s += taken_s - before.target_s[pid][1]
        elif started_s >= begun.at.boot_ns / 1e9 - 0.02:  # started since: all it took is of since
            known_s += taken_s
        else:
            return None
    return min(max((after.busy_s - before.busy_s - known_s) / passed_s, 0.0), 1.0)


def _taken(process: Path, tick_s: float) -> tuple[float, float] | None:
    """When a process was started and what it has taken; None where it is gone."""
    try:
        said = (process / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = parse_stat(said)
    return found.started * tick_s, found.ticks * tick_s


def load_average() -> float | None:
    """Threads that want to run, a processor; None where the system does not tell."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows has none
        return None
