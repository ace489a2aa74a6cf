"""Does the wheel's server, its app and runtime unchanged, chat through our worker?

In process by its ASGI app; the last test starts it on a loopback port and lets the wheel's own
contract suite judge it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from executorch.examples.llm_server.python.serving_chat import ServingChat
    from executorch.examples.llm_server.python.worker_client import WorkerClient

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.filterwarnings("ignore"),  # other people's code, with newer libraries than theirs
]

UPSTREAM = "executorch.examples.llm_server.python"
GREETING = "Hello 你好 🌍"
CONTEXT = 20_000
PLAIN = ("--noconftest", "-p", "no:cacheprovider")
"""No settings of ours reach the wheel's suite, and it leaves nothing behind."""


MUSE = "executorch.examples.models.muse_glimmer.serving.serve"


@pytest.fixture
def serving(scripted: WorkerClient) -> Iterator[ServingChat]:
    """Put the wheel's chat adapter and runtime on a scripted worker."""
    serving_module = pytest.importorskip(f"{UPSTREAM}.serving_chat")
    yield from served_by(serving_module.ServingChat, scripted)


@pytest.fixture
def seeing(scripted: WorkerClient) -> Iterator[ServingChat]:
    """Put the wheel's adapter for Muse Glimmer, which takes an image, on it."""
    yield from served_by(pytest.importorskip(MUSE).MuseGlimmerServingChat, scripted)


def served_by(adapter: Any, scripted: WorkerClient) -> Iterator[ServingChat]:  # noqa: ANN401
    """Serve from a scripted worker through one of the wheel's adapters."""
    runtime_module = pytest.importorskip(f"{UPSTREAM}.session_runtime")
    template_module = pytest.importorskip(f"{UPSTREAM}.chat_template")
    parsers = pytest.importorskip(f"{UPSTREAM}.tool_parsers")

    class Template(template_module.ChatTemplate):  # type: ignore[misc, name-defined]
        """The generic template, with the scripted tokenizer's counts."""

        def count_tokens(self, prompt: str) -> int:
            return 1 + len(prompt.encode())

    runtime = runtime_module.SessionRuntime(scripted)
    yield adapter(
        runtime,
        Template(allow_fallback=True),
        "scripted",
        max_context=CONTEXT,
        tool_detector_cls=parsers.HermesDetector,
    )
    runtime.close_worker()


@asynccontextmanager
async def client_of(serving: ServingChat) -> AsyncIterator[httpx.AsyncClient]:
    """Open a client on the wheel's app, in process."""
    server = pytest.importorskip(f"{UPSTREAM}.server")
    transport = httpx.ASGITransport(server.build_app(serving, "scripted"))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def said(*texts: str, **options: object) -> dict[str, Any]:
    """Write a request whose messages are the user's and the assistant's by turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]
    return {"model": "scripted", "messages": messages, **options}


def frames(body: str) -> list[Any]:
    """Read the data of a stream."""
    data = re.findall(r"^data: (.*)$", body, re.MULTILINE)
    assert data.pop() == "[DONE]"
    return [json.loads(item) for item in data]


def test_health_and_models(serving: ServingChat) -> None:
    """The worker is up, and the app says so."""

    async def scenario() -> tuple[int, str]:
        async with client_of(serving) as client:
            health, models = await client.get("/health"), await client.get("/v1/models")
            return health.status_code, models.json()["data"][0]["id"]

    assert asyncio.run(scenario()) == (200, "scripted")


def test_an_image_reaches_the_worker(seeing: ServingChat) -> None:
    """As the wheel cuts the prompt around it; the cells are counted by the worker."""
    buffer = BytesIO()
    Image.new("RGB", (84, 28), "red").save(buffer, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    parts = [
        {"type": "text", "text": "What is "},
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": "?"},
    ]

    async def run() -> list[dict[str, Any]]:
        async with client_of(seeing) as client:
            contents: list[object] = ["What is ?", parts]
            bodies = [{"messages": [{"role": "user", "content": said}]} for said in contents]
            replies = [await client.post("/v1/chat/completions", json=body) for body in bodies]
            return [reply.json() for reply in replies]

    without, shown = asyncio.run(run())

    assert shown["choices"][0]["message"]["content"] == GREETING
    assert shown["usage"]["prompt_tokens"] == without["usage"]["prompt_tokens"] + 3


@pytest.mark.parametrize("stream", [False, True])
def test_a_chat_turn(serving: ServingChat, stream: bool) -> None:  # noqa: FBT001
    """Buffered or streamed, the text is whole and the usage exact."""

    async def scenario() -> str:
        options = {"stream": stream, "stream_options": {"include_usage": True} if stream else None}
        async with client_of(serving) as client:
            reply = await client.post("/v1/chat/completions", json=said("Hi", **options))
            assert reply.status_code == 200
            return reply.text

    body = asyncio.run(scenario())

    if stream:
        chunks = frames(body)
        text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
        finish, usage = chunks[-2]["choices"][0]["finish_reason"], chunks[-1]["usage"]
    else:
        choice = json.loads(body)["choices"][0]
        text, finish = choice["message"]["content"], choice["finish_reason"]
        usage = json.loads(body)["usage"]
    assert (text, finish) == (GREETING, "stop")
    assert usage["completion_tokens"] == len(GREETING.encode())
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_session_resumes_warm(serving: ServingChat, caplog: pytest.LogCaptureFixture) -> None:
    """The wheel's transcript splices our ids, and its log shows what our worker reused."""
    caplog.set_level(logging.INFO, "executorch")

    async def scenario() -> None:
        async with client_of(serving) as client:
            for texts in (("Hi",), ("Hi", GREETING, "And now?")):
                await client.post("/v1/chat/completions", json=said(*texts, session_id="a"))

    asyncio.run(scenario())

    turns = [m for m in caplog.messages if m.startswith("llm_turn_stats")]
    reasons = [re.findall(r" reason=(\w+)", turn)[0] for turn in turns]
    prompt, completion = (
        int(re.findall(rf" {name}_tokens=(\d+)", turns[0])[0]) for name in ("prompt", "completion")
    )
    reused = int(re.findall(r" reused_prompt_tokens=(\d+)", turns[1])[0])
    assert reasons == ["new", "exact_prefix"]
    assert reused == prompt + completion


