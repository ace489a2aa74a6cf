"""A gate as JSON: `result.json`, for programs.

    schema       1; raised when a key changes its meaning or goes away
    kind         gate
    ruling       pass, fail, inconclusive or refused
    exit_code    of the ruling: 0, 1, 3 or 2
    headline     the verdict in a line
    reasons      what decided it, the worst first
    question     of the policy
    interleaved  false where two finished runs were compared
    pairs        complete pairs
    confirming   those of the fresh block
    baseline     the pin: name, kind, digest, facts, why, arguments, what was expected to be loaded
    candidate    the same
    differences  what is not the same on both sides: what, baseline, candidate, under_test, allowed
    metrics      each metric: name, title, unit, better, gated, ruling (null where not gated), why,
                 margin, `starts` with their samples (value, and the trace it is told in), `pairs`,
                 n, ratio, low and high at `confidence`, first, confirmed, q, noise, needed
    checks       each check of each part: counts of outcomes by side, ruling, why, evidence
    answers      greedy answers: compared, same, facts by side as [right, asked], agreement, diffs
    anchors      [index of the start it was taken before, seconds]
    started      when each start began, by its index
    doubts       what is to be known before the verdict is believed
    record       gate.json: policy, seed, salt, budget, machine, environment, what was allowed

Ratios are candidate over baseline; values are in the base unit of their metric (s, tokens/s, B).
Where a trace is named, it is the path of a run folder below the gate's, `#`, and the trace's id.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from harness.units import Unit

if TYPE_CHECKING:
    from harness.gate.result import GateResult, Measured

__all__ = ["SCHEMA", "gate_json"]

SCHEMA = 1


def gate_json(result: GateResult) -> str:
    """The text of `result.json`."""
    document = {
        "schema": SCHEMA,
        "kind": "gate",
        "ruling": result.ruling.value,
        "exit_code": result.exit_code,
        "headline": result.headline,
        "reasons": result.reasons,
        "question": result.question,
        "interleaved": result.interleaved,
        "pairs": result.pairs,
        "confirming": result.confirming,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "differences": result.differences,
        "metrics": [_metric(measured) for measured in result.metrics],
        "checks": result.checks,
        "answers": result.answers,
        "anchors": result.anchors,
        "started": result.started,
        "doubts": result.doubts,
        "record": result.record,
    }
    return json.dumps(_plain(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _metric(measured: Measured) -> dict[str, Any]:
    told = {each.name: getattr(measured, each.name) for each in fields(measured)}
    return {
        "name": told.pop("name"),
        "title": told.pop("title"),
        "unit": told.pop("unit"),
        "better": measured.unit.better,
        **told,
    }


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON is made of
    """The same in what JSON has; a number that is none becomes null."""
    if isinstance(value, Unit):
        return value.name
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {_key(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _key(key: object) -> str:
    return str(key.value if isinstance(key, Enum) else key)
