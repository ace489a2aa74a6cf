"""A result as one page: `report.html`, whole in itself, to open offline, print or send.

The order is that of a reader's questions: what came out, how large is it, what happened in a turn,
how far do the repeats scatter, which promises were kept, what was said, on what machine.
No script runs and nothing is loaded; the page's own policy forbids both.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from harness.events import Channel
from harness.metrics import DEFINITIONS, METRICS
from harness.report.chart import Axis, Phase, Strip, axis_svg, strip_svg, timeline_svg
from harness.report.words import (
    COUNTED,
    TIMED,
    TIMES,
    WORDS,
    check_rows,
    doubts,
    environment,
    figure_of,
    troubles,
    turn_rows,
    verdict_line,
)
from harness.units import SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.judge import Cell, Compared, Judged, Result
    from harness.played import PlayedTurn
    from harness.units import Unit

__all__ = ["render_html"]

STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

SCATTERED = ("client.ttft", "client.e2e", "client.decode_rate")
"""The metrics whose repeats are drawn."""

PHASES = {
    "wait": "waiting for the first token",
    "prefill": "of which prefill, by the server's clock",
    "think": "thinking",
    "say": "answering",
    "close": "closing frames",
}
"""What the colours of the timeline mean, in order."""


def render_html(result: Result) -> str:
    """The text of `report.html`."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            f"<title>{escape(result.record.scenario)}: {escape(verdict_line(result))}</title>",
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>",
            "</head>",
            "<body>",
            *_body(result),
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
        yield from _section("What needs a look", _troubles(found))
    if result.compared:
        yield from _section("The result", _figures(result))
    yield from _section("Turns", _turns(result))
    if result.typical:
        yield from _section("One repeat in time", _timeline(result))
        yield from _section("Every repeat", _scatter(result))
    yield from _section("Promises", _checks(result))
    if said := doubts(result):
        yield from _section("To be known", _list(said))
    if result.typical:
        yield from _section("What was said", _talk(result))
    yield from _section("Environment", _pairs(environment(result)))
    yield from _section("Definitions", _definitions())
    yield "</main>"
    yield "<footer>Derived from trace.jsonl, run.json and scenario.toml beside this page; "
    yield "<code>muse-bench report</code> with the folder derives it again, byte for byte.</footer>"


def _section(title: str, inner: Iterable[str]) -> Iterator[str]:
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
        color = _leg_class(result, row.leg)
        yield (
            f'<tr{opens}><td class="left">{row.turn}</td>'
            f'<th scope="row" class="left {color}">{escape(row.leg)}</th>'
            f'{times}{counts}<td class="left">{escape(row.reset)}</td></tr>'
        )
    yield "</tbody></table></div>"


def _leg_class(result: Result, leg: str) -> str:
    names = [each.name for each in result.scenario.leg]
    return f"leg-{names.index(leg) % 4}"


# -- the timeline


def _timeline(result: Result) -> Iterator[str]:
    turns = sorted(result.typical, key=lambda turn: turn.label.turn)
    ends = [turn.measurements["client.to_done"].value or 0.0 for turn in turns]
    axis = Axis.to(max(ends, default=0.0))
    repeat = turns[0].label.repeat
    yield (
        f'<p class="soft small">Repeat {repeat}, whose turns took the median time in all. '
        "Each bar starts as the request is sent.</p>"
    )
    yield '<figure><div class="chart">'
    before = turns[0].label.turn
    for turn, end in zip(turns, ends, strict=True):
        if turn.label.turn != before:
            yield '<span class="gap"></span>'
            before = turn.label.turn
        name = f"turn {turn.label.turn}, {turn.label.leg}"
        yield f'<span class="name {_leg_class(result, turn.label.leg)}">{escape(name)}</span>'
        yield f'<span class="figure">{escape(format_value(end or None, SECONDS))}</span>'
        yield timeline_svg(list(_phases(turn)), axis, f"{name}: {_told(turn)}")
    yield axis_svg(axis, [_tick(tick, SECONDS) for tick in axis.ticks])
    yield "</div>"
    keys = "".join(
        f'<li><span class="key {kind}"></span>{meaning}</li>' for kind, meaning in PHASES.items()
    )
    yield f'<ul class="keys">{keys}</ul></figure>'


