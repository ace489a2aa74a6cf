"""A result as one page: `report.html`, whole in itself, to open offline, print or send.

The order is that of a reader's questions: what came out, how large is it, what happened in a turn,
how far do the repeats scatter, which promises were kept, what was said, on what machine.
No script runs and nothing is loaded; the page's own policy forbids both.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from harness.events import Channel
from harness.metrics import DEFINITIONS, METRICS
from harness.report.environment import environment
from harness.report.figures import leg_class, scatter, timeline
from harness.report.moments import MOMENTS_HEAD, moment_rows
from harness.report.seen import seen_in
from harness.report.timeline import picture
from harness.report.traces import traces
from harness.report.words import (
    COUNTED,
    TIMED,
    TIMES,
    WORDS,
    check_rows,
    doubts,
    figure_of,
    troubles,
    turn_rows,
    verdict_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.judge import Compared, Result
    from harness.judged import Judged
    from harness.played import PlayedTurn
    from harness.report.words import Told

__all__ = [
    "FOOTER",
    "POLICY",
    "checks",
    "listed",
    "pairs",
    "render_html",
    "section",
    "titled_page",
    "told_troubles",
    "whole_page",
]

STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
DRAWN = 20
"""Of so many verdicts that need a look the turn is drawn."""
NAMED = 6
"""Of so many traces without an excerpt the names are told."""
FOOTER = (
    "<footer>Derived from trace.jsonl, run.json and scenario.toml beside this page; "
    "<code>muse-bench report</code> with the folder derives it again, byte for byte.</footer>"
)


def render_html(result: Result) -> str:
    """The text of `report.html`."""
    return whole_page(result, _body(result))


def whole_page(result: Told, body: Iterable[str], policy: str = POLICY) -> str:
    """A page that loads nothing, around the body of a result."""
    return titled_page(f"{result.record.scenario}: {verdict_line(result)}", body, policy)


def titled_page(title: str, body: Iterable[str], policy: str = POLICY, *, style: str = "") -> str:
    """A page that loads nothing, under a title of its own; `style` is what it adds to ours."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE.read_text(encoding='utf-8')}{style}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _body(result: Result) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>muse-bench, {escape(result.record.scenario)}</h1>"
    yield f'<p class="verdict {result.outcome.value}">{escape(verdict_line(result))}</p>'
    yield f'<p class="question">{escape(result.scenario.question)}</p>'
    yield f'<p class="soft small">{escape(_byline(result))}</p>'
    yield "</header>"
    yield "<main>"
    if found := troubles(result):
        yield from section("What needs a look", told_troubles(found, result.turns))
    if result.compared:
        yield from section("The result", _figures(result))
    yield from section("Turns", _turns(result))
    if rows := moment_rows(result):
        yield from section("In the page", _moments(rows))
    if result.typical:
        yield from section("One repeat in time", timeline(result))
        yield from section("Every repeat", scatter(result))
    yield from section("Promises", checks(result))
    if said := doubts(result):
        yield from section("To be known", listed(said))
    if result.typical:
        yield from section("What was said", _talk(result))
    yield from section("Environment", pairs(environment(result)))
    yield from traces(result.turns)
    yield from section("Definitions", _definitions())
    yield "</main>"
    yield FOOTER


def section(title: str, inner: Iterable[str]) -> Iterator[str]:
    """A part of the page under its title."""
    yield "<section>"
    yield f"<h2>{escape(title)}</h2>"
    yield from inner
    yield "</section>"


def _byline(result: Result) -> str:
    record = result.record
    runtime = record.target.runtime or {}
    model = runtime.get("model") or record.target.model
    when = record.started_at[:16].replace("T", " ")
    return f"{model} on {record.fingerprint.processor}; {record.repeats} repeats; {when} UTC"


# -- the result


def _figures(result: Result) -> Iterator[str]:
    yield f"<p>{escape(result.scenario.answer)}</p>"
    yield '<ul class="figures">'
    for each in result.compared:
        yield _figure(each)
    yield "</ul>"


def _figure(each: Compared) -> str:
    value, aside = figure_of(each.found)
    metric = METRICS[each.asked.metric].title
    what = f"{metric}, {each.asked.baseline} over {each.asked.candidate}, turn {each.turn}"
    return (
        f'<li><span class="value">{escape(value)}</span>'
        f'<span class="range">{escape(aside)}</span>'
        f'<span class="what">{escape(what)}<br>{escape(each.asked.name)}</span></li>'
    )


# -- turns


def _turns(result: Result) -> Iterator[str]:
    head = "".join(f'<th scope="col">{escape(METRICS[n].title)}</th>' for n in (*TIMED, *COUNTED))
    yield '<p class="soft small">Medians over the repeats, with their intervals below.</p>'
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Turns"><table>'
    yield '<thead><tr><th scope="col" class="left">turn</th>'
    yield f'<th scope="col" class="left">leg</th>{head}<th scope="col" class="left">reset</th>'
    yield "</tr></thead><tbody>"
    before = None
    for row in turn_rows(result):
        opens = ' class="first-of-turn"' if before not in {None, row.turn} else ""
        before = row.turn
        counts = "".join(f"<td>{escape(count)}</td>" for count in row.counted)
        times = "".join(
            f"<td>{escape(middle)}<small>{escape(aside)}</small></td>"
            for middle, aside in row.timed
        )
        color = leg_class(result, row.leg)
        yield (
            f'<tr{opens}><td class="left">{row.turn}</td>'
            f'<th scope="row" class="left {color}">{escape(row.leg)}</th>'
            f'{times}{counts}<td class="left">{escape(row.reset)}</td></tr>'
        )
    yield "</tbody></table></div>"


