"""One machine that was set up once, and is as it was then when a test begins."""

from __future__ import annotations

import contextlib
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.fileserver import FileServer, serving
from tests.bootstrap.whole.running import Started
from tests.bootstrap.whole.world import BOOTSTRAP, World, copied, restored, unplugged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.bootstrap.whole.running import Ended


@dataclass
class Prepared:
    """A machine, what its first setup said, and what it was like then."""

    world: World
    first: Ended
    kept: Path


@pytest.fixture(scope="session")
def publisher() -> Iterator[FileServer]:
    """Where the model and uv are published; without it nothing here is played."""
    if sys.platform != "linux":
        pytest.skip("a setup is held in its steps by Linux's pipes, and looked at in its /proc")
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, publisher: FileServer) -> Prepared:
    """A machine that was set up from nothing."""
    folder = tmp_path_factory.mktemp("whole")
    world = World(folder / "a Mac é", publisher)
    world.build()
    first = world.run()
    copied(world.checkout, folder / "kept")
    return Prepared(world, first, folder / "kept")


@pytest.fixture
def whole(prepared: Prepared) -> Iterator[World]:
    """The same machine as it was when all was made."""
    world = prepared.world
    publisher = world.publisher
    files, environ = dict(publisher.files), dict(world.environ)
    restored(prepared.kept, world.checkout)
    publisher.asked.clear()
    publisher.reached.clear()
    (world.folder / "called").unlink(missing_ok=True)
    yield world
    for started in world.running:
        started.remove()
    world.running.clear()
    publisher.files, publisher.replies, world.environ = files, [], environ


@dataclass
class Away:
    """A setup of the model alone, on a machine without a network."""

    setup: Started
    folder: Path


@pytest.fixture(scope="session", autouse=True)
def away(prepared: Prepared) -> Iterator[Away]:
    """It is left running, since it takes half a minute to give up."""
    world = prepared.world
    folder = prepared.kept.with_name("away é")
    ignored = shutil.ignore_patterns(".runtime", "playground")
    shutil.copytree(world.checkout, folder / "checkout", ignore=ignored)
    with contextlib.ExitStack() as stack:
        environ = stack.enter_context(unplugged(world.environ))
        setup = Started([*BOOTSTRAP, "--only", "muse-glimmer"], folder / "checkout", environ)
        yield Away(setup, folder)
        setup.remove()
