"""Is the machine known for what it is, by what its commands say?"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from bootstrap.machine.asking import Answer, Asking
from bootstrap.machine.facts import Machine, read_machine
from tests.bootstrap.fake_mac import fake_mac, sysctl

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = Machine("Darwin", "arm64", True, False, "Apple M5 Max", "26.1", 64 * 2**30, "ac")


def read(folder: Path, **changes: str | None) -> Machine:
    """A Mac whose commands say this."""
    return read_machine(Asking(fake_mac(folder / "a PATH é", changes)))


def test_a_mac_is_known_by_its_commands(tmp_path: Path) -> None:
    """All of it, and in a sentence."""
    machine = read(tmp_path)

    assert machine == MACHINE
    assert str(machine) == "Apple M5 Max, 64 GiB of memory, macOS 26.1 (arm64)"


def test_a_python_under_rosetta_is_told_from_an_old_mac(tmp_path: Path) -> None:
    """It says x86_64 as well, but the machine is Apple silicon."""
    rosetta = read(tmp_path, uname="echo Darwin x86_64", sysctl=sysctl(rosetta=1))
    intel = read(tmp_path, uname="echo Darwin x86_64", sysctl=sysctl(chip="Intel", arm64=False))

    assert rosetta == replace(MACHINE, architecture="x86_64", translated=True)
    assert "(x86_64 under Rosetta)" in str(rosetta)
    assert (intel.apple_silicon, intel.translated) == (False, False)


def test_what_cannot_be_found_out_is_empty(tmp_path: Path) -> None:
    """And breaks nothing."""
    machine = read(tmp_path, sysctl=None, sw_vers="exit 1", pmset="echo odd")

    assert machine == Machine("Darwin", "arm64", True, False, "", "", 0, "")
    assert read(tmp_path, pmset="echo \"'Battery Power'\"").power == "battery"


def test_where_no_command_answers_it_is_still_this_machine() -> None:
    """As Python knows it."""
    machine = read_machine(lambda *_: Answer(None))

    assert (machine.system, machine.architecture) == (os.uname().sysname, os.uname().machine)


def test_another_system_is_no_mac(tmp_path: Path) -> None:
    """Whatever its processor."""
    machine = read(tmp_path, uname="echo Linux aarch64")

    assert (machine.system, machine.apple_silicon, machine.os_version) == ("Linux", False, "")
    assert machine.memory_bytes > 0


def test_a_command_that_does_not_answer_is_an_answer(tmp_path: Path) -> None:
    """One that is not there, one that never ends, and one that is no program."""
    environ = fake_mac(tmp_path, {"slow": "exec sleep 60", "odd": ""})
    (tmp_path / "odd").write_bytes(b"\x00")
    ask = Asking(environ, patience_s=0.2)

    assert ask("gone") == Answer(None, err="there is no gone on the PATH")
    assert ask("slow").first == "no answer within 0.2 s"
    assert ask("odd").first == "cannot be run: Exec format error"
