"""What has been prepared is not prepared again, and what was broken off is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.peers.workplace import PreparationFailed, Workplace, digest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """An empty one that says nothing."""
    return Workplace(tmp_path, say=lambda _text: None)


def test_a_step_is_done_once(place: Workplace) -> None:
    """The second time its path is there."""
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text("whole")

    first = place.step("a", place.root / "a", make)
    second = place.step("a", place.root / "a", make)

    assert first == second
    assert len(made) == 1
    assert first.read_text() == "whole"


def test_a_step_that_broke_off_is_begun_again(place: Workplace) -> None:
    """Half of a folder is never taken for the whole."""

    def break_off(path: Path) -> None:
        path.mkdir()
        (path / "half").touch()
        raise PreparationFailed("no more room")

    with pytest.raises(PreparationFailed):
        place.step("a", place.root / "a", break_off)
    whole = place.step("a", place.root / "a", lambda path: path.mkdir())

    assert list(whole.iterdir()) == []


def test_a_command_that_fails_is_told_with_its_last_words(place: Workplace) -> None:
    """And with the log that has all of them."""
    script = "print('no compiler'); raise SystemExit(3)"

    with pytest.raises(PreparationFailed, match=r"ended with 3(?s:.)*no compiler"):
        place.run("a", [sys.executable, "-c", script])


def test_a_command_that_is_not_there_is_told(place: Workplace) -> None:
    """As any other failure."""
    with pytest.raises(PreparationFailed, match="nothing-of-this-name"):
        place.run("a", ["nothing-of-this-name"])


def test_other_contents_have_another_digest(tmp_path: Path) -> None:
    """So that what is made from them is made anew."""
    file = tmp_path / "weights"
    file.write_bytes(b"a")
    before = digest([file])
    file.write_bytes(b"b")

    assert before != digest([file])
