"""How is load put on a target, from the first request to the reports?

    meet the target → one client alone → every client at once → a burst → some go away → sessions
    are closed → keep what is known, derive the reports

Probes go on beside all of it, each at its time whether the one before was answered or not.  Every
request and every probe is on disk when it has ended.  Whoever gets no answer in time is given up
and asks no more, so that a run ends, and soon, however a server hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from harness.cancel import CancelPlan, CancelPoint, Way
from harness.client import TurnRequest
from harness.errors import TargetError, TargetUnreachable
from harness.events import Delta
from harness.load.judge import judge_load
from harness.load.plan import LAST, places_of, plan_load
from harness.load.scenario import parse_load
from harness.load.seen import PROBED, probe_leg
from harness.plan import Promise
from harness.played import play_back
from harness.report.load import tell_load
from harness.report.sheets import sheet_reports
from harness.results import Promised, RunRecord, read_run_as
from harness.runner import SESSION_HEADER, Chat, see, why_stopped
from harness.scenario import digest
from harness.target import meet, runtime_facts
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from harness.clock import Clock
    from harness.events import Observed
    from harness.fingerprint import Fingerprint
    from harness.load.judge import LoadResult
    from harness.load.plan import LoadPlan, PlannedRequest
    from harness.load.scenario import Load
    from harness.results import RunFolder
    from harness.runner import Progress
    from harness.target import Target
    from harness.trace import Trace

__all__ = ["LoadOrder", "play_load", "rederive_load"]

PROBE_GIVES_UP_S = 2.0
"""A probe that is not answered by then has long been too late."""


class LoadChat(Chat, Protocol):
    """What load asks of a client: many turns side by side, of which some are given up."""

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
    ) -> Trace:
        """Send one request and record what comes back."""
        ...


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """What is to be run."""

    load: Load
    text: str
    """The scenario file, as it is."""
    rounds: int
    """How often each client of the loop asks."""
    seed: int
    salt: str
    fingerprint: Fingerprint


async def play_load(
    order: LoadOrder,
    target: Target,
    chat: LoadChat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
) -> LoadResult:
    """Play every phase; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    started_at, seen = clock.wall_iso(), await see(target, chat)
    places = places_of(seen.runtime)
    plan = plan_load(
        order.load, rounds=order.rounds, seed=order.seed, salt=order.salt, places=places
    )
    record = RunRecord(
        scenario=order.load.name,
        scenario_sha256=digest(order.text),
        repeats=order.rounds,
        seed=order.seed,
        salt=order.salt,
        started_at=started_at,
        fingerprint=order.fingerprint,
        target=seen,
        promised=tuple(Promised(each.label, Promise()) for each in plan.requests),
    )
    folder.keep_scenario(order.text)
    folder.keep_record(record)
    progress.started(record, len(plan.requests))
    try:
        await _Run(order.load, plan, record, chat, folder, progress).play()
        if seen.runtime is not None:
            after = await runtime_facts(chat.get_json)
            record = replace(record, target=replace(seen, runtime_after=after))
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    return rederive_load(folder)


def rederive_load(folder: RunFolder) -> LoadResult:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge_load(*read_run_as(parse_load, folder.path))
    folder.keep_reports(sheet_reports(result, tell_load(result)))
    return result


