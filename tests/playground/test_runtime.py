"""Does one worker serve many callers fairly, and does it get free when a caller loses interest?

A slow script stands for a long generation: `LONG` would take half a minute if nobody stopped it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from playground.errors import APIError, SessionBusy, Unavailable
from playground.runtime import TurnState, as_api_error
from playground.settings import Settings
from playground.testing import client_of, frames_of, listening, scripted_app
from playground.worker.client import WorkerDied, WorkerRefused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from playground.app import Playground
    from playground.chat import ChatTurn

CHAT = "/v1/chat/completions"
QUICK = {"match": "quick", "text": " to=user<|message|>Done.<|eot|>", "step_ms": 0.0}
LONG = {"text": f" to=user<|message|>{'on and on ' * 300}<|eot|>", "step_ms": 10.0}
SCRIPT = {"replies": [QUICK, LONG]}
SLOW_PREFILL = {"prefill_ms_per_token": 2.0, "max_prefill_chunk": 4, "replies": [QUICK]}
PATIENCE_S = 20.0
DEAF = """
import json, sys, time
print(json.dumps(dict(ready=True, max_sessions=1, max_named_sessions=0)), flush=True)
sys.stdin.readline()
while True:
    print(json.dumps(dict(token="on ")), flush=True)
    time.sleep(0.01)
"""
"""A worker with no ear for a cancel, and a turn that never ends."""


def run(
    scenario: Callable[[Playground], Coroutine[Any, Any, Any]],
    script: dict[str, Any] = SCRIPT,
    **settings: float,
) -> Any:  # noqa: ANN401 - what the scenario gives
    """What a scenario gives; it has to end in good time."""

    async def bounded() -> Any:  # noqa: ANN401
        given = Settings(**{"keep_alive_s": 0.02, **settings})  # type: ignore[arg-type]
        async with scripted_app(script, given) as playground, asyncio.timeout(PATIENCE_S):
            return await scenario(playground)

    return asyncio.run(bounded())


def body(text: str, session_id: str | None = None, *, stream: bool = True) -> bytes:
    """A request with one question."""
    messages = [{"role": "user", "content": text}]
    return json.dumps({"messages": messages, "session_id": session_id, "stream": stream}).encode()


async def accept(
    playground: Playground, request_id: str, text: str = "long", session_id: str | None = None
) -> ChatTurn:
    """A turn in the queue."""
    return await playground.serving.accept(body(text, session_id), request_id=request_id)


async def whole(playground: Playground, chat: ChatTurn) -> str:
    """All that its stream says."""
    return b"".join([piece async for piece in playground.serving.stream(chat)]).decode()


async def begun(playground: Playground, chat: ChatTurn) -> AsyncIterator[bytes]:
    """Its stream, read until there is content."""
    pieces = playground.serving.stream(chat)
    async for piece in pieces:
        if b'"content"' in piece:
            return pieces
    raise AssertionError("the stream ended without content")


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until the condition holds."""
    while not condition():  # noqa: ASYNC110 - nothing announces these conditions
        await asyncio.sleep(0.002)


def metrics_of(text: str) -> dict[str, Any]:
    """The metrics in a stream."""
    return next(f["muse_metrics"] for f in frames_of(text) if "muse_metrics" in f)


def test_turns_are_served_in_the_order_they_came() -> None:
    """The second is sent to the worker when the first is over, and not before."""

    async def scenario(playground: Playground) -> bool:
        first = await accept(playground, "one", "quick")
        second = await accept(playground, "two", "quick")
        await asyncio.gather(whole(playground, second), whole(playground, first))
        assert first.turn.over_at is not None
        assert second.turn.sent_at is not None
        return first.turn.over_at <= second.turn.sent_at

    assert run(scenario) is True


