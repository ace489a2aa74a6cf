"""The whole server with a native worker behind it: what differs, and what must not.

The worker is `tests.native.worker`, which plays the native one's dialect from a script.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from playground.app import running
from playground.serving import end_turns
from playground.settings import Settings
from playground.testing import client_of, frames_of
from playground.worker.client import StartFailure
from tests.native.folder import PLAYED, make_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

    from playground.app import Playground

CHAT = "/v1/chat/completions"
REPLIES = [
    {"match": "long", "text": f" to=user<|message|>{'on and on ' * 300}<|eot|>", "step_ms": 10.0},
    {"match": "hang", "text": " to=user<|message|>Well<|eot|>", "step_ms": 600_000.0},
    {"match": "<|patch|>", "text": " to=user<|message|>I see {picture}.<|eot|>"},
    {"text": " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Done.<|eot|>"},
]
SCRIPT = {"replies": REPLIES, "step_ms": 0.0, "max_image_cells": 64, "draft_tokens": 3}
PATIENCE_S = 60.0


@contextlib.asynccontextmanager
async def served(
    script: dict[str, Any] = SCRIPT,
    *flags: str,
    **settings: Any,  # noqa: ANN401
) -> AsyncIterator[tuple[Playground, httpx.AsyncClient]]:
    """The server, and a client of it."""
    given = Settings(worker_kind="native", worker=(*PLAYED, *flags), **settings)
    with tempfile.TemporaryDirectory() as name:
        folder = make_folder(Path(name), script)
        async with (
            asyncio.timeout(PATIENCE_S),
            running(replace(given, model_dir=folder)) as playground,
            client_of(playground) as client,
        ):
            yield playground, client


def body(text: str = "Hi", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A request with one question."""
    return {"messages": [{"role": "user", "content": text}], **fields}


