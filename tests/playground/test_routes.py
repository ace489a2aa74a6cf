"""Does every path answer as documented, and every wrong request in the one error shape?"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from playground.settings import Settings
from playground.testing import client_of, listening, scripted_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playground.app import Playground

HELLO = {"step_ms": 0.0, "replies": [{"text": " to=user<|message|>Hello!<|eot|>"}]}
CHAT = "/v1/chat/completions"
HI = {"messages": [{"role": "user", "content": "Hi"}]}
JSON = {"content-type": "application/json"}


class Server:
    """A scripted server that this module's tests share, and a client of it."""

    def __init__(self, runner: asyncio.Runner, playground: Playground) -> None:
        self.runner, self.playground = runner, playground

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401
        """One answer."""

        async def ask() -> httpx.Response:
            async with client_of(self.playground) as client:
                return await client.request(method, path, **options)

        return self.runner.run(ask())

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:  # noqa: ANN401 - JSON
        """One answer to a JSON body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, json=body, headers=named)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests here; a test that opens a session closes it."""
    page = tmp_path_factory.mktemp("page")
    (page / "assets").mkdir()
    (page / "index.html").write_text("<p>the page</p>")
    (page / "assets" / "x.js").write_text("1")
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        settings = Settings(max_body_bytes=2000, ui_dir=page)
        playground = runner.run(stack.enter_async_context(scripted_app(HELLO, settings)))
        yield Server(runner, playground)
        runner.run(stack.aclose())


def error_of(response: httpx.Response) -> tuple[int, str, str | None]:
    """Status, type and code of an answer that has the error shape and nothing else."""
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert list(body) == ["error"]
    error = body["error"]
    assert list(error) == ["message", "type", "param", "code"]
    assert error["message"]
    return response.status_code, error["type"], error["code"]


INVALID = "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/nope", (404, INVALID, "not_found")),
        ("GET", "/v1/nope", (404, INVALID, "not_found")),
        ("GET", "/docs", (404, INVALID, "not_found")),
        ("GET", "/redoc", (404, INVALID, "not_found")),
        ("GET", "/openapi.json", (404, INVALID, "not_found")),
        ("GET", "/health/", (404, INVALID, "not_found")),
        ("POST", "/nope", (404, INVALID, "not_found")),
        ("GET", CHAT, (405, INVALID, "method_not_allowed")),
        ("POST", "/health", (405, INVALID, "method_not_allowed")),
        ("POST", "/", (405, INVALID, "method_not_allowed")),
        ("GET", "/v1/sessions/a", (405, INVALID, "method_not_allowed")),
        ("POST", "/v1/sessions/%20/reset", (400, INVALID, "invalid_session_id")),
        ("DELETE", f"/v1/sessions/{'x' * 129}", (400, INVALID, "invalid_session_id")),
        ("POST", "/api/cancel", (400, INVALID, "invalid_value")),
    ],
)
def test_wrong_paths_and_methods_have_the_error_shape(
    server: Server, method: str, path: str, expected: tuple[int, str, str]
) -> None:
    """What the framework says reads like what we say."""
    assert error_of(server.request(method, path)) == expected


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (b"{", JSON, (400, INVALID, "invalid_json")),
        (b"", JSON, (400, INVALID, "invalid_json")),
        (b"[]", JSON, (400, INVALID, "invalid_value")),
        (b"\xff\xfe", JSON, (400, INVALID, "invalid_json")),
        (b"{}", {"content-type": "text/plain"}, (415, INVALID, "unsupported_media_type")),
        (b"{}", {}, (415, INVALID, "unsupported_media_type")),
        (b" " * 2001, JSON, (413, INVALID, "body_too_large")),
    ],
)
@pytest.mark.parametrize("path", [CHAT, "/api/cancel"])
def test_wrong_bodies_have_the_error_shape(
    server: Server,
    path: str,
    body: bytes,
    headers: dict[str, str],
    expected: tuple[int, str, str],
) -> None:
    """Not JSON, not an object, not declared as JSON, or too much of it."""
    if path == "/api/cancel" and body == b"":
        expected = (400, INVALID, "invalid_value")  # no body is an empty one, which names nothing

    assert error_of(server.request("POST", path, content=body, headers=headers)) == expected


