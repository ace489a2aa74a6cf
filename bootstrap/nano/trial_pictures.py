"""Which pictures does the `vision` scenario show, right ones and wrong ones?

    python -m bootstrap.nano.trial_pictures --out scenarios/pictures

writes them all; they are small, so they lie beside the scenario.

    circle-left.png, circle-right.png   opposites: a red circle and a blue square, sides exchanged
    star.png                            another picture altogether, for a later turn
    upright-1.jpg … upright-8.jpg       the same scene stored in the eight ways that EXIF knows,
                                        each with the orientation that makes it upright
    turned-3.jpg, upright-6.png         3 without its EXIF, which shows what EXIF is good for; 6 as
                                        a PNG, whose EXIF stands in a chunk
    clear.png                           a red circle on nothing
    pixel.png, wide.png, large.png      one pixel; a strip; more pixels than a model has cells for
    blocks.png                          many cells, to overflow a window
    drawing.gif, .bmp, .webp, .svg      a picture, and neither a JPEG nor a PNG
    notes.txt                           no picture
    cut.png, cut.jpg                    the ends are missing
    film.png                            animated
    broad.png                           a header that promises more pixels a side than are looked at
    vast.png                            one that promises more pixels in all
    bomb.png                            a text beside the pixels that unpacks to 8 MiB
"""

from __future__ import annotations

import argparse
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.scene import Ground, Item, Scene

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.nano.pictures.palette import RGB

__all__ = ["trial_pictures"]

_WHITE, _RED, _BLUE, _GREEN = (255, 255, 255), (220, 30, 30), (40, 80, 220), (30, 150, 60)
_ORIENTATION = 0x0112
_STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera held that way stores what is upright."""
_UNPACKED = 8 * 2**20  # bytes


def trial_pictures() -> Mapping[str, bytes]:
    """Every picture by file name."""
    left = _scene(168, 112, _item("circle", "red", _RED, 42), _item("square", "blue", _BLUE, 126))
    right = _scene(168, 112, _item("square", "blue", _BLUE, 42), _item("circle", "red", _RED, 126))
    star = _scene(112, 112, _item("star", "green", _GREEN, 56))
    corners = _scene(
        168, 112, _item("circle", "red", _RED, 30, 28), _item("square", "blue", _BLUE, 138, 28)
    )
    whole = _png(left)
    return {
        "circle-left.png": whole,
        "circle-right.png": _png(right),
        "star.png": _png(star),
        **{f"upright-{n}.jpg": _stored(corners, n, "JPEG") for n in _STORED},
        "turned-3.jpg": _stored(corners, 3, "JPEG", told=False),
        "upright-6.png": _stored(corners, 6, "PNG"),
        "clear.png": _clear(),
        "pixel.png": _png(Image.new("RGB", (1, 1), _RED)),
        "wide.png": _png(Image.new("RGB", (2000, 20), _RED)),
        "large.png": _png(left.resize((3000, 2000), Image.Resampling.NEAREST)),
        "blocks.png": _png(_scene(224, 224, _item("circle", "red", _RED, 112, 112))),
        "drawing.gif": _file(left, "GIF"),
        "drawing.bmp": _file(left.resize((24, 16)), "BMP"),
        "drawing.webp": _file(left, "WEBP"),
        "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>\n',
        "notes.txt": b"A red circle is left of a blue square.\n",
        "cut.png": whole[: len(whole) * 2 // 3],
        "cut.jpg": _stored(corners, 1, "JPEG")[:-200],
        "film.png": _file(left, "PNG", save_all=True, append_images=[right], duration=100),
        "broad.png": _promising(whole, 60_000, 100),
        "vast.png": _promising(whole, 30_000, 30_000),
        "bomb.png": _beside(whole, b"zTXt", b"Comment\0\0" + zlib.compress(bytes(_UNPACKED), 9)),
    }


def _item(kind: str, colour: str, rgb: RGB, x: float, y: float = 56) -> Item:
    return Item(kind, colour, rgb, x, y, 44)


def _scene(width: int, height: int, *items: Item) -> Image.Image:
    drawn = draw(Scene(width, height, Ground("white", _WHITE, _WHITE), items))
    return Image.frombytes("RGB", (width, height), drawn.rgb)


def _file(image: Image.Image, form: str, **options: object) -> bytes:
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def _png(image: Image.Image) -> bytes:
    return _file(image, "PNG", optimize=True)


def _stored(image: Image.Image, orientation: int, form: str, *, told: bool = True) -> bytes:
    turn = _STORED[orientation]
    turned = image if turn is None else image.transpose(turn)
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    options = {"exif": exif} if told else {}
    return _file(turned, form, **options, **({"quality": 90} if form == "JPEG" else {}))


def _clear() -> bytes:
    """Where it is clear, the colour that nobody sees is black."""
    image = Image.new("RGBA", (112, 112), (0, 0, 0, 0))
    drawn = _scene(112, 112, _item("circle", "red", _RED, 56))
    mask = Image.eval(drawn.getchannel("G"), lambda value: 255 - value)
    image.paste((*_RED, 255), (0, 0), mask)
    return _png(image)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_HEAD = 8 + 25  # bytes of a PNG's signature and its IHDR


def _promising(png: bytes, width: int, height: int) -> bytes:
    """The same file with another size in its header."""
    return png[:8] + _chunk(b"IHDR", struct.pack(">II", width, height) + png[24:29]) + png[_HEAD:]


def _beside(png: bytes, kind: bytes, data: bytes) -> bytes:
    return png[:_HEAD] + _chunk(kind, data) + png[_HEAD:]


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in trial_pictures().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
