"""What can this machine run, and which works does that take?

muse       Muse Glimmer by the native worker: Apple silicon with enough memory
embedded   Muse Nano by ExecuTorch's Python runtime: any machine

A profile is a pin, and rows of stages that make it ready.  Each row says where it fills the disk
and which conditions of `toolchain` it needs; `build` makes its stages and only looks while it does,
since a plan is made from them too.  It is called again under the row's lock, with a `run` that
passes the lock on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from bootstrap.choosing import apart, choose
from bootstrap.environment import environment_stages, find_interpreter
from bootstrap.errors import NotPreparable, UsageError
from bootstrap.pins_file import read_pins
from bootstrap.stages import Work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bootstrap.commands import Run
    from bootstrap.layout import Layout
    from bootstrap.machine import Machine
    from bootstrap.pins import Pin, Pins
    from bootstrap.request import Request

__all__ = ["PROFILES", "Profile", "Row", "choose_profile", "needed_memory", "pin_of", "rows"]

PROFILES = {"muse": "muse-m5", "embedded": "embedded,threads=measured"}
"""The pin of each."""
HEADROOM_BYTES = 16 * 2**30
"""Beside the program: two sessions of 128K tokens, the draft, the picture's encoder, the system.

macOS lets the GPU have some two thirds of a small memory and three quarters of a large one, so that
the program and its sessions fit from 36 GiB on."""
MACHINE = ("macos", "chip", "memory")
"""What the profile `muse` asks of the machine itself, whatever is due."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile, and why it is this one."""

    name: str
    reason: str

    @property
    def conditions(self) -> tuple[str, ...]:
        """What it asks of the machine itself."""
        return MACHINE if self.name == "muse" else ()


class Build(Protocol):
    """Makes the stages of a row."""

    def __call__(self, run: Run, tell: Callable[[str], None]) -> Work:
        """It only looks; `run` and `tell` are for when its stages are made."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One work of a profile, before it is built."""

    where: Path
    """The folder that it fills, or one on the same disk."""
    build: Build
    needs: tuple[str, ...] = ()
    """Conditions of `toolchain`."""


def needed_memory(request: Request, places: Layout) -> int:
    """Bytes of memory that the profile `muse` asks for."""
    pin = _pins(request, places).pins.get(PROFILES["muse"])
    program = pin.model.file("program") if pin else None
    return HEADROOM_BYTES + ((program.bytes or 0) if program else 0)


def choose_profile(asked: str, machine: Machine, memory_bytes: int) -> Profile:
    """The profile that is asked for, or else what the machine can run.

    Raises:
        UsageError: no profile has the name.
    """
    if asked:
        if asked not in PROFILES:
            raise UsageError(f"unknown profile {asked!r}; known: {', '.join(PROFILES)}")
        return Profile(asked, "asked for")
    if machine.system != "Darwin":
        return Profile("embedded", f"this is {machine.system}, and Muse Glimmer needs a Mac")
    if not machine.apple_silicon:
        kind = machine.chip or machine.architecture
        return Profile("embedded", f"{kind} is not Apple silicon, which Muse Glimmer needs")
    memory = f"{machine.chip or 'Apple silicon'} with {machine.memory_bytes / 2**30:.0f} GiB"
    if machine.memory_bytes < memory_bytes:
        asks = f"Muse Glimmer asks for {memory_bytes / 2**30:.0f} GiB"
        return Profile("embedded", f"{memory} of memory, and {asks}")
    return Profile("muse", f"{memory} of memory")


def pin_of(profile: Profile, request: Request, places: Layout) -> Pin:
    """The profile's pin, with the request's folder for a model that is fetched."""
    pin = choose(PROFILES[profile.name], _pins(request, places), places.root)
    if request.pins:
        pin = apart(pin, read_pins(places.pins_file))
    if request.model_dir and pin.model.url:
        pin = replace(pin, model=replace(pin.model, folder=request.model_dir))
    return pin


def _pins(request: Request, places: Layout) -> Pins:
    return read_pins(request.pins or places.pins_file)


def rows(pin: Pin, places: Layout, request: Request) -> tuple[Row, ...]:
    """The works that make a pin ready, in order."""
    if pin.runtime.unprepared:
        raise NotPreparable(pin.name, pin.runtime.unprepared)
    return (_python_worker(pin, places, request),)


def _python_worker(pin: Pin, places: Layout, request: Request) -> Row:
    folder = places.runtime(pin.runtime)

    def build(run: Run, tell: Callable[[str], None]) -> Work:
        stages = environment_stages(
            pin.runtime,
            folder,
            places.root,
            interpreter=find_interpreter(pin.runtime.python),
            pip_args=request.pip_args,
            run=run,
            tell=tell,
        )
        return Work(pin.runtime.name, folder, stages)

    return Row(folder.path, build)
