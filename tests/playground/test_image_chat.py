"""A conversation with pictures, over HTTP, with a real worker that plays a script.

The scripted encoder makes the digest of a picture of it; a reply can tell which ones the cache
holds. A picture of 56 x 28 pixels is two tokens.
"""

from __future__ import annotations

import asyncio
import base64
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw

from playground.testing import client_of, frames_of, scripted_app

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx

    from playground.settings import Settings

CHAT = "/v1/chat/completions"
SEEING: dict[str, Any] = {
    "step_ms": 0.0,
    "max_image_cells": 64,
    "replies": [{"text": " to=user<|message|>I see {picture}.<|eot|>"}],
}


def url_of(colour: str, width: int = 56, height: int = 28) -> str:
    """A picture of one colour, as a data URL."""
    buffer = BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def user(*parts: str) -> dict[str, Any]:
    """A user's message; what begins like a URL is a picture."""
    content = [
        {"type": "image_url", "image_url": {"url": part, "detail": "auto"}}
        if part.startswith(("data:", "http"))
        else {"type": "text", "text": part}
        for part in parts
    ]
    return {"role": "user", "content": content}


def assistant(content: str) -> dict[str, Any]:
    """An answer, sent back."""
    return {"role": "assistant", "content": content}


def conversing(
    scenario: Callable[..., Awaitable[Any]],
    settings: Settings | None = None,
    **script: object,
) -> Any:  # noqa: ANN401 - whatever the scenario gives
    """What a scenario gives; it is handed a function that asks, and the client."""

    async def run() -> Any:  # noqa: ANN401
        async with (
            scripted_app({**SEEING, **script}, settings) as playground,
            client_of(playground) as client,
        ):

            async def ask(*messages: dict[str, Any], **fields: object) -> dict[str, Any]:
                body = {"messages": messages, "session_id": "a", **fields}
                response = await client.post(CHAT, json=body)
                assert response.status_code == 200, response.text
                reply = response.json()
                assert isinstance(reply, dict)
                return reply

            return await scenario(ask, client)

    return asyncio.run(run())


def said(reply: dict[str, Any]) -> str:
    """The answer's text."""
    return str(reply["choices"][0]["message"]["content"])


def test_a_conversation_about_a_picture_keeps_it() -> None:
    """Encoded once, then resident; counted as tokens in every turn."""

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> list[dict[str, Any]]:
        first = await ask(user(url_of("red"), "What?"))
        history = (user(url_of("red"), "What?"), assistant(said(first)))
        return [first, await ask(*history, user("And?"))]

    first, second = conversing(scenario)
    metrics, later = first["muse_metrics"], second["muse_metrics"]

    assert (metrics["image_tokens"], metrics["session_reset_reason"]) == (2, "new")
    assert metrics["vision_encoder_ms"] > 0
    assert (later["image_tokens"], later["session_reset_reason"]) == (2, "exact_prefix")
    assert later["vision_encoder_ms"] is None
    assert later["reused_prompt_tokens"] == metrics["resident_tokens"]
    assert said(first) == said(second) != "I see ."
    assert first["usage"]["prompt_tokens"] == metrics["prompt_tokens"]


def test_a_picture_counts_as_its_cells() -> None:
    """Beside the same words without it."""

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> list[int]:
        replies = [await ask(user(*parts)) for parts in (("x",), (url_of("red"), "x"))]
        return [reply["usage"]["prompt_tokens"] for reply in replies]

    without, with_it = conversing(scenario)

    assert with_it == without + 2


def test_another_picture_is_another_conversation() -> None:
    """The first one's rows are not mistaken for it."""

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> list[dict[str, Any]]:
        first = await ask(user(url_of("red"), "What?"))
        history = (user(url_of("blue"), "What?"), assistant(said(first)))
        return [first, await ask(*history, user("And?"))]

    first, second = conversing(scenario)

    assert second["muse_metrics"]["session_reset_reason"] == "mismatch"
    assert second["muse_metrics"]["reused_prompt_tokens"] == 0
    assert said(first) != said(second)


def test_a_second_picture_joins_the_first() -> None:
    """Only the new one is encoded, and the answer is read from both."""

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> list[dict[str, Any]]:
        first = await ask(user(url_of("red")))
        second = await ask(user(url_of("red")), assistant(said(first)), user(url_of("blue")))
        return [first, second]

    first, second = conversing(scenario)

    assert second["muse_metrics"]["session_reset_reason"] == "exact_prefix"
    assert second["muse_metrics"]["image_tokens"] == 4
    assert said(second).startswith(said(first).removesuffix("."))


def test_a_streamed_turn_sees_the_same() -> None:
    """Pictures do not change how a turn looks on the wire."""

    async def scenario(ask: Callable[..., Any], client: httpx.AsyncClient) -> tuple[str, str]:
        body = {"messages": [user(url_of("red"))], "stream": True}
        response = await client.post(CHAT, json=body)
        pieces = [
            frame["choices"][0]["delta"].get("content", "")
            for frame in frames_of(response.text)
            if frame != "[DONE]" and frame.get("choices")
        ]
        return "".join(pieces), said(await ask(user(url_of("red"))))

    streamed, whole = conversing(scenario)

    assert streamed == whole


