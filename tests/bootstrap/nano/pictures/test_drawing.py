"""What the recipe says is in a picture is what its pixels show."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from bootstrap.nano.pictures.composing import crowd, few, one, writing
from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.palette import COLOURS, shade
from bootstrap.nano.pictures.scene import Ground, Item, Scene, Wear
from bootstrap.nano.pictures.shapes import OUTLINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_WHITE = Ground("white", (255, 255, 255), (255, 255, 255))
_MAKERS = (one, few, crowd, writing)


def _alone(kind: str, colour: str = "red", **changes: object) -> Scene:
    item = Item(kind, colour, (220, 20, 20), 56, 56, 60)
    return Scene(112, 112, _WHITE, (replace(item, **changes),))  # type: ignore[arg-type]


def _changed(scene: Scene) -> NDArray[np.bool_]:
    """Where the picture differs from its bare background."""
    plain = replace(scene, wear=Wear())
    bare = replace(plain, items=())
    difference = draw(plain).pixels().astype(int) - draw(bare).pixels().astype(int)
    changed: NDArray[np.bool_] = np.abs(difference).sum(axis=2) > 60
    return changed


def _patches(mask: NDArray[np.bool_]) -> int:
    """How many pieces hang together (by sides or corners)."""
    left = {(int(y), int(x)) for y, x in np.argwhere(mask)}
    pieces = 0
    while left:
        pieces += 1
        open_ = [left.pop()]
        while open_:
            y, x = open_.pop()
            near = {(y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
            left -= near
            open_ += near
    return pieces


@pytest.mark.parametrize("kind", OUTLINES)
def test_most_pixels_of_a_shape_have_the_shade_that_was_drawn(kind: str) -> None:
    """The shape's own colour is the commonest that is not the background."""
    pixels = draw(_alone(kind)).pixels().reshape(-1, 3)

    counted = Counter(map(tuple, pixels.tolist())).most_common(2)

    assert {(255, 255, 255), (220, 20, 20)} == {colour for colour, _ in counted}


@pytest.mark.parametrize("kind", [kind for kind in OUTLINES if kind not in ("ring", "line")])
def test_a_shape_covers_the_area_that_comparisons_go_by(kind: str) -> None:
    """The pixels that are mostly the shape's number what its outline holds, within a tenth."""
    scene = _alone(kind, turn=17.0)

    covered = int((draw(scene).pixels()[:, :, 1] < 138).sum())

    assert covered == pytest.approx(scene.items[0].area, rel=0.1)


@pytest.mark.parametrize("colour", COLOURS)
def test_a_shade_goes_by_one_name(colour: str) -> None:
    """Among many shades of all names, the nearest to a shade has its name."""
    rng = Random("shades")
    known = [(other, shade(rng, other)) for other in COLOURS for _ in range(150)]

    for _ in range(40):
        red, green, blue = shade(rng, colour)
        nearest, _ = min(
            known,
            key=lambda each: (
                (each[1][0] - red) ** 2 + (each[1][1] - green) ** 2 + (each[1][2] - blue) ** 2
            ),
        )
        assert colour == nearest


@pytest.mark.parametrize("seed", range(12))
def test_a_mirrored_scene_is_the_mirrored_picture(seed: int) -> None:
    """Left and right swapped in the scene are left and right swapped in the pixels, near enough."""
    scene = few(Random(f"mirror/{seed}"))
    plain = replace(scene, wear=Wear(), ground=_WHITE)

    drawn, mirrored = draw(plain).pixels(), draw(plain.mirrored()).pixels()

    assert _close(drawn[:, ::-1], mirrored)
    assert scene.mirrored().mirrored().items == pytest.approx(scene.items) or _close(
        draw(plain.mirrored().mirrored()).pixels(), drawn
    )


def _close(one_picture: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Do all but the pixels along outlines agree?"""
    difference = np.abs(one_picture.astype(int) - other.astype(int)).sum(axis=2)
    return float((difference > 90).mean()) < 0.06


@pytest.mark.parametrize("seed", range(25))
def test_there_are_as_many_pieces_as_shapes(seed: int) -> None:
    """Shapes never touch one another, so the pieces of a crowd number its shapes."""
    scene = crowd(Random(f"crowd/{seed}"))
    scene = replace(scene, ground=_WHITE, items=tuple(_black(item) for item in scene.items))

    assert len(scene.items) == _patches(_changed(scene))


def _black(item: Item) -> Item:
    return replace(item, rgb=(0, 0, 0), edge=None)


@pytest.mark.parametrize("maker", _MAKERS)
def test_everything_lies_within_the_canvas(maker: Callable[[Random], Scene]) -> None:
    """No shape and no letter is cut off at the edge."""
    rng = Random("within")

    for _ in range(150):
        scene = maker(rng)
        for item in scene.items:
            left, top, right, bottom = item.box
            assert left >= -1
            assert top >= -1
            assert right <= scene.width + 1
            assert bottom <= scene.height + 1


@pytest.mark.parametrize("maker", _MAKERS)
def test_a_picture_has_nine_to_sixty_four_cells_and_can_be_made_out(
    maker: Callable[[Random], Scene],
) -> None:
    """Sides are 72 to 236 pixels, shapes 22 or more across, fonts 22 or more."""
    rng = Random("sizes")

    for _ in range(150):
        scene = maker(rng)
        assert 72 <= min(scene.width, scene.height) <= max(scene.width, scene.height) <= 236
        assert all(item.size >= 22 for item in scene.items)


def test_what_is_written_has_ink_of_its_own_colour() -> None:
    """The darkest ink of a text on white is the colour that it goes by."""
    scene = replace(writing(Random(4), "word"), ground=_WHITE, wear=Wear())
    item = replace(scene.items[0], rgb=(0, 0, 160))

    pixels = draw(replace(scene, items=(item,))).pixels().reshape(-1, 3)

    assert (0, 0, 160) in set(map(tuple, pixels.tolist()))


@pytest.mark.parametrize("maker", _MAKERS)
def test_the_same_state_of_the_generator_gives_the_same_bytes(
    maker: Callable[[Random], Scene],
) -> None:
    """Pictures depend on the seed alone."""
    first = [draw(maker(Random(f"same/{k}"))) for k in range(10)]

    again = [draw(maker(Random(f"same/{k}"))) for k in range(10)]

    assert first == again


def test_the_file_holds_the_pixels() -> None:
    """The PNG of a picture opens to its pixels, whatever was done to it."""
    picture = draw(few(Random(8)))

    opened = np.asarray(Image.open(io.BytesIO(picture.png)))

    assert np.array_equal(picture.pixels(), opened)
