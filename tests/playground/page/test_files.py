"""Does a browser get the page's files, typed, compressed and cached as they should be?"""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette

from playground.page.files import accepts_gzip, page_routes, read_page

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = "console.log('hello');" * 50


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """A built page."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>" + "<p>the page</p>" * 40)
    (tmp_path / "assets" / "index-AbC123.js").write_text(SCRIPT)
    (tmp_path / "assets" / "inter-x1.woff2").write_bytes(bytes(range(256)))
    (tmp_path / "favicon.svg").write_text("<svg/>")
    (tmp_path / ".stamp").write_text("0")
    return tmp_path


def ask(dist: Path, method: str, path: str, **headers: str) -> httpx.Response:
    """One answer of an app that serves the page alone."""
    page = read_page(dist)
    assert page is not None
    transport = httpx.ASGITransport(Starlette(routes=page_routes(page)))

    async def request() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.request(method, path, headers={"accept-encoding": "", **named})

    return asyncio.run(request())


@pytest.mark.parametrize(
    ("path", "media_type", "cache"),
    [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        ("/favicon.svg", "image/svg+xml", "no-cache"),
        (
            "/assets/index-AbC123.js",
            "text/javascript; charset=utf-8",
            "public, max-age=31536000, immutable",
        ),
        ("/assets/inter-x1.woff2", "font/woff2", "public, max-age=31536000, immutable"),
    ],
)
def test_files_have_their_type_and_their_time(
    dist: Path, path: str, media_type: str, cache: str
) -> None:
    """What is named by its content is kept; the page that names it is asked for again."""
    answer = ask(dist, "GET", path)

    assert answer.status_code == 200
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (media_type, cache)


def test_text_is_compressed_for_whoever_takes_it(dist: Path) -> None:
    """Both have the same content, and say that it depends on who asks."""
    plain = ask(dist, "GET", "/assets/index-AbC123.js")
    packed = ask(dist, "GET", "/assets/index-AbC123.js", accept_encoding="gzip, br")

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.text == packed.text == SCRIPT
    assert int(packed.headers["content-length"]) == len(gzip.compress(SCRIPT.encode(), mtime=0))
    assert plain.headers["vary"] == packed.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("path", ["/assets/inter-x1.woff2", "/favicon.svg"])
def test_what_would_not_be_shorter_is_sent_as_it_is(dist: Path, path: str) -> None:
    """Fonts are compressed already, and a few bytes are few enough."""
    answer = ask(dist, "GET", path, accept_encoding="gzip")

    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_head_tells_what_get_would(dist: Path, encoding: str) -> None:
    """The same headers, its length included, and no body."""
    head, get = (ask(dist, method, "/", accept_encoding=encoding) for method in ("HEAD", "GET"))

    assert head.content == b""
    assert head.headers == get.headers


def test_what_is_the_same_is_not_sent_again(dist: Path) -> None:
    """By its tag, alone or among others, weak or strong; a changed file is sent."""
    tag = ask(dist, "GET", "/").headers["etag"]

    again = [
        ask(dist, "GET", "/", if_none_match=tags) for tags in (tag, f'"x", W/{tag}', '"other"')
    ]

    assert [answer.status_code for answer in again] == [304, 304, 200]
    assert again[0].headers["cache-control"] == "no-cache"
    assert again[0].content == b""


@pytest.mark.parametrize(
    "path",
    [
        "/.stamp",
        "/nothing.js",
        "/assets/",
        "/assets",
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/assets\\..\\..\\secret.txt",
        "/secret.txt%00.js",
    ],
)
def test_nothing_but_the_page_is_served(tmp_path: Path, path: str) -> None:
    """Whatever a path looks like, it is not in the table."""
    (tmp_path / "secret.txt").write_text("secret")
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("page")
    (web / ".stamp").write_text("secret")

    assert ask(web, "GET", path).status_code == 404


def test_only_reading_is_allowed(dist: Path) -> None:
    """Nothing can be written to a file."""
    assert [ask(dist, method, "/").status_code for method in ("POST", "PUT", "DELETE")] == [405] * 3


def test_a_folder_without_an_index_is_no_page(tmp_path: Path) -> None:
    """Nor is one that is not there."""
    (tmp_path / "app.js").write_text("1")

    assert read_page(tmp_path) is None
    assert read_page(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip", True),
        ("GZIP;q=0.5", True),
        ("br, gzip", True),
        ("*", True),
        ("identity, *;q=0.1", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
    ],
)
def test_gzip_is_taken_by_name_or_as_one_of_all(header: Any, expected: bool) -> None:  # noqa: ANN401, FBT001
    """And refused by a weight of nothing."""
    assert accepts_gzip(header) is expected
