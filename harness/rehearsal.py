"""How does a run go against a target that is known in every detail?

`RehearsalChat` stands where `ChatClient` stands in a run, and answers without a server, a socket
or a wait: it keeps sessions as the playground does, counts words for tokens, and moves a
`ManualClock` by what prefill and decode would have taken.  So the whole way from a scenario file
to its reports is one deterministic test.

    prefill_ms a prompt word that is not resident, step_ms an answer word, transport_ms each way

A picture counts `PICTURE_WORDS` words and takes `ENCODE_MS` unless it is resident.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from harness.client import Reply
from harness.errors import TargetUnreachable
from harness.events import Delta
from harness.pictures import shown_in, words_of
from harness.testing import DONE, MS, ManualClock, frame, trace
from harness.trace import Action
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.cancel import CancelPlan
    from harness.client import TurnRequest
    from harness.events import Observed
    from harness.trace import Trace

__all__ = ["Answer", "RehearsalChat"]

JSON = "application/json"
PICTURE_WORDS = 16
ENCODE_MS = 3.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the rehearsed model says to a prompt."""

    content: str
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Functions that are called: name and arguments as JSON text."""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    """Goes into the reply's muse_metrics, before what is there."""


@dataclass
class RehearsalChat:
    """A target in memory; every part of it can be spoilt by a test."""

    answer: Callable[[Sequence[Mapping[str, Any]]], Answer]
    """From the messages of a request to what is said."""
    clock: ManualClock = field(default_factory=ManualClock)
    runtime: Mapping[str, Any] | None = field(
        default_factory=lambda: {
            "model": "Rehearsal",
            "supports": {"reuseMetrics": True},
            "memory": {"serverPeakBytes": 64 * 2**20, "workerPeakBytes": 128 * 2**20},
        }
    )
    """What `/api/runtime` says; None for a target without that route, whose replies carry no
    muse_metrics either."""
    prefill_ms: float = 0.5
    step_ms: float = 2.0
    transport_ms: float = 1.0
    before_turn: Callable[[TurnRequest], None] = lambda _request: None
    """Called before each turn; what it raises, the run meets."""
    spoil: Callable[[str], str] = lambda body: body
    """Changes the body of every reply."""
    places: int | None = None
    """How many sessions it keeps; another one is refused."""
    window: int = 100_000
    """Words that a prompt may have, and an answer."""
    alive: bool = True
    durable: bool = False
    """Whether what is resident outlives a restart."""
    interrupt: Callable[[Trace], Trace] = lambda whole: replace(
        whole, chunks=whole.chunks[:3], transport_error="the connection broke"
    )
    """What becomes of a reply in whose middle it is restarted."""
    restarts: list[str] = field(default_factory=list)
    requests: list[TurnRequest] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    _sessions: dict[str, tuple[list[Mapping[str, Any]], int]] = field(default_factory=dict)
    """By id: the messages that are resident, and how many tokens that is."""
    _restarted: asyncio.Event = field(default_factory=asyncio.Event)

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
    ) -> Trace:
        """Answer a chat request at once, on the clock's own time.

        Whoever wants to know of events is told of the first, and waited for: it will `restart`.
        A cancel is heard when so many words were said, and nothing is resident after it.
        """
        self.before_turn(request)
        self.requests.append(request)
        started = self.clock.now_ns()
        if not self.alive:
            return self._trace(request, [], status=None, broken="cannot connect")
        if request.path.startswith("/v1/sessions/"):
            return self._manage(request)
        if refusal := self._refusal(request):
            return self._refuse(request, *refusal)
        script = self._reply(request, cancel.count if cancel else None)
        self.clock.advance_ms(script[-1][0])
        assert self.clock.now_ns() > started
        if request.body.get("stream"):
            whole = self._trace(request, script)
            if cancel and '"cancelled": true' in script[-1][1]:
                acts = (Action(whole.chunks[-1].at_ns, name) for name in ("cancel", "cancel.ack"))
                return replace(whole, actions=tuple(acts))
            return whole if on_event is None else await self._interrupted(whole, on_event)
        return self._trace(request, script, content_type=JSON)

    async def restart(self, *, kill: bool = False) -> None:
        """Lose all that is resident."""
        self.restarts.append("kill" if kill else "stop")
        if not self.durable:
            self._sessions.clear()
        self._restarted.set()

    async def _interrupted(self, whole: Trace, on_event: Callable[[Observed], None]) -> Trace:
        self._restarted.clear()
        for seen in observe(whole).events:
            on_event(seen)
            if isinstance(seen.event, Delta):
                await self._restarted.wait()
                break
        return self.interrupt(whole)

    async def get_json(self, path: str) -> Reply:
        """The routes that a run asks before and between turns."""
        self._refuse_when_dead(path)
        found: dict[str, object] = {
            "/health": {"status": "ok"},
            "/v1/models": {"object": "list", "data": [{"id": "rehearsal", "object": "model"}]},
        }
        if self.runtime is not None:
            found["/api/runtime"] = self.runtime
        if path not in found:
            return Reply(404, {}, "", None)
        return Reply(200, {}, json.dumps(found[path]), found[path])

    async def delete(self, path: str) -> Reply:
        """Close a session."""
        self._refuse_when_dead(path)
        self.closed.append(path)
        self._sessions.pop(path.rpartition("/")[2], None)
        return Reply(200, {}, '{"closed":true}', {"closed": True})

    def _manage(self, request: TurnRequest) -> Trace:
        """Empty a session, or give it back."""
        session = request.path.split("/")[3]
        known = session in self._sessions
        if known and request.method == "DELETE":
            del self._sessions[session]
        elif known:
            self._sessions[session] = ([], 0)
        return self._trace(request, [(1.0, json.dumps({"known": known}))], content_type=JSON)

    def _refusal(self, request: TurnRequest) -> tuple[int, str] | None:
        """Status and code of what is not even begun."""
        session = request.headers.get("x-executorch-session-id", "")
        new = session not in {"", *self._sessions}
        if new and self.places is not None and len(self._sessions) >= self.places:
            return 429, "capacity_exhausted"
        words = _words(request.body["messages"])
        if max(words, request.body.get("max_tokens", 0)) > self.window:
            return 400, "context_length_exceeded"
        return None

    def _refuse(self, request: TurnRequest, status: int, code: str) -> Trace:
        body = json.dumps({"error": {"message": code, "type": "refused", "code": code}})
        return self._trace(request, [(1.0, body)], status=status, content_type=JSON)

    def _refuse_when_dead(self, path: str) -> None:
        if not self.alive:
            raise TargetUnreachable(f"rehearsal:{path}", "cannot connect")

    def _reply(self, request: TurnRequest, heard: int | None) -> list[tuple[float, str]]:
        """The frames of a reply with the ms at which each is read.

        `heard` is after how many words a cancel is heard.
        """
        messages = request.body["messages"]
        said = self.answer(messages)
        words = [("reasoning", word) for word in said.reasoning.split()]
        words += [("content", word) for word in said.content.split()]
        cap = request.body.get("max_tokens", len(words))
        cancelled = heard is not None and heard < min(cap, len(words))
        cut, words = cap < len(words), words[: heard if cancelled else cap]
        session = request.headers.get("x-executorch-session-id", "")
        before, resident = self._sessions.get(session, ([], 0))
        # A session that goes on keeps what it thought; the messages themselves do not hold it.
        reused = resident if before and messages[:-1] == before else 0
        told = messages[-1:] if reused else messages
        prompt = reused + _words(told)
        if session:
            reply = {"role": "assistant", "content": said.content}
            kept = ([{}], 0) if cancelled else ([*messages, reply], prompt + len(words))
            self._sessions[session] = kept
        prefill = (prompt - reused) * self.prefill_ms + ENCODE_MS * shown_in(told)
        first = self.transport_ms + prefill + self.step_ms
        frames = [(self.transport_ms, frame(role="assistant"))]
        for at, (channel, word) in enumerate(words):
            end = " " if [c for c, _ in words[at + 1 : at + 2]] == [channel] else ""
            text = frame(**{channel: f"{word}{end}"})  # type: ignore[arg-type]
            if channel == "content" or _shows_reasoning(request):
                frames.append((first + at * self.step_ms, text))
        frames += [
            (frames[-1][0], frame(calls=[_fragment(index, *call)]))
            for index, call in enumerate(said.calls)
        ]
        last = frames[-1][0]
        counts = {
            "prompt_tokens": prompt,
            "completion_tokens": len(words),
            "prompt_tokens_details": {"cached_tokens": reused},
            "completion_tokens_details": {
                "reasoning_tokens": sum(channel == "reasoning" for channel, _ in words)
            },
        }
        metrics = {
            "prompt_tokens": prompt,
            "completion_tokens": len(words),
            "reused_prompt_tokens": reused,
            "prefilled_prompt_tokens": prompt - reused,
            "resident_tokens": prompt + len(words),
            "session_reset_reason": _reset_reason(before, reused),
            "cancelled": cancelled,
            "queue_ms": 0.0,
            "prompt_ms": 0.0,
            "prefill_ms": prefill,
            "decode_ms": len(words) * self.step_ms,
            "ttft_ms": first - self.transport_ms,
            "wall_ms": last - self.transport_ms,
            "image_tokens": PICTURE_WORDS * shown_in(messages),
            "vision_encoder_ms": ENCODE_MS * shown_in(told) or None,
            **said.metrics,
        }
        finish = "length" if cut else "tool_calls" if said.calls else "stop"
        tail = [frame(finish="stop" if cancelled else finish)]
        if self.runtime is None:
            del counts["prompt_tokens_details"]
        else:
            tail.append(frame(muse_metrics=metrics))
        tail += [frame(usage=counts), DONE]
        script = [*frames, (last, "".join(tail))]
        return script if request.body.get("stream") else [(last, _whole(script))]

    def _trace(
        self,
        request: TurnRequest,
        script: Sequence[tuple[float, str]],
        *,
        status: int | None = 200,
        broken: str | None = None,
        content_type: str = "text/event-stream",
    ) -> Trace:
        told = trace(
            *((at, self.spoil(text)) for at, text in script),
            request=request.body,
            content_type=content_type,
            status=status,
            transport_error=broken,
            trace_id=request.trace_id,
            label=request.label,
            closed_at_ms=script[-1][0] if script else self.clock.now_ns() / MS,
        )
        return replace(told, method=request.method, path=request.path)


