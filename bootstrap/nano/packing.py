"""How are conversations packed into rows that the GPU can eat?

Tokens are `uint16[rows, 2048]`: the low twelve bits are the token id, bit twelve says that the
token carries loss. Every conversation begins with the BOS token, so documents are told apart by
counting those; attention never crosses from one to another. What is left of a row is padding.

Pictures lie in sheets of 2048 patches in the same way (`vision.py` says how they are read), and
`cells` says which token each group of four patches stands for. A conversation whose pictures find
no room is left out.

Batch number k of a run depends on the seed, k, the mixture and the emphasis alone, so any number of
processes makes the same data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from bootstrap.nano.configuration import NANO, VISION
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.drills import drill
from bootstrap.nano.rendering import Placed, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bootstrap.nano.conversation import Conversation
    from bootstrap.nano.rendering import Rendered

__all__ = [
    "LEARNED",
    "PATCH_BYTES",
    "SHEET",
    "Batch",
    "Emphasis",
    "Packer",
    "batch",
    "drawn",
    "patches_of",
]

LEARNED = 1 << 12
SHEET = 2048
"""Patches of a sheet."""
PATCH_BYTES = 3 * VISION.patch_size**2
_PAD = NANO.control("<|pad|>")
_LENGTH = NANO.max_position_embeddings
_CHARACTERS = (2500, 5500, 7000, 7300)  # about 3.7 characters a token
_OPEN = 24  # rows that stay open while conversations are dealt out
_CELL = VISION.merge_size**2


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Which skills a run is to practise more: in `share` of the draws one of them must occur.

    `drills` of all draws are exercises and nothing else.
    """

    skills: tuple[str, ...] = ()
    share: float = 0.0
    drills: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Packed conversations and their pictures; S sheets of T = 2048 places."""

    tokens: NDArray[np.uint16]  # [rows, 2048]
    patches: NDArray[np.uint8]  # [S, T, 588]: channel, y, x
    places: NDArray[np.uint8]  # [S, T, 4]: row, column, the picture's rows and columns, in patches
    pictures: NDArray[np.int32]  # [S, T]: which picture; 0 where there is none
    cells: NDArray[np.int64]  # [S * T/4]: index into the flat tokens; their number for none


def patches_of(picture: Placed) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A picture cell by cell: patches `[P, 588]` and their places `[P, 4]`."""
    rows, columns = picture.rows, picture.columns
    size, merge = VISION.patch_size, VISION.merge_size
    pixels = _pixels(picture).reshape(rows, merge, size, columns, merge, size, 3)
    patches = pixels.transpose(0, 3, 1, 4, 6, 2, 5).reshape(-1, PATCH_BYTES)
    row, column = np.divmod(np.arange(rows * columns * _CELL), columns * merge)
    places = np.stack(
        [row, column, np.full_like(row, rows * merge), np.full_like(row, columns * merge)], axis=-1
    )
    by_cell = places.reshape(rows, merge, columns, merge, 4).transpose(0, 2, 1, 3, 4)
    return patches, by_cell.reshape(-1, 4).astype(np.uint8)


def _pixels(placed: Placed) -> NDArray[np.uint8]:
    from PIL import Image  # noqa: PLC0415  (text needs none of it)

    from playground.vision.pixels import DecodedImage, resized  # noqa: PLC0415

    drawn = Image.fromarray(placed.picture.pixels())
    decoded = DecodedImage("image/png", drawn.width, drawn.height, drawn)
    return resized(decoded, placed.rows, placed.columns)


