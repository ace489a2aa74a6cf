"""What is a side of a gate, and how is it started?

What a pin is made of is `bootstrap`'s to know: it is asked by its command line, and answers JSON.

    python -m bootstrap pins --json           all of them
    python -m bootstrap pin NAME --json       what the pin says
    python -m bootstrap prepare NAME --json   the same, after its environment was made

An address is a side too: a server that somebody else starts, of which bootstrap knows nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from harness.errors import Interrupted, PinUnusable, UsageError
from harness.target import parse_url

__all__ = ["HASH", "Loaded", "Pin", "changed_pins", "list_pins", "load_pin"]

ROOT = Path(__file__).resolve().parents[2]
"""The checkout, whose bootstrap is asked."""
HASH = re.compile(r"\b[0-9a-f]{16,}\b")
"""As it stands in what a pin says; people are told its first figures."""
SCHEMES = ("http://", "https://")
STOPPED = "stopped while a pin was made ready; the next time goes on from there"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a process was found to have loaded, or is expected to."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """By package: `executorch`, `torch`, `python`."""
    artifact_sha256: str = ""
    """Of the model's program; empty where it is not known."""
    libraries: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 by file name, of the native libraries of the runtime."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One side, as it is to be."""

    name: str
    """As it was asked for: `embedded`, `executorch==1.5.0`, `http://127.0.0.1:8080`."""
    kind: Literal["pin", "release", "url", "run"]
    """A `run` was finished before anybody asked what it was of: it can be started by no name."""
    digest: str
    """SHA-256 of all that the pin says; of the address of a URL."""
    facts: Mapping[str, str]
    """What it is made of, for people, in the order of a report: `executorch` → `1.5.1`."""
    why: str = ""
    arguments: tuple[str, ...] = ()
    """What the playground is started with."""
    expected: Loaded = field(default_factory=Loaded)
    """What its processes have to have loaded; what is empty is not known beforehand."""

    @property
    def url(self) -> str | None:
        """The address of a server that somebody else starts."""
        return self.name if self.kind == "url" else None


def load_pin(text: str, pins_file: Path | None = None, *, prepare: bool) -> Pin:
    """The side that a text names: a pin, `executorch==X`, either with changes, or an address.

    With `prepare` its environment is made ready first, which takes minutes the first time; what is
    done meanwhile is told on stderr.

    Raises:
        PinUnusable: it is unknown, a file of it is another one, or it cannot be made ready.
        UsageError: an address that cannot be a side.
    """
    if text.startswith(SCHEMES):
        return _address(text)
    file = ["--pins", str(pins_file)] if pins_file else []
    told = _ask_bootstrap(["prepare" if prepare else "pin", *file, "--json", "--", text], text)
    expected = told["expected"]
    return Pin(
        name=told["name"],
        kind=told["kind"],
        digest=told["digest"],
        facts=told["facts"],
        why=told["why"],
        arguments=tuple(told["arguments"]),
        expected=Loaded(
            expected["versions"], expected["artifact_sha256"], libraries=expected["libraries"]
        ),
    )


def list_pins(pins_file: Path | None = None, *, verify: bool) -> Mapping[str, Any]:
    """Every pin of a file, as `python -m bootstrap pins --json` tells them.

    With `verify` each has `files`: path, owner, found (`right`, `unknown`, `absent`, `wrong`) and
    what is wrong with it.

    Raises:
        PinUnusable: the file of pins cannot be used.
    """
    file = ["--pins", str(pins_file)] if pins_file else []
    told: Mapping[str, Any] = _ask_bootstrap(
        ["pins", *file, *(["--verify"] if verify else []), "--json"], str(pins_file or "")
    )
    return told


def changed_pins(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """The pins that are new, or say something else by now; both as `list_pins` tells them."""
    known = {pin["name"]: pin["digest"] for pin in before["pins"]}
    return tuple(pin["name"] for pin in now["pins"] if known.get(pin["name"]) != pin["digest"])


def _ask_bootstrap(arguments: list[str], about: str) -> Any:  # noqa: ANN401  (JSON)
    """The JSON that bootstrap answers; its progress goes to our stderr.

    Raises:
        PinUnusable: it refused, with its own words; `about` is the pin that was asked for.
        Interrupted: the person stopped it.
    """
    # -P: what lies in the working directory is not taken for bootstrap.
    command = [sys.executable, "-P", "-m", "bootstrap", *arguments]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    except KeyboardInterrupt:  # the same Ctrl-C has stopped bootstrap
        raise Interrupted(STOPPED) from None
    try:
        told = json.loads(done.stdout)
    except ValueError:
        said = f"python -m bootstrap ended with code {done.returncode} and said nothing of it"
        raise PinUnusable(about, said) from None
    if "error" in told:
        if told["error"]["kind"] == "Stopped":
            raise Interrupted(STOPPED)
        raise PinUnusable(about, str(told["error"]["message"]))
    return told


def _address(text: str) -> Pin:
    url = parse_url(text)
    if "@" in urlsplit(url).netloc:
        raise UsageError(
            "an address with a password cannot be a side of a gate: every report would show it"
        )
    digest = hashlib.sha256(url.encode()).hexdigest()
    return Pin(url, "url", digest, {"address": url}, "a server that somebody else starts")
