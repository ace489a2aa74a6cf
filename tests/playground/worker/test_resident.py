"""Is the memory of another process known where the system tells it, and else not made up?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from playground.worker.resident import peak_bytes, resident_bytes

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 2**22 + 1
"""A process id that no system gives."""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_linux_tells_what_is_resident_and_what_was_at_most() -> None:
    """Of ourselves, for one."""
    now, peak = resident_bytes(os.getpid()), peak_bytes(os.getpid())

    assert now is not None
    assert peak is not None
    assert 1_000_000 < now <= peak


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_nothing_is_known_of_a_process_that_is_not_there(platform: str) -> None:
    """Nor on a system that is not known."""
    assert resident_bytes(NOBODY, platform=platform) is None
    assert peak_bytes(NOBODY, platform=platform) is None


def test_macos_is_asked_through_ps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In units of 1,024 bytes; its peak is told to nobody."""
    ps = tmp_path / "ps"
    ps.write_text('#!/bin/sh\ntest "$*" = "-o rss= -p 7" && echo "  20971520"\n')
    ps.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert resident_bytes(7, platform="darwin") == 20 * 2**30
    assert resident_bytes(8, platform="darwin") is None
    assert peak_bytes(7, platform="darwin") is None


def test_a_system_without_ps_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than failing."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert resident_bytes(7, platform="darwin") is None
