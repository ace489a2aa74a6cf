"""Which scenes are made up?

Four kinds: a single shape, two to four different shapes, a crowd in which shapes repeat, and
writing (a digit, a number or a word, at times beside a shape). Shapes are at least 22 pixels across
and fonts at least 22 pixels, since the network looks at patches of 14 pixels.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import WORDS, made_up
from bootstrap.nano.pictures.lettering import any_hand, text_mask
from bootstrap.nano.pictures.palette import COLOURS, RGB, far_apart, legible, shade
from bootstrap.nano.pictures.scene import Ground, Item, Scene, Wear
from bootstrap.nano.pictures.shapes import HOLLOW, OUTLINES

if TYPE_CHECKING:
    from random import Random

__all__ = ["crowd", "few", "ink", "one", "writing"]

_CELL = 28  # pixels; a picture is seen in cells of this size
_SHAPES = tuple(OUTLINES)
_LAYOUTS: dict[int, tuple[tuple[int, int], ...]] = {  # rows, columns by the number of things
    1: ((1, 1), (1, 1), (1, 1), (2, 2), (3, 3), (3, 3)),
    2: ((1, 2), (2, 1), (2, 2), (1, 2), (2, 1), (1, 3), (3, 1), (3, 3)),
    3: ((1, 3), (3, 1), (2, 2), (2, 2), (3, 3)),
    4: ((2, 2), (2, 2), (2, 3), (3, 2), (3, 3)),
    5: ((2, 3), (3, 2), (3, 3)),
    6: ((2, 3), (3, 2), (3, 3)),
}
_SMALL = 34  # a font of this size is read easily, pixels
_FONT = 22  # the smallest size of a font, pixels
_SLOT = 31  # the smallest side of a slot, pixels


def _side(rng: Random) -> int:
    return rng.choice((3, 4, 4, 4, 5, 5, 5, 6, 7, 8))


def _size(rng: Random) -> tuple[int, int]:
    """Width and height in pixels: 9 to 64 cells, most about 16 to 25."""
    rows = _side(rng)
    columns = rows if rng.random() < 0.5 else min(8, max(3, rows + rng.choice((-2, -1, 1, 2))))
    width, height = columns * _CELL, rows * _CELL
    if rng.random() < 0.4:
        width += rng.randint(-12, 12)
        height += rng.randint(-12, 12)
    return width, height


def _ground(rng: Random) -> Ground:
    colour = rng.choice(("white", "white", "white", "black", "grey", *COLOURS))
    rgb = shade(rng, colour)
    pattern = rng.choice(("plain", "plain", "plain", "gradient", "speckled", "lined"))
    other = rgb
    if pattern != "plain":
        other = shade(rng, colour)
        if pattern == "lined" and rng.random() < 0.6:  # ruled paper
            step = rng.choice((-1, 1)) * rng.randint(16, 40)
            red, green, blue = (min(255, max(0, part + step)) for part in rgb)
            other = (red, green, blue)
    return Ground(colour, rgb, other, pattern, rng.getrandbits(32))


def _wear(rng: Random, finest: float) -> Wear:
    """Most often none; where letters are small, not so much that they are lost."""
    if rng.random() < 0.6:
        return Wear()
    small = finest < _SMALL
    return Wear(
        noise=rng.choice((0, 8, 16) if small else (0, 8, 16, 30)),
        blur=0.0 if small else rng.choice((0.0, 0.0, 0.6, 1.0)),
        jpeg=rng.choice((0, 0, 60, 80) if small else (0, 0, 40, 60, 80)),
    )


def ink(rng: Random, ground: Ground, among: tuple[str, ...] = COLOURS) -> tuple[str, RGB]:
    """A colour that can be seen on the ground, and a shade of it."""
    while True:
        colour = rng.choice(among)
        rgb = shade(rng, colour)
        if colour == ground.colour:
            among = COLOURS
        elif far_apart(rgb, ground.rgb) and far_apart(rgb, ground.other):
            return colour, rgb
        elif len(among) < len(COLOURS):
            among = COLOURS


def _layout(
    rng: Random, count: int, width: int, height: int
) -> list[tuple[float, float, float, float]]:
    """Slots for so many things: left, top, width, height, in no order."""
    fitting = [
        (rows, columns) for rows, columns in _LAYOUTS[count]
        if height / rows >= _SLOT and width / columns >= _SLOT
    ] or [(2, 3) if width > height else (3, 2)]  # fmt: skip
    rows, columns = rng.choice(fitting)
    wide, high = width / columns, height / rows
    slots = [
        (column * wide, row * high, wide, high) for row in range(rows) for column in range(columns)
    ]
    return rng.sample(slots, count)


def _centre(rng: Random, start: float, length: float, taken: float, whole: int) -> float:
    """Where the middle of a thing lies along one axis of its slot, clear of the thirds' borders."""
    middle = start + length / 2
    play = min((length - taken) / 2 - 1, 0.1 * whole if length < whole / 1.5 else 0.09 * whole)
    if 0.4 < length / whole < 0.6:
        play = min(play, 0.06 * whole)
    return middle + rng.uniform(-1, 1) * max(play, 0)


