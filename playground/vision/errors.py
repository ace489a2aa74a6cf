"""What can be wrong with a picture that someone sent.

ImageError
├── MalformedDataURL   the text around the bytes is not `data:image/(png|jpeg);base64,…`
├── ImageTooLarge      too many bytes or pixels; found before anything is decoded
└── InvalidImage       the bytes: no JPEG or PNG, not what they were declared as, damaged, animated

Messages say what the picture is and what would do, and follow the words "the image".
"""

from __future__ import annotations

__all__ = ["ImageError", "ImageTooLarge", "InvalidImage", "MalformedDataURL"]


class ImageError(ValueError):
    """A picture that will not be looked at."""


class MalformedDataURL(ImageError):
    """Not a data URL of the one form that is accepted."""


class ImageTooLarge(ImageError):
    """A bound was passed; `size` and `limit` are in `unit`s."""

    def __init__(self, size: int, limit: int, unit: str) -> None:
        self.size = size
        self.limit = limit
        self.unit = unit
        super().__init__(f"has {size:,} {unit}; at most {limit:,} are looked at")


class InvalidImage(ImageError):
    """Bytes that are no still picture in JPEG or PNG."""
