"""How is a scenario played against a target, from the first request to the last report?

    meet the target → for each repeat, each leg, each turn: send, record → close the sessions →
    keep what is known, derive the reports → the next repeat

Every turn is on disk when it has ended, every repeat is reported when it has ended; whatever stops
a run (a dead target, Ctrl-C) leaves a folder from which `results.read_run` reads what there is.
Reports are derived between repeats, never within one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from harness.client import TurnRequest
from harness.driver import share_out
from harness.errors import TargetError, TargetUnreachable
from harness.events import Channel
from harness.judge import judge
from harness.plan import plan
from harness.played import play_back
from harness.report import render_reports
from harness.results import Promised, RunRecord, Seen, read_run
from harness.scenario import digest
from harness.target import meet, runtime_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.client import Reply
    from harness.clock import Clock
    from harness.events import Observed
    from harness.fingerprint import Fingerprint
    from harness.judge import Result
    from harness.plan import PlannedLeg, PlannedTurn
    from harness.played import PlayedTurn
    from harness.results import Driven, RunFolder
    from harness.scenario import Scenario, Settings
    from harness.target import Target
    from harness.trace import Trace, TurnLabel

__all__ = [
    "BY_HAND",
    "Chat",
    "Order",
    "PageTalk",
    "Progress",
    "assistant_message",
    "body_of",
    "play",
    "rederive",
    "see",
    "why_stopped",
]

BY_HAND = "stopped by hand"
"""Why a run ended that Ctrl-C or SIGTERM ended."""

SESSION_HEADER = "x-executorch-session-id"
"""Ignored by servers that keep no sessions; a field of the body might be refused."""


class Chat(Protocol):
    """What a run asks of a client; `client.ChatClient` is the one."""

    async def turn(
        self, request: TurnRequest, *, on_event: Callable[[Observed], None] | None = None
    ) -> Trace:
        """Send one chat request and record what comes back; tell of each event as it is seen."""
        ...

    async def get_json(self, path: str) -> Reply:
        """GET a path."""
        ...

    async def delete(self, path: str) -> Reply:
        """DELETE a path."""
        ...


class PageTalk(Protocol):
    """What a run asks of somebody at the page; `browser.chat.PageChat` is the one."""

    async def turn(self, request: TurnRequest) -> Trace:
        """Type the last message of a request into the page, and record what comes."""
        ...

    async def leave(self) -> None:
        """Give the session back, and close the page."""
        ...


class Progress(Protocol):
    """Who is told while a run goes on; told nothing inside a turn."""

    def started(self, record: RunRecord, turns: int) -> None:
        """The target was met; so many turns will be played."""
        ...

    def turn_started(self, label: TurnLabel) -> None:
        """A turn is about to be sent."""
        ...

    def turn_ended(self, turn: PlayedTurn) -> None:
        """A turn has ended and is on disk."""
        ...

    def repeat_ended(self, result: Result) -> None:
        """All legs of a repeat have ended; this is the result so far."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run."""

    scenario: Scenario
    text: str
    """The scenario file, as it is."""
    repeats: int
    seed: int
    salt: str
    fingerprint: Fingerprint
    driven: Driven | None = None
    """Who plays, where that is not our client alone."""


@dataclass(frozen=True, slots=True)
class _Said:
    """The assistant's side of one turn, as it goes back in later messages."""

    content: str
    reasoning: str


async def play(
    order: Order,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
    page: PageTalk | None = None,
) -> Result:
    """Play every repeat; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    scenario, _ = share_out(order.scenario, order.driven)
    legs = plan(scenario, repeats=order.repeats, seed=order.seed, salt=order.salt)
    record = await _meet(order, target, chat, legs, clock)
    folder.keep_scenario(order.text)
    folder.keep_record(record)
    run = _Run(order, record, chat, folder, progress, page)
    progress.started(record, sum(len(leg.turns) for leg in legs))
    try:
        for repeat in dict.fromkeys(leg.repeat for leg in legs):
            for leg in legs:
                if leg.repeat == repeat:
                    await run.play_leg(leg)
            await run.note_runtime()
            progress.repeat_ended(rederive(folder))
    except BaseException as problem:
        run.stop(why_stopped(problem))
        raise
    finally:
        run.end(clock.wall_iso())
    return rederive(folder)


def rederive(folder: RunFolder) -> Result:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge(*read_run(folder.path))
    folder.keep_reports(render_reports(result))
    return result


def body_of(
    turn: PlannedTurn, replies: Sequence[_Said], settings: Settings, model: str
) -> Mapping[str, Any]:
    """The request body of one turn: what was said, with the answers that came between."""
    messages: list[dict[str, str]] = []
    if turn.system:
        messages.append({"role": "system", "content": turn.system})
    for place, said in enumerate(turn.said):
        messages.append({"role": "user", "content": said})
        if place < len(turn.said) - 1:
            said_back = replies[place]
            messages.append(assistant_message(said_back.content, said_back.reasoning, settings))
    return {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        **settings.fields(),
    }


def assistant_message(content: str, reasoning: str, settings: Settings) -> dict[str, str]:
    """The assistant's side of a turn, as it goes back in later requests."""
    message = {"role": "assistant", "content": content}
    if settings.send_reasoning and reasoning:
        message["reasoning_content"] = reasoning
    return message


