"""How wrong is each client, what does an event cost, and are the goals reached?

A process of its own plays a stream of known delays, and every client measures it in turn: the
harness's own, and a second one that shares nothing with it (`second`).  What both find wrong alike
is not the instrument's error.  A client of any kind is a function from a number to a `Trace`.
Where a browser can be driven, a page in it is a third one (`browser.known`), whose stamps in the
document and on the screen are told, too.

Then the server floods: a frame every half millisecond, each a read of its own.  The process time
that the harness's client takes for the flood, over its events, is the cost of an event; decoding,
which is done when a turn has ended, is told apart.

Goals, of the harness's own client on an idle machine:

    median   no duration's median error is above 0.5 ms
    p99      the 99th percentile of the errors of event stamps is no more than 2 ms
    cpu      an event costs no more than 10 µs

A goal that is missed on a machine that was busy, or where turns were disturbed, tells nothing of
the instrument (exit code 3); missed on a quiet one, it is missed (1).  Of a goal for which there
were too few values nothing can be told (3).
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.client import ChatClient, TurnRequest
from harness.dirty import stains
from harness.errors import LaunchFailed
from harness.machine import SystemMachine
from harness.selftest.calibration import RELATIVE, Calibration, KnownTurn, calibrate
from harness.selftest.known import REQUEST, known_pieces
from harness.selftest.second import trace_of
from harness.testing import MS, trace
from harness.trace import TurnLabel
from harness.verdict import EXIT_CODES, Outcome
from harness.wire import observe

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from harness.clock import Clock
    from harness.trace import Trace

    Driver = Callable[[int], Awaitable[Trace]]
    """Plays the known stream once, as turn so and so."""
    Place = Callable[[str], AbstractAsyncContextManager[Driver]]
    """Makes a driver for a server's address."""

__all__ = ["Cost", "Goal", "SelfTest", "conclude", "run_selftest", "started"]

OWN, SECOND = "harness", "second client"
SERVER = (sys.executable, "-m", "harness.selftest.known")
STARTUP_S = 20.0
MOST_MEDIAN_S, MOST_P99_S, MOST_CPU_S = 0.5e-3, 2e-3, 10e-6


@dataclass(frozen=True, slots=True)
class Cost:
    """What events cost the harness's own client, in process time."""

    events: int
    reads: int
    """Of the socket; what comes in one read is cheaper."""
    reading_s: float
    """An event while it comes: read, stamped, kept."""
    decoding_s: float
    """An event afterwards: made of bytes what was observed."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, and what was found."""

    name: str
    asked_s: float
    found_s: float | None
    """None where there were too few values to tell."""

    @property
    def reached(self) -> bool | None:
        """None: could not tell."""
        return None if self.found_s is None else abs(self.found_s) <= self.asked_s


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All clients, and what follows for the first, which is the harness's own."""

    clients: Mapping[str, Calibration]
    cost: Cost | None
    marks: Mapping[str, str]
    """Why the machine was not quiet, by mark; empty where it was."""
    goals: tuple[Goal, ...]
    outcome: Outcome
    message: str

    @property
    def exit_code(self) -> int:
        """0 within bounds and goals, 1 not, 3 could not tell."""
        return EXIT_CODES[self.outcome]


