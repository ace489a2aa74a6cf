"""Pictures to look at: as PNG in a data URL, made from a number, the same one each time."""

from __future__ import annotations

import base64
import random
import struct
import zlib

__all__ = ["picture_url"]

SIDE = 168
"""Pixels: large enough to take a while, small enough for any encoder."""
SQUARE = 42


def picture_url(number: int) -> str:
    """A picture of coloured squares, as a `data:` URL."""
    draw = random.Random(number)
    squares = SIDE // SQUARE
    lines = [b"".join(draw.randbytes(3) * SQUARE for _ in range(squares)) for _ in range(squares)]
    rows = [b"\0" + lines[y // SQUARE] for y in range(SIDE)]
    png = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + _chunk(b"IEND", b"")
    )
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
