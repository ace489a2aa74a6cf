"""Which machine is this, has it room for the model, and how is it fed?"""

from __future__ import annotations

import os
import platform
import re
from typing import TYPE_CHECKING

from playground.doctor.finding import Finding, State
from playground.launch.instance import model_asked_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playground.doctor.patient import Patient

__all__ = ["look_at_machine", "look_at_memory", "look_at_power"]

GIB = 2**30
HEADROOM_BYTES = 8 * GIB
"""What a large model wants beside its weights: caches, the system, a browser."""
LARGE_BYTES = 2 * GIB


def look_at_machine(patient: Patient) -> Iterator[Finding]:
    """System, chip, and what this Python was built for."""
    if patient.is_mac:
        version = patient.ask("sw_vers", "-productVersion").out.strip() or "of an unknown version"
        told = _sysctl(patient)
        chip = told.get("machdep.cpu.brand_string")
        translated = told.get("sysctl.proc_translated") == "1"
        found = f"macOS {version}, {chip or 'an unknown chip'}, {platform.machine()}"
        if translated:
            todo = "use a Python for arm64: this one runs under Rosetta, and so would all it builds"
            yield Finding("machine", State.FAIL, found, todo)
            return
    else:
        chip = _processor(patient.proc)
        cores = f"{os.cpu_count()} processors"
        found = ", ".join(
            filter(None, [platform.system(), platform.release(), chip, platform.machine(), cores])
        )
    yield Finding("machine", State.OK, found)


def look_at_memory(patient: Patient) -> Iterator[Finding]:
    """Whether the model fits, with room beside it."""
    memory = memory_bytes(patient)
    if memory is None:
        yield Finding("memory", State.NOT_RUN, "the system does not say how much there is")
        return
    model = model_asked_for(patient.settings)
    size = (model.artifact_bytes if model else None) or 0
    found = f"{memory / GIB:.1f} GiB"
    if size:
        found += f", and the model has {size / GIB:.2f} GiB"
    if size > memory:
        todo = "serve a smaller model (--model-dir), or use a machine with more memory"
        yield Finding("memory", State.FAIL, found, todo)
    elif size > LARGE_BYTES and size + HEADROOM_BYTES > memory:
        todo = f"close what you can: less than {HEADROOM_BYTES // GIB} GiB are left beside it"
        yield Finding("memory", State.WARN, found, todo)
    else:
        yield Finding("memory", State.OK, found)


def look_at_power(patient: Patient) -> Iterator[Finding]:
    """Mains or battery, and whether the system saves power: both change what is measured."""
    source, saving = _mac_power(patient) if patient.is_mac else _linux_power(patient.sys)
    found = source + (", low-power mode is on" if saving else "")
    if saving or source.startswith("battery"):
        todo = "plug it in and switch low-power mode off before you measure anything"
        yield Finding("power", State.WARN, found, todo)
    else:
        yield Finding("power", State.OK, found)


def memory_bytes(patient: Patient) -> int | None:
    """Of the whole machine."""
    if patient.is_mac:
        said = _sysctl(patient).get("hw.memsize", "")
        return int(said) if said.isdecimal() else None
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None


def _sysctl(patient: Patient) -> dict[str, str]:
    """Values by name; with their names, since one that is not known would shift the others."""
    names = ("hw.memsize", "machdep.cpu.brand_string", "sysctl.proc_translated")
    pairs = (line.partition(": ") for line in patient.ask("sysctl", *names).out.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _processor(proc: Path) -> str:
    try:
        text = (proc / "cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def _mac_power(patient: Patient) -> tuple[str, bool]:
    """`pmset` in Apple's words: drawing from 'AC Power'; `lowpowermode 1`."""
    drawing = re.search(r"from '([^']+)'", patient.ask("pmset", "-g", "batt").out)
    said = patient.ask("pmset", "-g").out
    mode = re.search(r"^\s*(?:lowpowermode|powermode)\s+1\b", said, re.MULTILINE)
    source = "a source that pmset does not tell" if drawing is None else drawing[1]
    return {"AC Power": "mains", "Battery Power": "battery"}.get(source, source), mode is not None


def _linux_power(sys: Path) -> tuple[str, bool]:
    supplies = {}
    for folder in sorted((sys / "class" / "power_supply").glob("*")):
        kind, online = _read(folder / "type"), _read(folder / "online")
        if _read(folder / "scope") != "Device":  # a mouse has a battery of its own
            supplies[folder.name] = (kind, online)
    saving = _read(sys / "firmware" / "acpi" / "platform_profile") == "low-power"
    if any(kind != "Battery" and online == "1" for kind, online in supplies.values()):
        return "mains", saving
    if any(kind == "Battery" for kind, _ in supplies.values()):
        return "battery", saving
    return "no battery that the system knows of", saving


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
