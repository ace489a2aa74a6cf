"""A run of acts in every format: what was promised cell by cell, and the slices that show it.

A request is a row: who did what, how it was answered, what it reused, what its checks say.  The
parts that all kinds of runs share (checks, troubles, environment) are those of the other reports.
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
from harness.report.document import SCHEMA, turn_document, verdict_document
from harness.report.environment import environment_of, settings_line
from harness.report.junit import junit_of
from harness.report.markdown import checks, escape, section, table, trouble
from harness.report.page import FOOTER, pairs, told_troubles, whole_page
from harness.report.page import checks as html_checks
from harness.report.page import section as html_section
from harness.report.words import troubles, verdict_line
from harness.units import NOTHING
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from rich.console import Console

    from harness.acts.judge import ActsResult
    from harness.judged import Judged
    from harness.played import PlayedTurn

__all__ = ["acts_html", "acts_json", "acts_junit", "acts_markdown", "print_acts"]

HEAD = ("thread", "request", "asked", "answered", "reset", "reused", "outcome")
SHOWN = 60
"""Characters of a text in a cell of a table."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One request, in words."""

    cells: tuple[str, ...]
    """Of `HEAD`."""
    outcome: Outcome


def acts_json(result: ActsResult) -> str:
    """The text of `result.json`; `document` says what most keys hold."""
    record, acts = result.record, result.scenario
    told = {
        "schema": SCHEMA,
        "kind": "acts",
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "stopped": record.stopped,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "scenario": {
            "name": record.scenario,
            "sha256": record.scenario_sha256,
            "question": acts.question,
            "answer": acts.answer,
            "cells": [{"name": cell.name, "about": cell.about} for cell in acts.cell],
            "settings": asdict(acts.settings),
            "repeats": record.repeats,
            "seed": record.seed,
            "salt": record.salt,
        },
        "target": asdict(record.target),
        "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
        "environment": asdict(record.fingerprint),
        "turns": [_turn(turn) for turn in result.turns],
        "verdicts": [verdict_document(judged) for judged in result.judged],
        "unplayed": [
            {"repeat": label.repeat, "leg": label.leg, "turn": label.turn}
            for label in result.unplayed
        ],
        "notes": list(record.notes),
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def acts_markdown(result: ActsResult) -> str:
    """The text of `report.md`."""
    return "\n".join(_markdown(result)) + "\n"


def acts_html(result: ActsResult) -> str:
    """The text of `report.html`, whole in itself."""
    return whole_page(result, _html(result))


def acts_junit(result: ActsResult) -> str:
    """The text of `junit.xml`: a suite for each cell."""
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        suites.setdefault(each.label.leg if each.label else each.about, []).append(each)
    return junit_of(result, suites)


def print_acts(result: ActsResult, folder: Path, console: Console) -> None:
    """The result on the terminal, the verdict last, where the eye is."""
    threads: dict[str, list[Outcome]] = {}
    for row in _rows(result):
        threads.setdefault(row.cells[0], []).append(row.outcome)
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("thread", "requests", "outcome"):
        shown.add_column(title, no_wrap=True)
    for thread, outcomes in threads.items():
        worst = _worst(outcomes)
        shown.add_row(thread, str(len(outcomes)), Text(worst.value, STYLES[worst]))
    console.print()
    console.print(shown)
    print_troubles(result, console)
    console.print(Text(f"  {folder}", "dim"), soft_wrap=True)
    console.print(Text(f"  {verdict_line(result)}.", STYLES[result.outcome]), soft_wrap=True)


# -- the same facts in each


def _rows(result: ActsResult) -> Iterator[_Row]:
    """Every request, in the order it was sent."""
    for turn in result.turns:
        outcome = _worst(j.verdict.outcome for j in result.judged if j.label == turn.label)
        reused = turn.reuse.reused
        yield _Row(
            cells=(
                turn.label.leg,
                str(turn.label.turn),
                _end(_asked(turn)),
                _start(_answered(turn)),
                turn.reuse.reset_reason or NOTHING,
                NOTHING if reused is None else f"{reused} of {turn.reuse.prompt}",
                outcome.value,
            ),
            outcome=outcome,
        )


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    """What a row comes to; a check that was skipped hides no other."""
    found = set(outcomes)
    order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS)
    return next((each for each in order if each in found), Outcome.SKIP)


def _asked(turn: PlayedTurn) -> str:
    trace = turn.seen.trace
    messages = trace.request.get("messages")
    if not messages:
        return f"{trace.method} {trace.path}"
    return str(messages[-1]["content"])


def _answered(turn: PlayedTurn) -> str:
    if turn.answered:
        return turn.seen.text()
    return turn.seen.detail if turn.seen.trace.status != 200 else "200"


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def _end(text: str) -> str:
    """What fills a window stands before the question."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"…{line[1 - SHOWN :]}"


def _turn(turn: PlayedTurn) -> dict[str, Any]:
    trace = turn.seen.trace
    return {"method": trace.method, "path": trace.path, "status": trace.status} | turn_document(
        turn
    )


def _environment(result: ActsResult) -> list[tuple[str, str]]:
    record = result.record
    told = [
        ("settings", settings_line(result.scenario.settings)),
        ("repeats", str(record.repeats)),
        ("seed, salt", f"{record.seed}, {record.salt}"),
    ]
    return environment_of(record, told)


def _cells(result: ActsResult) -> list[tuple[str, str]]:
    return [(cell.name, cell.about) for cell in result.scenario.cell]


def _markdown(result: ActsResult) -> Iterator[str]:
    yield f"# {result.record.scenario}: {verdict_line(result)}"
    yield ""
    yield result.scenario.question
    yield from section("Checks", checks(result))
    for judged in troubles(result):
        yield from trouble(judged)
    yield from section("Requests", table(HEAD, (row.cells for row in _rows(result))))
    yield from section("Cells", (f"- `{name}`: {escape(about)}" for name, about in _cells(result)))
    yield from section("Environment", table(("", ""), _environment(result)))


def _html(result: ActsResult) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>muse-bench, {html(result.record.scenario)}</h1>"
    yield f'<p class="verdict {result.outcome.value}">{html(verdict_line(result))}</p>'
    yield f'<p class="question">{html(result.scenario.question)}</p>'
    yield "</header>"
    yield "<main>"
    if found := troubles(result):
        yield from html_section("What needs a look", told_troubles(found))
    yield from html_section("Promises", html_checks(result))
    yield from html_section("Requests", _html_rows(result))
    yield from html_section("Cells", pairs(_cells(result)))
    yield from html_section("Environment", pairs(_environment(result)))
    yield "</main>"
    yield FOOTER


def _html_rows(result: ActsResult) -> Iterator[str]:
    head = "".join(f'<th scope="col">{title}</th>' for title in HEAD)
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Requests">'
    yield f'<table class="checks"><thead><tr>{head}</tr></thead><tbody>'
    for row in _rows(result):
        *cells, last = (html(cell) for cell in row.cells)
        told = "".join(f"<td>{cell}</td>" for cell in cells)
        yield f'<tr>{told}<td><span class="{row.outcome.value}">{last}</span></td></tr>'
    yield "</tbody></table></div>"
