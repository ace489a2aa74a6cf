"""How does the server speak to its worker: one child process, requests down, messages up.

`WorkerClient` lives on the event loop.  Bytes from the child's stdout are split into lines as
they arrive (see `playground.worker.child`) and handed on in the same call, so that a token reaches
its reader without a task switch in between; there is no reader thread and no reader task.

One request at a time: the protocol (see `playground.worker.messages`) has no ids, so the caller
waits for the last line of one request before it sends the next.  `SessionRuntime` does.
A cancel is the exception, and goes in whichever dialect the ready line offers:

- through a pipe of its own (`supports_cancel`): eight bytes, little-endian, the id of the request;
- else as a line among the requests (`cancel_op`).

Either is sent at most once a request.  A worker that still has not finished the request
`cancel_grace_s` later is taken for hung and killed.  One that may hear it late while it computes a
prompt (see `dialects`) has the time for what it may compute meanwhile, too, and `cancel_grace_s`
from the turn's first text on.

A worker that says nothing for longer than `patience` allows is taken for hung, too.

A worker that ends is noticed at once, whether or not anything was asked of it: `alive` turns
false, `exit_reason` says why, and a request in flight fails with `WorkerDied`.
The child's stderr is passed on to ours, and its last lines are kept to explain a failed start.
"""

from __future__ import annotations

import asyncio
import os
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.worker.child import ChildProcess
from playground.worker.dialects import DIALECTS
from playground.worker.errors import MessageError
from playground.worker.messages import (
    Cancel,
    Done,
    Failed,
    Progress,
    Ready,
    SessionOp,
    TokenText,
    dump_request,
    parse_reply,
)
from playground.worker.patience import Patience, Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from playground.worker.dialects import Dialect
    from playground.worker.messages import GenerateRequest, Reply, Request

__all__ = ["StartFailure", "WorkerClient", "WorkerDied", "WorkerRefused"]

CONTROL_FD = "EXECUTORCH_LLM_WORKER_CONTROL_FD"


class WorkerDied(Exception):
    """The worker ended, or spoke something that is not the protocol; it will not come back."""


class WorkerRefused(Exception):
    """The worker answered a request with an error, and serves on."""

    def __init__(self, message: str, code: str | None) -> None:
        super().__init__(message)
        self.message, self.code = message, code


class StartFailure(Exception):
    """The worker never became ready; carries what it last said on stderr."""

    def __init__(self, argv: Sequence[str], reason: str, stderr_tail: Sequence[str]) -> None:
        said = "".join(f"\n  {line}" for line in stderr_tail)
        super().__init__(f"the worker did not start: {reason}{said}")
        self.argv, self.reason, self.stderr_tail = tuple(argv), reason, tuple(stderr_tail)


@dataclass(slots=True)
class _Pending:
    """The request in flight."""

    last: asyncio.Future[Reply]
    """Resolves with the line that ends the request."""
    on_text: Callable[[str], object] | None = None
    on_progress: Callable[[Progress], object] | None = None
    request_id: int | None = None
    prompt_tokens: int = 0
    silence: Silence | None = None
    spoke: bool = False
    """Whether a text has come."""
    cancelled: bool = False
    """Whether a cancel was sent."""
    grace: asyncio.TimerHandle | None = None
    """Set while a cancel is to be heard."""


