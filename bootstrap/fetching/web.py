"""What does a server answer to one request for a file, from which byte on?

`Web.ask` follows redirects, gives a token to nobody but the server that was asked first, and goes
through the proxies that the environment names, as urllib does.  A redirect from https to anything
else is refused.  What went wrong is told as a `WebFailed`, whose `kind` says what can be done:

    PASSING   ask again later: no connection, silence, 429, 5xx, an answer that was cut off
    ANEW      ask again from the first byte: the range was not to be had, or the file is another one
    FINAL     asking again would not help: any other 4xx, a certificate, an address that is none
"""

from __future__ import annotations

import http.client
import re
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import IO, TYPE_CHECKING, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

__all__ = ["Answer", "Failure", "Web", "WebFailed", "is_loopback"]

SILENCE_S = 30.0
AGENT = "muse-bootstrap"
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
SHA256 = re.compile(r'"?([0-9a-f]{64})"?')
LINKED = "X-Linked-Etag"
"""Hugging Face names a large file's SHA-256 in this header, beside the redirect to its store."""
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
HINTS = {
    404: "is there such a file at this revision?",
    407: "the proxy asks who you are: put name and password into HTTPS_PROXY",
}
NO_CERTIFICATE = (
    "this Python knows no certificates that vouch for the server: on macOS run `Install "
    "Certificates.command` of its folder in Applications; behind a proxy that opens TLS, name its "
    "certificate with SSL_CERT_FILE"
)


class Failure(Enum):
    """What can be done about it."""

    PASSING = "passing"
    ANEW = "anew"
    FINAL = "final"


class WebFailed(Exception):
    """A request that did not bring what was asked."""

    def __init__(
        self,
        reason: str,
        kind: Failure,
        *,
        hint: str = "",
        status: int = 0,
        wait_s: float | None = None,
    ) -> None:
        self.reason, self.kind, self.hint = reason, kind, hint
        self.status = status
        """What the server answered; 0 where it did not."""
        self.wait_s = wait_s
        """How long it asks to be left alone; None where it does not say."""
        super().__init__(reason)


@dataclass(slots=True)
class Answer:
    """A file's bytes on their way, from `start` on; to be closed."""

    start: int
    """Where they begin in the file."""
    total: int | None
    """Bytes of the whole file; None where the server does not say."""
    ends_itself: bool
    """Whether an answer that was cut off can be told from one that has ended."""
    validator: str
    """What changes when the file does (a strong ETag, or its date); empty where there is none."""
    sha256: str
    """What the publisher says the whole file's hash is; empty where it does not say."""
    _body: http.client.HTTPResponse

    def read(self, most: int) -> bytes:
        """What has come, up to `most` bytes; empty at the end.

        Raises:
            WebFailed: the connection broke, or nothing came for too long.
        """
        try:
            return self._body.read1(most)
        except TimeoutError as problem:
            raise WebFailed("nothing came any more", Failure.PASSING) from problem
        except (http.client.HTTPException, OSError) as problem:
            raise WebFailed(f"the connection broke: {_said(problem)}", Failure.PASSING) from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._body.close()


@dataclass(frozen=True, slots=True)
class Web:
    """Asks servers for files."""

    silence_s: float = SILENCE_S
    """How long a connection may take, and how long nothing may come."""
    proxies: Mapping[str, str] | None = field(default=None)
    """By scheme; None for those of the environment."""

    def ask(self, url: str, *, start: int = 0, validator: str = "", token: str = "") -> Answer:
        """Ask for a file from byte `start` on; of the one that `validator` is of, where given.

        Raises:
            WebFailed: there is no answer, or none that can be used.
        """
        if not _is_of_the_web(url):
            raise WebFailed("that is no http(s) address", Failure.FINAL)
        headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
            if validator:
                headers["If-Range"] = validator
        request = urllib.request.Request(url, headers=headers)  # noqa: S310  (scheme checked)
        if token and (url.startswith("https:") or is_loopback(url)):
            request.add_unredirected_header("Authorization", f"Bearer {token}")
        redirects = _Redirects()
        proxies = None if self.proxies is None else dict(self.proxies)
        opener = urllib.request.build_opener(redirects, urllib.request.ProxyHandler(proxies))
        body = _opened(opener, request, self.silence_s)
        try:
            return _answer(body, redirects, asked=start, validator=validator)
        except BaseException:
            body.close()
            raise


