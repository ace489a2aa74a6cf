"""A small gate, played against two rehearsed sides, in no time and to the last byte alike."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rich.console import Console

from harness.errors import HarnessError, LaunchFailed, TargetUnreachable
from harness.fingerprint import Commit, Fingerprint, fingerprint
from harness.gate.bench import Bench
from harness.gate.judge import judge_gate
from harness.gate.order import GateAsked, new_order, resumed_order
from harness.gate.pins import Loaded, Pin
from harness.gate.record import Side, read_gate, read_starts, start_path
from harness.gate.result import GateResult, Measured, Ruling
from harness.gate.runner import play_gate
from harness.rehearsal import Answer, RehearsalChat
from harness.report.console import Terminal, open_console
from harness.report.gate.progress import watch_gate
from harness.results import RunFolder
from harness.target import Target
from harness.testing import ManualClock
from harness.units import SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from harness.gate.extract import StartSeen
    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord, Noise, StartRecord

TALK = """\
name = "talk"
question = "Does it answer?"
answer = "whether it does"
[slots]
nonce = { digits = 12, fresh = true }
[[turn]]
user = "{nonce}: Where does Ada live?"
expect.contains = ["Oslo"]
[[leg]]
name = "warm"
session = "kept"
"""
SUITE = """\
name = "small"
question = "Is it good?"
[[part]]
scenario = "talk.toml"
[[part]]
name = "again"
scenario = "talk.toml"
"""
POLICY = """\
name = "tiny"
question = "Is it as good?"
scenarios = ["talk"]
suite = "small"
pairs = 6
least = 2
confirm = 2
budget_min = 10
cooldown_s = 1
[[metric]]
name = "ready"
title = "time to ready"
measure = "start.ready"
margin = 0.1
gated = true
"""
RUNTIME = {
    "model": "Rehearsal",
    "supports": {"reuseMetrics": True},
    "defaults": {"temperature": 0.0},
    "pids": {"server": 7, "worker": 8},
}

HERE = replace(fingerprint(), commit=Commit("c" * 40, dirty=False))
"""This machine, and a harness of a clean checkout."""
OLD = Pin("old", "pin", "a" * 64, {"executorch": "1"}, expected=Loaded({"executorch": "1"}))
NEW = Pin("new", "pin", "b" * 64, {"executorch": "2"}, expected=Loaded({"executorch": "2"}))


def right(_messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Knows where Ada lives."""
    return Answer("In Oslo.")


