"""What does a message say: text, or text and pictures in the order they were sent?

Content is a string, or a list of parts:

    {"type": "text", "text": "…"}
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,…", "detail": "auto"}}

Parts of text that follow each other are joined as they stand. Pictures are a user's to send.
`detail` (auto, low, high) is how OpenAI's clients say how closely to look; here a picture's size
decides that, so the field is accepted and passed over. Only shapes are looked at here; whether a
picture is one is for `playground.images`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.refusal import invalid, shown, unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_PARTS", "Content", "ImageURL", "content_of", "text_of"]

MAX_PARTS = 1024
DETAILS = (None, "auto", "low", "high")


@dataclass(frozen=True, slots=True)
class ImageURL:
    """A picture as it was sent, unread."""

    url: str = field(repr=False)
    part: int
    """Its place among the parts of its message, from 0."""


Content = str | tuple[str | ImageURL, ...]
"""What a user says; a tuple where there are pictures in it."""


def text_of(content: object) -> object:
    """One string from a string or a list of text parts; other things are left to the type."""
    if not isinstance(content, list):
        return content
    return "".join(map(_only_text, _parts(content)))


def content_of(content: object) -> Content:
    """What a user says; refuses what is neither a string nor a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise invalid(f"should be a valid string, got {shown(content)}")
    said: list[str | ImageURL] = []
    for part in _parts(content):
        before = said[-1] if said else None
        if isinstance(part, str) and isinstance(before, str):
            said[-1] = before + part
        else:
            said.append(part)
    match said:
        case []:
            return ""
        case [str() as text]:
            return text
    return tuple(said)


def _only_text(part: str | ImageURL) -> str:
    if isinstance(part, ImageURL):
        raise unsupported(f"part {part.part} is an image, and only a user's message may show one")
    return part


def _parts(content: list[Any]) -> Iterator[str | ImageURL]:
    if len(content) > MAX_PARTS:
        raise invalid(f"has {len(content)} parts, {MAX_PARTS} are allowed")
    for number, part in enumerate(content):
        if not isinstance(part, dict):
            raise invalid(f"part {number} should be an object with a type")
        match part.get("type"):
            case "text":
                yield _text(number, part)
            case "image_url":
                yield _image(number, part)
            case other:
                raise unsupported(
                    f"part {number} has the type {shown(other)}; text and image_url are offered"
                )


def _text(number: int, part: dict[str, Any]) -> str:
    _know_only(part, {"type", "text"}, f"part {number}")
    if not isinstance(part.get("text"), str):
        raise invalid(f"part {number} should have its text as a string")
    return str(part["text"])


def _image(number: int, part: dict[str, Any]) -> ImageURL:
    _know_only(part, {"type", "image_url"}, f"part {number}")
    image = part.get("image_url")
    if not isinstance(image, dict):
        raise invalid(f"part {number} should have its image_url as an object with a url")
    _know_only(image, {"url", "detail"}, f"part {number}.image_url")
    if not isinstance(image.get("url"), str):
        raise invalid(f"part {number}.image_url should have its url as a string")
    if image.get("detail") not in DETAILS:
        raise invalid(
            f"part {number}.image_url.detail should be auto, low or high, got "
            f"{shown(image['detail'])}"
        )
    return ImageURL(image["url"], number)


def _know_only(fields: dict[str, Any], known: set[str], where: str) -> None:
    if unknown := sorted(fields.keys() - known):
        raise unsupported(f"{where} has the unknown field {unknown[0]!r}")
