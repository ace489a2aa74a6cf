"""How is the result of an exam said in words and cells, whatever the format?

Markdown, HTML, JUnit and the console share these, so that they cannot tell different stories.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.dirty import is_dirty, told_stains
from harness.exam.drafting import drafting
from harness.exam.goals import said
from harness.exam.judge import values_of
from harness.exam.strengths import STRENGTHS, lengths
from harness.metrics import METRICS
from harness.report.environment import environment_of, settings_line
from harness.report.words import figure_of
from harness.units import NOTHING, TOKENS_PER_SECOND, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.exam.cases import Case
    from harness.exam.drafting import Drafting
    from harness.exam.judge import ExamResult
    from harness.exam.marking import MarkedTurn
    from harness.exam.rates import Rate

__all__ = [
    "ALL",
    "SPEEDS",
    "Figure",
    "GroupRow",
    "comparison_lines",
    "doubts",
    "drafting_head",
    "drafting_rows",
    "exam_environment",
    "expected",
    "failing",
    "figures",
    "group_rows",
    "headline",
    "identity_lines",
    "share",
    "speed_head",
    "speed_rows",
    "strength_rows",
]

ALL = "all groups"
SPEEDS = (
    "client.ttft",
    "client.e2e",
    "client.decode_rate",
    "server.decode_rate",
    "server.prefill_rate",
    "tokens.prompt",
    "tokens.completion",
)
"""The metrics of the table of speeds, in order."""
_DECODING = ("tokens.completion", "server.decode")


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group: for each leg its share, the interval with n, and of pairs where there are any."""

    group: str
    cells: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that answers the question of the exam."""

    value: str
    aside: str
    """Its interval, and of how many."""
    what: str


def figures(result: ExamResult) -> list[Figure]:
    """What was compared, where that was the question; then every leg's shares."""
    found = [Figure(*figure_of(each.found), each.asked.name) for each in result.compared]
    for each in result.identities:
        found += _share(each.rate, f"{' and '.join(each.asked.legs)} say the same")
    for leg in result.scenario.leg:
        drafted = drafting(result.of(leg.name))
        if drafted.tokens_per_round is not None:
            aside = f"in {drafted.rounds:,} rounds"
            what = f"tokens per round, {leg.name}"
            found.append(Figure(f"{drafted.tokens_per_round:.2f}", aside, what))
    for leg in result.scenario.leg:
        tally = result.tally(leg.name)
        if tally is not None:
            about = f"{leg.name}, {leg.about}" if leg.about else leg.name
            found += _share(tally.rate, f"right, {about}")
            found += _share(tally.pairs, f"opposite pairs right on both sides, {leg.name}")
    return found


def _share(rate: Rate, what: str) -> list[Figure]:
    if rate.share is None:
        return []
    return [Figure(f"{100 * rate.share:.1f} %", said(rate).partition(" % ")[2], what)]


def headline(result: ExamResult) -> str:
    """The final result in a sentence."""
    return "; ".join(f"{each.what}: {each.value} {each.aside}" for each in figures(result))


def comparison_lines(result: ExamResult) -> list[str]:
    """Every comparison: its name and its figure."""
    return [f"{each.asked.name}: {' '.join(figure_of(each.found))}" for each in result.compared]


def identity_lines(result: ExamResult) -> list[tuple[str, str]]:
    """Every pair of legs that should say the same, and how often they did."""
    return [
        (f"{' and '.join(found.asked.legs)} say the same", said(found.rate))
        for found in result.identities
    ]


def group_rows(result: ExamResult) -> list[GroupRow]:
    """All groups together, then each group that some leg was asked."""
    rows = []
    for group in ("", *result.groups):
        if not group or any(result.of(leg.name, group) for leg in result.scenario.leg):
            cells = tuple(_cell(result, leg.name, group) for leg in result.scenario.leg)
            rows.append(GroupRow(group or ALL, cells))
    return rows


def share(rate: Rate) -> tuple[str, str]:
    """A share, and its interval with n."""
    if rate.share is None:
        return NOTHING, ""
    interval = f"[{100 * rate.low:.0f}, {100 * rate.high:.0f}] of {rate.n}"
    return f"{100 * rate.share:.1f} %", interval


def failing(result: ExamResult, leg: str, most: int) -> list[tuple[str, list[MarkedTurn], int]]:
    """By group: the first failing turns of a leg, and how many more there are."""
    found = []
    for group in result.groups:
        tally = result.tally(leg, group)
        turns = list(tally.failing) if tally is not None else []
        if turns:
            found.append((group, turns[:most], len(turns) - len(turns[:most])))
    return found


def expected(case: Case) -> str:
    """What a right answer holds, in a line."""
    expect = case.expect
    told = [f"says {text!r}" for text in expect.contains]
    told += [f"does not say {text!r}" for text in expect.excludes]
    if expect.matches:
        told.append(f"matches {expect.matches!r}")
    for call in expect.calls or ():
        told.append(f"calls {call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})")
    return "; ".join(told)


