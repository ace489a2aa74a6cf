"""What does a browser get for which path of the page?

`read_page` reads a built page whole into a table from path to file, once, so that nothing outside
it can ever be asked for, however a path is spelled. Answers come from the table:

    /, /index.html   no-cache: asked again each time, 304 where it is the same
    /assets/…        kept for a year: their names have a hash of their content
    the others       no-cache, as the first

Text is compressed when it is read, and sent compressed to whoever takes gzip. Names that begin with
a dot are no part of the page.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

__all__ = ["Page", "PageFile", "accepts_gzip", "page_response", "page_routes", "read_page"]

KEPT = "public, max-age=31536000, immutable"
ASKED_AGAIN = "no-cache"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
"""Of what a build makes; a system's own table may be older than some of them."""
TEXT = frozenset({".css", ".html", ".js", ".json", ".map", ".svg", ".txt", ".webmanifest"})


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file, ready to be sent."""

    content: bytes
    media_type: str
    cache_control: str
    etag: str
    compressed: bytes | None = None
    """The same in gzip; None where that would not be shorter."""


Page = MappingProxyType[str, PageFile]
"""Files by the path of their URL."""


def read_page(dist: Path) -> Page | None:
    """The page in a folder; None if there is none in it."""
    files = {
        f"/{name}": _read(path, name)
        for path in sorted(dist.rglob("*"))
        if path.is_file()
        and not (name := path.relative_to(dist).as_posix()).startswith(".")
        and "/." not in name
    }
    if "/index.html" not in files:
        return None
    return MappingProxyType({"/": files["/index.html"], **files})


def page_response(file: PageFile, request: Request) -> Response:
    """The answer to a GET or HEAD for a file."""
    headers = {"cache-control": file.cache_control, "etag": file.etag}
    if file.compressed is not None:
        headers["vary"] = "accept-encoding"
    if file.etag in _tags(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    content = file.content
    if file.compressed is not None and accepts_gzip(request.headers.get("accept-encoding", "")):
        content, headers["content-encoding"] = file.compressed, "gzip"
    answer = Response(content, headers=headers)
    answer.headers["content-type"] = file.media_type
    if request.method == "HEAD":
        answer.body = b""  # its length stays that of the file
    return answer


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether a header takes gzip, by name or as one of all, and not with a weight of 0."""
    weights: dict[str, bool] = {}
    for entry in accept_encoding.lower().split(","):
        coding, *parameters = (part.strip() for part in entry.split(";"))
        weights[coding] = not any(_is_zero(parameter) for parameter in parameters)
    return weights.get("gzip", weights.get("*", False))


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().strip("0") in {"", "."}


def _tags(if_none_match: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]


def _read(path: Path, name: str) -> PageFile:
    content = path.read_bytes()
    compressed = gzip.compress(content, mtime=0) if path.suffix in TEXT else content
    media_type = TYPES.get(path.suffix) or mimetypes.guess_type(name)[0]
    return PageFile(
        content,
        media_type=media_type or "application/octet-stream",
        cache_control=KEPT if name.startswith("assets/") else ASKED_AGAIN,
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        compressed=compressed if len(compressed) < len(content) else None,
    )


def page_routes(page: Page) -> list[Route]:
    """A route for each file; what is not in the table stays unknown, and is answered as such."""

    async def send(request: Request) -> Response:
        return page_response(page[request.url.path], request)

    return [Route(path, send) for path in page]