def test_a_body_without_a_length_is_held_to_the_cap(server: Server) -> None:
    """Chunks are counted as they come."""

    async def chunks() -> Any:  # noqa: ANN401
        for _ in range(3):
            yield b" " * 1000

    assert error_of(server.request("POST", CHAT, content=chunks(), headers=JSON)) == (
        413,
        INVALID,
        "body_too_large",
    )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"model": "gpt-4"}, (404, INVALID, "model_not_found")),
        ({"messages": []}, (400, INVALID, "invalid_value")),
        ({"temperature": 3}, (400, INVALID, "invalid_value")),
        ({"frobnicate": 1}, (400, INVALID, "unsupported_parameter")),
        ({"session_id": "a b"}, (400, INVALID, "invalid_session_id")),
        ({"max_tokens": 4097}, (400, INVALID, "context_length_exceeded")),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
def test_a_chat_is_refused_before_its_first_byte(
    server: Server,
    streamed: bool,  # noqa: FBT001
    changed: dict[str, Any],
    expected: tuple[int, str, str],
) -> None:
    """A refusal is an ordinary answer with a status, also where a stream was asked for."""
    assert error_of(server.post(CHAT, {**HI, "stream": streamed, **changed})) == expected


def test_a_prompt_that_fills_the_context_is_refused() -> None:
    """With its size, the context's, and what to do."""

    async def scenario() -> httpx.Response:
        script = {**HELLO, "context_length": 200}
        async with scripted_app(script) as playground, client_of(playground) as client:
            long = {"messages": [{"role": "user", "content": "x" * 200}]}
            return await client.post(CHAT, json=long)

    response = asyncio.run(scenario())

    assert error_of(response) == (400, INVALID, "context_length_exceeded")
    assert "the context holds 200" in response.json()["error"]["message"]


def test_health_is_ok(server: Server) -> None:
    """While the worker lives."""
    response = server.request("GET", "/health")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_the_model_was_created_once(server: Server) -> None:
    """`created` does not change from call to call."""
    first, second = (server.request("GET", "/v1/models").json() for _ in range(2))

    assert first == second
    assert [model["id"] for model in first["data"]] == ["scripted"]


def test_the_runtime_report_has_every_key(server: Server) -> None:
    """Clients may rely on all of them; null says that something is not known."""
    report = server.request("GET", "/api/runtime").json()

    assert set(report) == {
        *("state", "reason", "model", "modelId", "backend", "artifact", "artifactSha256"),
        *("device", "contextLength", "modelBytes", "loadTimeMs"),
        *("maxImages", "maxImageBytes", "maxImageCells"),
        *("executorchVersion", "torchVersion", "pythonVersion"),
        *("workerPythonVersion", "workerKind", "threads"),
        *("threadsReason", "dflashEnabled"),
        *("maxSessions", "maxNamedSessions", "dflashBlockLength", "dflashDraftTokens"),
        *("supports", "defaults", "memory", "pids", "version"),
    }
    assert (report["state"], report["reason"], report["contextLength"]) == ("ready", None, 4096)
    assert report["supports"] == {
        "vision": False,
        "warmResume": True,
        "warmImages": False,
        "cancel": True,
        "reuseMetrics": True,
        "durableCache": False,
        "dflash": False,
    }
    assert report["pids"]["worker"] == server.playground.worker.pid
    assert min(report["memory"].values()) > 1_000_000


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/assets/x.js",
        "/api/reports",
        "/reports/run/report.html",
        "/v1/models",
        "/api/runtime",
        CHAT,
        "/docs",
        "/v1/sessions/a",
    ],
)
@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_no_path_answers_strangers(
    server: Server, method: str, path: str, headers: dict[str, str]
) -> None:
    """The gate stands before routing: a stranger does not even learn which paths exist."""
    assert error_of(server.request(method, path, headers=headers)) == (403, INVALID, "forbidden")


