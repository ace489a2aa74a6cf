"""Processor time is that of a whole family, and nobody else's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.processes import cpu_seconds, parse_stat

if TYPE_CHECKING:
    from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def line(pid: int, parent: int, user: int, system: int, name: str = "a) (b") -> str:
    """As the kernel writes it; the name is the process's own choice."""
    return f"{pid} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 1 0 5 0\n"


def test_the_family_is_counted(tmp_path: Path) -> None:
    """Children and theirs, but neither parents nor strangers."""
    lines = [line(1, 0, 9, 9), line(7, 1, 100, 20), line(8, 7, 30, 0), line(9, 8, 1, 1)]
    lines.append(line(10, 1, 500, 500))
    for text in lines:
        folder = tmp_path / text.split()[0]
        folder.mkdir()
        (folder / "stat").write_text(text)

    assert cpu_seconds(7, tmp_path) == pytest.approx(152 / TICK)
    assert cpu_seconds(11, tmp_path) is None


def test_a_line_that_is_none_is_refused() -> None:
    """Rather than read as something else."""
    with pytest.raises(ValueError, match="not a line"):
        parse_stat("7 (a) S 1")
