"""Is the process what its parent expects: pure stdout, prompt ends, the right exit codes?"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from array import array
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from playground.worker.command import CONTROL_FD, parse_options
from playground.worker.messages import (
    Cancel,
    Done,
    GenerateRequest,
    IdsSegment,
    Ready,
    Sampling,
    SessionOp,
    SessionReply,
    TextSegment,
    TokenText,
    dump_request,
    dump_token,
    parse_reply,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.worker.messages import Reply, Request

ENDLESS = {"text": "x" * 100_000}
PATIENCE_S = 30.0
"""How long a reply or an exit may take before the test gives up; none takes nearly as long."""


@dataclass
class Child:
    """A worker process and its pipes."""

    process: subprocess.Popen[bytes]
    control: int
    buffered: bytes = b""
    heard: list[Reply] = field(default_factory=list)

    def send(self, *requests: Request | bytes) -> None:
        """Write all of them in one write."""
        assert self.process.stdin is not None
        lines = [r if isinstance(r, bytes) else dump_request(r) for r in requests]
        os.write(self.process.stdin.fileno(), b"".join(lines))

    def hear(self) -> Reply:
        """Read one reply."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self.buffered:
            assert select.select([descriptor], [], [], PATIENCE_S)[0], "no reply"
            data = os.read(descriptor, 2**16)
            assert data, "stdout has ended"
            self.buffered += data
        line, _, self.buffered = self.buffered.partition(b"\n")
        self.heard.append(parse_reply(line))
        return self.heard[-1]

    def hear_done(self) -> Done:
        """Read replies up to a done line."""
        while not isinstance(reply := self.hear(), Done):
            assert isinstance(reply, TokenText), reply
        return reply

    def end(self) -> int:
        """Close stdin and wait for the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


@contextmanager
def worker(*argv: str, control: bool = False, code: str | None = None) -> Iterator[Child]:
    """Start a worker, or Python code that becomes one; it is gone at the end."""
    readable, writable = os.pipe()
    command = ["-c", code] if code else ["-m", "playground.worker"]
    process = subprocess.Popen(
        [sys.executable, *command, *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[readable],
        env={**os.environ, **({CONTROL_FD: str(readable)} if control else {})},
    )
    os.close(readable)
    try:
        yield Child(process, writable)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        os.close(writable)


@pytest.fixture
def script(tmp_path: Path) -> str:
    """Write a script with a short reply and an endless one, and return its path."""
    path = tmp_path / "script.json"
    replies = [
        {"match": "endless", **ENDLESS, "step_ms": 1.0},
        {"text": "Hello é<|eot|>", "step_ms": 0},
    ]
    path.write_text(json.dumps({"context_length": 200_000, "replies": replies}))
    return str(path)


def ask(text: str, request_id: int | None = None, session_id: str = "") -> GenerateRequest:
    """Write a request."""
    return GenerateRequest(
        (TextSegment(text),), cancel_request_id=request_id, session_id=session_id
    )


def test_a_conversation_over_pipes(script: str) -> None:
    """Ready, a session, a turn, a warm turn, the end."""
    with worker("--script", script, "--max-sessions=3") as child:
        ready = child.hear()
        child.send(SessionOp("open", "a"), ask("Hi", session_id="a"))
        opened, first = child.hear(), child.hear_done()
        text = "".join(reply.text for reply in child.heard if isinstance(reply, TokenText))
        again = IdsSegment((*b"Hi", *(first.generated_token_ids or ()), *b"More"))
        child.send(GenerateRequest((again,), session_id="a"))
        second = child.hear_done()
        code = child.end()

    assert isinstance(ready, Ready)
    assert (ready.max_sessions, ready.supports_cancel, ready.cancel_op) == (3, False, True)
    assert (opened, text, code) == (SessionReply("open", "a"), "Hello é", 0)
    assert (second.session_reset_reason, second.reused_prompt_tokens) == (
        "exact_prefix",
        first.resident_tokens,
    )


def test_what_prints_to_stdout_ends_up_on_stderr(script: str) -> None:
    """Python's print, a native library's write, and a child process, before and during a turn."""
    code = """
import os, sys
from playground.worker import __main__ as command
from playground.worker.scripted import ScriptedSession
decode = ScriptedSession.decode
def noisy(self, sampler, limits):
    print("print"); os.write(1, b"native\\n"); os.system("echo child")
    return decode(self, sampler, limits)
