"""Pictures as text."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.vision.data_url import DataURL, decode_base64, parse_data_url
from playground.vision.errors import ImageError, ImageTooLarge, MalformedDataURL


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["image/png", "image/jpeg"]))
def test_bytes_come_back_with_their_type(data: bytes, media_type: str) -> None:
    """Whatever they are; nobody looks at them here."""
    url = f"data:{media_type};base64,{base64.b64encode(data).decode()}"

    assert DataURL(media_type, data) == parse_data_url(url)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "iVBORw0KGgo=",
        "data:,hello",
        "data:image/png,abcd",
        "data:image/jpg;base64,AAAA",
        "data:image/gif;base64,AAAA",
        "data:image/webp;base64,AAAA",
        "data:image/png;charset=utf-8;base64,AAAA",
        "DATA:image/png;base64,AAAA",
        " data:image/png;base64,AAAA",
        "data:image/PNG;base64,AAAA",
    ],
)
def test_other_forms_are_refused(url: str) -> None:
    """The message shows the form that would do."""
    with pytest.raises(MalformedDataURL, match="data:image/png;base64,"):
        parse_data_url(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/cat.png", "http://127.0.0.1/", "file:///etc/passwd", "ftp://x"]
)
def test_an_address_is_never_fetched(url: str) -> None:
    """It is said that nothing is, and what to do instead."""
    with pytest.raises(MalformedDataURL, match=r"nothing is fetched here; send its bytes as data:"):
        parse_data_url(url)


def test_a_long_text_is_not_repeated_whole() -> None:
    """A message is for reading."""
    with pytest.raises(MalformedDataURL) as caught:
        parse_data_url("x" * 1_000_000)

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text",
    ["A", "AA", "AAA", "AA=A", "AAAA AAAA", "AAAA\n", "AA-_", "AAAÄ", "====", "AB==", "AAAA=", "é"],
)
def test_base64_is_strict(text: str) -> None:
    """Padded, of the standard alphabet, without spaces or bits left over."""
    with pytest.raises(MalformedDataURL, match="is not base64"):
        decode_base64(text)


def test_nothing_is_no_data() -> None:
    """A picture has bytes."""
    with pytest.raises(MalformedDataURL, match="is empty"):
        parse_data_url("data:image/png;base64,")


@given(st.binary(min_size=1, max_size=40), st.integers(1, 40))
def test_the_bound_is_on_decoded_bytes(data: bytes, limit: int) -> None:
    """Exactly as many as allowed pass, and one more does not."""
    text = base64.b64encode(data).decode()
    if len(data) <= limit:
        assert data == decode_base64(text, max_bytes=limit)
    else:
        with pytest.raises(ImageTooLarge, match=f"has {len(data)} bytes; at most {limit} "):
            decode_base64(text, max_bytes=limit)


@given(st.text(max_size=50))
def test_any_text_is_data_or_refused(text: str) -> None:
    """No other error leaves."""
    try:
        decode_base64(text)
    except ImageError:
        return
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
