"""What is a pin, for people and for who starts it?

`describe` gives the JSON that `python -m bootstrap` prints; the harness reads its first seven keys:

    name, kind, digest, why
    facts        what the pin is made of, by its name for people, in the order of a report
    arguments    what the playground is started with
    expected     what its processes have to have loaded: versions, artifact_sha256, libraries;
                 what is not known yet is empty
    runtime, prepared, unprepared
                 the environment's name, whether it was made, and why it cannot be on this machine
"""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bootstrap.native.build import beside_program
from bootstrap.pinning.digest import digest
from bootstrap.pinning.platforms import platform_of_this_machine, why_not_here
from bootstrap.pinning.recorded import with_recorded
from bootstrap.pinning.verification import Finding, Found, file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootstrap.layout import Layout, RuntimeFolder
    from bootstrap.pinning.pins import Pin

__all__ = ["describe", "library_findings"]


def describe(pin: Pin, places: Layout, here: str = "") -> dict[str, Any]:
    """A pin, as JSON; `here` is the platform, by default this machine's."""
    folder = places.runtime(pin.runtime)
    probe = _probe(folder)
    return {
        "name": pin.name,
        "kind": pin.kind,
        "digest": digest(pin),
        "facts": _facts(replace(pin, model=with_recorded(pin.model))),
        "why": pin.why,
        "arguments": _arguments(pin, folder),
        "expected": _expected(pin, probe),
        "runtime": pin.runtime.name,
        "prepared": probe is not None,
        "unprepared": why_not_here(pin.runtime, here or platform_of_this_machine()),
    }


def library_findings(pin: Pin, places: Layout) -> Iterator[Finding]:
    """Each native file of a prepared runtime, held against what the probe found."""
    folder = places.runtime(pin.runtime)
    probe = _probe(folder) or {"libraries": {}}
    owner = f"environment {pin.runtime.name}"
    home = folder.path / probe.get("home", folder.venv.name)
    for library in [*probe["libraries"].values(), *probe.get("files", {}).values()]:
        path = home / library["path"]
        if not path.is_file():
            yield Finding(path, owner, Found.ABSENT, "there is no such file")
        elif (found := file_sha256(path)) != library["sha256"]:
            problem = f"its SHA-256 is {found}, and {library['sha256']} was installed"
            yield Finding(path, owner, Found.WRONG, problem)
        else:
            yield Finding(path, owner, Found.RIGHT)


def _probe(folder: RuntimeFolder) -> dict[str, Any] | None:
    """What the probe found; None where the environment is not whole."""
    if not any((folder.stamps / stage).exists() for stage in ("probe", "native-probe")):
        return None
    try:
        found: dict[str, Any] = json.loads(folder.probe.read_bytes())
    except (OSError, ValueError):
        return None
    return found


def _facts(pin: Pin) -> dict[str, str]:
    runtime, model, options = pin.runtime, pin.model, pin.options
    program = model.file("program")
    facts = {
        "executorch": runtime.executorch,
        "torch": runtime.torch,
        "python": runtime.python,
        "packages": ", ".join(runtime.packages),
        "worker": f"{runtime.worker}, {pin.module}",
        "flags": " ".join(runtime.flags),
        "build": "; ".join(runtime.build),
        "patch": (runtime.patch.sha256 or "") if runtime.patch else "",
        "model": model.name,
        "revision": model.revision,
        "program": program.path if program else "",
        "program bytes": str(program.bytes or "") if program else "",
        "program SHA-256": (program.sha256 or "") if program else "",
        **{
            f"{file.role} SHA-256": file.sha256
            for file in model.files
            if file.role in {"tokenizer", "template", "positions"} and file.sha256
        },
        "threads": _threads(pin),
        "dflash": "on" if options.dflash else "off",
    }
    return {key: value for key, value in facts.items() if value}


def _threads(pin: Pin) -> str:
    """Of a native worker nothing is said: it has threads of its own."""
    if pin.options.threads is None and pin.runtime.worker == "native":
        return ""
    return str(pin.options.threads or "measured at each start")


def _arguments(pin: Pin, folder: RuntimeFolder) -> list[str]:
    model = ["--model-dir", str(pin.model.folder)]
    if pin.runtime.worker == "native":
        program = next(iter(beside_program(pin.runtime, folder)), pin.module)
        worker = shlex.join([str(program), *pin.runtime.flags])
        return ["--worker", worker, "--worker-kind", "native", *model]
    worker = shlex.join([str(folder.python), "-I", "-m", pin.module, *pin.runtime.flags])
    arguments = ["--worker", worker, *model]
    if pin.options.threads is not None:
        arguments += ["--threads", str(pin.options.threads)]
    if not pin.options.dflash:
        arguments.append("--no-dflash")
    return arguments


def _expected(pin: Pin, probe: dict[str, Any] | None) -> dict[str, Any]:
    program = pin.model.file("program")
    versions = {"executorch": pin.runtime.executorch, "torch": pin.runtime.torch}
    if pin.runtime.worker != "python":
        versions = {}
    elif probe:
        versions = {**probe["versions"], "python": probe["python"]}
    return {
        "versions": versions,
        "artifact_sha256": (program.sha256 or "") if program else "",
        "libraries": {
            name: library["sha256"]
            for name, library in (probe or {"libraries": {}})["libraries"].items()
        },
    }
