"""What follows from a run of races: a verdict for each promise and cell, and the exit code.

A pure function of what is on disk.  A promise is judged in every race and told once for each cell:
it failed where it failed in one race, and the evidence is of the first of those.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.capabilities import Capabilities, ReuseReport, capabilities
from harness.checks.cancel import RACE_CHECKS, acted, idles, next_accounts, places_kept
from harness.judged import Judged, JudgedRun
from harness.races.abilities import Cell, cells_of, lacks
from harness.races.bodies import Bodies
from harness.races.controls import Controls
from harness.races.facts import RACED, cell_of, role_of, seen_races
from harness.reuse import reuse_of
from harness.verdict import Outcome, Verdict, worst_of
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.races.facts import SeenRace
    from harness.races.scenario import Races
    from harness.results import RunRecord
    from harness.trace import Trace

__all__ = ["RacedCell", "RacesResult", "judge_races"]

AT_MOST = 3
"""Failed races of a cell whose evidence is shown."""


@dataclass(frozen=True, slots=True)
class RacedCell:
    """One cell, as it was raced."""

    cell: Cell
    races: tuple[SeenRace, ...]
    failed: int
    """Races in which a promise was broken."""
    outcome: Outcome | None
    """The worst of its verdicts; SKIP where the target cannot play it, None where there were fewer
    races than cells and none was its."""
    skipped: str = ""
    """Why it was not played."""

    @property
    def hits(self) -> int:
        """Races that hit their moment."""
        return sum(race.hit for race in self.races)


@dataclass(frozen=True, slots=True)
class RacesResult(JudgedRun):
    """A run of races, judged."""

    record: RunRecord
    scenario: Races
    can: Capabilities
    turns: tuple[SeenRace, ...]
    """The races that were run, in order."""
    cells: tuple[RacedCell, ...]
    """Every cell of the scenario, in its order."""


def judge_races(record: RunRecord, races: Races, traces: Sequence[Trace]) -> RacesResult:
    """Everything that follows from a run."""
    controls = Controls.among(traces)
    raced = tuple(seen_races(traces, controls))
    by_cell: dict[Cell, list[SeenRace]] = defaultdict(list)
    for race in raced:
        by_cell[race.cell].append(race)
    can = capabilities(
        record.target.runtime, [reuse_of(r.next.seen) for r in raced[:AT_MOST] if r.next]
    )
    after = _after_groups(traces)
    why = _skipped(record, races, controls)
    cells, judged = [], []
    for cell in cells_of(races):
        told = _Told(cell)
        for race in by_cell[cell]:
            told.race(race.number, _verdicts(race, races, can))
        told.of_group(_left_behind(after.get(cell, []), races, record))
        if by_cell[cell]:
            told.of_group(_hits(by_cell[cell], races))
        if cell in why:
            told.of_group([Verdict("target.claims", Outcome.SKIP, f"not raced: {why[cell]}")])
        verdicts = told.merged()
        judged += [Judged(verdict, None, cell.name) for verdict in verdicts]
        cells.append(
            RacedCell(
                cell,
                tuple(by_cell[cell]),
                failed=len(told.failed),
                outcome=worst_of(verdict.outcome for verdict in verdicts) if verdicts else None,
                skipped=why.get(cell, ""),
            )
        )
    judged += [Judged(verdict, None, "every cell") for verdict in _never(record, can)]
    played = {trace.label for trace in traces if role_of(trace) == RACED}
    return RacesResult(
        record=record,
        scenario=races,
        can=can,
        turns=raced,
        cells=tuple(cells),
        judged=tuple(judged),
        unplayed=tuple(p.label for p in record.promised if p.label not in played),
    )


class _Told:
    """The verdicts of one cell, told once for each promise."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._by_check: dict[str, list[Verdict]] = {}
        self.failed: set[int] = set()

    def race(self, number: int, verdicts: Iterable[Verdict]) -> None:
        """The verdicts of one race."""
        for verdict in verdicts:
            self._by_check.setdefault(verdict.check, []).append(verdict)
            if verdict.outcome is Outcome.FAIL:
                self.failed.add(number)

    def of_group(self, verdicts: Iterable[Verdict]) -> None:
        """Verdicts of more than one race."""
        for verdict in verdicts:
            self._by_check.setdefault(verdict.check, []).append(verdict)

    def merged(self) -> list[Verdict]:
        """One of each check."""
        return [_merge(check, found) for check, found in self._by_check.items()]


