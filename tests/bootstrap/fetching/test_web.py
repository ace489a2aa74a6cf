"""Is an answer understood, and what cannot be used told as what it is?"""

from __future__ import annotations

import http.client
import io
import re
import shutil
import ssl
import subprocess
import threading
import urllib.request
from typing import TYPE_CHECKING

import pytest

from bootstrap.fetching.web import Failure, Web, WebFailed, _Redirects, _retry_after
from tests.bootstrap.fileserver import FileServer, Published, Reply, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEB = Web(silence_s=5.0, proxies={})
DATA = b"0123456789"
NOON, LATER = "Sun, 06 Nov 2026 12:00:00 GMT", "Sun, 06 Nov 2026 12:00:45 GMT"


@pytest.fixture
def server() -> Iterator[FileServer]:
    """With one file."""
    with serving() as server:
        server.files["/f"] = Published(DATA, modified=NOON)
        yield server


def failed(server: FileServer, reply: Reply, *, start: int = 0) -> WebFailed:
    """What is told of a reply."""
    server.replies.append(reply)
    with pytest.raises(WebFailed) as caught:
        WEB.ask(f"{server.url}/f", start=start)
    return caught.value


def test_an_answer_says_what_it_is_of(server: FileServer) -> None:
    """The whole, the rest, and what the version is called."""
    with WEB.ask(f"{server.url}/f") as whole, WEB.ask(f"{server.url}/f", start=4) as rest:
        assert (whole.start, whole.total, whole.validator) == (0, 10, '"one"')
        assert (rest.start, rest.total, rest.read(100)) == (4, 10, b"456789")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Failure.FINAL),
        (401, Failure.FINAL),
        (403, Failure.FINAL),
        (404, Failure.FINAL),
        (408, Failure.PASSING),
        (410, Failure.FINAL),
        (416, Failure.ANEW),
        (429, Failure.PASSING),
        (500, Failure.PASSING),
        (503, Failure.PASSING),
        (204, Failure.FINAL),
    ],
)
def test_a_status_says_whether_to_ask_again(server: FileServer, status: int, kind: Failure) -> None:
    """Of every kind one."""
    assert failed(server, Reply(status)).kind is kind


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"Retry-After": "120"}, 120.0),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_how_long_to_wait_is_the_servers_word(
    server: FileServer, headers: dict[str, str], wait_s: float | None
) -> None:
    """In seconds; what cannot be understood was not said."""
    assert failed(server, Reply(503, headers)).wait_s == wait_s


def test_a_date_to_wait_for_is_by_the_servers_clock() -> None:
    """Ours may be wrong."""
    headers = http.client.HTTPMessage()
    headers["Date"], headers["Retry-After"] = NOON, LATER

    assert _retry_after(headers) == 45.0


@pytest.mark.parametrize("told", ["bytes 3-9/10", "lines 4-9/10", ""])
def test_another_part_than_was_asked_for_is_not_used(server: FileServer, told: str) -> None:
    """Nor one that does not say which it is."""
    problem = failed(server, Reply(part=told), start=4)

    assert problem.kind is Failure.ANEW


def test_from_https_nobody_is_sent_to_an_open_line() -> None:
    """Whoever listens there could send anything."""
    request = urllib.request.Request("https://example.org/f")
    to = "http://example.org/f"

    with pytest.raises(WebFailed, match="an address that is not https") as caught:
        _Redirects().redirect_request(
            request, io.BytesIO(), 302, "Found", http.client.HTTPMessage(), to
        )

    assert caught.value.kind is Failure.FINAL


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_certificate_that_nobody_vouches_for_is_no_matter_of_time(tmp_path: Path) -> None:
    """With what to do about it, on a Mac too."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    subprocess.run(
        [*command.split(), "-keyout", tmp_path / "key", "-out", tmp_path / "certificate"],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    with serving(context=context) as server, pytest.raises(WebFailed) as caught:
        WEB.ask(f"{server.url}/f")

    assert caught.value.kind is Failure.FINAL
    assert re.search("self.signed certificate", caught.value.reason)
    assert "Install Certificates.command" in caught.value.hint


def test_the_environments_proxy_is_asked(
    server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for any program; it gets the whole address."""
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    server.files["http://example.invalid/f"] = Published(DATA)

    with Web(silence_s=5.0).ask("http://example.invalid/f") as answer:
        assert answer.read(100) == DATA


def test_silence_in_the_middle_is_a_failure_that_passes(server: FileServer) -> None:
    """What came before it is not lost."""
    server.replies.append(Reply(after=4, gate=threading.Event()))
    with Web(silence_s=0.2, proxies={}).ask(f"{server.url}/f") as answer:
        came = answer.read(100)
        with pytest.raises(WebFailed, match="nothing came any more") as caught:
            answer.read(100)

    assert (came, caught.value.kind) == (b"0123", Failure.PASSING)
