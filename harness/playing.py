"""How is a scenario of any kind played as the command line asked for it?

A *player* holds all of a run but its target: the order, and who is told of its progress.
`perform` brings it a target (started for it, or at a URL), a client and a folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import secrets
import signal
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal

from harness.acts.runner import ActsOrder, play_acts
from harness.browser.conversation import play_with_page
from harness.client import ChatClient
from harness.clock import SystemClock
from harness.conformance.runner import ProbesOrder, play_probes
from harness.driver import page_legs
from harness.exam.runner import ExamOrder, play_exam
from harness.exam.scenario import check_against
from harness.fingerprint import fingerprint
from harness.load.runner import LoadOrder, play_load
from harness.machine import SystemMachine
from harness.pictures import load_pictures
from harness.races.runner import RacesOrder, play_races
from harness.report.progress import LiveProgress, PlainProgress
from harness.results import Driven
from harness.runner import Order, play
from harness.scenario_files import cases_of
from harness.target import Target, embedded, processes_of
from harness.visits.runner import VisitsOrder, play_visits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
    from pathlib import Path
    from typing import Any

    from rich.console import Console

    from harness.acts.scenario import Acts
    from harness.conformance.scenario import Probes
    from harness.exam.scenario import Exam
    from harness.load.scenario import Load
    from harness.races.scenario import Races
    from harness.results import RunFolder
    from harness.scenario import Scenario
    from harness.visits.scenario import Visits
    from harness.waiting import Waiting

    Player = Callable[..., Coroutine[Any, Any, object]]
    """Plays an order: (target, chat, folder, clock=…)."""

__all__ = [
    "Asked",
    "AskedAlike",
    "acts_player",
    "conversation_player",
    "exam_player",
    "load_player",
    "meeting",
    "perform",
    "probes_player",
    "races_player",
    "stop_when_told",
    "visits_player",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says of a run; None is what it leaves to the scenario."""

    repeat: int | None = None
    seed: int | None = None
    first: int | None = None
    driver: Literal["http", "browser", "both"] | None = None
    chromium: str | None = None
    rounds: int | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """What was said, by the name of its option."""
        return tuple(each.name for each in fields(Asked) if getattr(self, each.name) is not None)

    @property
    def salt(self) -> str:
        """What the fresh slots of a run are drawn from: another one each time."""
        return secrets.token_hex(4)


@dataclass(frozen=True, slots=True)
class AskedAlike(Asked):
    """The same, and fresh slots come out alike in every run that is asked for so."""

    drawn_from: str = ""

    @property
    def salt(self) -> str:
        """The one that was given."""
        return self.drawn_from


def conversation_player(
    asked: Asked,
    scenario: Scenario,
    text: str,
    _path: Path,
    console: Console,
    stack: contextlib.ExitStack,
) -> Player:
    """What plays a conversation."""
    by = asked.driver or "http"
    order = Order(
        scenario=scenario,
        text=text,
        repeats=asked.repeat or scenario.repeat,
        seed=scenario.seed if asked.seed is None else asked.seed,
        salt=asked.salt,
        fingerprint=fingerprint(),
        driven=Driven(by) if page_legs(scenario, by) else None,
    )
    progress = _progress(console, stack)
    if order.driven:
        return functools.partial(play_with_page, order, progress=progress, chromium=asked.chromium)
    return functools.partial(play, order, progress=progress)


def acts_player(
    asked: Asked, acts: Acts, text: str, path: Path, console: Console, stack: contextlib.ExitStack
) -> Player:
    """What plays acts.

    Raises:
        ScenarioError: its pictures cannot be read.
    """
    order = ActsOrder(
        acts=acts,
        text=text,
        repeats=asked.repeat or acts.repeat,
        seed=acts.seed if asked.seed is None else asked.seed,
        salt=asked.salt,
        fingerprint=fingerprint(),
        pictures=load_pictures(acts.pictures, path),
    )
    return functools.partial(play_acts, order, progress=_progress(console, stack))


def probes_player(
    asked: Asked,
    probes: Probes,
    text: str,
    _path: Path,
    console: Console,
    stack: contextlib.ExitStack,
) -> Player:
    """What sends probes."""
    order = ProbesOrder(probes, text, salt=asked.salt, fingerprint=fingerprint())
    return functools.partial(play_probes, order, progress=_progress(console, stack))


def races_player(
    asked: Asked,
    races: Races,
    text: str,
    _path: Path,
    console: Console,
    stack: contextlib.ExitStack,
) -> Player:
    """What runs races."""
    order = RacesOrder(
        races=races,
        text=text,
        rounds=asked.rounds or races.rounds,
        seed=races.seed if asked.seed is None else asked.seed,
        salt=asked.salt,
        fingerprint=fingerprint(),
    )
    return functools.partial(play_races, order, progress=_progress(console, stack))


