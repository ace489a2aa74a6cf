"""What bytes does a picture in a request hold, and what does it say they are?

Exactly `data:image/png;base64,` or `data:image/jpeg;base64,` and base64 of the standard alphabet,
padded, without spaces. Nothing is ever fetched: an address on the network is refused.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.vision.errors import ImageTooLarge, MalformedDataURL
from playground.vision.pixels import MAX_IMAGE_BYTES

if TYPE_CHECKING:
    from playground.vision.pixels import ImageType

__all__ = ["DataURL", "decode_base64", "parse_data_url"]

HEAD = re.compile(r"data:(image/png|image/jpeg);base64,")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
SHOWN_CHARACTERS = 40
FORM = "data:image/png;base64,… or data:image/jpeg;base64,…"


@dataclass(frozen=True, slots=True)
class DataURL:
    """A declared type and the bytes."""

    media_type: ImageType
    data: bytes


def parse_data_url(url: str, *, max_bytes: int = MAX_IMAGE_BYTES) -> DataURL:
    """Read a data URL of at most `max_bytes` decoded bytes.

    Raises:
        MalformedDataURL: it is anything else; the message says what.
        ImageTooLarge: it holds more bytes; they were not decoded.
    """
    head = HEAD.match(url)
    if head is None:
        raise MalformedDataURL(_what_it_is(url))
    media_type: ImageType = "image/png" if head[1] == "image/png" else "image/jpeg"
    return DataURL(media_type, decode_base64(url[head.end() :], max_bytes=max_bytes))


def decode_base64(text: str, *, max_bytes: int = MAX_IMAGE_BYTES) -> bytes:
    """Decode strict base64; raises as `parse_data_url` does."""
    size = len(text) // 4 * 3 - text[-2:].count("=")
    if size > max_bytes:
        raise ImageTooLarge(size, max_bytes, "bytes")
    if not text:
        raise MalformedDataURL("is empty")
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise MalformedDataURL(f"is not base64: {error}") from error
    if base64.b64encode(data).decode() != text:
        raise MalformedDataURL("is not base64: bits are set behind its last byte")
    return data


def _what_it_is(url: str) -> str:
    shown = url if len(url) <= SHOWN_CHARACTERS else url[:SHOWN_CHARACTERS] + "…"
    scheme = SCHEME.match(url)
    if scheme and scheme[0].lower() != "data:":
        return f"is {shown!r}, and nothing is fetched here; send its bytes as {FORM}"
    return f"is {shown!r}; the form is {FORM}"