@dataclass
class Stage:
    """Both sides, in memory; every part of it can be spoilt by a test."""

    clock: ManualClock = field(default_factory=ManualClock)
    answer: Mapping[str, Callable[..., Answer]] = field(default_factory=dict)
    """What a pin answers, by its name; right where nothing is said."""
    ready_s: Mapping[str, float] = field(default_factory=dict)
    runtime: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    loaded: Mapping[str, str] = field(default_factory=lambda: {"old": "1", "new": "2"})
    """Which executorch a pin is found to have loaded."""
    here: Fingerprint = HERE
    facts: dict[str, str] = field(default_factory=lambda: {"power source": "mains"})
    before_start: Callable[[Stage, str], None] = lambda _stage, _pin: None
    """Called before a side is met, for its suite or a start; what it raises, the gate meets."""
    before_turn: Callable[[Stage, str], None] = lambda _stage, _pin: None
    decides: int = 2
    """Pairs after which the figures decide."""
    met: list[str] = field(default_factory=list)
    """The pins in the order they were met."""
    left: list[str] = field(default_factory=list)
    """The same, as they were stopped."""
    up: list[tuple[str, ...]] = field(default_factory=list)
    """Each time that one was met: those that were up already."""
    judged: int = 0
    _met: list[tuple[Target, str]] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def meet(
        self, pin: Pin, folder: RunFolder, *, page: bool = False
    ) -> AsyncIterator[tuple[Target, RehearsalChat]]:
        """A side, and a client of it."""
        self.before_start(self, pin.name)
        self.up.append(tuple(name for _, name in self._met))
        self.met.append(pin.name)
        chat = RehearsalChat(
            self.answer.get(pin.name, right),
            clock=self.clock,
            runtime=self.runtime.get(pin.name, RUNTIME),
            before_turn=lambda _request: self.before_turn(self, pin.name),
        )
        ready_s = self.ready_s.get(pin.name, 1.0)
        target = Target(
            "url" if pin.url else "embedded", "http://127.0.0.1:1", round(ready_s * 1e9)
        )
        self._met.append((target, pin.name))
        try:
            yield target, chat
        finally:
            self._met = [(met, name) for met, name in self._met if met is not target]
            self.left.append(pin.name)

    def has_loaded(self, target: Target, _runtime: object) -> Loaded:
        """What the pin behind a target is said to have loaded."""
        name = next(name for met, name in self._met if met is target)
        return Loaded({"executorch": self.loaded[name]})

    async def sleep(self, seconds: float) -> None:
        """Rest, in no time; somebody may stop us meanwhile."""
        self.clock.advance_ms(seconds * 1e3)
        await asyncio.sleep(0)

    def judge(self, folder: Path) -> GateResult:
        """The judge of the product, with the plainest of figures."""
        self.judged += 1
        return judge_gate(folder, lambda _, policy, seen: by_ready(policy, seen, self.decides))

    def machine(self, **_: object) -> Mapping[str, str]:
        """How it stands now."""
        return dict(self.facts)

    def bench(self) -> Bench:
        """What a gate is played with."""
        return Bench(
            meet=self.meet,
            loaded=self.has_loaded,
            memory=lambda pid: pid * 2**20,
            peak=lambda pid: pid * 2**21,
            anchor=lambda: 0.25,
            machine=self.machine,
            judge=self.judge,
            sleep=self.sleep,
        )


def by_ready(policy: Policy, seen: Sequence[StartSeen], decides: int) -> tuple[Measured, ...]:
    """The one metric, by the plainest of rules: worse than the margin in the mean is a fail."""
    (metric,) = policy.metric
    starts = [each.start for each in seen]
    first = ruling([s for s in starts if not s.confirms], decides)
    again = ruling([s for s in starts if s.confirms], policy.confirm)
    confirmed = None if again is Ruling.INCONCLUSIVE else again is Ruling.FAIL
    found = Ruling.INCONCLUSIVE if first is Ruling.FAIL and not confirmed else first
    return (
        Measured(
            name=metric.name,
            title=metric.title,
            unit=SECONDS,
            gated=True,
            ruling=found,
            why="so it is",
            margin=metric.margin,
            starts=(),
            pairs=(),
            n=len(starts) // 2,
            ratio=1.0,
            low=None,
            high=None,
            confidence=0.9,
            first=first,
            confirmed=confirmed,
        ),
    )


def ruling(starts: Sequence[StartRecord], least: int) -> Ruling:
    """What the times to ready come to."""
    ready = {
        side: [s.ready_s for s in starts if s.side is side and s.ready_s is not None]
        for side in Side
    }
    if min(map(len, ready.values())) < least:
        return Ruling.INCONCLUSIVE
    worse = sum(ready[Side.CANDIDATE]) > 1.1 * sum(ready[Side.BASELINE])
    return Ruling.FAIL if worse else Ruling.PASS


@dataclass
class Played:
    """What was left of a gate, and what came of it."""

    folder: Path
    stage: Stage
    result: GateResult
    said: str
    stopped: BaseException | None
    """What ended it before its end."""

    @property
    def starts(self) -> Sequence[StartRecord]:
        """As they are on disk."""
        return read_starts(self.folder)

    @property
    def record(self) -> GateRecord:
        """The same of the gate."""
        return read_gate(self.folder)[0]

    @property
    def paths(self) -> Sequence[str]:
        """Where each start is, below the folder."""
        return [start_path(start) for start in self.starts]

    @property
    def order(self) -> str:
        """`ABBA`: which side each start was of."""
        return "".join("A" if start.side is Side.BASELINE else "B" for start in self.starts)


