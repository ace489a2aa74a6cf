"""How are acts played against a target, from the first request to the reports?

    meet the target → for each cell: does it claim what the cell needs → each act in turn: do,
    record → close what is open → keep what is known, derive the reports

Every request, a reset and a close among them, is on disk when it has ended.  A cell ends where a
request was not answered as its next acts need; what was planned behind it counts as not played.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

from harness.acts.judge import judge_acts, why_not_played
from harness.acts.plan import ASKS, plan_acts
from harness.acts.scenario import ANONYMOUS, WINDOW, parse_acts
from harness.cancel import CancelPlan, CancelPoint
from harness.checks.restart import RESTART
from harness.client import TurnRequest
from harness.errors import TargetError, TargetUnreachable
from harness.events import Channel, Delta, Ending
from harness.pictures import content_of, pictures_of
from harness.played import play_back
from harness.report.acts import tell_acts
from harness.report.sheets import sheet_reports
from harness.results import Promised, RunRecord, read_run_as
from harness.reuse import reuse_of
from harness.runner import SESSION_HEADER, Chat, see, why_stopped
from harness.scenario import digest
from harness.target import meet, runtime_facts
from harness.trace import Action
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from harness.acts.judge import ActsResult
    from harness.acts.plan import PlannedAct, PlannedCell
    from harness.acts.scenario import Act, Acts
    from harness.client import Reply
    from harness.clock import Clock
    from harness.events import Observed
    from harness.fingerprint import Fingerprint
    from harness.pictures import Part
    from harness.played import PlayedTurn
    from harness.results import RunFolder
    from harness.runner import Progress
    from harness.scenario import Settings
    from harness.target import Target
    from harness.trace import Trace

__all__ = ["Acting", "ActsOrder", "play_acts", "rederive_acts"]

FILLER = "stone "
"""A word that is repeated to fill a window."""
REASONING = "reasoning_content"
"""The key of a message that holds what was thought before it."""
PROBE_WORDS = 16
"""Words of the shorter of two prompts by which the tokens of a word are found out."""


class Acting(Chat, Protocol):
    """What acts ask of a client; `client.ChatClient` is the one."""

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
    ) -> Trace:
        """Send one request and record what comes back; cancel it on the way by a plan."""
        ...


@dataclass(frozen=True, slots=True)
class ActsOrder:
    """What is to be run."""

    acts: Acts
    text: str
    """The scenario file, as it is."""
    repeats: int
    seed: int
    salt: str
    fingerprint: Fingerprint
    pictures: Mapping[str, Part] = field(default_factory=dict)
    """What the scenario shows, by name."""


async def play_acts(
    order: ActsOrder,
    target: Target,
    chat: Acting,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ActsResult:
    """Play every cell; the result, which is on disk too.  `pause` waits so many seconds.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    acts = order.acts
    planned = plan_acts(acts, repeats=order.repeats, seed=order.seed, salt=order.salt)
    started_at, seen = clock.wall_iso(), await see(target, chat)
    cells = [cell for cell in planned if not why_not_played(cell.cell, seen)]
    promised = tuple(
        Promised(act.label, act.promise) for cell in cells for act in cell.acts if act.label
    )
    record = RunRecord(
        scenario=acts.name,
        scenario_sha256=digest(order.text),
        repeats=order.repeats,
        seed=order.seed,
        salt=order.salt,
        started_at=started_at,
        fingerprint=order.fingerprint,
        target=seen,
        promised=promised,
    )
    rested = _Rested(chat, pause, acts.pause_s) if acts.pause_s else chat
    folder.keep_scenario(order.text)
    folder.keep_record(record)
    progress.started(record, sum(act.act.do in ASKS for cell in cells for act in cell.acts))
    try:
        for cell in cells:
            await _Stage(cell, order, record, target, rested, folder, progress).play()
        if seen.runtime is not None:
            after = await runtime_facts(chat.get_json)
            record = replace(record, target=replace(seen, runtime_after=after))
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    return rederive_acts(folder)


def rederive_acts(folder: RunFolder) -> ActsResult:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge_acts(*read_run_as(parse_acts, folder.path))
    folder.keep_reports(sheet_reports(result, tell_acts(result)))
    return result