def test_who_waits_is_told_how_many_are_ahead() -> None:
    """Comments keep the connection busy: the place in the queue, and it goes down."""

    async def scenario(playground: Playground) -> list[str]:
        first, second, third = [await accept(playground, name) for name in ("one", "two", "three")]
        seen: list[str] = []
        async for piece in playground.serving.stream(third):
            told = piece.decode().strip()
            if told.startswith(":") and told not in seen[-1:]:
                seen.append(told)
                if told == ": queued 2":
                    playground.runtime.cancel(first.turn)
                elif told == ": queued 1":
                    playground.runtime.cancel(second.turn)
            elif '"content"' in told:
                playground.runtime.cancel(third.turn)
        return seen

    assert run(scenario)[:2] == [": queued 2", ": queued 1"]


def test_prefill_is_told_while_it_lasts() -> None:
    """A long prompt is not mistaken for a dead server."""

    async def scenario(playground: Playground) -> str:
        return await whole(playground, await accept(playground, "one", "quick"))

    said = run(scenario, SLOW_PREFILL)

    assert said.index(": prefill\n\n") < said.index('"content"')


def test_hidden_reasoning_is_told_while_it_lasts() -> None:
    """A caller who does not want the reasoning still sees that something goes on."""
    text = f" to=self<|message|>{'hm ' * 40}<|eom|><|start|>assistant to=user<|message|>Yes.<|eot|>"
    script = {"step_ms": 2.0, "replies": [{"text": text}]}

    async def scenario(playground: Playground) -> str:
        return await whole(playground, await accept(playground, "one"))

    said = run(scenario, script)

    assert said.index(": decode\n\n") < said.index('"content"')
    assert "hm" not in said


def test_a_stream_that_flows_has_no_comments() -> None:
    """Text says enough."""
    text = f" to=user<|message|>{'on and on ' * 30}<|eot|>"
    script = {"step_ms": 1.0, "replies": [{"text": text}]}

    async def scenario(playground: Playground) -> str:
        return await whole(playground, await accept(playground, "one"))

    said = run(scenario, script, keep_alive_s=0.2)

    assert "\n: " not in said[said.index('"content"') :]


def test_the_running_turn_can_be_cancelled() -> None:
    """It ends soon, in good form, and says that it was cancelled."""

    async def scenario(playground: Playground) -> tuple[list[str], str]:
        chat = await accept(playground, "one")
        rest = await begun(playground, chat)
        told = playground.serving.cancel("one", None)
        said = b"".join([piece async for piece in rest]).decode()
        return [turn.request_id for turn in told], said

    told, said = run(scenario)
    frames = frames_of(said)

    assert told == ["one"]
    assert frames[-1] == "[DONE]"
    assert frames[-3]["choices"][0]["finish_reason"] == "stop"
    assert metrics_of(said)["cancelled"] is True


def test_a_cancel_reaches_the_worker_in_prefill() -> None:
    """Not only between tokens of the answer: a long prompt is given up between its chunks."""

    async def scenario(playground: Playground) -> tuple[dict[str, Any], int]:
        chat = await accept(playground, "one", "quick")
        await until(lambda: chat.turn.state is TurnState.PREFILL)
        playground.serving.cancel("one", None)
        return metrics_of(await whole(playground, chat)), chat.prompt.prompt_tokens

    metrics, prompt_tokens = run(scenario, SLOW_PREFILL)

    assert metrics["cancelled"] is True
    assert metrics["prefilled_prompt_tokens"] < prompt_tokens


