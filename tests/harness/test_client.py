"""A turn over HTTP becomes evidence, whatever the line does."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any

import httpcore
import httpx
import pytest

from harness.cancel import CancelPlan, CancelPoint, Way
from harness.client import FAULTS, ChatClient, Timeouts, TurnRequest
from harness.errors import TargetUnreachable
from harness.events import Delta, Ending, Observed
from harness.testing import (
    DONE,
    LABEL,
    ManualClock,
    Piece,
    RawServer,
    Received,
    Script,
    frame,
    http_head,
    json_script,
    scripted_server,
    sse_script,
)
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.cancel import Grip, Meddle
    from harness.trace import Trace

BODY = {"stream": True, "messages": [{"role": "user", "content": "hé"}]}
HELLO = sse_script((0, frame(role="assistant")), (0, frame(content="Hi", finish="stop") + DONE))


def play(
    server: RawServer,
    request: TurnRequest | None = None,
    *,
    cancel: CancelPlan | None = None,
    meddle: Meddle | None = None,
    on_event: Callable[[Observed], None] | None = None,
    **options: Any,  # noqa: ANN401 - options of ChatClient
) -> Trace:
    """One turn against a server of this test's own."""

    async def turn() -> Trace:
        async with server, ChatClient(server.url, **options) as client:
            return await client.turn(
                request or TurnRequest(LABEL, BODY),
                cancel=cancel,
                meddle=meddle,
                on_event=on_event,
            )

    return asyncio.run(turn())


def test_the_request_is_sent_as_given_and_named() -> None:
    """The body is JSON as UTF-8; X-Request-ID is the trace's own id; no compression."""
    server = scripted_server(HELLO)

    kept = play(server, TurnRequest(LABEL, BODY, headers={"x-extra": "1"}, trace_id="turn-7"))
    came = server.received[0]

    assert (came.method, came.path, came.json) == ("POST", "/v1/chat/completions", BODY)
    assert came.headers["x-request-id"] == kept.trace_id == "turn-7"
    assert came.headers["x-extra"] == "1"
    assert came.headers["accept-encoding"] == "identity"
    assert "hé".encode() in came.body


def test_the_trace_holds_what_was_sent_and_what_came() -> None:
    """Status, headers, every byte of the body, and stamps in order."""
    kept = play(scripted_server(HELLO))

    assert (kept.status, kept.request, kept.label) == (200, BODY, LABEL)
    assert ("content-type", "text/event-stream") in kept.headers
    assert kept.body == HELLO.pieces[1].data + HELLO.pieces[2].data
    assert observe(kept).ending is Ending.OK
    assert kept.headers_at_ns is not None
    assert kept.closed_at_ns is not None
    stamps = [0, kept.headers_at_ns, *(chunk.at_ns for chunk in kept.chunks), kept.closed_at_ns]
    assert stamps == sorted(stamps)


def test_chunked_framing_is_taken_off() -> None:
    """The body is what the server said, not how HTTP carried it."""
    data = (frame(content="Hi", finish="stop") + DONE).encode()
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )

    kept = play(scripted_server(Script((Piece(0, head), Piece(1, body[:9]), Piece(2, body[9:])))))

    assert (kept.body, kept.transport_error) == (data, None)


def test_secrets_are_sent_and_not_kept() -> None:
    """A key reaches the server, and no file."""
    server = scripted_server(HELLO)

    kept = play(server, headers={"Authorization": "Bearer s3cret"})

    assert server.received[0].headers["authorization"] == "Bearer s3cret"
    assert "s3cret" not in str(kept)


def test_events_are_told_while_they_come() -> None:
    """on_event sees what observe() sees in the frames."""
    told: list[Observed] = []

    kept = play(scripted_server(HELLO), on_event=told.append)

    assert tuple(told) == observe(kept).events


def test_large_bodies_pass_both_ways() -> None:
    """Megabytes, as images make them, are neither cut nor reordered."""
    answer = "".join(f"{number} " for number in range(200_000))
    server = scripted_server(json_script({"text": answer}))

    kept = play(server, TurnRequest(LABEL, {"image": "x" * 6_000_000}))

    assert len(server.received[0].json["image"]) == 6_000_000
    assert json.loads(kept.body) == {"text": answer}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (Script((), reset=True), "the connection broke"),
        (Script(()), "the server broke HTTP: Server disconnected without sending a response."),
        (Script((Piece(0, b"HTP/1.1 what\r\n\r\n"),)), "the server broke HTTP: "),
        (
            Script((Piece(0, http_head(Content_Length="99") + b"data: a"),)),
            "the server broke HTTP: peer closed connection without sending complete message body",
        ),
        (
            Script((Piece(0, http_head()), Piece(20, b"data: a")), reset=True, keep_open_ms=20),
            "the connection broke",
        ),
    ],
    ids=["reset", "closed", "not HTTP", "cut short", "reset later"],
)
def test_a_broken_line_is_part_of_the_trace(script: Script, said: str) -> None:
    """Whatever the line does, the turn is recorded and says how it broke."""
    kept = play(scripted_server(script))

    assert kept.transport_error is not None
    assert kept.transport_error.startswith(said)
    assert observe(kept).ending is Ending.TRANSPORT_ERROR


