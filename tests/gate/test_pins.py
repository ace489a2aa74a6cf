"""The pins that are broken on purpose are `embedded` with another worker, and nothing else."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap.pinning.pins_file import read_pins

PINS = read_pins(Path(__file__).with_name("pins.toml"))
BROKEN = ("throttled-10", "throttled-30", "forgetful", "pretending", "lying")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_pin_is_the_pinned_one_with_another_worker(name: str) -> None:
    """Else a gate would find something else than what was broken."""
    sound, broken = PINS.pins["embedded"], PINS.pins[name]

    assert broken.runtime == sound.runtime
    assert broken.model == sound.model
    assert replace(broken.options, worker="") == sound.options
    assert importlib.util.find_spec(broken.options.worker) is not None
