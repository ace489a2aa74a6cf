"""A gate as one page: `report.html`, whole in itself, to open offline, print or send.

The order is that of a reader's questions: may it be replaced, why, and what now; what changed
between the pins; how large is each change, and how sure is that; how do the starts scatter; did the
machine drift; what held on either side; what was answered; on what, and how was it measured.
No script runs and nothing is loaded; the page's own policy forbids both.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from harness.gate.baseline import is_aa
from harness.gate.pins import HASH
from harness.gate.standing import standing
from harness.report.gate.drift import drift
from harness.report.gate.forest import forest
from harness.report.gate.matrix import answers, matrix
from harness.report.gate.spread import legend, spread
from harness.report.gate.text import escape
from harness.report.gate.words import (
    FOLDER,
    NOT_INTERLEAVED,
    RULED,
    advice,
    allowed,
    environment,
    gated,
    needing,
    not_comparable,
    order_words,
    pin_facts,
    reasons,
    settings,
    shown,
    sides_line,
    under_test,
    verdict_line,
)
from harness.report.page import titled_page
from harness.units import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.gate.result import Difference, GateResult, Ruling

__all__ = ["gate_page"]

STYLE = Path(__file__).with_name("page.css")
LONG = 90
"""A verdict of more characters is set smaller, its word apart."""


def gate_page(result: GateResult) -> str:
    """The text of `report.html`."""
    title = f"gate {result.record.policy}: {verdict_line(result)}"
    return titled_page(title, _body(result), style=STYLE.read_text(encoding="utf-8"))


def _body(result: GateResult) -> Iterator[str]:
    figures = {m.name: f"values-{place}" for place, m in enumerate(result.metrics, 1)}
    sections = dict(_sections(result, figures))
    places = {title: f"part-{place}" for place, title in enumerate(sections, 1)}
    yield "<header>"
    yield from _head(result, places)
    yield "</header>"
    yield '<nav aria-label="Sections"><ul>'
    for title, place in places.items():
        yield f'<li><a href="#{place}">{title}</a></li>'
    yield "</ul></nav>"
    yield "<main>"
    for title, inner in sections.items():
        place = places[title]
        yield f'<section id="{place}" aria-labelledby="{place}-title">'
        yield f'<h2 id="{place}-title">{title}</h2>'
        yield from inner
        yield "</section>"
    yield "</main>"
    yield from _footer(result)


def _sections(
    result: GateResult, figures: Mapping[str, str]
) -> Iterator[tuple[str, Iterable[str]]]:
    yield "What changed", _changed(result)
    yield "Metrics", _metrics(result, figures)
    if any(measured.starts for measured in result.metrics):
        yield "Every start", _spread(result, figures)
        if result.interleaved:
            yield "Over the session", _drift(result)
    if result.checks:
        yield "Correctness", matrix(result.checks)
    if result.answers:
        yield "Answers", answers(result.answers)
    if result.doubts:
        yield "To be known", _listed(result.doubts)
    yield "Environment", _pairs(environment(result))
    yield "Settings", _pairs(settings(result))


# -- the verdict


def _head(result: GateResult, places: Mapping[str, str]) -> Iterator[str]:
    record = result.record
    yield f"<h1>muse-bench gate, {escape(record.policy)}</h1>"
    line = verdict_line(result)
    long = " long" if len(line) > LONG else ""
    word, _, rest = line.partition(":")
    colon = "" if long else ":"
    said = (
        f'<span class="word">{escape(word)}{colon}</span>{escape(rest)}' if rest else escape(line)
    )
    yield f'<p class="verdict {result.ruling.value}{long}">{said}</p>'
    if not result.interleaved:
        yield '<p class="warning" role="note"><strong>Not interleaved.</strong> '
        yield f"{escape(NOT_INTERLEAVED)}</p>"
    line = sides_line(result)
    yield f'<p class="question">{escape(result.question)} '
    yield f"{escape(line[:1].upper() + line[1:])}.</p>"
    if told := reasons(result):
        yield from _listed(told)
    yield from _next(result)
    yield from _differing("Allowed differences", allowed(result), "warning")
    yield from _differing("Not comparable", not_comparable(result), "warning")
    yield from _tally(result, places)
    when = record.started_at[:16].replace("T", " ")
    yield f'<p class="soft small">{escape(f"On {record.fingerprint.processor}; {when} UTC")}</p>'


def _next(result: GateResult) -> Iterator[str]:
    told = advice(result)
    yield f'<div class="next"><p><strong>Next.</strong> {escape(told.said)}</p>'
    if told.command:
        yield f'<pre tabindex="0"><code>{escape(told.command)}</code></pre>'
    if FOLDER in told.command:
        yield f'<p class="soft small">{FOLDER} is the folder that this page lies in.</p>'
    yield "</div>"


def _differing(title: str, found: Sequence[Difference], kind: str) -> Iterator[str]:
    if not found:
        return
    yield f'<div class="{kind}" role="note"><p><strong>{title}.</strong></p><ul class="plain">'
    for each in found:
        yield (
            f"<li>{escape(each.what)}: {_said(each.baseline)} on the baseline, "
            f"{_said(each.candidate)} on the candidate</li>"
        )
    yield "</ul></div>"


def _tally(result: GateResult, places: Mapping[str, str]) -> Iterator[str]:
    def _count(section: str, what: str, said: str, value: int) -> str:
        return (
            f'<li><span class="value">{value}</span>'
            f'<a class="what" href="#{places[section]}">{what}</a>'
            f'<span class="range">{said}</span></li>'
        )

    yield '<ul class="figures tally">'
    if judged := gated(result):
        counts = Counter(m.ruling for m in judged if m.ruling)
        yield _count("Metrics", "gated metrics", _counted(counts), len(judged))
    if result.checks:
        found = needing(result.checks)
        looks = [f"{len(found)} {'needs' if len(found) == 1 else 'need'} a look"] if found else []
        held = [row for row in result.checks if row not in found]
        said = ", ".join([*looks, *([standing(held)] if held else [])])
        yield _count("Correctness", "checks", said, len(result.checks))
    if result.answers:
        said = f"{result.answers.same} the same"
        yield _count("Answers", "greedy answers", said, result.answers.compared)
    if result.interleaved:
        confirming = f", {result.confirming} more to confirm" if result.confirming else ""
        said = f"at most {result.record.pairs}{confirming}"
        yield _count("Settings", "pairs of starts", said, result.pairs)
    if result.doubts:
        things = "thing to be known" if len(result.doubts) == 1 else "things to be known"
        yield _count("To be known", things, "before it is believed", len(result.doubts))
    yield "</ul>"


def _counted(counts: Mapping[Ruling, int]) -> str:
    return ", ".join(
        f'<span class="{ruling.value}">{counts[ruling]} {RULED[ruling]}</span>'
        for ruling in RULED
        if counts.get(ruling)
    )


# -- what changed


def _changed(result: GateResult) -> Iterator[str]:
    found = under_test(result)
    if found:
        yield '<p class="soft small">What is under test: all that the two sides differ in.</p>'
        rows = [(each.what, each.baseline, each.candidate) for each in found]
        yield from _side_by_side(rows, "What is under test")
    elif is_aa(result):
        yield "<p>Nothing: both sides are the same pin, so whatever differs is noise.</p>"
    else:
        yield "<p>Nothing was found that the two sides differ in.</p>"
    yield "<details><summary>All that the pins say</summary>"
    baseline, candidate = result.baseline, result.candidate
    rows = [
        ("name", baseline.name, candidate.name),
        ("digest", baseline.digest, candidate.digest),
        *pin_facts(baseline, candidate),
        ("why", baseline.why or NOTHING, candidate.why or NOTHING),
        ("started with", _arguments(baseline.arguments), _arguments(candidate.arguments)),
    ]
    yield from _side_by_side(rows, "All that the pins say")
    yield "</details>"


def _arguments(arguments: Sequence[str]) -> str:
    return " ".join(arguments) or NOTHING


def _side_by_side(rows: Sequence[tuple[str, str, str]], about: str) -> Iterator[str]:
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{about}">'
    yield '<table class="checks sides"><thead><tr><td></td><th scope="col">baseline</th>'
    yield '<th scope="col">candidate</th></tr></thead><tbody>'
    for name, baseline, candidate in rows:
        same = ' class="soft"' if baseline == candidate else ""
        yield f'<tr{same}><th scope="row">{escape(name)}</th>'
        yield f"<td>{_said(baseline)}</td><td>{_said(candidate)}</td></tr>"
    yield "</tbody></table></div>"


def _said(text: str) -> str:
    """A text, its hashes shortened to the eye: selected, they are whole."""
    parts = []
    end = 0
    for found in HASH.finditer(text):
        whole = found.group()
        parts.append(escape(text[end : found.start()]))
        parts.append(f'<code class="hash" tabindex="0" title="{whole}">{whole}</code>')
        end = found.end()
    return "".join([*parts, escape(text[end:])]) or NOTHING


# -- what was measured


def _metrics(result: GateResult, figures: Mapping[str, str]) -> Iterator[str]:
    if not result.metrics:
        yield '<p class="soft">No pair of starts was measured.</p>'
        return
    confidence = result.metrics[0].confidence
    yield (
        '<p class="soft small">Candidate over baseline: the geometric mean of the ratios of pairs, '
        f"with its interval of {100 * confidence:g} %; of a pair it is the median over the "
        "requests that both sides were asked alike. The band from 1.00 to the dashed line is "
        "the margin, on the side that is worse. A change is told as of the time that it takes: a "
        "rate of 1/1.05 is 5 % worse, as a time of 1.05 is.</p>"
    )
    if judged := gated(result):
        yield "<h3>Gated</h3>"
        yield '<ul class="keys shapes"><li>\N{BLACK CIRCLE} pass</li>'
        yield "<li>\N{BLACK DIAMOND} fail</li><li>\N{WHITE SQUARE} inconclusive</li>"
        yield "<li>\N{MULTIPLICATION SIGN} refused</li></ul>"
        yield from forest(judged, figures, "Gated metrics")
    if others := shown(result):
        yield "<h3>Shown only</h3>"
        yield (
            '<p class="soft small">These cannot fail the gate. q is the chance of such a change '
            "where there is none, corrected for how many are shown; few pairs have none.</p>"
        )
        yield from forest(
            others, figures, "Metrics that are shown only", why=not result.interleaved
        )


def _spread(result: GateResult, figures: Mapping[str, str]) -> Iterator[str]:
    yield '<p class="soft small">A mark a start of the server, at the median of what was measured '
    yield "in it; the table under each figure leads to its traces. The axes do not begin at "
    yield "zero.</p>"
    paired = any(measured.pairs for measured in result.metrics)
    yield legend(*(["a line joins the two starts of a pair"] if paired else []))
    yield '<div class="figures-in-a-row">'
    for measured in result.metrics:
        yield from spread(measured, figures[measured.name], result.started)
    yield "</div>"


def _drift(result: GateResult) -> Iterator[str]:
    yield '<p class="soft small">The same values from left to right as they were started; the '
    yield "lines down part the blocks. The axes do not begin at zero.</p>"
    if order := order_words(result):
        yield f'<p class="small">Order: {escape(order)}.</p>'
    yield legend(*(["shaded: the fresh block"] if result.confirming else []))
    yield from drift(result)


# -- the rest


def _listed(lines: Iterable[str]) -> Iterator[str]:
    yield '<ul class="plain">'
    yield from (f"<li>{_said(line)}</li>" for line in lines)
    yield "</ul>"


def _pairs(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '<dl class="pairs">'
    for name, value in named:
        yield f"<dt>{escape(name)}</dt><dd>{_said(value)}</dd>"
    yield "</dl>"


def _footer(result: GateResult) -> Iterator[str]:
    if not result.interleaved:
        yield "<footer><p>Derived from the two runs; <code>muse-bench compare</code> with both "
        yield "derives it again.</p></footer>"
        return
    yield "<footer><p>Derived from gate.json, policy.toml and the run folders beside this page. "
    yield f"<code>muse-bench report {FOLDER} --check</code> derives it again and says whether it "
    yield "is the same, byte for byte.</p></footer>"
