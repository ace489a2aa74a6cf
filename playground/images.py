"""Which pictures does a request show, and will the model look at them?

Every picture is decoded here once, as a whole, before anything is sent: what is wrong with one is
an ordinary answer, a 400, and not an event in a stream that has begun. The worker gets the file
itself and decodes it again. How many tokens a picture takes follows from its size alone.

A worker may look at files otherwise than we do (see `playground.worker.dialects`): it then gets
another file where that would make a difference, drawn anew as the model is to see it.

A conversation that goes on sends its pictures again with each turn. The files that were found
good last are remembered by their digest, and not decoded another time.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.content import ImageURL
from playground.errors import ImageTooLarge, InvalidImage, UnsupportedParameter
from playground.schemas import UserMessage
from playground.vision import errors
from playground.vision.data_url import parse_data_url
from playground.vision.grid import MOST_CELLS, cells
from playground.vision.pixels import MAX_IMAGE_BYTES, open_image, redrawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.schemas import Message
    from playground.vision.data_url import DataURL
    from playground.vision.pixels import ImageType
    from playground.worker.messages import Ready

__all__ = ["NO_IMAGES", "ImageLimits", "ImageReader", "ShownImage", "images_in", "limits_of"]

REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A picture that was looked at and is one."""

    media_type: ImageType
    base64: str = field(repr=False)
    cells: int
    """Tokens that it takes in the prompt."""


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What the model takes: images of one request, bytes of one file, cells of one picture."""

    images: int
    bytes: int = MAX_IMAGE_BYTES
    cells: int = MOST_CELLS


NO_IMAGES = ImageLimits(0)


def limits_of(ready: Ready, *, max_cells: int = MOST_CELLS) -> ImageLimits:
    """What a worker takes; where it does not say, what ExecuTorch's own one does.

    `max_cells` is what the model's folder says of a picture.
    """
    if not ready.supports_image:
        return NO_IMAGES
    worker = ready.worker
    return ImageLimits(
        images=ready.max_images,
        bytes=(worker and worker.max_image_bytes) or MAX_IMAGE_BYTES,
        cells=(worker and worker.max_image_cells) or max_cells,
    )


def images_in(messages: Sequence[Message]) -> Iterator[tuple[str, ImageURL]]:
    """The pictures of a conversation in order, each with its place in the request."""
    for number, message in enumerate(messages):
        if isinstance(message, UserMessage) and not isinstance(message.content, str):
            for part in message.content:
                if isinstance(part, ImageURL):
                    yield f"messages[{number}].content[{part.part}]", part


class ImageReader:
    """Reads the pictures of requests, for one model, one request at a time.

    A large picture takes seconds and hundreds of megabytes, so two at once would help nobody.
    With `redraws` a file that the worker would see otherwise is drawn anew.
    """

    def __init__(self, limits: ImageLimits, *, redraws: bool = False) -> None:
        self.limits, self.redraws = limits, redraws
        self._good: dict[tuple[bytes, str], _Seen] = {}

    def read(self, messages: Sequence[Message]) -> tuple[ShownImage, ...]:
        """The pictures of a conversation, in order. Takes long enough to be done in a thread.

        Raises:
            UnsupportedParameter: there is one, and the model reads text only.
            InvalidImage: one is no picture, or there are too many.
            ImageTooLarge: one has too many bytes or pixels.
        """
        found = list(images_in(messages))
        if found and not self.limits.images:
            raise UnsupportedParameter(f"{found[0][0]} is an image, and this model reads text only")
        if len(found) > self.limits.images:
            raise InvalidImage(
                f"{found[self.limits.images][0]} is one image too many: a request may show"
                f" {self.limits.images}, those of earlier messages included"
            )
        return tuple(self._read(place, image) for place, image in found)

    def _read(self, place: str, image: ImageURL) -> ShownImage:
        try:
            file = parse_data_url(image.url, max_bytes=self.limits.bytes)
            seen = self._seen(file)
        except errors.ImageTooLarge as error:
            raise ImageTooLarge(f"{place}: the image {error}") from error
        except errors.ImageError as error:
            raise InvalidImage(f"{place}: the image {error}") from error
        if seen.redrawn is not None:
            return ShownImage("image/png", seen.redrawn, seen.cells)
        return ShownImage(file.media_type, image.url.partition(",")[2], seen.cells)

    def _seen(self, file: DataURL) -> _Seen:
        key = hashlib.sha256(file.data).digest(), file.media_type
        known = self._good.get(key)
        if known is None:
            known = self._look_at(file)
        self._good.pop(key, None)
        self._good[key] = known  # the newest are last
        if len(self._good) > REMEMBERED:
            self._good.pop(next(iter(self._good)))
        return known

    def _look_at(self, file: DataURL) -> _Seen:
        image = open_image(file.data, declared=file.media_type, max_bytes=self.limits.bytes)
        rows, columns = cells(image.width, image.height, self.limits.cells)
        if image.as_stored or not self.redraws:
            return _Seen(rows * columns)
        drawn = base64.b64encode(redrawn(image, rows, columns)).decode("ascii")
        return _Seen(rows * columns, drawn)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a file that was found good."""

    cells: int
    redrawn: str | None = None
    """The file that is sent instead, in base64; None where it is sent itself."""
