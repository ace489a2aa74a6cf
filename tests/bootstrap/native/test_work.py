"""Is a native worker made from a pin, once, and again of what has changed alone?"""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import StageFailed, UsageError
from bootstrap.fetching.uv import uv_platform
from bootstrap.native.git import git_environment
from bootstrap.native.work import Means, native_work
from bootstrap.pinning.description import describe, library_findings
from bootstrap.pinning.pins import Model, Pin, PinnedFile, Tool
from bootstrap.pinning.verification import Found
from bootstrap.running.commands import Commands
from bootstrap.setup.preparing import prepare
from tests.bootstrap.fileserver import Published, serving
from tests.bootstrap.upstream import PROGRAM, Bench, bench, git, patch_of

if TYPE_CHECKING:
    from pathlib import Path

ALL = ("environment", "source", "patch", "build", "native-probe")


@pytest.fixture
def upstream(tmp_path: Path, made: Path) -> Bench:
    """In a folder with spaces and other letters."""
    return bench(tmp_path / "mein Prüfstand", made)


def pin(made: Bench) -> Pin:
    """Its runtime with a model."""
    model = Model("m", "why", made.folder, (PinnedFile("m.pte", "program"),))
    return Pin("p", "pin", "why", made.runtime, model)


def test_it_is_made_in_stages_and_once(upstream: Bench) -> None:
    """A second run neither runs a command nor tells of anything."""
    assert upstream.prepare() == ALL
    told, log = list(upstream.told), upstream.made.log.read_bytes()

    assert upstream.prepare() == ()
    assert (upstream.told, upstream.made.log.read_bytes()) == (told, log)


def test_the_source_is_the_commit_with_its_submodules(upstream: Bench) -> None:
    """At any depth, with the line ends that were committed, whatever git is configured to do."""
    upstream.prepare()

    assert upstream.files() == {
        ".gitignore": "cmake-out*\n",
        "examples/worker/CMakeLists.txt": "",
        "main.txt": "main\n",
        "other.txt": "other\n",
        "third-party/mlx/fmt/format": "format\n",
        "third-party/mlx/kernels": "kernels\n",
        **{name: text for name, text in upstream.files().items() if name.endswith(".gitmodules")},
    }
    assert (upstream.tree / "main.txt").read_bytes() == b"main\n"


def test_what_takes_long_is_told_as_it_goes(upstream: Bench) -> None:
    """Each stage when it begins and when it has ended, and how far it is in between."""
    upstream.prepare()

    assert upstream.told[0].startswith("environment: Python 3.99")
    assert "build: [1/2] Building kernels" in upstream.told
    assert any(line.startswith("source: Receiving objects: ") for line in upstream.told)


def test_the_kernels_lie_beside_the_program(upstream: Bench) -> None:
    """Where the worker looks for them, and not only where the build has put them."""
    upstream.prepare()
    beside = (upstream.tree / PROGRAM).with_name("mlx.metallib")

    assert beside.read_text() == "kernels\nformat\n"
    beside.unlink()
    assert upstream.prepare() == ("build", "native-probe")
    assert beside.exists()


def test_kernels_that_were_built_anew_take_the_place_of_the_old(upstream: Bench) -> None:
    """Beside the program, old ones would be loaded."""
    upstream.prepare()
    (upstream.tree / "cmake-out" / "lib" / "mlx.metallib").write_text("newer")
    beside = (upstream.tree / PROGRAM).with_name("mlx.metallib")

    replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched")).prepare()

    assert beside.read_text() == "newer"


# -- changes


def test_a_patch_is_applied_and_built(upstream: Bench) -> None:
    """The program has it."""
    patched = replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched"))

    assert patched.prepare() == ALL
    assert patched.files()["main.txt"] == "patched\n"
    assert "# patched other" in (patched.tree / PROGRAM).read_text()


def test_another_patch_replaces_the_one_before_it(upstream: Bench) -> None:
    """It is put on the pristine tree; nothing is fetched or installed, or built for nothing."""
    replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched")).prepare()
    again = replace(upstream, patch=patch_of(upstream, "b.patch", "main", "better"))

    assert again.prepare() == ("patch", "build", "native-probe")
    assert again.files()["main.txt"] == "better\n"
    assert again.steps == ["kernels", "worker", "worker"]


def test_a_patch_of_the_same_name_that_says_another_thing_is_another_patch(upstream: Bench) -> None:
    """By its content, not by its name or its time."""
    replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched")).prepare()
    again = replace(upstream, patch=patch_of(upstream, "a.patch", "other", "x", file="other.txt"))

    again.prepare()

    assert (again.files()["main.txt"], again.files()["other.txt"]) == ("main\n", "x\n")