async def run_selftest(
    *, turns: int = 20, clock: Clock | None = None, more: Mapping[str, Place] | None = None
) -> SelfTest:
    """Measure every client against a server of known delays in a process of its own.

    `more` are further clients, each made for the address of the server.

    Raises:
        LaunchFailed: a process did not start.
    """
    machine = SystemMachine()
    async with AsyncExitStack() as stack:
        server, url = await stack.enter_async_context(started(SERVER))
        command = (sys.executable, "-m", "harness.selftest.second", url)
        second, _ = await stack.enter_async_context(started(command))
        machine.target_is([server.pid, second.pid])
        client = await stack.enter_async_context(ChatClient(url, clock, machine=machine))

        async def own(number: int) -> Trace:
            label = TurnLabel("selftest", number, "known", 0)
            return await client.turn(TurnRequest(label, REQUEST))

        async def other(_number: int) -> Trace:
            assert second.stdin is not None
            assert second.stdout is not None
            second.stdin.write(b"turn\n")
            line = await second.stdout.readline()
            if not line:
                raise LaunchFailed(command, "it ended in the middle")
            return trace_of(line.decode())

        drivers: dict[str, Driver] = {OWN: own, SECOND: other}
        for name, place in (more or {}).items():
            drivers[name] = await stack.enter_async_context(place(url))
        begun = machine.begin()
        known: dict[str, list[KnownTurn]] = {name: [] for name in drivers}
        for number in range(turns + 1):
            for name, driver in drivers.items():
                turn = await _known_turn(client, driver, number)
                if number:  # first connections and lazy imports are not the error
                    known[name].append(turn)
        cost = await _cost(client)
        marks = stains(trace(marks=machine.marks(begun)))
    return conclude({name: calibrate(found) for name, found in known.items()}, cost, marks)


def conclude(
    clients: Mapping[str, Calibration], cost: Cost | None, marks: Mapping[str, str]
) -> SelfTest:
    """What follows from the errors of all clients, of which the first is the harness's own."""
    own = next(iter(clients.values()))
    medians = [each.median for each in own.deviations if each.name not in RELATIVE]
    goals = (
        Goal("median", MOST_MEDIAN_S, max(medians, key=abs, default=None)),
        Goal("p99", MOST_P99_S, own.stamps.p99),
        Goal("cpu", MOST_CPU_S, None if cost is None else cost.reading_s),
    )
    missed = [goal.name for goal in goals if goal.reached is False]
    outcome, message = own.outcome, own.message
    if outcome is Outcome.PASS and missed:
        quiet = not marks and own.clean == own.turns
        outcome = Outcome.FAIL if quiet else Outcome.INCONCLUSIVE
        message = f"goal missed: {', '.join(missed)}"
        if not quiet:
            message = f"{message}; try again on a quieter machine"
    elif outcome is Outcome.PASS and any(goal.reached is None for goal in goals):
        outcome, message = Outcome.INCONCLUSIVE, "too few turns to tell of every goal"
    return SelfTest(clients, cost, marks, goals, outcome, message)


async def _known_turn(client: ChatClient, driver: Driver, number: int) -> KnownTurn:
    measured = await driver(number)
    written = (await client.get_json("/written")).json
    body = zip(written["body_ns"], known_pieces(), strict=True)
    true = trace(*((at_ns / MS, piece.data) for at_ns, piece in body), request=REQUEST)
    return KnownTurn(measured, true, written["slowest_ns"])


async def _cost(client: ChatClient) -> Cost | None:
    """What an event costs; None where the flood did not come whole."""
    request = TurnRequest(TurnLabel("selftest", 0, "flood", 0), REQUEST, path="/flood")
    before = time.process_time_ns()
    flood = await client.turn(request)
    between = time.process_time_ns()
    seen = observe(flood)
    after = time.process_time_ns()
    events = len(seen.events)
    if not seen.succeeded:
        return None
    reading_s, decoding_s = (between - before) / 1e9, (after - between) / 1e9
    return Cost(events, len(flood.chunks), reading_s / events, decoding_s / events)


@asynccontextmanager
async def started(command: Sequence[str]) -> AsyncIterator[tuple[Process, str]]:
    """A process and the first line it said; it runs until the block is left."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=Path(__file__).parents[2],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        try:
            async with asyncio.timeout(STARTUP_S):
                line = await process.stdout.readline()
        except TimeoutError as problem:
            raise LaunchFailed(command, f"silent for {STARTUP_S:g} s") from problem
        if not line:
            raise LaunchFailed(command, "it ended at once")
        yield process, line.decode().strip()
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(5):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
