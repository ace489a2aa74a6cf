"""Does the child's protocol find the lines, and rest between reads when it is told to?"""

from __future__ import annotations

import asyncio

from playground.testing import every_split
from playground.worker.child import ChildProcess

STDOUT, STDERR = 1, 2


class Pipe(asyncio.ReadTransport):
    """A stdout that remembers whether it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.resumed = asyncio.Event()

    def pause_reading(self) -> None:
        """Read no more for now."""
        self.calls.append("pause")

    def resume_reading(self) -> None:
        """Read again."""
        self.calls.append("resume")
        self.resumed.set()


class Transport(asyncio.SubprocessTransport):
    """A process that is only its stdout."""

    def __init__(self) -> None:
        super().__init__()
        self.stdout = Pipe()

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport:
        """Return the one pipe there is."""
        assert fd == STDOUT
        return self.stdout


def child(lines: list[bytes]) -> tuple[ChildProcess, Pipe]:
    """A child whose lines are collected, and its stdout."""
    process = ChildProcess(lines.append, lambda _: None)
    transport = Transport()
    process.connection_made(transport)
    return process, transport.stdout


def test_lines_are_found_however_they_are_cut() -> None:
    """Blank ones are left out, and what is not ended yet waits."""

    async def scenario() -> set[tuple[bytes, ...]]:
        seen = set()
        for pieces in every_split("{1}\n\n \n{22}\nrest"):
            lines: list[bytes] = []
            process, _ = child(lines)
            for piece in pieces:
                process.pipe_data_received(STDOUT, piece.encode())
            seen.add(tuple(lines))
        return seen

    assert asyncio.run(scenario()) == {(b"{1}", b"{22}")}


def test_stdout_is_read_at_once_unless_told_otherwise() -> None:
    """A first token does not wait."""

    async def scenario() -> list[str]:
        process, stdout = child([])
        process.pipe_data_received(STDOUT, b"{1}\n")
        return stdout.calls

    assert asyncio.run(scenario()) == []


def test_a_rest_follows_every_read_while_it_is_asked_for() -> None:
    """The lines of this read are handed on first; then nothing is read until the rest is over."""

    async def scenario() -> tuple[list[bytes], list[str]]:
        lines: list[bytes] = []
        process, stdout = child(lines)
        process.rest_s = 0.001
        process.pipe_data_received(STDOUT, b"{1}\n{2}\n")
        calls = list(stdout.calls)
        await stdout.resumed.wait()
        return lines, [*calls, *stdout.calls[len(calls) :]]

    assert asyncio.run(scenario()) == ([b"{1}", b"{2}"], ["pause", "resume"])


def test_the_line_that_ends_the_hurry_ends_the_rests_too() -> None:
    """Whoever hears the last line of a request may take the rest back before it begins."""

    async def scenario() -> list[str]:
        process, stdout = child([])
        process.rest_s = 0.001
        process._on_line = lambda _: setattr(process, "rest_s", 0.0)
        process.pipe_data_received(STDOUT, b"{done}\n")
        return stdout.calls

    assert asyncio.run(scenario()) == []


def test_stderr_is_no_protocol() -> None:
    """It makes no lines and is kept, the end that has no newline included."""

    async def scenario() -> tuple[list[bytes], tuple[str, ...]]:
        lines: list[bytes] = []
        process, _ = child(lines)
        process.pipe_data_received(STDERR, b"loading\nalmost")
        return lines, process.stderr_tail

    assert asyncio.run(scenario()) == ([], ("loading", "almost"))
