"""The pictures of a request."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from playground.errors import APIError, ImageTooLarge, InvalidImage, UnsupportedParameter
from playground.images import (
    NO_IMAGES,
    ImageLimits,
    ImageReader,
    ShownImage,
    limits_of,
)
from playground.schemas import Message, read_chat_request
from playground.vision.grid import cells
from playground.worker.messages import Ready, WorkerInfo


def file_of(image: Image.Image, name: str = "PNG", **settings: Any) -> bytes:  # noqa: ANN401
    """A picture as a file."""
    buffer = BytesIO()
    image.save(buffer, name, **settings)
    return buffer.getvalue()


def url_of(data: bytes, media_type: str = "image/png") -> str:
    """A file as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


RED = file_of(Image.new("RGB", (56, 28), "red"))
JPEG = file_of(Image.new("RGB", (28, 56), "red"), "JPEG")


def showing(*urls: str) -> list[Message]:
    """A conversation whose last message shows these, one after another."""
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    told = [{"role": "system", "content": "S"}, {"role": "user", "content": parts}]
    return list(read_chat_request(json.dumps({"messages": told}).encode()).messages)


def refusal(*urls: str, **limits: int) -> APIError:
    """How a request that shows these is refused."""
    with pytest.raises(APIError) as caught:
        ImageReader(ImageLimits(**{"images": 2, **limits})).read(showing(*urls))
    return caught.value


def test_a_picture_is_its_file_and_its_size_in_tokens() -> None:
    """In the order of the conversation."""
    shown = ImageReader(ImageLimits(2)).read(showing(url_of(RED), url_of(JPEG, "image/jpeg")))

    assert shown == (
        ShownImage("image/png", base64.b64encode(RED).decode(), 2),
        ShownImage("image/jpeg", base64.b64encode(JPEG).decode(), 2),
    )


def test_a_picture_takes_no_more_tokens_than_the_model_allows() -> None:
    """It will be shrunk."""
    large = url_of(file_of(Image.new("RGB", (1000, 1000))))

    (shown,) = ImageReader(ImageLimits(1, cells=16)).read(showing(large))

    assert shown.cells == 16


def turned() -> bytes:
    """A file that says to be turned: white above, with a black corner at its upper left."""
    exif = Image.Exif()
    exif[0x0112] = 6
    image = Image.new("RGB", (60, 30), "white")
    image.paste((0, 0, 0), (0, 0, 20, 20))
    return file_of(image, exif=exif)


def clear() -> bytes:
    """A file of blue that nobody is to see."""
    return file_of(Image.new("RGBA", (56, 28), (0, 0, 255, 0)))


@pytest.mark.parametrize(
    ("data", "size", "upper_right"),
    [(turned(), (28, 56), (0, 0, 0)), (clear(), (56, 28), (255, 255, 255))],
)
def test_what_another_worker_would_see_otherwise_is_drawn_anew(
    data: bytes, size: tuple[int, int], upper_right: tuple[int, int, int]
) -> None:
    """Upright, on white, and of whole cells, so that any decoder sees it so and cuts it alike."""
    (shown,) = ImageReader(ImageLimits(1), redraws=True).read(showing(url_of(data)))
    drawn = Image.open(BytesIO(base64.b64decode(shown.base64)))

    assert (shown.media_type, shown.cells) == ("image/png", 2)
    assert (drawn.mode, drawn.size, dict(drawn.getexif())) == ("RGB", size, {})
    assert drawn.getpixel((drawn.width - 2, 1)) == upper_right
    rows, columns = cells(drawn.width, drawn.height)
    assert (columns * 28, rows * 28) == drawn.size


@pytest.mark.parametrize("data", [RED, turned(), clear()])
def test_a_file_is_sent_as_it_came_where_it_is_seen_alike(data: bytes) -> None:
    """By our own worker each, by another one those that are plain."""
    ours = ImageReader(ImageLimits(1)).read(showing(url_of(data)))
    others = ImageReader(ImageLimits(1), redraws=True).read(showing(url_of(RED)))

    assert ours[0].base64 == base64.b64encode(data).decode()
    assert others[0].base64 == base64.b64encode(RED).decode()


