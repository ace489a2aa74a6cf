"""In which state is this machine, as far as that changes how fast it is?

    power source     mains, battery, or no battery at all
    low-power mode   what the system, or its user, asked for to save power
    OS build         which build of which system
    thermal          whether heat holds the processor back; told, and no ground to refuse
    browser          where a browser is driven

Linux is read from /sys and /etc, macOS from what `pmset` and `sw_vers` print.  What is not told is
not listed.  The readers of macOS were written from printed examples, and have not run on a Mac.
"""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Said = Callable[..., str]
    """What a command printed, by its words; empty where it is not there or failed."""

__all__ = [
    "browser_version",
    "linux_facts",
    "machine_facts",
    "macos_facts",
    "said",
]

MODES = {"0": "off", "1": "on", "2": "high power"}
"""Of macOS's `lowpowermode`, and of `powermode`, which took its place."""


def machine_facts(*, browser: str | None = None) -> Mapping[str, str]:
    """How this machine stands; `browser` is the command of the browser that will be driven."""
    found = macos_facts(said) if platform.system() == "Darwin" else linux_facts()
    return {**found, "browser": browser_version(browser, said)} if browser else found


def linux_facts(root: Path = Path("/")) -> Mapping[str, str]:
    """The same of Linux; `root` is where its /sys and /etc are."""
    modes = {
        "profile": _text(root / "sys/firmware/acpi/platform_profile"),
        "governor": _text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    }
    counts = (root / "sys/devices/system/cpu").glob("cpu*/thermal_throttle/core_throttle_count")
    throttled = [int(text) for path in counts if (text := _text(path)).isdecimal()]
    return _known(
        {
            "power source": _linux_power_source(root / "sys/class/power_supply"),
            "low-power mode": ", ".join(f"{name} {mode}" for name, mode in modes.items() if mode),
            "OS build": _linux_build(root),
            "thermal": f"held back {sum(throttled)} times since boot" if throttled else "",
        }
    )


def macos_facts(ask: Said) -> Mapping[str, str]:
    """The same of macOS."""
    return _known(
        {
            "power source": macos_power_source(ask("pmset", "-g", "batt")),
            "low-power mode": macos_low_power(ask("pmset", "-g")),
            "OS build": macos_build(ask("sw_vers")),
            "thermal": macos_thermal(ask("pmset", "-g", "therm")),
        }
    )


def macos_power_source(text: str) -> str:
    """`mains` or `battery`, of `pmset -g batt`; empty where it does not say."""
    found = re.search(r"drawing from '([^']+)'", text)
    return (
        {"AC Power": "mains", "Battery Power": "battery"}.get(found[1], found[1]) if found else ""
    )


def macos_low_power(text: str) -> str:
    """`on`, `off` or `high power`, of `pmset -g`; empty where it does not say."""
    found = re.search(r"^\s*(?:low)?powermode\s+(\d+)", text, re.MULTILINE)
    return MODES.get(found[1], found[1]) if found else ""


def macos_build(text: str) -> str:
    """`macOS 15.5 (24F74)`, of `sw_vers`; empty where it does not say."""
    told = {key.strip(): value.strip() for key, _, value in _pairs(text, ":")}
    if "BuildVersion" not in told:
        return ""
    return (
        f"{told.get('ProductName', '')} {told.get('ProductVersion', '')} ({told['BuildVersion']})"
    )


def macos_thermal(text: str) -> str:
    """What `pmset -g therm` says of limits: none, or the processor's speed in percent."""
    told = {key.strip(): value.strip() for key, _, value in _pairs(text, "=")}
    if speed := told.get("CPU_Speed_Limit"):
        return "not held back" if speed == "100" else f"held back to {speed} % of its speed"
    return "not held back" if "No thermal warning" in text else ""


def browser_version(command: str, ask: Said) -> str:
    """Name and version of a browser; its command where it does not say."""
    return ask(command, "--version") or Path(command).name


def said(*command: str) -> str:
    """What a command printed; empty where it is not there or failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _linux_power_source(supplies: Path) -> str:
    told = [_supply(each) for each in sorted(supplies.glob("*"))]
    batteries = [each for each in told if each["type"] == "Battery"]
    if not batteries:
        return "no battery"
    plugged = any(each["type"] != "Battery" and each["online"] == "1" for each in told)
    draining = any(each["status"] == "Discharging" for each in batteries)
    return "battery" if draining or not plugged else "mains"


def _supply(folder: Path) -> Mapping[str, str]:
    return {name: _text(folder / name) for name in ("type", "online", "status")}


def _linux_build(root: Path) -> str:
    release = {
        key: value.strip('"') for key, _, value in _pairs(_text(root / "etc/os-release"), "=")
    }
    kernel = _text(root / "proc/sys/kernel/version")
    return ", ".join(each for each in (release.get("PRETTY_NAME", ""), kernel) if each)


def _pairs(text: str, sign: str) -> list[tuple[str, str, str]]:
    return [line.partition(sign) for line in text.splitlines() if sign in line]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _known(found: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in found.items() if value}
