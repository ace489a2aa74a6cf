"""How are digits and words written in a picture?

In Pillow's own font at any size or, digits and capitals, with a pen; upright or slanted, thin or
bold, narrow or wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from bootstrap.nano.pictures.strokes import PENNED, penned

if TYPE_CHECKING:
    from random import Random

__all__ = ["Hand", "any_hand", "text_mask"]


@dataclass(frozen=True, slots=True)
class Hand:
    """How the letters are formed."""

    bold: float = 0.0  # stroke added, as a share of the size
    slant: float = 0.0  # how far the top leans to the right, as a share of the height
    stretch: float = 1.0  # width over the usual width
    pen: float = 0.0  # width of a pen, as a share of the size; 0 means the font


def any_hand(rng: Random, text: str) -> Hand:
    """A hand that can write the text, most often a plain one."""
    pen = rng.uniform(0.06, 0.14) if rng.random() < 0.25 and PENNED.issuperset(text) else 0.0
    return Hand(
        pen=pen,
        bold=rng.choice((0.0, 0.0, 0.02, 0.04)),
        slant=rng.choice((0.0, 0.0, 0.0, 0.12, 0.22)),
        stretch=rng.choice((1.0, 1.0, 0.88, 1.12, 1.25)),
    )


@lru_cache(maxsize=128)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _printed(text: str, size: int, hand: Hand) -> Image.Image:
    font = _font(size)
    stroke = int(hand.bold * size)
    left, top, right, bottom = font.getbbox(text, stroke_width=stroke)
    width, height = int(right - left) + 4, int(bottom - top) + 4
    mask = Image.new("L", (width, height))
    ImageDraw.Draw(mask).text((2 - left, 2 - top), text, fill=255, font=font, stroke_width=stroke)
    return mask


@lru_cache(maxsize=16)
def text_mask(text: str, size: int, hand: Hand) -> Image.Image:
    """The ink of a line of text, cut to its edges: mode L; `size` is the font's, in pixels."""
    mask = penned(text, size, hand.pen * size) if hand.pen else _printed(text, size, hand)
    width, height = mask.size
    if hand.slant:
        lean = hand.slant * height
        mask = mask.transform(
            (width + round(lean), height), Image.Transform.AFFINE,
            (1, hand.slant, -lean, 0, 1, 0), Image.Resampling.BILINEAR,
        )  # fmt: skip
    if hand.stretch != 1.0:
        mask = mask.resize((max(1, round(mask.width * hand.stretch)), mask.height))
    return mask.crop(mask.getbbox())
