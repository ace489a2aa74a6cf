"""Is a real environment made by venv and pip, and only once? From wheels that lie in a folder."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import FileWrong, NotPreparable, StageFailed
from bootstrap.pinning.description import describe, library_findings
from bootstrap.pinning.verification import Found
from bootstrap.python.environment import Interpreter, environment_stages, find_interpreter
from bootstrap.running.commands import CommandFailed
from bootstrap.running.stages import run_stages
from bootstrap.setup.preparing import prepare
from bootstrap.setup.request import Request
from tests.bootstrap.wheels import LIBRARY, LOADER, checkout, index, pin, wheel, without_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootstrap.layout import Layout, RuntimeFolder
    from bootstrap.pinning.pins import Pin


@dataclass
class Made:
    """A checkout in which a pin was prepared."""

    places: Layout
    pin: Pin
    pip_args: list[str]
    ran: tuple[str, ...] = ()
    told: list[str] = field(default_factory=list)

    @property
    def folder(self) -> RuntimeFolder:
        """The runtime's."""
        return self.places.runtime(self.pin.runtime)

    def prepare(self, **environ: str) -> tuple[str, ...]:
        """Once more; what was run."""
        return prepare(
            self.pin,
            self.places,
            environ={**without_settings(), **environ},
            request=Request(pip_args=tuple(self.pip_args)),
            tell=self.told.append,
        )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Prepared in a folder with spaces and other letters, beside packages that mislead."""
    root = tmp_path_factory.mktemp("bootstrap") / "mein Prüfstand"
    made = Made(
        checkout(root), pin(root / "model"), shlex.split(index(root / "index", "1.0", "1.1"))
    )
    # An environment that is on the PYTHONPATH, as that of a developer may be: pip would say that
    # what is there is installed already.
    other = root / "other"
    wheel(root / "elsewhere", "torch", "2.0")
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-e", *(root / "elsewhere").glob("*.whl"), other],
        check=True,
    )
    made.ran = made.prepare(PYTHONPATH=str(other))
    return made


def test_an_environment_is_made_in_stages(made: Made) -> None:
    """Each is told when it begins and when it has ended."""
    assert made.ran == ("venv", "install", "link", "probe")
    assert made.told[0].startswith("rt: venv: an environment of Python 3.")
    assert "rt: install: torch==2.0, executorch==1.0 …" in made.told


def test_a_second_run_does_nothing(made: Made) -> None:
    """It neither runs a command nor tells of anything."""
    told, log = list(made.told), made.folder.log.read_bytes()

    assert made.prepare() == ()
    assert (made.told, made.folder.log.read_bytes()) == (told, log)


def test_nothing_of_another_environment_is_in_it(made: Made) -> None:
    """Its torch came from the index, though the PYTHONPATH had one."""
    (packages,) = (made.folder.venv / "lib").glob("python*/site-packages")

    assert (packages / "torch" / "__init__.py").is_file()


def test_the_checkout_is_found_after_what_is_installed(made: Made, tmp_path: Path) -> None:
    """From any folder, whatever its name is written in."""
    code = "import sys, mine.loading; print(ascii(sys.path[-1]))"

    said = subprocess.run(
        [made.folder.python, "-I", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout.strip() == ascii(str(made.places.root))


def test_what_the_worker_loads_is_found_by_version_and_hash(made: Made) -> None:
    """Though it prints to stdout while it does."""
    described = describe(made.pin, made.places)

    assert described["prepared"]
    assert described["expected"]["versions"] == {
        "executorch": "1.0",
        "torch": "2.0",
        "python": ".".join(str(part) for part in sys.version_info[:3]),
    }
    if LIBRARY is not None:
        sha256 = hashlib.sha256(LIBRARY.read_bytes()).hexdigest()
        assert described["expected"]["libraries"] == {"libmine.so": sha256}


def test_the_playground_is_told_of_this_environment(made: Made) -> None:
    """By a command that survives the spaces in its path."""
    flag, worker, *rest = describe(made.pin, made.places)["arguments"]

    assert flag == "--worker"
    assert shlex.split(worker) == [str(made.folder.python), "-I", "-m", "mine.worker"]
    assert rest == ["--model-dir", str(made.pin.model.folder), "--threads", "1"]


@pytest.mark.skipif(LIBRARY is None, reason="this Python has no library to stand for the runtime's")
def test_a_library_that_was_changed_is_found(made: Made) -> None:
    """Later, when somebody verifies."""
    (library,) = made.folder.venv.rglob("libmine.so")
    right = library.read_bytes()

    library.write_bytes(right + b"!")
    (wrong,) = library_findings(made.pin, made.places)
    library.unlink()
    (absent,) = library_findings(made.pin, made.places)
    library.write_bytes(right)
    (restored,) = library_findings(made.pin, made.places)

    assert [wrong.found, absent.found, restored.found] == [Found.WRONG, Found.ABSENT, Found.RIGHT]
    assert wrong.path.name == "libmine.so"


def test_two_at_once_make_it_once(tmp_path: Path) -> None:
    """The second waits for the first, and finds all done."""
    pins = tmp_path / "pins.toml"
    model = pin(tmp_path / "model").model
    pins.write_text(
        f"""
        [runtime.rt]
        why = "a release"
        worker = "python"
        executorch = "1.0"
        torch = "2.0"
        module = "mine.worker"
        loads = "executorch.loading:load"
        [model.m]
        why = "a model"
        folder = "model"
        files = [{{ path = "m.pte", role = "program", sha256 = "{model.files[0].sha256}" }}]
        [pin.p]
        why = "the two"
        runtime = "rt"
        model = "m"
        """
    )
    pip_args = index(tmp_path / "index")
    wheel(tmp_path / "index", "executorch", "1.0", {"executorch/loading.py": LOADER.encode()})
    command = [sys.executable, "-m", "bootstrap", "prepare", "--json", "--pins", str(pins), "p"]
    environ = {
        **without_settings(),
        "MUSE_RUNTIME_DIR": str(tmp_path / "made"),
        "MUSE_PIP_ARGS": pip_args,
    }

    both = [
        subprocess.Popen(
            command, env=environ, cwd=Path(__file__).parents[3], stdout=-1, stderr=-1, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate() for process in both]

    assert [process.returncode for process in both] == [0, 0]
    assert [json.loads(out)["prepared"] for out, _ in said] == [True, True]
    assert sum("venv: done" in err for _, err in said) == 1


# -- without pip


@dataclass
class Scripted:
    """In place of commands: does what a whole run leaves, and breaks where it is told."""

    folder: RuntimeFolder
    breaks: str = ""
    with_: BaseException | None = None
    installed: str = "1.0"
    ran: list[str] = field(default_factory=list)

    def __call__(self, argv: Sequence[str], *, on_line: Callable[[str], None]) -> None:
        """See `bootstrap.running.commands.Run`."""
        what = "venv" if "venv" in argv else "install" if "pip" in argv else "probe"
        self.ran.append(what)
        on_line("Downloading something")
        if what == self.breaks:
            raise self.with_ or CommandFailed(argv, "ended with code 1", ["no such index"])
        if what == "venv":
            (self.folder.venv / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
            self.folder.python.parent.mkdir()
            self.folder.python.touch()
        if what == "probe":
            found = {"python": "3.11.0", "libraries": {}}
            versions = {"executorch": self.installed, "torch": "2.0+cpu"}
            self.folder.probe.write_text(json.dumps({**found, "versions": versions}))


def run(scripted: Scripted, what: Pin, root: Path, *pip_args: str) -> tuple[str, ...]:
    """The stages with scripted commands; the names of those that were run."""
    stages = environment_stages(
        what.runtime,
        scripted.folder,
        root,
        interpreter=Interpreter("python", "3.11"),
        pip_args=pip_args,
        run=scripted,
        tell=lambda _: None,
    )
    return run_stages(stages, scripted.folder.stamps, lambda _: None)


@pytest.mark.parametrize("stopped", [KeyboardInterrupt(), None])
def test_an_install_that_was_cut_begins_with_a_new_environment(
    tmp_path: Path, stopped: BaseException | None
) -> None:
    """Half a package would be taken for a whole one."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    folder = places.runtime(what.runtime)

    with pytest.raises((KeyboardInterrupt, StageFailed)):
        run(Scripted(folder, "install", stopped), what, places.root)
    again = run(Scripted(folder), what, places.root)

    assert again == ("venv", "install", "link", "probe")
    assert run(Scripted(folder), what, places.root) == ()