def test_a_queued_turn_is_cancelled_without_touching_the_running_one() -> None:
    """Its place in the queue is all it had."""

    async def scenario(playground: Playground) -> tuple[str, TurnState]:
        running = await accept(playground, "running", session_id="a")
        rest = await begun(playground, running)
        queued = await accept(playground, "queued", session_id="a")
        playground.serving.cancel("queued", None)
        said = await whole(playground, queued)
        state = running.turn.state
        playground.serving.cancel("running", None)
        async for _ in rest:
            pass
        return said, state

    said, state = run(scenario)
    metrics = metrics_of(said)

    assert state is TurnState.DECODE
    assert (metrics["cancelled"], metrics["prompt_tokens"], metrics["queue_ms"]) == (
        True,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("request_id", "session_id", "expected"),
    [
        ("running", None, ["running"]),
        ("queued", None, ["queued"]),
        ("running", "a", ["running"]),
        ("running", "b", []),
        ("unknown", None, []),
        ("unknown", "a", []),
        (None, "a", ["running"]),
        (None, "unknown", []),
    ],
)
def test_a_cancel_ends_what_it_names(
    request_id: str | None, session_id: str | None, expected: list[str]
) -> None:
    """A request id names one turn; a session id its running turn, before its queued ones."""

    async def scenario(playground: Playground) -> list[str]:
        await accept(playground, "running", session_id="a")
        await accept(playground, "queued", session_id="a")
        await until(lambda: playground.runtime.unfinished()[0].state is not TurnState.QUEUED)
        return [turn.request_id for turn in playground.serving.cancel(request_id, session_id)]

    assert run(scenario) == expected


def test_a_session_without_a_running_turn_loses_its_queued_ones() -> None:
    """All of them: the session is what was named."""

    async def scenario(playground: Playground) -> list[str]:
        await accept(playground, "of another")
        for name in ("first", "second"):
            await accept(playground, name, session_id="a")
        return [turn.request_id for turn in playground.serving.cancel(None, "a")]

    assert run(scenario) == ["first", "second"]


def test_a_turn_is_also_called_by_the_id_of_its_reply() -> None:
    """A client that only reads the stream can cancel as well."""

    async def scenario(playground: Playground) -> list[str]:
        chat = await accept(playground, "one")
        return [turn.request_id for turn in playground.serving.cancel(chat.completion.id, None)]

    assert run(scenario) == ["one"]


def test_two_unfinished_turns_cannot_have_one_name() -> None:
    """A cancel would not know which was meant; the name is free again afterwards."""

    async def scenario(playground: Playground) -> str:
        chat = await accept(playground, "same")
        with pytest.raises(APIError) as caught:
            await accept(playground, "same")
        playground.serving.cancel("same", None)
        await whole(playground, chat)
        await whole(playground, await accept(playground, "same", "quick"))
        return str(caught.value)

    assert run(scenario) == "request id 'same' belongs to a turn that is not over"


def test_a_cancelled_turn_is_not_remembered() -> None:
    """What it left in the worker is not trusted, and the next turn says so."""

    async def scenario(playground: Playground) -> tuple[int, str]:
        chat = await accept(playground, "one", session_id="a")
        rest = await begun(playground, chat)
        playground.serving.cancel("one", None)
        async for _ in rest:
            pass
        remembered = len(chat.turn.session.transcript.records)
        said = await whole(playground, await accept(playground, "two", "quick", "a"))
        return remembered, metrics_of(said)["session_reset_reason"]

    assert run(scenario) == (0, "dirty")


def test_a_turn_is_cancelled_while_its_session_is_opened() -> None:
    """It is not sent to the worker after that."""

    async def scenario(playground: Playground) -> tuple[bool, Any]:
        chat = await accept(playground, "one", session_id="a")
        while playground.runtime.position(chat.turn):  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0)
        opening = chat.turn.sent_at is None and chat.turn.state is TurnState.QUEUED
        playground.serving.cancel("one", None)
        return opening, metrics_of(await whole(playground, chat))["prompt_tokens"]

    assert run(scenario) == (True, None)


async def left(playground: Playground, url: str, *, stream: bool, when: TurnState) -> None:
    """Ask over a real connection, and hang up when the turn has come so far."""
    host, port = httpx.URL(url).host, httpx.URL(url).port
    _, writer = await asyncio.open_connection(host, port)
    request = body("long", "a", stream=stream)
    writer.write(
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(request)}\r\n\r\n".encode()
        + request
    )
    await until(lambda: any(turn.state is when for turn in playground.runtime.unfinished()))
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("stream", [True, False])
def test_a_caller_who_hangs_up_frees_the_worker(stream: bool) -> None:  # noqa: FBT001
    """Streamed or not: half a minute of text that nobody reads is not generated."""

    async def scenario(playground: Playground) -> str:
        async with listening(playground.app) as url:
            await left(playground, url, stream=stream, when=TurnState.DECODE)
            async with client_of(playground) as client:
                answer = await client.post(CHAT, content=body("quick", stream=False), headers=JSON)
        return str(answer.json()["choices"][0]["message"]["content"])

    assert run(scenario) == "Done."