def speed_head() -> tuple[str, ...]:
    """The titles of the table of speeds."""
    return ("leg", *(METRICS[name].title for name in SPEEDS), "all tokens / all decoding")


def speed_rows(result: ExamResult) -> Iterator[tuple[str, ...]]:
    """For each leg the medians of `SPEEDS` over all its turns, and the rate of all its turns."""
    for leg in result.scenario.leg:
        turns = result.of(leg.name)
        if turns:
            yield leg.name, *(_median(turns, name) for name in SPEEDS), _overall_rate(turns)


def strength_rows(result: ExamResult) -> list[tuple[str, ...]]:
    """For each leg the median of reasoning tokens by strength, of turns that had to reason."""
    rows = []
    for leg in result.scenario.leg:
        told = {each.strength: each for each in lengths(result.of(leg.name))}
        if len(told) > 1:
            cells = (told.get(strength) for strength in STRENGTHS)
            rows.append((leg.name, *(f"{c.median:,.0f} of {c.n}" if c else "" for c in cells)))
    return rows


def drafting_head(result: ExamResult) -> tuple[str, ...]:
    """The titles of the table of drafting; empty where nothing was drafted."""
    rows = max((len(found.attempts) for _, _, found in _drafted(result)), default=0)
    if not rows:
        return ()
    return (
        "leg",
        "group",
        "tokens per round",
        *(f"row {row}" for row in range(1, rows + 1)),
        "rounds",
        "accepted",
        "without a draft",
        "turns",
    )


def drafting_rows(result: ExamResult) -> Iterator[tuple[str, ...]]:
    """All groups together, then each group, of every leg that drafted."""
    width = len(drafting_head(result)) - 7
    for leg, group, found in _drafted(result):
        kept = [NOTHING if a is None else f"{100 * a:.0f} %" for a in found.acceptance]
        yield (
            leg,
            group or ALL,
            f"{found.tokens_per_round:.2f}" if found.tokens_per_round else NOTHING,
            *(kept + [NOTHING] * (width - len(kept))),
            f"{found.rounds:,}",
            f"{found.accepted:,}",
            f"{found.plain_steps:,}",
            ", ".join(f"{n} {mode}" for mode, n in sorted(found.modes.items())),
        )


def doubts(result: ExamResult) -> list[str]:
    """What is to be known before a number is believed."""
    told = []
    traces = [t.turn.seen.trace for t in result.turns]
    if any(map(is_dirty, traces)):
        told.append(f"{told_stains(traces)}: the machine, or we, had a part in their times.")
    for each in result.compared:
        told += [f"{each.asked.name}: {doubt.message}." for doubt in each.found.doubts]
    if result.record.repeats > 1:
        told.append("Repeats of one case are not independent: their intervals are too narrow.")
    cases = result.record.cases
    if cases is not None and cases.first is not None:
        told.append(f"Only the first {cases.first} of each group were asked.")
    return [*told, *result.record.notes]


def exam_environment(result: ExamResult) -> list[tuple[str, str]]:
    """On what, with what and how it was measured."""
    exam, cases = result.scenario, result.record.cases
    told = [
        (f"leg {leg.name}", settings_line(leg.settings.over(exam.settings))) for leg in exam.leg
    ]
    if cases is not None:
        told.append(("cases", f"{cases.file}, sha256 {cases.sha256}"))
    told.append(("salt", result.record.salt))
    return environment_of(result.record, told)


def _cell(result: ExamResult, leg: str, group: str) -> tuple[str, str, str]:
    tally = result.tally(leg, group)
    if tally is None:
        return NOTHING, "", ""
    pairs = f"pairs {share(tally.pairs)[0]} of {tally.pairs.n}" if tally.pairs.n else ""
    return (*share(tally.rate), pairs)


def _median(turns: Sequence[MarkedTurn], name: str) -> str:
    values = values_of(turns, name)
    return format_value(statistics.median(values), METRICS[name].unit) if values else NOTHING


def _overall_rate(turns: Sequence[MarkedTurn]) -> str:
    """Completion tokens over decoding time, both summed over the turns that tell both."""
    told = [[t.turn.measurements[n].value for n in _DECODING] for t in turns]
    whole = [(tokens, seconds) for tokens, seconds in told if tokens and seconds]
    seconds = sum(s for _, s in whole)
    total = sum(tokens for tokens, _ in whole) / seconds if seconds else None
    return format_value(total, TOKENS_PER_SECOND)


def _drafted(result: ExamResult) -> Iterator[tuple[str, str, Drafting]]:
    for leg in result.scenario.leg:
        for group in ("", *result.groups):
            found = drafting(result.of(leg.name, group))
            if found.rounds:
                yield leg.name, group, found