def as_url(image: Image.Image, **settings: object) -> str:
    """A picture as a data URL."""
    buffer = BytesIO()
    image.save(buffer, "PNG", **settings)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def test_the_model_sees_a_picture_as_a_person_does() -> None:
    """Upright, on white, in colour, however it is stored."""
    upright = Image.new("RGB", (84, 56), "white")
    ImageDraw.Draw(upright).rectangle((0, 0, 20, 10), fill=(255, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = 6
    see_through = upright.convert("RGBA")
    see_through.putalpha(upright.convert("L").point(lambda grey: 0 if grey == 255 else 255))
    urls = [
        as_url(upright),
        as_url(upright.transpose(Image.Transpose.ROTATE_90), exif=exif),
        as_url(see_through),
        as_url(upright.quantize(4)),
    ]

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> list[str]:
        return [said(await ask(user(url))) for url in [*urls, url_of("white", 84, 56)]]

    *same, other = conversing(scenario)

    assert same == [same[0]] * 4
    assert other != same[0]


ANIMATION = BytesIO()
Image.new("RGB", (4, 4), "red").save(
    ANIMATION, "PNG", save_all=True, append_images=[Image.new("RGB", (4, 4), "blue")]
)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("urls", "code"),
    [
        (["https://example.com/cat.png"], "invalid_image"),
        (["data:image/png;base64,R0lGODlh"], "invalid_image"),
        ([url_of("red").replace("image/png", "image/jpeg")], "invalid_image"),
        (
            ["data:image/png;base64," + base64.b64encode(ANIMATION.getvalue()).decode()],
            "invalid_image",
        ),
        ([url_of("red")] * 9, "invalid_image"),
        ([url_of("black", 32_769, 1)], "image_too_large"),
        ([url_of("red", 448, 448)] * 4, "context_length_exceeded"),
    ],
)
def test_a_bad_picture_is_an_ordinary_answer(urls: list[str], code: str, stream: bool) -> None:  # noqa: FBT001
    """A 400 before the first byte of a stream, and the session is as it was."""

    async def scenario(ask: Callable[..., Any], client: httpx.AsyncClient) -> Any:  # noqa: ANN401
        first = await ask(user(url_of("red")))
        body = {"messages": [user(*urls)], "stream": stream, "session_id": "a"}
        refused = await client.post(CHAT, json=body)
        later = await ask(user(url_of("red")), assistant(said(first)), user("And?"))
        return refused, later

    refused, later = conversing(scenario, context_length=300)

    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == code
    assert later["muse_metrics"]["session_reset_reason"] == "exact_prefix"


def test_a_file_of_twenty_mebibytes_is_received_and_one_more_byte_is_not_looked_at() -> None:
    """The body's cap leaves room for base64; the picture's own is told as such."""
    buffer = BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    padded = buffer.getvalue() + bytes(20 * 2**20 - len(buffer.getvalue()))

    async def scenario(_: Callable[..., Any], client: httpx.AsyncClient) -> list[httpx.Response]:
        urls = [
            f"data:image/png;base64,{base64.b64encode(data).decode()}"
            for data in (padded, padded + b"\0")
        ]
        return [await client.post(CHAT, json={"messages": [user(url)]}) for url in urls]

    fits, exceeds = conversing(scenario)

    assert fits.status_code == 200
    assert (exceeds.status_code, exceeds.json()["error"]["code"]) == (400, "image_too_large")


def test_a_model_without_eyes_refuses_plainly() -> None:
    """As unsupported, naming the part."""

    async def scenario(_: Callable[..., Any], client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(CHAT, json={"messages": [user("x", url_of("red"))]})

    refused = conversing(scenario, max_image_cells=None)

    assert refused.json()["error"] == {
        "message": "messages[0].content[1] is an image, and this model reads text only",
        "type": "invalid_request_error",
        "param": None,
        "code": "unsupported_parameter",
    }


def test_a_turn_that_is_cancelled_while_it_encodes_leaves_the_session_warm() -> None:
    """The encoder goes on to its end; nothing of the conversation is lost."""

    async def scenario(ask: Callable[..., Any], client: httpx.AsyncClient) -> Any:  # noqa: ANN401
        first = await ask(user("Hi"))
        history = (user("Hi"), assistant(said(first)))
        headers = {"x-request-id": "slow"}
        body = {"messages": [*history, user(url_of("red"))], "session_id": "a"}
        asking = asyncio.create_task(client.post(CHAT, json=body, headers=headers))
        for _ in range(1000):  # it has no name until its prompt is made
            told = await client.post("/api/cancel", json={"request_id": "slow"})
            if told.json()["cancelled"]:
                break
            await asyncio.sleep(0.01)
        cancelled = (await asking).json()
        return cancelled, await ask(*history, user("And?"))

    cancelled, later = conversing(scenario, encode_ms=300.0)

    assert cancelled["muse_metrics"]["cancelled"] is True
    assert later["muse_metrics"]["session_reset_reason"] == "exact_prefix"


def test_the_report_tells_what_pictures_may_be() -> None:
    """So that a page can say no before it sends anything."""

    async def scenario(_: Callable[..., Any], client: httpx.AsyncClient) -> dict[str, Any]:
        return dict((await client.get("/api/runtime")).json())

    seeing, blind = conversing(scenario), conversing(scenario, max_image_cells=None)
    keys = ("maxImages", "maxImageBytes", "maxImageCells")

    assert [seeing[key] for key in keys] == [8, 20 * 2**20, 64]
    assert seeing["supports"]["vision"] is True
    assert [blind[key] for key in keys] == [None, None, None]


def test_a_picture_is_no_news_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """What was shown is nobody's business but the caller's."""

    async def scenario(ask: Callable[..., Any], _: httpx.AsyncClient) -> None:
        await ask(user(url_of("red")))

    with caplog.at_level("INFO"):
        conversing(scenario)

    assert "base64" not in caplog.text
    assert json.dumps(url_of("red"))[30:60] not in caplog.text
