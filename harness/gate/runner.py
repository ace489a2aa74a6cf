"""How is a gate played, from its first suite to the pair that decides it?

    the acceptance suite of both sides; what failed of it once more
    → blocks of pairs (`plan`): the anchor; for each start: rest, start the side, see what it has
      loaded, play the scenarios, read its memory, stop it; the anchor again; judge
      (where the policy says `together`, both sides of a pair are up at once, and take turns
      request by request: `alternation`)
    → until everything that is gated is decided, the pairs or the time are spent, or something
      stands that no further pair can change
    → where a number failed, a fresh block that has to find it again

Everything is on disk as it is found out.  Whatever stops a gate leaves a folder that can be judged,
and that `play_gate` goes on from: what was cut is thrown away, what was finished is not played
again.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from harness.errors import NotAsPinned, NotComparable, TargetError, TooCoarse
from harness.gate.alternation import Alternating, Alternation
from harness.gate.differences import not_as_pinned
from harness.gate.enough import why_enough, why_it_stands
from harness.gate.guard import (
    allowed_of,
    between,
    circumstances,
    of_hosts,
    of_sampling,
    refuse_unless_allowed,
)
from harness.gate.measured import to_confirm
from harness.gate.plan import TRIES, is_played, plan_blocks, salt_of, tried, unpaired
from harness.gate.record import (
    Side,
    StartRecord,
    keep_gate,
    keep_policy_text,
    keep_start,
    read_starts,
    start_path,
    suite_path,
)
from harness.gate.resolution import too_coarse
from harness.gate.sequence import Design
from harness.kinds import derive, reports_of
from harness.results import RunFolder
from harness.runner import BY_HAND, why_stopped
from harness.suite.judge import judge_suite
from harness.suite.record import is_suite
from harness.suite.runner import play_suite, rederive_suite
from harness.target import runtime_facts, worker_here
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.clock import Clock
    from harness.gate.bench import Bench
    from harness.gate.pins import Loaded, Pin
    from harness.gate.plan import Block, PlannedPair
    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord
    from harness.gate.result import Difference, GateResult
    from harness.playing import Player
    from harness.runner import Chat
    from harness.suite.record import SuiteRecord
    from harness.suite.runner import SuiteOrder, SuiteProgress
    from harness.target import Target

    PlayedAs = Callable[[str, contextlib.ExitStack], Player]
    """(salt, stack) to what plays a scenario."""
    SuiteOf = Callable[[Sequence[str]], SuiteOrder]
    """The names of parts, or none for all, to what is run of the suite."""

__all__ = ["GateOrder", "GateProgress", "play_gate"]

UNSURE = {Outcome.FAIL, Outcome.INCONCLUSIVE}
"""How a part ended that has to be played once more."""
SAID = 400
"""Characters of why a side broke; its log is beside it."""


class GateProgress(Protocol):
    """Who is told while a gate is played; told nothing inside a turn."""

    def gate_started(self, record: GateRecord, policy: Policy) -> None:
        """It begins, or goes on."""
        ...

    def suite_started(self, side: Side, *, again: bool) -> SuiteProgress:
        """The suite of a side is about to be played; who is told of its parts."""
        ...

    def start_began(self, start: StartRecord, left_s: float) -> None:
        """A side is about to be started; `left_s` is how long all may take from here on."""
        ...

    def scenario_began(self, name: str) -> None:
        """A scenario of a start is about to be played."""
        ...

    def start_ended(self, start: StartRecord) -> None:
        """A start has ended, whole or not."""
        ...

    def judged(self, result: GateResult) -> None:
        """What it comes to so far."""
        ...

    def told(self, said: str) -> None:
        """Something that is to be known."""
        ...


@dataclass(frozen=True, slots=True)
class GateOrder:
    """What is to be played."""

    record: GateRecord
    """As it begins, or as it was left."""
    policy: Policy
    text: str
    """The policy's file, as it is."""
    scenarios: Mapping[str, PlayedAs]
    """In the order of the policy."""
    suite: SuiteOf | None
    """None where it is left out."""
    everything: bool = False
    """Whether to go on where it is known by now that the candidate fails."""


