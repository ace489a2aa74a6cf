"""A race track: a target in memory that can be stopped, and can be taught every bad manner.

It has one worker and a queue, and time moves only when the worker works: a millisecond a word.
Whoever waits is woken between two words, so that a race comes out the same each time.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.cancel import CANCEL_PATH
from harness.client import Reply
from harness.fingerprint import Fingerprint
from harness.races.runner import Instruments, RacesOrder, play_races
from harness.races.scenario import parse_races
from harness.results import RunFolder
from harness.target import Target
from harness.testing import DONE, MS, ManualClock, frame
from harness.trace import Action, Chunk, Trace
from harness.wire import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.cancel import Meddle
    from harness.client import TurnRequest
    from harness.events import Observed
    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.races.judge import RacesResult
    from harness.results import RunRecord
    from harness.trace import TurnLabel

    Race = Callable[..., RacesResult]

HEADERS = (("content-type", "text/event-stream"),)
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
RUNTIME: Mapping[str, Any] = {
    "model": "Track",
    "maxNamedSessions": 2,
    "pids": {"server": 7},
    "supports": {
        "reuseMetrics": True,
        "warmResume": True,
        "cancel": True,
        "vision": True,
        "dflash": True,
    },
}
HEAD = """\
name = "some"
question = "does it stop?"
answer = "whether it does"
rounds = 56
[opening]
says = "Who are you?"
max_tokens = 8
[bystander]
says = "Say twelve words."
max_tokens = 12
[[prompt]]
name = "long"
says = "Say many words."
max_tokens = 400
whole = 12
[[prompt]]
name = "seen"
says = "Say many words of this."
pictures = 1
goes_on = false
max_tokens = 400
whole = 12
"""
POINTS = {
    "queued": "long",
    "prefill": "long",
    "vision": "seen",
    "reasoning": "long",
    "content": "long",
    "round": "long",
    "last": "long",
    "done": "long",
}
WAYS = ("request", "session", "close", "both", "twice", "wrong", "behind")


def scenario(points: tuple[str, ...] = tuple(POINTS), ways: tuple[str, ...] = WAYS) -> str:
    """A scenario of these points and ways."""
    told = [f'[[point]]\nat = "{at}"\nprompt = "{POINTS[at]}"\njitter_ms = 1\n' for at in points]
    told += [f'[[way]]\ndoes = "{way}"\n' for way in ways]
    return HEAD + "".join(told)


@dataclass(eq=False)
class Job:
    """A turn in the queue or with the worker."""

    name: str
    session: str
    body: Mapping[str, Any]
    emit: Callable[[str], None]
    over: asyncio.Future[None]
    cancelled: bool = False
    said: int = 0
    extra: int = 0
    """Words that are still said after a cancel."""


@dataclass
class Track:
    """The target; `fault` is what it does wrong."""

    fault: str = ""
    runtime: Mapping[str, Any] | None = field(default_factory=lambda: dict(RUNTIME))
    clock: ManualClock = field(default_factory=ManualClock)
    cpu_s: float = 0.0
    _queue: deque[Job] = field(default_factory=deque)
    _active: Job | None = None
    _worker: asyncio.Task[None] | None = None
    _sessions: set[str] = field(default_factory=set)
    _spoilt: set[str] = field(default_factory=set)
    """Sessions in which a turn was stopped."""
    _cancels: int = 0

    # -- what a run asks of a client

    async def get_json(self, path: str) -> Reply:
        """The routes that a run asks."""
        found: dict[str, object] = {
            "/health": {"status": "ok"},
            "/v1/models": {"object": "list", "data": [{"id": "track"}]},
        }
        if self.runtime is not None:
            found["/api/runtime"] = self.runtime
        return Reply(200 if path in found else 404, {}, "", found.get(path))

    async def delete(self, path: str) -> Reply:
        """Never asked: a session is given back by a turn."""
        raise NotImplementedError

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        meddle: Meddle | None = None,
    ) -> Trace:
        """Send one request; whatever is said of it comes as the worker works."""
        line = Line(self, request, on_event)
        if request.method == "DELETE":
            self._close(request.path.rpartition("/")[2])
            line.emit('{"closed": true}')
        elif request.method == "GET":
            line.emit(json.dumps(self.runtime))
        elif self._full(line.session):
            line.status = 429
            line.emit('{"error": {"message": "no place"}}')
        else:
            await self._play(line, meddle)
        return line.as_trace()

    async def pause(self, seconds: float) -> None:
        """Wait on the track's own clock."""
        due_ns = self.clock.now_ns() + round(seconds * 1e9)
        while self.clock.now_ns() < due_ns:
            if self._active is None:
                self.clock.advance_ms((due_ns - self.clock.now_ns()) / MS)
            await asyncio.sleep(0)

    def cpu(self, _pid: int) -> float:
        """Seconds of processor time."""
        self.cpu_s += 0.2 if self.fault == "spins" and self._spoilt else 0.0
        return self.cpu_s

    # -- the queue

    async def _play(self, line: Line, meddle: Meddle | None) -> None:
        if line.session:
            self._sessions.add(line.session)
        async with asyncio.TaskGroup() as tasks:
            if meddle:
                tasks.create_task(_run(meddle, line))
            line.emit(frame(role="assistant"))
            waits = self._active is not None or bool(self._queue)
            self._queue.append(line.job)
            self._tell(line.job, "queued" if waits else "prefill")
            if self._worker is None or self._worker.done():
                self._worker = asyncio.ensure_future(self._drive())
            await asyncio.wait({line.job.over})

    async def _drive(self) -> None:
        while self._queue:
            self._active = job = self._queue.popleft()
            if not job.cancelled:
                await self._run(job)
            self._end(job)
            self._active = None
            await self._tick()

    async def _run(self, job: Job) -> None:
        if any(isinstance(m["content"], list) for m in job.body["messages"]):
            self._tell(job, "encoding")
            await self._ticks(4)
        self._tell(job, "prefill")
        await self._ticks(5)
        self._tell(job, "decode")
        for word in self._answer(job):
            if job.cancelled and job.said >= job.extra:
                return
            await self._tick()
            if job.cancelled and job.said >= job.extra:
                return
            job.said += 1
            channel = "reasoning" if word.startswith("~") else "content"
            job.emit(frame(**{channel: f"{word} "}))  # type: ignore[arg-type]
        await self._ticks(2)

    def _answer(self, job: Job) -> list[str]:
        asked = str(job.body["messages"][-1]["content"])
        cap = job.body["max_tokens"]
        if "Who" in asked:
            if self.fault == "garbles" and job.session in self._spoilt:
                return ["I", "am", "somebody", "else."][:cap]
            return ["I", "am", "the", "track."][:cap]
        if "twelve" in asked:
            return [f"b{number}" for number in range(cap)]
        return ["~first", "~I", "~think", *(f"w{number}" for number in range(cap - 3))]

    def _tell(self, job: Job, state: str) -> None:
        if job.body["stream_options"].get("include_status"):
            job.emit(f"data: {json.dumps({'muse_status': {'state': state}})}\n\n")

    def _end(self, job: Job) -> None:
        if job.over.done():  # whoever asked is gone
            return
        if self.fault == "endless" and job.cancelled:
            job.over.set_result(None)
            return
        prompt, told = 20, job.cancelled and self.fault != "denies"
        counts = {"prompt_tokens": prompt, "completion_tokens": job.said}
        metrics = {
            **counts,
            "reused_prompt_tokens": 0,
            "prefilled_prompt_tokens": prompt + (self.fault == "miscounts"),
            "resident_tokens": prompt + job.said,
            "dflash_rounds": job.said,
            "cancelled": told,
        }
        job.emit(frame(finish="stop"))
        if self.runtime is not None:
            job.emit(frame(muse_metrics=metrics))
        job.emit(frame(usage=counts) + DONE)
        job.over.set_result(None)

    async def _ticks(self, count: int) -> None:
        for _ in range(count):
            await self._tick()

    async def _tick(self) -> None:
        self.clock.advance_ms(1)
        for _ in range(12):  # whoever waits does what they will
            await asyncio.sleep(0)

    # -- stopping

    async def cancel(self, body: Mapping[str, Any]) -> Reply:
        """Answer a cancel, and do as it says, or as the fault does."""
        self._cancels += 1
        second = self._cancels % 2 == 0
        await asyncio.sleep(0)
        unfinished = [j for j in (self._active, *self._queue) if j and not j.over.done()]
        named, session = body.get("request_id"), body.get("session_id")
        meant = [j for j in unfinished if named in {None, j.name}]
        if session is not None and self.fault != "obeys strangers":
            meant = [j for j in meant if j.session == session]
        for job in meant[:1]:
            self._stop(job)
        if self.fault == "strays":
            for job in unfinished:
                job.cancelled = job.cancelled or not job.session
        if self.fault == "fails the second" and second:
            return Reply(500, {}, "", {"error": "no"})
        told = bool(meant) or self.fault == "always true"
        return Reply(200, {}, "", {"cancelled": told})

    def hang_up(self, job: Job) -> None:
        """Whoever was told goes on without a reader."""
        if job.over.done():
            return
        job.over.set_result(None)
        if self.fault != "deaf":
            self._spoilt.add(job.session)
            job.cancelled = True

    def _stop(self, job: Job) -> None:
        self._spoilt.add(job.session)
        job.cancelled = self.fault != "loses cancels"
        job.extra = job.said + 20 if self.fault == "drips" else 0

    def _full(self, session: str) -> bool:
        places = (self.runtime or {}).get("maxNamedSessions")
        if not places or session in {"", *self._sessions}:
            return False
        return len(self._sessions) >= int(places)

    def _close(self, session: str) -> None:
        if not (self.fault == "leaks" and session in self._spoilt):
            self._sessions.discard(session)