def _is_of_the_web(url: str) -> bool:
    try:
        return urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in LOOPBACK


def _opened(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, silence_s: float
) -> http.client.HTTPResponse:
    host = urlsplit(request.full_url).netloc.rpartition("@")[2]
    try:
        body: http.client.HTTPResponse = opener.open(request, timeout=silence_s)
    except urllib.error.HTTPError as answer:
        with answer:
            raise _refused(answer) from answer
    except (http.client.InvalidURL, UnicodeError) as problem:
        raise WebFailed(f"{request.full_url}: {problem}", Failure.FINAL) from problem
    except (http.client.HTTPException, OSError) as problem:
        cause = problem.reason if isinstance(problem, urllib.error.URLError) else problem
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = f"{host}: {cause.verify_message}"
            raise WebFailed(reason, Failure.FINAL, hint=NO_CERTIFICATE) from problem
        hint = "is there a network? is a proxy needed (HTTPS_PROXY)?"
        raise WebFailed(f"{host}: {_said(cause)}", Failure.PASSING, hint=hint) from problem
    return body


def _refused(answer: urllib.error.HTTPError) -> WebFailed:
    host = urlsplit(answer.url).netloc.rpartition("@")[2]
    reason = f"{host} answers {answer.code} {answer.reason}"
    if answer.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        kind, hint = Failure.ANEW, ""
    elif answer.code in {408, 429} or answer.code >= 500:
        kind, hint = Failure.PASSING, "try again later"
    else:
        kind, hint = Failure.FINAL, HINTS.get(answer.code, "")
    wait_s = _retry_after(answer.headers)
    return WebFailed(reason, kind, hint=hint, status=answer.code, wait_s=wait_s)


def _answer(
    body: http.client.HTTPResponse, redirects: _Redirects, *, asked: int, validator: str
) -> Answer:
    headers = body.headers
    encoding = headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise WebFailed(f"the answer is encoded as {encoding}", Failure.FINAL)
    start, total = 0, _whole(headers.get("Content-Length"))
    ends_itself = total is not None or bool(body.chunked)
    if body.status == http.client.PARTIAL_CONTENT:
        told = CONTENT_RANGE.match(headers.get("Content-Range", ""))
        if told is None or int(told[1]) != asked:
            raise WebFailed("the server sent another part than was asked for", Failure.ANEW)
        start, total = asked, _whole(told[2])
    elif body.status != http.client.OK:
        raise WebFailed(f"the server answers {body.status} {body.reason}", Failure.FINAL)
    found = _validator(headers)
    if start and validator and found and found != validator:
        raise WebFailed("the file has changed where it is published", Failure.ANEW)
    linked = SHA256.fullmatch((redirects.first or headers).get(LINKED, ""))
    return Answer(start, total, ends_itself, found, linked[1] if linked else "", body)


def _validator(headers: Message) -> str:
    """A weak ETag is no ground to put two parts together on (RFC 9110, 13.1.5)."""
    tag = headers.get("ETag", "")
    return str(tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", ""))


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def _retry_after(headers: Message) -> float | None:
    """Seconds; a date is read against the server's own clock."""
    told = headers.get("Retry-After", "").strip()
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        until, now = parsedate_to_datetime(told), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _said(problem: object) -> str:
    if isinstance(problem, TimeoutError):
        return "no answer in time"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem) or type(problem).__name__


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Keeps what the first server said, and the token from all others."""

    def __init__(self) -> None:
        self.first: Message | None = None

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request to the next server; see urllib."""
        asked = urlsplit(req.full_url)
        if asked.scheme == "https" and urlsplit(newurl).scheme != "https":
            fp.close()
            reason = f"{asked.hostname} sends us on to an address that is not https: {newurl}"
            raise WebFailed(reason, Failure.FINAL)
        if self.first is None:
            self.first = headers
        fresh = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get("Authorization")
        if fresh is not None and token and _origin(newurl) == _origin(req.full_url):
            fresh.add_unredirected_header("Authorization", token)
        return fresh
