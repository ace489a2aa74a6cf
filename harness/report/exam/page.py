"""An exam's result as one page: `report.html`, whole in itself, to open offline, print or send.

What came out, how large is it, group by group, and then the failing cases as a person would look
at them: what was asked (with the picture, where one was), what was expected, what came.  Pictures
are data URLs that the cases brought; how many and how large is bounded, as is the number of cases.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from harness.dirty import is_dirty
from harness.exam.marking import asked_of, picture_of
from harness.exam.strengths import STRENGTHS
from harness.metrics import METRICS
from harness.report.exam.words import (
    doubts,
    drafting_head,
    drafting_rows,
    exam_environment,
    expected,
    failing,
    figures,
    group_rows,
    identity_lines,
    speed_head,
    speed_rows,
    strength_rows,
)
from harness.report.figures import SCATTERED, Samples, leg_class, strips
from harness.report.page import FOOTER, POLICY, checks, listed, pairs, section, whole_page
from harness.report.traces import traces
from harness.report.words import WORDS, one_line, troubles, verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.exam.judge import ExamResult
    from harness.exam.marking import MarkedTurn

__all__ = ["render_exam_html"]

MOST = 4
"""Failing cases shown of a group and leg."""
PICTURES, PICTURE_CHARACTERS = 60, 64_000
"""Pictures on a page, and the longest data URL of one."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")


def render_exam_html(result: ExamResult) -> str:
    """The text of `report.html`."""
    return whole_page(result, _body(result), f"{POLICY}; img-src data:")


def _body(result: ExamResult) -> Iterator[str]:
    record = result.record
    model = (record.target.runtime or {}).get("model") or record.target.model
    when = record.started_at[:16].replace("T", " ")
    yield "<header>"
    yield f"<h1>muse-bench, {escape(record.scenario)}</h1>"
    yield f'<p class="verdict {result.outcome.value}">{escape(verdict_line(result))}</p>'
    yield f'<p class="question">{escape(result.scenario.question)}</p>'
    byline = f"{model} on {record.fingerprint.processor}; {len(result.turns)} turns; {when} UTC"
    yield f'<p class="soft small">{escape(byline)}</p>'
    yield "</header>"
    yield "<main>"
    if found := troubles(result):
        lines = [f"{WORDS[j.verdict.outcome]}: {j.about}: {j.verdict.message}" for j in found]
        yield from section("What needs a look", listed(lines))
    if figures(result):
        yield from section("The result", _figures(result))
    yield from section("By group", _groups(result))
    if result.identities:
        yield from section("Where legs part", _differences(result))
    if head := drafting_head(result):
        yield from section("Drafting", _table(head, drafting_rows(result), left=2))
    if result.turns:
        yield from section("Speed, medians", _table(speed_head(), speed_rows(result), left=1))
        yield from section("Distributions", _distributions(result))
    if rows := strength_rows(result):
        table = _table(("leg", *STRENGTHS), rows, left=1)
        yield from section("Tokens of reasoning by strength, medians", table)
    yield from section("Goals", checks(result))
    yield from _failing(result)
    broken = [turn for turn in result.turns if turn.broken]
    if broken:
        yield from section("Turns that broke their contract", _broken(broken))
    if told := doubts(result):
        yield from section("To be known", listed(told))
    yield from section("Environment", pairs(exam_environment(result)))
    yield from traces(result.turns)
    yield "</main>"
    yield FOOTER


def _figures(result: ExamResult) -> Iterator[str]:
    yield f"<p>{escape(result.scenario.answer)}</p>"
    yield '<ul class="figures">'
    for each in figures(result):
        yield (
            f'<li><span class="value">{escape(each.value)}</span>'
            f'<span class="range">{escape(each.aside)}</span>'
            f'<span class="what">{escape(each.what)}</span></li>'
        )
    yield "</ul>"


def _groups(result: ExamResult) -> Iterator[str]:
    yield (
        '<p class="soft small">The share of right answers, which is what goals are held against; '
        "below it its 90 % interval (Wilson), which says how far so many cases speak for others "
        "like them.</p>"
    )
    rows = (
        (row.group, *("\n".join(filter(None, cell)) for cell in row.cells))
        for row in group_rows(result)
    )
    yield from _table(("group", *(leg.name for leg in result.scenario.leg)), rows, left=1)


