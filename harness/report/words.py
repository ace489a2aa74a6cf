"""How is a result said in words and cells, whatever the format?

Markdown, HTML and the console share these, so that they cannot tell different stories.
Numbers are printed here and not computed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.checks import PROMISES
from harness.dirty import is_dirty, told_stains
from harness.metrics import METRICS
from harness.stats import DoubtKind
from harness.units import NOTHING, format_value
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.judge import Cell, Compared, Result
    from harness.judged import Judged
    from harness.results import RunRecord
    from harness.stats import Comparison
    from harness.trace import TurnLabel

__all__ = [
    "COUNTED",
    "TIMED",
    "TIMES",
    "WORDS",
    "CheckRow",
    "Told",
    "TurnRow",
    "check_rows",
    "comparison_line",
    "doubts",
    "few",
    "figure_of",
    "headline",
    "needing",
    "one_line",
    "ratio",
    "troubles",
    "turn_rows",
    "verdict_line",
]

TIMES = "\N{MULTIPLICATION SIGN}"

TIMED = ("client.ttft", "client.ttfv", "client.e2e", "client.decode_rate", "server.prefill_rate")
"""The metrics of the result table, in order."""
COUNTED = ("tokens.prompt", "tokens.reused", "tokens.prefilled", "tokens.completion")
"""The token counts of the result table, in order."""


class Told(Protocol):
    """What every result can be asked, of whichever kind."""

    @property
    def promises(self) -> Mapping[str, str]:
        """What the checks of its kind ask, beyond those of `harness.checks`."""
        ...

    @property
    def record(self) -> RunRecord:
        """What the run was told, and found out."""
        ...

    @property
    def turns(self) -> Sequence[object]:
        """The turns that were played."""
        ...

    @property
    def unplayed(self) -> Sequence[TurnLabel]:
        """The turns that were planned and not played."""
        ...

    @property
    def judged(self) -> Sequence[Judged]:
        """Every verdict."""
        ...

    @property
    def outcome(self) -> Outcome:
        """What they come to."""
        ...

    @property
    def exit_code(self) -> int:
        """0 all passed, 1 something failed, 3 could not tell."""
        ...

    def count(self, outcome: Outcome) -> int:
        """How many verdicts ended so."""
        ...


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One row of the result table."""

    leg: str
    turn: int
    reset: str
    counted: tuple[str, ...]
    """Medians of `COUNTED`."""
    timed: tuple[tuple[str, str], ...]
    """Of `TIMED`: the median, and its interval or what is to be known instead."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One promise, and how often it was kept."""

    check: str
    promise: str
    outcome: Outcome
    """The worst of its outcomes."""
    counts: str
    skipped: str
    """Why it was skipped, where it was."""


def verdict_line(result: Told) -> str:
    """The verdict in a sentence."""
    judged = len(result.judged)
    skipped, noted = result.count(Outcome.SKIP), result.count(Outcome.NOTE)
    told = [f"{n} {word}" for n, word in ((skipped, "skipped"), (noted, "noted")) if n]
    aside = f" ({', '.join(told)})" if told else ""
    match result.outcome:
        case Outcome.PASS:
            number = judged - skipped - noted
            return f"{f'All {number} checks' if number > 1 else 'The one check'} passed{aside}"
        case Outcome.FAIL:
            of = f"of {judged} checks" if judged > 1 else "check"
            return f"{result.count(Outcome.FAIL)} {of} failed{aside}"
        case _:
            return f"Could not tell{aside}: {_why_unsure(result)}"


def headline(result: Result) -> str:
    """The final result in a sentence: the comparisons that are judged, else the first."""
    asked = [each for each in result.compared if each.asked.at_least] or list(result.compared[:1])
    return "; ".join(comparison_line(each) for each in asked)


def comparison_line(each: Compared) -> str:
    """A ratio with the turn it is of."""
    return f"turn {each.turn}: {ratio(each.found)}"


def ratio(found: Comparison) -> str:
    """A ratio with its interval: the factor, then `[13.0, 15.5], n = 5`."""
    return " ".join(figure_of(found))


def figure_of(found: Comparison) -> tuple[str, str]:
    """A ratio, and its interval; said to show no difference where the interval holds 1."""
    if found.ratio is None:
        return NOTHING, "no pairs"
    said = f"{_figures(found.ratio)} {TIMES}"
    if found.low is None or found.high is None:
        return said, f"no interval, n = {found.n}"
    unclear = "" if found.distinct else "; no difference shown"
    return said, f"[{_figures(found.low)}, {_figures(found.high)}], n = {found.n}{unclear}"


def turn_rows(result: Result) -> list[TurnRow]:
    """The result table: turns one after the other, legs side by side."""
    return [
        TurnRow(
            leg=leg.name,
            turn=number,
            reset=_resets(result, leg.name, number),
            counted=tuple(_middle(result.cell(leg.name, number, name)) for name in COUNTED),
            timed=tuple(_timed(result.cell(leg.name, number, name)) for name in TIMED),
        )
        for number in range(1, len(result.scenario.turn) + 1)
        for leg in result.scenario.leg
    ]