def test_capacity_is_a_429_until_a_session_is_closed(serving: ServingChat) -> None:
    """The worker's code becomes the server's status."""

    async def scenario() -> list[int]:
        async with client_of(serving) as client:

            async def chat(session_id: str) -> int:
                request = said("Hi", session_id=session_id)
                return (await client.post("/v1/chat/completions", json=request)).status_code

            first, refused = await chat("a"), await chat("b")
            reset = (await client.post("/v1/sessions/a/reset")).status_code
            closed = (await client.delete("/v1/sessions/a")).status_code
            return [first, refused, reset, closed, await chat("b")]

    assert asyncio.run(scenario()) == [200, 429, 200, 200, 200]


def test_a_reader_that_leaves_frees_the_worker(serving: ServingChat) -> None:
    """The runtime sends the frame, our done line comes within its grace, and all stay healthy."""
    protocol = pytest.importorskip(f"{UPSTREAM}.protocol")

    async def scenario() -> tuple[str, bool]:
        request = protocol.ChatCompletionRequest(**said("endless", stream=True))
        stream = await serving.create(request)
        async for frame in stream:
            if '"content":"x"' in frame:
                break
        await stream.aclose()
        async with client_of(serving) as client:
            after = await client.post("/v1/chat/completions", json=said("Hi"))
            return after.json()["choices"][0]["message"]["content"], serving.healthy

    assert asyncio.run(scenario()) == (GREETING, True)


def test_a_stop_string_ends_the_answer(serving: ServingChat) -> None:
    """In the worker and in the server, which looks again."""

    async def scenario() -> str:
        async with client_of(serving) as client:
            reply = await client.post("/v1/chat/completions", json=said("Hi", stop=" 你"))
            content: str = reply.json()["choices"][0]["message"]["content"]
            return content

    assert asyncio.run(scenario()) == "Hello"


def test_the_wheels_own_contract_suite_passes(serving: ServingChat) -> None:
    """Its tests, run by its rules, against its server on our worker."""
    uvicorn = pytest.importorskip("uvicorn")
    server_module = pytest.importorskip(f"{UPSTREAM}.server")
    suite = find_spec("executorch.examples.llm_server.conformance.test_openai_contract")
    if suite is None or suite.origin is None:
        pytest.skip("the wheel has no contract suite")
    listener = socket.create_server(("127.0.0.1", 0))
    app = server_module.build_app(serving, "scripted")
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        judged = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, *PLAIN, suite.origin],
            env={
                **os.environ,
                "OPENAI_BASE_URL": f"http://127.0.0.1:{listener.getsockname()[1]}/v1",
                "OPENAI_MODEL": "scripted",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()

    assert judged.returncode == 0, judged.stdout
    assert re.search(r"^7 passed", judged.stdout, re.MULTILINE), judged.stdout
