"""Which machine is this? What decides about a profile, as values.

What is read, in Apple's own words: `uname -sm`, `sysctl`, `sw_vers`, `pmset`.  A Python that runs
under Rosetta says `x86_64` and would build for it, though the machine is Apple silicon; so both are
told, the machine and whether we are translated.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bootstrap.machine.asking import Ask

__all__ = ["Machine", "read_machine"]

SYSCTLS = (
    "hw.memsize",
    "machdep.cpu.brand_string",
    "hw.optional.arm64",
    "sysctl.proc_translated",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What is known of it; empty or 0 is what could not be found out."""

    system: str
    """`Darwin`, `Linux`."""
    architecture: str
    """What this process runs as: `arm64`, `x86_64`, `aarch64`."""
    apple_silicon: bool
    translated: bool
    """Whether this process runs under Rosetta."""
    chip: str
    """`Apple M5 Max`."""
    os_version: str
    """macOS's, `26.1`; empty elsewhere."""
    memory_bytes: int
    power: str
    """`ac`, `battery`, or empty."""

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)

    def __str__(self) -> str:
        memory = f"{self.memory_bytes / 2**30:.0f} GiB of memory" if self.memory_bytes else ""
        system = f"macOS {self.os_version}" if self.system == "Darwin" else self.system
        kind = f"{self.architecture}{' under Rosetta' if self.translated else ''}"
        return ", ".join(part for part in (self.chip, memory, f"{system} ({kind})") if part)


def read_machine(ask: Ask) -> Machine:
    """This machine, or the one that the commands speak of."""
    said = ask("uname", "-sm")
    here = os.uname()
    system, _, architecture = (said.out.strip() if said.ok else "").partition(" ")
    system, architecture = system or here.sysname, architecture or here.machine
    if system == "Darwin":
        return _mac(ask, architecture)
    return Machine(
        system=system,
        architecture=architecture,
        apple_silicon=False,
        translated=False,
        chip=_processor(),
        os_version="",
        memory_bytes=_memory_bytes(),
        power="",
    )


def _mac(ask: Ask, architecture: str) -> Machine:
    # Without -n, since a name that is not known would shift the values of those behind it.
    lines = (line.partition(": ") for line in ask("sysctl", *SYSCTLS).out.splitlines())
    found = {name.strip(): value.strip() for name, _, value in lines}
    version = ask("sw_vers", "-productVersion")
    power = re.search(r"'(AC|Battery) Power'", ask("pmset", "-g", "batt").out)
    memory = found.get("hw.memsize", "")
    return Machine(
        system="Darwin",
        architecture=architecture,
        apple_silicon=architecture == "arm64" or found.get("hw.optional.arm64") == "1",
        translated=found.get("sysctl.proc_translated") == "1",
        chip=found.get("machdep.cpu.brand_string", ""),
        os_version=version.out.strip() if version.ok else "",
        memory_bytes=int(memory) if memory.isdecimal() else 0,
        power={"AC": "ac", "Battery": "battery"}[power[1]] if power else "",
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0
