"""How a machine stands is read from what its system tells; what is not told is not listed.

The texts of macOS are as its manuals print them: nobody has run them on a Mac.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.gate.machine_facts import (
    browser_version,
    linux_facts,
    machine_facts,
    macos_facts,
    said,
)
from harness.gate.memory import parse_ps, parse_statm, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

MACOS = {
    ("pmset", "-g", "batt"): (
        "Now drawing from 'AC Power'\n"
        " -InternalBattery-0 (id=4653155)\t100%; charged; 0:00 remaining present: true\n"
    ),
    ("pmset", "-g"): (
        "System-wide power settings:\nCurrently in use:\n standby              1\n"
        " lowpowermode         0\n displaysleep         10\n"
    ),
    ("pmset", "-g", "therm"): (
        "Note: No thermal warning level has been recorded\n"
        "Note: No performance warning level has been recorded\n"
        "Note: No CPU power status has been recorded\n"
    ),
    ("sw_vers",): "ProductName:\t\tmacOS\nProductVersion:\t\t15.5\nBuildVersion:\t\t24F74\n",
}


def of_macos(**changed: str) -> Mapping[str, str]:
    """The facts, where a command says something else."""
    texts = {**MACOS, **{tuple(command.split("_")): text for command, text in changed.items()}}
    return macos_facts(lambda *command: texts.get(command, ""))


def test_macos_on_its_charger() -> None:
    """Everything is told."""
    assert of_macos() == {
        "power source": "mains",
        "low-power mode": "off",
        "OS build": "macOS 15.5 (24F74)",
        "thermal": "not held back",
    }


def test_macos_on_its_battery_and_warm() -> None:
    """And with the mode to save power, under the name that it has on newer systems."""
    texts = {
        ("pmset", "-g", "batt"): "Now drawing from 'Battery Power'\n",
        ("pmset", "-g"): " powermode            1\n",
        ("pmset", "-g", "therm"): " CPU_Scheduler_Limit \t= 100\n CPU_Speed_Limit \t= 72\n",
    }

    assert macos_facts(lambda *command: texts.get(command, "")) == {
        "power source": "battery",
        "low-power mode": "on",
        "thermal": "held back to 72 % of its speed",
    }


def test_a_system_that_tells_nothing() -> None:
    """Is a machine of which nothing is known."""
    assert macos_facts(lambda *_: "") == {}


def linux(folder: Path, files: Mapping[str, str]) -> Mapping[str, str]:
    """The facts of a system with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return linux_facts(folder)


SUPPLY = "sys/class/power_supply"
PLUGGED = {f"{SUPPLY}/AC/type": "Mains", f"{SUPPLY}/AC/online": "1"}
BATTERY = {f"{SUPPLY}/BAT0/type": "Battery", f"{SUPPLY}/BAT0/status": "Charging"}


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({}, "no battery"),
        (PLUGGED, "no battery"),
        ({**PLUGGED, **BATTERY}, "mains"),
        ({**PLUGGED, **BATTERY, f"{SUPPLY}/BAT0/status": "Discharging"}, "battery"),
        ({**PLUGGED, **BATTERY, f"{SUPPLY}/AC/online": "0"}, "battery"),
        (BATTERY, "battery"),
    ],
)
def test_linux_and_its_power(tmp_path: Path, files: Mapping[str, str], source: str) -> None:
    """A battery that empties while the plug is in is a machine that has too little of it."""
    assert linux(tmp_path, files) == {"power source": source}


def test_linux_with_everything(tmp_path: Path) -> None:
    """The counts of all processors are added up."""
    cpu = "sys/devices/system/cpu"

    found = linux(
        tmp_path,
        {
            "etc/os-release": 'NAME="Some"\nPRETTY_NAME="Some Linux 12"',
            "proc/sys/kernel/version": "#1 SMP",
            "sys/firmware/acpi/platform_profile": "balanced",
            f"{cpu}/cpu0/cpufreq/scaling_governor": "powersave",
            f"{cpu}/cpu0/thermal_throttle/core_throttle_count": "2",
            f"{cpu}/cpu1/thermal_throttle/core_throttle_count": "3",
        },
    )

    assert found == {
        "power source": "no battery",
        "low-power mode": "profile balanced, governor powersave",
        "OS build": "Some Linux 12, #1 SMP",
        "thermal": "held back 5 times since boot",
    }


def test_this_machine_tells_its_build_and_its_browser() -> None:
    """A browser that does not say its version is told by its command."""
    assert machine_facts()["OS build"]
    assert machine_facts(browser="no-such-browser")["browser"] == "no-such-browser"
    assert browser_version("/bin/some", lambda *command: f"Some 1 {command[1]}") == (
        "Some 1 --version"
    )


def test_a_command_that_fails_said_nothing() -> None:
    """And neither does one that is not there."""
    assert (said("false"), said("no-such-command"), said("echo", "a")) == ("", "", "a")


def test_memory_is_read_in_bytes() -> None:
    """Linux counts pages, macOS KiB; a process that is gone has none."""
    assert parse_statm("500 300 20 1 0 9 0", 4096) == 300 * 4096
    assert (parse_statm("500 0 0 1 0 9 0", 4096), parse_statm("", 4096)) == (None, None)
    assert (parse_ps("  1024\n"), parse_ps(""), parse_ps("0")) == (2**20, None, None)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system has no /proc")
def test_our_own_memory_is_known(tmp_path: Path) -> None:
    """And that of nobody is not."""
    assert (resident_bytes(os.getpid()) or 0) > 2**20
    assert resident_bytes(os.getpid(), proc=tmp_path) is None
