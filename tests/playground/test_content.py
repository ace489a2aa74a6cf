"""What a message says: text, or text and pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.content import ImageURL
from playground.errors import APIError, InvalidRequest, UnsupportedParameter
from playground.schemas import read_chat_request

Json = dict[str, Any]
URL = "data:image/png;base64,AAAA"


def text(words: str) -> Json:
    """A part that is text."""
    return {"type": "text", "text": words}


def image(url: object = URL, **fields: object) -> Json:
    """A part that is a picture."""
    return {"type": "image_url", "image_url": {"url": url, **fields}}


def read(content: object, role: str = "user") -> object:
    """What a message is understood to say."""
    told: Json = {"role": role, "content": content}
    if role == "tool":
        told |= {"tool_call_id": "1", "name": "f"}
    return read_chat_request(json.dumps({"messages": [told]}).encode()).messages[0].content


def refusal(content: object, role: str = "user") -> APIError:
    """Why it is not read."""
    with pytest.raises(APIError) as caught:
        read(content, role)
    return caught.value


@pytest.mark.parametrize("detail", [{}, *({"detail": d} for d in ("auto", "low", "high", None))])
def test_pictures_stand_where_they_were_sent(detail: Json) -> None:
    """Text around them is joined; how closely to look is passed over."""
    parts = [text("a"), text("b"), image(**detail), text("c"), image("x"), image("y")]

    assert read(parts) == ("ab", ImageURL(URL, 2), "c", ImageURL("x", 4), ImageURL("y", 5))


def test_a_picture_alone_is_a_message() -> None:
    """Words are not needed."""
    assert read([image()]) == (ImageURL(URL, 0),)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=6))
def test_parts_of_text_are_one_string(words: list[str]) -> None:
    """However it is cut, it is the text."""
    assert read(list(map(text, words))) == "".join(words)


@pytest.mark.parametrize("role", ["system", "developer", "assistant", "tool"])
def test_only_users_show_pictures(role: str) -> None:
    """The message says whose it is to do."""
    error = refusal([text("x"), image()], role)

    assert isinstance(error, UnsupportedParameter)
    assert str(error) == (
        "messages[0].content part 1 is an image, and only a user's message may show one"
    )


@pytest.mark.parametrize(
    ("part", "words", "kind"),
    [
        ({"type": "image_url"}, "part 0 should have its image_url as an object", InvalidRequest),
        ({"type": "image_url", "image_url": URL}, "part 0 should have its image_url as", None),
        (image(url=5), "part 0.image_url should have its url as a string", InvalidRequest),
        (image(url=None), "part 0.image_url should have its url as a string", None),
        (image(detail="max"), 'detail should be auto, low or high, got "max"', InvalidRequest),
        (image(detail=["low"]), "detail should be auto, low or high", None),
        (image(format="png"), "part 0.image_url has the unknown field 'format'", None),
        ({**image(), "cache": 1}, "part 0 has the unknown field 'cache'", UnsupportedParameter),
        ({"type": "image", "image": URL}, 'part 0 has the type "image"; text and image_url', None),
        ({"type": "video_url"}, "has the type", UnsupportedParameter),
    ],
)
def test_a_part_of_another_form_is_refused(
    part: Json, words: str, kind: type[APIError] | None
) -> None:
    """By its place and what it should be."""
    error = refusal([part])

    assert words in str(error)
    assert kind is None or type(error) is kind


def test_a_picture_is_not_repeated_in_a_message() -> None:
    """Not even where another part of the message is wrong."""
    assert len(str(refusal([image("x" * 100_000), {"type": "text"}]))) < 300
    assert len(repr(ImageURL("x" * 100_000, 0))) < 100
