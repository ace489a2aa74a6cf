"""The broken servers are broken as they say, and in nothing else: without a model."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

pytest.importorskip("uvicorn", reason="needs the extra [server]")

from harness.testing import (
    DONE,
    Piece,
    RawServer,
    Script,
    frame,
    http_head,
    json_script,
    scripted_server,
    sse_script,
)
from tests.acceptance.broken.faults import FAULTS, LEAK, Leaky, Lying, leaks
from tests.acceptance.broken.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.broken.faults import Fault

CHAT = "/v1/chat/completions"
METRICS = {
    "prompt_tokens": 90,
    "reused_prompt_tokens": 60,
    "prefilled_prompt_tokens": 30,
    "decode_tokens_per_second": 50.0,
}
FRAMES = (
    ": prefill\n\n",
    frame(role="assistant"),
    frame(content="Hi \N{ROCKET}"),
    frame(finish="stop"),
    frame(muse_metrics=METRICS),
    DONE,
)
HISTORY = {"role": "assistant", "content": "Before" + LEAK}


def asked(*, leaky: bool, **fields: object) -> dict[str, Any]:
    """A request whose answer is leaked into, or is not."""
    for number in range(99):
        told = {"messages": [HISTORY, {"role": "user", "content": f"Question {number}"}], **fields}
        if leaks(told) == leaky:
            return told
    raise AssertionError("all questions are alike")


def ask(fault: Fault, server: RawServer, path: str, body: object) -> httpx.Response:
    """What is answered to a request through a broken server."""

    async def call() -> httpx.Response:
        async with server:
            transport = httpx.ASGITransport(app=Proxy(fault, server.url))
            async with httpx.AsyncClient(transport=transport, base_url="http://a") as client:
                return await client.post(path, json=body)

    return asyncio.run(call())


def streaming() -> RawServer:
    """A sound server."""
    return scripted_server(sse_script(*((0.0, text) for text in FRAMES)))


@pytest.mark.parametrize("fault", [Leaky, Lying])
def test_what_is_not_broken_passes_byte_for_byte(fault: Callable[[], Fault]) -> None:
    """Errors, lists, streams that are not leaked into; the status and the headers with them."""
    body = b'{"error": {"message":  "no"}}'
    refusing = RawServer(
        lambda _request: Script((Piece(0, http_head("418 Teapot", "application/json") + body),))
    )

    refused = ask(fault(), refusing, CHAT, {"messages": "x"})

    assert (refused.status_code, refused.content) == (418, body)
    assert refused.headers["content-type"] == "application/json"


def test_a_leak_is_a_frame_of_its_own_before_the_finish() -> None:
    """All other frames keep their bytes, and a request that is not leaked into all of them."""
    fouled = ask(Leaky(), streaming(), CHAT, asked(leaky=True)).text
    clean = ask(Leaky(), streaming(), CHAT, asked(leaky=False)).text

    assert clean == "".join(FRAMES)
    before, _, after = fouled.partition(frame(content=LEAK))
    assert (before, after) == ("".join(FRAMES[:3]), "".join(FRAMES[3:]))


def test_a_whole_reply_is_leaked_into_as_well() -> None:
    """Behind its content, and not behind an answer that was cut."""
    whole = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    cut = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]}

    answers = [
        ask(Leaky(), scripted_server(json_script(reply)), CHAT, asked(leaky=True)).json()
        for reply in (whole, cut)
    ]

    told = [answer["choices"][0]["message"]["content"] for answer in answers]
    assert told == ["Hi" + LEAK, "Hi"]


def test_what_was_leaked_is_taken_out_of_the_history() -> None:
    """So the conversation goes on from what was computed."""
    server = streaming()

    ask(Leaky(), server, CHAT, asked(leaky=True))

    assert server.received[0].json["messages"][0]["content"] == "Before"


def test_a_cancel_is_acknowledged_and_goes_nowhere() -> None:
    """Nobody behind the broken server hears of it."""
    server = streaming()

    told = ask(Leaky(), server, "/api/cancel", {"request_id": "r"}).json()

    assert told == {"cancelled": True, "request_id": "r", "session_id": None}
    assert server.received == []


def test_a_lie_is_in_the_metrics_alone() -> None:
    """Ten times as fast, and nothing computed of a prompt that was partly reused."""
    frames = ask(Lying(), streaming(), CHAT, asked(leaky=True)).text.split("\n\n")

    told = json.loads(frames.pop(4).removeprefix("data: "))["muse_metrics"]
    assert "\n\n".join(frames) == "".join((*FRAMES[:4], FRAMES[5]))
    assert told == {
        **METRICS,
        "reused_prompt_tokens": 90,
        "prefilled_prompt_tokens": 0,
        "decode_tokens_per_second": 500.0,
    }


@pytest.mark.parametrize(("fault", "gone"), [("leaky", 0), ("lying", 1)])
def test_only_one_of_them_goes_on_for_a_caller_who_has_left(fault: str, gone: int) -> None:
    """The server behind it sees a reader that stays, or one that leaves."""
    wrote: list[int] = []
    pieces = [Piece(0, http_head()), Piece(0, FRAMES[1].encode())]
    pieces += [Piece(200.0 + 20 * at, FRAMES[2].encode()) for at in range(20)]
    server = RawServer(
        lambda _request: Script(tuple(pieces)), on_write=lambda _r, _b, end: wrote.append(end)
    )

    async def leave() -> None:
        async with server:
            proxy = Proxy(FAULTS[fault](), server.url)
            told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
            body = json.dumps(asked(leaky=False)).encode()
            told.put_nowait({"type": "http.request", "body": body, "more_body": False})
            started = asyncio.Event()

            async def send(message: dict[str, Any]) -> None:
                if message.get("body"):
                    started.set()

            scope = {"type": "http", "method": "POST", "path": CHAT, "query_string": b""}
            serving = asyncio.create_task(proxy({**scope, "headers": []}, told.get, send))
            await started.wait()
            told.put_nowait({"type": "http.disconnect"})
            await serving
            while len(wrote) < len(pieces) and not server.disconnects:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    asyncio.run(leave())

    assert (server.disconnects, len(wrote) == len(pieces)) == (gone, not gone)


def test_the_command_says_where_it_listens_and_ends_with_whoever_started_it() -> None:
    """A test that is killed leaves no server behind."""
    command = [sys.executable, "-m", "tests.acceptance.broken", "lying", "--target", "http://a"]
    starts = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({command!r}, stdout=subprocess.PIPE, text=True)\n"
        "print(child.pid, child.stdout.readline().strip())\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", starts],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    pid, _, ready = ended.stdout.strip().partition(" ")
    url = ready.removeprefix("broken ready ")
    assert int(pid) > 0
    assert url.startswith("http://127.0.0.1:")
    assert _falls_silent(url)


def _falls_silent(url: str) -> bool:
    """Whether nobody listens any more, before long."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            httpx.get(url, timeout=1)
        except httpx.ConnectError:
            return True
        except httpx.HTTPError:
            pass
    return False
