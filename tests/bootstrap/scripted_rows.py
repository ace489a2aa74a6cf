"""Works of short stages, and all else that a setup has to do with: for tests of how it is run."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bootstrap.layout import Layout
from bootstrap.machine.asking import Asking
from bootstrap.machine.room import Disk
from bootstrap.running.stages import Stage, Work
from bootstrap.setup.here import Here, Row
from tests.bootstrap.fake_mac import fake_mac

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bootstrap.machine.facts import Machine
    from bootstrap.pinning.pins import Pin
    from bootstrap.running.commands import Run
    from bootstrap.setup.request import Request

__all__ = ["PINS", "Rehearsal", "Step"]

PINS = """
default = "embedded"
[runtime.native]
why = "a worker that is built"
worker = "native"
executorch = "abc"
module = "a_worker"
[runtime.python]
why = "a worker of Python's"
worker = "python"
executorch = "1.0"
torch = "2.0"
module = "a.worker"
[model.big]
why = "one that is fetched"
folder = "../.runtime/models/big"
url = "https://models.example/{revision}/{path}"
files = [{ path = "b.pte", role = "program", bytes = 21474836480 }]
[model.small]
why = "one that is there"
folder = "."
files = [{ path = "pins.toml", role = "program" }]
[pin.muse-m5]
why = "the two"
runtime = "native"
model = "big"
[pin.embedded]
why = "the two"
runtime = "python"
model = "small"
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One stage: what it says of itself, and the commands that it runs."""

    name: str
    commands: tuple[tuple[str, ...], ...] = ()
    make: Callable[[], None] = lambda: None
    made_of: str = ""
    network: bool = False
    download_bytes: int = 0
    disk_bytes: int = 0
    spoils: str = ""


@dataclass
class Rehearsal:
    """A checkout, a machine and works, without any package or network."""

    folder: Path
    works: dict[str, list[Step]]
    commands: Mapping[str, str | None] = field(default_factory=dict)
    """What is different from `fake_mac.MAC`."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    disks: Mapping[str, Disk] = field(default_factory=dict)
    """By the name of a work, where it is on another disk."""
    where: Mapping[str, Path | None] = field(default_factory=dict)
    """By the name of a work, where it fills another folder than its own."""
    ran: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    asked: Request | None = None
    pin: Pin | None = None

    @property
    def places(self) -> Layout:
        """The checkout, which has spaces and other letters in its path."""
        root = self.folder / "mein Prüfstand"
        if not root.exists():
            (root / "bootstrap").mkdir(parents=True)
            (root / "bootstrap" / "pins.toml").write_text(PINS, encoding="utf-8")
        return Layout(root, root / ".runtime")

    @property
    def here(self) -> Here:
        """What `set_up` is given."""
        environ = fake_mac(self.folder / "a PATH é", self.commands)
        return Here(
            places=self.places,
            environ={**environ, "PATH": f"{environ['PATH']}{os.pathsep}{os.environ['PATH']}"},
            ask=Asking(environ),
            look_at_disk=lambda path: self.disks.get(path.name, Disk(1, 10**12)),
            tell=self.told.append,
            rows=self.rows,
        )

    def rows(
        self, profile: str, pin: Pin, machine: Machine, request: Request, here: Here
    ) -> tuple[Row, ...]:
        """See `bootstrap.setup.here.Rows`."""
        self.asked, self.pin = request, pin
        return tuple(
            Row(
                self.where.get(name) or self.places.work(name).path,
                lambda run, tell, name=name, steps=steps: self._work(name, steps, run, tell),
                self.needs.get(name, ()),
            )
            for name, steps in self.works.items()
        )

    def change(self, name: str, **changes: object) -> None:
        """Have a stage be another one."""
        for steps in self.works.values():
            for place, step in enumerate(steps):
                if step.name == name:
                    steps[place] = replace(step, **changes)  # type: ignore[arg-type]

    def _work(self, name: str, steps: list[Step], run: Run, tell: Callable[[str], None]) -> Work:
        def stage(step: Step) -> Stage:
            def make() -> None:
                self.ran.append(step.name)
                step.make()
                for command in step.commands:
                    run(command, on_line=tell)

            return Stage(
                step.name,
                f"makes {step.name}",
                {"of": step.made_of},
                make,
                spoils=step.spoils,
                download_bytes=step.download_bytes,
                disk_bytes=step.disk_bytes,
                network=step.network,
            )

        return Work(name, self.places.work(name), tuple(stage(step) for step in steps))
