"""The pins of an older commit and those of today live side by side, under the same names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bootstrap.pinning.choosing import apart
from bootstrap.pinning.digest import digest
from bootstrap.pinning.pins_file import read_pins

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
