"""Has this machine what the setup needs? Every condition is looked at, in this order:

    macos    14 or newer: MLX's kernels need it
    chip     Apple silicon, and a Python that is not translated
    memory   the program, and room beside it
    xcode    the whole of it, selected: its command-line tools alone have no Metal compiler
    metal    Xcode's Metal compiler, which is a component of its own since Xcode 26
    git      fetches the pinned source
    node     builds the page: ^20.19 or >= 22.12, with npm

Nothing is installed and nothing is changed by looking: without developer tools the commands of
`/usr/bin` that stand for them open the window of an installer, and are not asked.  All that is
missing is told at once, each with what was found and what to do.  Free disk is `room`'s question.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from bootstrap.machine.asking import Answer, Ask
    from bootstrap.machine.facts import Machine

__all__ = ["CONDITIONS", "INSTALL_METAL", "Condition", "State", "look"]

GIB = 2**30
OLDEST_MACOS = (14, 0)
"""MLX's: its build refuses an older deployment target."""
OLDEST_XCODE = (15, 0)
"""The first one with the SDK of macOS 14."""
NODE = ((20, 19), (22, 12))
"""From the first one on within its major version; from the second one on, whatever the version."""
INSTALL_XCODE = "install Xcode from the App Store, and start it once"
HOMEBREW = "/opt/homebrew/bin"
"""Where Homebrew has its commands on Apple silicon; a PATH knows of it where a shell was told."""
INSTALL_METAL = ("xcodebuild", "-downloadComponent", "MetalToolchain")
"""What installs the Metal compiler; Apple distributes it through Xcode alone."""


