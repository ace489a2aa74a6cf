"""What the tests of a native worker fetch it from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.upstream import repositories

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories that each test has a copy of."""
    folder = tmp_path_factory.mktemp("upstream") / "repositories"
    repositories(folder)
    return folder