async def play_gate(
    order: GateOrder, folder: RunFolder, bench: Bench, *, clock: Clock, progress: GateProgress
) -> None:
    """Play all that is not on disk yet; `bench.judge` has the result then, however it ended.

    Raises:
        HarnessError: it ended before its end.
        asyncio.CancelledError: it was stopped by hand; what was played is on disk.
    """
    gate = _Gate(order, folder, bench, clock, progress)
    gate.begin()
    try:
        await gate.play()
    except (NotComparable, NotAsPinned, TooCoarse) as problem:
        gate.keep(refused=str(problem))
    except BaseException as problem:
        gate.keep(stopped=why_stopped(problem))
        raise
    finally:
        gate.keep(ended_at=clock.wall_iso())


class _Gate:
    """A gate under way: what is known of it by now."""

    def __init__(
        self,
        order: GateOrder,
        folder: RunFolder,
        bench: Bench,
        clock: Clock,
        progress: GateProgress,
    ) -> None:
        self._order, self._record, self._policy = order, order.record, order.policy
        self._folder, self._bench = folder, bench
        self._clock, self._progress = clock, progress
        self._starts: list[StartRecord] = []
        self._began_ns, self._before_s = clock.now_ns(), order.record.spent_s
        self._took_s: list[float] = []
        """Of each start of this session."""
        self._runtimes: dict[Side, Mapping[str, object] | None] = {}

    def begin(self) -> None:
        """Keep what was asked, and throw away what was cut; both are told in every report."""
        refused = self._record.refused
        keep_policy_text(self._folder, self._order.text)
        known = allowed_of(self._record.differences, self._record.allowed)
        known = tuple(each for each in known if each.allowed)
        self.keep(ended_at=None, stopped="", refused="", differences=known)
        starts = read_starts(self._folder.path)
        cut = unpaired(starts)
        for start in cut:
            shutil.rmtree(self._folder.path / start_path(start))
        self._starts = [start for start in starts if start not in cut]
        self._progress.gate_started(self._record, self._policy)
        now = self._clock.wall_iso()[11:19]
        if refused:
            self._note(f"it was refused before it went on at {now} UTC: {refused}")
        names = [f"{start.index:03}-{start.side.value}" for start in cut]
        names += [f"the suite of the {side.value}" for side in Side if self._has_cut_suite(side)]
        if names:
            self._note(f"thrown away at {now} UTC, to be played again: {', '.join(names)}")

    async def play(self) -> None:
        """The suites, the pairs, and those that have to find a fail again."""
        self._guard(of_hosts(self._record.baseline, self._record.candidate))
        self._look_at_the_instrument()
        if self._order.suite is not None:
            await self._play_suites(self._order.suite)
        result = self._judge()
        if not any(start.confirms for start in self._starts):
            result = await self._play_blocks(result, confirms=False)
            if not to_confirm(result.metrics):
                return
        await self._play_blocks(result, confirms=True)

    def keep(self, **changed: Any) -> None:  # noqa: ANN401 - fields of GateRecord
        """Keep what is known by now."""
        self._record = replace(self._record, **changed, spent_s=round(self._spent_s(), 3))
        keep_gate(self._folder, self._record)

    def _has_cut_suite(self, side: Side) -> bool:
        """Whether a suite of a side was left in its middle."""
        paths = (self._folder.path / suite_path(side, again=again) for again in (False, True))
        return any(is_suite(path) and not _is_over(judge_suite(path).record) for path in paths)

    # -- suites

    async def _play_suites(self, suite: SuiteOf) -> None:
        """The suite of both sides, and once more what failed at the candidate."""
        failed = {side: await self._play_suite(side, suite(())) for side in Side}
        again = failed[Side.CANDIDATE]
        both = [name for name in failed[Side.BASELINE] if name in again]
        for side, names in ((Side.CANDIDATE, again), (Side.BASELINE, both)):
            if names:
                await self._play_suite(side, suite(names), again=True)

    async def _play_suite(
        self, side: Side, order: SuiteOrder, *, again: bool = False
    ) -> Sequence[str]:
        """Play a suite, unless it was; the parts that failed or could not tell."""
        path = self._folder.path / suite_path(side, again=again)
        if not (is_suite(path) and _is_over(judge_suite(path).record)):
            shutil.rmtree(path, ignore_errors=True)
            folder = RunFolder.create(path)
            try:
                await self._play_parts(side, order, folder, again=again)
            except TargetError as problem:  # its starts will show whether it can be started at all
                self._note(f"the suite of the {side.value} was not played: {_in_a_line(problem)}")
            finally:
                if is_suite(path):
                    rederive_suite(folder)
        if not is_suite(path):
            return ()
        return [part.record.name for part in judge_suite(path).parts if part.outcome in UNSURE]

    async def _play_parts(
        self, side: Side, order: SuiteOrder, folder: RunFolder, *, again: bool
    ) -> None:
        told = self._progress.suite_started(side, again=again)
        page = any(part.page for part in order.parts)
        async with self._bench.meet(self._pin(side), folder, page=page) as (target, chat):
            # Before minutes are spent on it: is it what it is to be?
            runtime = await runtime_facts(chat.get_json)
            self._prove(_met(side, self._bench.loaded(target, runtime), runtime))
            await play_suite(order, target, chat, folder, clock=self._clock, progress=told)

    # -- pairs

    async def _play_blocks(self, result: GateResult, *, confirms: bool) -> GateResult:
        """Play block after block, as long as it is of use; what all comes to then."""
        for block in self._blocks(confirms=confirms):
            why = why_it_stands(result, everything=self._order.everything)
            if not (why or confirms):
                why = why_enough(result, self._policy)
            if why:
                self._progress.told(why)
                break
            whole = await self._play_block(block)
            result = self._judge()
            if not whole:
                break
        return result

    def _blocks(self, *, confirms: bool) -> list[Block]:
        """The blocks of which a pair is missing."""
        before = max((each.pair for each in self._starts if not each.confirms), default=0)
        after, pairs = (before, self._policy.confirm) if confirms else (0, self._record.pairs)
        blocks = plan_blocks(pairs, seed=self._record.seed, after=after, confirms=confirms)
        return [
            block
            for block in blocks
            if not all(is_played(self._starts, pair.number) for pair in block.pairs)
        ]

    async def _play_block(self, block: Block) -> bool:
        """The pairs of a block that are missing; False where no other block may follow."""
        goes_on, played = True, False
        for pair in block.pairs:
            if is_played(self._starts, pair.number):
                continue
            goes_on = pair.confirms or self._has_time()
            if not goes_on:
                break
            self._guard(self._changes_of_the_machine(), who=("at the beginning", "now"))
            anchor_s = None if played else self._bench.anchor()
            if self._policy.together:
                await self._play_together(pair, block, anchor_s)
            else:
                for side in pair.sides:
                    await self._play_side(pair, block, side, anchor_s)
                    anchor_s = None
            played = True
            goes_on = self._order.everything or not self._gave_up(pair)
            if not goes_on:
                break
        if played:
            self._change(self._starts[-1], anchor_after_s=self._bench.anchor())
        return goes_on

    async def _play_side(
        self, pair: PlannedPair, block: Block, side: Side, anchor_s: float | None
    ) -> None:
        """A start of a side that comes to its end, or as many as are tried."""
        for _ in range(TRIES):
            own = tried(self._starts, pair.number, side)
            if any(each.whole for each in own) or len(own) >= TRIES:
                return
            start = self._begin(pair, block, side, anchor_s)
            began_ns = self._clock.now_ns()
            await self._play_start(start)
            self._took_s.append((self._clock.now_ns() - began_ns) / 1e9)
            anchor_s = None

    async def _play_together(self, pair: PlannedPair, block: Block, anchor_s: float | None) -> None:
        """Both starts of a pair at once; both once more where one broke.

        A start that broke is kept, for that is a fact about its side; the other one, which has
        nothing beside it, is thrown away.
        """
        for _ in range(TRIES):
            if is_played(self._starts, pair.number):
                return
            began_ns = self._clock.now_ns()
            starts = [self._begin(pair, block, side, anchor_s) for side in pair.sides]
            broke = await self._play_both(starts, Alternation(*pair.sides))
            for start in starts:
                if start.side in broke or not broke:
                    self._end(start.index, broke.get(start.side, ""))
                else:
                    shutil.rmtree(self._folder.path / start_path(start))
                    self._starts = [each for each in self._starts if each.index != start.index]
            self._took_s += [(self._clock.now_ns() - began_ns) / 1e9 / len(starts)] * len(starts)
            anchor_s = None

    async def _play_both(
        self, starts: Sequence[StartRecord], turns: Alternation
    ) -> Mapping[Side, str]:
        """Start both sides, play them in turn, and stop them; how a side broke, if one did."""
        async with contextlib.AsyncExitStack() as up:
            met = {}
            for start in starts:
                await self._bench.sleep(self._policy.cooldown_s)
                folder = RunFolder(self._folder.path / start_path(start))
                meeting = self._bench.meet(self._pin(start.side), folder)
                try:
                    met[start.side] = (*await up.enter_async_context(meeting), folder)
                except TargetError as problem:
                    return {start.side: _in_a_line(problem)}
            broke = {}

            async def play(start: StartRecord) -> None:
                target, chat, folder = met[start.side]
                async with turns.playing(start.side):
                    try:
                        chat = Alternating(chat, start.side, turns)
                        await self._play_scenarios(start, target, chat, folder)
                    except TargetError as problem:
                        broke[start.side] = _in_a_line(problem)

            tasks = [asyncio.create_task(play(start)) for start in starts]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            return broke

    def _begin(
        self, pair: PlannedPair, block: Block, side: Side, anchor_s: float | None
    ) -> StartRecord:
        """A start that is about to be played."""
        index = max((each.index for each in self._starts), default=0) + 1
        start = StartRecord(
            index=index,
            side=side,
            block=block.number,
            pair=pair.number,
            confirms=pair.confirms,
            started_at=self._clock.wall_iso(),
            salt=self._salt(pair, index),
            anchor_before_s=anchor_s,
        )
        self._starts.append(start)
        keep_start(self._folder, start)
        self._progress.start_began(start, self._left_s())
        return start

    def _end(self, index: int, stopped: str) -> None:
        """A start has ended, and this is why it did before its end, if it did."""
        start = next(each for each in self._starts if each.index == index)
        start = self._change(start, stopped=stopped, ended_at=self._clock.wall_iso())
        self.keep()
        self._progress.start_ended(start)

    async def _play_start(self, start: StartRecord) -> None:
        """Rest, start the side, play, look at it, and stop it; all is in its record then."""
        stopped = ""
        folder = RunFolder(self._folder.path / start_path(start))
        await self._bench.sleep(self._policy.cooldown_s)
        try:
            async with self._bench.meet(self._pin(start.side), folder) as (target, chat):
                await self._play_scenarios(start, target, chat, folder)
        except TargetError as problem:
            stopped = _in_a_line(problem)
        self._end(start.index, stopped)

    async def _play_scenarios(
        self, start: StartRecord, target: Target, chat: Chat, folder: RunFolder
    ) -> None:
        """What a start is for: what is found out is in its record."""
        runtime = await runtime_facts(chat.get_json)
        loaded = self._bench.loaded(target, runtime)
        ready_s = None if target.ready_ns is None else target.ready_ns / 1e9
        start = self._change(start, ready_s=ready_s, loaded=loaded, runtime=runtime)
        self._prove(start)
        for name, played_as in self._order.scenarios.items():
            self._progress.scenario_began(name)
            own = RunFolder.create(folder.path / name)
            # No two scenarios of a start share a beginning: what one left would serve the other.
            with contextlib.ExitStack() as stack:
                player = played_as(salt_of(start.salt, name), stack)
                try:
                    await player(target, chat, own, clock=self._clock)
                except BaseException:  # the reports of what there is, as of any run
                    if own.has_record:
                        own.keep_reports(reports_of(derive(own.path)))
                    raise
        runtime = await runtime_facts(chat.get_json)
        self._change(start, runtime=runtime, **self._memory(target, runtime))

    # -- what holds for all of it

    def _prove(self, start: StartRecord) -> None:
        """Look whether a side is what was pinned, and draws its tokens as the other does.

        Raises:
            NotAsPinned: it has loaded something else.
            NotComparable: it has other defaults, and nobody allowed that.
        """
        others = [each for each in self._starts if each.index != start.index]
        if wrong := not_as_pinned(self._record, [*others, start]):
            raise NotAsPinned(wrong)
        self._runtimes[start.side] = start.runtime
        if len(self._runtimes) == len(Side):
            self._guard(of_sampling(*(self._runtimes[side] for side in Side)))

    def _look_at_the_instrument(self) -> None:
        """Whether the pairs there are at most can tell what the margins ask for.

        Raises:
            TooCoarse: they cannot, by the noise that was kept; and how many it would take.
        """
        record = self._record
        if record.baseline.digest == record.candidate.digest:  # whoever asks for noise gets it
            return
        noise = {name: each.sd for name, each in record.noise.items()}
        design = Design.of(self._policy, record.pairs)
        if coarse := too_coarse(self._policy.metric, noise, design):
            raise TooCoarse("; ".join(map(str, coarse)))

    def _changes_of_the_machine(self) -> tuple[Difference, ...]:
        record = self._record
        # The browser was asked at the beginning; no program is started between starts.
        browser = {name: told for name, told in record.machine.items() if name == "browser"}
        now = {**self._bench.machine(), **browser}
        heat = now.get("thermal", "")
        if heat != record.machine.get("thermal", ""):
            self._note(f"by {self._clock.wall_iso()[11:19]} UTC the processor was {heat}")
        return between(
            circumstances(record.fingerprint, record.machine, record.scenarios),
            circumstances(record.fingerprint, now, record.scenarios),
        )

    def _guard(
        self,
        found: Sequence[Difference],
        who: tuple[str, str] = (Side.BASELINE.value, Side.CANDIDATE.value),
    ) -> None:
        """Keep what differs, and refuse what was not allowed to.

        Raises:
            NotComparable: with all of that.
        """
        found = allowed_of(found, self._record.allowed)
        known = self._record.differences
        new = [each for each in found if each not in known]
        if new:
            self.keep(differences=(*known, *new))
        refuse_unless_allowed(found, who)

    def _salt(self, pair: PlannedPair, index: int) -> str:
        """The same for both sides of a pair, unless one may know it from an earlier start."""
        if self._record.baseline.url or self._record.candidate.url:
            return salt_of(self._record.salt, pair.number, index, self._clock.wall_iso())
        return salt_of(self._record.salt, pair.number)

    def _memory(
        self, target: Target, runtime: Mapping[str, object] | None
    ) -> Mapping[str, int | None]:
        """What the worker holds, and held at most; nothing where it does not run here."""
        pid = worker_here(target.url, runtime)
        if pid is None:
            return {}
        steady, peak = self._bench.memory(pid), self._bench.peak(pid)
        return {"worker_steady_bytes": steady, "worker_peak_bytes": peak}

    def _gave_up(self, pair: PlannedPair) -> bool:
        """Whether a side of a pair broke as often as it is tried."""
        return not all(
            any(each.whole for each in tried(self._starts, pair.number, side)) for side in Side
        )

    def _spent_s(self) -> float:
        return self._before_s + (self._clock.now_ns() - self._began_ns) / 1e9

    def _has_time(self) -> bool:
        if self._spent_s() < self._record.budget_min * 60:
            return True
        self._note(f"no new pair after {self._record.budget_min:g} min")
        return False

    def _left_s(self) -> float:
        """How long all may take from here on: what is left of the time, or of the pairs."""
        left_s = max(self._record.budget_min * 60 - self._spent_s(), 0.0)
        if not self._took_s or self._starts[-1].confirms:
            return left_s
        pairs = self._record.pairs - self._starts[-1].pair + 1
        return min(left_s, pairs * len(Side) * statistics.mean(self._took_s))

    def _judge(self) -> GateResult:
        result = self._bench.judge(self._folder.path)
        self._progress.judged(result)
        return result

    def _pin(self, side: Side) -> Pin:
        return self._record.baseline if side is Side.BASELINE else self._record.candidate

    def _change(self, start: StartRecord, **changed: Any) -> StartRecord:  # noqa: ANN401 - its fields
        """Keep what is known of a start by now."""
        start = replace(start, **changed)
        place = next(i for i, each in enumerate(self._starts) if each.index == start.index)
        self._starts[place] = start
        keep_start(self._folder, start)
        return start

    def _note(self, said: str) -> None:
        """Keep something that is to be known, once."""
        if said not in self._record.notes:
            self.keep(notes=(*self._record.notes, said))
            self._progress.told(said)


def _met(side: Side, loaded: Loaded | None, runtime: Mapping[str, object] | None) -> StartRecord:
    """A side as it was met for its suite, which is no start that is measured."""
    return StartRecord(
        0, side, 0, 0, confirms=False, started_at="", salt="", runtime=runtime, loaded=loaded
    )


def _is_over(record: SuiteRecord) -> bool:
    """Whether a suite was played to its end, and not cut by hand."""
    return all(
        part.stopped != BY_HAND and (part.seconds is not None or bool(part.stopped))
        for part in record.parts
    )


def _in_a_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:SAID]
