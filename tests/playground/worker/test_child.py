"""Are the lines of a child found, and its last words kept?"""

from __future__ import annotations

import asyncio

from playground.testing import every_split
from playground.worker.child import ChildProcess

STDOUT, STDERR = 1, 2


def test_lines_are_found_however_they_are_cut() -> None:
    """Blank ones are left out, and what is not ended yet waits."""

    async def scenario() -> set[tuple[bytes, ...]]:
        seen = set()
        for pieces in every_split("{1}\n\n \n{22}\nrest"):
            lines: list[bytes] = []
            process = ChildProcess(lines.append, lambda _: None)
            for piece in pieces:
                process.pipe_data_received(STDOUT, piece.encode())
            seen.add(tuple(lines))
        return seen

    assert asyncio.run(scenario()) == {(b"{1}", b"{22}")}


def test_stderr_is_no_protocol() -> None:
    """It makes no lines and is kept, the end that has no newline included."""

    async def scenario() -> tuple[list[bytes], tuple[str, ...]]:
        lines: list[bytes] = []
        process = ChildProcess(lines.append, lambda _: None)
        process.pipe_data_received(STDERR, b"loading\nalmost")
        return lines, process.stderr_tail

    assert asyncio.run(scenario()) == ([], ("loading", "almost"))
