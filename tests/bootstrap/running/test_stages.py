"""Is done work not done again, and cut work gone on with?"""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import StageFailed
from bootstrap.running.stages import Stage, due, run_stages, void

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class Cut(BaseException):
    """The process was killed here, as far as the disk can tell."""


def cut() -> None:
    """A stage that never comes to its end."""
    raise Cut


def stages(
    *names: str, made_of: object = "this", make: Callable[[], None] = lambda: None, spoils: str = ""
) -> list[Stage]:
    """A row of stages; `make` and `spoils` are the second one's, `made_of` all the rest's."""
    row = [Stage(name, f"makes {name}", {"of": "this"}, lambda: None) for name in names]
    row[1] = replace(row[1], made_of={"of": made_of}, make=make, spoils=spoils)
    return row


def run(row: Sequence[Stage], folder: Path) -> tuple[str, ...]:
    """The names of those that were run."""
    return run_stages(row, folder / "stamps", lambda _: None)


def test_each_stage_is_run_once(tmp_path: Path) -> None:
    """In order; the second time there is nothing to do."""
    row = stages("a", "b", "c")

    assert run(row, tmp_path) == ("a", "b", "c")
    assert run(row, tmp_path) == ()


def test_a_change_makes_all_behind_it_be_done_again(tmp_path: Path) -> None:
    """And nothing before it."""
    run(stages("a", "b", "c"), tmp_path)

    assert run(stages("a", "b", "c", made_of="that"), tmp_path) == ("b", "c")
    assert run(stages("a", "b", "c", made_of="that"), tmp_path) == ()


def test_what_is_no_longer_there_is_made_again(tmp_path: Path) -> None:
    """Whatever its stamp says."""
    run(stages("a", "b", "c"), tmp_path)
    row = stages("a", "b", "c")
    row[1] = replace(row[1], is_there=lambda: False)

    assert run(row, tmp_path) == ("b", "c")


def test_a_run_that_was_cut_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was done before stays done."""
    with pytest.raises(Cut):
        run(stages("a", "b", "c", make=cut), tmp_path)

    assert run(stages("a", "b", "c"), tmp_path) == ("b", "c")


def test_one_that_leaves_half_of_something_begins_on_new_ground(tmp_path: Path) -> None:
    """Where it was cut, and where it was done of something else."""
    with pytest.raises(Cut):
        run(stages("a", "b", "c", make=cut, spoils="a"), tmp_path)

    assert run(stages("a", "b", "c", spoils="a"), tmp_path) == ("a", "b", "c")
    assert run(stages("a", "b", "c", spoils="a", made_of="that"), tmp_path) == ("a", "b", "c")
    assert run(stages("a", "b", "c", spoils="a", made_of="that"), tmp_path) == ()


def test_new_ground_that_was_cut_is_made_again(tmp_path: Path) -> None:
    """The old product stands on it no longer, whatever stamp it had."""
    run(stages("a", "b", "c", spoils="a"), tmp_path)
    row = stages("a", "b", "c", spoils="a", made_of="that")
    with pytest.raises(Cut):
        run([replace(row[0], make=cut), *row[1:]], tmp_path)

    assert run(stages("a", "b", "c", spoils="a"), tmp_path) == ("a", "b", "c")


def test_what_is_done_is_told_in_lines(tmp_path: Path) -> None:
    """One when a stage begins, one when it has ended."""
    lines: list[str] = []

    run_stages(stages("a", "b"), tmp_path, lines.append)

    assert lines[0] == "a: makes a …"
    assert lines[1].startswith("a: done in ")
    assert len(lines) == 4


def test_what_is_due_can_be_told_beforehand(tmp_path: Path) -> None:
    """And nothing is written by that."""
    row = stages("a", "b", "c", spoils="a")
    stamps = tmp_path / "stamps"

    assert due(row, stamps) == ("a", "b", "c")
    assert not stamps.exists()
    run(row, tmp_path)
    assert due(row, stamps) == ()
    assert due(row, stamps, {"c"}) == ("c",)
    assert due(row, stamps, {"b"}) == ("a", "b", "c")
    assert due(row, stamps) == ()


@pytest.mark.parametrize(("name", "again"), [("a", "abc"), ("b", "bc"), ("c", "c")])
def test_a_void_stage_is_done_again_with_all_behind_it(
    tmp_path: Path, name: str, again: str
) -> None:
    """As the plan said."""
    row = stages("a", "b", "c")
    run(row, tmp_path)
    void(row, tmp_path / "stamps", name)

    assert run(row, tmp_path) == tuple(again)


def test_a_void_stage_that_leaves_half_of_something_begins_on_new_ground(tmp_path: Path) -> None:
    """As if it had been cut."""
    row = stages("a", "b", "c", spoils="a")
    run(row, tmp_path)
    void(row, tmp_path / "stamps", "b")

    assert run(row, tmp_path) == ("a", "b", "c")


def test_a_run_can_end_early(tmp_path: Path) -> None:
    """What is behind is still to be done, though it was done before."""
    row = stages("a", "b", "c")
    assert run_stages(row, tmp_path / "stamps", lambda _: None, until="b") == ("a", "b")
    assert run(row, tmp_path) == ("c",)
    changed = stages("a", "b", "c", made_of="that")

    assert run_stages(changed, tmp_path / "stamps", lambda _: None, until="b") == ("b",)
    assert run(changed, tmp_path) == ("c",)


def test_what_the_system_refuses_is_told_of_the_stage(tmp_path: Path) -> None:
    """A full disk with what to do about it."""

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "a file é")

    with pytest.raises(StageFailed) as caught:
        run(stages("a", "b", make=full), tmp_path)

    assert str(caught.value).startswith("stage b: [Errno")
    assert "No space left on device: 'a file é'" in str(caught.value)
    assert "try: make room on that disk, and run it again" in str(caught.value)