def test_without_a_patch_the_tree_is_as_it_was(upstream: Bench) -> None:
    """A patch that is no longer pinned is gone, with the files that it has made."""
    patch = patch_of(upstream, "a.patch", "main", "patched")
    with (upstream.folder / patch.path).open("a") as file:
        file.write("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n")
    replace(upstream, patch=replace(patch, sha256=None)).prepare()
    assert (upstream.tree / "new.txt").exists()

    assert upstream.prepare() == ("patch", "build", "native-probe")
    assert upstream.files()["main.txt"] == "main\n"
    assert not (upstream.tree / "new.txt").exists()


def test_another_commit_on_a_patched_tree_begins_with_an_empty_build_folder(
    upstream: Bench,
) -> None:
    """Whatever was patched, built or left there before."""
    replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched")).prepare()
    commit = upstream.commit_upstream(main="newer")
    (upstream.tree / "left over.txt").touch()
    patch = patch_of(upstream, "b.patch", "newer", "newest")
    upgraded = replace(upstream, commit=commit, patch=patch)

    assert upgraded.prepare() == ALL[1:]
    assert upgraded.files()["main.txt"] == "newest\n"
    assert "left over.txt" not in upgraded.files()
    assert upgraded.steps == ["kernels", "worker"]


def test_a_commit_that_was_fetched_once_is_not_fetched_again(upstream: Bench) -> None:
    """So one can go back without the network."""
    upstream.prepare()
    newer = replace(upstream, commit=upstream.commit_upstream(main="newer"))
    newer.prepare()
    upstream.upstream.rename(upstream.folder / "gone")

    assert upstream.prepare() == ALL[1:]
    assert upstream.files()["main.txt"] == "main\n"


def test_a_submodule_that_is_gone_upstream_is_gone_here(upstream: Bench) -> None:
    """With all that was in it."""
    upstream.prepare()
    git(upstream.upstream, "rm", "--quiet", "third-party/mlx", environ=upstream.environ)
    (upstream.upstream / "third-party" / "mlx").mkdir(parents=True)
    (upstream.upstream / "third-party" / "mlx" / "kernels").write_text("of our own\n")
    (upstream.upstream / "third-party" / "mlx" / "fmt").mkdir()
    (upstream.upstream / "third-party" / "mlx" / "fmt" / "format").write_text("too\n")
    commit = upstream.commit_upstream()

    replace(upstream, commit=commit).prepare()

    assert upstream.files()["third-party/mlx/kernels"] == "of our own\n"


@pytest.mark.parametrize("change", ["toolchain", "packages"])
def test_other_tools_begin_with_an_empty_build_folder(upstream: Bench, change: str) -> None:
    """Ninja looks at the source alone."""
    upstream.prepare()
    runtime = upstream.runtime
    other = replace(upstream)
    if change == "toolchain":
        other.toolchain = {"clang": "18"}
    else:
        runtime = replace(runtime, packages=("ninja==2",))

    other.prepare(runtime)

    assert other.steps == ["kernels", "worker"]


def test_what_was_moved_is_built_anew_without_the_network(upstream: Bench) -> None:
    """The environment's programs and CMake's cache are of the old place; the source is not."""
    upstream.prepare()
    upstream.places.made.rename(upstream.folder / "moved")
    upstream.upstream.rename(upstream.folder / "gone")
    moved = replace(upstream, made_in="moved")

    assert moved.prepare() == ALL
    assert moved.steps == ["kernels", "worker"]


def test_the_packages_of_the_pin_are_installed(upstream: Bench) -> None:
    """Torch first; nothing else."""
    runtime = replace(upstream.runtime, torch="2.0", packages=("cmake==3.31", "ninja==1"))

    upstream.prepare(runtime)

    (line,) = (upstream.made.venv / "pip").read_text().splitlines()
    assert line == "-I -m pip install --no-input torch==2.0 cmake==3.31 ninja==1"


UV = """#!/bin/sh
if [ "$1" = --version ]; then echo "uv 9.9.9"; exit 0; fi
while [ "$1" != --install-dir ]; do shift; done
mkdir -p "$2/cpython-$3.1-here/bin"
cp "$PYTHON" "$2/cpython-$3.1-here/bin/python$3"
"""


