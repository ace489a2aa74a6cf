"""Is a worker that real tools build gone on with, and not built anew, where it can be?"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.upstream import Bench, bench, commit, patch_of, repositories

if TYPE_CHECKING:
    from pathlib import Path

    from bootstrap.pinning.pins import Runtime

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("cmake", "ninja", "cc"))), reason="no cmake, ninja or cc on the PATH"
)

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(worker C)
add_custom_command(
    OUTPUT late.c
    COMMAND sh ${CMAKE_SOURCE_DIR}/late.sh
    DEPENDS ${CMAKE_SOURCE_DIR}/late.sh $<TARGET_OBJECTS:early>
)
add_library(early OBJECT early.c)
add_executable(a_worker main.c late.c $<TARGET_OBJECTS:early>)
"""
PRESETS = {
    "version": 6,
    "configurePresets": [{"name": "all", "binaryDir": "${sourceDir}/cmake-out"}],
    "buildPresets": [{"name": "all", "configurePreset": "all"}],
    "workflowPresets": [
        {
            "name": "all",
            "steps": [{"type": "configure", "name": "all"}, {"type": "build", "name": "all"}],
        }
    ],
}
LATE = """
if [ -n "$CUT" ]; then "$CUT" build; fi
echo "int late(void) { return 1; }" > late.c
"""
SOURCES = {
    "CMakeLists.txt": CMAKE,
    "CMakePresets.json": json.dumps(PRESETS),
    "late.sh": LATE,
    "early.c": "int early(void) { return 0; }\n",
    "main.c": "int main(void) { return 1; }\n",
}


@pytest.fixture
def upstream(tmp_path: Path) -> Bench:
    """Whose source is of C, in a folder with spaces and other letters."""
    repositories(tmp_path / "repositories")
    made = bench(tmp_path / "mein Prüfstand", tmp_path / "repositories")
    (made.folder / "bin" / "cmake").unlink()
    for name, text in SOURCES.items():
        (made.upstream / name).write_text(text)
    return replace(made, commit=commit(made.upstream, made.environ))


def runtime(upstream: Bench) -> Runtime:
    """What builds it."""
    build = ("cmake --workflow --preset all",)
    return replace(upstream.runtime, build=build, products=("cmake-out/a_worker",))


def built_at(upstream: Bench, name: str) -> int:
    """When an object was written, for as long as nobody writes it anew."""
    (path,) = (upstream.tree / "cmake-out").rglob(f"{name}.c.o")
    return path.stat().st_mtime_ns


def test_a_build_that_was_killed_goes_on(upstream: Bench) -> None:
    """What was compiled before is not compiled again."""
    upstream.cut("build", 1, runtime(upstream))
    before = built_at(upstream, "early")

    assert upstream.prepare(runtime(upstream)) == ("build", "native-probe")
    assert built_at(upstream, "early") == before


def test_another_patch_compiles_what_it_touches(upstream: Bench) -> None:
    """Though the whole tree was put back for it."""
    upstream.prepare(runtime(upstream))
    early, main = built_at(upstream, "early"), built_at(upstream, "main")
    patch = patch_of(
        upstream,
        "a.patch",
        "int main(void) { return 1; }",
        "int main(void) { return 2 - 1; }",
        file="main.c",
    )

    upstream.prepare(replace(runtime(upstream), patch=patch))

    assert built_at(upstream, "early") == early
    assert built_at(upstream, "main") != main


def test_it_is_ninja_that_builds(upstream: Bench) -> None:
    """Its steps are what is told, and what makes it go on."""
    upstream.prepare(runtime(upstream))

    assert (upstream.tree / "cmake-out" / "build.ninja").is_file()
    assert any(line.startswith("build: [1/") for line in upstream.told)
