"""From a stranger's bytes to pixels."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from playground.vision.errors import ImageError, ImageTooLarge, InvalidImage
from playground.vision.pixels import MAX_PIXELS, MAX_SIDE, measure, open_image, resized

if TYPE_CHECKING:
    from collections.abc import Sequence


def encoded(image: Image.Image, name: str = "PNG", **settings: object) -> bytes:
    """The picture as a file."""
    buffer = BytesIO()
    image.save(buffer, name, **settings)
    return buffer.getvalue()


def noise(width: int, height: int) -> Image.Image:
    """A picture that does not compress."""
    values = np.random.default_rng(3).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(values)


def chunk(kind: bytes, data: bytes) -> bytes:
    """A piece of a PNG."""
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def png_of(width: int, height: int, depth: int = 8, colour: int = 2, rows: bytes = b"") -> bytes:
    """A PNG with this header, whether its rows fit it or not."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def pixel(data: bytes, at: tuple[int, int] = (0, 0)) -> Sequence[int]:
    """What one pixel of a file looks like."""
    colour = open_image(data).pixels.getpixel(at)
    assert isinstance(colour, tuple)
    return colour


PNG = encoded(noise(30, 20))
JPEG = encoded(noise(30, 20), "JPEG")
PROGRESSIVE = encoded(noise(30, 20), "JPEG", progressive=True)


@pytest.mark.parametrize(("data", "media_type"), [(PNG, "image/png"), (JPEG, "image/jpeg")])
def test_both_formats_are_known_by_their_first_bytes(data: bytes, media_type: str) -> None:
    """No declared type is needed."""
    image = open_image(data)

    assert (media_type, 30, 20) == (image.media_type, image.width, image.height)
    assert image.pixels.mode == "RGB"


def test_measuring_decodes_nothing() -> None:
    """A header is enough, even where the rest is missing; bounds and types hold all the same."""
    assert measure(PNG[:60]) == (30, 20)
    assert measure(png_of(8192, 8192)) == (8192, 8192)
    with pytest.raises(ImageTooLarge):
        measure(png_of(MAX_SIDE + 1, 1))
    with pytest.raises(InvalidImage, match="declared"):
        measure(PNG, declared="image/jpeg")


@pytest.mark.parametrize(("data", "declared"), [(PNG, "image/jpeg"), (JPEG, "image/png")])
def test_a_false_declaration_is_refused(data: bytes, declared: str) -> None:
    """The message names both types."""
    with pytest.raises(InvalidImage, match=f"declared as {declared}.*first bytes say image/"):
        open_image(data, declared=declared)


@pytest.mark.parametrize(
    "data", [b"GIF89a" + bytes(40), b"RIFF0000WEBP", b"<svg/>", b"\x89PNG", b"BM" + bytes(60)]
)
def test_other_formats_are_refused(data: bytes) -> None:
    """Whatever Pillow could do with them."""
    with pytest.raises(InvalidImage, match="neither a JPEG nor a PNG"):
        open_image(data)


def test_nothing_is_no_picture() -> None:
    """An empty file has no first bytes."""
    with pytest.raises(InvalidImage, match="is empty"):
        open_image(b"")


def test_bytes_are_counted_before_anything_else() -> None:
    """Even what is no picture is too large first."""
    with pytest.raises(ImageTooLarge, match="has 101 bytes; at most 100"):
        open_image(bytes(101), max_bytes=100)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((MAX_SIDE + 1, 1), "32,769 pixels a side"),
        ((1, MAX_SIDE + 1), "32,769 pixels a side"),
        ((MAX_PIXELS // 8192 + 1, 8192), "67,117,056 pixels"),
        ((30_000, 30_000), "900,000,000 pixels"),
        ((2**31 - 1, 2**31 - 1), "2,147,483,647 pixels a side"),
    ],
)
def test_pixels_are_counted_by_the_header(size: tuple[int, int], words: str) -> None:
    """A few bytes that promise many pixels are refused before any is decoded."""
    with pytest.raises(ImageTooLarge, match=words):
        open_image(png_of(*size))


