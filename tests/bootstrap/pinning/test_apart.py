"""The pins of an older commit and those of today live side by side, under the same names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.pinning.choosing import apart
from bootstrap.pinning.digest import digest
from bootstrap.pinning.pins_file import read_pins

if TYPE_CHECKING:
    from bootstrap.pinning.pins import Pin

OWN = read_pins(Path(__file__).parents[3] / "bootstrap" / "pins.toml")
PIN = OWN.pins["embedded"]
OLDER = replace(PIN, runtime=replace(PIN.runtime, executorch="1.4.0"))


def test_a_runtime_that_is_the_same_has_the_same_environment() -> None:
    """Whatever the other file calls it, and why."""
    other = replace(PIN, runtime=replace(PIN.runtime, name="mine", why="because"))

    assert apart(other, OWN).runtime.name == PIN.runtime.name


def test_a_runtime_that_is_another_has_an_environment_of_its_own() -> None:
    """Of the same name it would be installed over the one that is there."""
    found = apart(OLDER, OWN)

    assert found.runtime.name.startswith("embedded-")
    assert found.runtime.name not in OWN.runtimes
    assert apart(OLDER, OWN) == found


def test_it_is_the_same_pin_wherever_it_lives() -> None:
    """Its digest is of what it says, and its name is what was asked for."""
    found = apart(OLDER, OWN)

    assert (digest(found), found.name) == (digest(OLDER), "embedded")


FETCHED = OWN.pins["muse-m5"]
ELSEWHERE = Path("/of/another/commit/.runtime/models/muse-glimmer")


def in_folder(pin: Pin, folder: Path, revision: str = "") -> Pin:
    """The pin, with its model in a folder, of another revision where one is named."""
    model = replace(pin.model, folder=folder, revision=revision or pin.model.revision)
    return replace(pin, model=replace(model, why="another file's reason"))


def test_a_model_that_is_fetched_is_not_fetched_for_each_checkout() -> None:
    """The base of a pull request has the gigabytes that are here already."""
    found = apart(in_folder(FETCHED, ELSEWHERE), OWN)

    assert found.model.folder == FETCHED.model.folder


def test_a_model_that_is_another_stays_in_its_own_folder() -> None:
    """Of another revision it would be fetched over the one that is there."""
    found = apart(in_folder(FETCHED, ELSEWHERE, revision="older"), OWN)

    assert found.model.folder == ELSEWHERE


def test_a_folder_that_somebody_chose_is_kept() -> None:
    """A pins file of one's own may say where the files are."""
    disk = Path("/Volumes/large/muse-glimmer")

    assert apart(in_folder(FETCHED, disk), OWN).model.folder == disk


def test_a_model_that_ships_is_that_of_its_own_checkout() -> None:
    """What an older commit ships is what it is asked for."""
    shipped = Path("/of/another/commit/playground/models/muse-nano")

    assert apart(in_folder(PIN, shipped), OWN).model.folder == shipped