def _moments(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in MOMENTS_HEAD)
    yield '<div class="scroll" tabindex="0" role="region" aria-label="In the page">'
    yield f'<table class="checks"><thead><tr>{head}</tr></thead><tbody>'
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


# -- promises


def checks(result: Told) -> Iterator[str]:
    """The table of checks."""
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Promises">'
    yield '<table class="checks"><thead><tr><th scope="col">check</th>'
    yield '<th scope="col" class="promise">promise</th><th scope="col">outcome</th></tr></thead>'
    yield "<tbody>"
    for row in check_rows(result):
        why = f"<small>{escape(row.skipped)}</small>" if row.skipped else ""
        yield (
            f"<tr><td><code>{escape(row.check)}</code></td>"
            f'<td class="promise">{escape(row.promise)}</td>'
            f'<td><span class="{row.outcome.value}">{escape(row.counts)}</span>{why}</td></tr>'
        )
    yield "</tbody></table></div>"


def told_troubles(
    found: Sequence[Judged], turns: Iterable[object] = (), *, level: int = 3
) -> Iterator[str]:
    """The verdicts that need a look, with their evidence; `level` is that of their headings.

    `turns` are those of the result, of which the first that are told of are drawn.
    """
    seen = dict(seen_in(found[:DRAWN], turns))
    for judged in found:
        verdict = judged.verdict
        word = WORDS[verdict.outcome]
        yield f'<h{level}><span class="{verdict.outcome.value}">{word}</span>: '
        yield f"<code>{escape(verdict.check)}</code>, {escape(judged.about)}</h{level}>"
        yield f"<p>{escape(verdict.message)}</p>"
        for evidence in verdict.evidence:
            if evidence.trace_id in seen:
                yield from picture("the turn", seen.pop(evidence.trace_id))
            if evidence.excerpt:
                events = f", events {evidence.first} to {evidence.last}"
                where = f"Trace {evidence.trace_id}{'' if evidence.first is None else events}"
                yield f'<p class="soft small">{escape(where)}</p>'
                yield f'<pre tabindex="0">{escape(evidence.excerpt)}</pre>'
        if bare := [each.trace_id for each in verdict.evidence if not each.excerpt]:
            yield f'<p class="soft small">Seen in {escape(_some(bare))}</p>'


def _some(trace_ids: Sequence[str]) -> str:
    """Traces by their names, the first of many."""
    named = list(dict.fromkeys(trace_ids))
    more = len(named) - NAMED
    what = "traces" if len(named) > 1 else "trace"
    return f"{what} {', '.join(named[:NAMED])}{f' and {more} more' if more > 0 else ''}"


# -- what was said


def _talk(result: Result) -> Iterator[str]:
    yield f'<p class="soft small">Repeat {result.typical[0].label.repeat}.</p>'
    yield '<div class="talk">'
    for number in range(1, len(result.scenario.turn) + 1):
        turns = [turn for turn in result.typical if turn.label.turn == number]
        yield "<div>"
        yield from _asked(turns[0])
        for turn in turns:
            yield from _answered(result, turn)
        yield "</div>"
    yield "</div>"


def _asked(turn: PlayedTurn) -> Iterator[str]:
    text = str(turn.seen.trace.request["messages"][-1]["content"])
    lines = text.splitlines()
    yield f'<div class="who">turn {turn.label.turn}, the person</div>'
    if len(lines) > 8:
        yield f"<details><summary>{len(lines)} lines, beginning: {escape(lines[0])}</summary>"
        yield f'<div class="text">{escape(text)}</div></details>'
    else:
        yield f'<div class="text">{escape(text)}</div>'


def _answered(result: Result, turn: PlayedTurn) -> Iterator[str]:
    leg, color = turn.label.leg, leg_class(result, turn.label.leg)
    yield f'<div class="who {color}">{escape(leg)}</div>'
    if thought := turn.seen.text(Channel.REASONING).strip():
        yield f'<div class="thought">{escape(thought)}</div>'
    answer = turn.seen.text(Channel.CONTENT).strip() or turn.seen.detail
    yield f'<div class="text">{escape(answer)}</div>'


# -- the rest


def listed(lines: Iterable[str]) -> Iterator[str]:
    """A plain list."""
    yield '<ul class="plain">'
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul>"


def pairs(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Names and values."""
    yield '<dl class="pairs">'
    for name, value in named:
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>"


def _definitions() -> Iterator[str]:
    yield "<details><summary>What each number on this page is</summary>"
    yield from pairs((METRICS[name].title, DEFINITIONS[name]) for name in (*TIMED, *COUNTED))
    yield f'<p class="soft small">A ratio such as 9.5 {TIMES} is the geometric mean of the ratios '
    yield "of pairs, each pair from one repeat, with a bootstrap interval of 90 %.</p></details>"
