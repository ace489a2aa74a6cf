"""A run of visits, told: what was done step by step, and when the same moment was where.

A step is a row.  Of each turn the wire, the document and the screen stand side by side; of each
stop, when the server agreed and when the page stood still.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import TYPE_CHECKING

from harness.dirty import is_dirty
from harness.metrics import METRICS
from harness.report.document import turn_document
from harness.report.environment import settings_line
from harness.report.figures import Samples
from harness.report.moments import MOMENTS, PLACES, moments_of
from harness.report.sheets import Row, SampleSheet, Sheet, Told
from harness.units import NOTHING, SECONDS, format_value
from harness.verdict import worst_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.judged import Judged
    from harness.visits.checks import Taken
    from harness.visits.judge import VisitsResult

__all__ = ["tell_visits"]

STEP_HEAD = ("visit", "done", "said", "shown", "outcome")
MOMENT_HEAD = ("visit", "turn", "moment", *PLACES)
STOP_HEAD = ("visit", "click to request", "to agreement", "click to last text", "tokens after")
ABOUT_MOMENTS = (
    "Times from the page's request. Wire: the bytes came; DOM: their text was written into the "
    "document; paint: a frame was drawn that shows it."
)
SHOWN = 60
"""Characters of a text in a cell of a table."""


def tell_visits(result: VisitsResult) -> Told:
    """Every step as a row, every visit as a line."""
    record, visits = result.record, result.scenario
    rows = tuple(_steps(result))
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        name = each.label.leg.partition(".")[0] if each.label else each.about
        suites.setdefault(name, []).append(each)
    sheets = [
        Sheet("Steps", STEP_HEAD, rows),
        Sheet("The same moment", MOMENT_HEAD, tuple(_moments(result)), ABOUT_MOMENTS),
        Sheet("Stops", STOP_HEAD, tuple(_stops(result))),
        Sheet("Visits", ("visit", "about"), tuple(Row((v.name, v.about)) for v in visits.visit)),
    ]
    return Told(
        kind="page",
        question=visits.question,
        answer=visits.answer,
        environment=(
            ("settings", settings_line(visits.settings)),
            ("repeats", str(record.repeats)),
            ("seed, salt", f"{record.seed}, {record.salt}"),
        ),
        sheets=tuple(sheet for sheet in sheets if sheet.rows),
        brief=Sheet("Visits", ("visit", "steps", "outcome"), tuple(_brief(result, suites))),
        suites=suites,
        samples=tuple(_samples(result)),
        document={
            "scenario": {
                "visits": [{"name": v.name, "about": v.about} for v in visits.visit],
                "settings": asdict(visits.settings),
                "limits": asdict(visits.limits),
            },
            "driven": asdict(record.driven) if record.driven else None,
            "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
            "turns": [turn_document(turn) for turn in result.turns],
        },
        headline=_headline(result),
    )


def _headline(result: VisitsResult) -> str:
    """How far the screen is behind the wire."""
    behind = [
        paint - wire
        for turn in result.turns
        if (wire := turn.measurements["client.ttft"].value) is not None
        and (paint := turn.measurements["page.paint_ttft"].value) is not None
    ]
    if not behind:
        return ""
    middle = format_value(statistics.median(behind), SECONDS)
    return f"The first text was drawn {middle} after its bytes had come (median of {len(behind)})."


def _brief(result: VisitsResult, suites: dict[str, list[Judged]]) -> Iterator[Row]:
    for visit in result.scenario.visit:
        worst = worst_of(each.verdict.outcome for each in suites.get(visit.name, ()))
        taken = sum(s.planned.label.leg.partition(".")[0] == visit.name for s in result.steps)
        yield Row((visit.name, str(taken), worst.value), worst)


def _steps(result: VisitsResult) -> Iterator[Row]:
    for taken in result.steps:
        label = taken.planned.label
        outcome = worst_of(j.verdict.outcome for j in result.judged if j.label == label)
        said = taken.planned.says or taken.saw.get("file", "")
        cells = (
            label.leg.partition(".")[0],
            taken.planned.step.do,
            _start(str(said)),
            _start(_shown(taken)),
            outcome.value,
        )
        yield Row(cells, outcome)


def _shown(taken: Taken) -> str:
    if "stuck" in taken.saw:
        return str(taken.saw["stuck"])
    if taken.turn is not None:
        return taken.turn.seen.text() or taken.turn.seen.detail
    if windows := taken.saw.get("windows"):
        return ", ".join(f"{window['width']} px" for window in windows)
    if rows := taken.saw.get("rows"):
        return f"{len(rows)} figures"
    messages = taken.saw.get("after", {}).get("messages", ())
    return f"{len(messages)} messages"


def _moments(result: VisitsResult) -> Iterator[Row]:
    for turn in result.turns:
        for moment, *cells in moments_of(turn.measurements):
            yield Row((turn.label.leg, str(turn.label.turn), moment, *cells))


def _samples(result: VisitsResult) -> Iterator[SampleSheet]:
    """Each moment at its three places, and what a stop and a click on Send took."""
    sheets = {moment: tuple(zip(PLACES, names, strict=True)) for moment, names in MOMENTS.items()}
    clicks = (("click to request", "page.send"), ("Stop to last text", "page.stop_quiet"))
    for title, rows in {**sheets, "clicks": clicks}.items():
        told = [_strip(result, place, *row) for place, row in enumerate(rows)]
        if any(each.values for each in told):
            yield SampleSheet(title, SECONDS, tuple(told))


def _strip(result: VisitsResult, place: int, name: str, metric: str) -> Samples:
    found = [
        (value, is_dirty(turn.seen.trace))
        for turn in result.turns
        if (value := turn.measurements[metric].value) is not None
    ]
    values, dirty = zip(*found, strict=True) if found else ((), ())
    reason = f"no {METRICS[metric].title}"
    return Samples(name, values, dirty, color=f"leg-{place % 4}", reason=reason)


def _stops(result: VisitsResult) -> Iterator[Row]:
    for taken in result.steps:
        if taken.planned.step.do != "stop" or taken.turn is None:
            continue
        actions = {action.name: action.at_ns for action in taken.trace.actions}
        clicks = [a.at_ns for a in taken.trace.actions if a.name == "click" and a.at_ns > 0]
        asked, ack = actions.get("cancel"), actions.get("cancel.ack")
        sent = None if asked is None or not clicks else asked - clicks[-1]
        agreed = None if asked is None or ack is None else ack - asked
        measured = taken.turn.measurements
        quiet, after = measured["page.stop_quiet"], measured["cancel.frames_after"]
        yield Row(
            (
                taken.planned.label.leg,
                _ms(sent),
                _ms(agreed),
                NOTHING if quiet.value is None else format_value(quiet.value, quiet.unit),
                NOTHING if after.value is None else f"{after.value:.0f}",
            )
        )


def _ms(ns: int | None) -> str:
    return NOTHING if ns is None else f"{ns / 1e6:.1f} ms"


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
