"""What is a picture in a made-up conversation?"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Picture"]


@dataclass(frozen=True)
class Picture:
    """A drawn picture; sizes are pixels. The file a user would send is made when asked for."""

    rgb: bytes  # uint8 [height, width, 3]
    width: int
    height: int

    def pixels(self) -> NDArray[np.uint8]:
        """uint8 [height, width, 3], read-only."""
        return np.frombuffer(self.rgb, np.uint8).reshape(self.height, self.width, 3)

    @cached_property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        out = io.BytesIO()
        Image.frombytes("RGB", (self.width, self.height), self.rgb).save(out, "PNG")
        return out.getvalue()