def test_a_python_that_the_system_lacks_is_brought_for_it(upstream: Bench) -> None:
    """By uv, before anything else; an environment that is there needs none."""
    what, told = pin(upstream), list[str]()
    (upstream.folder / "m.pte").write_bytes(b"abc")
    environ = {**upstream.environ, "PYTHON": str(upstream.folder / "bin" / "python3.99")}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        member = tarfile.TarInfo(f"uv-{uv_platform()}/uv")
        member.size, member.mode = len(UV), 0o755
        tar.addfile(member, io.BytesIO(UV.encode()))

    with serving() as server:
        server.files["/uv"] = Published(packed.getvalue())
        sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
        uv = Tool("uv", "why", "9.9.9", f"{server.url}/uv", {uv_platform(): sha256})
        first = prepare(what, upstream.places, environ=environ, uv=uv, tell=told.append)
    second = prepare(what, upstream.places, environ=environ, uv=None, tell=told.append)

    assert (first, second) == (ALL, ())
    assert any(line.startswith("uv: python: done") for line in told)
    assert (upstream.places.made / "python" / "cpython-3.99.1-here").is_dir()


# -- what does not work


def test_a_patch_that_does_not_fit_is_named_with_the_place(upstream: Bench) -> None:
    """And leaves the pristine tree, from which one that fits goes on."""
    replace(upstream, patch=patch_of(upstream, "a.patch", "main", "patched")).prepare()
    wrong = replace(upstream, patch=patch_of(upstream, "b.patch", "mane", "better"))

    with pytest.raises(StageFailed, match=r"main\.txt:1\n(.|\n)*main\.txt: patch does not apply"):
        wrong.prepare()
    assert upstream.files()["main.txt"] == "main\n"

    right = replace(upstream, patch=patch_of(upstream, "b.patch", "main", "better"))
    assert right.prepare() == ("patch", "build", "native-probe")


def test_a_patch_that_is_not_the_pinned_one_is_refused(upstream: Bench) -> None:
    """Before the tree is touched."""
    patch = patch_of(upstream, "a.patch", "main", "patched")
    replace(upstream, patch=patch).prepare()
    patch_of(upstream, "a.patch", "main", "something else")

    with pytest.raises(StageFailed, match=r"a\.patch: its SHA-256 is [0-9a-f]{64}, and .* pinned"):
        replace(upstream, patch=patch).prepare()
    assert upstream.files()["main.txt"] == "patched\n"


def test_no_network_says_what_to_look_at(upstream: Bench) -> None:
    """And the next run goes on."""
    upstream.upstream.rename(upstream.folder / "gone")

    with pytest.raises(StageFailed, match=r"try: is the network within reach\? MUSE_GIT_MIRROR"):
        upstream.prepare()

    (upstream.folder / "gone").rename(upstream.upstream)
    assert upstream.prepare() == ALL[1:]


def test_a_full_disk_is_called_one(upstream: Bench) -> None:
    """By the words of the command that met it, whichever that is."""
    full = '#!/bin/sh\necho "fatal: write error: No space left on device"; exit 128\n'
    fake = upstream.folder / "full" / "git"
    fake.parent.mkdir()
    fake.write_text(full)
    fake.chmod(0o700)

    with pytest.raises(StageFailed, match=r"try: make room on the disk"):
        upstream.prepare(PATH=f"{fake.parent}:{upstream.environ['PATH']}")


def test_without_git_it_says_how_to_install_it(upstream: Bench) -> None:
    """There is no other way to the source."""
    with pytest.raises(StageFailed, match=r"git .*: cannot be run(.|\n)*xcode-select --install"):
        upstream.prepare(PATH=str(upstream.folder / "bin"))


def test_a_build_that_fails_says_what_it_said_and_goes_on(upstream: Bench) -> None:
    """What was built stays built."""
    with pytest.raises(StageFailed, match=r"main\.txt:1: error: no such thing\n  try: (.|\n)*log:"):
        upstream.prepare(BREAK="worker")

    assert upstream.prepare() == ("build", "native-probe")
    assert upstream.steps == ["kernels", "worker"]


def test_a_build_that_leaves_nothing_is_not_taken_for_one(upstream: Bench) -> None:
    """Whatever code it ended with."""
    runtime = replace(upstream.runtime, build=upstream.runtime.build[:1])

    with pytest.raises(StageFailed, match=f"it ended well, and has not made {PROGRAM}"):
        upstream.prepare(runtime)


@pytest.mark.parametrize(("code", "said"), [("0", "ended with code 0, where"), ("3", "code 3")])
def test_a_program_that_does_not_start_as_a_worker_does_is_told(
    upstream: Bench, code: str, said: str
) -> None:
    """Without arguments it asks for a model, and ends with 1."""
    with pytest.raises(StageFailed, match=f"stage native-probe: (.|\n)*{said}"):
        upstream.prepare(CODE=code)


@pytest.mark.parametrize("key", ["repository", "build", "products"])
def test_a_pin_that_says_too_little_is_refused(upstream: Bench, key: str) -> None:
    """By the key that is missing."""
    runtime = {
        "repository": replace(upstream.runtime, repository=""),
        "build": replace(upstream.runtime, build=()),
        "products": replace(upstream.runtime, products=()),
    }[key]
    run = Commands(upstream.made.log, upstream.environ)

    with pytest.raises(UsageError, match=f"runtime muse does not say its `{key}`"):
        native_work(runtime, upstream.places, Means(), run=run, tell=print)


