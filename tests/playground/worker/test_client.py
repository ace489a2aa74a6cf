"""Does the client speak with a child process as the protocol says, and notice how it ends?

Each test writes the child it needs as a few lines of Python; `say` puts a line on its stdout and
`hear` reads one from its stdin.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from playground.launch.processes import mark_of
from playground.worker.client import StartFailure, WorkerClient, WorkerDied, WorkerRefused
from playground.worker.dialects import DIALECTS
from playground.worker.messages import GenerateRequest, Progress, TextSegment
from playground.worker.patience import Patience

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from playground.worker.dialects import WorkerKind

PRELUDE = """
import json, os, signal, sys, time
def say(**fields): print(json.dumps(fields), flush=True)
def hear(): return json.loads(sys.stdin.readline() or "null")
def ready(**fields): say(ready=True, max_sessions=2, max_named_sessions=1, **fields)
def control(): return os.read(int(os.environ["EXECUTORCH_LLM_WORKER_CONTROL_FD"]), 8)
def done(**fields):
    counts = dict(prompt_tokens=3, completion_tokens=2, reused_prompt_tokens=0,
                  prefilled_prompt_tokens=3, session_reset_reason="new", finish_reason="stop")
    times = dict(prefill_ms=1.0, decode_ms=1.0, total_ms=2.0, prefill_tok_s=1.0, decode_tok_s=1.0)
    say(done=True, **{**counts, **times, **fields})
"""
PROMPT = GenerateRequest(segments=(TextSegment("hi"),))


@asynccontextmanager
async def child(
    source: str,
    *,
    ready_timeout_s: float = 20.0,
    cancel_grace_s: float = 20.0,
    kind: WorkerKind = "python",
    patience: Patience = Patience(),  # noqa: B008 - an immutable value
) -> AsyncIterator[WorkerClient]:
    """Start a worker that runs this source after the prelude."""
    client = await WorkerClient.spawn(
        [sys.executable, "-c", PRELUDE + source],
        ready_timeout_s=ready_timeout_s,
        cancel_grace_s=cancel_grace_s,
        dialect=DIALECTS[kind],
        patience=patience,
    )
    try:
        yield client
    finally:
        await client.aclose(patience_s=0.5)


async def eventually(condition: Callable[[], bool]) -> bool:
    """Whether the condition comes true in good time."""
    for _ in range(1000):
        if condition():
            return True
        await asyncio.sleep(0.01)
    return False


def is_running(pid: int) -> bool:
    """Whether that process runs, and is no zombie that nobody has waited for."""
    return mark_of(pid) is not None


def test_the_ready_line_is_kept_whatever_else_it_holds() -> None:
    """Fields that this client does not know are no reason to refuse a worker."""

    async def scenario() -> tuple[int, bool]:
        async with child("ready(flavour='vanilla'); hear()") as worker:
            return worker.ready.max_named_sessions, worker.alive

    assert asyncio.run(scenario()) == (1, True)


def test_session_requests_are_sent_one_by_one() -> None:
    """Open, reset and close reach the worker in order, each answered before the next."""
    source = """
ready()
for answer in ("opened", "reset", "closed"):
    request = hear()
    print(request["op"], request["session_id"], file=sys.stderr, flush=True)
    say(**{answer: True, "session_id": request["session_id"]})
hear()
"""

    async def scenario() -> tuple[str, ...]:
        async with child(source) as worker:
            await worker.open("a")
            await worker.reset("a")
            await worker.close("a")
            await worker.aclose()
            return worker.stderr_tail

    assert asyncio.run(scenario()) == ("open a", "reset a", "close a")


def test_texts_arrive_in_order_and_whole_however_the_lines_are_cut() -> None:
    """A line is a line whether it comes in one read, in bytes, or with its neighbours."""
    source = """
ready()
hear()
for byte in '{"token":"Grüße"}\\n{"token":" an"}\\n\\n'.encode():
    os.write(1, bytes([byte]))
say(token=" alle"); say(token="!")
done()
hear()
"""

    async def scenario() -> tuple[list[str], int]:
        texts: list[str] = []
        async with child(source) as worker:
            done = await worker.generate(PROMPT, texts.append)
        return texts, done.completion_tokens

    assert asyncio.run(scenario()) == (["Grüße", " an", " alle", "!"], 2)


CANCELLED_BY_PIPE = """
ready(supports_cancel=True, cancel_op=True)
for _ in range(2):
    asked = hear()["cancel_request_id"]
    say(token="…")
    got = int.from_bytes(control(), "little")
    done(cancelled=got == asked)
hear()
"""
CANCELLED_IN_BAND = """
ready(cancel_op=True)
for _ in range(2):
    asked = hear()["cancel_request_id"]
    say(token="…")
    done(cancelled=hear() == {"op": "cancel", "request_id": asked})