@dataclass(frozen=True, slots=True)
class _Rested:
    """A client that rests before each request."""

    chat: Acting
    pause: Callable[[float], Awaitable[None]]
    seconds: float

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
    ) -> Trace:
        """Rest, then send; see `Acting`."""
        await self.pause(self.seconds)
        return await self.chat.turn(request, on_event=on_event, cancel=cancel)

    async def get_json(self, path: str) -> Reply:
        """GET a path."""
        return await self.chat.get_json(path)

    async def delete(self, path: str) -> Reply:
        """DELETE a path."""
        return await self.chat.delete(path)


@dataclass(slots=True)
class _Client:
    """One who acts: an id, and what was said by and to them."""

    session: str
    """Empty where there is none."""
    history: list[dict[str, Any]] = field(default_factory=list)
    open: bool = False
    """Whether the target may hold the session."""


def _as_sent(message: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """A message of the history as a request carries it; reasoning only where that is asked for."""
    sent = dict(message)
    if not (settings.send_reasoning and sent.get(REASONING)):
        sent.pop(REASONING, None)
    return sent


class _Stage:
    """A cell under way."""

    def __init__(
        self,
        cell: PlannedCell,
        order: ActsOrder,
        record: RunRecord,
        target: Target,
        chat: Acting,
        folder: RunFolder,
        progress: Progress,
    ) -> None:
        self._cell, self._record, self._pictures = cell, record, order.pictures
        self._target = target
        self._chat, self._folder, self._progress = chat, folder, progress
        self._clients: dict[str, _Client] = {}

    async def play(self) -> None:
        """Every act, as far as the answers it builds on came."""
        try:
            for act in self._cell.acts:
                if not await self._act(act, self._client(act.act.by)):
                    await meet(
                        self._chat.get_json, self._record.target.url, self._record.target.model
                    )  # or is it gone?
                    return
        finally:
            for client in self._clients.values():
                if client.open:
                    with contextlib.suppress(TargetUnreachable):  # whoever is gone keeps nothing
                        await self._chat.delete(f"/v1/sessions/{client.session}")

    def _client(self, name: str) -> _Client:
        if name not in self._clients:
            cell = self._cell
            session = f"bench-{self._record.salt}-r{cell.repeat}-{cell.name}-{name}"
            self._clients[name] = _Client("" if name == ANONYMOUS else session)
        return self._clients[name]

    async def _act(self, planned: PlannedAct, client: _Client) -> bool:
        """Do one act; whether the story can go on."""
        act, history = planned.act, client.history
        match act.do:
            case "edit":
                assert act.message is not None
                edited = history[act.message - 1]
                shown = pictures_of(edited["content"]) if act.shows is None else self._shown(act)
                history[act.message - 1] = {
                    **edited,
                    "content": content_of(planned.says, shown),
                    **({REASONING: planned.thinks} if planned.thinks else {}),
                }
                if act.cut:
                    del history[act.message :]
                return True
            case "forget":
                history.clear()
                return True
            case "reset" | "close":
                return await self._manage(planned, client)
            case "restart":
                await self._restart(act)
                return True
            case "again":
                if history[-1]["role"] == "assistant":
                    history.pop()
            case "ask":
                words = await self._words(planned, client)
                if words is None:
                    return False
                says = content_of(FILLER * words + planned.says, self._shown(act))
                history.append({"role": "user", "content": says})
        return await self._ask(planned, client)

    async def _ask(self, planned: PlannedAct, client: _Client) -> bool:
        request = self._request(planned, client, self._body(planned, client))
        turn = await self._send(planned, request)
        refused = 400 <= (turn.seen.trace.status or 0) < 500
        client.open = client.open or (bool(client.session) and not refused)
        if turn.answered:
            said, thought = turn.seen.text(), turn.seen.text(Channel.REASONING)
            client.history.append({"role": "assistant", "content": said, REASONING: thought})
        else:
            client.history.pop()
        status = planned.promise.status
        if planned.promise.cancelled:
            return turn.answered or turn.seen.ending is Ending.CANCELLED
        if planned.promise.cut:
            return any(action.name == RESTART for action in turn.seen.trace.actions)
        return turn.answered if status is None else turn.seen.trace.status == status

    async def _restart(self, act: Act) -> None:
        """End the target and start it again; raises LaunchFailed."""
        assert self._target.restart is not None, "a cell is skipped where that cannot be"
        await self._target.restart(kill=act.restarts == "kill")
        for client in self._clients.values():
            client.open = False

    async def _cut(self, act: Act, request: TurnRequest) -> Trace:
        """Send a request, and restart the target as soon as its answer has begun."""
        began: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def notice(seen: Observed) -> None:
            if isinstance(seen.event, Delta) and not began.done():
                began.set_result(seen.at_ns)

        problem: TargetError | None = None
        async with asyncio.TaskGroup() as tasks:
            coming = tasks.create_task(self._chat.turn(request, on_event=notice))
            first: set[asyncio.Future[Any]] = {coming, began}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if began.done():
                try:
                    await self._restart(act)
                except TargetError as raised:  # within, it would become one of a group
                    problem = raised
                    coming.cancel()
        if problem is not None:
            raise problem
        trace = coming.result()
        if not began.done():
            return trace
        ended = Action(began.result(), RESTART, {"how": act.restarts})
        return replace(trace, actions=(*trace.actions, ended))

    def _shown(self, act: Act) -> list[Part]:
        return [self._pictures[name] for name in act.shows or ()]

    async def _words(self, planned: PlannedAct, client: _Client) -> int | None:
        """How many words stand before a question; None where the target did not count them."""
        act = planned.act
        if act.repeats:
            return ceil(self._window() * act.repeats)
        if act.leaves is None:
            return 0
        few, many = PROBE_WORDS, PROBE_WORDS + self._window() // 8
        least, most = [await self._tokens(planned, client, words) for words in (few, many)]
        if least is None or most is None or most <= least:
            return None
        return few + (self._window() - act.leaves - least) * (many - few) // (most - least)

    async def _tokens(self, planned: PlannedAct, client: _Client, words: int) -> int | None:
        """How many tokens the prompt has with so many words; the trace is kept, and not judged."""
        assert planned.label is not None
        asked = {"role": "user", "content": FILLER * words + planned.says}
        probe = _Client("", [*client.history, asked])
        request = self._request(planned, probe, {**self._body(planned, probe), "max_tokens": 1})
        label = replace(planned.label, leg=f"{self._cell.name}.measuring", turn=words)
        trace = await self._chat.turn(
            replace(request, label=label, trace_id=f"{request.trace_id}-w{words}")
        )
        self._folder.append(trace)
        return reuse_of(observe(trace)).prompt

    async def _manage(self, planned: PlannedAct, client: _Client) -> bool:
        """Empty a session, or give it back."""
        close = planned.act.do == "close"
        path = f"/v1/sessions/{client.session}"
        request = replace(
            self._request(planned, client, {}),
            path=path if close else f"{path}/reset",
            method="DELETE" if close else "POST",
        )
        turn = await self._send(planned, request)
        status = turn.seen.trace.status
        client.open = client.open and not (close and status == 200)
        return status == planned.promise.status

    async def _send(self, planned: PlannedAct, request: TurnRequest) -> PlayedTurn:
        assert planned.label is not None
        told = planned.act.do in ASKS
        if told:
            self._progress.turn_started(planned.label)
        act = planned.act
        plan = None if act.cancel is None else CancelPlan(CancelPoint.TOKEN, count=act.cancel)
        trace = await (
            self._cut(act, request) if act.restarts else self._chat.turn(request, cancel=plan)
        )
        self._folder.append(trace)
        (turn,) = play_back({planned.label: planned.promise}, [trace])
        if told:
            self._progress.turn_ended(turn)
        return turn

    def _request(
        self, planned: PlannedAct, client: _Client, body: Mapping[str, Any]
    ) -> TurnRequest:
        label = planned.label
        assert label is not None
        return TurnRequest(
            label=label,
            body=body,
            headers={SESSION_HEADER: client.session} if client.session else {},
            trace_id=f"{self._record.salt}-r{label.repeat}-{label.leg}-t{label.turn}",
        )

    def _body(self, planned: PlannedAct, client: _Client) -> Mapping[str, Any]:
        settings = planned.settings
        system = [{"role": "system", "content": self._cell.system}] if self._cell.system else []
        streamed = {"stream": True, "stream_options": {"include_usage": True}}
        body = {
            "model": self._record.target.model,
            "messages": [*system, *(_as_sent(message, settings) for message in client.history)],
            **(streamed if planned.stream else {"stream": False}),
            **settings.fields(),
        }
        cap = planned.act.max_tokens
        if isinstance(cap, str):
            cap = self._window() + (cap == "window+1")
        return body if cap is None else {**body, "max_tokens": cap}

    def _window(self) -> int:
        """The target's window in tokens; a cell that asks this needs the target to claim it."""
        return int((self._record.target.runtime or {})[WINDOW])