def test_what_came_before_the_break_is_kept() -> None:
    """Bytes that were read are evidence."""
    script = Script((Piece(0, http_head(Content_Length="99")), Piece(5, b"data: a\n\n")))

    kept = play(scripted_server(script))

    assert kept.body == b"data: a\n\n"


def test_nobody_at_the_address_is_told() -> None:
    """A refused connection is a trace without a status."""

    async def turn() -> Trace:
        async with RawServer(lambda _: HELLO) as gone:
            url = gone.url
        async with ChatClient(url) as client:
            return await client.turn(TurnRequest(LABEL, BODY))

    kept = asyncio.run(turn())

    assert (kept.status, kept.chunks) == (None, ())
    assert str(kept.transport_error).startswith("cannot connect")


def test_silence_has_an_end() -> None:
    """A server that says no more is left after `silence_s`."""
    silent = Script((Piece(0, http_head()), Piece(0, b": wait\n\n")), keep_open_ms=5_000)

    kept = play(scripted_server(silent), timeouts=Timeouts(silence_s=0.05))

    assert kept.transport_error == "the server fell silent: nothing came for 0.05 s"


def test_a_turn_has_an_end() -> None:
    """A server that never stops is left after `turn_s`."""
    endless = sse_script(*((10.0 * number, frame(content="x")) for number in range(500)))

    kept = play(scripted_server(endless), timeouts=Timeouts(turn_s=0.1))

    assert kept.transport_error == "took too long"
    assert kept.chunks


def cancellable(*, after: str) -> RawServer:
    """Streams one kind of word for 5 s, or until a POST to /api/cancel, which it answers."""
    stopped = {"stopped": False}
    words = {"reasoning": frame(reasoning="hm"), "content": frame(content="w")}[after]

    def answer(request: Received) -> Script:
        if request.path == "/api/cancel":
            stopped["stopped"] = True
            return json_script({"cancelled": True, "request_id": request.json.get("request_id")})
        return sse_script(*((10.0 * number, words) for number in range(500)))

    async def until_stopped(clock: Any, due_ns: int) -> None:  # noqa: ANN401
        while clock.now_ns() < due_ns:
            await asyncio.sleep(0.002)
            if stopped["stopped"] and due_ns > clock.now_ns() + 1_000_000:
                raise ConnectionResetError

    return RawServer(answer, wait_until=until_stopped)


@pytest.mark.parametrize(
    ("after", "point"),
    [
        ("reasoning", CancelPoint.REASONING),
        ("content", CancelPoint.CONTENT),
        ("content", CancelPoint.TOKEN),
        ("content", CancelPoint.HEADERS),
    ],
)
def test_a_cancel_is_posted_at_its_moment(after: str, point: CancelPoint) -> None:
    """The request names the turn; when it was sent and answered is kept."""
    server = cancellable(after=after)

    kept = play(server, cancel=CancelPlan(point))
    posted = next(request for request in server.received if request.path == "/api/cancel")

    assert posted.json == {"request_id": kept.trace_id}
    assert [action.name for action in kept.actions] == ["cancel", "cancel.ack"]
    assert kept.actions[1].detail["body"] == {"cancelled": True, "request_id": kept.trace_id}
    assert 0 <= kept.actions[0].at_ns <= kept.actions[1].at_ns
    assert observe(kept).ending is Ending.CANCELLED


def test_a_turn_can_be_cancelled_before_anything_came() -> None:
    """Queued or in prefill: the cancel goes out while the server is silent."""
    waiting = Script((), keep_open_ms=200)
    server = RawServer(lambda request: json_script({}) if request.path == "/stop" else waiting)

    kept = play(server, cancel=CancelPlan(CancelPoint.SENT, path="/stop", body={"all": True}))
    posted = next(request for request in server.received if request.path == "/stop")

    assert posted.json == {"all": True}
    assert [action.name for action in kept.actions] == ["cancel", "cancel.ack"]


