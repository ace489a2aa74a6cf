"""A target is met before it is measured, and one that is not ready says how it answered."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harness.client import ChatClient, Reply
from harness.clock import SystemClock
from harness.errors import LaunchFailed, TargetNotReady, UsageError
from harness.target import (
    Target,
    embedded,
    meet,
    missing_extra,
    parse_url,
    processes_of,
    with_profile,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

MODELS = {"data": [{"id": "first"}, {"id": "second"}]}


def answering(**routes: tuple[int, object]) -> Callable[[str], Awaitable[Reply]]:
    """A target whose routes, named by their last part, answer this; all others with 404."""

    async def ask(path: str) -> Reply:
        status, body = routes.get(path.rpartition("/")[2], (404, None))
        return Reply(status, {}, "" if body is None else json.dumps(body), body)

    return ask


def test_a_target_is_its_first_model_and_what_it_says_of_itself() -> None:
    """The model's name goes into requests; /api/runtime is kept as it came."""
    runtime = {"supports": {"reuseMetrics": True}, "unknown": [1]}
    ask = answering(health=(200, {}), models=(200, MODELS), runtime=(200, runtime))

    facts = asyncio.run(meet(ask, "http://x"))

    assert (facts.model, facts.runtime) == ("first", runtime)


@pytest.mark.parametrize("listed", [MODELS, {"data": []}])
def test_a_model_that_is_named_need_not_be_listed(listed: object) -> None:
    """Some servers load what they are asked for, and list what is on their disk."""
    facts = asyncio.run(meet(answering(models=(200, listed)), "http://x", "mine"))

    assert facts.model == "mine"


def test_a_server_without_health_and_runtime_can_be_measured_too() -> None:
    """A list of models is all that is asked of one."""
    facts = asyncio.run(meet(answering(models=(200, MODELS)), "http://x"))

    assert (facts.model, facts.runtime) == ("first", None)


@pytest.mark.parametrize(
    ("routes", "said"),
    [
        (
            {"health": (503, {"status": "unavailable", "reason": "the worker ended"})},
            'http://x/health is not ready: it answered 503: {"status": "unavailable", "reason"',
        ),
        ({"health": (200, {})}, "http://x/v1/models is not ready: it answered 404"),
        (
            {"models": (200, {"data": []})},
            'models is not ready: it answered 200: {"data": []}, which names no model; try --model',
        ),
        ({"models": (401, {"error": "no key"})}, 'it answered 401: {"error": "no key"}'),
    ],
)
def test_a_target_that_is_not_ready_says_how_it_answered(
    routes: dict[str, tuple[int, object]], said: str
) -> None:
    """Address, status, and the beginning of what it said, in one line."""
    with pytest.raises(TargetNotReady) as caught:
        asyncio.run(meet(answering(**routes), "http://x"))

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["http://127.0.0.1:3939", "http://127.0.0.1:3939/", "http://127.0.0.1:3939/v1/"]
)
def test_an_address_may_end_as_people_end_it(text: str) -> None:
    """A slash, or the /v1 that other tools want, is no other address."""
    assert parse_url(text) == "http://127.0.0.1:3939"


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:3939", "embeded", "ftp://x", ""),
        *("http://", "http://[::1", "http://h:abc", "http://h:0", "http://h:99999"),
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    """Also a misspelt `embedded`."""
    with pytest.raises(UsageError, match="try --target http://"):
        parse_url(text)


def test_credentials_of_an_address_are_not_shown() -> None:
    """They are for the request, not for the report."""
    assert Target("url", "https://me:secret@host:1/x").shown_url == "https://host:1/x"


@pytest.mark.parametrize(
    ("url", "runtime", "expect"),
    [
        ("http://10.0.0.1:80", None, ()),
        ("http://models.example", None, ()),
        ("http://127.0.0.1:1", {"pids": {"server": 7, "worker": 8}}, (7, 8)),
        ("http://localhost:1", {"pids": {"server": 7, "worker": None}}, (7,)),
        ("http://[::1]:1", {"model": "some"}, None),
        ("http://127.0.0.1:1", None, None),
    ],
)
def test_the_processes_of_a_target_are_known_where_it_tells_them(
    url: str, runtime: dict[str, object] | None, expect: tuple[int, ...] | None
) -> None:
    """One that runs elsewhere has none here; of one that runs here and is silent, nobody knows."""
    ask = answering() if runtime is None else answering(runtime=(200, runtime))

    assert asyncio.run(processes_of(url, ask)) == expect