def test_another_release_begins_with_a_new_environment(tmp_path: Path) -> None:
    """Nothing of the old one is left in it."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    folder = places.runtime(what.runtime)
    run(Scripted(folder), what, places.root)
    left = folder.venv / "left over"
    left.touch()

    ran = run(Scripted(folder, installed="1.1"), pin(tmp_path / "model", "1.1"), places.root)

    assert ran == ("venv", "install", "link", "probe")
    assert not left.exists()


def test_a_checkout_that_was_moved_is_linked_anew(tmp_path: Path) -> None:
    """What is installed moves with it."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    run(Scripted(places.runtime(what.runtime)), what, places.root)
    moved = places.root.rename(tmp_path / "moved")
    folder = replace(places, root=moved, made=moved / ".runtime").runtime(what.runtime)

    assert run(Scripted(folder), what, moved) == ("link", "probe")
    (link,) = folder.venv.rglob("muse-checkout.pth")
    assert str(moved) in link.read_text()


def test_a_failed_stage_says_what_it_was_and_what_to_do(tmp_path: Path) -> None:
    """With the end of what the command said, and where all of it is."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    folder = places.runtime(what.runtime)

    with pytest.raises(StageFailed) as caught:
        run(Scripted(folder, "install"), what, places.root, "--index-url", "x")

    told = str(caught.value)
    assert told.startswith("stage install: ")
    assert "pip install --no-input --index-url x torch==2.0 executorch==1.0: ended with" in told
    assert "no such index" in told
    assert f"log: {folder.log}" in told


def test_what_is_installed_and_is_another_release_is_refused(tmp_path: Path) -> None:
    """And found again by the next run, which does not take the probe for done."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    folder = places.runtime(what.runtime)

    for _ in range(2):
        with pytest.raises(StageFailed, match=r"executorch 1\.9 is installed, and 1\.0 is pinned"):
            run(Scripted(folder, installed="1.9"), what, places.root)


