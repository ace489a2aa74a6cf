"""A small gate, and somewhere to play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.gate.playing.stage import Gate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """A folder in which a small gate is played."""
    return Gate(tmp_path)
