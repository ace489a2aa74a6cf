"""What would the setup do? Which stages are due, what they take, and what stands in the way.

Making a plan looks at everything and changes nothing.  `Plan.to_json` is what `python -m bootstrap
--plan --json` prints, which `muse-playground doctor` reads:

    profile, reason
    machine      see `machine.Machine`
    toolchain    [{name, state: ok | missing | old | not-needed, found, hint}]
    remembered   {model_dir, port}: what an earlier run was told, and this one was not
    works        [{name, stages: [{name, about, due, network, download_bytes, disk_bytes}]}]
    disk         {due_bytes, download_bytes, filesystems: [{where, due_bytes, headroom_bytes,
                 free_bytes, enough}]}
    obstacles    texts: why a run would refuse to begin; empty where it would begin

What a stage takes is its pin's own figure or a rough one.  No time is promised: that of a download
depends on the line, and that of a build on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bootstrap.machine.facts import read_machine
from bootstrap.machine.room import room_for
from bootstrap.machine.toolchain import look
from bootstrap.running.commands import Commands
from bootstrap.running.sizes import in_words
from bootstrap.setup.profiles import choose_profile, needed_memory, pin_of
from bootstrap.setup.selection import select

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.machine.facts import Machine
    from bootstrap.machine.room import Room
    from bootstrap.machine.toolchain import Condition
    from bootstrap.pinning.pins import Pin
    from bootstrap.running.stages import Stage, Work
    from bootstrap.setup.here import Here, Row
    from bootstrap.setup.profiles import Profile
    from bootstrap.setup.request import Request
    from bootstrap.setup.selection import Selection

__all__ = ["Plan", "PlannedRow", "make_plan"]

LINE_BITS_PER_S = 100e6
"""A line that a download is said to take its time on, for a sense of it."""


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A row, and what of it is due."""

    row: Row
    work: Work
    due: tuple[str, ...]

    @property
    def due_stages(self) -> tuple[Stage, ...]:
        """Those that a run would do."""
        return tuple(stage for stage in self.work.stages if stage.name in self.due)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        stages = [
            {
                "name": stage.name,
                "about": stage.about,
                "due": stage.name in self.due,
                "network": stage.network,
                "download_bytes": stage.download_bytes,
                "disk_bytes": stage.disk_bytes,
            }
            for stage in self.work.stages
        ]
        return {"name": self.work.name, "stages": stages}