@pytest.mark.parametrize("kill", [False, True])
def test_a_target_of_ours_starts_again_where_it_was(tmp_path: Path, *, kill: bool) -> None:
    """The same address and arguments, another process, one log."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": [{"text": " to=user<|message|>Yes.<|eot|>"}]}))

    async def restarted() -> list[tuple[str, int]]:
        seen = []
        async with embedded(tmp_path, SystemClock(), arguments=("--script", str(script))) as target:
            assert target.restart is not None
            for again in (False, True):
                if again:
                    await target.restart(kill=kill)
                async with ChatClient(target.url) as chat:
                    runtime = (await chat.get_json("/api/runtime")).json
                seen.append((runtime["modelId"], runtime["pids"]["server"]))
        return seen

    (model, first), (same, second) = asyncio.run(restarted())

    assert model == same == "scripted"
    assert first != second
    assert not is_alive(first)
    assert not is_alive(second)


def test_a_worker_of_another_environment_is_started_by_its_command(tmp_path: Path) -> None:
    """Server and worker share a pipe, and nothing else."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": [{"text": " to=user<|message|>Yes.<|eot|>"}]}))
    worker = tmp_path / "a worker"
    worker.write_text(
        f'#!/bin/sh\ntouch "$0 ran"\nexec {sys.executable} -m playground.worker "$@"\n'
    )
    worker.chmod(0o700)

    async def reported() -> Any:  # noqa: ANN401 - JSON
        arguments = ("--script", str(script), "--worker", shlex.quote(str(worker)))
        async with (
            embedded(tmp_path, SystemClock(), arguments=arguments) as target,
            ChatClient(target.url) as chat,
        ):
            return (await chat.get_json("/api/runtime")).json

    report = asyncio.run(reported())

    assert report["workerPythonVersion"] == platform.python_version()
    assert (tmp_path / "a worker ran").exists()


@pytest.mark.parametrize("arguments", [("--worker", "w"), ("--worker=w",), ("--script", "s")])
def test_whose_worker_is_elsewhere_needs_no_model_runtime_here(arguments: tuple[str, ...]) -> None:
    """What the server itself imports is needed all the same."""
    assert not {"torch", "executorch"} & set(missing_extra(arguments))
    assert set(missing_extra(arguments)) <= set(missing_extra())


@pytest.mark.parametrize(
    ("arguments", "environ", "here"),
    [
        ((), {}, False),
        (("--model-dir", "m"), {}, True),
        ((), {"MUSE_PLAYGROUND_PROFILE": "none"}, True),
        ((), {"MUSE_RUNTIME_DIR": "no-such-folder"}, True),
    ],
)
def test_a_machine_that_was_set_up_needs_what_its_own_worker_does_not_bring(
    tmp_path: Path, arguments: tuple[str, ...], environ: dict[str, str], *, here: bool
) -> None:
    """Where nobody names a model, what was made ready is what runs."""
    muse = ["--worker", "w", "--worker-kind", "native"]
    (tmp_path / "profile.json").write_text(json.dumps({"schema": 1, "arguments": muse}))
    environ = {"MUSE_RUNTIME_DIR": str(tmp_path), **environ}

    missing = missing_extra(arguments, environ)

    nothing = {"MUSE_PLAYGROUND_PROFILE": "none"}
    assert missing == missing_extra(() if here else ("--worker", "w"), nothing)
    assert with_profile(arguments, environ) == (arguments if here else (*muse, *arguments))


def test_one_that_does_not_start_again_says_why(tmp_path: Path) -> None:
    """And leaves nothing behind."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"replies": [{"text": "Yes."}]}))

    async def restarted() -> None:
        async with embedded(tmp_path, SystemClock(), arguments=("--script", str(script))) as target:
            assert target.restart is not None
            script.write_text("{}")
            await target.restart()

    with pytest.raises(LaunchFailed, match="it ended with code 1"):
        asyncio.run(restarted())


def test_a_target_at_a_url_is_not_ours_to_start_again() -> None:
    """Whoever asks for that is told so, and skipped."""
    assert Target("url", "http://x").restart is None


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
