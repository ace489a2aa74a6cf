"""Does the embedded model keep a picture as exactly as it keeps text?

Texts are the model's own, so claims are about counts, reasons and sameness, not about words.
`MUSE_PLAYGROUND_MODEL_DIR` names another model folder to try.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw

from playground.app import running
from playground.settings import read_settings
from playground.testing import client_of
from playground.worker.messages import Done, GenerateRequest, IdsSegment, ImageSegment

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from playground.app import Playground

pytestmark = pytest.mark.embedded

CHAT = "/v1/chat/completions"
Scenario = Callable[["Playground", "httpx.AsyncClient"], Awaitable[Any]]
Nano = Callable[[Scenario], Any]


@pytest.fixture(scope="module")
def nano() -> Iterator[Nano]:
    """Run a scenario against a server with the embedded model, shared by the tests here."""
    pytest.importorskip("executorch")
    settings = read_settings(["--no-ui"], os.environ)
    if not (settings.model_dir / "manifest.json").is_file():
        pytest.skip(f"{settings.model_dir} holds no model")
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        playground = runner.run(stack.enter_async_context(running(settings)))
        if not playground.worker.ready.supports_image:
            runner.run(stack.aclose())
            pytest.skip(f"{settings.model_dir} has no vision encoder")

        async def run(scenario: Scenario) -> Any:  # noqa: ANN401
            async with client_of(playground) as client:
                await client.delete("/v1/sessions/a")
                return await scenario(playground, client)

        yield lambda scenario: runner.run(run(scenario))
        runner.run(stack.aclose())


def circle(colour: str, width: int = 224, height: int = 168) -> str:
    """A picture as base64."""
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).ellipse((40, 30, 150, 140), fill=colour)
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def user(text: str, *pictures: str) -> dict[str, Any]:
    """A user's message, pictures first."""
    shown = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
        for picture in pictures
    ]
    return {"role": "user", "content": [*shown, {"type": "text", "text": text}]}


async def ask(client: httpx.AsyncClient, *messages: dict[str, Any], **fields: Any) -> Any:  # noqa: ANN401
    """One reply."""
    body = {"messages": messages, "max_completion_tokens": 80, **fields}
    response = await client.post(CHAT, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_picture_stays_resident_while_a_conversation_goes_on(nano: Nano) -> None:
    """Encoded once; each further question costs its own tokens."""

    async def scenario(_: Playground, client: httpx.AsyncClient) -> list[Any]:
        told = [user("What colour is the circle?", circle("red"))]
        replies = []
        for question in ("And its shape?", "Is it red?", ""):
            reply = await ask(client, *told, session_id="a")
            replies.append(reply["muse_metrics"])
            answer = reply["choices"][0]["message"]["content"]
            told += [{"role": "assistant", "content": answer}, user(question)]
        return replies

    first, *later = nano(scenario)

    assert first["image_tokens"] == 48
    assert first["vision_encoder_ms"] > 0
    assert [turn["session_reset_reason"] for turn in later] == ["exact_prefix"] * 2
    assert [turn["vision_encoder_ms"] for turn in later] == [None] * 2
    assert max(turn["prefilled_prompt_tokens"] for turn in later) < 48


def test_opposite_pictures_get_opposite_answers(nano: Nano) -> None:
    """The words are the same, so only a model that looks can tell."""

    async def scenario(_: Playground, client: httpx.AsyncClient) -> dict[str, str]:
        answers = {}
        for colour in ("red", "blue"):
            reply = await ask(client, user("What colour is the circle?", circle(colour)))
            answers[colour] = reply["choices"][0]["message"]["content"]
        return answers

    answers = nano(scenario)

    assert "red" in answers["red"]
    assert "blue" in answers["blue"]


def test_resident_rows_are_as_good_as_computed_ones(nano: Nano) -> None:
    """The same prompt, continued in a session and computed anew, goes on alike."""

    async def scenario(playground: Playground, _: httpx.AsyncClient) -> list[Done]:
        tokens, worker = playground.serving.prompts.tokenizer.encode_prompt, playground.worker

        async def generate(*segments: IdsSegment | ImageSegment, session_id: str = "") -> Done:
            request = GenerateRequest(segments, max_new_tokens=12, session_id=session_id)
            return await worker.generate(request, lambda _: None)

        begin = IdsSegment(tuple(tokens("<|start|>user<|message|>")))
        shown = ImageSegment("image/png", circle("green"))
        end = IdsSegment(tuple(tokens("What is it?<|eot|><|start|>assistant")))
        first = await generate(begin, shown, end, session_id="a")
        more = tokens("<|eot|><|start|>user<|message|>And now?<|eot|><|start|>assistant")
        rest = IdsSegment((*(first.generated_token_ids or ()), *more))
        warm = await generate(begin, shown, end, rest, session_id="a")
        await worker.close("a")
        return [warm, await generate(begin, shown, end, rest)]

    warm, cold = nano(scenario)

    assert (warm.session_reset_reason, cold.session_reset_reason) == ("exact_prefix", "new")
    assert (warm.vision_encoder_ms, cold.vision_encoder_ms is None) == (None, False)
    assert warm.prompt_tokens == cold.prompt_tokens
    assert warm.generated_token_ids == cold.generated_token_ids


def test_drafting_does_not_change_what_is_seen(nano: Nano) -> None:
    """Greedy, with and without, and where there is no draft twice without."""

    async def scenario(_: Playground, client: httpx.AsyncClient) -> list[str]:
        shown = user("What colour is the circle?", circle("blue"))
        replies = [await ask(client, shown, muse={"dflash": on}) for on in (True, False)]
        return [str(reply["choices"][0]["message"]["content"]) for reply in replies]

    drafted, plain = nano(scenario)

    assert drafted == plain


def test_a_picture_of_any_shape_is_answered_about(nano: Nano) -> None:
    """One pixel, a strip, and far more pixels than cells."""

    async def scenario(_: Playground, client: httpx.AsyncClient) -> list[int]:
        sizes = [(1, 1), (2000, 20), (20, 2000), (3000, 2000)]
        return [
            (await ask(client, user("What is it?", circle("red", *size))))["muse_metrics"][
                "image_tokens"
            ]
            for size in sizes
        ]

    one, wide, tall, large = nano(scenario)

    assert one == 1
    assert max(wide, tall, large) <= 64
    assert min(wide, tall, large) > 32