ScriptedSession.decode = noisy
sys.exit(command.entry_point())
"""
    with worker("--script", script, code=code) as child:
        child.hear()
        child.send(ask("Hi"))
        done = child.hear_done()
        _, errors = child.process.communicate(timeout=PATIENCE_S)

    assert done.completion_tokens == 8
    assert {b"print", b"native", b"child"} <= set(errors.split())
    assert child.buffered == b""


@pytest.mark.parametrize("control", [False, True])
def test_a_running_turn_can_be_cancelled(script: str, control: bool) -> None:  # noqa: FBT001
    """By the dialect that the ready line offers; the next turn runs as ever."""
    with worker("--script", script, control=control) as child:
        ready = child.hear()
        child.send(ask("endless", 1))
        child.hear()
        if control:
            os.write(child.control, (1).to_bytes(8, "little"))
        else:
            child.send(Cancel(request_id=1))
        cancelled = child.hear_done()
        child.send(ask("Hi", 2))
        after = child.hear_done()

    assert isinstance(ready, Ready)
    assert ready.supports_cancel is control
    assert (cancelled.cancelled, cancelled.generated_token_ids) == (True, None)
    assert 0 < cancelled.completion_tokens < 100_000
    assert (after.cancelled, after.completion_tokens) == (False, 8)


def test_a_cancel_written_together_with_its_request_is_not_lost(script: str) -> None:
    """One write, one read: the request ends although its turn never began to be waited for."""
    with worker("--script", script) as child:
        child.hear()
        child.send(ask("endless", 1), Cancel(request_id=1), ask("Hi", 2))
        first, second = child.hear_done(), child.hear_done()

    assert (first.cancelled, second.cancelled) == (True, False)


def test_a_frame_written_before_its_request_is_not_lost(script: str) -> None:
    """The control pipe may be quicker than stdin."""
    with worker("--script", script, control=True) as child:
        child.hear()
        os.write(child.control, (1).to_bytes(8, "little"))
        child.send(ask("endless", 1))
        done = child.hear_done()

    assert done.cancelled


@pytest.mark.parametrize("requests", [(), (ask("endless"),)])
def test_the_end_of_stdin_ends_the_process(
    script: str, requests: tuple[GenerateRequest, ...]
) -> None:
    """Idle or decoding, with exit code 0."""
    with worker("--script", script) as child:
        child.hear()
        for request in requests:
            child.send(request)
            child.hear()

        assert child.end() == 0


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size here")
def test_the_end_of_stdin_ends_a_process_that_nobody_reads(tmp_path: Path) -> None:
    """It is stuck in a write to a full pipe, where no step comes that could look."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"context_length": 200_000, "step_ms": 0, "replies": [ENDLESS]}))
    with worker("--script", str(path)) as child:
        child.hear()
        assert child.process.stdout is not None
        pipe = child.process.stdout.fileno()
        capacity = fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        child.send(ask("Hi"))
        deadline = time.monotonic() + PATIENCE_S
        while waiting_bytes(pipe) <= capacity - len(dump_token("x")):
            assert time.monotonic() < deadline, "the pipe does not fill"

        assert child.end() == 0


def waiting_bytes(pipe: int) -> int:
    """How much was written to a pipe and not read yet."""
    count = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_a_closed_stdout_ends_the_process(script: str) -> None:
    """Nobody can be told anything any more; stdin is still open."""
    with worker("--script", script) as child:
        child.hear()
        child.send(ask("endless"))
        child.hear()
        assert child.process.stdout is not None
        child.process.stdout.close()

        assert child.process.wait(PATIENCE_S) == 0


def test_an_interrupt_is_the_parents_business(script: str) -> None:
    """Ctrl-C at a terminal reaches the worker too, which must not die before it is told to."""
    with worker("--script", script) as child:
        child.hear()
        child.process.send_signal(signal.SIGINT)
        child.send(ask("Hi"))

        assert child.hear_done().completion_tokens == 8
        assert child.end() == 0


def test_a_scripted_death_is_sudden(tmp_path: Path) -> None:
    """No done line and an exit code that is not 0."""
    path = tmp_path / "script.json"
    path.write_text('{"replies":[{"text":"Hello"}],"die_after_tokens":2,"step_ms":0}')
    with worker("--script", str(path)) as child:
        child.hear()
        child.send(ask("Hi"))
        code = child.process.wait(PATIENCE_S)
        output, _ = child.process.communicate(timeout=PATIENCE_S)

    assert [parse_reply(line) for line in output.splitlines()] == [TokenText("H"), TokenText("e")]
    assert code != 0