@pytest.mark.parametrize("path", ["/", "/index.html", "/assets/x.js"])
def test_the_page_may_load_what_is_of_this_server_and_nothing_else(
    server: Server, path: str
) -> None:
    """One policy, without a way in for scripts and styles that are written into a page."""
    response = server.request("GET", path)

    (policy,) = response.headers.get_list("content-security-policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["img-src"] == "'self' data: blob:"
    assert rules["connect-src"] == "'self'"
    assert rules["object-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy
    assert response.headers["cache-control"] != "no-store"


def test_a_preflight_gets_no_permission(server: Server) -> None:
    """There is no CORS header on anything."""
    headers = {"origin": "http://127.0.0.1:3939", "access-control-request-method": "POST"}

    response = server.request("OPTIONS", CHAT, headers=headers)

    assert response.status_code == 405
    assert [name for name in response.headers if name.startswith("access-control")] == []


def test_a_page_that_is_not_there_says_why(tmp_path: Path) -> None:
    """And leads to the API, which works."""

    async def scenario() -> httpx.Response:
        settings = Settings(ui_dir=tmp_path / "dist")
        async with scripted_app(HELLO, settings) as playground, client_of(playground) as client:
            return await client.get("/")

    response = asyncio.run(scenario())

    assert response.status_code == 200
    assert "It is not built" in response.text
    assert 'href="/api/runtime"' in response.text


def test_a_built_page_is_served_beside_the_api(tmp_path: Any) -> None:  # noqa: ANN401
    """Files of the folder at `/`, the API's paths before them, the error shape behind."""
    (tmp_path / "index.html").write_text("<p>the page</p>")
    (tmp_path / "app.js").write_text("1")

    async def scenario() -> list[tuple[int, str]]:
        settings = Settings(ui_dir=tmp_path)
        async with scripted_app(HELLO, settings) as playground, client_of(playground) as client:
            answers = [await client.get(path) for path in ("/", "/app.js", "/health", "/no.js")]
            answers.append(await client.post("/app.js"))
            return [(answer.status_code, answer.headers["content-type"]) for answer in answers]

    assert asyncio.run(scenario()) == [
        (200, "text/html; charset=utf-8"),
        (200, "text/javascript; charset=utf-8"),
        (200, "application/json"),
        (404, "application/json"),
        (405, "application/json"),
    ]


@pytest.mark.parametrize("streamed", [True, False])
def test_the_request_id_is_echoed(server: Server, streamed: bool) -> None:  # noqa: FBT001
    """In the header, whatever the mode."""
    response = server.post(CHAT, {**HI, "stream": streamed}, x_request_id="my turn 7")

    assert response.headers["x-request-id"] == "my turn 7"


def test_proxies_are_asked_not_to_hold_a_stream_up(server: Server) -> None:
    """Not stored, not compressed, not collected until it is over."""
    headers = server.post(CHAT, {**HI, "stream": True}).headers

    told = (headers["cache-control"], headers["x-accel-buffering"])
    assert told == ("no-store, no-transform", "no")


def test_a_request_id_is_made_up_where_none_is_given(server: Server) -> None:
    """Two requests have two, and a refusal has one too."""
    answers = [server.post(CHAT, HI), server.post(CHAT, HI), server.post(CHAT, {})]

    assert len({answer.headers["x-request-id"] for answer in answers}) == 3


@pytest.mark.parametrize("request_id", ["", "x" * 129, "gr\u00fcn"])
def test_a_request_id_has_a_rule(server: Server, request_id: str) -> None:
    """1 to 128 printable ASCII characters."""
    headers = {"x-request-id": request_id.encode("latin-1")}

    response = server.request("POST", CHAT, json=HI, headers=headers)

    assert error_of(response) == (400, INVALID, "invalid_value")


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        ({}, {}, None),
        ({}, {"x-session-affinity": "c"}, "c"),
        ({}, {"x-session-affinity": "c", "session_id": "b"}, "b"),
        ({}, {"session_id": "b", "x-executorch-session-id": "a"}, "a"),
        ({"session_id": "z"}, {"x-executorch-session-id": "a"}, "z"),
    ],
)
def test_a_session_is_named_in_the_body_or_else_by_a_header(
    server: Server, body: dict[str, str], headers: dict[str, str], expected: str | None
) -> None:
    """In a fixed order of precedence."""
    response = server.request("POST", CHAT, json={**HI, **body}, headers=headers)
    if expected:
        server.request("DELETE", f"/v1/sessions/{expected}")

    assert response.json()["muse_metrics"]["session_id"] == expected


def test_a_second_session_finds_a_place_when_the_first_is_closed(server: Server) -> None:
    """429 at once, and nothing of the refused id is kept."""
    first = server.post(CHAT, {**HI, "session_id": "first"})
    refused = server.post(CHAT, {**HI, "session_id": "second"})
    anonymous = server.post(CHAT, HI)
    closed = server.request("DELETE", "/v1/sessions/first")
    admitted = server.post(CHAT, {**HI, "session_id": "second"})
    server.request("DELETE", "/v1/sessions/second")

    assert error_of(refused) == (429, "capacity_error", "capacity_exhausted")
    assert closed.json() == {"closed": True, "session_id": "first"}
    assert [r.status_code for r in (first, anonymous, admitted)] == [200, 200, 200]