async def _run(meddle: Meddle, line: Line) -> None:
    await meddle(line)


class Line:
    """One request, and the hold on it."""

    def __init__(
        self, track: Track, request: TurnRequest, on_event: Callable[[Observed], None] | None
    ) -> None:
        self._track, self._request, self._on_event = track, request, on_event
        self._zero_ns = track.clock.now_ns()
        self._chunks: list[Chunk] = []
        self._actions: list[Action] = []
        self._observer = Observer(request.body, 200, HEADERS)
        self._left = False
        self.status = 200
        session = request.headers.get("x-executorch-session-id", "")
        self.session = session if track.runtime is not None else ""
        over = asyncio.get_running_loop().create_future()
        self.job = Job(request.trace_id, self.session, request.body, self.emit, over)

    @property
    def name(self) -> str:
        """Of the turn."""
        return self._request.trace_id

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return self.job.over.done()

    async def until(self, *moments: asyncio.Future[None], timeout_s: float | None = None) -> None:
        """Wait for a moment, or the end."""
        assert timeout_s is None
        await asyncio.wait({self.job.over, *moments}, return_when=asyncio.FIRST_COMPLETED)

    def note(self, name: str, **detail: Any) -> None:  # noqa: ANN401 - JSON
        """An action, now."""
        at_ns = self._track.clock.now_ns() - self._zero_ns
        self._actions.append(Action(at_ns, name, detail))

    async def cancel(self, body: Mapping[str, Any], path: str = CANCEL_PATH) -> None:
        """Post a cancel."""
        self.note("cancel", path=path, body=dict(body))
        reply = await self._track.cancel(body)
        self.note("cancel.ack", status=reply.status, body=reply.json)

    def hang_up(self) -> None:
        """Be gone."""
        self.note("close")
        self._left = True
        self._track.hang_up(self.job)

    def emit(self, text: str) -> None:
        """What the server writes."""
        if self._left:
            return
        chunk = Chunk(self._track.clock.now_ns() - self._zero_ns, text.encode())
        self._chunks.append(chunk)
        for seen in self._observer.feed(chunk) if self._on_event else ():
            self._on_event(seen)  # type: ignore[misc]

    def as_trace(self) -> Trace:
        """What was seen."""
        request = self._request
        json_body = self.status != 200 or request.method != "POST"
        return Trace(
            trace_id=request.trace_id,
            label=request.label,
            started_at=self._track.clock.wall_iso(),
            method=request.method,
            path=request.path,
            request=request.body,
            request_headers=dict(request.headers),
            status=self.status,
            headers=(("content-type", "application/json"),) if json_body else HEADERS,
            headers_at_ns=0,
            chunks=tuple(self._chunks),
            closed_at_ns=self._track.clock.now_ns() - self._zero_ns,
            actions=tuple(self._actions),
        )


