"""A small load, and a worker in memory that serves it in a time of its own.

Nothing here waits: `run_in_no_time` lets the clock jump to whatever happens next, so that queues,
probes and people who go away are one deterministic story.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.client import Reply
from harness.errors import TargetUnreachable
from harness.fingerprint import Fingerprint
from harness.load.runner import LoadOrder, play_load
from harness.load.scenario import parse_load
from harness.results import RunFolder
from harness.target import Target
from harness.testing import DONE, MS, ManualClock, frame, run_in_no_time, trace
from harness.trace import Action
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.cancel import CancelPlan
    from harness.client import TurnRequest
    from harness.events import Observed
    from harness.judge import Result
    from harness.load.judge import LoadResult
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import Trace, TurnLabel

    Play = Callable[..., LoadResult]

SCENARIO = """\
name = "some"
question = "does it?"
answer = "whether it does"
system = "{nonce}"
tells = "My number is {canary}."
replied = "I see."
asks = "What is it?"
[load]
clients = 3
rounds = 3
alone = 3
deadline_s = 30
[load.burst]
requests = 5
strangers = 1
"""
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
RUNTIME = {"model": "Rehearsal", "maxNamedSessions": 1, "supports": {"reuseMetrics": True}}
PREFILL_MS, STEP_MS, STEPS = 100.0, 20.0, 5
"""Until the first token, and to every other; a whole turn is 180 ms."""


@dataclass
class Worker:
    """One worker behind a queue; every fault is a field."""

    clock: ManualClock = field(default_factory=ManualClock)
    runtime: Mapping[str, Any] | None = field(default_factory=lambda: dict(RUNTIME))
    models: tuple[str, ...] = ("some",)
    """What it lists."""
    places: int = 1
    newest_first: bool = False
    """Serves who came last."""
    swaps: bool = False
    """Does so every other time."""
    keeps_gone: int = 0
    """Computes the turns of so many of those who left."""
    mixes: bool = False
    """Answers with what the client before was told."""
    health_waits: bool = False
    """Says that it lives when nobody is being served."""
    lies_ms: float = 0.0
    """Put on top of every queue time."""
    hangs: int | None = None
    """From so many requests on it says nothing more."""
    refuses: tuple[int, str, Mapping[str, str]] = (429, "capacity_exhausted", {})
    dies: int | None = None
    """Is gone when it is asked for its health for the so-and-so-many-th time."""
    asked: int = 0
    slow_ms: float = 0.0
    """Put on top of every prefill while others wait."""
    marks: Mapping[str, float] = field(default_factory=dict)
    """Of every trace."""
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    busy: bool = False
    sessions: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    canaries: list[str] = field(default_factory=list)
    begun: int = 0

    async def get_json(self, path: str) -> Reply:
        """What is asked before and between the phases."""
        self.asked += path == "/health"
        if self.dies is not None and self.asked >= self.dies:
            raise TargetUnreachable(f"http://worker{path}", "gone")
        models = [{"id": name} for name in self.models]
        found = {"/health": {"status": "ok"}, "/v1/models": {"data": models}}
        told = {**found, "/api/runtime": self.runtime}.get(path)
        return Reply(200, {}, json.dumps(told), told) if told else Reply(404, {}, "", None)

    async def delete(self, path: str) -> Reply:
        """Close a session."""
        self.closed.append(path)
        return Reply(200, {}, "{}", {})

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
    ) -> Trace:
        """Answer a request in the worker's own time, or until its client leaves."""
        assert cancel is not None
        sent_ns = self.clock.now_ns()
        script: list[tuple[float, str]] = []
        headers: Mapping[str, str] = {}
        status, actions = 200, []
        try:
            async with asyncio.timeout(cancel.delay_s):
                if request.method == "GET":
                    await self._say_alive(sent_ns, script)
                elif (refusal := self._refusal(request)) is not None:
                    status, headers = refusal[0], refusal[2]
                    script.append(
                        (1.0, json.dumps({"error": {"message": "no", "code": refusal[1]}}))
                    )
                    await asyncio.sleep(0.001)
                else:
                    await self._serve(request, sent_ns, script, on_event)
        except TimeoutError:
            actions = [Action(self.clock.now_ns() - sent_ns, "close")]
        told = trace(
            *script,
            request=request.body,
            status=status,
            content_type="text/event-stream" if status == 200 else "application/json",
            actions=actions,
            transport_error=None,
            marks=self.marks,
            trace_id=request.trace_id,
            label=request.label,
            closed_at_ms=(self.clock.now_ns() - sent_ns) / MS,
        )
        return replace(
            told,
            method=request.method,
            path=request.path,
            sent_at_ns=sent_ns,
            headers=(*told.headers, *headers.items()),
        )

    def _refusal(self, request: TurnRequest) -> tuple[int, str, Mapping[str, str]] | None:
        session = request.headers.get("x-executorch-session-id", "")
        if not session or session in self.sessions:
            return None
        if len(self.sessions) >= self.places:
            return self.refuses
        self.sessions.add(session)
        return None

    async def _say_alive(self, sent_ns: int, script: list[tuple[float, str]]) -> None:
        await asyncio.sleep(0.002)
        while self.health_waits and self.busy:  # noqa: ASYNC110 - on a clock that jumps
            await asyncio.sleep(0.010)
        script.append(((self.clock.now_ns() - sent_ns) / MS, '{"status":"ok"}'))

    async def _serve(
        self,
        request: TurnRequest,
        sent_ns: int,
        script: list[tuple[float, str]],
        on_event: Callable[[Observed], None] | None,
    ) -> None:
        def say(text: str) -> None:
            script.append(((self.clock.now_ns() - sent_ns) / MS, text))
            if on_event and "content" in text:
                seen = observe(trace((0, text)))
                on_event(seen.events[0])

        say(frame(role="assistant"))
        self.begun += 1
        if self.hangs is not None and self.begun >= self.hangs:
            await asyncio.Event().wait()
        await self._my_turn()
        queue_ms = (self.clock.now_ns() - sent_ns) / MS + self.lies_ms
        (own,) = re.findall(r"number is (\d{4})", str(request.body["messages"]))
        self.canaries.append(own)
        told = self.canaries[-2] if self.mixes and len(self.canaries) > 1 else own
        try:
            await asyncio.sleep((PREFILL_MS + self.slow_ms * bool(self.waiting)) / 1e3)
            for word in ["It ", "is ", told, ", ", "yes."]:
                say(frame(content=word))
                await asyncio.sleep(STEP_MS / 1e3)
            counts = {"prompt_tokens": 20, "completion_tokens": STEPS}
            metrics = {
                **counts,
                "queue_ms": queue_ms,
                "prompt_ms": 0.0,
                "reused_prompt_tokens": 0,
                "prefilled_prompt_tokens": 20,
                "resident_tokens": 25,
                "session_reset_reason": "new",
            }
            say(frame(finish="stop") + frame(muse_metrics=metrics) + frame(usage=counts) + DONE)
        finally:
            self._next()

    async def _my_turn(self) -> None:
        if not self.busy:
            self.busy = True
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if self.keeps_gone and place in self.waiting:
                self.keeps_gone -= 1
            elif place in self.waiting:
                self.waiting.remove(place)
            raise

    def _next(self) -> None:
        """The next in the queue; one who left and was kept is computed first, for nobody."""
        if not self.waiting:
            self.busy = False
            return
        odd = self.swaps and len(self.canaries) % 2
        place = self.waiting.pop(-1 if self.newest_first or odd else 0)
        if place.done():
            loop = asyncio.get_running_loop()
            loop.call_later((PREFILL_MS + STEPS * STEP_MS) / 1e3, self._next)
        else:
            place.set_result(None)


