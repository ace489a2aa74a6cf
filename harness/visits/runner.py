"""How are visits made, from the first tab to the reports?

    meet the target → is there a page, and a browser → for each visit: does the target claim what it
    needs → a tab, its settings → each step: do, wait, look, record → leave → derive the reports

Every step is on disk when it has ended.  A visit ends where the page is stuck; what was planned
behind that counts as not played.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.browser import hands
from harness.browser.chat import differs, settings_of
from harness.browser.record import Step as Named
from harness.browser.record import bodies_sent, look, turn_of
from harness.browser.tab import SIZE, open_browser
from harness.capabilities import unclaimed
from harness.errors import PageStuck, PageUnusable
from harness.pictures import content_of
from harness.played import play_back
from harness.report.sheets import sheet_reports
from harness.report.visits import tell_visits
from harness.results import Driven, Promised, RunRecord, read_run_as
from harness.runner import see, why_stopped
from harness.scenario import digest
from harness.target import meet, runtime_facts
from harness.trace import Action
from harness.visits.judge import judge_visits
from harness.visits.plan import plan_visits
from harness.visits.scenario import parse_visits
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness.browser.tab import Tab
    from harness.clock import Clock
    from harness.fingerprint import Fingerprint
    from harness.pictures import Part
    from harness.results import RunFolder
    from harness.runner import Chat, Progress
    from harness.target import Target
    from harness.trace import Trace
    from harness.visits.judge import VisitsResult
    from harness.visits.plan import PlannedStep, PlannedVisit
    from harness.visits.scenario import Visits

__all__ = ["VisitsOrder", "play_visits"]


@dataclass(frozen=True, slots=True)
class VisitsOrder:
    """What is to be run."""

    visits: Visits
    text: str
    """The scenario file, as it is."""
    path: Path
    """Where it lies; its pictures lie beside it."""
    repeats: int
    seed: int
    salt: str
    fingerprint: Fingerprint
    pictures: Mapping[str, Part]
    """What shows each picture in a message."""
    chromium: str | None = None
    """The browser's command, where one was named."""


