"""What is the life of a turn, from the body of a request to its last event?

    read      the body, strictly, and its pictures, in a thread        400, 404 for another model
    admit     take the session's place, by the server's own book       400, 429
    prompt    render and tokenise once, in a thread                    400 if it does not fit
    queue     behind whoever came first                                503 if there is no worker
    ────────  `accept` ends here; an error so far is an ordinary answer, from here on an event
    wait      Status, about once a second, or as soon as it changes if the caller watches: queued,
              encoding, prefill, decode
    text      Reasoning and Content as they come, each Call when it is complete; a stop string in
              the content ends the turn
    record    keep the ids for the next turn, if this one came to its own end
    finish    Finish, Metrics, Usage

Streams and buffered replies are made from the same events, so both say the same.

Stop strings are looked for in what the caller sees as content, nowhere else: not in reasoning, not
in headers. The worker knows nothing of them; a turn that met one is stopped like a cancelled one,
which costs the session its warm cache, but is not called cancelled.

Clock readings in `Metrics` count from the moment the request's body was complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.answer import Answer
from playground.cost import metrics_of, summary_of, usage_of
from playground.errors import (
    APIError,
    InvalidRequest,
    ModelNotFound,
    ServerError,
    Unavailable,
    UnsupportedParameter,
)
from playground.events import Finish, Reasoning, Status
from playground.images import images_in
from playground.runtime import Turn, TurnState
from playground.schemas import read_chat_request
from playground.sse import DONE, Completion, error_frame
from playground.thinking import thinking_tokens
from playground.worker.messages import (
    GenerateRequest,
    IdsSegment,
    ImageSegment,
    Progress,
    Sampling,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from playground.events import Event, Text
    from playground.images import ImageReader, ShownImage
    from playground.prompt import PromptBuilder, PromptInput
    from playground.runtime import SessionRuntime
    from playground.schemas import ChatRequest
    from playground.sessions import Sessions

__all__ = ["ChatTurn", "ServingChat"]

LOG = logging.getLogger(__name__)

LARGE_BODY_BYTES = 256 * 1024
"""A body of this size takes long enough to parse that it is done in a thread."""


@dataclass(frozen=True, slots=True, eq=False)
class ChatTurn:
    """A turn that was accepted: what was asked, what was made of it, and where it stands."""

    completion: Completion
    request: ChatRequest
    prompt: PromptInput
    turn: Turn
    accepted_at: float
    prompt_s: float


@dataclass(slots=True)
class ServingChat:
    """Chat completions of one model."""

    model_id: str
    reasoning_strength: str
    """For requests that name none."""
    prompts: PromptBuilder
    images: ImageReader
    sessions: Sessions
    runtime: SessionRuntime
    plain_turns: bool = True
    """Whether the worker can decode one turn without drafting."""
    keep_alive_s: float = 1.0
    clock: Callable[[], float] = time.perf_counter
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def accept(
        self, body: bytes, *, request_id: str, session_id: str | None = None
    ) -> ChatTurn:
        """Do everything that can be refused, and queue the turn.

        `session_id` is the one named beside the body; one in the body goes before it.

        Raises:
            APIError: nothing was changed and nothing is queued.
        """
        accepted_at = self.clock()
        request = await self._read(body)
        images = await self._look_at_images(request)
        session = self.sessions.admit(request.session_id or session_id)
        try:
            began_at = self.clock()
            prompt = await asyncio.to_thread(
                self.prompts.build,
                request.messages,
                images=images,
                settings={
                    "current_date": session.pinned_date.isoformat(),
                    "reasoning_strength": request.reasoning_strength or self.reasoning_strength,
                    "tools": [tool.as_template() for tool in request.offered_tools],
                },
                cap=request.completion_cap,
                transcript=session.transcript,
                continues=request.continues,
            )
            prompt_s = self.clock() - began_at
            self._need_a_new_name(
                request_id
            )  # only now: nothing is awaited between this and submit
            generate = _generate_request(request, prompt, session.session_id)
            turn = Turn(
                request_id,
                session,
                generate,
                self.clock,
                watched=request.include_status,
                prompt_tokens=prompt.prompt_tokens,
            )
            self.runtime.submit(turn)
        except BaseException:
            self.sessions.leave(session)
            raise
        completion = Completion(
            id=turn.completion_id,
            created=int(time.time()),
            model=self.model_id,
            return_reasoning=request.return_reasoning,
            include_usage=request.include_usage,
            include_status=request.include_status,
        )
        return ChatTurn(completion, request, prompt, turn, accepted_at, prompt_s)

    async def stream(self, chat: ChatTurn) -> AsyncIterator[bytes]:
        """The turn as a stream: each piece is whole frames, what comes together being one piece."""
        frame = chat.completion.frame
        yield chat.completion.opening()
        spoke = False
        try:
            async for events in self.events(chat):
                status = isinstance(events[0], Status)
                if status and spoke:  # text has come since the last beat, so nobody is in doubt
                    spoke = False
                elif data := b"".join(frame(event) for event in events):
                    spoke = not status
                    yield data
        except APIError as error:
            yield error_frame(error)
        except Exception:  # a bug; the reader is owed an end all the same
            LOG.exception("a turn broke off")
            yield error_frame(ServerError("something went wrong in the server; its log says what"))
        yield DONE

    async def reply(self, chat: ChatTurn) -> dict[str, Any]:
        """The turn as one JSON body.

        Raises:
            APIError: the turn broke off.
        """
        return chat.completion.reply(
            [event async for events in self.events(chat) for event in events]
        )

    async def events(self, chat: ChatTurn) -> AsyncIterator[Sequence[Event]]:
        """Everything the turn emits, in order; what comes together is given together.

        Raises:
            APIError: the turn broke off.
        """
        turn, answer = chat.turn, self._answer(chat.request)
        if turn.watched:
            yield [self._status(turn)]
        decodes = not turn.watched  # whether that needs no saying any more
        with _heartbeat(turn, self.keep_alive_s):
            while (texts := await turn.texts()) or turn.state is not TurnState.OVER:
                if texts and not decodes:
                    decodes = True
                    yield [Status("decode")]
                if pieces := [event for text in texts for event in answer.feed(text)]:
                    self._stamp(chat, pieces)
                    yield pieces
                elif not texts:
                    yield [self._status(turn)]
                if answer.stopped:
                    self.runtime.stop(turn)
        if turn.error is not None:
            raise turn.error
        rest = answer.flush(ended=_ended(turn))
        self._stamp(chat, rest)
        finish = _finish(turn, answer)
        self._record(chat, answer)
        yield [*rest, finish]
        thinking = await asyncio.to_thread(self._thinking_tokens, turn, answer)
        metrics = metrics_of(
            turn,
            accepted_at=chat.accepted_at,
            prompt_s=chat.prompt_s,
            thinking=thinking,
            image_tokens=chat.prompt.image_tokens,
            malformed=answer.malformed,
        )
        LOG.info("turn over: %s finish=%s", summary_of(metrics), finish.reason)
        usage = usage_of(turn, prompt_tokens=chat.prompt.prompt_tokens, thinking=thinking)
        yield [metrics, usage]

    def _answer(self, request: ChatRequest) -> Answer:
        tools = {
            tool.function.name: tool.function.schema_of_parameters for tool in request.offered_tools
        }
        return Answer(
            request.stop, self.prompts.tokenizer.controls, tools, continued=request.continues
        )

    def cancel(self, request_id: str | None, session_id: str | None) -> list[Turn]:
        """End the turn that an id names, or what is unfinished in a session: running, else queued.

        Returns the turns that were told to end.

        Raises:
            Unavailable: nothing was told, because there is no worker any more.
        """
        meant = self.runtime.unfinished() if request_id is None else self._named(request_id)
        if session_id is not None:
            meant = [turn for turn in meant if turn.session.session_id == session_id]
        running = [turn for turn in meant if turn.state is not TurnState.QUEUED]
        told = [turn for turn in running or meant if self.runtime.cancel(turn)]
        if not told and self.runtime.failure:
            raise Unavailable(self.runtime.failure)
        return told

    def _named(self, request_id: str) -> list[Turn]:
        """The unfinished turn that has this id, if there is one."""
        return [
            turn
            for turn in self.runtime.unfinished()
            if request_id in {turn.request_id, turn.completion_id}
        ]

    def _need_a_new_name(self, request_id: str) -> None:
        if self._named(request_id):
            raise InvalidRequest(f"request id {request_id!r} belongs to a turn that is not over")

    async def _read(self, body: bytes) -> ChatRequest:
        if len(body) < LARGE_BODY_BYTES:
            request = read_chat_request(body)
        else:
            request = await asyncio.to_thread(read_chat_request, body)
        if request.model is not None and request.model != self.model_id:
            raise ModelNotFound(request.model, self.model_id)
        if not request.dflash and not self.plain_turns:
            raise UnsupportedParameter(
                "muse.dflash is false, and the native worker drafts in every turn or in none;"
                " leave it out"
            )
        return request

    async def _look_at_images(self, request: ChatRequest) -> Sequence[ShownImage]:
        if next(images_in(request.messages), None) is None:
            return ()
        async with self._looking:
            return await asyncio.to_thread(self.images.read, request.messages)

    def _status(self, turn: Turn) -> Status:
        if turn.state is TurnState.DECODE:
            return Status("decode")
        if position := self.runtime.position(turn):
            return Status("queued", position)
        match turn.progress:
            case Progress("encode"):
                return Status("encoding")
            case Progress("prefill", done, total):
                return Status("prefill", done=done, total=total)
            case _:
                return Status("prefill")

    def _stamp(self, chat: ChatTurn, pieces: Sequence[Text]) -> None:
        seen = (
            pieces
            if chat.request.return_reasoning
            else [p for p in pieces if not isinstance(p, Reasoning)]
        )
        if seen:
            chat.turn.shown()

    def _record(self, chat: ChatTurn, answer: Answer) -> None:
        """Keep the ids if the turn came to its own end and is the newest: the worker holds them."""
        done = chat.turn.done
        if done is None or done.cancelled or answer.stopped:
            return
        if chat.turn.session.newest != chat.turn.completion_id:  # its reader was slow
            return
        chat.turn.session.transcript = chat.prompt.record(
            answer.content,
            done.generated_token_ids,
            [(call.name, call.arguments) for call in answer.calls],
        )

    def _thinking_tokens(self, turn: Turn, answer: Answer) -> int:
        ids = turn.done.generated_token_ids if turn.done else None
        return thinking_tokens(ids, answer.reasoning, self.prompts.tokenizer)


def _generate_request(
    request: ChatRequest, prompt: PromptInput, session_id: str | None
) -> GenerateRequest:
    """For the worker: what is unset is greedy, as it is there."""
    return GenerateRequest(
        segments=tuple(
            IdsSegment(segment)
            if isinstance(segment, tuple)
            else ImageSegment(segment.media_type, segment.base64)
            for segment in prompt.segments
        ),
        max_new_tokens=prompt.max_new_tokens,
        sampling=Sampling(
            temperature=request.temperature if request.temperature is not None else 0.0,
            top_p=request.top_p if request.top_p is not None else 1.0,
            top_k=request.top_k or 0,
            seed=request.seed or 0,
        ),
        session_id=session_id or "",
        dflash=request.dflash,
        progress=request.include_status,
    )


@contextlib.contextmanager
def _heartbeat(turn: Turn, every_s: float) -> Iterator[None]:
    """Let the turn's reader return about this often, even when nothing has arrived."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(every_s)
            turn.nudge()

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()


def _ended(turn: Turn) -> bool:
    """Whether the model ended the turn itself."""
    done = turn.done
    return done is not None and done.finish_reason == "stop" and not done.cancelled


def _finish(turn: Turn, answer: Answer) -> Finish:
    """Calls come first: whatever ended the turn, they are whole and wait to be run."""
    if turn.done is None or (turn.done.cancelled and not answer.stopped):
        return Finish("stop")
    if answer.calls:
        return Finish("tool_calls")
    return Finish("stop" if answer.stopped else turn.done.finish_reason)
