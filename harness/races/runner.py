"""How are races run against a target, from the first request to the reports?

    meet the target → the controls → which cells can it play → for each group of races: open a
    session → race → give the session back, count the places, look whether the target idles → keep
    what is known, derive the reports

A race is three turns: the one that is stopped, one without a session that is not to feel it, and
the next one of the session.  The moment is taken from the stream itself and never from a sleep;
the bystander is sent as soon as the raced turn has begun (before it, where that one has to queue).
Every trace holds an action `clock`, by which the time lines of the three can be laid side by side.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from harness.client import TurnRequest
from harness.errors import TargetNotReady
from harness.events import Delta
from harness.plan import Promise
from harness.played import play_back
from harness.processes import cpu_seconds
from harness.races.abilities import cells_of, lacks, prompts_to_control
from harness.races.bodies import Bodies, comes_to_its_end, key_of
from harness.races.controls import CONTROL, Controls
from harness.races.facts import BYSTANDER, CLOCK, NEXT, PASSED, RACED
from harness.races.judge import judge_races
from harness.races.moments import Point, Watch
from harness.races.plan import plan_races
from harness.races.scenario import parse_races
from harness.races.ways import Way, stop
from harness.report.races import tell_races
from harness.report.sheets import sheet_reports
from harness.results import Promised, RunRecord, read_run_as
from harness.runner import SESSION_HEADER, Chat, see, why_stopped
from harness.scenario import digest
from harness.target import meet, runtime_facts
from harness.trace import Action, TurnLabel
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from harness.cancel import Grip, Meddle
    from harness.clock import Clock
    from harness.events import Observation, Observed
    from harness.fingerprint import Fingerprint
    from harness.races.judge import RacesResult
    from harness.races.plan import Group, PlannedRace
    from harness.races.scenario import Races
    from harness.results import RunFolder
    from harness.runner import Progress
    from harness.target import Target
    from harness.trace import Trace

__all__ = ["Instruments", "RacesOrder", "Racing", "play_races", "rederive_races"]

IDLE_S = 0.1
"""How long the target is watched doing nothing."""


class Racing(Chat, Protocol):
    """What races ask of a client; `client.ChatClient` is the one."""

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        meddle: Meddle | None = None,
    ) -> Trace:
        """Send one request and record what comes back."""
        ...


@dataclass(frozen=True, slots=True)
class RacesOrder:
    """What is to be run."""

    races: Races
    text: str
    """The scenario file, as it is."""
    rounds: int
    seed: int
    salt: str
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class Instruments:
    """What a run measures with, beside its client."""

    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits so many seconds."""
    cpu: Callable[[int], float | None] = cpu_seconds
    """Seconds of processor time of a process and all that it started."""


async def play_races(
    order: RacesOrder,
    target: Target,
    chat: Racing,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
    instruments: Instruments | None = None,
) -> RacesResult:
    """Run every race; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was raced before is on disk.
    """
    started_at, seen = clock.wall_iso(), await see(target, chat)
    record = RunRecord(
        scenario=order.races.name,
        scenario_sha256=digest(order.text),
        repeats=order.rounds,
        seed=order.seed,
        salt=order.salt,
        started_at=started_at,
        fingerprint=order.fingerprint,
        target=seen,
        promised=(),
    )
    folder.keep_scenario(order.text)
    folder.keep_record(record)
    run = _Run(order, record, chat, folder, progress, clock, instruments or Instruments())
    try:
        await run.ask_controls()
        groups = run.plan()
        raced = [race for group in groups for race in group.races]
        labels = [race.label(order.races.name, RACED) for race in raced]
        record = replace(record, promised=tuple(Promised(each, Promise()) for each in labels))
        folder.keep_record(record)
        progress.started(record, len(raced))
        for group in groups:
            await run.play(group)
        if seen.runtime is not None:
            after = await runtime_facts(chat.get_json)
            record = replace(record, target=replace(seen, runtime_after=after))
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    return rederive_races(folder)


def rederive_races(folder: RunFolder) -> RacesResult:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge_races(*read_run_as(parse_races, folder.path))
    folder.keep_reports(sheet_reports(result, tell_races(result)))
    return result


