"""How is a suite played against a target, from its first part to its reports?

    meet the target → for each part: play it as any scenario, into a folder of its own → keep how
    it ended → the next part → derive the reports of the suite

A part that ends before its end is told, and the next one is played if the target still answers.
Whatever stops a suite leaves a folder from which `judge.judge_suite` reads what there is.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from harness.errors import HarnessError, TargetError
from harness.judged import JudgedRun
from harness.kinds import reports_of
from harness.report.suite import render_suite_reports
from harness.results import RunFolder
from harness.runner import see, why_stopped
from harness.scenario import digest
from harness.suite.judge import JudgedPart, judge_part, judge_suite
from harness.suite.record import PartRecord, SuiteRecord, keep_suite, keep_suite_text
from harness.target import meet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.clock import Clock
    from harness.fingerprint import Fingerprint
    from harness.playing import Asked, Player
    from harness.runner import Chat
    from harness.suite.judge import SuiteResult
    from harness.suite.parts import Suite
    from harness.target import Target

__all__ = [
    "PlannedPart",
    "SuiteOrder",
    "SuiteProgress",
    "play_suite",
    "rederive_suite",
    "suite_reports",
]


class SuiteProgress(Protocol):
    """Who is told while a suite is played."""

    def suite_started(self, record: SuiteRecord) -> None:
        """The target was met; these parts will be played."""
        ...

    def part_started(self, part: PartRecord) -> None:
        """A part is about to be played."""
        ...

    def part_ended(self, part: JudgedPart) -> None:
        """A part has ended, or was not begun."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part that is ready to be played."""

    name: str
    scenario: str
    asked: Asked
    player: Callable[[contextlib.ExitStack], Player]
    """Makes what plays it; what the stack holds is let go when the part has ended."""
    page: bool = False
    """Whether it needs the target to serve its page."""


@dataclass(frozen=True, slots=True)
class SuiteOrder:
    """What is to be run."""

    suite: Suite
    text: str
    """The suite file, as it is."""
    parts: Sequence[PlannedPart]
    quick: bool
    only: tuple[str, ...]
    fingerprint: Fingerprint


async def play_suite(
    order: SuiteOrder,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: SuiteProgress,
) -> None:
    """Play every part; `rederive_suite` has the result then, however the playing ended.

    Raises:
        TargetError: the target cannot be met before the first part.
        asyncio.CancelledError: the suite was stopped by hand; what was played is on disk.
    """
    record = SuiteRecord(
        suite=order.suite.name,
        suite_sha256=digest(order.text),
        quick=order.quick,
        only=order.only,
        started_at=clock.wall_iso(),
        fingerprint=order.fingerprint,
        target=await see(target, chat),
        parts=tuple(
            PartRecord(
                each.name, each.scenario, {n: getattr(each.asked, n) for n in each.asked.given}
            )
            for each in order.parts
        ),
    )
    keep_suite_text(folder, order.text)
    run = _Run(record, target, chat, folder, clock, progress)
    run.keep()
    progress.suite_started(record)
    try:
        for place, part in enumerate(order.parts):
            await run.play(place, part)
    finally:
        run.keep(ended_at=clock.wall_iso())


def rederive_suite(folder: RunFolder) -> SuiteResult:
    """Judge what is on disk, and keep every report beside it."""
    result = judge_suite(folder.path)
    folder.keep_reports(suite_reports(result))
    return result


def suite_reports(result: SuiteResult) -> dict[str, str]:
    """The text of every report, those of the parts among them, by their path in the folder."""
    of_parts = {
        part.record.name: reports_of(part.run) for part in result.parts if part.run is not None
    }
    junits = {name: reports["junit.xml"] for name, reports in of_parts.items()}
    return {
        f"{name}/{file}": text
        for name, reports in of_parts.items()
        for file, text in reports.items()
    } | render_suite_reports(result, junits)


class _Run:
    """A suite under way: what is known of it by now."""

    def __init__(
        self,
        record: SuiteRecord,
        target: Target,
        chat: Chat,
        folder: RunFolder,
        clock: Clock,
        progress: SuiteProgress,
    ) -> None:
        self._record, self._target, self._chat = record, target, chat
        self._folder, self._clock, self._progress = folder, clock, progress
        self._gone = ""

    async def play(self, place: int, part: PlannedPart) -> None:
        """One part, unless the target is gone."""
        if self._gone:
            self._note(place, stopped=f"it was not played: {self._gone}")
            self._progress.part_ended(judge_part(self._folder.path, self._record.parts[place]))
            return
        self._note(place, started_at=self._clock.wall_iso())
        self._progress.part_started(self._record.parts[place])
        began = self._clock.now_ns()
        stopped, run = "", None
        try:
            with contextlib.ExitStack() as stack:
                own = RunFolder.create(self._folder.path / part.name)
                run = await part.player(stack)(self._target, self._chat, own, clock=self._clock)
        except asyncio.CancelledError as problem:
            stopped = why_stopped(problem)
            raise
        except Exception as problem:  # noqa: BLE001 - a part that breaks takes no other with it
            stopped = str(problem) if isinstance(problem, HarnessError) else why_stopped(problem)
        finally:
            seconds = round((self._clock.now_ns() - began) / 1e9, 3)
            self._note(place, seconds=seconds, stopped=stopped)
        ended = self._record.parts[place]
        self._progress.part_ended(
            JudgedPart(ended, run)
            if isinstance(run, JudgedRun)
            else judge_part(self._folder.path, ended)
        )
        if stopped:
            await self._look_whether_it_lives()

    async def _look_whether_it_lives(self) -> None:
        try:
            await meet(self._chat.get_json, self._target.url, self._target.model)
        except TargetError as problem:
            self._gone = f"the target is gone: {problem}"

    def _note(self, place: int, **changed: Any) -> None:  # noqa: ANN401 - fields of PartRecord
        parts = list(self._record.parts)
        parts[place] = replace(parts[place], **changed)
        self.keep(parts=tuple(parts))

    def keep(self, **changed: Any) -> None:  # noqa: ANN401 - fields of SuiteRecord
        """Keep what is known by now."""
        self._record = replace(self._record, **changed)
        keep_suite(self._folder, self._record)