@dataclass(frozen=True, slots=True)
class Plan:
    """What the setup would do."""

    profile: Profile
    pin: Pin
    machine: Machine
    conditions: tuple[Condition, ...]
    rows: tuple[PlannedRow, ...]
    selection: Selection
    rooms: tuple[Room, ...]
    offline: bool
    remembered: Mapping[str, str | int]
    """What an earlier run was told and this one was not, by the name of the argument."""

    @property
    def due(self) -> tuple[Stage, ...]:
        """Every stage that a run would do, in order."""
        return tuple(stage for row in self.rows for stage in row.due_stages)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why a run would refuse to begin, all at once."""
        network = [stage for stage in self.due if stage.network and self.offline]
        return (
            *self._model_folder_gone(),
            *(str(condition) for condition in self.conditions if condition.wrong),
            *(f"disk: {room}" for room in self.rooms if not room.enough),
            *(f"offline: stage {stage.name} needs the network: {stage.about}" for stage in network),
        )

    def to_json(self) -> dict[str, Any]:
        """See the module."""
        return {
            "profile": self.profile.name,
            "reason": self.profile.reason,
            "pin": self.pin.name,
            "machine": self.machine.to_json(),
            "remembered": dict(self.remembered),
            "toolchain": [condition.to_json() for condition in self.conditions],
            "works": [row.to_json() for row in self.rows],
            "disk": {
                "due_bytes": sum(stage.disk_bytes for stage in self.due),
                "download_bytes": sum(stage.download_bytes for stage in self.due),
                "filesystems": [room.to_json() for room in self.rooms],
            },
            "obstacles": list(self.obstacles),
        }

    def in_words(self) -> str:
        """For a person."""
        lines = [f"profile {self.profile.name}: {self.profile.reason}", f"machine: {self.machine}"]
        lines += [
            f"  {condition.state.value:<8} {condition}"
            for condition in self.conditions
            if condition.found
        ]
        lines += self.remembered_in_words
        for row in self.rows:
            lines.append(row.work.name)
            lines += [_stage_in_words(stage, stage.name in row.due) for stage in row.work.stages]
        return "\n".join([*lines, *self._totals(), *self._said_last()])

    @property
    def remembered_in_words(self) -> list[str]:
        """What is not said by who asks, and holds all the same."""
        told = [f"--{key.replace('_', '-')} {value}" for key, value in self.remembered.items()]
        return [f"as an earlier run was told: {', '.join(told)}"] if told else []

    def _model_folder_gone(self) -> list[str]:
        """A disk that is not connected is no reason to fetch the model once more."""
        folder = self.pin.model.folder
        due = any(row.due for row in self.rows if row.row.where == folder)
        if not due or "model_dir" not in self.remembered or folder.is_dir():
            return []
        hint = "connect its disk; or say where the model is, or is to go: --model-dir DIR"
        return [f"model: {folder}, which an earlier run was told to use, is not there\n    {hint}"]

    def _totals(self) -> list[str]:
        download = sum(stage.download_bytes for stage in self.due)
        minutes = download * 8 / LINE_BITS_PER_S / 60
        fetched = f"to download: {in_words(download)}"
        if minutes >= 1:
            fetched += f", {minutes:.0f} min at {LINE_BITS_PER_S / 1e6:.0f} Mbit/s"
        return [*([fetched] if download else []), *(f"disk: {room}" for room in self.rooms)]

    def _said_last(self) -> list[str]:
        if not self.due:
            return ["nothing is due: everything is ready"]
        if not self.obstacles:
            return [f"due: {', '.join(stage.name for stage in self.due)}"]
        return ["a run would refuse to begin:", *(f"  {each}" for each in self.obstacles)]


def make_plan(request: Request, here: Here, *, whole: bool) -> Plan:
    """Look, and plan; `whole` looks at every condition of the profile, due or not.

    Raises:
        UsageError: a profile, pin or stage that there is none of.
        NotPreparable: the profile's pin cannot be made ready by anything yet.
    """
    memory_bytes = needed_memory(request, here.places)
    machine = read_machine(here.ask)
    profile = choose_profile(request.profile, machine, memory_bytes)
    pin = pin_of(profile, request, here.places)
    rows = here.rows(profile.name, pin, machine, request, here)
    run = Commands(here.places.made / "log", here.environ)
    built = [(row, row.build(run, here.tell)) for row in rows]
    selection = select([work for _, work in built], request, profile.name)
    planned = tuple(PlannedRow(row, work, selection.due(work)) for row, work in built)
    wanted = {need for each in planned if whole or each.due for need in each.row.needs}
    if whole or any(each.due for each in planned):
        wanted.update(profile.conditions)
    return Plan(
        profile=profile,
        pin=pin,
        machine=machine,
        conditions=look(machine, here.ask, wanted=wanted, memory_bytes=memory_bytes),
        rows=planned,
        selection=selection,
        rooms=room_for(
            (
                (each.row.where, sum(stage.disk_bytes for stage in each.due_stages))
                for each in planned
            ),
            here.look_at_disk,
        ),
        offline=request.offline,
        remembered={
            key: value if isinstance(value := getattr(request, key), int) else str(value)
            for key in request.remembered
        },
    )


def _stage_in_words(stage: Stage, due: bool) -> str:  # noqa: FBT001
    sizes = [
        stage.download_bytes and f"{in_words(stage.download_bytes)} to download",
        stage.disk_bytes and f"{in_words(stage.disk_bytes)} on disk",
    ]
    told = "; ".join([stage.about, *(size for size in sizes if size and due)])
    return f"  {'due' if due else 'ready':<8} {stage.name}: {told}"