def _merge(check: str, found: Sequence[Verdict]) -> Verdict:
    worst = worst_of(verdict.outcome for verdict in found)
    such = [verdict for verdict in found if verdict.outcome is worst]
    evidence = tuple(e for verdict in such[:AT_MOST] for e in verdict.evidence)
    if worst is Outcome.PASS:
        evidence = such[0].evidence
    message = such[0].message
    if len(found) > 1:
        message = f"{len(such)} of {len(found)}: {message}"
    return Verdict(check, worst, message, evidence)


def _verdicts(race: SeenRace, races: Races, can: Capabilities) -> Iterator[Verdict]:
    for check in RACE_CHECKS:
        yield from check(race, races.limits)
    yield from next_accounts(race, can)


def _hits(found: Sequence[SeenRace], races: Races) -> Iterator[Verdict]:
    """Whether enough races of a cell hit their moment; a part of a race is none.

    Nothing is said where the share of so few races is less than one: it is kept by missing all.
    """
    hits, share = sum(race.hit for race in found), races.plan_of(found[0].cell.point).hits
    message = f"{hits} of {len(found)} races hit their moment, promised are {share:.0%}"
    if least := int(share * len(found) + 1e-9):
        enough = hits >= least
        shown = [race for race in found if race.hit is enough][:AT_MOST]
        evidence = tuple(each for race in shown for each in acted(race))
        outcome = Outcome.PASS if enough else Outcome.INCONCLUSIVE
        yield Verdict("cancel.hits", outcome, message, evidence)


def _after_groups(traces: Sequence[Trace]) -> Mapping[Cell, list[list[Trace]]]:
    """What was asked behind each group of races, by cell."""
    found: dict[Cell, dict[int, list[Trace]]] = defaultdict(lambda: defaultdict(list))
    for trace in traces:
        if role_of(trace) in {"closing", "place", "idle"}:
            found[cell_of(trace)][trace.label.repeat].append(trace)
    return {cell: list(groups.values()) for cell, groups in found.items()}


def _left_behind(
    groups: Iterable[Sequence[Trace]], races: Races, record: RunRecord
) -> Iterator[Verdict]:
    places = int((record.target.runtime or {}).get("maxNamedSessions") or 0)
    for group in groups:
        strangers = [observe(trace) for trace in group if role_of(trace) == "place"]
        closing = next((observe(t) for t in group if role_of(t) == "closing"), None)
        if strangers:
            yield places_kept(closing, strangers, places)
        yield from (idles(t, races.limits) for t in group if role_of(t) == "idle")


def _skipped(record: RunRecord, races: Races, controls: Controls) -> Mapping[Cell, str]:
    """Why each cell that could not be played was not."""
    runtime = record.target.runtime
    bodies = Bodies(races, record.target.model, told=runtime is not None)
    opening = controls.of(bodies.opening())
    if not opening.answered:
        return {}
    bodies = Bodies(races, bodies.model, told=bodies.told, answer=opening.texts[1])
    why = {cell: lacks(cell, races, bodies, controls, runtime) for cell in cells_of(races)}
    return {cell: reason for cell, reason in why.items() if reason}


def _never(record: RunRecord, can: Capabilities) -> Iterator[Verdict]:
    """What cannot be asked of this target in any cell."""
    runtime = record.target.runtime
    if can.reuse is not ReuseReport.ACCOUNTS:
        yield Verdict("resume.accounts", Outcome.SKIP, f"no accounts to add up: {can.why}")
    if not (runtime or {}).get("maxNamedSessions"):
        message = "it does not say that it keeps named sessions"
        yield Verdict("cancel.places", Outcome.SKIP, message)
    if runtime is None:
        message = "it does not say which processes are its own"
        yield Verdict("cancel.idle", Outcome.SKIP, message)
