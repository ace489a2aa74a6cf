"""Which pixels does the model see of a JPEG or PNG that a stranger sent?

    bytes       at most 20 MiB
    magic       says whether it is a JPEG or a PNG; a declared type has to agree
    header      at most 32,768 pixels a side and 64 Mi pixels in all; no animation
    ────────    nothing is decoded before this line
    decode      all of it; damaged or cut short is refused
    upright     turned as its EXIF orientation says
    flat        8-bit RGB; what is transparent is laid on white
    resized     Lanczos, to a whole number of cells

16-bit samples keep their high byte. Colour profiles and gamma are not looked at, as the published
processors do not. Of a JPEG with several pictures (a telephone's depth map) the first is taken.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from playground.vision.errors import ImageError, ImageTooLarge, InvalidImage
from playground.vision.grid import CELL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = [
    "MAX_IMAGE_BYTES",
    "MAX_PIXELS",
    "MAX_SIDE",
    "DecodedImage",
    "ImageType",
    "measure",
    "open_image",
    "redrawn",
    "resized",
]

MAX_IMAGE_BYTES = 20 * 1024 * 1024
MAX_SIDE = 32_768
MAX_PIXELS = 64 * 1024 * 1024

ImageType = Literal["image/png", "image/jpeg"]

Decoder = type[PngImageFile] | type[JpegImageFile]

MAGIC: dict[bytes, tuple[ImageType, Decoder]] = {
    b"\x89PNG\r\n\x1a\n": ("image/png", PngImageFile),
    b"\xff\xd8\xff": ("image/jpeg", JpegImageFile),
}
"""First bytes: the type they are, and who decodes it. Pillow's own choice is not asked for."""

ORIENTATION = 0x0112
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientation to what undoes it; 1 and what EXIF does not know are upright already."""
PLAIN = {"1", "L", "P", "RGB"}
"""Modes whose colours are the same to every decoder."""
SIDEWAYS = {UPRIGHT[5], UPRIGHT[6], UPRIGHT[7], UPRIGHT[8]}


@dataclass(frozen=True, slots=True, eq=False)
class DecodedImage:
    """An upright picture; `pixels` is RGB of `width x height`."""

    media_type: ImageType
    width: int
    height: int
    pixels: Image.Image
    as_stored: bool = True
    """Whether any decoder sees these pixels in the file: nothing was turned or laid on white."""


def open_image(
    data: bytes, *, declared: str | None = None, max_bytes: int = MAX_IMAGE_BYTES
) -> DecodedImage:
    """Decode a picture; `declared` is the media type that came with it, if one did.

    Raises:
        ImageTooLarge: a bound is passed; nothing was decoded.
        InvalidImage: it is no still JPEG or PNG, not what it was declared as, or damaged.
    """
    with _opened(data, declared, max_bytes) as (media_type, opened):
        turn = _turn(opened)
        opened.load()
        as_stored = turn is None and opened.mode in PLAIN and not opened.has_transparency_data
        pixels = _flat(opened if turn is None else opened.transpose(turn))
        return DecodedImage(media_type, pixels.width, pixels.height, pixels, as_stored)


def measure(
    data: bytes, *, declared: str | None = None, max_bytes: int = MAX_IMAGE_BYTES
) -> tuple[int, int]:
    """Return width and height of the upright picture, decoding nothing; raises as `open_image`."""
    with _opened(data, declared, max_bytes) as (_, opened):
        width, height = opened.size
        return (height, width) if _turn(opened) in SIDEWAYS else (width, height)


def resized(image: DecodedImage, rows: int, columns: int) -> NDArray[np.uint8]:
    """Return the picture as RGB `[rows * 28, columns * 28, 3]`."""
    size = (columns * CELL, rows * CELL)
    return np.asarray(image.pixels.resize(size, Image.Resampling.LANCZOS))


def redrawn(image: DecodedImage, rows: int, columns: int) -> bytes:
    """Return a PNG of the picture as the model is to see it, of a whole number of cells.

    It is upright, on white and of this size to any decoder, and needs no resizing any more.
    """
    png = BytesIO()
    Image.fromarray(resized(image, rows, columns)).save(png, "PNG")
    return png.getvalue()


@contextmanager
def _opened(
    data: bytes, declared: str | None, max_bytes: int
) -> Iterator[tuple[ImageType, Image.Image]]:
    """The picture with its header read and checked; whatever decoding raises is an ImageError."""
    if len(data) > max_bytes:
        raise ImageTooLarge(len(data), max_bytes, "bytes")
    media_type, decoder = _type_of(data)
    if declared not in {None, media_type}:
        raise InvalidImage(f"is declared as {declared}, and its first bytes say {media_type}")
    try:
        image = decoder(BytesIO(data))
        _check_header(image)
        yield media_type, image
    except ImageError:
        raise
    except Exception as error:  # whatever a decoder makes of a stranger's bytes
        raise InvalidImage(f"cannot be decoded as {media_type}: {error}") from error


def _type_of(data: bytes) -> tuple[ImageType, Decoder]:
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            return kind
    if not data:
        raise InvalidImage("is empty")
    raise InvalidImage("is neither a JPEG nor a PNG, by its first bytes")


def _check_header(image: Image.Image) -> None:
    width, height = image.size
    if max(width, height) > MAX_SIDE:
        raise ImageTooLarge(max(width, height), MAX_SIDE, "pixels a side")
    if width * height > MAX_PIXELS:
        raise ImageTooLarge(width * height, MAX_PIXELS, "pixels")
    if image.format == "PNG" and getattr(image, "n_frames", 1) > 1:
        raise InvalidImage("is animated; send one frame of it")


def _turn(image: Image.Image) -> Image.Transpose | None:
    """What makes the picture upright, by metadata that stand before the pixels."""
    try:
        # Not the method of the PNG decoder, which decodes the picture to look behind it as well.
        orientation = Image.Image.getexif(image).get(ORIENTATION)
    except Exception:  # noqa: BLE001  (as every viewer does: bad metadata, good picture)
        return None
    return UPRIGHT.get(orientation) if isinstance(orientation, int) else None


def _flat(image: Image.Image) -> Image.Image:
    """8-bit RGB on white, from any mode that a JPEG or PNG can have."""
    if image.mode.startswith("I"):
        image = _high_byte(image)
    if image.has_transparency_data:
        image = image if image.mode == "RGBA" else image.convert("RGBA")
        white = Image.new("RGB", image.size, "white")
        white.paste(image, mask=image.getchannel("A"))
        return white
    return image if image.mode == "RGB" else image.convert("RGB")


def _high_byte(image: Image.Image) -> Image.Image:
    """A 16-bit grey picture in 8 bits; Pillow's own conversion cuts it off at 255."""
    samples = np.asarray(image)
    grey = Image.fromarray((samples >> 8).astype(np.uint8))
    transparent = image.info.get("transparency")
    if transparent is not None:
        grey.putalpha(Image.fromarray(np.where(samples == transparent, 0, 255).astype(np.uint8)))
    return grey