hear()
"""


@pytest.mark.parametrize("source", [CANCELLED_BY_PIPE, CANCELLED_IN_BAND])
def test_a_cancel_names_its_request_in_the_dialect_the_worker_offers(source: str) -> None:
    """By the pipe if that is read, else by a line; the request's own end still comes."""

    async def scenario() -> list[bool]:
        ends = []
        async with child(source) as worker:
            for _ in range(2):
                done = await worker.generate(PROMPT, lambda _: worker.cancel())
                ends.append(done.cancelled)
        return ends

    assert asyncio.run(scenario()) == [True, True]


def test_there_is_nothing_to_cancel_between_requests() -> None:
    """A cancel that comes late is not sent, so that it cannot hit the next request."""

    async def scenario() -> bool:
        async with child("ready(supports_cancel=True); hear()") as worker:
            return worker.cancel()

    assert asyncio.run(scenario()) is False


def test_a_worker_that_does_not_honour_a_cancel_is_ended() -> None:
    """A hung worker must not hold the queue for ever."""
    source = "ready(supports_cancel=True); hear(); say(token='…'); time.sleep(60)"

    async def scenario() -> tuple[str, bool]:
        async with child(source, cancel_grace_s=0.1) as worker:
            with pytest.raises(WorkerDied) as caught:
                await worker.generate(PROMPT, lambda _: worker.cancel())
            return str(caught.value), worker.alive

    assert asyncio.run(scenario()) == ("the worker did not honour a cancel within 0.1 s", False)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("hear(); time.sleep(60)", "before the first text"),
        ("hear(); say(token='a'); time.sleep(60)", "in the middle of an answer"),
        ("hear(); say(progress='prefill', done=1, total=2); time.sleep(60)", "before the first"),
    ],
)
def test_a_worker_that_says_nothing_for_too_long_is_ended(source: str, what: str) -> None:
    """The turn fails by name, and so does whatever is asked afterwards."""

    async def scenario() -> tuple[str, str, bool]:
        async with child("ready(); " + source, patience=Patience(0.1, 20.0, 0.1)) as worker:
            with pytest.raises(WorkerDied) as first:
                await worker.generate(PROMPT, lambda _: None, lambda _: None)
            with pytest.raises(WorkerDied) as second:
                await worker.open("a")
            return str(first.value), str(second.value), worker.alive

    first, second, alive = asyncio.run(scenario())

    assert first.startswith(f"the worker said nothing for 0.1 s {what}")
    assert (second, alive) == (first, False)


def test_a_session_request_is_waited_for_no_longer_than_a_text() -> None:
    """It makes no reply either."""

    async def scenario() -> str:
        patience = Patience(60.0, 20.0, 0.1)
        async with child("ready(); hear(); time.sleep(60)", patience=patience) as worker:
            with pytest.raises(WorkerDied) as caught:
                await worker.reset("a")
            return str(caught.value)

    assert asyncio.run(scenario()).startswith(
        "the worker said nothing for 0.1 s over a session request"
    )


def test_a_long_prompt_may_take_its_time() -> None:
    """What is allowed before the first text grows with it; what was allowed is over then."""
    source = "ready(); hear(); time.sleep(0.3); say(token='a'); time.sleep(60)"

    async def scenario() -> tuple[list[str], str]:
        texts: list[str] = []
        async with child(source, patience=Patience(0.1, 1.0, 0.2)) as worker:
            with pytest.raises(WorkerDied) as caught:
                await worker.generate(PROMPT, texts.append, prompt_tokens=600)
            return texts, str(caught.value)

    texts, said = asyncio.run(scenario())

    assert texts == ["a"]
    assert said.startswith("the worker said nothing for 0.2 s in the middle of an answer")


def test_a_cancel_that_cannot_be_heard_yet_kills_nobody() -> None:
    """A native worker that computes a prompt hears it afterwards, and has its grace from then."""
    source = """
ready(cancel_op=True)
hear(); hear(); time.sleep(0.4)
say(token="a"); done(cancelled=True)
hear(); hear(); say(token="b"); time.sleep(60)
"""

    async def cancelled(worker: WorkerClient, texts: list[str]) -> bool:
        turn = asyncio.create_task(worker.generate(PROMPT, texts.append))
        assert await eventually(worker.cancel)
        return (await turn).cancelled

    async def scenario() -> tuple[list[str], bool, str]:
        texts: list[str] = []
        async with child(source, kind="native", cancel_grace_s=0.1) as worker:
            survived = await cancelled(worker, texts)
            with pytest.raises(WorkerDied) as caught:
                await cancelled(worker, texts)
            return texts, survived, str(caught.value)

    texts, survived, said = asyncio.run(scenario())

    assert (texts, survived) == (["a", "b"], True)
    assert said == "the worker did not honour a cancel within 0.1 s"


