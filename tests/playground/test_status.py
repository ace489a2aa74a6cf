"""Is a caller who asks for it told in frames what a turn waits for, as soon as that changes?"""

from __future__ import annotations

import asyncio
import base64
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image

from playground.settings import Settings
from playground.testing import client_of, frames_of, scripted_app

if TYPE_CHECKING:
    from playground.app import Playground
    from playground.chat import ChatTurn

CHAT = "/v1/chat/completions"
WATCHING = {"stream": True, "stream_options": {"include_status": True}}
REPLY = {"text": " to=user<|message|>Done.<|eot|>", "step_ms": 0.0}
LONG = {"text": f" to=user<|message|>{'on and on ' * 300}<|eot|>", "step_ms": 10.0}
SLOW_REPLY = REPLY | {"step_ms": 30.0}
"""What a turn waits for is told as long as it does: what is to be seen must last."""
SELDOM = Settings(keep_alive_s=60.0)
"""So that nothing is told because time has passed."""


def question(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A request with one message."""
    return {"messages": [{"role": "user", "content": [*parts]}], **fields}


def text(words: str) -> dict[str, Any]:
    """A part of a message."""
    return {"type": "text", "text": words}


def picture() -> dict[str, Any]:
    """Another one, of two cells."""
    buffer = BytesIO()
    Image.new("RGB", (56, 28), "red").save(buffer, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def frames(script: dict[str, Any], request: dict[str, Any]) -> list[Any]:
    """What a stream says."""

    async def run() -> list[Any]:
        async with scripted_app(script, SELDOM) as playground, client_of(playground) as client:
            response = await client.post(CHAT, json=request)
            assert response.status_code == 200, response.text
            return frames_of(response.text)

    return asyncio.run(run())


def statuses(told: list[Any]) -> list[dict[str, Any]]:
    """The statuses among frames, one that is said again left out."""
    said = [frame["muse_status"] for frame in told if "muse_status" in frame]
    return [each for at, each in enumerate(said) if said[at - 1 : at] != [each]]


def test_a_prefill_is_told_by_chunks() -> None:
    """How many tokens of how many, after the first status and before the decode."""
    script = {"prefill_ms_per_token": 3.0, "max_prefill_chunk": 16, "replies": [SLOW_REPLY]}

    told = statuses(frames(script, question(text("hello there, you two"), **WATCHING)))

    total = told[-2]["total"]
    assert told[0] == {"state": "prefill"}
    assert {"state": "prefill", "done": 16, "total": total} in told
    assert told[-2:] == [
        {"state": "prefill", "done": total, "total": total},
        {"state": "decode"},
    ]
    assert [status.get("done", 0) for status in told[:-1]] == sorted(
        status.get("done", 0) for status in told[:-1]
    )


def test_the_first_status_follows_the_role_and_the_last_goes_before_the_text() -> None:
    """So that a page can draw every state from the stream alone."""
    told = frames({"replies": [REPLY]}, question(text("hello"), **WATCHING))

    first_text = next(n for n, f in enumerate(told) if f.get("choices", [{}])[0].get("delta"))
    assert told[first_text]["choices"][0]["delta"] == {"role": "assistant"}
    assert told[first_text + 1] == {"muse_status": {"state": "prefill"}}
    answer = next(n for n, f in enumerate(told) if "content" in json.dumps(f))
    assert told[answer - 1] == {"muse_status": {"state": "decode"}}


def test_a_picture_is_told_while_it_is_encoded() -> None:
    """Before the prefill, and only where there is something to encode."""
    slow = {"encode_ms": 100.0, "prefill_ms_per_token": 3.0}
    script = {"max_image_cells": 64, **slow, "replies": [REPLY]}

    told = statuses(frames(script, question(picture(), text("What is it?"), **WATCHING)))

    states = [status["state"] for status in told]
    assert states.index("encoding") < states.index("prefill", states.index("encoding"))


def test_who_does_not_ask_gets_no_such_frame() -> None:
    """The stream is the one of OpenAI's clients, and of older ones of ours."""
    told = frames({"replies": [REPLY]}, question(text("hello"), stream=True))

    assert not any("muse_status" in frame for frame in told)


def test_a_reply_that_is_not_streamed_has_no_status() -> None:
    """There is nobody to tell while it is made."""
    asked = question(text("hello"), stream_options={"include_status": True})

    async def run() -> Any:  # noqa: ANN401
        async with (
            scripted_app({"replies": [REPLY]}, SELDOM) as playground,
            client_of(playground) as client,
        ):
            return (await client.post(CHAT, json=asked)).json()

    assert "muse_status" not in asyncio.run(run())


async def accept(playground: Playground, name: str) -> ChatTurn:
    """A watched turn in the queue."""
    body = json.dumps(question(text(name), **WATCHING)).encode()
    return await playground.serving.accept(body, request_id=name)


def test_a_place_in_the_queue_is_told_when_it_changes() -> None:
    """Not with the next beat, which is a minute away here."""

    async def run() -> list[dict[str, Any]]:
        async with scripted_app({"replies": [LONG]}, SELDOM) as playground, asyncio.timeout(20):
            first, second, third = [await accept(playground, name) for name in ("1", "2", "3")]
            told: list[dict[str, Any]] = []
            async for piece in playground.serving.stream(third):
                new = statuses([f for f in frames_of(piece.decode()) if f != "[DONE]"])
                told += new
                if {"state": "queued", "position": 2} in new:
                    playground.runtime.cancel(first.turn)
                elif {"state": "queued", "position": 1} in new:
                    playground.runtime.cancel(second.turn)
                elif {"state": "decode"} in new:
                    playground.runtime.cancel(third.turn)
            return told

    told = asyncio.run(run())

    assert told[:2] == [{"state": "queued", "position": 2}, {"state": "queued", "position": 1}]
    assert told[2]["state"] == "prefill"
    assert told[-1] == {"state": "decode"}


def test_a_queued_turn_that_is_taken_out_moves_the_others_up() -> None:
    """Also one that stood in the middle."""

    async def run() -> list[dict[str, Any]]:
        async with scripted_app({"replies": [LONG]}, SELDOM) as playground, asyncio.timeout(20):
            first, second, third = [await accept(playground, name) for name in ("1", "2", "3")]
            told: list[dict[str, Any]] = []
            async for piece in playground.serving.stream(third):
                new = statuses([f for f in frames_of(piece.decode()) if f != "[DONE]"])
                told += new
                if {"state": "queued", "position": 2} in new:
                    playground.runtime.cancel(second.turn)
                elif {"state": "queued", "position": 1} in new:
                    playground.runtime.cancel(third.turn)
                    playground.runtime.cancel(first.turn)
            return told

    assert asyncio.run(run()) == [
        {"state": "queued", "position": 2},
        {"state": "queued", "position": 1},
    ]
