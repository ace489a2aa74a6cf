"""The pictures beside the `vision` scenario are what its recipe makes, and show what they say."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from bootstrap.nano.trial_pictures import trial_pictures

FOLDER = Path(__file__).parents[3] / "scenarios" / "pictures"
PICTURES = trial_pictures()
UPRIGHT = [f"upright-{number}.jpg" for number in range(1, 9)] + ["upright-6.png"]


def pixels(content: bytes) -> np.ndarray:
    """As whoever heeds EXIF sees it."""
    image = ImageOps.exif_transpose(Image.open(BytesIO(content)))
    return np.asarray(image.convert("RGB"), np.int16)


def test_every_picture_is_there_and_no_other() -> None:
    """Which also keeps the list in the recipe's docstring honest."""
    assert {path.name for path in FOLDER.iterdir()} == set(PICTURES)


@pytest.mark.parametrize("name", [n for n in PICTURES if n.startswith(("circle", "star", "u"))])
def test_a_picture_shows_what_the_recipe_draws(name: str) -> None:
    """Bytes may differ by the version of an encoder, pixels hardly."""
    kept = pixels((FOLDER / name).read_bytes())

    assert np.abs(kept - pixels(PICTURES[name])).max() <= 2


@pytest.mark.parametrize("name", UPRIGHT)
def test_the_eight_ways_are_one_scene(name: str) -> None:
    """But for what JPEG makes of an edge; the bytes of each say how it is to be turned."""
    content = (FOLDER / name).read_bytes()

    assert Image.open(BytesIO(content)).getexif()[0x0112] == int(name[8])
    assert np.abs(pixels(content) - pixels((FOLDER / UPRIGHT[0]).read_bytes())).mean() < 2


def test_one_is_stored_the_third_way_and_does_not_say_so() -> None:
    """Its pixels are those of the upright one, upside down."""
    content = (FOLDER / "turned-3.jpg").read_bytes()

    assert "exif" not in Image.open(BytesIO(content)).info
    upright = pixels((FOLDER / UPRIGHT[0]).read_bytes())
    assert np.abs(pixels(content)[::-1, ::-1] - upright).mean() < 2
