"""Is what a process has loaded read from the process itself, and held against its pin?"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from harness.client import ChatClient
from harness.clock import SystemClock
from harness.gate.loaded import (
    GONE,
    find_loaded,
    libraries_of,
    mismatch,
    of_runtime,
    parse_lsof,
    parse_maps,
)
from harness.gate.pins import Loaded
from harness.target import Target, embedded, missing_extra

HERE = Target("url", "http://127.0.0.1:1")
ELSEWHERE = Target("url", "http://models.example:1")

MAPS = """\
5581c0000000-5581c0001000 r--p 00000000 08:01 11 /usr/bin/python3.11
7f000000-7f001000 r--p 00000000 08:01 12 /my env/site-packages/executorch/lib/libexecutorch.so
7f001000-7f002000 r-xp 00001000 08:01 12 /my env/site-packages/executorch/lib/libexecutorch.so
7f0000002000-7f0000003000 rw-p 00000000 00:00 0
7ffd00000000-7ffd00001000 rw-p 00000000 00:00 0 [stack]
7f0000004000-7f0000005000 r--p 00000000 08:01 13 /opt/lib/libc.so.6 (deleted)
"""

LSOF = """\
p4711
fcwd
n/Users/me
ftxt
n/Users/me/.runtime/embedded/venv/bin/python3.12
ftxt
n/Users/me/.runtime/embedded/venv/lib/python3.12/site-packages/executorch/lib/libexecutorch.dylib
ftxt
n/usr/lib/dyld
f0
n/dev/null
f1
npipe
"""


def test_a_memory_map_names_each_file_once() -> None:
    """Whatever stands in its path, and nothing that is no file."""
    assert [str(path) for path in parse_maps(MAPS)] == [
        "/usr/bin/python3.11",
        "/my env/site-packages/executorch/lib/libexecutorch.so",
        "/opt/lib/libc.so.6 (deleted)",
    ]


def test_only_libraries_of_what_linux_has_mapped_are_looked_at() -> None:
    """A cache beside them that is mapped is no library, as when an environment is probed."""
    package = Path("/env/site-packages/executorch")
    library = package / "lib" / "libexecutorch.so.1"

    assert libraries_of((library, package / "cache.bin", Path("/usr/bin/python3.11"))) == (library,)


def test_lsof_names_what_is_mapped_as_code() -> None:
    """By a listing as macOS's lsof writes it; this was not run on a Mac."""
    assert [path.name for path in parse_lsof(LSOF)] == ["python3.12", "libexecutorch.dylib", "dyld"]


def test_versions_are_those_of_the_worker() -> None:
    """The server's own Python is another matter."""
    runtime = {
        "executorchVersion": "1.5.0",
        "torchVersion": "2.13.0+cpu",
        "artifactSha256": "ab",
        "pythonVersion": "3.13.1",
        "workerPythonVersion": "3.11.7",
    }

    assert of_runtime(runtime) == (
        {"executorch": "1.5.0", "torch": "2.13.0+cpu", "python": "3.11.7"},
        "ab",
    )


EXPECTED = Loaded({"executorch": "1.5.0", "torch": "2.13.0"}, "a" * 64, {"x.so": "1", "y.so": "2"})


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        (Loaded({"executorch": "1.5.0", "torch": "2.13.0+cpu"}, "a" * 64, EXPECTED.libraries), ()),
        (
            Loaded({"executorch": "1.5.1"}, "a" * 64, EXPECTED.libraries),
            (
                "it has executorch 1.5.1, and 1.5.0 is pinned",
                "it does not say which torch it has; 2.13.0 is pinned",
            ),
        ),
        (
            Loaded(EXPECTED.versions, "", {"x.so": "1", "y.so": GONE, "z.so": "3"}),
            (
                f"its model program has SHA-256 unknown, and {'a' * 64} is pinned",
                f"its y.so is {GONE}, and 2 was installed",
                "it has loaded z.so, which was not loaded when it was prepared",
            ),
        ),
        (
            Loaded(EXPECTED.versions, "a" * 64, {"x.so": "1"}),
            ("it has not loaded y.so, which its environment has",),
        ),
        (
            Loaded(EXPECTED.versions, "a" * 64),
            ("which libraries it has loaded cannot be read",),
        ),
    ],
)
def test_what_was_not_pinned_is_told(loaded: Loaded, said: tuple[str, ...]) -> None:
    """A sentence each; a pin may leave the build of a version out."""
    assert mismatch(EXPECTED, loaded) == said


def test_what_is_not_known_is_not_compared() -> None:
    """A server that somebody else started has no pin to be held against."""
    assert mismatch(Loaded(), EXPECTED) == ()


def test_a_server_that_says_nothing_cannot_be_told() -> None:
    """Nor are processes looked for that run on another machine."""
    assert find_loaded(HERE, None) is None
    assert find_loaded(ELSEWHERE, {"pids": {"worker": 1}}) == Loaded()
    assert find_loaded(HERE, {"pids": {"worker": None}}) == Loaded()


LIBRARY = next(Path(sysconfig.get_config_var("DESTSHARED") or "").glob("_json*.so"), None)
linux = pytest.mark.skipif(
    sys.platform != "linux" or LIBRARY is None, reason="reads /proc, and needs a library to load"
)


@linux
def test_a_library_that_another_file_has_replaced_is_not_taken_for_it(tmp_path: Path) -> None:
    """What lies on the disk by now was never loaded."""
    package = tmp_path / "an env é" / "site-packages" / "executorch"
    package.mkdir(parents=True)
    library = package / "libmine.so"
    assert LIBRARY is not None
    shutil.copy(LIBRARY, library)
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(flush=True); sys.stdin.read()"

    with subprocess.Popen(
        [sys.executable, "-c", code, str(library)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        runtime: dict[str, Any] = {"pids": {"worker": child.pid}}
        before = find_loaded(HERE, runtime)
        other = package / "other"
        other.write_bytes(b"another")
        other.replace(library)
        after = find_loaded(HERE, runtime)
        child.communicate()

    right = hashlib.sha256(LIBRARY.read_bytes()).hexdigest()
    assert before == Loaded(libraries={"libmine.so": right})
    assert after == Loaded(libraries={"libmine.so": GONE})


@pytest.mark.embedded
@pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]")
def test_the_worker_has_loaded_the_runtime_that_is_installed_here(tmp_path: Path) -> None:
    """Byte for byte, and it says the same versions and program."""

    async def look() -> Loaded | None:
        async with (
            embedded(tmp_path, SystemClock(), arguments=("--threads", "1")) as target,
            ChatClient(target.url) as chat,
        ):
            return find_loaded(target, (await chat.get_json("/api/runtime")).json)

    loaded = asyncio.run(look())

    spec = importlib.util.find_spec("executorch")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    installed = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in spec.submodule_search_locations
        for path in Path(folder).rglob("*")
        if path.suffix in {".so", ".dylib"}
    }
    assert loaded is not None
    assert loaded.versions["executorch"] == importlib.metadata.version("executorch")
    assert len(loaded.artifact_sha256) == 64
    ours = {name: sha for name, sha in loaded.libraries.items() if "libtorch_cpu" not in name}
    assert len(ours) > 3
    assert ours.items() <= installed.items()
