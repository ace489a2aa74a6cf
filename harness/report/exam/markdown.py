"""An exam's result as Markdown: `report.md`, to read or to paste.

The first few failing cases of each group are told; `result.json` tells all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.exam.marking import asked_of
from harness.exam.strengths import STRENGTHS
from harness.report.exam.words import (
    comparison_lines,
    doubts,
    drafting_head,
    drafting_rows,
    exam_environment,
    expected,
    failing,
    group_rows,
    headline,
    identity_lines,
    speed_head,
    speed_rows,
    strength_rows,
)
from harness.report.markdown import checks, escape, folded, section, table
from harness.report.words import one_line, troubles, verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.exam.judge import ExamResult
    from harness.exam.marking import MarkedTurn

__all__ = ["render_exam_markdown"]

MOST = 3
"""Failing cases told of a group; and differing or broken ones in all, eight times as many."""


def render_exam_markdown(result: ExamResult) -> str:
    """The text of `report.md`."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: ExamResult) -> Iterator[str]:
    yield f"# {result.record.scenario}: {verdict_line(result)}"
    yield ""
    yield result.scenario.question
    if told := headline(result):
        yield ""
        yield f"**{result.scenario.answer}** {told}."
    if found := troubles(result):
        lines = (f"- {j.verdict.outcome.value}: {j.about}: {j.verdict.message}" for j in found)
        yield from section("What needs a look", (escape(line) for line in lines))
    yield from section("By group", _groups(result))
    if result.compared or result.identities:
        compared = [*comparison_lines(result), *map(": ".join, identity_lines(result))]
        yield from section("Legs against each other", (f"- {line}" for line in compared))
        yield from _differences(result)
    if head := drafting_head(result):
        yield from section("Drafting", table(head, drafting_rows(result)))
    if result.turns:
        yield from section("Speed", table(speed_head(), speed_rows(result)))
        yield ""
        yield "Medians over all turns of a leg."
    if rows := strength_rows(result):
        yield from section("Tokens of reasoning by strength", table(("leg", *STRENGTHS), rows))
        yield ""
        yield "Medians, and of how many turns."
    yield from section("Goals", checks(result))
    yield from _failing(result)
    yield from _broken(result)
    if told_doubts := doubts(result):
        yield from section("To be known", (f"- {escape(doubt)}" for doubt in told_doubts))
    yield from folded("Environment", table(("", ""), exam_environment(result)))


def _groups(result: ExamResult) -> Iterator[str]:
    rows = [
        (row.group, *(", ".join(filter(None, cell)) for cell in row.cells))
        for row in group_rows(result)
    ]
    yield from table(("group", *(leg.name for leg in result.scenario.leg)), rows)
    yield ""
    yield (
        "The share of right answers, which is what goals are held against; in brackets its 90 % "
        "interval (Wilson), which says how far so many cases speak for others like them."
    )


def _differences(result: ExamResult) -> Iterator[str]:
    for found in result.identities:
        if found.differing:
            yield ""
            for each in found.differing[: 8 * MOST]:
                yield f"- `{each.one.case.id}`: {escape(each.what)}"
            if more := len(found.differing[8 * MOST :]):
                yield f"- and {more} more, in result.json"


def _failing(result: ExamResult) -> Iterator[str]:
    for leg in result.scenario.leg:
        groups = failing(result, leg.name, MOST)
        if not groups:
            continue
        yield from section(f"Wrong answers, {leg.name}", ())
        for group, turns, more in groups:
            yield f"### {group}"
            yield ""
            for turn in turns:
                yield from _case(turn)
            if more:
                yield f"- and {more} more, in result.json"
            yield ""


def _case(turn: MarkedTurn) -> Iterator[str]:
    yield f"- `{turn.case.id}` {escape(one_line(asked_of(turn.case), 300))}"
    yield f"  - expected: {escape(one_line(expected(turn.case), 300))}"
    yield f"  - got: {escape(one_line(turn.answer, 300)) or 'nothing'}"
    yield f"  - {escape(one_line('; '.join(turn.wrong), 300))}"


def _broken(result: ExamResult) -> Iterator[str]:
    broken = [turn for turn in result.turns if turn.broken]
    if broken:
        yield from section("Turns that broke their contract", ())
        for turn in broken[: 8 * MOST]:
            label = turn.label
            where = f"`{turn.case.id}`, {label.leg}, repeat {label.repeat}"
            yield f"- {where}: {escape(one_line('; '.join(turn.broken), 300))}"
        if more := len(broken[8 * MOST :]):
            yield f"- and {more} more, in result.json"