def test_sessions_need_a_worker_that_keeps_them() -> None:
    """With one physical session there is none to name."""

    async def scenario() -> httpx.Response:
        settings = Settings(max_sessions=1)
        async with scripted_app(HELLO, settings) as playground, client_of(playground) as client:
            return await client.post(CHAT, json={**HI, "session_id": "a"})

    assert error_of(asyncio.run(scenario())) == (400, INVALID, "unsupported_session")


@pytest.mark.parametrize("session_id", ["never-seen", "a/b", "~{}|"])
def test_reset_and_close_may_be_repeated(server: Server, session_id: str) -> None:
    """An absent session is reset and closed already."""
    path = f"/v1/sessions/{session_id}"
    answers = [
        server.request("POST", f"{path}/reset"),
        server.request("DELETE", path),
        server.request("DELETE", path),
    ]

    assert [answer.json() for answer in answers] == [
        {"reset": True, "session_id": session_id},
        {"closed": True, "session_id": session_id},
        {"closed": True, "session_id": session_id},
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"request_id": "unknown"}, {"request_id": "unknown", "session_id": None}),
        ({"session_id": "idle"}, {"request_id": None, "session_id": "idle"}),
    ],
)
def test_there_may_be_nothing_to_cancel(
    server: Server, body: dict[str, str], expected: dict[str, str | None]
) -> None:
    """That is an answer, not an error."""
    assert server.post("/api/cancel", body).json() == {"cancelled": False, **expected}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_value"),
        ({"request_id": None}, "invalid_value"),
        ({"request_id": 7}, "invalid_value"),
        ({"request_id": "a", "force": True}, "unsupported_parameter"),
    ],
)
def test_a_cancel_has_to_name_something(server: Server, body: dict[str, Any], code: str) -> None:
    """An empty one must not end whatever happens to run."""
    assert error_of(server.post("/api/cancel", body)) == (400, INVALID, code)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff",
        b'{"request_id": NaN}',
        b'{"request_id": "\\ud800"}',
        b'{"session_id": "\\ud800"}',
        b'{"\\ud800": 1}',
        b"[" * 1500,
    ],
)
def test_a_cancel_that_is_no_json_is_refused(server: Server, body: bytes) -> None:
    """So is one that spells half a character, which no answer could repeat, or nests too deeply."""
    response = server.request("POST", "/api/cancel", content=body, headers=JSON)

    assert error_of(response) == (400, INVALID, "invalid_json")


def test_what_nobody_foresaw_has_the_error_shape_too() -> None:
    """A bug answers 500 and says nothing of its insides."""

    async def scenario() -> httpx.Response:
        async with scripted_app(HELLO) as playground, client_of(playground) as client:
            playground.serving.prompts = None  # type: ignore[assignment]  # the bug
            return await client.post(CHAT, json=HI)

    response = asyncio.run(scenario())

    assert error_of(response) == (500, "server_error", None)
    assert "NoneType" not in response.text


def test_malformed_http_does_not_reach_the_app() -> None:
    """Two Host headers are refused by the server below, before any rule of ours."""

    async def scenario() -> bytes:
        async with scripted_app(HELLO) as playground, listening(playground.app) as url:
            host, port = httpx.URL(url).host, httpx.URL(url).port
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
            status = await reader.readline()
            writer.close()
            return status

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 400")


def test_both_names_of_this_machine_work_over_a_real_connection() -> None:
    """The positive half of the recipe: localhost and 127.0.0.1, on our port, from a browser."""

    async def scenario() -> list[int]:
        async with scripted_app(HELLO) as playground, listening(playground.app) as url:
            port = httpx.URL(url).port
            async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
                statuses = []
                for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
                    headers = {
                        "host": host,
                        "origin": f"http://{host}",
                        "sec-fetch-site": "same-origin",
                    }
                    answer = await client.post(CHAT, json=HI, headers=headers)
                    statuses.append(answer.status_code)
                return statuses

    assert asyncio.run(scenario()) == [200, 200, 200]