class State(Enum):
    """How a condition was found."""

    OK = "ok"
    MISSING = "missing"
    OLD = "old"
    """It is there, and cannot be used as it is: mostly since it is too old."""
    NOT_NEEDED = "not-needed"
    """Nobody needs it for what is to be done, so nobody looked."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, looked at."""

    name: str
    state: State
    found: str = ""
    hint: str = ""
    """What to do; empty where nothing is wrong."""

    @property
    def wrong(self) -> bool:
        """Whether it stands in the way."""
        return self.state in {State.MISSING, State.OLD}

    def to_json(self) -> dict[str, str]:
        """For `--json`."""
        return {
            "name": self.name,
            "state": self.state.value,
            "found": self.found,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        return f"{self.name}: {self.found}" + (f"\n    {self.hint}" if self.hint else "")


def look(
    machine: Machine, ask: Ask, *, wanted: Collection[str], memory_bytes: int
) -> tuple[Condition, ...]:
    """All conditions; those that are not `wanted` are not looked at.

    `memory_bytes` is what the machine has to have.  Commands are asked side by side: the first
    call of an Xcode tool takes a second or two.
    """
    looks: dict[str, Callable[[], Condition]] = {
        "macos": lambda: _macos(machine),
        "chip": lambda: _chip(machine),
        "memory": lambda: _memory(machine, memory_bytes),
        "xcode": lambda: _xcode(ask),
        "metal": lambda: _metal(ask),
        "git": lambda: _git(ask),
        "node": lambda: _node(ask),
    }
    with ThreadPoolExecutor() as pool:
        found = {name: pool.submit(looks[name]) for name in CONDITIONS if name in wanted}
        return tuple(
            found[name].result() if name in found else Condition(name, State.NOT_NEEDED)
            for name in CONDITIONS
        )


CONDITIONS = ("macos", "chip", "memory", "xcode", "metal", "git", "node")
"""Their names, in order."""


def _macos(machine: Machine) -> Condition:
    if machine.system != "Darwin":
        return Condition("macos", State.MISSING, f"this is {machine.system}", "use a Mac")
    found = f"macOS {machine.os_version or 'of an unknown version'}"
    if _version(machine.os_version) < OLDEST_MACOS:
        hint = f"update to macOS {OLDEST_MACOS[0]} or newer"
        return Condition("macos", State.OLD, found, hint)
    return Condition("macos", State.OK, found)


def _chip(machine: Machine) -> Condition:
    found = machine.chip or machine.architecture
    if not machine.apple_silicon:
        return Condition("chip", State.MISSING, found, "use a Mac with Apple silicon")
    if machine.translated or machine.architecture != "arm64":
        return Condition(
            "chip",
            State.OLD,
            f"{found}, but this Python is one for {machine.architecture} and runs under Rosetta",
            "run ./setup, which passes over such a Python, and brings one where there is no other",
        )
    return Condition("chip", State.OK, found)


def _memory(machine: Machine, needed: int) -> Condition:
    found = f"{machine.memory_bytes / GIB:.0f} GiB" if machine.memory_bytes else "unknown"
    if machine.memory_bytes < needed:
        asked = f"{needed / GIB:.0f} GiB"
        hint = f"the program and room beside it take {asked}; use --profile embedded"
        return Condition("memory", State.MISSING, found, hint)
    return Condition("memory", State.OK, found)


def _xcode(ask: Ask) -> Condition:
    selected = ask("xcode-select", "-p")
    if not selected.ok:
        found = selected.first or "no developer tools are selected"
        return Condition("xcode", State.MISSING, found, INSTALL_XCODE)
    where, version = selected.out.strip(), ask("xcodebuild", "-version")
    if not version.ok:
        hint = _first_use(version)
        if not hint and "CommandLineTools" in where:
            hint = (
                "install Xcode from the App Store, then:"
                " sudo xcode-select -s /Applications/Xcode.app/Contents/Developer"
            )
        found = f"{version.first or 'xcodebuild does not answer'} (selected: {where})"
        return Condition("xcode", State.MISSING, found, hint or INSTALL_XCODE)
    found = f"{version.first}, {where}"
    if _version(version.first) < OLDEST_XCODE:
        hint = f"update Xcode to {OLDEST_XCODE[0]} or newer"
        return Condition("xcode", State.OLD, found, hint)
    return Condition("xcode", State.OK, found)


def _metal(ask: Ask) -> Condition:
    if not ask("xcode-select", "-p").ok:
        return _of_xcode("metal")
    where = ask("xcrun", "-sdk", "macosx", "--find", "metal")
    runs = ask("xcrun", "-sdk", "macosx", "metal", "--version") if where.ok else where
    if not runs.ok:
        hint = f"{' '.join(INSTALL_METAL)}; or let the setup do it: --install-metal"
        found = runs.first or "xcrun does not find it"
        return Condition("metal", State.MISSING, found, _first_use(runs) or hint)
    return Condition("metal", State.OK, runs.first or where.out.strip())


def _git(ask: Ask) -> Condition:
    if not ask("xcode-select", "-p").ok:
        return _of_xcode("git")
    version = ask("git", "--version")
    if not version.ok:
        hint = _first_use(version) or "it comes with Xcode: xcode-select --install"
        return Condition("git", State.MISSING, _said(version, "git"), hint)
    return Condition("git", State.OK, version.first)


def _node(ask: Ask) -> Condition:
    wanted = f"Node.js {_text(NODE[0])} or a later {NODE[0][0]}, or {_text(NODE[1])} and newer"
    hint = f"install {wanted}: https://nodejs.org, or: brew install node"
    node, npm = ask("node", "--version"), ask("npm", "--version")
    if not node.ok:
        if ask(f"{HOMEBREW}/node", "--version").ok:
            hint = f'it is in {HOMEBREW}; in this Terminal: export PATH="{HOMEBREW}:$PATH"'
        return Condition("node", State.MISSING, _said(node, "node"), hint)
    version = _version(node.first)
    if not (version[:1] == NODE[0][:1] and version >= NODE[0]) and version < NODE[1]:
        return Condition("node", State.OLD, f"Node.js {node.first}", hint)
    if not npm.ok:
        found = f"Node.js {node.first}, but {_said(npm, 'npm')}"
        return Condition("node", State.MISSING, found, f"npm comes with it; {hint}")
    return Condition("node", State.OK, f"Node.js {node.first}, npm {npm.first}")


def _of_xcode(name: str) -> Condition:
    found = "not looked at: no developer tools are selected"
    return Condition(name, State.MISSING, found, f"it comes with Xcode: {INSTALL_XCODE}")


def _first_use(answer: Answer) -> str:
    """What every tool of Xcode asks for, until it was done once; empty where it is not that."""
    said = answer.out + answer.err
    if "license" in said:
        return "sudo xcodebuild -license accept"
    return "sudo xcodebuild -runFirstLaunch" if "runFirstLaunch" in said else ""


def _said(answer: Answer, command: str) -> str:
    return answer.first or f"{command} does not answer"


def _version(text: str) -> tuple[int, ...]:
    """`(26, 1)` of `Xcode 26.1`; `()` where there is none, which is older than any."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _text(version: Sequence[int]) -> str:
    return ".".join(str(part) for part in version)