class _Run:
    """A run under way."""

    def __init__(
        self,
        load: Load,
        plan: LoadPlan,
        record: RunRecord,
        chat: LoadChat,
        folder: RunFolder,
        progress: Progress,
    ) -> None:
        self._load, self._plan, self._record = load, plan, record
        self._chat, self._folder, self._progress = chat, folder, progress
        self._sessions: dict[str, None] = {}

    async def play(self) -> None:
        """Every phase, with probes beside it; a phase that shows a dead target is the last."""
        try:
            async with self._probing():
                for phase in (self._alone, self._loop, self._burst, self._gone):
                    await phase()
                    await meet(
                        self._chat.get_json, self._record.target.url, self._record.target.model
                    )
        finally:
            for session in self._sessions:
                with contextlib.suppress(TargetUnreachable):  # whoever is gone keeps nothing
                    await self._chat.delete(f"/v1/sessions/{session}")

    async def _alone(self) -> None:
        for request in self._plan.alone:
            if not await self._send(request):
                return

    async def _loop(self) -> None:
        async def client(requests: Iterable[PlannedRequest]) -> None:
            for request in requests:
                if not await self._send(request):
                    return

        async with asyncio.TaskGroup() as clients:
            for requests in self._plan.loop:
                clients.create_task(client(requests))

    async def _burst(self) -> None:
        async with asyncio.TaskGroup() as clients:
            for request in self._plan.burst:
                clients.create_task(self._send(request))
                await asyncio.sleep(self._load.load.burst.every_ms / 1e3)

    async def _gone(self) -> None:
        """Some are ahead; others wait behind them and leave; one more comes while they wait."""
        begun = asyncio.Event()

        def noticed(seen: Observed) -> None:
            if isinstance(seen.event, Delta):
                begun.set()

        async def ahead(request: PlannedRequest) -> None:
            await self._send(request, on_event=noticed)
            begun.set()

        tie_s = self._load.load.tie_ms / 1e3
        async with asyncio.TaskGroup() as clients:
            for request in self._plan.gone:
                if request.leaves:
                    clients.create_task(self._send(request, leaves_after_s=tie_s))
                elif request.client == LAST:
                    await asyncio.sleep(tie_s)  # behind those who leave, however close they came
                    clients.create_task(self._send(request))
                else:
                    clients.create_task(ahead(request))
                    if request is self._plan.gone[self._load.load.gone.ahead - 1]:
                        await begun.wait()

    async def _send(
        self,
        planned: PlannedRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        leaves_after_s: float | None = None,
    ) -> bool:
        """Whether an answer came before it was given up."""
        self._progress.turn_started(planned.label)
        request = TurnRequest(
            label=planned.label,
            body={
                "model": self._record.target.model,
                "messages": [dict(message) for message in planned.messages],
                "stream": True,
                "stream_options": {"include_usage": True},
                **self._load.settings.fields(),
            },
            headers={SESSION_HEADER: planned.session} if planned.session else {},
            trace_id=f"{self._record.salt}-{planned.label.leg}-t{planned.label.turn}",
        )
        wait_s = self._load.load.deadline_s if leaves_after_s is None else leaves_after_s
        trace = await self._chat.turn(request, on_event=on_event, cancel=_leaving(wait_s))
        self._folder.append(trace)
        if planned.session and trace.status is not None and trace.status < 400:
            self._sessions[planned.session] = None
        (turn,) = play_back({planned.label: Promise()}, [trace])
        self._progress.turn_ended(turn)
        return all(action.name != "close" for action in trace.actions)

    @contextlib.asynccontextmanager
    async def _probing(self) -> AsyncIterator[None]:
        """Ask the server whether it lives, again and again, until the block ends."""
        paths = [path for path in PROBED if path == "/health" or self._record.target.runtime]
        problem: TargetError | None = None
        async with asyncio.TaskGroup() as probes:
            asking = probes.create_task(self._probe(paths, probes))
            try:
                yield
            except TargetError as raised:  # within, it would become one of a group
                problem = raised
            finally:
                asking.cancel()
        if problem is not None:
            raise problem

    async def _probe(self, paths: list[str], probes: asyncio.TaskGroup) -> None:
        every_s = self._load.load.probe.every_ms / 1e3
        loop = asyncio.get_running_loop()
        begun, number = loop.time(), 0
        while True:
            number += 1
            for path in paths:
                probes.create_task(self._probe_once(path, number))
            await asyncio.sleep(max(begun + number * every_s - loop.time(), 0))

    async def _probe_once(self, path: str, number: int) -> None:
        leg = probe_leg(path)
        request = TurnRequest(
            label=TurnLabel(self._load.name, 1, leg, number),
            body={},
            path=path,
            method="GET",
            trace_id=f"{self._record.salt}-{leg}-t{number}",
        )
        self._folder.append(await self._chat.turn(request, cancel=_leaving(PROBE_GIVES_UP_S)))


def _leaving(after_s: float) -> CancelPlan:
    """Close the connection so long after the request was sent, if it is not answered by then."""
    return CancelPlan(CancelPoint.SENT, (Way.CLOSE,), delay_s=after_s)