def test_the_largest_side_is_allowed() -> None:
    """The bound itself is within bounds."""
    rows = b"\0" + bytes(MAX_SIDE)

    assert open_image(png_of(MAX_SIDE, 1, colour=0, rows=rows)).width == MAX_SIDE


@pytest.mark.parametrize("data", [PNG, JPEG, PROGRESSIVE], ids=["png", "jpeg", "progressive"])
def test_a_file_cut_short_is_refused(data: bytes) -> None:
    """Wherever it is cut, as long as a part of the picture is missing."""
    for kept in range(0, len(data) - 20, 7):
        with pytest.raises(InvalidImage):
            open_image(data[:kept])


@given(st.binary(max_size=200), st.sampled_from([PNG, JPEG]), st.integers(0, 400))
def test_no_bytes_break_the_decoder(junk: bytes, data: bytes, at: int) -> None:
    """Whatever is overwritten, it is a picture or it is refused."""
    spoiled = data[:at] + junk + data[at + len(junk) :]
    try:
        image = open_image(spoiled)
    except ImageError:
        return
    assert image.width * image.height <= MAX_PIXELS


def test_of_a_jpeg_with_several_pictures_the_first_is_taken() -> None:
    """A telephone appends a second one, which is no animation."""
    first, second = noise(30, 20), noise(10, 10)
    data = encoded(first, "MPO", save_all=True, append_images=[second])

    image = open_image(data)

    assert (image.media_type, image.width, image.height) == ("image/jpeg", 30, 20)


def test_an_animation_is_refused() -> None:
    """A PNG of several frames is no still picture."""
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "green")]
    data = encoded(frames[0], save_all=True, append_images=frames[1:])

    with pytest.raises(InvalidImage, match="animated"):
        open_image(data)


QUARTERS = [[1, 2, 3], [4, 5, 6]]
TURNED: dict[int, Sequence[Sequence[int]]] = {
    1: QUARTERS,
    2: [[3, 2, 1], [6, 5, 4]],
    3: [[6, 5, 4], [3, 2, 1]],
    4: [[4, 5, 6], [1, 2, 3]],
    5: [[1, 4], [2, 5], [3, 6]],
    6: [[4, 1], [5, 2], [6, 3]],
    7: [[6, 3], [5, 2], [4, 1]],
    8: [[3, 6], [2, 5], [1, 4]],
    99: QUARTERS,
}


@pytest.mark.parametrize(("orientation", "expected"), TURNED.items())
def test_a_picture_is_turned_as_its_exif_says(
    orientation: int, expected: Sequence[Sequence[int]]
) -> None:
    """All eight orientations, and one that does not exist."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.array(QUARTERS, np.uint8))

    data = encoded(stored, exif=exif)
    image = open_image(data)

    assert (image.width, image.height) == measure(data)
    assert expected == np.asarray(image.pixels)[:, :, 0].tolist()
    assert (len(expected[0]), len(expected)) == (image.width, image.height)


def test_a_jpeg_is_turned_too() -> None:
    """A telephone's upright photograph lies on its side in the file."""
    exif = Image.Exif()
    exif[0x0112] = 6

    image = open_image(encoded(noise(30, 20), "JPEG", exif=exif))

    assert (image.width, image.height) == (20, 30)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_broken_metadata_does_not_spoil_a_picture() -> None:
    """EXIF that cannot be read says nothing about which way is up."""
    data = encoded(noise(8, 6), exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")

    assert (open_image(data).width, open_image(data).height) == (8, 6)


def test_what_is_transparent_is_white() -> None:
    """Half transparent is half white."""
    image = Image.new("RGBA", (2, 1), (255, 0, 0, 0))
    image.putpixel((1, 0), (0, 0, 0, 128))
    data = encoded(image)

    assert pixel(data) == (255, 255, 255)
    assert pixel(data, (1, 0)) == (127, 127, 127)


def test_a_transparent_palette_entry_is_white() -> None:
    """Palettes name their transparent entry beside the colours."""
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putpixel((1, 0), 1)
    data = encoded(image, transparency=0)

    assert pixel(data) == (255, 255, 255)
    assert pixel(data, (1, 0)) == (40, 50, 60)


def test_grey_with_alpha_is_laid_on_white() -> None:
    """Two channels are as good as four."""
    assert pixel(encoded(Image.new("LA", (1, 1), (55, 128)))) == (155, 155, 155)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (Image.new("1", (1, 1), 1), (255, 255, 255)),
        (Image.new("L", (1, 1), 77), (77, 77, 77)),
        (Image.new("RGB", (1, 1), (1, 2, 3)), (1, 2, 3)),
        (Image.fromarray(np.array([[0x4D12]], np.uint16)), (77, 77, 77)),
    ],
    ids=["bits", "grey", "colour", "16-bit grey"],
)
def test_every_mode_of_a_png_becomes_rgb(image: Image.Image, expected: tuple[int, ...]) -> None:
    """Sixteen bits keep the upper eight."""
    assert expected == pixel(encoded(image))