def test_a_native_worker_that_hangs_in_a_prompt_is_not_waited_for_as_long_as_the_prompt() -> None:
    """Nobody wants the rest of it: a cancel leaves it the time of what it computes at once."""

    async def scenario() -> tuple[str, bool]:
        source = "ready(cancel_op=True); hear(); time.sleep(600)"
        patience = Patience(0.1, 1e5, 60.0)
        async with child(source, kind="native", cancel_grace_s=0.05, patience=patience) as worker:
            turn = asyncio.create_task(
                worker.generate(PROMPT, lambda _: None, prompt_tokens=60_000_000)
            )
            assert await eventually(worker.cancel)
            with pytest.raises(WorkerDied) as caught:
                await turn
            return str(caught.value), worker.alive

    assert asyncio.run(scenario()) == (
        "the worker did not honour a cancel within 0.14608 s",
        False,
    )


def test_what_a_script_started_ends_with_it() -> None:
    """A worker may be the child of a script that `--worker` names: a hung one is ended as well."""
    source = """
import subprocess
hung = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
worker = subprocess.Popen([sys.executable, "-c", hung])
print(worker.pid, file=sys.stderr, flush=True)
ready()
worker.wait()
"""

    async def scenario() -> bool:
        async with child(source) as worker:
            assert await eventually(lambda: bool(worker.stderr_tail))
            pid = int(worker.stderr_tail[0])
        return await eventually(lambda: not is_running(pid))

    assert asyncio.run(scenario())


@pytest.mark.parametrize("reason", ["violated", "silent"])
def test_what_a_script_started_is_killed_with_it(reason: str) -> None:
    """Also where there is no time to be asked."""
    source = f"""
import subprocess
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(worker.pid, file=sys.stderr, flush=True)
ready(); hear()
{"print('rubbish', flush=True)" if reason == "violated" else ""}
worker.wait()
"""

    async def scenario() -> bool:
        async with child(source, patience=Patience(0.3, 20.0, 60.0)) as worker:
            assert await eventually(lambda: bool(worker.stderr_tail))
            pid = int(worker.stderr_tail[0])
            with pytest.raises(WorkerDied):
                await worker.generate(PROMPT, lambda _: None)
            return await eventually(lambda: not is_running(pid))

    assert asyncio.run(scenario())


@pytest.mark.parametrize(("kind", "asked"), [("python", "True"), ("native", "None")])
def test_only_a_worker_that_tells_progress_is_asked_for_it(kind: WorkerKind, asked: str) -> None:
    """The other one would pass the field over, and nobody would know."""
    source = "ready(); print(hear().get('progress'), file=sys.stderr, flush=True); done(); hear()"

    async def scenario() -> tuple[str, ...]:
        async with child(source, kind=kind) as worker:
            wanted = GenerateRequest(segments=PROMPT.segments, progress=True)
            await worker.generate(wanted, lambda _: None, lambda _: None)
            await worker.aclose()
            return worker.stderr_tail

    assert asyncio.run(scenario()) == (asked,)


def test_what_loads_is_watched_meanwhile() -> None:
    """With its process id, until it is ready; and how long that took is known."""

    async def scenario() -> tuple[list[int], bool, float | None]:
        seen: list[int] = []
        over = asyncio.Event()

        async def meanwhile(pid: int) -> None:
            seen.append(pid)
            try:
                await asyncio.sleep(60)
            finally:
                over.set()

        worker = await WorkerClient.spawn(
            [sys.executable, "-c", PRELUDE + "time.sleep(0.1); ready(); hear()"],
            meanwhile=meanwhile,
        )
        await worker.aclose(patience_s=0.5)
        await over.wait()
        return seen, seen == [worker.pid], worker.load_ms

    seen, same, load_ms = asyncio.run(scenario())

    assert (len(seen), same) == (1, True)
    assert load_ms is not None
    assert load_ms >= 100.0


def test_a_caller_who_stopped_waiting_is_not_called() -> None:
    """A text that comes after a cancelled wait finds nobody."""
    source = "ready(); hear(); say(token='a'); hear(); say(token='b'); done(); hear()"

    async def scenario() -> list[str]:
        texts: list[str] = []
        async with child(source) as worker:
            waiting = asyncio.create_task(worker.generate(PROMPT, texts.append))
            await eventually(lambda: texts == ["a"])
            waiting.cancel()
            await asyncio.wait({waiting})
        return texts

    assert asyncio.run(scenario()) == ["a"]