@dataclass(slots=True)
class Packer:
    """Rows and sheets that are filled one conversation at a time."""

    rows: int
    sheets: int
    length: int = _LENGTH
    used: list[int] = field(default_factory=list)  # tokens of each row
    _placed: list[tuple[int, int, Rendered]] = field(default_factory=list)
    _sheet: int = 0
    _filled: int = 0  # places of the open sheet
    _pictures: list[tuple[int, int, int, Placed]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.used = [0] * self.rows

    def fits(self, row: int, rendered: Rendered) -> bool:
        """Whether the row has room for all of it."""
        return self.used[row] + len(rendered.ids) <= self.length

    def place(self, row: int, rendered: Rendered) -> bool:
        """Put it at the end of the row; False, and nothing done, if its pictures find no room."""
        sheet, filled, found = self._sheet, self._filled, []
        for picture in rendered.pictures:
            size = picture.rows * picture.columns * _CELL
            if filled + size > SHEET:
                sheet, filled = sheet + 1, 0
            if sheet >= self.sheets:
                return False
            at = row * self.length + self.used[row] + picture.at
            found.append((sheet, filled, at, picture))
            filled += size
        self._sheet, self._filled = sheet, filled
        self._pictures += found
        self._placed.append((row, self.used[row], rendered))
        self.used[row] += len(rendered.ids)
        return True

    def done(self) -> Batch:
        """Draw everything."""
        tokens = np.full((self.rows, self.length), _PAD, dtype=np.uint16)
        for row, start, rendered in self._placed:
            ids = np.array(rendered.ids, dtype=np.uint16)
            ids[np.array(rendered.learned)] |= LEARNED
            tokens[row, start : start + len(ids)] = ids
        patches = np.zeros((self.sheets, SHEET, PATCH_BYTES), dtype=np.uint8)
        places = np.zeros((self.sheets, SHEET, 4), dtype=np.uint8)
        pictures = np.zeros((self.sheets, SHEET), dtype=np.int32)
        cells = np.full(self.sheets * SHEET // _CELL, tokens.size, dtype=np.int64)
        for number, (sheet, start, at, picture) in enumerate(self._pictures, 1):
            drawn, where = patches_of(picture)
            stop = start + len(drawn)
            patches[sheet, start:stop], places[sheet, start:stop] = drawn, where
            pictures[sheet, start:stop] = number
            first, count = (sheet * SHEET + start) // _CELL, len(drawn) // _CELL
            cells[first : first + count] = np.arange(at, at + count)
        return Batch(tokens, patches, places, pictures, cells)


def drawn(rng: Random, mixture: Mixture, emphasis: Emphasis) -> Conversation:
    """A conversation, drawn again up to a dozen times where it must show a skill and does not."""
    if emphasis.drills and rng.random() < emphasis.drills:
        return drill(rng)
    must = rng.random() < emphasis.share
    for _ in range(12):
        conversation = converse(rng, mixture, rng.choice(_CHARACTERS))
        if not must or any(
            exchange.reply.skill in emphasis.skills for exchange in conversation.exchanges
        ):
            break
    return conversation


def _shortened(rendered: Rendered) -> Rendered | None:
    """At most a row of it; a conversation that shows pictures must fit whole."""
    if len(rendered.ids) <= _LENGTH:
        return rendered
    if rendered.pictures:
        return None
    return type(rendered)(rendered.ids[:_LENGTH], rendered.learned[:_LENGTH], rendered.spans)


def batch(
    seed: int,
    number: int,
    rows: int,
    mixture: Mixture,
    encode: Callable[[str], list[int]],
    sheets: int = 0,
    emphasis: Emphasis = Emphasis(),
) -> Batch:
    """Batch `number` of the run: `rows` rows, each filled first-fit, and `sheets` sheets."""
    rng = Random(f"{seed}/{number}")
    packer = Packer(rows, sheets)
    first, misses = 0, 0
    while first < rows and misses < 40:
        rendered = _shortened(render(drawn(rng, mixture, emphasis), encode))
        if rendered is None:
            continue
        row = next(
            (r for r in range(first, min(first + _OPEN, rows)) if packer.fits(r, rendered)), None
        )
        if row is not None:
            packer.place(row, rendered)
        else:
            misses += first + _OPEN >= rows
            if first + _OPEN < rows:
                first += 1  # the oldest open row is as full as it will get
        while first < rows and packer.used[first] > _LENGTH - 120:
            first += 1
    return packer.done()