class Gate:
    """A folder in which a small gate is played, and gone on with."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.talk = TALK
        """What is played at each start, and in the suite."""

    def play(
        self,
        stage: Stage | None = None,
        *,
        policy: str = POLICY,
        baseline: Pin = OLD,
        candidate: Pin = NEW,
        asked: GateAsked | None = None,
        resume: bool = False,
        noise: Mapping[str, Noise] | None = None,
        terminal: bool = False,
    ) -> Played:
        """Play it, or what is left of it; what came of it, however it ended."""
        stage, asked = stage or Stage(), asked or GateAsked()
        for name, text in (("talk", self.talk), ("small", SUITE), ("tiny", policy)):
            (self._folder / f"{name}.toml").write_text(text, encoding="utf-8")
        asked = replace(asked, policy=str(self._folder / "tiny.toml"))
        said, folder = io.StringIO(), RunFolder(self._folder / "gate")
        console = Terminal(file=said, force_terminal=True, width=120) if terminal else None
        console = console or open_console(said)
        quiet = Console(file=io.StringIO(), quiet=True)
        if resume:
            pins = {Side.BASELINE: baseline, Side.CANDIDATE: candidate}
            order = resumed_order(
                asked,
                folder.path,
                lambda side, _: pins[side],
                console=quiet,
                here=stage.here,
                machine=stage.machine,
            )
        else:
            now = stage.clock.wall_iso()
            folder = RunFolder.create(folder.path)
            order = new_order(
                asked,
                baseline,
                candidate,
                started_at=now,
                console=quiet,
                here=stage.here,
                machine=stage.machine,
            )
        if noise:
            order = replace(order, record=replace(order.record, noise=noise))
        stopped: BaseException | None = None
        with watch_gate(console) as progress:
            try:
                asyncio.run(
                    play_gate(order, folder, stage.bench(), clock=stage.clock, progress=progress)
                )
            except (asyncio.CancelledError, HarnessError) as problem:
                stopped = problem
        return Played(folder.path, stage, stage.judge(folder.path), said.getvalue(), stopped)


def crash(_stage: Stage) -> None:
    """It does not start."""
    raise LaunchFailed(["python", "-m", "playground"], "it ended with code 1")


def die(_stage: Stage) -> None:
    """It goes away in the middle of a turn."""
    raise TargetUnreachable("http://rehearsal", "the connection broke")


def cut(_stage: Stage) -> None:
    """Somebody presses Ctrl-C."""
    raise asyncio.CancelledError


def once(at: int, spoil: Callable[[Stage], None]) -> Callable[[Stage, str], None]:
    """Spoils one call, counted from 1."""
    return in_turn({at: spoil})


def nothing(_stage: Stage) -> None:
    """All goes well."""


def in_turn(spoils: Mapping[int, Callable[[Stage], None]]) -> Callable[[Stage, str], None]:
    """Spoils some calls, counted from 1."""
    calls = itertools.count(1)

    def spoilt(stage: Stage, _pin: str) -> None:
        spoils.get(next(calls), nothing)(stage)

    return spoilt


def only(pin: str, spoil: Callable[[Stage], None]) -> Callable[[Stage, str], None]:
    """Spoils every call for one pin."""

    def spoilt(stage: Stage, now: str) -> None:
        if now == pin:
            spoil(stage)

    return spoilt


def at_its_starts(pin: str, spoil: Callable[[Stage], None]) -> Callable[[Stage, str], None]:
    """Spoils every start of one pin, and not its suite."""

    def spoilt(stage: Stage, now: str) -> None:
        if now == pin and len(stage.met) >= 2:
            spoil(stage)

    return spoilt
