"""What can this machine run, and which works does that take?

muse       Muse Glimmer by the native worker: Apple silicon with enough memory
embedded   Muse Nano by ExecuTorch's Python runtime: any machine

A profile is a pin, and rows of stages that make it ready: see `here.Row`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.errors import UsageError
from bootstrap.fetching.fetching import World
from bootstrap.fetching.model_work import model_work
from bootstrap.fetching.placing import placed
from bootstrap.fetching.uv import python_source
from bootstrap.native.work import Means, native_work
from bootstrap.native.xcode import xcode_here
from bootstrap.pinning.choosing import apart, choose
from bootstrap.pinning.pins_file import read_pins
from bootstrap.python.environment import environment_stages, kept_interpreter
from bootstrap.running.commands import Commands
from bootstrap.running.stages import Work
from bootstrap.serving.environment import server_work
from bootstrap.serving.page import page_work
from bootstrap.serving.profile import profile_work
from bootstrap.setup.here import Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from bootstrap.fetching.uv import PythonSource
    from bootstrap.layout import Layout
    from bootstrap.machine.facts import Machine
    from bootstrap.pinning.pins import Pin, Pins
    from bootstrap.running.commands import Run
    from bootstrap.setup.here import Here
    from bootstrap.setup.request import Request

__all__ = ["PROFILES", "Profile", "choose_profile", "needed_memory", "pin_of", "rows"]

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
    return placed(pin, places, request.model_dir)


def _pins(request: Request, places: Layout) -> Pins:
    return read_pins(request.pins or places.pins_file)


def rows(profile: str, pin: Pin, machine: Machine, request: Request, here: Here) -> tuple[Row, ...]:
    """The works that make a pin ready, in order: see `here.Rows`."""
    native = pin.runtime.worker == "native"
    return (
        _server(request, here.places),
        *(_uv(pin, request, here) if native else []),
        (_native_worker if native else _python_worker)(pin, request, here),
        *([_model(pin, request, here.places)] if pin.model.url else []),
        _page(profile, request, here),
        _started(profile, pin, request, here.places, finder=machine.system == "Darwin"),
    )


def _server(request: Request, places: Layout) -> Row:
    def build(run: Run, tell: Callable[[str], None]) -> Work:
        return server_work(
            places,
            interpreter=kept_interpreter(places.server.venv, ""),
            pip_args=request.pip_args,
            run=run,
            tell=tell,
        )

    return Row(places.server.path, build)


def _page(profile: str, request: Request, here: Here) -> Row:
    """Where the page is required, so is the system's Node.js; elsewhere one is brought."""
    required = profile == "muse"

    def build(run: Run, tell: Callable[[str], None]) -> Work:
        return page_work(
            here.places,
            required=required,
            environ=here.environ,
            pip_args=request.pip_args,
            run=run,
            tell=tell,
        )

    return Row(here.places.root, build, needs=("node",) if required else ())


def _started(profile: str, pin: Pin, request: Request, places: Layout, *, finder: bool) -> Row:
    def build(run: Run, tell: Callable[[str], None]) -> Work:  # noqa: ARG001  (it runs nothing)
        return profile_work(places, profile=profile, pin=pin, port=request.port, finder=finder)

    return Row(places.made, build)


def _model(pin: Pin, request: Request, places: Layout) -> Row:
    def build(run: Run, tell: Callable[[str], None]) -> Work:  # noqa: ARG001  (it runs nothing)
        return model_work(
            pin.model,
            places,
            world=World(tell),
            mirror=request.model_mirror,
            token=request.token,
        )

    return Row(pin.model.folder, build)


def _uv(pin: Pin, request: Request, here: Here) -> list[Row]:
    """What brings the Python that a native worker is built with, where that is wanting.

    An environment that was made of it needs no other, whatever is on the PATH by now.
    """
    work = _python(pin, request, here, Commands(here.places.made / "log", here.environ)).work
    if work is None or here.places.runtime(pin.runtime).python.exists():
        return []

    def build(run: Commands, tell: Callable[[str], None]) -> Work:
        told = replace(here, tell=tell)
        return _python(pin, request, told, run).work or work

    return [Row(here.places.made, build)]


def _python(pin: Pin, request: Request, here: Here, run: Commands) -> PythonSource:
    return python_source(
        pin.runtime.python,
        _pins(request, here.places).tools.get("uv"),
        here.places,
        world=World(here.tell),
        run=run,
        url=request.uv_url,
        cache=request.cache_dir,
    )


def _native_worker(pin: Pin, request: Request, here: Here) -> Row:
    places = here.places

    def build(run: Commands, tell: Callable[[str], None]) -> Work:
        means = Means(
            interpreter=_python(pin, request, replace(here, tell=tell), run).interpreter,
            toolchain=xcode_here(run.environ),
            git_mirror=request.git_mirror,
            pip_args=request.pip_args,
        )
        return native_work(pin.runtime, places, means, run=run, tell=tell)

    return Row(places.runtime(pin.runtime).path, build, ("xcode", "metal", "git"))


def _python_worker(pin: Pin, request: Request, here: Here) -> Row:
    places = here.places
    folder = places.runtime(pin.runtime)

    def build(run: Run, tell: Callable[[str], None]) -> Work:
        stages = environment_stages(
            pin.runtime,
            folder,
            places.root,
            interpreter=kept_interpreter(folder.venv, pin.runtime.python),
            pip_args=request.pip_args,
            run=run,
            tell=tell,
        )
        return Work(pin.runtime.name, folder, stages)

    return Row(folder.path, build)