@pytest.mark.parametrize("stream", [True, False])
def test_a_caller_who_hangs_up_in_the_queue_leaves_it(stream: bool) -> None:  # noqa: FBT001
    """The running turn goes on, and the place is free."""

    async def scenario(playground: Playground) -> list[str]:
        running = await accept(playground, "running")
        await until(lambda: running.turn.state is not TurnState.QUEUED)
        async with listening(playground.app) as url:
            await left(playground, url, stream=stream, when=TurnState.QUEUED)
            await until(lambda: len(playground.runtime.unfinished()) == 1)
        return [turn.request_id for turn in playground.runtime.unfinished()]

    assert run(scenario) == ["running"]


JSON = {"content-type": "application/json"}
NAMED = {"content-type": "application/json", "x-request-id": "one"}


def test_a_caller_who_does_not_read_holds_nobody_up() -> None:
    """The worker's text goes into the turn's inbox; the next turn begins when it is all there."""

    async def scenario(playground: Playground) -> str:
        unread = await accept(playground, "unread", "quick")
        await whole(playground, await accept(playground, "next", "quick"))
        return await whole(playground, unread)

    said = run(scenario)

    assert "".join(f["choices"][0]["delta"].get("content", "") for f in frames_of(said)[:-2]) == (
        "Done."
    )


@pytest.mark.parametrize("operation", ["reset", "close"])
def test_a_session_request_waits_for_its_place_but_not_for_ever(operation: str) -> None:
    """It is refused when its time is up, and then it never happens: the session is still warm."""

    async def scenario(playground: Playground) -> tuple[bool, str]:
        first = await accept(playground, "one", "quick", "a")
        await whole(playground, first)
        running = await accept(playground, "two")
        with pytest.raises(SessionBusy):
            await getattr(playground.runtime, operation)("a")
        playground.runtime.cancel(running.turn)
        await whole(playground, running)
        return first.turn.session.transcript.records != (), first.turn.session.state.value

    assert run(scenario, session_wait_s=0.05) == (True, "open")


def test_a_session_request_has_its_turn_behind_those_before_it() -> None:
    """A close does not cut off a turn of its own session that was asked for earlier."""

    async def scenario(playground: Playground) -> tuple[bool, str]:
        chat = await accept(playground, "one", "quick", "a")
        await playground.runtime.close("a")
        return chat.turn.state is TurnState.OVER, chat.turn.session.state.value

    assert run(scenario) == (True, "absent")


def test_a_turn_that_was_queued_behind_a_close_finds_its_session_open() -> None:
    """The close empties the session; the turn that was admitted meanwhile opens it again."""

    async def scenario(playground: Playground) -> list[str]:
        turns = [await accept(playground, "one", "quick", "a")]
        closing = asyncio.create_task(playground.runtime.close("a"))
        await asyncio.sleep(0)
        turns.append(await accept(playground, "two", "quick", "a"))
        said = [await whole(playground, turn) for turn in turns]
        await closing
        return [metrics_of(text)["session_reset_reason"] for text in said]

    assert run(scenario) == ["new", "new"]


def test_a_reset_that_fails_changes_nothing() -> None:
    """The worker goes first: where it cannot, the transcript stays."""

    async def scenario(playground: Playground) -> int:
        chat = await accept(playground, "one", "quick", "a")
        await whole(playground, chat)
        await playground.worker.aclose()
        with pytest.raises(Unavailable):
            await playground.runtime.reset("a")
        return len(chat.turn.session.transcript.records)

    assert run(scenario) == 1


