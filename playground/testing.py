"""What tests of the server are built from, ours and a caller's alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["every_split"]


def every_split(text: str) -> Iterator[tuple[str, ...]]:
    """The text cut into pieces in every way that an incremental parser may stumble over.

    Whole; in two and in three pieces at every place; and character by character. Three pieces cut
    out every substring, so a parser meets each of its tokens alone and split on either side.
    """
    yield (text,)
    yield tuple(text)
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            yield text[:first], text[first:second], text[second:]