class Silence:
    """A progress that says nothing."""

    def started(self, record: RunRecord, turns: int) -> None:
        """Nothing."""

    def turn_started(self, label: TurnLabel) -> None:
        """Nothing."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Nothing."""

    def repeat_ended(self, result: Result) -> None:
        """Nothing."""


def race(
    path: Path, track: Track, text: str | None = None, *, rounds: int = 56, kind: str = "embedded"
) -> RacesResult:
    """Run races on a track."""
    text = scenario() if text is None else text
    order = RacesOrder(parse_races(text, Path("some.toml")), text, rounds, 1, "salt", MACHINE)
    target = Target(kind, "http://track", ready_ns=None)
    return asyncio.run(
        play_races(
            order,
            target,
            track,
            RunFolder.create(path),
            clock=track.clock,
            progress=Silence(),
            instruments=Instruments(pause=track.pause, cpu=track.cpu),
        )
    )


@pytest.fixture(name="race")
def _race() -> Race:
    """Runs races on a track."""
    return race


@pytest.fixture(name="track")
def _track() -> Callable[..., Track]:
    """Makes a track with a fault, or none."""
    return Track


@pytest.fixture(name="scenario")
def _scenario() -> Callable[..., str]:
    """Tells a scenario of some points and ways."""
    return scenario