def test_a_worker_that_dies_in_a_stream_ends_it_with_an_error() -> None:
    """One error frame in place of the rest, then `[DONE]`; whoever is queued learns it as well."""

    async def scenario(playground: Playground) -> tuple[str, str]:
        first = await accept(playground, "one")
        second = await accept(playground, "two")
        return await whole(playground, first), await whole(playground, second)

    first, second = run(scenario, {**SCRIPT, "die_after_tokens": 20})

    assert '"content"' in first
    for said in (first, second):
        error, done = frames_of(said)[-2:]
        assert done == "[DONE]"
        assert error["error"]["code"] == "unavailable"
        assert "exited with code" in error["error"]["message"]


@pytest.mark.parametrize("stream", [True, False])
def test_what_the_worker_cannot_do_fails_one_turn(stream: bool) -> None:  # noqa: FBT001
    """An error frame in a stream, a status otherwise; the worker serves on."""
    script = {"replies": [QUICK]}  # and so no reply to anything else

    async def scenario(playground: Playground) -> tuple[int, str, int]:
        async with client_of(playground) as client:
            failed = await client.post(CHAT, content=body("slow", stream=stream), headers=JSON)
            fine = await client.post(CHAT, content=body("quick", stream=stream), headers=JSON)
        return failed.status_code, failed.text, fine.status_code

    status, text, then = run(scenario, script)

    assert (status, then) == ((200 if stream else 500), 200)
    error = frames_of(text)[-2] if stream else json.loads(text)
    assert error["error"]["code"] == "generation_failed"
    assert text.endswith("data: [DONE]\n\n") is stream


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (WorkerDied("gone"), 503, "unavailable"),
        (WorkerRefused("no place", "capacity_exhausted"), 429, "capacity_exhausted"),
        (WorkerRefused("no sessions", "unsupported_session"), 400, "unsupported_session"),
        (WorkerRefused("out of memory", None), 500, "generation_failed"),
        (WorkerRefused("something new", "not_known_here"), 500, "generation_failed"),
    ],
)
def test_the_workers_words_are_translated(
    failure: WorkerDied | WorkerRefused, status: int, code: str
) -> None:
    """Every code of the protocol has an error of ours; what is unknown is a failed generation."""
    error = as_api_error(failure)

    assert (error.status, error.code) == (status, code)


def test_a_queue_that_breaks_lets_nobody_wait() -> None:
    """A bug in the driver fails what is in the queue, and the server says that it is broken."""

    async def scenario(playground: Playground) -> tuple[list[str], str | None]:
        running = await accept(playground, "running")
        chats = [await accept(playground, name) for name in ("broken", "queued")]
        closing = asyncio.create_task(playground.runtime.close("a"))
        await asyncio.sleep(0)
        chats[0].turn.request = None  # type: ignore[assignment]  # the bug
        playground.runtime.cancel(running.turn)
        said = [await whole(playground, chat) for chat in chats]
        with pytest.raises(Unavailable):
            await closing
        codes = [frames_of(text)[-2]["error"]["code"] for text in said]
        return codes, playground.runtime.failure

    codes, failure = run(scenario)

    assert codes == ["unavailable", "unavailable"]
    assert failure is not None
    assert "the queue failed" in failure


def test_a_bug_in_a_stream_ends_it_with_an_error() -> None:
    """The reader is not left with a broken connection and no explanation, and the queue goes on."""

    async def scenario(playground: Playground) -> tuple[str, str]:
        chat = await accept(playground, "one", "quick")
        chat.turn.texts = None  # type: ignore[method-assign, assignment]  # the bug
        broken = await whole(playground, chat)
        return broken, await whole(playground, await accept(playground, "two", "quick"))

    broken, fine = run(scenario)
    error, done = frames_of(broken)[-2:]

    assert (list(error), error["error"]["code"], done) == (["error"], None, "[DONE]")
    assert metrics_of(fine)["cancelled"] is False


