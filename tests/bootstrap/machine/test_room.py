"""Is each disk looked at once, with all that goes there?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.machine.room import HEADROOM_BYTES, Disk, Room, look_at_disk, room_for
from bootstrap.running.sizes import in_words

if TYPE_CHECKING:
    from pathlib import Path


def test_what_goes_to_one_disk_is_summed_up(tmp_path: Path) -> None:
    """Whatever the folders are."""
    disks = {"a": Disk(1, 100), "b": Disk(2, 200), "c": Disk(1, 100)}
    due = [(tmp_path / "a", 10), (tmp_path / "b", 20), (tmp_path / "c", 30)]

    rooms = room_for(due, lambda path: disks[path.name])

    assert rooms == (Room(tmp_path / "a", 40, 100), Room(tmp_path / "b", 20, 200))


def test_some_of_a_disk_stays_free(tmp_path: Path) -> None:
    """But where nothing is to be made, none has to be."""
    assert Room(tmp_path, 1, HEADROOM_BYTES + 1).enough
    assert not Room(tmp_path, 2, HEADROOM_BYTES + 1).enough
    assert Room(tmp_path, 0, 0).enough


def test_a_folder_that_is_not_there_yet_is_on_the_disk_of_the_one_above(tmp_path: Path) -> None:
    """Nothing is made by looking."""
    there = look_at_disk(tmp_path)

    assert look_at_disk(tmp_path / "not" / "yet").device == there.device
    assert there.free_bytes > 0
    assert list(tmp_path.iterdir()) == []


def test_sizes_are_said_in_thousands() -> None:
    """Up to three digits, as disks are sold."""
    said = {0: "0 B", 999: "999 B", 1_000: "1.0 kB", 21_055_028_608: "21.1 GB"}
    said |= {6_291_456: "6.3 MB", 999_600: "1.0 MB", 150_000_000: "150 MB", 5 * 10**15: "5000 TB"}

    assert {size: in_words(size) for size in said} == said
