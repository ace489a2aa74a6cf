"""What is a picture in a made-up conversation?"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture as a user would send it; sizes are pixels."""

    png: bytes
    width: int
    height: int