class Silence:
    """A progress that counts nothing."""

    def started(self, record: RunRecord, turns: int) -> None:
        """Note nothing."""

    def turn_started(self, label: TurnLabel) -> None:
        """Note nothing."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Note nothing."""

    def repeat_ended(self, result: Result) -> None:
        """Never told of load."""


def play(worker: Worker, path: Path, text: str = SCENARIO, model: str | None = None) -> LoadResult:
    """Put the small load on a worker."""
    load = parse_load(text, Path("some.toml"))
    order = LoadOrder(load, text, load.load.rounds, 1, "salt", MACHINE)
    return run_in_no_time(
        play_load(
            order,
            Target("url", "http://worker", model=model),
            worker,
            RunFolder.create(path),
            clock=worker.clock,
            progress=Silence(),
        ),
        worker.clock,
    )


class Stage:
    """The worker, the small load, and the folder it leaves."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.text, self.worker = folder, SCENARIO, Worker()
        self.model: str | None = None

    def play(self, **faults: Any) -> LoadResult:  # noqa: ANN401 - fields of Worker
        """Put the load on a worker with these faults."""
        self.worker = Worker(**faults)
        return play(self.worker, self.folder, self.text, self.model)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """One run to be looked at."""
    return Stage(tmp_path / "run")


@pytest.fixture(name="play")
def _play(stage: Stage) -> Play:
    """Puts the small load on a worker with these faults."""
    return stage.play