def _phases(turn: PlayedTurn) -> Iterator[Phase]:
    at = {name: found.value for name, found in turn.measurements.items()}
    first, visible, last, done = (
        at[f"client.{name}"] for name in ("ttft", "ttfv", "e2e", "to_done")
    )
    if first is None or last is None:
        return
    yield Phase("wait", 0.0, first)
    prefill = at["server.prefill"]
    if prefill is not None:
        start = (at["server.queue"] or 0.0) + (at["server.prompt"] or 0.0)
        yield Phase("prefill", min(start, first), min(start + prefill, first))
    if at["client.think"] is not None:
        yield Phase("think", first, visible if visible is not None else last)
    if visible is not None:
        yield Phase("say", visible, last)
    if done is not None:
        yield Phase("close", last, done)


def _told(turn: PlayedTurn) -> str:
    names = ("client.ttft", "server.prefill", "client.think", "client.e2e", "client.to_done")
    said = [
        f"{METRICS[name].title} {format_value(turn.measurements[name].value, METRICS[name].unit)}"
        for name in names
        if turn.measurements[name].value is not None
    ]
    return ", ".join(said)


def _tick(value: float, unit: Unit) -> str:
    """A round number without the zeros that say how exact a measurement is."""
    return "0" if value == 0 else re.sub(r"\.0+(?=\s|$)", "", format_value(value, unit))


# -- the repeats


def _scatter(result: Result) -> Iterator[str]:
    yield '<p class="soft small">A dot a repeat, a stroke at the median, its interval shaded.</p>'
    for name in SCATTERED:
        cells = [
            result.cell(leg.name, number, name)
            for number in range(1, len(result.scenario.turn) + 1)
            for leg in result.scenario.leg
        ]
        if any(cell.values for cell in cells):
            yield from _strips(result, cells)


def _strips(result: Result, cells: Sequence[Cell]) -> Iterator[str]:
    metric = cells[0].metric
    axis = Axis.to(max(value for cell in cells for value in cell.values))
    yield f"<figure><figcaption>{escape(metric.title)}</figcaption>"
    yield '<div class="chart">'
    before = cells[0].turn
    for cell in cells:
        if cell.turn != before:
            yield '<span class="gap"></span>'
            before = cell.turn
        color = _leg_class(result, cell.leg)
        name = f"turn {cell.turn}, {cell.leg}"
        middle = format_value(cell.summary.median, metric.unit)
        strip = Strip(cell.values, cell.summary.median, cell.summary.low, cell.summary.high)
        values = ", ".join(format_value(value, metric.unit) for value in cell.values)
        said = f"{metric.title}, {name}: median {middle} of {values or cell.reason}"
        yield f'<span class="name {color}">{escape(name)}</span>'
        yield f'<span class="figure">{escape(middle)}</span>'
        yield strip_svg(strip, axis, said, color)
    yield axis_svg(axis, [_tick(tick, metric.unit) for tick in axis.ticks])
    yield "</div></figure>"


# -- promises


def _checks(result: Result) -> Iterator[str]:
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


def _troubles(found: Sequence[Judged]) -> Iterator[str]:
    for judged in found:
        verdict = judged.verdict
        word = WORDS[verdict.outcome]
        yield f'<h3><span class="{verdict.outcome.value}">{word}</span>: '
        yield f"<code>{escape(verdict.check)}</code>, {escape(judged.about)}</h3>"
        yield f"<p>{escape(verdict.message)}</p>"
        for evidence in verdict.evidence:
            if evidence.excerpt:
                where = f"Trace {evidence.trace_id}, events {evidence.first} to {evidence.last}"
                yield f'<p class="soft small">{escape(where)}</p>'
                yield f'<pre tabindex="0">{escape(evidence.excerpt)}</pre>'


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
    leg, color = turn.label.leg, _leg_class(result, turn.label.leg)
    yield f'<div class="who {color}">{escape(leg)}</div>'
    if thought := turn.seen.text(Channel.REASONING).strip():
        yield f'<div class="thought">{escape(thought)}</div>'
    answer = turn.seen.text(Channel.CONTENT).strip() or turn.seen.detail
    yield f'<div class="text">{escape(answer)}</div>'


# -- the rest


def _list(lines: Iterable[str]) -> Iterator[str]:
    yield '<ul class="plain">'
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul>"


def _pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '<dl class="pairs">'
    for name, value in pairs:
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>"


def _definitions() -> Iterator[str]:
    yield "<details><summary>What each number on this page is</summary>"
    yield from _pairs((METRICS[name].title, DEFINITIONS[name]) for name in (*TIMED, *COUNTED))
    yield f'<p class="soft small">A ratio such as 9.5 {TIMES} is the geometric mean of the ratios '
    yield "of pairs, each pair from one repeat, with a bootstrap interval of 90 %.</p></details>"
