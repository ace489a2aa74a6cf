"""Is uv taken out of the right archive, and does a Python come from it, into .runtime alone?"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import StageFailed
from bootstrap.fetching.fetching import World
from bootstrap.fetching.uv import (
    python_source,
    python_stage,
    uv_archive,
    uv_platform,
    uv_program,
    uv_python,
    uv_stage,
)
from bootstrap.fetching.web import Web
from bootstrap.layout import Layout
from bootstrap.pinning.pins import Tool
from bootstrap.running.commands import Commands
from bootstrap.running.stages import Stage, due, run_stages
from tests.bootstrap.fileserver import FileServer, Published, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ON = "a-machine"
FAKE = """#!/bin/sh
set -eu
case "$1" in
--version) echo "uv 9.9.9 (of a test)" ;;
python)
    while [ "$1" != --install-dir ]; do shift; done
    for patch in 2 11; do
        mkdir -p "$2/cpython-$3.$patch-a-machine/bin"
        printf '#!/bin/sh\\n' > "$2/cpython-$3.$patch-a-machine/bin/python$3"
        chmod +x "$2/cpython-$3.$patch-a-machine/bin/python$3"
    done
    ;;
esac
"""


def archive(members: dict[str, str], *, link: str = "") -> bytes:
    """A tarball of scripts, and of a link in place of uv where one is said."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in members.items():
            told = tarfile.TarInfo(name)
            told.size, told.mode = len(text.encode()), 0o755
            tar.addfile(told, io.BytesIO(text.encode()))
        if link:
            told = tarfile.TarInfo(f"uv-{ON}/uv")
            told.type, told.linkname = tarfile.SYMTYPE, link
            tar.addfile(told)
    return packed.getvalue()


WHOLE = archive({f"uv-{ON}/uv": FAKE, f"uv-{ON}/uvx": FAKE, "../escaped": "x", "/tmp/escaped": "x"})


@dataclass
class Place:
    """A checkout, and uv's release page on this machine."""

    server: FileServer
    places: Layout

    def publish(self, data: bytes) -> Tool:
        """An archive, and the pin of it."""
        self.server.files[f"/9.9.9/uv-{ON}.tar.gz"] = Published(data)
        url = f"{self.server.url}/{{version}}/uv-{{platform}}.tar.gz"
        return Tool("uv", "why", "9.9.9", url, {ON: hashlib.sha256(data).hexdigest()})

    @property
    def run_command(self) -> Commands:
        """Runs what is there for real."""
        return Commands(self.places.work("uv").log, os.environ)

    def stage(self, tool: Tool, *, on: str = ON, url: str = "") -> Stage:
        """The stage `uv`."""
        world = World(lambda _: None, web=Web(proxies={}))
        return uv_stage(tool, self.places, world=world, run=self.run_command, on=on, url=url)

    def run(self, *stages: Stage) -> tuple[str, ...]:
        """Those that were run."""
        return run_stages(stages, self.places.work("uv").stamps, lambda _: None)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """In a folder with spaces and other letters."""
    root = tmp_path / "mein Prüfstand"
    with serving() as server:
        yield Place(server, Layout(root, root / ".runtime"))


def test_uv_is_taken_out_of_its_archive_and_nothing_else(place: Place, tmp_path: Path) -> None:
    """Once."""
    tool = place.publish(WHOLE)

    assert place.run(place.stage(tool)) == ("uv",)
    assert place.run(place.stage(tool)) == ()
    program = uv_program(tool, place.places)
    assert program == place.places.made / "tools" / "uv-9.9.9" / "uv"
    assert [path.name for path in program.parent.iterdir()] == ["uv"]
    assert not [*tmp_path.rglob("escaped*")]


def test_another_archive_than_the_pinned_one_is_refused(place: Place) -> None:
    """And none of it is run."""
    tool = replace(place.publish(WHOLE), archives={ON: "0" * 64})

    with pytest.raises(StageFailed, match=r"stage uv: .* what came is another file"):
        place.run(place.stage(tool))

    assert not uv_program(tool, place.places).exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (archive({"uv": FAKE}), f"does not hold uv-{ON}/uv"),
        (archive({}, link="/bin/sh"), "is no file"),
        (b"no archive", "does not hold"),
        (WHOLE[:200], "does not hold"),
        (archive({f"uv-{ON}/uv": "#!/bin/sh\nexit 3\n"}), "it does not run here"),
        (archive({f"uv-{ON}/uv": "#!/bin/sh\necho uv 1.0\n"}), r"uv 9\.9\.9 is pinned, and this"),
    ],
)
def test_an_archive_without_a_uv_that_runs_is_refused(place: Place, data: bytes, said: str) -> None:
    """Whatever its hash says."""
    tool = place.publish(data)

    with pytest.raises(StageFailed, match=said):
        place.run(place.stage(tool))

    assert not uv_program(tool, place.places).exists()


