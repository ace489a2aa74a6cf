"""How does a kind of run get all its reports from one telling of it?

A kind whose result is well told by tables says what they hold, once, as `Told`; every format is
made of that here.  What all kinds share (the verdict, the troubles with their slices of trace, the
promises, the environment) is added from the result itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from html import escape as html
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from harness.report.console import STYLES, print_troubles
from harness.report.document import SCHEMA, verdict_document
from harness.report.environment import environment_of
from harness.report.figures import strips
from harness.report.junit import junit_of
from harness.report.markdown import checks, escape, folded, needing_a_look, table
from harness.report.page import FOOTER, pairs, told_troubles, whole_page
from harness.report.page import checks as html_checks
from harness.report.page import section as html_section
from harness.report.seen import observations
from harness.report.timeline import Line, ended_s, timelines
from harness.report.traces import traces
from harness.report.words import troubles, verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from harness.judged import Judged
    from harness.report.figures import Samples
    from harness.report.words import Told as Judgeable
    from harness.units import Unit
    from harness.verdict import Outcome

__all__ = ["Row", "SampleSheet", "Sheet", "Told", "sheet_reports", "show_sheets"]


DRAWN = 24
"""How many requests are drawn where a kind does not say which: those that took longest."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    cells: tuple[str, ...]
    outcome: Outcome | None = None
    """What the last cell is coloured by; None where it says no outcome."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table under its title."""

    title: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    about: str = ""
    """How the table is to be read, in a sentence."""