def load_player(
    asked: Asked, load: Load, text: str, _path: Path, console: Console, stack: contextlib.ExitStack
) -> Player:
    """What puts load on a target."""
    order = LoadOrder(
        load=load,
        text=text,
        rounds=asked.rounds or load.load.rounds,
        seed=load.seed if asked.seed is None else asked.seed,
        salt=asked.salt,
        fingerprint=fingerprint(),
    )
    return functools.partial(play_load, order, progress=_progress(console, stack))


def visits_player(
    asked: Asked,
    visits: Visits,
    text: str,
    path: Path,
    console: Console,
    stack: contextlib.ExitStack,
) -> Player:
    """What visits the page.

    Raises:
        ScenarioError: its pictures cannot be read.
    """
    order = VisitsOrder(
        visits=visits,
        text=text,
        path=path,
        repeats=asked.repeat or visits.repeat,
        seed=visits.seed if asked.seed is None else asked.seed,
        salt=asked.salt,
        fingerprint=fingerprint(),
        pictures=load_pictures(visits.pictures, path),
        chromium=asked.chromium,
    )
    return functools.partial(play_visits, order, progress=_progress(console, stack))


def exam_player(
    asked: Asked,
    exam: Exam,
    text: str,
    path: Path,
    console: Console,
    stack: contextlib.ExitStack,
) -> Player:
    """What plays an exam of cases.

    Raises:
        ScenarioError: its cases cannot be read.
    """
    cases = cases_of(exam, path)
    check_against(exam, cases.groups, text, path)
    order = ExamOrder(
        exam=exam,
        text=text,
        cases=cases,
        salt=asked.salt,
        fingerprint=fingerprint(),
        repeat=asked.repeat,
        first=asked.first,
    )
    return functools.partial(play_exam, order, progress=_progress(console, stack))


def _progress(console: Console, stack: contextlib.ExitStack) -> LiveProgress | PlainProgress:
    return (
        stack.enter_context(LiveProgress(console))
        if console.is_terminal
        else PlainProgress(console)
    )


async def perform(
    player: Player,
    target: Target | None,
    passed_on: Sequence[str],
    folder: RunFolder,
    *,
    page: bool = False,
    waiting: Waiting | None = None,
) -> None:
    """Play against a target, or the embedded playground; all is in the folder then.

    `page` says whether the embedded playground has to serve its page, `waiting` is told how far
    the turns under way are.

    Raises:
        HarnessError: the run ended before its last turn.
    """
    stop_when_told()
    async with meeting(target, passed_on, folder, page=page, waiting=waiting) as (met, chat):
        await player(met, chat, folder, clock=SystemClock())


def stop_when_told() -> None:
    """Let SIGTERM end the task that runs this as Ctrl-C does: what was begun is put in order."""
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError, RuntimeError):  # not in a thread, not on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


@contextlib.asynccontextmanager
async def meeting(
    target: Target | None,
    passed_on: Sequence[str],
    folder: RunFolder,
    *,
    page: bool = False,
    waiting: Waiting | None = None,
    beside: list[SystemMachine] | None = None,
) -> AsyncIterator[tuple[Target, ChatClient]]:
    """A target and a client of it: the one that is given, or the embedded playground.

    The playground runs as long as the block, with the arguments that are passed on; its log is in
    the folder.  `beside` is who measures other targets at the same time, and is joined.

    Raises:
        HarnessError: it did not start.
    """
    beside = [] if beside is None else beside
    clock, machine = SystemClock(), SystemMachine(beside=beside)
    async with (
        _target(target, passed_on, folder, clock, page=page) as met,
        ChatClient(met.url, clock, machine=machine, waiting=waiting) as chat,
    ):
        beside.append(machine)
        try:
            yield await _known_to(machine, met, chat), chat
        finally:
            beside.remove(machine)


async def _known_to(machine: SystemMachine, target: Target, chat: ChatClient) -> Target:
    """Tell the machine which processes are the target's, now and after each restart."""

    async def tell() -> None:
        machine.target_is(await processes_of(target.url, chat.get_json))

    async def restart(*, kill: bool = False) -> None:
        assert target.restart is not None
        await target.restart(kill=kill)
        await tell()

    await tell()
    return replace(target, restart=restart if target.restart else None)


@contextlib.asynccontextmanager
async def _target(
    target: Target | None,
    passed_on: Sequence[str],
    folder: RunFolder,
    clock: SystemClock,
    *,
    page: bool,
) -> AsyncIterator[Target]:
    if target is not None:
        yield target
        return
    async with embedded(folder.path, clock, arguments=passed_on, page=page) as started:
        yield started
