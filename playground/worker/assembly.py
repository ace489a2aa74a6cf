"""What are the rows of a prompt: its tokens, its pictures, and what each row is called?

A prompt is BOS and the segments in order. Text and ids are tokens. A picture is one row for each
of its cells; no token stands for such a row, the encoder makes it (see `engine.SOFT`).

A session remembers what its rows are, so that the next prompt can continue from them. A token is
called by its id. The rows of a picture are called by the SHA-256 of its file, as a number beyond
the vocabulary: a prompt that shows the same file at the same place continues, and neither another
picture nor the same one elsewhere ever matches. So a conversation that goes on in text keeps its
picture, which then is not even decoded: its header tells how many rows it has.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from playground.tokens import TokenizerError
from playground.vision.data_url import decode_base64
from playground.vision.errors import ImageError
from playground.vision.grid import cells
from playground.vision.pixels import measure, open_image, resized
from playground.worker.engine import SOFT
from playground.worker.errors import RequestRefused
from playground.worker.messages import IdsSegment, ImageSegment, TextSegment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from playground.tokens import Tokenizer
    from playground.vision.patches import VisionInputs
    from playground.worker.engine import Engine
    from playground.worker.messages import EngineInfo, Segment
    from playground.worker.turn import Model

    Rows = NDArray[np.float32]

__all__ = ["MAX_IMAGES", "Picture", "Placed", "Prompt", "assemble", "staged"]

MAX_IMAGES = 8
"""Pictures of one request."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A file that is a picture by its header, and the size it is going to have."""

    digest: bytes
    data: bytes
    rows: int
    columns: int

    @property
    def cells(self) -> int:
        """How many rows of the prompt it takes."""
        return self.rows * self.columns

    def name(self, vocab_size: int) -> int:
        """What its rows are called."""
        return vocab_size + int.from_bytes(self.digest)


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture whose first row is row `at` of the prompt."""

    at: int
    picture: Picture


@dataclass(frozen=True, slots=True)
class Prompt:
    """The rows of a prompt.

    ids
        The token of each row, `SOFT` for a row of a picture.
    names
        What each row is called: its token, or its picture.
    """

    ids: list[int]
    names: list[int]
    pictures: tuple[Placed, ...] = ()

    def soft(self, start: int, stop: int, encoded: Mapping[bytes, Rows]) -> Rows | None:
        """Return what the encoder made for rows `start` to `stop`; None if all are tokens.

        `encoded` has the rows `[cells, D]` of each picture by its digest.
        """
        pieces = [
            encoded[placed.picture.digest][max(start - placed.at, 0) : stop - placed.at]
            for placed in self.pictures
            if placed.at < stop and start < placed.at + placed.picture.cells
        ]
        return np.concatenate(pieces) if pieces else None


def assemble(segments: Sequence[Segment], model: Model) -> Prompt:
    """Return the prompt's rows; raise RequestRefused if they are no prompt."""
    info = model.engine.info
    ids, names, pictures = [model.bos_id], [model.bos_id], list[Placed]()
    for segment in segments:
        match segment:
            case TextSegment(text):
                tokens: Sequence[int] = _encode_text(text, model.tokenizer)
            case IdsSegment(given):
                tokens = given
            case ImageSegment():
                picture = _look_at(segment, info, model.max_image_bytes, len(pictures))
                pictures.append(Placed(len(ids), picture))
                ids += [SOFT] * picture.cells
                names += [picture.name(info.vocab_size)] * picture.cells
                continue
        ids += tokens
        names += tokens
    _check(ids, info)
    return Prompt(ids, names, tuple(pictures))


def staged(picture: Picture, engine: Engine) -> VisionInputs:
    """Decode a picture for the encoder; raise RequestRefused if it is damaged."""
    try:
        decoded = open_image(picture.data, max_bytes=len(picture.data))
    except ImageError as error:
        raise RequestRefused(f"an image {error}") from error
    return engine.prepare(resized(decoded, picture.rows, picture.columns))


def _check(ids: Sequence[int], info: EngineInfo) -> None:
    if len(ids) == 1:
        raise RequestRefused("the prompt is empty")
    if len(ids) >= info.context_length:
        raise RequestRefused(
            f"the prompt has {len(ids)} tokens, which leaves no room in a context of "
            f"{info.context_length}"
        )
    if max(ids) >= info.vocab_size:
        raise RequestRefused(f"token id {max(ids)} is not in a vocabulary of {info.vocab_size}")


def _look_at(segment: ImageSegment, info: EngineInfo, max_bytes: int, before: int) -> Picture:
    if info.max_image_cells is None:
        raise RequestRefused("images are not supported: the model has no vision encoder")
    if before == MAX_IMAGES:
        raise RequestRefused(f"a request may hold {MAX_IMAGES} images, and this one has more")
    try:
        data = decode_base64(segment.data, max_bytes=max_bytes)
        width, height = measure(data, declared=segment.mime_type, max_bytes=max_bytes)
    except ImageError as error:
        raise RequestRefused(f"image {before + 1} {error}") from error
    rows, columns = cells(width, height, info.max_image_cells)
    return Picture(hashlib.sha256(data).digest(), data, rows, columns)


def _encode_text(text: str, tokenizer: Tokenizer) -> list[int]:
    try:
        return tokenizer.encode_prompt(text)
    except TokenizerError as error:
        raise RequestRefused(f"the prompt cannot be encoded: {error}") from error
