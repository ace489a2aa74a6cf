"""How does a scene become pixels?"""

from __future__ import annotations

import io
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from bootstrap.nano.pictures.lettering import text_mask
from bootstrap.nano.pictures.picture import Picture
from bootstrap.nano.pictures.shapes import shape_mask

if TYPE_CHECKING:
    from bootstrap.nano.pictures.scene import Ground, Item, Scene, Wear

__all__ = ["draw"]


def draw(scene: Scene) -> Picture:
    """The picture of a scene: the same scene gives the same pixels."""
    image = _ground(scene.ground, scene.width, scene.height)
    for item in scene.items:
        _place(image, item)
    image = _worn(image, scene.wear, scene.ground.seed)
    return Picture(image.tobytes(), scene.width, scene.height)


def _ground(ground: Ground, width: int, height: int) -> Image.Image:
    if ground.pattern == "gradient":
        rng = Random(ground.seed)
        steps = Image.linear_gradient("L").rotate(rng.choice((0, 90, 180, 270)))
        mask = steps.resize((width, height), Image.Resampling.BILINEAR)
        return Image.composite(
            Image.new("RGB", (width, height), ground.other),
            Image.new("RGB", (width, height), ground.rgb), mask,
        )  # fmt: skip
    image = Image.new("RGB", (width, height), ground.rgb)
    if ground.pattern == "speckled":
        coarse = Image.frombytes("L", (24, 24), Random(ground.seed).randbytes(576))
        mask = coarse.resize((width, height), Image.Resampling.BILINEAR)
        image.paste(ground.other, (0, 0), mask)
    elif ground.pattern == "lined":
        pen = ImageDraw.Draw(image)
        rng = Random(ground.seed)
        step, flat = rng.randint(8, 24), rng.random() < 0.5
        for at in range(rng.randrange(step), height if flat else width, step):
            pen.line((0, at, width, at) if flat else (at, 0, at, height), fill=ground.other)
    return image


def _place(image: Image.Image, item: Item) -> None:
    if item.text:
        _paste(image, item, text_mask(item.text, int(item.size), item.hand), item.rgb)
        return
    if item.edge is not None:
        outer = shape_mask(item.kind, item.size, item.turn, hollow=item.hollow)
        _paste(image, item, outer, item.edge)
        inner = shape_mask(item.kind, item.size, item.turn, hollow=item.hollow, grow=-1.5)
        _paste(image, item, inner, item.rgb)
        return
    mask = shape_mask(item.kind, item.size, item.turn, hollow=item.hollow)
    _paste(image, item, mask, item.rgb)


def _paste(image: Image.Image, item: Item, mask: Image.Image, rgb: tuple[int, int, int]) -> None:
    left, top = round(item.x - mask.width / 2), round(item.y - mask.height / 2)
    image.paste(rgb, (left, top), mask)


def _worn(image: Image.Image, wear: Wear, seed: int) -> Image.Image:
    if wear.blur:
        image = image.filter(ImageFilter.BoxBlur(wear.blur))
    if wear.noise:
        raw = Random(seed).randbytes(image.width * image.height * 3)
        noise = np.frombuffer(raw, np.int8).astype(np.int16) * wear.noise >> 7
        pixels = np.frombuffer(image.tobytes(), np.uint8).astype(np.int16) + noise
        image = Image.frombytes("RGB", image.size, pixels.clip(0, 255).astype(np.uint8).tobytes())
    if wear.jpeg:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=wear.jpeg)
        image = Image.open(file).convert("RGB")
    return image
