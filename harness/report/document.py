"""A result as JSON: `result.json`, for programs.

    schema       1; raised when a key changes its meaning or goes away
    outcome      pass, fail or inconclusive; exit_code 0, 1 or 3; stopped where it was cut short
    scenario     name, sha256, question, answer, settings, repeats, seed, salt
    target       kind, url, model, ready_s, runtime and runtime_after as /api/runtime told them
    capabilities what the target reports of reuse, and how that is known
    environment  machine, system, Python, packages, commit
    metrics      every metric: its title, base unit, better direction and definition
    comparisons  baseline over candidate, by turn, with interval and doubts
    summaries    every metric of every turn of every leg over the repeats; null with a reason
    turns        every turn: label, trace, ending, answer, token accounts; the measurements there
                 are, why the others are absent, and what is to be noted of those there are
    verdicts     every check: outcome, message, evidence (trace id, event indices, excerpt)
    unplayed     turns that were planned and not sent

Values are in the base unit of their metric (s, tokens/s, B).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.events import Channel
from harness.metrics import DEFINITIONS, METRICS

if TYPE_CHECKING:
    from harness.judge import Cell, Compared, Result
    from harness.judged import Judged
    from harness.metrics import Metric
    from harness.played import PlayedTurn
    from harness.trace import TurnLabel

__all__ = ["SCHEMA", "render_json", "turn_document", "verdict_document"]

SCHEMA = 1


def render_json(result: Result) -> str:
    """The text of `result.json`."""
    return json.dumps(_document(result), indent=2, ensure_ascii=False) + "\n"


def _document(result: Result) -> dict[str, Any]:
    record, scenario = result.record, result.scenario
    return {
        "schema": SCHEMA,
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "stopped": record.stopped,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "scenario": {
            "name": record.scenario,
            "sha256": record.scenario_sha256,
            "question": scenario.question,
            "answer": scenario.answer,
            "settings": asdict(scenario.settings),
            "repeats": record.repeats,
            "seed": record.seed,
            "salt": record.salt,
        },
        "target": asdict(record.target),
        **({"driven": asdict(record.driven)} if record.driven else {}),
        "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
        "environment": asdict(record.fingerprint),
        "metrics": {name: _metric(metric) for name, metric in METRICS.items()},
        "comparisons": [_comparison(each) for each in result.compared],
        "summaries": [_summary(cell) for cell in result.cells],
        "turns": [turn_document(turn) for turn in result.turns],
        "verdicts": [verdict_document(judged) for judged in result.judged],
        "unplayed": [_label(label) for label in result.unplayed],
        "notes": list(record.notes),
    }


def _label(label: TurnLabel) -> dict[str, Any]:
    return {"repeat": label.repeat, "leg": label.leg, "turn": label.turn}


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "title": metric.title,
        "unit": metric.unit.name,
        "better": metric.better.value,
        "definition": DEFINITIONS[metric.name],
    }


def _comparison(each: Compared) -> dict[str, Any]:
    found = each.found
    return {
        "name": each.asked.name,
        "metric": each.asked.metric,
        "turn": each.turn,
        "baseline": each.asked.baseline,
        "candidate": each.asked.candidate,
        "at_least": each.asked.at_least,
        "ratio": found.ratio,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
        "n": found.n,
        "method": found.method,
        "seed": found.seed,
        "resamples": found.resamples,
        "doubts": [doubt.message for doubt in found.doubts],
    }


def _summary(cell: Cell) -> dict[str, Any]:
    summary = cell.summary
    which = {"leg": cell.leg, "turn": cell.turn, "metric": cell.metric.name}
    if not cell.values:
        return {**which, "n": 0, "median": None, "reason": cell.reason}
    return {
        **which,
        "n": summary.n,
        "median": summary.median,
        "low": summary.low,
        "high": summary.high,
        "confidence": summary.confidence,
        "minimum": summary.minimum,
        "maximum": summary.maximum,
        "percentiles": {str(p): value for p, value in summary.percentiles.items()},
        "doubts": [doubt.message for doubt in summary.doubts],
    }


def turn_document(turn: PlayedTurn) -> dict[str, Any]:
    """One turn: what was answered, and every number of it."""
    seen, found = turn.seen, tuple(turn.measurements.values())
    return {
        **_label(turn.label),
        "trace_id": seen.trace.trace_id,
        "started_at": seen.trace.started_at,
        "ending": seen.ending.value,
        "detail": seen.detail,
        "finish_reason": seen.finish_reason,
        "answer": seen.text(Channel.CONTENT),
        "reasoning": seen.text(Channel.REASONING),
        "reuse": asdict(turn.reuse),
        "resident_before": turn.resident_before,
        "measurements": {m.name: m.value for m in found if m.value is not None},
        "absent": {m.name: m.reason for m in found if m.value is None},
        "noted": {m.name: m.note for m in found if m.note},
    }


def verdict_document(judged: Judged) -> dict[str, Any]:
    """One verdict, with its evidence."""
    verdict = judged.verdict
    return {
        "check": verdict.check,
        "about": judged.about,
        "outcome": verdict.outcome.value,
        "message": verdict.message,
        "evidence": [asdict(evidence) for evidence in verdict.evidence],
    }