async def _meet(
    order: Order, target: Target, chat: Chat, legs: Sequence[PlannedLeg], clock: Clock
) -> RunRecord:
    started_at = clock.wall_iso()
    return RunRecord(
        scenario=order.scenario.name,
        scenario_sha256=digest(order.text),
        repeats=order.repeats,
        seed=order.seed,
        salt=order.salt,
        started_at=started_at,
        fingerprint=order.fingerprint,
        target=await see(target, chat),
        promised=tuple(Promised(turn.label, turn.promise) for leg in legs for turn in leg.turns),
        driven=order.driven,
    )


async def see(target: Target, chat: Chat) -> Seen:
    """Meet a target, and note what it says of itself.

    Raises:
        TargetError: it cannot be met.
    """
    facts = await meet(chat.get_json, target.url, target.model)
    return Seen(
        kind=target.kind,
        url=target.shown_url,
        model=facts.model,
        runtime=facts.runtime,
        ready_s=None if target.ready_ns is None else target.ready_ns / 1e9,
    )


class _Run:
    """A run under way: what is known of it by now, and what each leg has answered."""

    def __init__(
        self,
        order: Order,
        record: RunRecord,
        chat: Chat,
        folder: RunFolder,
        progress: Progress,
        page: PageTalk | None,
    ) -> None:
        self._order, self._record = order, record
        self._chat, self._folder, self._progress = chat, folder, progress
        self._page = page
        self._answers: dict[tuple[int, str], list[_Said]] = {}

    async def play_leg(self, leg: PlannedLeg) -> None:
        """Every turn of a leg, as far as the answers it builds on came."""
        own: list[_Said] = []
        self._answers[leg.repeat, leg.leg.name] = own
        replies = self._answers[leg.repeat, leg.leg.replays] if leg.leg.replays else own
        sessions: dict[str, None] = {}
        page = self._page if leg.leg.driver == "page" else None
        try:
            for turn in leg.turns:
                if len(replies) < turn.label.turn - 1:
                    return
                session = "" if page else self._session(leg, turn.label.turn)
                if session:
                    sessions[session] = None
                said = await self._play_turn(turn, replies, session, page or self._chat)
                if said is None:
                    await self._look_whether_it_lives()
                    return
                own.append(said)
        finally:
            if page:
                await page.leave()
            for session in sessions:
                await self._close(session)

    async def note_runtime(self) -> None:
        """Keep what the target says of itself after a repeat, peak memory above all."""
        if self._record.target.runtime is None:
            return
        after = await runtime_facts(self._chat.get_json)
        self._keep(target=replace(self._record.target, runtime_after=after))

    def stop(self, why: str) -> None:
        """Note why the run ends before its last turn."""
        self._keep(stopped=why)

    def end(self, at: str) -> None:
        """Note when the run ended."""
        self._keep(ended_at=at)

    async def _play_turn(
        self, turn: PlannedTurn, replies: Sequence[_Said], session: str, chat: Chat | PageTalk
    ) -> _Said | None:
        """Send one turn; what was answered, or None where no whole answer came."""
        label = turn.label
        self._progress.turn_started(label)
        request = TurnRequest(
            label=label,
            body=body_of(turn, replies, self._order.scenario.settings, self._record.target.model),
            headers={SESSION_HEADER: session} if session else {},
            trace_id=f"{self._order.salt}-r{label.repeat}-{label.leg}-t{label.turn}",
        )
        trace = await chat.turn(request)
        self._folder.append(trace)
        (played,) = play_back({label: turn.promise}, [trace])
        self._progress.turn_ended(played)
        if not played.answered:
            return None
        return _Said(played.seen.text(), played.seen.text(Channel.REASONING))

    def _session(self, leg: PlannedLeg, turn: int) -> str:
        name = f"bench-{self._order.salt}-r{leg.repeat}-{leg.leg.name}"
        return {"kept": name, "fresh": f"{name}-t{turn}", "none": ""}[leg.leg.session]

    async def _look_whether_it_lives(self) -> None:
        """A turn failed: was it the turn, or is the target gone?

        Raises:
            TargetError: the target is gone.
        """
        await meet(self._chat.get_json, self._record.target.url, self._record.target.model)

    async def _close(self, session: str) -> None:
        """Give a session back; a target that keeps none is free not to know the route."""
        try:
            reply = await self._chat.delete(f"/v1/sessions/{session}")
        except TargetUnreachable:
            return
        if not 200 <= reply.status < 300 and self._record.target.runtime is not None:
            note = f"closing session {session} was answered {reply.status}"
            self._keep(notes=(*self._record.notes, note))

    def _keep(self, **changed: Any) -> None:  # noqa: ANN401 - fields of RunRecord
        self._record = replace(self._record, **changed)
        self._folder.keep_record(self._record)


def why_stopped(problem: BaseException) -> str:
    """Why a run ended before its last turn."""
    if isinstance(problem, KeyboardInterrupt | asyncio.CancelledError):
        return BY_HAND
    if isinstance(problem, TargetError):
        return f"the target is gone: {problem}"
    return f"{type(problem).__name__}: {problem}"