@pytest.mark.parametrize("transparent", [False, True])
@pytest.mark.parametrize(
    ("colour", "depth"),
    [
        *((0, depth) for depth in (1, 2, 4, 8, 16)),
        *((3, depth) for depth in (1, 2, 4, 8)),
        *((colour, depth) for colour in (2, 4, 6) for depth in (8, 16)),
    ],
)
def test_every_kind_of_png_is_read(colour: int, depth: int, transparent: bool) -> None:  # noqa: FBT001
    """All colour types and depths, all zeros; zero may be what is transparent."""
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    row = bytes(1 + (3 * samples * depth + 7) // 8)
    extra = chunk(b"PLTE", bytes(6)) if colour == 3 else b""
    if transparent and colour < 4:
        extra += chunk(b"tRNS", bytes({0: 2, 2: 6, 3: 1}[colour]))
    header, rest = png_of(3, 1, depth, colour, row)[:33], png_of(3, 1, depth, colour, row)[33:]
    seen_through = transparent or colour >= 4  # an alpha of zero

    assert pixel(header + extra + rest) == ((255,) * 3 if seen_through else (0,) * 3)


def test_sixteen_bits_of_colour_keep_the_upper_eight() -> None:
    """As grey ones do."""
    row = b"\0" + struct.pack(">HHH", 0x11FF, 0x2200, 0x33AB)

    assert pixel(png_of(1, 1, depth=16, rows=row)) == (0x11, 0x22, 0x33)


def test_a_sixteen_bit_grey_may_be_transparent() -> None:
    """The transparent value is one of 65,536."""
    image = Image.fromarray(np.array([[0x4D12, 0x4D13]], np.uint16))
    data = encoded(image)
    at = data.index(b"IDAT") - 4
    data = data[:at] + chunk(b"tRNS", struct.pack(">H", 0x4D12)) + data[at:]

    assert [pixel(data, (x, 0)) for x in range(2)] == [(255, 255, 255), (77, 77, 77)]


def test_a_cmyk_jpeg_becomes_rgb() -> None:
    """Full cyan, without the other inks, has no red."""
    red, green, blue = pixel(encoded(Image.new("CMYK", (8, 8), (255, 0, 0, 0)), "JPEG"))

    assert (red < 10, green > 245, blue > 245) == (True, True, True)


def test_a_grey_jpeg_becomes_rgb() -> None:
    """One channel becomes three alike."""
    assert pixel(encoded(Image.new("L", (8, 8), 77), "JPEG")) == (77, 77, 77)


def test_resizing_is_lanczos_to_whole_cells() -> None:
    """Rows before columns, pixels in RGB."""
    image = open_image(PNG)

    pixels = resized(image, 2, 3)

    expected = np.asarray(noise(30, 20).resize((84, 56), Image.Resampling.LANCZOS))
    assert pixels.shape == (56, 84, 3)
    assert np.array_equal(expected, pixels)
