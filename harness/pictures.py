"""Which pictures does a scenario show, and how do messages carry them?

A scenario names its pictures in `[pictures]`:

    circle = { file = "pictures/circle.png" }   a file beside the scenario, sent as a data URL
        type = "image/png"                      the declared type; without it, by the file's name
        detail = "low"                          goes with the picture, in OpenAI's field
    abroad = { url = "https://example.com/x" }  what stands in the place of a data URL, as it is

Files are read when a run begins and never for a report: what was sent is in the traces.
"""

from __future__ import annotations

import base64
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pydantic.dataclasses import dataclass

from harness.errors import ScenarioError
from harness.scenario import Text, closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from harness.scenario_rules import Key

    Part = Mapping[str, Any]
    """One part of a message, in OpenAI's shape."""

__all__ = [
    "Picture",
    "content_of",
    "load_pictures",
    "picture_mistakes",
    "pictures_of",
    "shown_in",
    "words_of",
]

TYPES = {
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}


@dataclass(frozen=True, config=closed)
class Picture:
    """A picture as a scenario tells it; either `file` or `url`."""

    file: Text | None = None
    type: Text | None = None
    url: str | None = None
    detail: Text | None = None


def picture_mistakes(pictures: Mapping[str, Picture]) -> Iterator[tuple[Key, str]]:
    """What is wrong with the pictures of a scenario."""
    for name, picture in pictures.items():
        key = ("pictures", name)
        if (picture.file is None) == (picture.url is None):
            yield key, "needs either file or url"
        elif picture.type and picture.url is not None:
            yield (*key, "type"), "goes with file"
        elif picture.file and not (picture.type or PurePath(picture.file).suffix in TYPES):
            yield (*key, "file"), f"ends in none of {', '.join(TYPES)}; say its type"


def load_pictures(pictures: Mapping[str, Picture], scenario: Path) -> Mapping[str, Part]:
    """The parts that show the pictures, by name; files lie beside the scenario file.

    Raises:
        ScenarioError: a file cannot be read.
    """
    return {name: _part(name, picture, scenario) for name, picture in pictures.items()}


def content_of(text: str, parts: Sequence[Part]) -> str | list[Part]:
    """The content of a message: pictures first, as models are taught."""
    return [*parts, {"type": "text", "text": text}] if parts else text


def pictures_of(content: object) -> list[Part]:
    """The parts of a message that show pictures."""
    return [part for part in _parts(content) if part.get("type") == "image_url"]


def words_of(content: object) -> str:
    """What a message says, a picture as `[picture]`."""
    if not isinstance(content, list):
        return str(content)
    said = [str(part["text"]) if "text" in part else "[picture]" for part in _parts(content)]
    return " ".join(said)


def shown_in(messages: Iterable[Mapping[str, Any]]) -> int:
    """How many pictures a request shows."""
    return sum(len(pictures_of(message.get("content"))) for message in messages)


def _parts(content: object) -> Iterator[Part]:
    if isinstance(content, list):
        yield from (part for part in content if isinstance(part, dict))


def _part(name: str, picture: Picture, scenario: Path) -> Part:
    image = {"url": _url(name, picture, scenario)}
    if picture.detail:
        image["detail"] = picture.detail
    return {"type": "image_url", "image_url": image}


def _url(name: str, picture: Picture, scenario: Path) -> str:
    if picture.url is not None:
        return picture.url
    assert picture.file is not None
    try:
        data = (scenario.parent / picture.file).read_bytes()
    except OSError as problem:
        said = f"{picture.file} cannot be read ({problem.strerror})"
        raise ScenarioError(scenario, said, key=f"pictures.{name}.file") from problem
    media_type = picture.type or TYPES[PurePath(picture.file).suffix]
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
