"""What does the native worker make of a picture? What stb_image does, on one of our encoders.

It looks at the first bytes and not at what the file is declared as, takes the pixels as they lie,
whatever EXIF says, and drops what says how transparent they are. 16-bit samples keep their high
byte.
"""

from __future__ import annotations

import base64
import binascii
import time
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from tests.native.grid import CELL, native_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from playground.worker.engine import Engine

    Rows = NDArray[np.float32]

SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
MOST_SIDE, MOST_PIXELS = 32_768, 64 * 1024 * 1024


class NoPicture(Exception):
    """It is none, or is too large."""


def decode_strictly(text: str, max_bytes: int) -> bytes:
    """The bytes of a base64 text; raises NoPicture."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoPicture from error
    if len(data) > max_bytes or base64.b64encode(data).decode() != text:
        raise NoPicture
    return data


def encode(data: bytes, engine: Engine) -> tuple[Rows, float]:
    """The rows of a picture, and how long the encoder took in milliseconds; raises NoPicture."""
    if not data.startswith(SIGNATURES):
        raise NoPicture
    try:
        with Image.open(BytesIO(data), formats=["PNG", "JPEG"]) as image:
            width, height = image.size
            _check(width, height)
            pixels = _rgb(image)
        most = engine.info.max_image_cells
        assert most is not None
        rows, columns = native_cells(width, height, most)
        size = (columns * CELL, rows * CELL)
        inputs = engine.prepare(np.asarray(pixels.resize(size, Image.Resampling.LANCZOS)))
        began = time.perf_counter()
        return engine.encode(inputs), (time.perf_counter() - began) * 1e3
    except Exception as error:
        raise NoPicture from error


def _check(width: int, height: int) -> None:
    if max(width, height) > MOST_SIDE or width * height > MOST_PIXELS:
        raise NoPicture


def _rgb(image: Image.Image) -> Image.Image:
    image.load()
    if image.mode.startswith("I"):
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    return image.convert("RGB")