def check_rows(result: Told) -> list[CheckRow]:
    """Every check that was made, in the order of `PROMISES`, worst outcomes told."""
    rows = []
    promises = {**result.promises, **PROMISES}
    for check in sorted({j.verdict.check for j in result.judged}, key=list(promises).index):
        of = [j.verdict for j in result.judged if j.verdict.check == check]
        counts = Counter(verdict.outcome for verdict in of)
        order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.NOTE, Outcome.SKIP, Outcome.PASS)
        said = [
            f"{counts[outcome]} {WORDS[outcome]}" for outcome in reversed(order) if counts[outcome]
        ]
        skipped = dict.fromkeys(v.message for v in of if v.outcome is Outcome.SKIP)
        rows.append(
            CheckRow(
                check=check,
                promise=promises[check],
                outcome=next(outcome for outcome in order if counts[outcome]),
                counts=", ".join(said),
                skipped="; ".join(skipped),
            )
        )
    return rows


WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.SKIP: "skipped",
    Outcome.INCONCLUSIVE: "could not tell",
    Outcome.NOTE: "noted",
}


def troubles(result: Told) -> list[Judged]:
    """The verdicts that need a look: failed first, then those that could not tell, then notes."""
    return needing(result.judged)


def needing(judged: Iterable[Judged]) -> list[Judged]:
    """Of these verdicts, those that need a look, the worst first."""
    every = list(judged)
    return [
        each
        for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.NOTE)
        for each in every
        if each.verdict.outcome is outcome
    ]


def doubts(result: Result) -> list[str]:
    """What is to be known before a number is believed."""
    said = []
    dirty = any(is_dirty(turn.seen.trace) for turn in result.turns)
    if dirty:
        told = told_stains([turn.seen.trace for turn in result.turns])
        said.append(f"{told}: the machine, or we, had a part in their times.")
    doubted = [
        (f"{METRICS[each.asked.metric].title}, {_sides(each)}, turn {each.turn}", doubt)
        for each in result.compared
        for doubt in each.found.doubts
    ]
    doubted += [
        (f"{cell.metric.title}, {cell.leg} turn {cell.turn}", doubt)
        for cell in result.cells
        for doubt in cell.summary.doubts
        if cell.metric.name in TIMED[:1] and cell.values
    ]
    for subject, doubt in doubted:
        if doubt.kind is DoubtKind.TOO_FEW:  # true of every number there is: said once
            said.append(f"{doubt.message}.")
        elif doubt.kind is not DoubtKind.DIRTY:
            said.append(f"{subject}: {doubt.message}.")
    return list(dict.fromkeys([*said, *result.record.notes]))


def _sides(each: Compared) -> str:
    return f"{each.asked.baseline} over {each.asked.candidate}"


def _why_unsure(result: Told) -> str:
    unsure = result.count(Outcome.INCONCLUSIVE)
    reasons = []
    if result.record.stopped:
        reasons.append(result.record.stopped)
    if unsure:
        reasons.append(f"{unsure} checks are undecided" if unsure > 1 else "1 check is undecided")
    if result.unplayed:
        planned = len(result.unplayed) + len(result.turns)
        reasons.append(f"{len(result.unplayed)} of {planned} turns were not played")
    if not reasons and result.judged:
        reasons = few(dict.fromkeys(judged.verdict.message for judged in result.judged))
    return ", ".join(reasons) or "nothing was checked"


def one_line(text: str, most: int = 160) -> str:
    """A text in a line; of a long one the beginning and the end, where the question stands.

    What cannot be printed is spelled out: a model's words shall not steer the reader's terminal.
    """
    words = " ".join(text.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    if len(line) <= most:
        return line
    end = most // 2
    return f"{line[: most - end - 1]}…{line[-end:]}"


def few(said: Iterable[str], most: int = 3) -> list[str]:
    """The first of many things to say, and how many there are more."""
    told = list(said)
    more = len(told) - most
    return [*told[:most], f"and {more} more"] if more > 0 else told


def _resets(result: Result, leg: str, turn: int) -> str:
    told = dict.fromkeys(t.reuse.reset_reason or NOTHING for t in result.of(leg, turn))
    return ", ".join(told) or NOTHING


def _middle(cell: Cell) -> str:
    if cell.summary.median is None:
        return NOTHING
    return f"{cell.summary.median:,.0f}"


def _timed(cell: Cell) -> tuple[str, str]:
    unit, summary = cell.metric.unit, cell.summary
    if summary.median is None:
        return NOTHING, cell.reason
    middle = format_value(summary.median, unit)
    if summary.low is None or summary.high is None:
        return middle, f"n = {summary.n}"
    ends = [format_value(summary.low, unit), format_value(summary.high, unit)]
    symbols = {text.partition(" ")[2] for text in (middle, *ends)}
    if len(symbols) == 1:  # the unit stands at the median already
        ends = [text.partition(" ")[0] for text in ends]
    return middle, " to ".join(ends)


def _figures(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"