def test_closing_the_connection_ends_the_turn() -> None:
    """The server sees it; the trace is a cancelled one and holds what came before."""
    server = cancellable(after="content")

    kept = play(server, cancel=CancelPlan(CancelPoint.CONTENT, (Way.CLOSE,), count=3))
    observation = observe(kept)

    assert [action.name for action in kept.actions] == ["close"]
    assert observation.ending is Ending.CANCELLED
    assert len(list(observation.of(Delta))) >= 3
    assert kept.transport_error is None


def test_both_ways_are_taken_in_turn() -> None:
    """First asked, then closed."""
    kept = play(
        cancellable(after="content"),
        cancel=CancelPlan(CancelPoint.CONTENT, (Way.POST, Way.CLOSE)),
    )

    assert [action.name for action in kept.actions][:2] == ["cancel", "cancel.ack"]


def test_a_moment_that_never_comes_cancels_nothing() -> None:
    """The turn ends by itself, and the trace has no action."""
    kept = play(scripted_server(HELLO), cancel=CancelPlan(CancelPoint.REASONING))

    assert (kept.actions, observe(kept).ending) == ((), Ending.OK)


def test_a_delay_that_outlasts_the_turn_cancels_nothing() -> None:
    """Nothing is sent for a turn that is over, and nobody waits for the delay."""
    kept = play(scripted_server(HELLO), cancel=CancelPlan(CancelPoint.SENT, delay_s=60))

    assert (kept.actions, observe(kept).ending) == ((), Ending.OK)


def test_a_cancel_without_an_answer_is_told() -> None:
    """The action says why; the turn goes on."""

    def answer(request: Received) -> Script:
        if request.path == "/api/cancel":
            return Script((), reset=True)
        return sse_script((0, frame(content="a")), (80, frame(content="b", finish="stop") + DONE))

    kept = play(RawServer(answer), cancel=CancelPlan(CancelPoint.TOKEN))

    assert [action.name for action in kept.actions] == ["cancel", "cancel.failed"]
    assert observe(kept).text() == "ab"


def test_an_interrupted_turn_leaves_no_connection() -> None:
    """Ctrl-C in the middle of a stream: the turn is given up and the server sees it."""
    endless = sse_script(*((5.0 * number, frame(content="x")) for number in range(1000)))

    async def interrupt() -> int:
        server = scripted_server(endless)
        async with server, ChatClient(server.url) as client:
            begun = asyncio.Event()
            turn = asyncio.create_task(
                client.turn(TurnRequest(LABEL, BODY), on_event=lambda _: begun.set())
            )
            await begun.wait()
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await turn
            async with asyncio.timeout(10):
                while not server.disconnects:  # noqa: ASYNC110 - another task counts
                    await asyncio.sleep(0.005)
        return server.disconnects

    assert asyncio.run(interrupt()) == 1


def test_a_passed_transport_needs_no_socket() -> None:
    """Over httpx's own mock the stamps come from the clock."""
    clock = ManualClock()

    def answer(request: httpx.Request) -> httpx.Response:
        clock.advance_ms(30)
        return httpx.Response(
            200,
            headers={"content-type": "text/event-stream", "x-path": request.url.path},
            stream=httpx.ByteStream((frame(content="Hi", finish="stop") + DONE).encode()),
        )

    async def turn() -> Trace:
        transport = httpx.MockTransport(answer)
        async with ChatClient("http://server", clock, transport=transport) as client:
            return await client.turn(TurnRequest(LABEL, BODY))

    kept = asyncio.run(turn())

    assert [chunk.at_ns for chunk in kept.chunks] == [30_000_000]
    assert observe(kept).ending is Ending.OK


def test_json_calls_give_status_headers_and_value() -> None:
    """GET, POST and DELETE beside the turns."""

    async def calls() -> list[Any]:
        answers = RawServer(lambda r: json_script([r.method, r.path, r.body.decode()]))
        async with answers, ChatClient(answers.url) as client:
            replies = [
                await client.get_json("/a"),
                await client.post_json("/b", {"x": 1}),
                await client.post_json("/c"),
                await client.delete("/d"),
            ]
            assert {reply.status for reply in replies} == {200}
            assert replies[0].headers["content-type"] == "application/json"
            return [reply.json for reply in replies]

    assert asyncio.run(calls()) == [
        ["GET", "/a", ""],
        ["POST", "/b", '{"x": 1}'],
        ["POST", "/c", "{}"],
        ["DELETE", "/d", ""],
    ]


