"""Pictures have their place between the ids of a prompt, and their share of its budget."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.errors import ContextLengthExceeded, TemplateFailed
from playground.images import ShownImage, images_in
from playground.prompt import PromptBuilder, PromptInput
from playground.schemas import Message, read_chat_request
from playground.settings import MODEL_DIR
from playground.template import ChatTemplate
from playground.tokens import ScriptedTokenizer
from playground.transcript import Transcript

Json = dict[str, Any]

BOS = "<|begin_of_text|>"
TOKENIZER = ScriptedTokenizer()
MUSE = Path(__file__).parents[3] / "shared" / "data" / "muse"
TEMPLATES = {
    "ours": MODEL_DIR / "chat_template.jinja",
    "published": MUSE / "chat_template.jinja",
    "early": MUSE / "chat_template.early.jinja",
}
DATED = {"current_date": "2026-11-29", "reasoning_strength": "low"}
SYSTEM: Json = {"role": "system", "content": "S"}


@functools.cache
def template(name: str = "ours") -> ChatTemplate:
    """A chat template by its name."""
    path = TEMPLATES[name]
    if not path.exists():
        pytest.skip(f"the publisher's templates are not at hand ({path.name})")
    return ChatTemplate(path.read_text(encoding="utf-8"), controls=TOKENIZER.controls, bos=BOS)


def image(name: str, cells: int = 3) -> ShownImage:
    """A picture; its name stands for its bytes."""
    return ShownImage("image/png", name, cells)


def user(*parts: str | ShownImage) -> Json:
    """What a person says and shows."""
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": part.base64}}
        for part in parts
    ]
    return {"role": "user", "content": content}


def assistant(content: str) -> Json:
    """An answer in the history."""
    return {"role": "assistant", "content": content}


def messages(*told: Json) -> list[Message]:
    """Messages as a request brings them."""
    return list(read_chat_request(json.dumps({"messages": [SYSTEM, *told]}).encode()).messages)


def built(
    *told: Json,
    cells: int = 3,
    context_length: int = 10_000,
    wrapped: bool = False,
    name: str = "ours",
    transcript: Transcript = Transcript(),  # noqa: B008 - an immutable value
) -> PromptInput:
    """The prompt of a conversation; each picture has so many cells."""
    read = messages(*told)
    shown = [image(url.url, cells) for _, url in images_in(read)]
    builder = PromptBuilder(template(name), TOKENIZER, context_length, wrapped)
    return builder.build(read, images=shown, settings=DATED, transcript=transcript)


def spelled(prompt: PromptInput) -> str:
    """The prompt as the worker would spell it, a picture by its name in brackets."""
    return "".join(
        f"[{segment.base64}]"
        if isinstance(segment, ShownImage)
        else b"".join(map(TOKENIZER.bytes_of, segment)).decode()
        for segment in prompt.segments
    )


def body(prompt: PromptInput) -> str:
    """What follows the system message."""
    return spelled(prompt).partition("<|eot|>")[2]


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_picture_stands_where_it_was_shown(name: str) -> None:
    """Between the words before it and the words behind it, whoever wrote the template."""
    prompt = built(user("a", image("x"), "b", image("y")), name=name)

    expected = "<|start|>user<|message|>a[x]b[y]<|eot|><|start|>assistant"
    assert body(prompt).endswith(expected)


def test_a_picture_may_be_wrapped() -> None:
    """As the model was trained, which its manifest says."""
    prompt = built(user(image("x"), image("y"), "b"), wrapped=True)

    assert body(prompt) == (
        "<|start|>user<|message|><|image_start|>[x]<|image_end|><|image_start|>[y]<|image_end|>b"
        "<|eot|><|start|>assistant"
    )


@pytest.mark.parametrize(("wrapped", "tokens"), [(False, 0), (True, 4)])
def test_pictures_are_counted_by_their_cells(wrapped: bool, tokens: int) -> None:  # noqa: FBT001
    """And so are the tokens that they are wrapped in."""
    without = built(user("a", "b"))

    prompt = built(user("a", image("x"), image("y"), "b"), cells=7, wrapped=wrapped)

    assert prompt.image_tokens == 14
    assert prompt.prompt_tokens == without.prompt_tokens + 14 + tokens
    assert prompt.room == without.room - 14 - tokens


def test_a_picture_that_leaves_no_room_is_told_as_such() -> None:
    """Down to the last token."""
    fits = built(user(image("x")), cells=50).prompt_tokens + 1

    assert built(user(image("x")), cells=50, context_length=fits).room == 1
    with pytest.raises(ContextLengthExceeded, match=r"the prompt, with 51 for images, has"):
        built(user(image("x")), cells=51, context_length=fits)


def test_a_typed_patch_is_no_place_for_a_picture() -> None:
    """Control tokens that a person types are words, before a picture too."""
    prompt = built(user("<|patch|>", image("x"), "<|image_start|>"))

    assert body(prompt).startswith("<|start|>user<|message|><|patch|>[x]<|image_start|><|eot|>")
    assert TOKENIZER.control("<|patch|>") not in prompt.ids


def test_a_template_without_a_place_for_pictures_is_not_used_for_them() -> None:
    """Better than an answer about a picture that was never shown."""
    blind = ChatTemplate("{{ messages | length }}", controls=TOKENIZER.controls, bos=BOS)
    read = messages(user(image("x")))

    with pytest.raises(TemplateFailed, match="no place for images"):
        PromptBuilder(blind, TOKENIZER, 100).build(read, images=[image("x")], settings=DATED)


parts = st.lists(st.text("ab<|", min_size=1, max_size=3) | st.just(image("x")), min_size=1)


@given(st.lists(st.tuples(parts, st.text("yz", max_size=3)), max_size=3), parts, st.booleans())
def test_an_answer_spliced_behind_pictures_continues_the_prompt(
    turns: list[tuple[list[str | ShownImage], str]],
    last: list[str | ShownImage],
    wrapped: bool,  # noqa: FBT001
) -> None:
    """Every prompt begins with the one before it and the ids that were generated, pictures too."""
    told: list[Json] = []
    resident: list[int | str] = []
    transcript = Transcript()

    for shown, answer in [*turns, (last, "")]:
        told.append(user(*shown))
        prompt = built(*told, wrapped=wrapped, transcript=transcript)
        rows: list[int | str] = []
        for segment in prompt.segments:
            rows += [segment.base64] * 3 if isinstance(segment, ShownImage) else segment
        assert rows[: len(resident)] == resident
        assert prompt.prompt_tokens == len(rows) + 1
        generated = TOKENIZER.encode_prompt(f" to=user<|message|>{answer}")
        transcript = prompt.transcript.record(answer, generated)
        resident = [*rows, *generated]
        told.append(assistant(answer))