class _Run:
    """A run under way."""

    def __init__(
        self,
        order: RacesOrder,
        record: RunRecord,
        chat: Racing,
        folder: RunFolder,
        progress: Progress,
        clock: Clock,
        instruments: Instruments,
    ) -> None:
        self._order, self._races, self._record = order, order.races, record
        self._chat, self._folder, self._progress = chat, folder, progress
        self._clock, self._instruments = clock, instruments
        self._runtime = record.target.runtime
        self._bodies = Bodies(order.races, record.target.model, told=self._runtime is not None)
        self._controls = Controls()
        self._asked = 0
        claims = (self._runtime or {}).get("supports") or {}
        self._can_cancel = claims.get("cancel") is True
        self._places = int((self._runtime or {}).get("maxNamedSessions") or 0)

    # -- before the first race

    async def ask_controls(self) -> None:
        """Ask everything that a race compares with, where nothing is stopped.

        Raises:
            TargetNotReady: it does not answer the simplest of them.
        """
        opening = await self._control(self._bodies.opening(), times=2)
        if not self._controls.of(self._bodies.opening()).answered:
            raise TargetNotReady(self._record.target.url, opening.detail)
        self._bodies = replace(self._bodies, answer=opening.text())
        await self._control(self._bodies.bystander(), times=2)
        bodies = prompts_to_control(self._races, self._bodies, self._runtime)
        wholes = {key_of(self._bodies.raced(prompt, whole=True)) for prompt in self._races.prompt}
        for body in {key_of(body): body for body in bodies}.values():
            await self._control(body, times=2 if key_of(body) in wholes else 1)

    def plan(self) -> tuple[Group, ...]:
        """The races, of cells that the target can play."""
        cells = [
            cell
            for cell in cells_of(self._races)
            if not lacks(cell, self._races, self._bodies, self._controls, self._runtime)
        ]
        return plan_races(self._races, cells, rounds=self._order.rounds, seed=self._order.seed)

    async def _control(self, body: Mapping[str, Any], *, times: int) -> Observation:
        for _ in range(times):
            self._asked += 1
            label = TurnLabel(self._races.name, 0, CONTROL, self._asked)
            trace = await self._chat.turn(self._request(label, body, ""))
            self._keep(trace)
            self._controls.add(trace)
        return observe(trace)

    # -- a group of races

    async def play(self, group: Group) -> None:
        """Open a session, race, give it back, and see what was left behind."""
        session = f"bench-{self._order.salt}-{group.number}"
        first, last = group.races[0], group.races[-1]
        opened = await self._ask(first, "opening", self._bodies.opening(), session)
        if not opened.succeeded:  # is it gone, or has it no place?
            await meet(self._chat.get_json, self._record.target.url, self._record.target.model)
            if self._places:
                return
        for race in group.races:
            self._progress.turn_started(race.label(self._races.name, RACED))
            trace = await self._race(race, session)
            (turn,) = play_back({trace.label: Promise()}, [trace])
            self._progress.turn_ended(turn)
            if turn.seen.trace.status is None:
                await meet(self._chat.get_json, self._record.target.url, self._record.target.model)
        if self._places:
            await self._manage(last, "closing", session)
            await self._count_places(last)
        if group.last_of_cell and self._runtime is not None:
            await self._watch_idling(last)

    async def _count_places(self, race: PlannedRace) -> None:
        """Fill every place with a stranger, and try one more; then free them."""
        names = [f"{self._stranger}-{place}" for place in range(self._places + 1)]
        for name in names:
            await self._ask(race, "place", self._bodies.place(), name, turn=names.index(name) + 1)
        for name in names:
            await self._manage(race, "leaving", name, turn=names.index(name) + 1)

    async def _watch_idling(self, race: PlannedRace) -> None:
        """See how much processor time the target uses when nothing is asked of it."""
        server = ((self._runtime or {}).get("pids") or {}).get("server")
        label = race.label(self._races.name, "idle")
        trace = await self._chat.turn(
            TurnRequest(label, {}, path="/api/runtime", method="GET", trace_id=self._name(label))
        )
        samples = []
        if self._record.target.kind == "embedded" and isinstance(server, int):
            started_ns = self._clock.now_ns()
            for wait_s in (0.0, IDLE_S):
                await self._instruments.pause(wait_s)
                at_ns, used_s = self._clock.now_ns(), self._instruments.cpu(server)
                samples.append(Action(at_ns - started_ns, "cpu", {"seconds": used_s}))
        self._folder.append(replace(trace, actions=tuple(samples)))

    # -- one race

    async def _race(self, race: PlannedRace, session: str) -> Trace:
        point, way = race.cell.point, race.cell.way
        body = self._bodies.raced(self._races.prompt_of(point), whole=comes_to_its_end(point, way))
        control = self._controls.of(body)
        watch = Watch(point, whole=control.length, texts=race.texts(control.pieces))
        request = self._request(race.label(self._races.name, RACED), body, session)
        async with asyncio.TaskGroup() as tasks:
            others: list[asyncio.Task[Trace]] = []

            def send_next() -> None:
                others.append(tasks.create_task(self._next(race, session)))

            async def meddle(grip: Grip) -> None:
                self._set_clock(grip)
                await grip.until(watch.reached, watch.passed)
                if not watch.reached.done():
                    grip.note(PASSED)
                    grip.hang_up()  # the rest is of no use
                    return
                if race.delay_s:
                    await self._instruments.pause(race.delay_s)
                await stop(
                    grip,
                    way,
                    session=session,
                    stranger=self._stranger,
                    flipped=race.flipped,
                    can_cancel=self._can_cancel,
                    send_next=send_next,
                )

            if point is Point.QUEUED:
                running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                ahead = tasks.create_task(self._bystander(race, running))
                others.append(ahead)
                await _first(ahead, running)
            raced = tasks.create_task(
                self._chat.turn(request, on_event=watch.notice, meddle=meddle)
            )
            if point is not Point.QUEUED and way is not Way.BEHIND:
                await _first(raced, watch.begun)
                others.append(tasks.create_task(self._bystander(race, None)))
            trace = await raced
            self._keep(trace)
            if way is not Way.BEHIND or not watch.reached.done():
                send_next()
        for other in others:
            self._keep(other.result())
        return trace

    async def _next(self, race: PlannedRace, session: str) -> Trace:
        """The next turn of the session."""
        label = race.label(self._races.name, NEXT)
        return await self._send(self._request(label, self._bodies.opening(), session))

    async def _bystander(self, race: PlannedRace, running: asyncio.Future[None] | None) -> Trace:
        """A turn without a session; `running` is done when it has said something."""

        def notice(seen: Observed) -> None:
            if running is not None and isinstance(seen.event, Delta) and not running.done():
                running.set_result(None)

        label = race.label(self._races.name, BYSTANDER)
        return await self._send(self._request(label, self._bodies.bystander(), ""), notice)

    # -- requests

    async def _ask(
        self,
        race: PlannedRace,
        role: str,
        body: Mapping[str, Any],
        session: str,
        *,
        turn: int = 1,
    ) -> Observation:
        label = replace(race.label(self._races.name, role), turn=turn)
        trace = await self._send(self._request(label, body, session))
        self._keep(trace)
        return observe(trace)

    async def _manage(self, race: PlannedRace, role: str, session: str, *, turn: int = 1) -> None:
        label = replace(race.label(self._races.name, role), turn=turn)
        request = self._request(label, {}, session)
        path = f"/v1/sessions/{session}"
        self._keep(await self._chat.turn(replace(request, path=path, method="DELETE")))

    async def _send(
        self, request: TurnRequest, notice: Callable[[Observed], None] | None = None
    ) -> Trace:
        async def meddle(grip: Grip) -> None:
            self._set_clock(grip)

        return await self._chat.turn(request, on_event=notice, meddle=meddle)

    def _set_clock(self, grip: Grip) -> None:
        grip.note(CLOCK, ns=self._clock.now_ns())

    def _request(self, label: TurnLabel, body: Mapping[str, Any], session: str) -> TurnRequest:
        return TurnRequest(
            label=label,
            body=body,
            headers={SESSION_HEADER: session} if session else {},
            trace_id=self._name(label),
        )

    def _name(self, label: TurnLabel) -> str:
        return f"{self._order.salt}-{label.repeat}-{label.leg}-{label.turn}"

    @property
    def _stranger(self) -> str:
        return f"bench-{self._order.salt}-stranger"

    def _keep(self, trace: Trace) -> None:
        self._folder.append(trace)


async def _first(*waited: asyncio.Future[Any]) -> None:
    """Return when one of them is done."""
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