def test_an_error_reply_refuses_one_request_only() -> None:
    """The worker serves on after an error, and its code is kept."""
    source = """
ready()
hear(); say(error="no place", code="capacity_exhausted", session_id="a")
hear(); say(token="x"); say(error="went wrong")
hear(); done()
hear()
"""

    async def scenario() -> list[tuple[str, str | None]]:
        refusals = []
        async with child(source) as worker:
            with pytest.raises(WorkerRefused) as first:
                await worker.open("a")
            with pytest.raises(WorkerRefused) as second:
                await worker.generate(PROMPT, lambda _: None)
            refusals = [(e.value.message, e.value.code) for e in (first, second)]
            await worker.generate(PROMPT, lambda _: None)
        return refusals

    assert asyncio.run(scenario()) == [("no place", "capacity_exhausted"), ("went wrong", None)]


def test_a_start_that_fails_is_told_with_the_last_words() -> None:
    """The reason a model did not load is on stderr; it has to reach the person."""
    source = "print('first', file=sys.stderr); print('no such model', file=sys.stderr); sys.exit(1)"

    async def scenario() -> StartFailure:
        with pytest.raises(StartFailure) as caught:
            async with child(source):
                pass
        return caught.value

    failure = asyncio.run(scenario())

    assert failure.reason == "the worker exited with code 1"
    assert failure.stderr_tail == ("first", "no such model")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("time.sleep(60)", "not ready after 0.2 s"),
        ("say(hello='there'); time.sleep(60)", "the worker broke the protocol"),
        ("say(token='x'); time.sleep(60)", "the worker broke the protocol"),
    ],
)
def test_a_worker_that_never_gets_ready_is_given_up(source: str, reason: str) -> None:
    """Silence and wrong words both end the wait, and the child with it."""

    async def scenario() -> str:
        with pytest.raises(StartFailure) as caught:
            async with child(source, ready_timeout_s=20.0 if "protocol" in reason else 0.2):
                pass
        return caught.value.reason

    assert asyncio.run(scenario()).startswith(reason)


def test_a_program_that_is_not_there_is_named() -> None:
    """The message says which program could not be run."""

    async def scenario() -> str:
        with pytest.raises(StartFailure) as caught:
            await WorkerClient.spawn(["./no-such-worker"])
        return caught.value.reason

    assert asyncio.run(scenario()) == "cannot run ./no-such-worker: No such file or directory"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("os._exit(7)", "the worker exited with code 7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the worker was ended by SIGKILL"),
        ("print('Segmentation fault', flush=True); hear()", "the worker broke the protocol"),
    ],
)
def test_a_death_in_a_turn_fails_the_turn_with_the_reason(end: str, reason: str) -> None:
    """What was said before arrived; what was asked fails at once, and so does what follows."""

    async def scenario() -> tuple[list[str], str, bool]:
        texts: list[str] = []
        async with child(f"ready(); hear(); say(token='a'); {end}") as worker:
            with pytest.raises(WorkerDied) as caught:
                await worker.generate(PROMPT, texts.append)
            with pytest.raises(WorkerDied):
                await worker.open("a")
            return texts, str(caught.value), worker.alive

    texts, said, alive = asyncio.run(scenario())

    assert (texts, said[: len(reason)], alive) == (["a"], reason, False)


def test_a_death_between_turns_is_noticed() -> None:
    """Nobody has to ask anything of a worker to learn that it is gone."""

    async def scenario() -> tuple[bool, str | None]:
        async with child("ready(); time.sleep(0.05); os._exit(3)") as worker:
            gone = await eventually(lambda: worker.exit_reason is not None)
            return gone, worker.exit_reason

    assert asyncio.run(scenario()) == (True, "the worker exited with code 3")


def test_progress_goes_to_whoever_wants_it() -> None:
    """And is passed over where nobody does, as the worker may tell it unasked."""
    source = """
ready()
for turn in range(2):
    hear()
    say(progress="prefill", done=1, total=3); say(token="a")
    done()
hear()
"""

    async def scenario() -> list[Progress]:
        told: list[Progress] = []
        async with child(source) as worker:
            await worker.generate(PROMPT, lambda _: None)
            await worker.generate(PROMPT, lambda _: None, told.append)
        return told

    assert asyncio.run(scenario()) == [Progress("prefill", 1, 3)]


@pytest.mark.parametrize(
    "source",
    [
        "ready(); hear()",
        "ready(); time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); ready(); time.sleep(60)",
    ],
)
def test_no_worker_outlives_its_client(source: str) -> None:
    """End of file, SIGTERM and SIGKILL follow each other until the child is gone and reaped."""

    async def scenario() -> int:
        async with child(source) as worker:
            pid = worker.pid
            await worker.aclose(patience_s=0.1)
            return pid

    pid = asyncio.run(scenario())

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
