"""Does the command line answer as it says, to people and in JSON?"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.command import main
from bootstrap.platforms import platform_of_this_machine

ROOT = Path(__file__).parents[2]
HERE = platform_of_this_machine()


def run(*argv: str, **environ: str) -> tuple[int, str, str]:
    """Its exit code and what it wrote."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(argv, environ, stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def test_every_pin_is_listed_with_its_reason(tmp_path: Path) -> None:
    """And with how far it is."""
    code, out, _ = run("pins", MUSE_RUNTIME_DIR=str(tmp_path))

    assert code == 0
    assert "embedded-prev: the same model on the release before (not prepared)" in out
    assert "muse-m5: Muse Glimmer on an M5 Max (" in out


def test_pins_can_be_verified(tmp_path: Path) -> None:
    """What is published may not have been fetched yet; what is shipped is there, and right."""
    code, out, err = run("pins", "--verify", "--json", MUSE_RUNTIME_DIR=str(tmp_path))

    files = {pin["name"]: pin["files"] for pin in json.loads(out)["pins"]}
    assert (code, err) == (0, "")
    assert {file["found"] for file in files["embedded"]} == {"right"}
    assert {file["found"] for file in files["muse-m5"]} <= {"unfetched", "right", "unknown"}


def test_one_pin_is_told_whole(tmp_path: Path) -> None:
    """With what the playground is started with, where its environment is to be made."""
    code, out, _ = run("pin", "embedded", "--json", MUSE_RUNTIME_DIR=str(tmp_path))

    told = json.loads(out)
    assert code == 0
    assert told["arguments"][0] == "--worker"
    assert told["arguments"][1].startswith(f"{tmp_path}/embedded/venv/bin/python -I -m playground.")
    assert not told["prepared"]
    assert run("pin", "embedded")[1].startswith("embedded: what CI runs")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        pytest.param(
            ("prepare", "muse-m5"),
            "muse-m5 cannot be prepared here: it needs macOS on Apple silicon, and this is ",
            marks=pytest.mark.skipif(HERE == "macos-arm64", reason="it can be, on this machine"),
        ),
        (("prepare", "nothing"), "unknown pin 'nothing'; known: embedded, embedded-prev"),
        (("prepare", "embedded", "--pip-args", "'"), "--pip-args or MUSE_PIP_ARGS: No closing"),
        (("pin",), "the following arguments are required: PIN; see python -m bootstrap pin --help"),
        (("pins", "--pins", "gone.toml"), "gone.toml: cannot be read: No such file"),
    ],
)
def test_what_is_used_wrongly_ends_with_two(argv: tuple[str, ...], said: str) -> None:
    """In one line."""
    code, _, err = run(*argv)

    assert code == 2
    assert err.startswith(f"bootstrap: {said}")
    assert err.count("\n") == 1


def test_an_error_is_json_where_that_was_asked_for() -> None:
    """With its kind, so that nobody has to read words."""
    code, out, err = run("pin", "nothing", "--json")

    assert (code, err) == (2, "")
    assert json.loads(out)["error"]["kind"] == "UnknownPin"


def test_it_needs_nothing_but_python(tmp_path: Path) -> None:
    """No package that is installed, and no folder but its own checkout's."""
    said = subprocess.run(
        [sys.executable, "-S", "-E", "-m", "bootstrap", "pin", "embedded"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (said.returncode, said.stderr) == (0, "")