def _words(messages: Sequence[Mapping[str, Any]]) -> int:
    """What stands for tokens."""
    texts = sum(len(words_of(message["content"]).split()) for message in messages)
    # A picture is a word of its message already.
    return texts + (PICTURE_WORDS - 1) * shown_in(messages)


def _reset_reason(before: Sequence[Mapping[str, Any]], reused: int) -> str:
    if reused:
        return "exact_prefix"
    return "mismatch" if before else "new"


def _shows_reasoning(request: TurnRequest) -> bool:
    """Unless it was asked not to."""
    kwargs = request.body.get("chat_template_kwargs", {})
    return bool(kwargs.get("return_reasoning", True))


def _whole(script: Sequence[tuple[float, str]]) -> str:
    """The body of a buffered reply that says what a stream says."""
    message: dict[str, Any] = {"content": ""}
    reply: dict[str, Any] = {"object": "chat.completion"}
    frames = "".join(text for _, text in script).removesuffix(DONE).split("\n\n")
    for chunk in (json.loads(each.removeprefix("data: ")) for each in frames if each):
        for choice in chunk.pop("choices", ()):
            for name, value in choice["delta"].items():
                joins = name in {"content", "reasoning_content"}
                message[name] = message.get(name, "") + value if joins else value
            reply["choices"] = [{**choice, "message": message}]
        reply |= {name: chunk[name] for name in ("usage", "muse_metrics") if name in chunk}
    for choice in reply["choices"]:
        del choice["delta"]
    return json.dumps(reply, ensure_ascii=False)


def _fragment(index: int, name: str, arguments: str) -> Mapping[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}
