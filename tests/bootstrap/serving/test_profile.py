"""Is it written what is started, and does a double click start it, wherever the checkout lies?"""

from __future__ import annotations

import json
import os
import stat
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.layout import Layout
from bootstrap.pinning.description import describe
from bootstrap.pinning.digest import digest
from bootstrap.running.stages import Work, run_stages
from bootstrap.serving.profile import (
    launcher_path,
    launcher_script,
    own_launcher,
    profile_path,
    profile_work,
)
from tests.bootstrap.wheels import pin

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ["plain", "with spaces", "it's", '"quoted"', "$HOME `id` \\n", "Müller 音", "new\nline"]


def work(places: Layout, *, finder: bool = True, port: int | None = None) -> Work:
    """The work, of a pin of a model that is there."""
    return profile_work(
        places, profile="embedded", pin=pin(places.root / "model"), port=port, finder=finder
    )


def do(made: Work) -> tuple[str, ...]:
    """What was run."""
    return run_stages(made.stages, made.folder.stamps, lambda _: None)


def checkout(tmp_path: Path) -> Layout:
    """A checkout, with no environment in it."""
    (tmp_path / "checkout").mkdir()
    return Layout(tmp_path / "checkout", tmp_path / "checkout" / ".runtime")


def test_what_is_started_is_what_the_pin_is_started_with(tmp_path: Path) -> None:
    """Read by the launcher, and by nobody but its owner."""
    places = checkout(tmp_path)

    assert do(work(places)) == ("profile", "launcher")
    kept = profile_path(places)
    assert json.loads(kept.read_bytes()) == {
        "schema": 1,
        "profile": "embedded",
        "pin": "p",
        "digest": digest(pin(places.root / "model")),
        "arguments": describe(pin(places.root / "model"), places)["arguments"],
    }
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert do(work(places)) == ()


def test_a_port_that_was_asked_for_is_kept(tmp_path: Path) -> None:
    """After what the pin is started with."""
    places = checkout(tmp_path)

    do(work(places, port=4000))

    assert json.loads(profile_path(places).read_bytes())["arguments"][-2:] == ["--port", "4000"]
    assert do(work(places, port=None)) == ("profile", "launcher")


def test_a_file_that_was_changed_is_written_again(tmp_path: Path) -> None:
    """Whoever wants other arguments gives them on the command line."""
    places = checkout(tmp_path)
    do(work(places))
    profile_path(places).write_text("{}")

    assert do(work(places)) == ("profile", "launcher")
    assert profile_path(places).read_text() != "{}"


def test_nothing_is_written_for_a_finder_that_is_not_there(tmp_path: Path) -> None:
    """As on Linux."""
    places = checkout(tmp_path)

    assert do(work(places, finder=False)) == ("profile",)
    assert not launcher_path(places.root).exists()


def test_the_launcher_can_be_opened_and_is_known_for_ours(tmp_path: Path) -> None:
    """So that it can be removed; nothing is left of how it was written."""
    places = checkout(tmp_path)
    do(work(places))

    assert stat.S_IMODE(launcher_path(places.root).stat().st_mode) == 0o755
    assert sorted(path.name for path in places.root.iterdir()) == [
        ".runtime",
        "Muse Glimmer.command",
        "model",
    ]
    assert own_launcher(places) == launcher_path(places.root)


def test_a_launcher_of_somebody_else_is_not_taken_for_ours(tmp_path: Path) -> None:
    """As that of what was made elsewhere for the same checkout."""
    places = checkout(tmp_path)
    do(work(replace(places, made=tmp_path / "elsewhere")))

    assert own_launcher(places) is None
    launcher_path(places.root).unlink()
    assert own_launcher(places) is None


@pytest.mark.parametrize("name", PLACES)
def test_the_launcher_starts_the_playground(tmp_path: Path, name: str) -> None:
    """From wherever it is opened, whatever the folder is called."""
    command = tmp_path / name / "bin" / "muse-playground"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "%s|" "$0" "$@"\n')
    command.chmod(0o755)
    script = tmp_path / name / "Muse Glimmer.command"
    script.write_bytes(os.fsencode(launcher_script(command)))
    script.chmod(0o755)

    subprocess.run(["sh", "-n", script], check=True)
    said = subprocess.run([script], cwd="/", capture_output=True, check=True).stdout

    assert os.fsdecode(said) == f"{command}|--open|"


def test_a_launcher_without_an_environment_says_what_to_do(tmp_path: Path) -> None:
    """As after a checkout was moved."""
    gone = tmp_path / "it's gone" / "muse-playground"

    said = subprocess.run(
        ["sh", "-c", launcher_script(gone)], capture_output=True, text=True, check=False
    )

    assert said.returncode == 1
    assert said.stderr == f'{gone} is not there: open "setup" in the same folder again\n'
