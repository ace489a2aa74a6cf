"""Which pin does a text ask for?

NAME                  a pin of the file
executorch==1.4.0     that release, with everything else of the default pin
TEXT,KEY=VALUE,…      the same, but:
    dflash=on|off
    threads=N         or `threads=measured`: the worker's own choice at each start
    model=NAME|DIR    another model of the file, or a folder with a manifest
    worker=MODULE     another module as the worker, in the same environment
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bootstrap.errors import UnknownPin, UsageError
from bootstrap.pinning.model_folder import model_in
from bootstrap.pinning.pins_file import MOST_THREADS, OF_PYTHON_WORKERS

if TYPE_CHECKING:
    from pathlib import Path

    from bootstrap.pinning.pins import Model, Pin, Pins, Runtime

__all__ = ["apart", "choose"]

RELEASE = re.compile(r"executorch==([0-9][0-9A-Za-z.+!_-]*)")
MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
KEYS = ("dflash", "threads", "model", "worker")


def choose(text: str, pins: Pins, here: Path) -> Pin:
    """The pin that is asked for; folders are relative to `here`.

    Raises:
        UnknownPin: no pin or model has the name.
        UsageError: a key or value that is none.
    """
    name, *changes = text.split(",")
    pin = _named(name.strip(), pins)
    for change in changes:
        key, is_one, value = (part.strip() for part in change.partition("="))
        if not is_one or key not in KEYS or not value:
            listed = ", ".join(f"{known}=" for known in KEYS)
            raise UsageError(f"pin {text!r}: {change.strip()!r} is none of {listed}")
        pin = _changed(pin, key, value, pins, here)
    return replace(pin, name=text)


def apart(pin: Pin, own: Pins) -> Pin:
    """A pin of another file, beside those of the project's own.

    A runtime that is the same there has the environment of that one; any other gets one of its
    own.  So the pins of an older commit and those of today live side by side, of the same names.
    A model that is fetched, and is the same there, is not fetched again into an older checkout.
    """
    runtime = pin.runtime
    same = next((known for known in own.runtimes.values() if _same(known, runtime)), None)
    if same is None:
        said = repr(replace(runtime, name="", why="", folder=None))
        same = replace(
            runtime, name=f"{runtime.name}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"
        )
    return replace(pin, runtime=replace(runtime, name=same.name), model=_shared(pin.model, own))


def _shared(model: Model, own: Pins) -> Model:
    """The model, in the folder of the project's own one that is the same.

    Where it is said to be in another place than in a checkout like ours, it stays there.
    """
    known, checkout = own.models.get(model.name), own.path.resolve().parent.parent
    if known is None or not known.url or not known.folder.is_relative_to(checkout):
        return model
    if replace(known, why="", folder=model.folder) != replace(model, why=""):
        return model
    inside = known.folder.relative_to(checkout).parts
    alike = model.folder.parts[-len(inside) :] == inside
    return replace(model, folder=known.folder) if alike else model


def _named(name: str, pins: Pins) -> Pin:
    release = RELEASE.fullmatch(name)
    if release is None:
        if name not in pins.pins:
            raise UnknownPin("pin", name, pins.pins, "; or a release: executorch==X")
        return pins.pins[name]
    if not pins.default:
        raise UsageError(f"{pins.path} has no `default`, which {name!r} takes all else from")
    pin = pins.pins[pins.default]
    runtime = _released(pin.runtime, release[1], pins)
    why = f"ExecuTorch {release[1]}, with everything else of {pins.default}"
    return replace(pin, kind="release", why=why, runtime=runtime)


def _released(runtime: Runtime, version: str, pins: Pins) -> Runtime:
    """The runtime at another release; a declared one where there is one that is the same."""
    if runtime.worker != "python":
        raise UsageError(f"executorch=={version}: {runtime.name} is not installed from a release")
    other = replace(
        runtime,
        name=f"executorch-{version}",
        why=f"release {version}, with everything else of {runtime.name}",
        executorch=version,
    )
    return next((known for known in pins.runtimes.values() if _same(known, other)), other)


def _same(one: Runtime, other: Runtime) -> bool:
    return replace(one, name="", why="", folder=None) == replace(
        other, name="", why="", folder=None
    )


def _changed(pin: Pin, key: str, value: str, pins: Pins, here: Path) -> Pin:
    if key in OF_PYTHON_WORKERS and pin.runtime.worker == "native":
        raise UsageError(f"{key}= is for a Python worker, and {pin.runtime.name} is built")
    match key:
        case "model":
            return replace(pin, model=_model(value, pins, here))
        case "dflash":
            if value not in {"on", "off"}:
                raise UsageError(f"dflash={value}: on or off")
            return replace(pin, options=replace(pin.options, dflash=value == "on"))
        case "threads":
            return replace(pin, options=replace(pin.options, threads=_threads(value)))
        case _:
            if not MODULE.fullmatch(value):
                raise UsageError(f"worker={value}: not the name of a module")
            return replace(pin, options=replace(pin.options, worker=value))


def _threads(value: str) -> int | None:
    if value == "measured":
        return None
    threads = int(value) if value.isdecimal() and len(value) < 4 else 0
    if not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"threads={value}: 1 to {MOST_THREADS}, or measured")
    return threads


def _model(value: str, pins: Pins, here: Path) -> Model:
    if value in pins.models:
        return pins.models[value]
    folder = here / value
    if not folder.is_dir():
        raise UnknownPin("model", value, pins.models, "; or a folder with a manifest.json")
    return model_in(folder)