def _shape(
    rng: Random, ground: Ground, slot: tuple[float, float, float, float], size: tuple[int, int],
    kind: str, colours: tuple[str, ...], share: tuple[float, float] = (0.55, 0.94),
) -> Item:  # fmt: skip
    left, top, wide, high = slot
    room = min(wide, high) - 2
    across = min(room, max(22.0, room * rng.uniform(*share)))
    colour, rgb = ink(rng, ground, colours)
    tilt = {"line": 0, "star": 36, "circle": 0, "ring": 0, "arrow": 12, "rectangle": 8}.get(
        kind, 12
    )
    turn = rng.uniform(-tilt, tilt)
    if kind == "arrow":
        turn += rng.choice((0, 90, 180, 270))
    elif kind == "rectangle":
        turn += rng.choice((0, 90))
    elif kind == "line":
        turn = float(rng.choice((0, 45, 90, 135)))
    hollow = kind in HOLLOW and across > 34 and rng.random() < 0.15
    edge = None
    if not hollow and kind != "line" and across > 30 and rng.random() < 0.08:
        edge = shade(rng, rng.choice(("black", "white", "grey")))
    x = _centre(rng, left, wide, across, size[0])
    y = _centre(rng, top, high, across, size[1])
    return Item(kind, colour, rgb, x, y, across, turn, hollow, edge)


def _scene(rng: Random, size: tuple[int, int], ground: Ground, items: list[Item]) -> Scene:
    finest = min((item.size for item in items if item.text), default=_SMALL)
    return Scene(*size, ground, tuple(items), _wear(rng, finest)).ordered()


def one(rng: Random) -> Scene:
    """A single shape."""
    size, ground = _size(rng), _ground(rng)
    (slot,) = _layout(rng, 1, *size)
    return _scene(
        rng, size, ground, [_shape(rng, ground, slot, size, rng.choice(_SHAPES), COLOURS)]
    )


def few(rng: Random, kinds: tuple[str, ...] = _SHAPES, count: int = 0) -> Scene:
    """Two to four shapes, no two of the same shape and colour; most of different sizes."""
    size, ground = _size(rng), _ground(rng)
    slots = _layout(rng, count or rng.choice((2, 2, 2, 3, 3, 4)), *size)
    items: list[Item] = []
    repeat = rng.random() < 0.2
    while len(items) < len(slots):
        share = rng.choice(((0.4, 0.5), (0.85, 0.94), (0.55, 0.94)))
        item = _shape(rng, ground, slots[len(items)], size, rng.choice(kinds), COLOURS, share)
        same = [other for other in items if other.kind == item.kind]
        if not same or (repeat and all(other.colour != item.colour for other in same)):
            items.append(item)
    return _scene(rng, size, ground, items)


def crowd(rng: Random, count: int = 0) -> Scene:
    """One to six shapes of few kinds and few colours."""
    size, ground = _size(rng), _ground(rng)
    count = count or rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6))
    kinds = rng.choices(_SHAPES, k=rng.choice((1, 2, 2, 3)))
    colours = tuple(rng.sample(COLOURS, rng.choice((1, 2, 2, 3))))
    items = [
        _shape(rng, ground, slot, size, rng.choice(kinds), colours)
        for slot in _layout(rng, count, *size)
    ]
    return _scene(rng, size, ground, items)


def _words(rng: Random) -> str:
    while True:
        draw = rng.random()
        word = (
            rng.choice(WORDS) if draw < 0.45 else made_up(rng).lower() if draw < 0.8
            else "".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 5)))
        )  # fmt: skip
        if 3 <= len(word) <= 7 and word.isalpha() and word.isascii():
            return rng.choice((word.upper(), word.lower(), word.lower()))


def _text(rng: Random, kind: str) -> str:
    if kind == "digit":
        return str(rng.randrange(10))
    if kind == "number":
        return str(rng.randint(10, 99) if rng.random() < 0.5 else rng.randint(100, 999))
    return _words(rng)


def _lettered(
    rng: Random, ground: Ground, slot: tuple[float, float, float, float], size: tuple[int, int],
    kind: str,
) -> Item:  # fmt: skip
    """A digit, a number or a word that fills much of its slot."""
    left, top, wide, high = slot
    room = 0.0
    while room < _FONT:
        text = _text(rng, kind)
        hand = any_hand(rng, text)
        trial = text_mask(text, 40, hand)
        room = min((wide - 10) / trial.width, (high - 8) / trial.height) * 40
    font = int(rng.uniform(max(_FONT, 0.5 * room), max(_FONT, 0.97 * room)))
    mask = text_mask(text, font, hand)
    colour, rgb = ink(rng, ground)
    while not legible(rgb, ground.rgb):
        colour, rgb = ink(rng, ground)
    x = _centre(rng, left, wide, mask.width, size[0])
    y = _centre(rng, top, high, mask.height, size[1])
    return Item(kind, colour, rgb, x, y, font, text=text, hand=hand)


def writing(rng: Random, kind: str = "") -> Scene:
    """A digit, a number or a word; at times with a shape."""
    size, ground = _size(rng), _ground(rng)
    kind = kind or rng.choice(
        ("digit", "digit", "number", "number", "number", "word", "word", "word", "word")
    )
    width, height = float(size[0]), float(size[1])
    if rng.random() < 0.2:
        slots = [(0.0, 0.0, width, height / 2), (0.0, height / 2, width, height / 2)]
        if kind != "word" and rng.random() < 0.5:
            slots = [(0.0, 0.0, width / 2, height), (width / 2, 0.0, width / 2, height)]
        rng.shuffle(slots)
        items = [
            _lettered(rng, ground, slots[0], size, kind),
            _shape(rng, ground, slots[1], size, rng.choice(_SHAPES), COLOURS),
        ]
    else:
        (slot,) = _layout(rng, 1, *size) if kind == "digit" else [
            rng.choice(((0.0, 0.0, width, height),) * 3 + ((0.0, 0.0, width, height / 2),
                       (0.0, height / 2, width, height / 2)))]  # fmt: skip
        items = [_lettered(rng, ground, slot, size, kind)]
    return _scene(rng, size, ground, items)