def _distributions(result: ExamResult) -> Iterator[str]:
    """Every turn of every leg, metric by metric."""
    yield (
        '<p class="soft small">A dot a turn, hollow where something else kept the machine busy; '
        "a stroke at the median.</p>"
    )
    for name in SCATTERED:
        rows = [_samples(result, leg.name, name) for leg in result.scenario.leg]
        if any(row.values for row in rows):
            yield from strips(METRICS[name].title, METRICS[name].unit, rows)


def _samples(result: ExamResult, leg: str, metric: str) -> Samples:
    found = [
        (value, is_dirty(marked.turn.seen.trace))
        for marked in result.of(leg)
        if (value := marked.turn.measurements[metric].value) is not None
    ]
    return Samples(
        name=leg,
        values=tuple(value for value, _ in found),
        dirty=tuple(dirty for _, dirty in found),
        color=leg_class(result, leg),
        reason="no turn has it",
    )


def _differences(result: ExamResult) -> Iterator[str]:
    for (name, told), found in zip(identity_lines(result), result.identities, strict=True):
        yield f"<p>{escape(name)}: {escape(told)}</p>"
        shown = found.differing[: 8 * MOST]
        yield from listed(f"{each.one.case.id}: {each.what}" for each in shown)
        if more := len(found.differing) - len(shown):
            yield f'<p class="soft small">And {more} more, in result.json.</p>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> Iterator[str]:
    """A table; the first `left` columns are text. Below the first line of a cell stand the rest."""

    def css(place: int) -> str:
        return ' class="left"' if place < left else ""

    yield '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr>'
    yield "".join(f'<th scope="col"{css(n)}>{escape(title)}</th>' for n, title in enumerate(head))
    yield "</tr></thead><tbody>"
    for row in rows:
        cells = []
        for place, cell in enumerate(row):
            first, *more = cell.split("\n")
            small = "".join(f"<small>{escape(line)}</small>" for line in more)
            cells.append(f"<td{css(place)}>{escape(first)}{small}</td>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _failing(result: ExamResult) -> Iterator[str]:
    left = PICTURES
    for leg in result.scenario.leg:
        groups = failing(result, leg.name, MOST)
        if not groups:
            continue
        yield "<section>"
        yield f"<h2>Wrong answers, {escape(leg.name)}</h2>"
        for group, turns, more in groups:
            yield f"<h3>{escape(group)}</h3>"
            yield '<div class="talk">'
            for turn in turns:
                picture = picture_of(turn.case)
                if picture is not None and not (left and _shown(picture)):
                    picture = None
                left -= picture is not None
                yield from _case(turn, picture)
            yield "</div>"
            if more:
                yield f'<p class="soft small">And {more} more, in result.json.</p>'
        yield "</section>"


def _shown(picture: str) -> bool:
    return len(picture) <= PICTURE_CHARACTERS and _PICTURE.fullmatch(picture) is not None


def _case(turn: MarkedTurn, picture: str | None) -> Iterator[str]:
    yield "<div>"
    yield f'<div class="who">{escape(turn.case.id)}, asked</div>'
    if picture is not None:
        yield f'<img alt="the picture of {escape(turn.case.id)}" src="{escape(picture)}">'
    yield f'<div class="text">{escape(one_line(asked_of(turn.case), 600))}</div>'
    yield f'<div class="who">expected</div><div class="text">{escape(expected(turn.case))}</div>'
    thought, answer = turn.whole
    yield '<div class="who">got</div>'
    if thought.strip():
        yield f'<div class="thought">{escape(one_line(thought, 600))}</div>'
    yield f'<div class="text">{escape(one_line(answer, 600)) or "nothing"}</div>'
    yield f'<div class="who fail">{escape("; ".join(turn.wrong))}</div>'
    yield "</div>"


def _broken(turns: Sequence[MarkedTurn]) -> Iterator[str]:
    lines = [
        f"{turn.case.id}, {turn.label.leg}, repeat {turn.label.repeat}: {'; '.join(turn.broken)}"
        for turn in turns
    ]
    yield from listed(lines[: 8 * MOST])
    if more := len(lines[8 * MOST :]):
        yield f'<p class="soft small">And {more} more, in result.json.</p>'
