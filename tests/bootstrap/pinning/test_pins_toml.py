"""Does the project's own pins file say what is true of the project?"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bootstrap.pinning.choosing import choose
from bootstrap.pinning.digest import digest
from bootstrap.pinning.model_folder import model_in
from bootstrap.pinning.pins_file import read_pins
from bootstrap.pinning.verification import Found, findings

ROOT = Path(__file__).parents[3]
PINS = read_pins(ROOT / "bootstrap" / "pins.toml")


def test_the_pins_that_are_promised_are_there() -> None:
    """Two releases side by side, and the one that the system is specified for."""
    assert {"embedded", "embedded-prev", "muse-m5"} <= PINS.pins.keys()
    assert PINS.default == "embedded"


def test_the_shipped_model_is_what_is_pinned() -> None:
    """Every file, byte for byte; a model that was made anew is pinned anew."""
    found = {finding.path.name: finding.found for finding in findings(PINS.pins["embedded"])}
    shipped = {path.name for path in (ROOT / "playground/models/muse-nano").iterdir()}

    assert found == dict.fromkeys(shipped, Found.RIGHT)


def test_the_pinned_model_is_the_one_of_its_folder() -> None:
    """What the manifest lists and what is pinned are the same files, with the same roles."""
    by_folder = model_in(ROOT / "playground/models/muse-nano")

    assert {file.path: file for file in by_folder.files} == {
        file.path: file for file in PINS.models["muse-nano"].files
    }


def test_the_embedded_pin_is_the_release_that_the_extra_installs() -> None:
    """Otherwise CI would gate another runtime than people get."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["embedded"]
    runtime = PINS.runtimes["embedded"]

    assert {f"executorch=={runtime.executorch}", f"torch=={runtime.torch}"} <= set(extra)


def test_the_two_embedded_pins_differ_in_the_release_alone() -> None:
    """So that a difference between them is ExecuTorch's."""
    release = PINS.runtimes["embedded"].executorch

    same = choose(f"executorch=={release}", PINS, ROOT)
    previous = choose("executorch==1.5.0", PINS, ROOT)

    assert digest(same) == digest(PINS.pins["embedded"])
    assert digest(previous) == digest(PINS.pins["embedded-prev"])
    assert digest(previous) != digest(same)


@pytest.mark.parametrize("table", [PINS.runtimes, PINS.models, PINS.pins])
def test_everything_has_its_reason(table: dict[str, object]) -> None:
    """A pin without a reason is one that nobody dares to change."""
    assert all(len(str(getattr(each, "why", ""))) > 10 for each in table.values())