@dataclass(frozen=True, slots=True)
class SampleSheet:
    """Samples of one unit under each other, drawn as strips."""

    title: str
    unit: Unit
    rows: tuple[Samples, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be told of one run beyond what every result tells of itself."""

    kind: str
    question: str
    answer: str
    """What the final result is, in words."""
    environment: tuple[tuple[str, str], ...]
    """How it was asked: settings, repeats, seed."""
    sheets: tuple[Sheet, ...]
    """In the order of the report."""
    brief: Sheet
    """What the terminal shows."""
    suites: Mapping[str, Sequence[Judged]]
    """The verdicts by the JUnit suite they belong to."""
    document: Mapping[str, Any]
    """What `result.json` holds beside outcome, target, environment and verdicts."""
    samples: tuple[SampleSheet, ...] = ()
    """What is drawn of single values, on the page."""
    drawn: tuple[Line, ...] = ()
    """The turns that are drawn in time; empty for those that took longest."""
    drawn_about: str = ""
    """Which these are, in a sentence."""
    headline: str = ""
    """The final result with its figures, where it is more than the verdict."""


def sheet_reports(result: Judgeable, told: Told) -> dict[str, str]:
    """The text of every report, by file name."""
    return {
        "result.json": json.dumps(_document(result, told), indent=1, ensure_ascii=False) + "\n",
        "report.md": "\n".join(_markdown(result, told)) + "\n",
        "report.html": whole_page(result, _html(result, told)),
        "junit.xml": junit_of(result, told.suites),
    }


def show_sheets(result: Judgeable, told: Told, folder: Path, console: Console) -> None:
    """The result on the terminal, the verdict last, where the eye is."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in told.brief.head:
        shown.add_column(title, no_wrap=True)
    for row in told.brief.rows:
        *cells, last = row.cells
        shown.add_row(*cells, Text(last, STYLES[row.outcome] if row.outcome else ""))
    console.print()
    console.print(shown)
    print_troubles(result, console)
    if told.headline:
        console.print(Text(f"  {told.headline}"), soft_wrap=True)
    console.print(Text(f"  {folder}", "dim"), soft_wrap=True)
    console.print(Text(f"  {verdict_line(result)}.", STYLES[result.outcome]), soft_wrap=True)


def _document(result: Judgeable, told: Told) -> dict[str, Any]:
    """`document` says what most keys hold."""
    record = result.record
    scenario = {
        "name": record.scenario,
        "sha256": record.scenario_sha256,
        "question": told.question,
        "answer": told.answer,
        "repeats": record.repeats,
        "seed": record.seed,
        "salt": record.salt,
    }
    return {
        "schema": SCHEMA,
        "kind": told.kind,
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "stopped": record.stopped,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "target": asdict(record.target),
        "environment": asdict(record.fingerprint),
        **told.document,
        "scenario": {**scenario, **told.document.get("scenario", {})},
        "verdicts": [verdict_document(judged) for judged in result.judged],
        "unplayed": [
            {"repeat": label.repeat, "leg": label.leg, "turn": label.turn}
            for label in result.unplayed
        ],
        "notes": list(record.notes),
    }


def _markdown(result: Judgeable, told: Told) -> Iterator[str]:
    yield f"# {result.record.scenario}: {verdict_line(result)}"
    yield ""
    yield told.question
    if told.headline:
        yield ""
        yield f"**{told.answer}** {told.headline}"
    yield from needing_a_look(troubles(result))
    yield from folded("Checks", checks(result), opened=True)
    for sheet in told.sheets:
        yield from folded(sheet.title, _markdown_sheet(sheet))
    yield from folded("Environment", table(("", ""), _environment(result, told)))


def _markdown_sheet(sheet: Sheet) -> Iterator[str]:
    if sheet.about:
        yield escape(sheet.about)
        yield ""
    yield from table(sheet.head, (row.cells for row in sheet.rows))


def _html(result: Judgeable, told: Told) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>muse-bench, {html(result.record.scenario)}</h1>"
    yield f'<p class="verdict {result.outcome.value}">{html(verdict_line(result))}</p>'
    yield f'<p class="question">{html(told.question)}</p>'
    if told.headline:
        yield f"<p>{html(told.headline)}</p>"
    yield "</header>"
    yield "<main>"
    if found := troubles(result):
        yield from html_section("What needs a look", told_troubles(found, result.turns))
    yield from html_section("Promises", html_checks(result))
    if told.drawn:
        yield from html_section("Requests in time", _in_time(told.drawn, told.drawn_about))
    elif lines := _slowest(result):
        said = f"The {len(lines)} requests that took longest, each from the moment it was sent."
        yield from html_section("Requests in time", _in_time(lines, said))
    if told.samples:
        yield from html_section("Distributions", _distributions(told.samples))
    for sheet in told.sheets:
        yield from html_section(sheet.title, _html_sheet(sheet))
    yield from html_section("Environment", pairs(_environment(result, told)))
    yield from traces(result.turns)
    yield "</main>"
    yield FOOTER


def _slowest(result: Judgeable) -> list[Line]:
    """The turns that took longest, in the order they were sent."""
    seen = {each.trace.trace_id: each for turn in result.turns for each in observations(turn)}
    longest = sorted(seen, key=lambda key: ended_s(seen[key]), reverse=True)[:DRAWN]
    return [
        Line(f"{label.leg} {label.turn}, repeat {label.repeat}", each)
        for key, each in seen.items()
        if key in longest and ended_s(each)
        for label in (each.trace.label,)
    ]


def _in_time(lines: Sequence[Line], said: str) -> Iterator[str]:
    yield f'<p class="soft small">{html(said)}</p>'
    yield from timelines(lines)


def _distributions(samples: Sequence[SampleSheet]) -> Iterator[str]:
    yield '<p class="soft small">A dot a value, hollow where something else kept the machine '
    yield "busy; a stroke at the median.</p>"
    for each in samples:
        yield from strips(each.title, each.unit, each.rows)


def _html_sheet(sheet: Sheet) -> Iterator[str]:
    head = "".join(f'<th scope="col">{html(title)}</th>' for title in sheet.head)
    if sheet.about:
        yield f'<p class="soft small">{html(sheet.about)}</p>'
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{html(sheet.title)}">'
    yield f'<table class="checks"><thead><tr>{head}</tr></thead><tbody>'
    for row in sheet.rows:
        *cells, last = (html(cell) for cell in row.cells)
        told = "".join(f"<td>{cell}</td>" for cell in cells)
        shown = f'<span class="{row.outcome.value}">{last}</span>' if row.outcome else last
        yield f"<tr>{told}<td>{shown}</td></tr>"
    yield "</tbody></table></div>"


def _environment(result: Judgeable, told: Told) -> list[tuple[str, str]]:
    return environment_of(result.record, told.environment)