def test_an_archive_that_was_spoilt_in_the_cache_is_fetched_again(place: Place) -> None:
    """The cache is ours."""
    tool = place.publish(WHOLE)
    place.run(place.stage(tool))
    uv_program(tool, place.places).unlink()
    (cached,) = (place.places.cache / "downloads").iterdir()
    cached.write_bytes(b"spoilt")

    place.run(place.stage(tool))

    assert uv_program(tool, place.places).exists()
    assert len(place.server.asked) == 2


def test_an_archive_in_the_cache_needs_no_network(place: Place) -> None:
    """It was held against its hash, and is again."""
    tool = place.publish(WHOLE)
    fresh = place.stage(tool).network
    place.run(place.stage(tool))
    uv_program(tool, place.places).unlink()

    again = place.stage(tool)
    place.run(again)

    assert (fresh, again.network, len(place.server.asked)) == (True, False, 1)


def test_a_machine_that_no_archive_is_pinned_for_is_told(place: Place) -> None:
    """With those that there are."""
    with pytest.raises(StageFailed, match=r"no archive of uv 9\.9\.9 is pinned .* \(a-machine\)"):
        place.run(place.stage(place.publish(WHOLE), on="another"))


def test_another_address_may_stand_in(place: Place) -> None:
    """The hash stays."""
    tool = place.publish(WHOLE)
    place.server.files["/mine.tar.gz"] = Published(WHOLE)

    place.run(place.stage(tool, url=f"{place.server.url}/mine.tar.gz"))

    assert [asked.path for asked in place.server.asked] == ["/mine.tar.gz"]
    assert uv_archive(tool, on="x").endswith("/9.9.9/uv-x.tar.gz")


def test_a_python_comes_from_uv_into_runtime(place: Place) -> None:
    """The newest of its version; the second time there is nothing to do."""
    tool = place.publish(WHOLE)
    program = uv_program(tool, place.places)

    stages = [
        place.stage(tool),
        python_stage("3.12", program, place.places, run=place.run_command),
    ]

    assert place.run(*stages) == ("uv", "python")
    found = uv_python("3.12", program, place.places, run=place.run_command)
    assert found.version == "3.12"
    assert found.command == str(
        place.places.made / "python" / "cpython-3.12.11-a-machine" / "bin" / "python3.12"
    )
    again = python_stage("3.12", program, place.places, run=place.run_command)
    assert (again.network, place.run(stages[0], again)) == (False, ())


def test_a_uv_that_brings_nothing_is_told(place: Place) -> None:
    """By its own words, or by what is missing."""
    tool = place.publish(archive({f"uv-{ON}/uv": "#!/bin/sh\necho uv 9.9.9\n"}))
    place.run(place.stage(tool))

    with pytest.raises(StageFailed, match=r"uv has brought no Python 3\.12"):
        uv_python("3.12", uv_program(tool, place.places), place.places, run=place.run_command)


def test_the_systems_python_is_taken_where_there_is_one(place: Place) -> None:
    """Nothing is fetched for it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    tool = place.publish(WHOLE)
    world = World(lambda _: None)

    found = python_source(version, tool, place.places, world=world, run=place.run_command)

    assert (found.work, found.interpreter().command) == (None, sys.executable)


def test_a_python_that_the_system_lacks_comes_in_two_stages(place: Place) -> None:
    """And is kept to when the system gets one."""
    tool = place.publish(WHOLE)
    world = World(lambda _: None)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    brought = place.places.made / "python" / f"cpython-{version}.1-a-machine" / "bin"

    lacking = python_source("3.99", tool, place.places, world=world, run=place.run_command)
    brought.mkdir(parents=True)
    (brought / f"python{version}").touch()
    kept = python_source(version, tool, place.places, world=world, run=place.run_command)

    assert lacking.work is not None
    assert due(lacking.work.stages, lacking.work.folder.stamps) == ("uv", "python")
    assert kept.interpreter().command == str(brought / f"python{version}")


def test_without_a_tool_the_system_has_to_have_it(place: Place) -> None:
    """It is told when it is needed, by its version."""
    found = python_source(
        "3.99", None, place.places, world=World(lambda _: None), run=place.run_command
    )

    with pytest.raises(StageFailed, match=r"there is no python3\.99 on the PATH"):
        found.interpreter()


def test_this_machine_has_a_name_that_uv_knows() -> None:
    """As in the names of its archives."""
    assert uv_platform() == "" or uv_platform().count("-") >= 2