def test_size_is_taken_upright() -> None:
    """The size rule does not treat both sides alike, so it shows."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = file_of(Image.new("RGB", (24, 58)), exif=exif)

    (shown,) = ImageReader(ImageLimits(1)).read(showing(url_of(data)))

    assert cells(24, 58) == (2, 1)
    assert cells(58, 24) == (1, 3)
    assert shown.cells == 3


def test_a_conversation_without_pictures_shows_none() -> None:
    """Whatever the model takes."""
    messages = list(read_chat_request(b'{"messages":[{"role":"user","content":"x"}]}').messages)

    assert ImageReader(NO_IMAGES).read(messages) == ()


ANIMATED = file_of(
    Image.new("RGB", (4, 4), "red"), save_all=True, append_images=[Image.new("RGB", (4, 4), "blue")]
)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.com/a.png", "nothing is fetched here; send its bytes as data:image/png"),
        ("", "the form is data:image/png;base64,"),
        (url_of(RED, "image/gif"), "the form is data:image/png;base64,"),
        (url_of(RED, "image/jpeg"), "is declared as image/jpeg"),
        (url_of(RED) + "\n", "is not base64"),
        (url_of(RED[:60]), "cannot be decoded as image/png"),
        (url_of(JPEG[:-20], "image/jpeg"), "cannot be decoded as image/jpeg"),
        (url_of(b"GIF89a"), "is neither a JPEG nor a PNG"),
        (url_of(ANIMATED), "is animated"),
    ],
)
def test_what_is_no_picture_is_refused_by_its_place(url: str, words: str) -> None:
    """The code is one for all, the message says what is wrong."""
    error = refusal(url_of(RED), url)

    assert (type(error), error.status, error.code) == (InvalidImage, 400, "invalid_image")
    assert str(error).startswith("messages[1].content[1]: the image ")
    assert words in str(error)
    assert len(str(error)) < 400


@given(
    st.text(max_size=60)
    | st.text(st.sampled_from("AB+/=, "), max_size=40).map("data:image/png;base64,".__add__)
    | st.binary(max_size=80).map(lambda junk: url_of(RED[:40] + junk))
)
def test_whatever_is_sent_is_a_picture_or_a_400(url: str) -> None:
    """With a message that repeats little of it."""
    said, status = "", 400
    try:
        ImageReader(ImageLimits(1)).read(showing(url))
    except APIError as error:
        said, status = str(error), error.status

    assert status == 400
    assert len(said) < 400


def test_too_many_bytes_have_a_code_of_their_own() -> None:
    """Counted decoded."""
    error = refusal(url_of(RED), bytes=len(RED) - 1)

    assert (type(error), error.status, error.code) == (ImageTooLarge, 400, "image_too_large")
    assert str(error) == (
        f"messages[1].content[0]: the image has {len(RED)} bytes; at most {len(RED) - 1} are"
        " looked at"
    )


def test_too_many_pixels_have_it_too() -> None:
    """Found in the header."""
    wide = file_of(Image.new("1", (32_769, 1)))

    assert refusal(url_of(wide)).code == "image_too_large"


def test_one_image_too_many_is_named() -> None:
    """Earlier messages count, since they are sent again."""
    error = refusal(*(url_of(RED),) * 3)

    assert str(error).startswith("messages[1].content[2] is one image too many: a request may show")
    assert error.code == "invalid_image"


def test_a_model_that_reads_text_only_says_so() -> None:
    """Before it looks at the picture."""
    error = refusal("x", images=0)

    assert isinstance(error, UnsupportedParameter)
    assert str(error) == "messages[1].content[0] is an image, and this model reads text only"


def test_a_picture_that_was_good_is_not_decoded_again() -> None:
    """The type that was declared with it is part of what was good."""
    reader = ImageReader(ImageLimits(1))
    first = reader.read(showing(url_of(RED)))

    assert reader.read(showing(url_of(RED))) == first
    assert len(reader._good) == 1
    with pytest.raises(InvalidImage):
        reader.read(showing(url_of(RED, "image/jpeg")))


def test_only_so_many_are_remembered() -> None:
    """The ones that were seen last."""
    reader = ImageReader(ImageLimits(1))
    files = [file_of(Image.new("L", (n + 1, 1))) for n in range(70)]

    for data in files:
        reader.read(showing(url_of(data)))

    assert len(reader._good) == 64


def ready(*, supports_image: bool, worker: WorkerInfo | None = None, max_images: int = 1) -> Ready:
    """A worker's first line."""
    return Ready(
        max_sessions=2,
        max_named_sessions=1,
        supports_image=supports_image,
        worker=worker,
        max_images=max_images,
    )


INFO = WorkerInfo(
    engine="e",
    backend="b",
    threads=1,
    load_ms=0.0,
    context_length=9,
    vocab_size=9,
    max_prefill_chunk=1,
    versions={},
    pid=1,
    peak_rss_bytes=1,
    max_image_cells=64,
    max_image_bytes=100,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (ready(supports_image=False, max_images=8), NO_IMAGES),
        (ready(supports_image=True), ImageLimits(1, 20 * 2**20, 4096)),
        (ready(supports_image=True, max_images=8, worker=INFO), ImageLimits(8, 100, 64)),
    ],
)
def test_limits_are_the_workers(line: Ready, expected: ImageLimits) -> None:
    """A worker of ExecuTorch's says nothing of them and takes one image."""
    assert limits_of(line) == expected