# -- mirrors


def test_a_mirror_stands_in_for_github(upstream: Bench) -> None:
    """For the repository, and for submodules that come from there."""
    modules = (upstream.upstream / ".gitmodules").read_text()
    there = modules.replace("../mlx", "https://github.com/some/mlx")
    (upstream.upstream / ".gitmodules").write_text(there)
    runtime = replace(
        upstream.runtime,
        executorch=upstream.commit_upstream(),
        repository="https://github.com/some/upstream",
    )
    (upstream.folder / "mirror").mkdir()
    (upstream.folder / "mirror" / "some").symlink_to(upstream.folder)
    upstream.mirror = f"file://{upstream.folder}/mirror"

    upstream.prepare(runtime)

    assert upstream.files()["third-party/mlx/kernels"] == "kernels\n"


# -- what is told of it


def test_it_is_described_by_what_the_playground_is_started_with(upstream: Bench) -> None:
    """A command that survives the spaces in its path; the pin's flags ride in it."""
    upstream.prepare()
    described = describe(pin(upstream), upstream.places)
    flag, worker, *rest = described["arguments"]

    assert described["prepared"]
    assert flag == "--worker"
    assert shlex.split(worker) == [str(upstream.tree / PROGRAM), "--mode=fast"]
    assert rest == ["--worker-kind", "native", "--model-dir", str(upstream.folder)]


def test_a_process_of_it_is_expected_to_be_its_program(upstream: Bench) -> None:
    """Of versions nothing is known, and kernels are no library that a process can be seen with."""
    upstream.prepare()
    described = describe(pin(upstream), upstream.places)
    probe = json.loads(upstream.made.probe.read_bytes())

    sha256 = probe["libraries"]["a_worker"]["sha256"]
    assert described["expected"]["versions"] == {}
    assert described["expected"]["libraries"] == {"a_worker": sha256}


def test_what_was_built_and_is_another_now_is_found(upstream: Bench) -> None:
    """The program and its kernels, when somebody verifies."""
    upstream.prepare()
    (upstream.tree / PROGRAM).with_name("mlx.metallib").write_text("others")

    found = {
        each.path.name: each.found for each in library_findings(pin(upstream), upstream.places)
    }

    assert found == {"a_worker": Found.RIGHT, "mlx.metallib": Found.WRONG}


def test_git_is_no_further_than_its_own_folder(upstream: Bench, tmp_path: Path) -> None:
    """Run from a hook of another repository, git is told of that one by variables."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet", environ=upstream.environ)
    before = sorted((other / ".git").iterdir())

    upstream.prepare(GIT_DIR=str(other / ".git"), GIT_WORK_TREE=str(other), GIT_INDEX_FILE="x")

    assert sorted((other / ".git").iterdir()) == before
    assert list(other.iterdir()) == [other / ".git"]


@pytest.mark.parametrize(
    "variable",
    [
        *("CC", "CXX", "CFLAGS", "CPPFLAGS", "LDFLAGS", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET"),
        *("CPATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "CONDA_PREFIX", "CMAKE_PREFIX_PATH"),
        *("CMAKE_OSX_ARCHITECTURES", "CMAKE_TOOLCHAIN_FILE", "CMAKE_GENERATOR_TOOLSET"),
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG"),
    ],
)
def test_what_somebody_has_set_for_another_build_does_not_reach_this_one(
    upstream: Bench, variable: str
) -> None:
    """No stamp knows of it: what was built with it would be taken for what is pinned."""
    note = upstream.folder / "env"
    environ = {"NOTE": str(note), "CMAKE_C_COMPILER_LAUNCHER": "ccache", variable: "/other"}

    upstream.prepare(None, **environ)

    said = dict(line.partition("=")[::2] for line in note.read_text().splitlines())
    assert variable not in said
    assert said["CMAKE_GENERATOR"] == "Ninja"
    assert said["CMAKE_C_COMPILER_LAUNCHER"] == "ccache"
    assert int(said["CMAKE_BUILD_PARALLEL_LEVEL"]) > 0


def test_new_repositories_are_of_the_form_that_the_commit_has(upstream: Bench) -> None:
    """Whatever a git makes of itself, or somebody has it make."""
    upstream.prepare(GIT_DEFAULT_HASH="sha256")

    given = {"GIT_DEFAULT_REF_FORMAT": "reftable"}
    assert git_environment(given)["GIT_DEFAULT_REF_FORMAT"] == "files"
