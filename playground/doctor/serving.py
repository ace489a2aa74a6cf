"""Could a server be started now: profile, model, page, disk, port, and what the last one left?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from playground.address import address_of, url_at
from playground.checkout import runtime_folder
from playground.doctor.finding import Finding, State
from playground.launch.instance import Instance, Silence, ask, model_asked_for
from playground.launch.listener import listener_on
from playground.launch.places import launch_folder, stem_of
from playground.launch.processes import is_running
from playground.launch.state import SERVER, read_marks
from playground.page.node import find_node, where_node_may_be
from playground.page.stamp import has_sources, is_current
from playground.worker.errors import EngineError
from playground.worker.model_directory import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.doctor.patient import Patient

__all__ = [
    "look_at_disk",
    "look_at_leftovers",
    "look_at_model",
    "look_at_page",
    "look_at_port",
    "look_at_profile",
    "running_instance",
]

GIB = 2**30
LITTLE_BYTES = 2 * GIB
NO_NODE = "install Node.js 20.19 or newer, or `pip install 'muse-bench[page]'`, or use --no-ui"


def look_at_profile(patient: Patient) -> Iterator[Finding]:
    """What the setup made ready, and whether it is what is served."""
    if patient.profile_problem is not None:
        yield Finding("profile", State.FAIL, patient.profile_problem, "python3 -m bootstrap")
    elif patient.settings.profile is not None:
        yield Finding("profile", State.OK, f"{patient.settings.profile} says what is served")
    else:
        yield Finding("profile", State.SKIPPED, "none is used; flags say what is served, or nobody")


def look_at_model(patient: Patient) -> Iterator[Finding]:
    """Its folder, its files and their sizes."""
    settings = patient.settings
    if settings.script:
        found = f"a script answers: {settings.script}"
        there = settings.script.is_file()
        todo = "" if there else "name a script that is there"
        yield Finding("model", State.OK if there else State.FAIL, found, todo)
        return
    todo = "fetch it again with `python3 -m bootstrap`, or name another one with --model-dir"
    try:
        check(settings.model_dir)
    except EngineError as error:
        yield Finding("model", State.FAIL, str(error), todo)
        return
    model = model_asked_for(settings)
    if model is None:
        found = (
            f"{settings.model_dir}: its manifest names no model_id, or no artifact that is there"
        )
        yield Finding("model", State.FAIL, found, todo)
    else:
        found = f"{model} in {settings.model_dir}, {(model.artifact_bytes or 0):,} bytes"
        yield Finding("model", State.OK, f"{found}; all sizes are right")


def look_at_page(patient: Patient) -> Iterator[Finding]:
    """Built, to be built, or not to be had."""
    dist = patient.settings.ui_dir
    if dist is None:
        yield Finding("page", State.SKIPPED, "--no-ui: the API is served alone")
        return
    there = (dist / "index.html").is_file()
    web = dist.parent
    if not has_sources(web):
        found = "built" if there else f"{dist} has none, and there are no sources to build it from"
        yield Finding("page", State.OK if there else State.WARN, found)
        return
    if there and is_current(web, dist):
        yield Finding("page", State.OK, "built from the sources that are here")
        return
    state = "is older than its sources" if there else "is not built"
    node = find_node(list(where_node_may_be(patient.environ.get("PATH"))))
    if node is None:
        yield Finding(
            "page", State.WARN, f"it {state}, and there is no Node.js to build it", NO_NODE
        )
        return
    number = ".".join(map(str, node.version))
    yield Finding("page", State.OK, f"it {state}; the next start builds it, with Node.js {number}")


def look_at_disk(patient: Patient) -> Iterator[Finding]:
    """Room where things are made."""
    folder = runtime_folder(patient.environ, patient.root) or patient.settings.model_dir
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    found = f"{free / GIB:.1f} GiB free at {folder}"
    plan = patient.plan() or {}
    short = [
        each
        for each in (plan.get("disk") or {}).get("filesystems") or ()
        if isinstance(each, dict) and each.get("enough") is False
    ]
    if short and patient.settings.profile is not None:
        due = sum(int(each.get("due_bytes") or 0) for each in short)
        todo = f"free some: what the setup has yet to do takes {due / GIB:.1f} GiB"
        yield Finding("disk", State.FAIL, found, todo)
    elif free < LITTLE_BYTES:
        yield Finding("disk", State.WARN, found, "free some: logs and runs need room")
    else:
        yield Finding("disk", State.OK, found)


def look_at_port(patient: Patient) -> Iterator[Finding]:
    """Free, ours, or somebody else's, by name."""
    settings = patient.settings
    if settings.port == 0:
        yield Finding("port", State.SKIPPED, "--port 0 takes a free one")
        return
    there = _answer(patient)
    name = f"port {settings.port}"
    todo = "stop it, or give another --port"
    if there is Silence.NOTHING:
        yield Finding("port", State.OK, f"{name} is free")
    elif isinstance(there, Instance):
        found = f"{name}: a muse-playground (process {there.pid}) serves {there.model}"
        wanted = model_asked_for(settings)
        if there.failure is not None:
            yield Finding("port", State.FAIL, f"{found}, and cannot: {there.failure}", todo)
        elif wanted is None or not wanted.is_same_as(there.model):
            asked_for = wanted or "what is asked for"
            yield Finding("port", State.FAIL, f"{found}, not {asked_for}", todo)
        else:
            yield Finding("port", State.OK, f"{found}; a start would use it")
    else:
        who = listener_on(address_of(settings.host), settings.port)
        found = f"{name} is taken by {who or 'a process that cannot be seen from here'}"
        yield Finding("port", State.FAIL, found, todo)


def look_at_leftovers(patient: Patient) -> Iterator[Finding]:
    """What the last launch on this port has noted, and whether it still runs."""
    settings = patient.settings
    if settings.port == 0:
        yield Finding("last launch", State.SKIPPED, "--port 0 notes nothing")
        return
    stem = stem_of(address_of(settings.host), settings.port)
    marks = read_marks(launch_folder(patient.environ, patient.root) / f"{stem}.json")
    server = marks.pop(SERVER, None)
    alive = [f"{role} (process {mark.pid})" for role, mark in marks.items() if is_running(mark)]
    if server is None:
        yield Finding("last launch", State.OK, "it left nothing")
    elif is_running(server):
        runs = f"; with it {', '.join(alive)}" if alive else ""
        yield Finding("last launch", State.OK, f"it runs, as process {server.pid}{runs}")
    elif alive:
        todo = "the next start on this port ends it"
        yield Finding(
            "last launch", State.WARN, f"it was killed, and left {', '.join(alive)}", todo
        )
    else:
        yield Finding("last launch", State.OK, "it was killed, and nothing of it runs any more")


def running_instance(patient: Patient) -> Instance | None:
    """The playground of this very model that runs already."""
    there = _answer(patient) if patient.settings.port else Silence.NOTHING
    if not isinstance(there, Instance) or there.failure is not None:
        return None
    wanted = model_asked_for(patient.settings)
    return there if wanted is not None and wanted.is_same_as(there.model) else None


def _answer(patient: Patient) -> Instance | Silence:
    address, port = address_of(patient.settings.host), patient.settings.port
    return ask(address, port, url_at(address, port))