@pytest.mark.embedded
def test_the_embedded_model_ends_with_stdin_in_the_middle_of_a_turn() -> None:
    """With the runtime's own threads about, and after whatever it printed."""
    model = Path(__file__).parents[3] / "playground" / "models" / "muse-nano"
    if not (model / "muse-nano.pte").exists():
        pytest.skip(f"the embedded model is not there: {model}")
    argv = (f"--model_path={model}/muse-nano.pte", f"--tokenizer_path={model}/tokenizer.json")
    with worker(*argv) as child:
        ready = child.hear()
        hot = Sampling(temperature=2.0, seed=5)
        child.send(GenerateRequest((TextSegment("<|start|>assistant"),), sampling=hot))
        child.hear()
        code = child.end()

    assert isinstance(ready, Ready)
    assert ready.worker is not None
    assert (ready.worker.engine, code) == ("executorch", 0)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--script", "nowhere.json"], b"nowhere.json: No such file"),
        (["--model_path", "x.pte", "--tokenizer_path", "nowhere.json"], b"nowhere.json: not a"),
        (["--script", "SCRIPT", "--bos_token", "<s>"], b"no control token '<s>'"),
    ],
)
def test_what_cannot_be_loaded_is_told_on_stderr_only(
    script: str, argv: list[str], said: bytes
) -> None:
    """No line on stdout, the reason on stderr, exit code 1."""
    with worker(*[script if arg == "SCRIPT" else arg for arg in argv]) as child:
        output, errors = child.process.communicate(timeout=PATIENCE_S)

    assert (output, child.process.returncode) == (b"", 1)
    assert said in errors


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--model_path", "x.pte"],
        ["--script", "s", "--model_path", "x.pte"],
        ["--script", "s", "--max_sessions", "0"],
        ["--script", "s", "--threads", "1025"],
        ["--script", "s", "--warm_resume", "maybe"],
        ["--script", "s", "--max_session", "3"],
    ],
)
def test_wrong_flags_are_a_usage_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and the usage on stderr."""
    with pytest.raises(SystemExit) as caught:
        parse_options(argv)

    assert caught.value.code == 2
    assert "usage: playground.worker" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["--model_path", "x.pte", "--tokenizer_path", "t.json", "--warm_resume", "false"],
        ["--model-path=x.pte", "--tokenizer-path=t.json", "--warm-resume=false"],
        ["--model_path=x.pte", "--tokenizer-path", "t.json", "--warm_resume=0"],
    ],
)
def test_flags_may_be_written_either_way(argv: list[str]) -> None:
    """With dashes or underscores, with a blank or an equals sign."""
    options = parse_options(argv)

    assert (options.model_path.name, options.tokenizer_path.name) == ("x.pte", "t.json")
    assert (options.warm_resume, options.max_sessions) == (False, 2)


def test_a_wrong_control_descriptor_is_no_cancellation(script: str) -> None:
    """Said on stderr, and the ready line does not promise what cannot be kept."""
    code = f"""
import os, sys
os.environ[{CONTROL_FD!r}] = "999"
from playground.worker.__main__ import entry_point
sys.exit(entry_point())
"""
    with worker("--script", script, code=code) as child:
        ready = child.hear()
        _, errors = child.process.communicate(timeout=PATIENCE_S)

    assert isinstance(ready, Ready)
    assert not ready.supports_cancel
    assert b"no open descriptor" in errors


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), ("auto", True, 0, 0, True)),
        (
            (
                "--artifact_mode=dflash",
                "--dflash=false",
                "--dflash_block_length=4",
                "--dflash-n-draft",
                "3",
                "--dflash_draft_argmax=false",
            ),
            ("dflash", False, 4, 3, False),
        ),
    ],
)
def test_drafting_has_the_flags_of_upstreams_worker(
    flags: tuple[str, ...], expected: tuple[object, ...]
) -> None:
    """With dashes or underscores; 0 leaves a number to the program."""
    options = parse_options(["--script", "x", *flags])

    names = ("artifact_mode", "dflash", "dflash_block_length", "dflash_n_draft")
    given = tuple(getattr(options, name) for name in (*names, "dflash_draft_argmax"))
    assert given == expected


@pytest.mark.parametrize(
    "flags", [("--artifact_mode", "fast"), ("--dflash", "maybe"), ("--dflash_n_draft", "-1")]
)
def test_wrong_drafting_flags_end_the_command(flags: tuple[str, ...]) -> None:
    """As every wrong flag does, with code 2."""
    with pytest.raises(SystemExit) as end:
        parse_options(["--script", "x", *flags])

    assert end.value.code == 2