async def play_visits(
    order: VisitsOrder,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
) -> VisitsResult:
    """Make every visit; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    started_at, seen = clock.wall_iso(), await see(target, chat)
    async with contextlib.AsyncExitStack() as stack:
        browser, driven = None, Driven("browser")
        try:
            browser = await stack.enter_async_context(open_browser(clock, order.chromium))
            async with await browser.open(target.url):
                pass  # it can be visited
        except PageUnusable as problem:
            browser, driven = None, replace(driven, why_not=problem.reason)
        else:
            driven = replace(driven, browser=browser.name)
        planned = plan_visits(order.visits, repeats=order.repeats, seed=order.seed, salt=order.salt)
        visits = [v for v in planned if browser and not unclaimed(v.visit.needs, seen.runtime)]
        record = RunRecord(
            scenario=order.visits.name,
            scenario_sha256=digest(order.text),
            repeats=order.repeats,
            seed=order.seed,
            salt=order.salt,
            started_at=started_at,
            fingerprint=order.fingerprint,
            target=seen,
            promised=tuple(
                Promised(step.label, step.promise) for visit in visits for step in visit.steps
            ),
            driven=driven,
        )
        folder.keep_scenario(order.text)
        folder.keep_record(record)
        progress.started(record, sum(step.step.asks for v in visits for step in v.steps))
        try:
            for visit in visits:
                assert browser is not None
                async with await browser.open(target.url) as tab:
                    session = await _Visit(visit, order, tab, folder, clock, progress).make()
                await meet(chat.get_json, target.url, seen.model)
                await chat.delete(f"/v1/sessions/{session}")  # where the page could not
            if seen.runtime is not None:
                after = await runtime_facts(chat.get_json)
                record = replace(record, target=replace(seen, runtime_after=after))
        except BaseException as problem:
            record = replace(record, stopped=why_stopped(problem))
            raise
        finally:
            folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    result = judge_visits(*read_run_as(parse_visits, folder.path))
    folder.keep_reports(sheet_reports(result, tell_visits(result)))
    return result


class _Visit:
    """A visit under way: the tab, and the conversation as it should be shown there."""

    def __init__(
        self,
        visit: PlannedVisit,
        order: VisitsOrder,
        tab: Tab,
        folder: RunFolder,
        clock: Clock,
        progress: Progress,
    ) -> None:
        self._visit, self._order, self._tab = visit, order, tab
        self._folder, self._clock, self._progress = folder, clock, progress
        self._history: list[dict[str, Any]] = []
        self._attached: list[Part] = []

    async def make(self) -> str:
        """Every step, as far as the page goes along; the id of the session that it leaves."""
        await self._settle_in()
        for planned in self._visit.steps:
            if not await self._take(planned):
                break
        return await self._leave()

    async def _settle_in(self) -> None:
        """Write the settings into the panel; a page that was loaded again has forgotten them."""
        system = self._visit.system
        self._history = [{"role": "system", "content": system}] if system else []
        body = {"messages": self._history, **self._order.visits.settings.fields()}
        await self._tab.set(settings_of(body))

    async def _take(self, planned: PlannedStep) -> bool:
        """Take one step, and keep what came of it; whether the visit can go on."""
        named = self._named(planned)
        if planned.step.asks:
            self._progress.turn_started(planned.label)
        saw: dict[str, Any] = {"before": await hands.view(self._tab)}
        await self._tab.begin()
        try:
            saw |= await self._do(planned)
            await self._tab.quiet()
        except PageStuck as problem:
            saw["stuck"] = str(problem)
        saw["after"] = await hands.view(self._tab)
        record = await self._tab.end()
        turn = turn_of(record, self._tab.clock, named) if planned.step.asks else None
        if turn is None:
            self._folder.append(look(record, self._tab.clock, named, planned.step.do, saw))
            return "stuck" not in saw and not planned.step.asks
        trace = self._with(turn, record, saw)
        self._folder.append(trace)
        (played,) = play_back({planned.label: planned.promise}, [trace])
        self._progress.turn_ended(played)
        return "stuck" not in saw

    async def _do(self, planned: PlannedStep) -> Mapping[str, Any]:
        """Do what a step says, and let the conversation be what it is then."""
        step, says, tab = planned.step, planned.says, self._tab
        match step.do:
            case "ask":
                self._history.append({"role": "user", "content": self._content(says)})
                await tab.say(says)
                await tab.settled()
            case "stop":
                assert step.after is not None
                self._history.append({"role": "user", "content": self._content(says)})
                return await hands.stop(tab, says, step.after)
            case "regenerate":
                if self._history[-1]["role"] == "assistant":
                    self._history.pop()
                await tab.press("Regenerate")
                await tab.settled()
            case "edit":
                assert step.message is not None
                seen = await hands.edit(tab, step.message, says, save=step.save)
                if step.save:
                    self._change(step.message, says)
                if step.asks:
                    await tab.settled()
                return seen
            case "attach":
                return await self._attach(planned)
            case "new-chat":
                await tab.press("New chat")
                del self._history[1 if self._visit.system else 0 :]
            case "reload":
                await tab.load()
                await self._settle_in()
                await tab.begin()
            case _:
                return await self._look(planned)
        return {}

    async def _look(self, planned: PlannedStep) -> Mapping[str, Any]:
        """What leaves the conversation as it is."""
        match planned.step.do:
            case "thinking":
                return await hands.thinking(self._tab)
            case "figures":
                return await hands.figures(self._tab)
            case _:
                return await hands.fit(self._tab, planned.step.widths, SIZE)

    async def _attach(self, planned: PlannedStep) -> Mapping[str, Any]:
        name = planned.step.picture or ""
        file = self._order.path.parent / (self._order.visits.pictures[name].file or "")
        await hands.attach(self._tab, file)
        self._attached = [self._order.pictures[name]]
        return {"file": file.name}

    def _content(self, says: str) -> object:
        """What a message will hold: before its text the picture that was attached."""
        parts, self._attached = self._attached, []
        return content_of(says, parts)

    def _change(self, message: int, says: str) -> None:
        """An edit that is saved drops all that stood behind it."""
        at = message - 1 + bool(self._visit.system)
        self._history[at] = {**self._history[at], "content": says}
        del self._history[at + 1 :]

    def _with(self, turn: Trace, record: Mapping[str, Any], saw: Mapping[str, Any]) -> Trace:
        """A turn with what was seen of it; what was answered is part of the conversation."""
        sent = bodies_sent(record)[-1].get("messages", ())
        why = differs(self._history, sent)
        seen = observe(turn)
        if seen.text():
            self._history.append({"role": "assistant", "content": seen.text()})
        told = [Action(0, "page.differs", {"why": why})] if why else []
        last = max((action.at_ns for action in turn.actions), default=0)
        told.append(Action(last, "saw", dict(saw)))
        return replace(turn, actions=(*turn.actions, *told))

    async def _leave(self) -> str:
        """Give the session back, and note what went wrong in the browser all the while."""
        tab, label = self._tab, self._visit.leaving
        saw: dict[str, Any] = {"before": await hands.view(tab)}
        await tab.begin()
        if saw["before"]["messages"]:  # else there is nothing to leave
            try:
                await tab.press("New chat")
                await tab.quiet()
            except PageStuck as problem:
                saw["stuck"] = str(problem)
        record = await tab.end()
        saw["troubles"] = list(tab.troubles)
        trace_id = f"{self._order.salt}-r{label.repeat}-{label.leg}-{label.turn}"
        named = Named(label, trace_id, self._clock.wall_iso())
        self._folder.append(look(record, tab.clock, named, "leave", saw))
        return str(saw["before"]["session"])

    def _named(self, planned: PlannedStep) -> Named:
        label = planned.label
        trace_id = f"{self._order.salt}-r{label.repeat}-{label.leg}-{label.turn}"
        return Named(label, trace_id, self._clock.wall_iso())
