"""An exam's result as JSON: `result.json`, for programs.

    schema       1; kind is "exam"
    outcome      pass, fail or inconclusive; exit_code 0, 1 or 3; stopped where it was cut short
    scenario     name, sha256, question, answer, cases (file, sha256, repeat, first), legs
    target       kind, url, model, ready_s, runtime and runtime_after as /api/runtime told them
    environment  machine, system, Python, packages, commit
    rates        for each leg and group ("" is all): right, n, share, interval; pairs likewise
    comparisons  how many times better the candidate is, with interval and doubts
    identities   the share of cases on which two legs say the same, and every case that differs
    drafting     for each leg and group: rounds, accepted, tokens per round, acceptance by row
    summaries    for each leg the medians of every metric, with interval and n; for each group
                 those of the table of speeds
    turns        every turn: case, group, leg, repeat, right, why not, how it was broken, which of
                 its figures are unlikely, what was asked, expected and answered, and the
                 measurements there are
    verdicts     every goal: outcome, message, evidence
    unplayed     turns that were planned and not sent

Values are in the base unit of their metric (s, tokens/s, B).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.events import Channel
from harness.exam.drafting import drafting
from harness.exam.judge import values_of
from harness.exam.marking import asked_of
from harness.judge import CONFIDENCE
from harness.metrics import METRICS
from harness.report.document import SCHEMA, verdict_document
from harness.report.exam.words import SPEEDS, expected
from harness.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.exam.identity import Identity
    from harness.exam.judge import ComparedLegs, ExamResult
    from harness.exam.marking import MarkedTurn
    from harness.exam.rates import Rate

__all__ = ["render_exam_json"]


def render_exam_json(result: ExamResult) -> str:
    """The text of `result.json`."""
    return json.dumps(_document(result), indent=1, ensure_ascii=False) + "\n"


def _document(result: ExamResult) -> dict[str, Any]:
    record, exam = result.record, result.scenario
    cells = [(leg.name, group) for leg in exam.leg for group in ("", *result.groups)]
    return {
        "schema": SCHEMA,
        "kind": "exam",
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "stopped": record.stopped,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "scenario": {
            "name": record.scenario,
            "sha256": record.scenario_sha256,
            "question": exam.question,
            "answer": exam.answer,
            "cases": asdict(record.cases) if record.cases else None,
            "settings": asdict(exam.settings),
            "legs": [asdict(leg) for leg in exam.leg],
            "salt": record.salt,
        },
        "target": asdict(record.target),
        "environment": asdict(record.fingerprint),
        "rates": [
            {"leg": t.leg, "group": t.group, **_rate(t.rate), "pairs": _rate(t.pairs)}
            for t in result.tallies
        ],
        "comparisons": [_comparison(each) for each in result.compared],
        "identities": [_identity(each) for each in result.identities],
        "drafting": [d for leg, group in cells for d in _drafting(result, leg, group)],
        "summaries": [s for leg, group in cells for s in _summaries(result, leg, group)],
        "turns": [_turn(turn) for turn in result.turns],
        "verdicts": [verdict_document(judged) for judged in result.judged],
        "unplayed": [
            {"repeat": label.repeat, "leg": label.leg, "turn": label.turn}
            for label in result.unplayed
        ],
        "notes": list(record.notes),
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "right": rate.right,
        "n": rate.n,
        "share": rate.share,
        "low": rate.low,
        "high": rate.high,
        "confidence": rate.confidence,
    }


def _comparison(each: ComparedLegs) -> dict[str, Any]:
    found = each.found
    return {
        **asdict(each.asked),
        "times_better": found.ratio,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
        "n": found.n,
        "method": found.method,
        "seed": found.seed,
        "resamples": found.resamples,
        "doubts": [doubt.message for doubt in found.doubts],
    }


def _identity(found: Identity) -> dict[str, Any]:
    return {
        "legs": list(found.asked.legs),
        "at_least": found.asked.at_least,
        **_rate(found.rate),
        "differing": [
            {"case": each.one.case.id, "repeat": each.one.label.repeat, "what": each.what}
            for each in found.differing
        ],
    }


def _drafting(result: ExamResult, leg: str, group: str) -> Iterator[dict[str, Any]]:
    found = drafting(result.of(leg, group))
    if found.rounds:
        yield {
            "leg": leg,
            "group": group,
            **asdict(found),
            "tokens_per_round": found.tokens_per_round,
            "acceptance": list(found.acceptance),
        }


def _summaries(result: ExamResult, leg: str, group: str) -> Iterator[dict[str, Any]]:
    for name in SPEEDS if group else METRICS:
        values = values_of(result.of(leg, group), name)
        if values:
            summary = summarise(values, confidence=CONFIDENCE)
            yield {
                "leg": leg,
                "group": group,
                "metric": name,
                "n": summary.n,
                "median": summary.median,
                "low": summary.low,
                "high": summary.high,
            }


def _turn(turn: MarkedTurn) -> dict[str, Any]:
    seen = turn.turn.seen
    return {
        "case": turn.case.id,
        "group": turn.case.skill,
        "leg": turn.label.leg,
        "repeat": turn.label.repeat,
        "right": turn.right,
        "wrong": list(turn.wrong),
        "broken": list(turn.broken),
        "unlikely": list(turn.unlikely),
        "asked": asked_of(turn.case),
        "expected": expected(turn.case),
        "answer": seen.text(Channel.CONTENT),
        "reasoning": seen.text(Channel.REASONING),
        "calls": [str(call) for call in turn.calls],
        "ending": seen.ending.value,
        "finish_reason": seen.finish_reason,
        "trace_id": seen.trace.trace_id,
        "measurements": {
            name: m.value for name, m in turn.turn.measurements.items() if m.value is not None
        },
    }
