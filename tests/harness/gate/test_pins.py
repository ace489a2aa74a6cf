"""Is a side known by what bootstrap says of it, and refused in bootstrap's words?"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from harness.cli import main
from harness.errors import PinUnusable, UsageError
from harness.gate.pins import load_pin

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = b"a program"
PINS = """
default = "old"

[runtime.old]
why = "a release"
worker = "python"
executorch = "1.0"
torch = "2.0"
module = "mine.worker"
loads = "mine:load"

[model.small]
why = "a model"
folder = "a model é"
files = [{{ path = "m.pte", role = "program", bytes = {bytes}, sha256 = "{sha256}" }}]

[pin.old]
why = "to be compared with"
runtime = "old"
model = "small"
threads = 1
"""


@pytest.fixture
def pins_file(tmp_path: Path) -> Path:
    """A pins file in a folder with spaces, and the model beside it."""
    folder = tmp_path / "my pins"
    (folder / "a model é").mkdir(parents=True)
    (folder / "a model é" / "m.pte").write_bytes(PROGRAM)
    text = PINS.format(bytes=len(PROGRAM), sha256=hashlib.sha256(PROGRAM).hexdigest())
    path = folder / "pins.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: str) -> tuple[int, str, str]:
    """`muse-bench`: its exit code and what it wrote."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(arguments, stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def test_a_pin_is_what_bootstrap_says_of_it(pins_file: Path) -> None:
    """Its facts, what the playground is started with, and what it is expected to load."""
    pin = load_pin("old,dflash=off", pins_file, prepare=False)

    assert (pin.name, pin.kind, pin.why) == ("old,dflash=off", "pin", "to be compared with")
    assert pin.facts["executorch"] == "1.0"
    assert pin.arguments[-1] == "--no-dflash"
    assert str(pins_file.parent / "a model é") in pin.arguments
    assert pin.expected.artifact_sha256 == hashlib.sha256(PROGRAM).hexdigest()
    assert pin.expected.libraries == {}


@pytest.mark.parametrize(
    ("text", "prepare", "said"),
    [
        ("new", False, "unknown pin 'new'; known: old; or a release: executorch==X"),
        ("old,threads=0", False, "threads=0: 1 to 64, or measured"),
        ("--help", False, "unknown pin '--help'; known: old"),
    ],
)
def test_what_bootstrap_refuses_is_used_wrongly(
    pins_file: Path, text: str, *, prepare: bool, said: str
) -> None:
    """In its words."""
    with pytest.raises(PinUnusable) as caught:
        load_pin(text, pins_file, prepare=prepare)

    assert str(caught.value).startswith(said)
    assert caught.value.exit_code == 2


def test_a_side_with_another_file_than_is_pinned_is_refused_before_anything_is_made(
    pins_file: Path,
) -> None:
    """By the file's name."""
    program = pins_file.parent / "a model é" / "m.pte"
    program.write_bytes(b"b program")

    with pytest.raises(PinUnusable, match=r"m\.pte is not the file of model small: its SHA-256"):
        load_pin("old", pins_file, prepare=True)


@contextlib.contextmanager
def locked(file: IO[str]) -> Iterator[None]:
    """Hold the lock of whoever prepares, so that others wait."""
    fcntl.flock(file, fcntl.LOCK_EX)
    yield


PREPARING = """
import sys
from pathlib import Path
from harness.errors import Interrupted
from harness.gate.pins import load_pin
try:
    load_pin("old", Path(sys.argv[1]), prepare=True)
except Interrupted as stopped:
    sys.exit(f"{type(stopped).__name__} {stopped.exit_code}: {stopped}")
"""


def test_ctrl_c_while_a_pin_is_prepared_leaves_nothing_running(
    pins_file: Path, tmp_path: Path
) -> None:
    """It is told in one line, whichever of the two processes hears it first."""
    made = {**os.environ, "MUSE_RUNTIME_DIR": str(tmp_path / "made")}
    told = subprocess.run(
        [sys.executable, "-m", "bootstrap", "pin", "old", "--pins", str(pins_file), "--json"],
        env=made,
        capture_output=True,
        text=True,
        check=True,
    )
    (worker,) = [each for each in json.loads(told.stdout)["arguments"] if "/venv/" in each]
    lock = Path(shlex.split(worker)[0].partition("/venv/")[0]) / "lock"
    lock.parent.mkdir(parents=True)
    with (
        lock.open("w") as held,
        locked(held),
        subprocess.Popen(
            [sys.executable, "-c", PREPARING, str(pins_file)],
            env=made,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stderr is not None
        waiting = process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()

    assert "waiting for process" in waiting
    assert said.strip() == (
        "Interrupted 3: stopped while a pin was made ready; the next time goes on from there"
    )


def test_an_address_is_a_side_that_somebody_else_starts() -> None:
    """Of which bootstrap knows nothing."""
    pin = load_pin("http://127.0.0.1:8080/v1/", prepare=True)

    assert (pin.kind, pin.url, pin.arguments) == ("url", "http://127.0.0.1:8080", ())
    assert pin.digest == load_pin("http://127.0.0.1:8080", prepare=False).digest


def test_an_address_with_a_password_is_no_side() -> None:
    """Every report would show it."""
    with pytest.raises(UsageError, match="with a password"):
        load_pin("http://me:secret@127.0.0.1:8080", prepare=True)


def test_pins_are_listed_with_their_reasons(pins_file: Path) -> None:
    """The table, and each why below it."""
    code, out, err = run("pins", "--pins", str(pins_file))

    assert (code, err) == (0, "")
    assert "old: to be compared with" in out
    assert "not prepared" in out


def test_pins_are_verified_file_by_file(pins_file: Path) -> None:
    """In JSON, each file with how it was found."""
    code, out, _ = run("pins", "--pins", str(pins_file), "--verify", "--json")

    (pin,) = json.loads(out)["pins"]
    assert code == 0
    assert [file["found"] for file in pin["files"]] == ["right"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"b program", "its SHA-256 is "),
        (b"short", "it has 5 bytes, and the pin says 9"),
        (None, "there is no such file"),
    ],
)
def test_a_wrong_file_is_told_by_name_and_ends_with_two(
    pins_file: Path, content: bytes | None, said: str
) -> None:
    """Another content, another size, or none."""
    program = pins_file.parent / "a model é" / "m.pte"
    program.unlink()
    if content is not None:
        program.write_bytes(content)

    code, _, err = run("pins", "--pins", str(pins_file), "--verify")

    assert code == 2
    assert f"{program} is not the file of model small: {said}" in err


def test_a_file_of_pins_that_is_none_is_told(tmp_path: Path) -> None:
    """With the reason."""
    code, _, err = run("pins", "--pins", str(tmp_path / "gone.toml"))

    assert code == 2
    assert "gone.toml: cannot be read: No such file or directory" in err