def test_a_dead_worker_is_known_everywhere_at_once() -> None:
    """Health, the report, chats, cancels and session requests all say so, with the reason."""

    async def scenario(playground: Playground) -> list[tuple[int, str]]:
        os.kill(playground.worker.pid, signal.SIGKILL)
        await until(lambda: not playground.worker.alive)
        async with client_of(playground) as client:
            answers = [
                await client.get("/health"),
                await client.get("/api/runtime"),
                await client.post(CHAT, content=body("quick"), headers=JSON),
                await client.post(CHAT, content=body("quick", stream=False), headers=JSON),
                await client.post("/api/cancel", json={"session_id": "a"}),
                await client.post("/v1/sessions/a/reset"),
                await client.delete("/v1/sessions/a"),
            ]
        return [(answer.status_code, answer.text) for answer in answers]

    answers = run(scenario)

    assert [status for status, _ in answers] == [503, 200, 503, 503, 503, 503, 503]
    assert all("the worker" in text for _, text in answers)
    assert json.loads(answers[0][1])["status"] == "unavailable"
    assert json.loads(answers[1][1])["state"] == "failed"


def test_draining_lets_turns_end_and_then_cuts_them() -> None:
    """New turns are refused; one that goes on past the grace fails, not to be taken for whole."""

    async def scenario(playground: Playground) -> tuple[int, list[str]]:
        chats = [await accept(playground, name) for name in ("running", "queued")]
        async with client_of(playground) as client:
            draining = asyncio.create_task(playground.runtime.drain(0.05))
            await asyncio.sleep(0)
            refused = await client.post(CHAT, content=body("quick"), headers=JSON)
            said = [await whole(playground, chat) for chat in chats]
            await draining
        return refused.status_code, said

    status, said = run(scenario)

    ends = [frames_of(text)[-2:] for text in said]
    assert status == 503
    assert [(error["error"]["code"], done) for error, done in ends] == [
        ("unavailable", "[DONE]")
    ] * 2
    assert [text.count('finish_reason":"') for text in said] == [0, 0]


def test_a_turn_that_its_caller_cancelled_is_not_cut() -> None:
    """It ends as a cancelled one, though the server is stopping."""

    async def scenario(playground: Playground) -> str:
        chat = await accept(playground, "running")
        playground.serving.cancel("running", None)
        await playground.runtime.drain(0)
        return await whole(playground, chat)

    assert metrics_of(run(scenario))["cancelled"] is True


def test_nothing_is_left_running() -> None:
    """When a playground ends in the middle of turns, they fail and the worker is gone."""

    async def scenario() -> tuple[int, list[str]]:
        async with scripted_app(SCRIPT) as playground:
            pid = playground.worker.pid
            chats = [await accept(playground, name) for name in ("running", "queued")]
        said = [await whole(playground, chat) for chat in chats]
        return pid, [frames_of(text)[-2]["error"]["code"] for text in said]

    pid, codes = asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))

    assert codes == ["unavailable", "unavailable"]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        raise AssertionError("the worker is still there")


def test_a_worker_that_hears_no_cancel_does_not_hold_up_the_end() -> None:
    """It is not claimed that a turn can be cancelled, and a server that stops ends the worker."""

    async def scenario() -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
        given = Settings(worker=(sys.executable, "-c", DEAF), keep_alive_s=0.02)
        async with (
            asyncio.timeout(PATIENCE_S),
            scripted_app({"replies": []}, given) as playground,
            client_of(playground) as client,
        ):
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(client.post(CHAT, content=body("Hi"), headers=NAMED))
                await until(lambda: any(t.sent_at for t in playground.runtime.unfinished()))
                cancelled = await client.post("/api/cancel", json={"request_id": "one"})
                await playground.runtime.drain(0.0)
            report = await client.get("/api/runtime")
            return frames_of(turn.result().text), cancelled.json(), report.json()

    frames, cancelled, report = asyncio.run(scenario())

    assert (report["supports"]["cancel"], cancelled["cancelled"]) == (False, False)
    assert (frames[-2]["error"]["code"], frames[-1]) == ("unavailable", "[DONE]")
