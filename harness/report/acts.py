"""A run of acts, told: what was promised cell by cell, request by request.

A request is a row: who did what, how it was answered, what it reused, what its checks say.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.dirty import is_dirty
from harness.metrics import METRICS
from harness.pictures import words_of
from harness.report.document import turn_document
from harness.report.environment import settings_line
from harness.report.figures import Samples
from harness.report.sheets import Row, SampleSheet, Sheet, Told
from harness.units import NOTHING
from harness.verdict import Outcome, worst_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.acts.judge import ActsResult
    from harness.judged import Judged
    from harness.played import PlayedTurn

__all__ = ["tell_acts"]

HEAD = ("thread", "request", "asked", "answered", "reset", "reused", "outcome")
SHOWN = 60
"""Characters of a text in a cell of a table."""


def tell_acts(result: ActsResult) -> Told:
    """Every request as a row, every thread as a line."""
    record, acts = result.record, result.scenario
    rows = tuple(_rows(result))
    cells = tuple(Row((cell.name, cell.about)) for cell in acts.cell)
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        suites.setdefault(each.label.leg if each.label else each.about, []).append(each)
    return Told(
        kind="acts",
        question=acts.question,
        answer=acts.answer,
        environment=(
            ("settings", settings_line(acts.settings)),
            ("repeats", str(record.repeats)),
            ("seed, salt", f"{record.seed}, {record.salt}"),
        ),
        sheets=(Sheet("Requests", HEAD, rows), Sheet("Cells", ("cell", "about"), cells)),
        brief=Sheet("Threads", ("thread", "requests", "outcome"), tuple(_threads(rows))),
        suites=suites,
        samples=tuple(_samples(result)),
        document={
            "scenario": {
                "cells": [{"name": cell.name, "about": cell.about} for cell in acts.cell],
                "settings": asdict(acts.settings),
            },
            "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
            "turns": [_turn(turn) for turn in result.turns],
        },
    )


def _samples(result: ActsResult) -> Iterator[SampleSheet]:
    """How soon and how long, by why the session was, or was not, reset."""
    for name in ("client.ttft", "client.e2e"):
        rows = []
        for place, reset in enumerate(
            sorted({t.reuse.reset_reason or NOTHING for t in result.turns})
        ):
            found = [
                (value, is_dirty(turn.seen.trace))
                for turn in result.turns
                if (turn.reuse.reset_reason or NOTHING) == reset
                and (value := turn.measurements[name].value) is not None
            ]
            if found:
                values, dirty = zip(*found, strict=True)
                shown = reset if reset != NOTHING else "no reason told"
                rows.append(Samples(shown, values, dirty, color=f"leg-{place % 4}"))
        if rows:
            yield SampleSheet(METRICS[name].title, METRICS[name].unit, tuple(rows))


def _threads(rows: Iterable[Row]) -> Iterator[Row]:
    threads: dict[str, list[Outcome]] = {}
    for row in rows:
        threads.setdefault(row.cells[0], []).append(row.outcome or Outcome.SKIP)
    for thread, outcomes in threads.items():
        worst = worst_of(outcomes)
        yield Row((thread, str(len(outcomes)), worst.value), worst)


def _rows(result: ActsResult) -> Iterator[Row]:
    """Every request, in the order it was sent."""
    for turn in result.turns:
        outcome = worst_of(j.verdict.outcome for j in result.judged if j.label == turn.label)
        reused = turn.reuse.reused
        cells = (
            turn.label.leg,
            str(turn.label.turn),
            _end(_asked(turn)),
            _start(_answered(turn)),
            turn.reuse.reset_reason or NOTHING,
            NOTHING if reused is None else f"{reused} of {turn.reuse.prompt}",
            outcome.value,
        )
        yield Row(cells, outcome)


def _asked(turn: PlayedTurn) -> str:
    trace = turn.seen.trace
    messages = trace.request.get("messages")
    if not messages:
        return f"{trace.method} {trace.path}"
    return words_of(messages[-1]["content"])


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