def test_a_wrong_file_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """Minutes are not spent on what cannot be used."""
    places, what = checkout(tmp_path / "root"), pin(tmp_path / "model")
    (what.model.folder / "m.pte").write_bytes(b"abd")

    with pytest.raises(FileWrong, match=r"m\.pte is not the file of model m"):
        prepare(what, places, environ=os.environ, tell=print)

    assert not places.made.exists()


def test_what_is_for_another_machine_says_for_which(tmp_path: Path) -> None:
    """And what this one is."""
    what = pin(tmp_path / "model")
    what = replace(what, runtime=replace(what.runtime, platform="macos-arm64"))
    places = checkout(tmp_path / "root")
    said = "needs macOS on Apple silicon, and this is linux-x86_64"

    with pytest.raises(NotPreparable, match=f"p cannot be prepared here: it {said}"):
        prepare(what, places, environ=os.environ, here="linux-x86_64", tell=print)
    assert describe(what, places, "linux-x86_64")["unprepared"] == said
    assert describe(what, places, "macos-arm64")["unprepared"] == ""


def test_a_python_that_is_not_there_is_asked_for_by_its_version() -> None:
    """The one that runs us is taken where none is said, or that one is."""
    assert find_interpreter("").command == sys.executable
    assert find_interpreter(".".join(map(str, sys.version_info[:2]))).command == sys.executable
    with pytest.raises(StageFailed, match=r"there is no python3\.99 on the PATH that runs"):
        find_interpreter("3.99")


def test_a_python_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    """Version managers leave names on the PATH for what is not chosen; the next one is taken."""
    says = {"shim": "echo 'not chosen' >&2; exit 127", "other": "echo 3.98", "right": "echo 3.99"}
    for name, text in says.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "python3.99").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name / "python3.99").chmod(0o700)
    path = os.pathsep.join(str(tmp_path / name) for name in says)

    assert find_interpreter("3.99", path).command == str(tmp_path / "right" / "python3.99")
