"""Is the server's environment made by venv and pip, once? From wheels that lie in a folder."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import StageFailed
from bootstrap.layout import Layout
from bootstrap.python.environment import Interpreter, find_interpreter, kept_interpreter
from bootstrap.running.commands import Commands
from bootstrap.running.stages import run_stages
from bootstrap.serving.environment import command_script, server_work
from tests.bootstrap.wheels import wheel, without_settings

if TYPE_CHECKING:
    from collections.abc import Sequence


STAGES = ("server-venv", "server-install", "server-link")
SAYS = """
import os, sys
import one
print(sys.argv[1:], os.environ.get("MUSE_RUNTIME_DIR"))
"""


@dataclass
class Checkout:
    """A checkout with two commands, an index of wheels, and a list that locks them."""

    root: Path
    made: Path | None = None
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("playground", "harness"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
            (self.root / name / "__main__.py").write_text(SAYS, encoding="utf-8")
        if not self.locked.exists():
            self.lock("1.0")

    @property
    def places(self) -> Layout:
        """Where things are."""
        return Layout(self.root, self.made or self.root / ".runtime")

    @property
    def locked(self) -> Path:
        """What is locked."""
        return self.root / "server.txt"

    def lock(self, version: str, sha256: str = "") -> None:
        """Lock this version of the one package."""
        wheel(self.root / "index", "one", version)
        (file,) = (self.root / "index").glob(f"one-{version}-*")
        sha256 = sha256 or hashlib.sha256(file.read_bytes()).hexdigest()
        self.locked.write_text(f"one=={version} \\\n    --hash=sha256:{sha256}\n")

    def prepare(self) -> tuple[str, ...]:
        """What was run."""
        places = self.places
        work = server_work(
            places,
            interpreter=find_interpreter(""),
            pip_args=["--no-index", "--find-links", str(self.root / "index")],
            run=Commands(places.server.log, without_settings()),
            tell=self.told.append,
            locked=self.locked,
        )
        return run_stages(work.stages, work.folder.stamps, self.told.append)

    def says(self, command: str, *arguments: str, cwd: Path) -> str:
        """What one of the commands says."""
        program = self.places.server.venv / "bin" / command
        return subprocess.run(
            [program, *arguments], cwd=cwd, capture_output=True, text=True, check=True
        ).stdout.strip()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Prepared, in a folder whose name would mislead a shell."""
    made = Checkout(tmp_path_factory.mktemp("server") / 'Prüfstand\'s $HOME "1"')
    assert made.prepare() == STAGES
    return made


def test_a_second_run_does_nothing(checkout: Checkout) -> None:
    """It neither runs a command nor tells of anything."""
    told, log = list(checkout.told), checkout.places.server.log.read_bytes()

    assert checkout.prepare() == ()
    assert (checkout.told, checkout.places.server.log.read_bytes()) == (told, log)


@pytest.mark.parametrize("command", ["muse-playground", "muse-bench"])
def test_the_commands_run_the_checkout(checkout: Checkout, tmp_path: Path, command: str) -> None:
    """From any folder, with their arguments as they are, and what is installed."""
    said = checkout.says(command, "--open", "two words", "'", cwd=tmp_path)

    assert said == f"{['--open', 'two words', chr(39)]} None"


def test_a_command_that_is_gone_is_written_again(checkout: Checkout) -> None:
    """And nothing else is done."""
    (checkout.places.server.venv / "bin" / "muse-bench").unlink()

    assert checkout.prepare() == ("server-link",)


def test_a_command_knows_where_things_are_made(tmp_path: Path) -> None:
    """Where that is not in the checkout."""
    places = Layout(tmp_path / "a", tmp_path / "made 'elsewhere'")
    script = command_script(places, "playground").replace(
        f"exec {shlex.quote(str(places.server.python))}", "exec printenv MUSE_RUNTIME_DIR #"
    )

    said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == str(places.made)
    assert "MUSE" not in command_script(Layout(tmp_path, tmp_path / ".runtime"), "playground")


def test_another_lock_makes_another_environment(checkout: Checkout, tmp_path: Path) -> None:
    """What is not the locked file is refused; the next run begins afresh, with nothing left."""
    shutil.copytree(checkout.root, tmp_path / "copy", symlinks=True)
    copy = Checkout(tmp_path / "copy")
    moved = copy.prepare()
    copy.lock("1.1", "0" * 64)

    with pytest.raises(StageFailed) as caught:
        copy.prepare()

    assert moved == ("server-link",)  # and nothing else is done for a checkout that was moved
    assert caught.value.stage == "server-install"
    assert "hash" in str(caught.value).lower()
    assert caught.value.log == copy.places.server.log
    copy.lock("1.1")
    assert copy.prepare() == STAGES
    assert installed(copy) == ["one-1.1.dist-info"]


def installed(checkout: Checkout) -> Sequence[str]:
    """Which versions of the package are there."""
    return [path.name for path in (checkout.places.server.venv / "lib").glob("*/*/one-*")]


def test_an_environment_keeps_its_python(checkout: Checkout, tmp_path: Path) -> None:
    """Whichever runs the setup next, as from the Finder with another PATH: while it is there."""
    venv, running = checkout.places.server.venv, find_interpreter("")
    kept = kept_interpreter(venv, "")

    assert kept.version == running.version
    assert Path(kept.command).parent == Path(home_of(venv))
    assert kept_interpreter(tmp_path / "none", "") == running

    (tmp_path / "pyvenv.cfg").write_text("home = /gone/bin\nversion = 3.10.1\n")
    assert kept_interpreter(tmp_path, "") == running
    (tmp_path / "python3.10").touch()
    (tmp_path / "pyvenv.cfg").write_text(f"home = {tmp_path}\nversion = 3.10.1\n")
    assert kept_interpreter(tmp_path, "") == Interpreter(str(tmp_path / "python3.10"), "3.10")
    assert kept_interpreter(tmp_path, running.version) == running


def home_of(venv: Path) -> str:
    """Where the Python is that an environment says it was made of."""
    lines = (venv / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    return next(line.partition("=")[2].strip() for line in lines if line.startswith("home"))