def test_a_delete_is_traced_as_a_turn_is_and_carries_no_body() -> None:
    """A close is evidence too, status and all."""

    async def close() -> tuple[Trace, Any]:
        answers = RawServer(lambda r: json_script([r.method, r.path, r.body.decode()]))
        async with answers, ChatClient(answers.url) as client:
            request = TurnRequest(LABEL, {}, path="/v1/sessions/x", method="DELETE")
            kept = await client.turn(request)
            return kept, json.loads(kept.body)

    kept, told = asyncio.run(close())

    assert told == ["DELETE", "/v1/sessions/x", ""]
    assert (kept.method, kept.path, kept.status) == ("DELETE", "/v1/sessions/x", 200)


def test_raw_content_goes_in_place_of_the_body_and_a_get_carries_none() -> None:
    """What is no JSON can be sent on purpose; it is declared as JSON unless the request says so."""
    server = scripted_server(json_script({}))

    async def calls() -> None:
        async with server, ChatClient(server.url) as client:
            await client.turn(TurnRequest(LABEL, BODY, content=b'{"model":'))
            await client.turn(TurnRequest(LABEL, {}, path="/v1/models", method="GET"))

    asyncio.run(calls())

    broken, got = server.received
    assert (broken.body, broken.headers["content-type"]) == (b'{"model":', "application/json")
    assert (got.method, got.path, got.body) == ("GET", "/v1/models", b"")


def test_a_reply_that_is_no_json_keeps_its_text() -> None:
    """A page, a proxy's complaint: `json` is None and `text` can be shown."""

    async def call() -> tuple[int, str, Any]:
        page = Script((Piece(0, http_head("404 Not Found", "text/html") + b"<h1>no</h1>"),))
        async with scripted_server(page) as server, ChatClient(server.url) as client:
            reply = await client.get_json("/")
            return reply.status, reply.text, reply.json

    assert asyncio.run(call()) == (404, "<h1>no</h1>", None)


def test_a_json_call_to_nobody_raises_with_address_and_reason() -> None:
    """A target that does not answer is the target's error."""

    async def call() -> None:
        async with RawServer(lambda _: HELLO) as gone:
            url = gone.url
        async with ChatClient(url) as client:
            await client.get_json("/health")

    with pytest.raises(TargetUnreachable, match=r"no answer from http://127\.0\.0\.1:\d+/health"):
        asyncio.run(call())


def test_every_fault_of_httpcore_has_a_name() -> None:
    """When httpcore grows a new error this fails, and the table is completed."""
    internal = {httpcore.ConnectionNotAvailable, httpcore.ProxyError}
    raised = {
        kind
        for _, kind in inspect.getmembers(httpcore, inspect.isclass)
        if issubclass(kind, Exception)
    }

    assert [
        kind
        for kind in raised - internal
        if not any(issubclass(kind, named) for named, _ in FAULTS)
    ] == []


def test_whoever_meddles_holds_the_turn_and_leaves_a_trace() -> None:
    """What is noted stands in the trace, on its time line; the turn is known by name."""
    names: list[str] = []

    async def meddle(grip: Grip) -> None:
        names.append(grip.name)
        grip.note("looked", over=grip.over)
        await grip.until()
        grip.note("looked", over=grip.over)

    kept = play(scripted_server(HELLO), meddle=meddle)

    assert names == [kept.trace_id]
    assert [(a.name, a.detail) for a in kept.actions] == [
        ("looked", {"over": False}),
        ("looked", {"over": True}),
    ]
    assert observe(kept).ending is Ending.OK


def test_a_turn_that_is_over_can_still_be_cancelled() -> None:
    """As people do who press too late: the cancel is posted, its answer kept, the turn is OK."""

    def answer(request: Received) -> Script:
        late = request.path == "/api/cancel"
        return json_script({"cancelled": False}) if late else HELLO

    async def meddle(grip: Grip) -> None:
        await grip.until()
        await grip.cancel({"session_id": "mine"})
        grip.hang_up()

    server = RawServer(answer)
    kept = play(server, meddle=meddle)

    assert [request.path for request in server.received][-1] == "/api/cancel"
    assert server.received[-1].json == {"session_id": "mine"}
    assert [action.name for action in kept.actions] == ["cancel", "cancel.ack", "close"]
    assert observe(kept).ending is Ending.OK


def test_two_things_can_be_done_at_once() -> None:
    """The connection is closed while the cancel is on its way, and both are told."""
    server = cancellable(after="content")

    async def meddle(grip: Grip) -> None:
        moment = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.03, moment.set_result, None)
        await grip.until(moment)
        posting = asyncio.ensure_future(grip.cancel({"request_id": grip.name}))
        await asyncio.sleep(0)
        grip.hang_up()
        await posting

    kept = play(server, meddle=meddle)

    assert [action.name for action in kept.actions] == ["cancel", "close", "cancel.ack"]
    assert observe(kept).ending is Ending.CANCELLED