class WorkerClient:
    """One worker process, from `spawn` to `aclose`."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        dialect: Dialect,
        patience: Patience,
        cancel_grace_s: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.argv = tuple(argv)
        self.dialect, self._patience = dialect, patience
        self.cancel_grace_s = cancel_grace_s
        self._child = ChildProcess(self._hear, self._lost)
        self._ready: asyncio.Future[Ready] = loop.create_future()
        self._pending: _Pending | None = None
        self._generations = 0
        self._control: int | None = None
        self.exit_reason: str | None = None
        self.load_ms: float | None = None
        """From its start to its ready line."""

    @classmethod
    async def spawn(
        cls,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        dialect: Dialect = DIALECTS["python"],
        ready_timeout_s: float = 900.0,
        patience: Patience = Patience(),  # noqa: B008 - an immutable value
        cancel_grace_s: float = 10.0,
        meanwhile: Callable[[int], Coroutine[None, None, None]] | None = None,
    ) -> WorkerClient:
        """A worker that has loaded its model and said so.

        `meanwhile` is run with its process id while it loads.

        Raises:
            StartFailure: it could not be started, ended first, or took too long.
        """
        client = cls(argv, dialect=dialect, patience=patience, cancel_grace_s=cancel_grace_s)
        beside: asyncio.Task[None] | None = None
        began_at = asyncio.get_running_loop().time()
        try:
            await client._start(os.environ if env is None else env)
            if meanwhile is not None:
                beside = asyncio.create_task(meanwhile(client.pid))
            async with asyncio.timeout(ready_timeout_s):
                await client._ready
            client.load_ms = round((asyncio.get_running_loop().time() - began_at) * 1e3, 3)
        except BaseException as error:
            await client.aclose(patience_s=0.0)
            match error:
                case TimeoutError():
                    reason = f"not ready after {ready_timeout_s:g} s (--ready-timeout)"
                case OSError():
                    reason = f"cannot run {argv[0]}: {error.strerror}"
                case WorkerDied():
                    reason = str(error)
                case _:
                    raise
            raise StartFailure(argv, reason, client._child.stderr_tail) from error
        finally:
            if beside is not None:
                beside.cancel()
        return client

    @property
    def ready(self) -> Ready:
        """What the worker said of itself when its model was loaded."""
        return self._ready.result()

    @property
    def alive(self) -> bool:
        """Whether a request could still be answered."""
        return self.exit_reason is None and not self._child.ended

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._child.pid

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines the worker wrote on stderr."""
        return self._child.stderr_tail

    async def open(self, session_id: str) -> None:
        """Admit a named session; open already is fine."""
        await self._ask(SessionOp("open", session_id))

    async def reset(self, session_id: str) -> None:
        """Empty a named session and keep its place; an absent one is fine."""
        await self._ask(SessionOp("reset", session_id))

    async def close(self, session_id: str) -> None:
        """Free a named session's place; an absent one is fine."""
        await self._ask(SessionOp("close", session_id))

    async def generate(
        self,
        request: GenerateRequest,
        on_text: Callable[[str], object],
        on_progress: Callable[[Progress], object] | None = None,
        *,
        prompt_tokens: int = 0,
    ) -> Done:
        """Run one generation: `on_text` is called with each text as it arrives.

        `on_progress` is called with how far the turn has come, if the request asks for that and the
        worker is one that tells. `prompt_tokens` is how long its prompt is, as it is given that
        much more time for its first text.

        Raises:
            WorkerRefused: the worker could not do it.
            WorkerDied: there is no worker any more.
        """
        self._generations += 1
        numbered = replace(
            request,
            cancel_request_id=self._generations,
            progress=request.progress and self.dialect.tells_progress,
        )
        reply = await self._ask(
            numbered,
            on_text,
            on_progress or _ignore,
            request_id=self._generations,
            prompt_tokens=prompt_tokens,
        )
        if not isinstance(reply, Done):
            raise self._violated(f"a generation ended with {reply}")
        return reply

    def cancel(self) -> bool:
        """Ask for the generation in flight to stop; False when there is none, or no way to ask.

        The generation still ends with its own `Done`, soon. Asking again changes nothing.
        """
        pending = self._pending
        if pending is None or pending.request_id is None or not self.alive:
            return False
        if pending.cancelled:
            return True
        if self.ready.supports_cancel and self._control is not None:
            try:
                os.write(self._control, struct.pack("<Q", pending.request_id))
            except OSError:
                return False
        elif self.ready.cancel_op:
            self._child.write(dump_request(Cancel(request_id=pending.request_id)))
        else:
            return False
        pending.cancelled = True
        self._expect_the_end(pending)
        return True

    def end(self, reason: str) -> None:
        """Kill the worker, whatever it does; a request in flight fails with this reason."""
        self._lost(reason)
        self._child.kill()

    async def aclose(self, patience_s: float = 2.0) -> None:
        """End the worker: close its stdin, then SIGTERM, then SIGKILL, `patience_s` apart."""
        if self.exit_reason is None:
            self.exit_reason = "the worker was stopped"
        await self._child.end(patience_s)
        if self._control is not None:
            os.close(self._control)
            self._control = None

    async def _start(self, env: Mapping[str, str]) -> None:
        theirs, self._control = os.pipe()
        os.set_blocking(self._control, False)
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: self._child,
                *self.argv,
                env={**env, CONTROL_FD: str(theirs)},
                pass_fds=(theirs,),
                # Ctrl-C at a terminal reaches its whole process group; how the worker ends is ours
                # to say.
                start_new_session=True,
            )
        finally:
            os.close(theirs)

    async def _ask(
        self,
        request: Request,
        on_text: Callable[[str], object] | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        *,
        request_id: int | None = None,
        prompt_tokens: int = 0,
    ) -> Reply:
        if not self.alive:
            raise WorkerDied(self.exit_reason or "the worker has ended")
        assert self._pending is None, "the worker takes one request at a time"
        loop = asyncio.get_running_loop()
        pending = self._pending = _Pending(
            loop.create_future(), on_text, on_progress, request_id, prompt_tokens
        )
        limit_s = (
            self._patience.next_text_s
            if request_id is None
            else self._patience.first_text(prompt_tokens)
        )
        pending.silence = Silence(loop, limit_s, self._was_silent)
        self._child.write(dump_request(request))
        try:
            return await pending.last
        finally:
            # Who gave up waiting is not called any more.
            pending.on_text = pending.on_progress = _ignore
            pending.silence.over()
            if pending.grace:
                pending.grace.cancel()

    def _hear(self, line: bytes) -> None:
        """One line of the worker's stdout."""
        try:
            reply = parse_reply(line)
        except MessageError as error:
            self._violated(str(error))
            return
        pending = self._pending
        if isinstance(reply, TokenText) and pending and pending.on_text:
            self._heard_of(pending)
            pending.on_text(reply.text)
        elif isinstance(reply, Progress) and pending and pending.on_progress:
            self._heard_of(pending, progress=True)
            pending.on_progress(reply)
        elif isinstance(reply, Ready) and not self._ready.done():
            self._ready.set_result(reply)
        elif pending and not isinstance(reply, Ready | TokenText | Progress):
            self._pending = None
            if isinstance(reply, Failed):
                _fail(pending.last, WorkerRefused(reply.message, reply.code))
            elif not pending.last.done():
                pending.last.set_result(reply)
        else:
            self._violated(f"{type(reply).__name__} that nothing asked for")

    def _heard_of(self, pending: _Pending, *, progress: bool = False) -> None:
        """A turn lives: the next line has its time from now on."""
        assert pending.silence is not None
        pending.silence.heard(
            self._patience.first_text_s if progress else self._patience.next_text_s
        )
        if not progress and not pending.spoke:
            pending.spoke = True
            if pending.cancelled and self.dialect.deaf_tokens:
                self._expect_the_end(pending)

    def _expect_the_end(self, pending: _Pending) -> None:
        """A cancel is to be heard: soon, or when what is computed of the prompt at once is."""
        within_s = self.cancel_grace_s
        deaf_tokens = self.dialect.deaf_tokens
        if deaf_tokens and not pending.spoke:
            at_once = min(pending.prompt_tokens, deaf_tokens)
            within_s = max(within_s, self._patience.first_text(at_once))
        if pending.grace:
            pending.grace.cancel()
        loop = asyncio.get_running_loop()
        pending.grace = loop.call_later(within_s, self._give_up, within_s)

    def _was_silent(self, silent_s: float) -> None:
        """Nothing came for too long."""
        pending = self._pending
        what = "over a session request"
        if pending and pending.request_id is not None:
            what = "in the middle of an answer" if pending.spoke else "before the first text"
        self.end(f"the worker said nothing for {silent_s:g} s {what}; it hung, and was ended")

    def _violated(self, what: str) -> WorkerDied:
        """After words that are not the protocol no reply can be trusted: end the worker."""
        self.end(f"the worker broke the protocol: {what}")
        return WorkerDied(self.exit_reason)

    def _give_up(self, within_s: float) -> None:
        self.end(f"the worker did not honour a cancel within {within_s:g} s")

    def _lost(self, reason: str) -> None:
        """The worker is no more; tell whoever waits."""
        if self.exit_reason is None:
            self.exit_reason = reason
        _fail(self._ready, WorkerDied(self.exit_reason))
        pending, self._pending = self._pending, None
        if pending:
            _fail(pending.last, WorkerDied(self.exit_reason))


def _ignore(told: object) -> None:
    """Drop it."""


def _fail(future: asyncio.Future[Reply] | asyncio.Future[Ready], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # whoever waits gets it; when nobody does any more, it is no news
