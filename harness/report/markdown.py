"""A result as Markdown: `report.md`, to read or to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.metrics import METRICS
from harness.report.words import (
    COUNTED,
    TIMED,
    check_rows,
    doubts,
    environment,
    headline,
    ratio,
    troubles,
    turn_rows,
    verdict_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.judge import Judged, Result

__all__ = ["render_markdown"]


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
    yield from _section("Turns", _turns(result))
    if result.compared:
        yield from _section("Comparisons", _comparisons(result))
    yield from _section("Checks", _checks(result))
    for judged in troubles(result):
        yield from _trouble(judged)
    if said_doubts := doubts(result):
        yield from _section("To be known", (f"- {_escape(doubt)}" for doubt in said_doubts))
    yield from _section("Environment", _table(("", ""), environment(result)))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
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
    yield from _table(("turn", "leg", *titles, "reset"), rows)
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
    yield from _table(("comparison", "turn", "ratio of", "found"), rows)


def _checks(result: Result) -> Iterator[str]:
    rows = [
        (row.outcome.value, f"`{row.check}`", row.promise, row.counts, row.skipped)
        for row in check_rows(result)
    ]
    yield from _table(("outcome", "check", "promise", "counts", "why skipped"), rows)


def _trouble(judged: Judged) -> Iterator[str]:
    verdict = judged.verdict
    yield ""
    yield f"### {verdict.outcome.value}: {verdict.check}, {_escape(judged.about)}"
    yield ""
    yield _escape(verdict.message)
    for evidence in verdict.evidence:
        yield ""
        where = "" if evidence.first is None else f", events {evidence.first} to {evidence.last}"
        yield f"Trace `{evidence.trace_id}`{where}"
        if evidence.excerpt:
            yield ""
            yield from (f"    {line}" for line in evidence.excerpt.splitlines())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_escape(cell) for cell in row)} |"


def _escape(text: str) -> str:
    """Text that stays in its cell and its line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
