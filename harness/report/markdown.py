"""A result as Markdown, for a pull request: `report.md`, what failed first, details folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.metrics import METRICS
from harness.report.environment import environment
from harness.report.moments import MOMENTS_HEAD, moment_rows
from harness.report.words import (
    COUNTED,
    TIMED,
    check_rows,
    doubts,
    headline,
    ratio,
    troubles,
    turn_rows,
    verdict_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.judge import Result
    from harness.judged import Judged
    from harness.report.words import Told

__all__ = [
    "checks",
    "escape",
    "folded",
    "needing_a_look",
    "render_markdown",
    "section",
    "table",
    "trouble",
]

TOLD = 20
"""How many verdicts that need a look are told here; the page tells all."""


def render_markdown(result: Result) -> str:
    """The text of `report.md`."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    yield f"# {result.record.scenario}: {verdict_line(result)}"
    yield ""
    yield result.scenario.question
    if said := headline(result):
        yield ""
        yield f"**{result.scenario.answer}** {said}."
    yield from needing_a_look(troubles(result))
    yield from section("Turns", _turns(result))
    if rows := moment_rows(result):
        yield from section("In the page", table(MOMENTS_HEAD, rows))
    if result.compared:
        yield from section("Comparisons", _comparisons(result))
    yield from folded("Checks", checks(result), opened=True)
    if said_doubts := doubts(result):
        yield from section("To be known", (f"- {escape(doubt)}" for doubt in said_doubts))
    yield from folded("Environment", table(("", ""), environment(result)))


def needing_a_look(found: Sequence[Judged]) -> Iterator[str]:
    """The verdicts that need a look, as many as a reader of a pull request will read."""
    if found:
        yield from ("", "## What needs a look")
    for judged in found[:TOLD]:
        yield from trouble(judged)
    if len(found) > TOLD:
        yield ""
        yield f"And {len(found) - TOLD} more, in report.html."


def folded(title: str, lines: Iterable[str], *, opened: bool = False) -> Iterator[str]:
    """Lines that are shown on demand, where whoever shows Markdown can."""
    yield ""
    yield f"<details{' open' if opened else ''}><summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines under a title."""
    yield ""
    yield f"## {title}"
    yield ""
    yield from lines


def _turns(result: Result) -> Iterator[str]:
    titles = [METRICS[name].title for name in (*TIMED, *COUNTED)]
    rows = [
        (
            str(row.turn),
            row.leg,
            *(f"{middle} ({aside})" if aside else middle for middle, aside in row.timed),
            *row.counted,
            row.reset,
        )
        for row in turn_rows(result)
    ]
    yield from table(("turn", "leg", *titles, "reset"), rows)
    yield ""
    yield "Medians over the repeats, with intervals in brackets; token counts are medians."


def _comparisons(result: Result) -> Iterator[str]:
    rows = [
        (
            each.asked.name,
            str(each.turn),
            f"{METRICS[each.asked.metric].title}, {each.asked.baseline} / {each.asked.candidate}",
            ratio(each.found),
        )
        for each in result.compared
    ]
    yield from table(("comparison", "turn", "ratio of", "found"), rows)


def checks(result: Told) -> Iterator[str]:
    """The table of checks."""
    rows = [
        (row.outcome.value, f"`{row.check}`", row.promise, row.counts, row.skipped)
        for row in check_rows(result)
    ]
    yield from table(("outcome", "check", "promise", "counts", "why skipped"), rows)


def trouble(judged: Judged) -> Iterator[str]:
    """A verdict that needs a look, with its evidence."""
    verdict = judged.verdict
    yield ""
    yield f"### {verdict.outcome.value}: {verdict.check}, {escape(judged.about)}"
    yield ""
    yield escape(verdict.message)
    for evidence in verdict.evidence:
        yield ""
        where = "" if evidence.first is None else f", events {evidence.first} to {evidence.last}"
        yield f"Trace `{evidence.trace_id}`{where}"
        if evidence.excerpt:
            yield ""
            yield from (f"    {line}" for line in evidence.excerpt.splitlines())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table, cells escaped."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(escape(cell) for cell in row)} |"


def escape(text: str) -> str:
    """Text that stays in its cell and its line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