def shows(image: Image.Image, text: str = "What is it?", **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """A request with a picture."""
    buffer = BytesIO()
    image.save(buffer, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": text}]
    return {"messages": [{"role": "user", "content": parts}], **fields}


def test_what_the_worker_does_not_say_is_what_the_server_knows_or_null() -> None:
    """Its process, how long it took, what the folder says, and of drafting what was demanded."""

    async def scenario() -> tuple[dict[str, Any], int]:
        flags = ("--artifact_mode=dflash", "--dflash_block_length=4", "--dflash_n_draft=2")
        async with served(SCRIPT, *flags) as (playground, client):
            return (await client.get("/api/runtime")).json(), playground.worker.pid

    report, pid = asyncio.run(scenario())

    assert (report["state"], report["workerKind"], report["pids"]["worker"]) == (
        *("ready", "native"),
        pid,
    )
    assert (report["backend"], report["artifact"]) == ("played", "script.pte")
    assert len(report["artifactSha256"]) == 64
    assert report["loadTimeMs"] > 0
    assert (report["maxImages"], report["maxImageCells"]) == (1, 64)
    assert (report["dflashBlockLength"], report["dflashDraftTokens"]) == (4, 2)
    assert report["dflashEnabled"] is True
    unknown = ("executorchVersion", "torchVersion", "workerPythonVersion", "threads")
    assert [report[name] for name in unknown] == [None] * 4
    assert report["supports"] == {
        "vision": True,
        "warmResume": True,
        "warmImages": False,
        "cancel": True,
        "reuseMetrics": True,
        "durableCache": False,
        "dflash": False,
    }


def test_nothing_is_claimed_of_drafting_that_was_not_demanded() -> None:
    """The worker may well draft; it does not say so."""

    async def scenario() -> dict[str, Any]:
        async with served() as (_, client):
            report: dict[str, Any] = (await client.get("/api/runtime")).json()
            return report

    report = asyncio.run(scenario())

    assert (report["dflashBlockLength"], report["dflashDraftTokens"]) == (None, None)
    assert report["dflashEnabled"] is False


def test_a_turn_says_what_it_cost_as_far_as_it_is_known() -> None:
    """What the worker does not tell is null; a conversation goes on from what is resident."""

    async def scenario() -> list[dict[str, Any]]:
        async with served() as (_, client):
            first = (await client.post(CHAT, json=body(session_id="a"))).json()
            answer = first["choices"][0]["message"]["content"]
            told = [
                *body()["messages"],
                {"role": "assistant", "content": answer},
                {"role": "user", "content": "More"},
            ]
            second = (
                await client.post(CHAT, json=body(session_id="a") | {"messages": told})
            ).json()
            return [first, second]

    first, second = asyncio.run(scenario())
    metrics = second["muse_metrics"]

    assert second["choices"][0]["message"]["content"] == "Done."
    assert first["muse_metrics"]["session_reset_reason"] == "new"
    assert metrics["session_reset_reason"] == "exact_prefix"
    known = first["muse_metrics"]["prompt_tokens"] + first["muse_metrics"]["completion_tokens"]
    assert metrics["reused_prompt_tokens"] == known
    assert (metrics["resident_tokens"], metrics["dflash"]) == (None, None)
    assert metrics["dflash_rounds"] is None
    assert metrics["ttft_ms"] > 0


@pytest.mark.parametrize(("dflash", "status"), [(False, 400), (True, 200)])
def test_a_turn_cannot_be_asked_not_to_draft(
    dflash: bool,  # noqa: FBT001
    status: int,
) -> None:
    """It is refused by name; that drafting is welcome is no demand."""

    async def scenario() -> httpx.Response:
        async with served() as (_, client):
            return await client.post(CHAT, json=body(muse={"dflash": dflash}))

    response = asyncio.run(scenario())

    assert response.status_code == status
    if status == 400:
        error = response.json()["error"]
        assert error["code"] == "unsupported_parameter"
        assert error["message"].startswith("muse.dflash is false")


def test_a_cancel_is_heard_and_leaves_the_session_cold() -> None:
    """The turn ends as an ordinary one that says so, and is not spliced into the next prompt."""

    async def scenario() -> tuple[list[Any], dict[str, Any]]:
        async with served() as (playground, client):
            ask = body("long", session_id="a", stream=True)
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(
                    client.post(CHAT, json=ask, headers={"x-request-id": "one"})
                )
                while not any(t.shown_at for t in playground.runtime.unfinished()):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                told = await client.post("/api/cancel", json={"request_id": "one"})
            assert told.json()["cancelled"] is True
            after = await client.post(CHAT, json=body(session_id="a"))
            return frames_of(turn.result().text), after.json()["muse_metrics"]

    frames, after = asyncio.run(scenario())
    (metrics,) = (frame["muse_metrics"] for frame in frames if "muse_metrics" in frame)

    assert metrics["cancelled"] is True
    assert after["session_reset_reason"] == "dirty"


def test_a_worker_that_hangs_in_a_turn_is_told_everywhere() -> None:
    """The stream ends with an error that names it, health is 503, and so is all that follows."""

    async def scenario() -> tuple[list[Any], httpx.Response, httpx.Response, int]:
        async with served(first_text_s=0.2, prefill_floor=1e4, next_text_s=0.2) as started:
            playground, client = started
            pid = playground.worker.pid
            turn = await client.post(CHAT, json=body("hang", stream=True))
            health = await client.get("/health")
            return frames_of(turn.text), health, await client.post(CHAT, json=body()), pid

    frames, health, after, pid = asyncio.run(scenario())
    error = frames[-2]["error"]

    assert (error["code"], frames[-1]) == ("unavailable", "[DONE]")
    assert "the worker said nothing for" in error["message"]
    assert "before the first text; it hung" in error["message"]
    assert (health.status_code, health.json()["reason"]) == (503, error["message"])
    assert (after.status_code, after.json()["error"]["message"]) == (503, error["message"])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_that_is_stopped_does_not_wait_for_who_hears_nothing() -> None:
    """A prompt that takes minutes is not waited for once nobody wants its answer."""
    script = SCRIPT | {"prefill_ms_per_token": 2000.0, "max_prefill_chunk": 64}

    async def scenario() -> list[Any]:
        async with served(script, cancel_grace_s=0.2) as (playground, client):
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(client.post(CHAT, json=body(stream=True)))
                while not any(t.sent_at for t in playground.runtime.unfinished()):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                await playground.runtime.drain(0.0)
            return frames_of(turn.result().text)

    frames = asyncio.run(scenario())

    assert (frames[-2]["error"]["code"], frames[-1]) == ("unavailable", "[DONE]")


@pytest.mark.parametrize("grace_s", [600.0, 0.0], ids=["the turn", "the worker"])
def test_who_asks_twice_waits_neither_for_the_turn_nor_for_the_worker(grace_s: float) -> None:
    """The second signal ends what the first one waits for, rather than begin that anew."""
    script = SCRIPT | {"prefill_ms_per_token": 60_000.0, "max_prefill_chunk": 64}

    async def scenario() -> list[Any]:
        async with served(script, cancel_grace_s=600.0) as (playground, client):
            signals: asyncio.Queue[signal.Signals] = asyncio.Queue()
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(client.post(CHAT, json=body(stream=True)))
                while not any(t.sent_at for t in playground.runtime.unfinished()):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                ending = tasks.create_task(end_turns(playground.runtime, grace_s, signals))
                while not (grace_s or all(t.cut for t in playground.runtime.unfinished())):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                signals.put_nowait(signal.SIGINT)
                await ending
            return frames_of(turn.result().text)

    frames = asyncio.run(scenario())

    assert (frames[-2]["error"]["code"], frames[-1]) == ("unavailable", "[DONE]")


def test_a_turn_that_was_cut_is_cut_however_often_that_is_asked() -> None:
    """A part of an answer is not taken for the whole because somebody was impatient."""
    slow = {"text": " to=user<|message|>One two three.<|eot|>", "step_ms": 1000.0}

    async def scenario() -> list[Any]:
        async with served(SCRIPT | {"replies": [slow]}) as (playground, client):
            runtime = playground.runtime
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(client.post(CHAT, json=body(stream=True)))
                while not any(t.sent_at for t in runtime.unfinished()):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                first = asyncio.create_task(runtime.drain(0.0))
                while not all(t.cut for t in runtime.unfinished()):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                first.cancel()
                await runtime.drain(0.0)
            return frames_of(turn.result().text)

    frames = asyncio.run(scenario())

    assert (frames[-2]["error"]["code"], frames[-1]) == ("unavailable", "[DONE]")


def test_both_count_a_picture_alike() -> None:
    """What the server reckons is what the worker says, and a turn with one is always new."""

    async def scenario() -> list[dict[str, Any]]:
        replies = []
        async with served() as (_, client):
            for size in ((225, 225), (1000, 300), (5, 900)):
                asked = shows(Image.new("RGB", size, "red"), session_id="a")
                for _ in range(2):
                    reply = (await client.post(CHAT, json=asked)).json()
                    replies.append(reply)
            two = asked | {"messages": asked["messages"] * 2}
            refused = await client.post(CHAT, json=two)
            assert refused.json()["error"]["code"] == "invalid_image"
        return replies

    replies = asyncio.run(scenario())

    for reply in replies:
        metrics = reply["muse_metrics"]
        assert metrics["session_reset_reason"] == "new"
        assert metrics["prompt_tokens"] == reply["usage"]["prompt_tokens"]
        assert metrics["image_tokens"] > 0
        assert metrics["vision_encoder_ms"] is not None
    assert replies[0]["muse_metrics"]["image_tokens"] == 64


@pytest.mark.parametrize(
    ("flags", "said"),
    [(("--no_such_flag",), "unknown command line flag"), (("--artifact_mode=solo",), "invalid")],
)
def test_a_worker_that_does_not_start_is_told_with_its_last_words(
    flags: tuple[str, ...], said: str
) -> None:
    """As of any other."""

    async def scenario() -> StartFailure:
        with pytest.raises(StartFailure) as caught:
            async with served(SCRIPT, *flags):
                pass
        return caught.value

    failure = asyncio.run(scenario())

    assert failure.reason == "the worker exited with code 1"
    assert said in failure.stderr_tail[-1]
