"""A run of probes, told rule by rule: a page to send to whoever writes the server.

A rule is a row: how much depends on it, who says so, which probes showed it, and of the first
probe in which it was not kept what was seen.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.conformance.rule import Level
from harness.conformance.rules import RULES, SOURCES
from harness.report.sheets import Row, Sheet, Told
from harness.units import NOTHING
from harness.verdict import Outcome, worst_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.conformance.heard import Heard
    from harness.conformance.judge import ProbesResult
    from harness.conformance.rule import Rule
    from harness.judged import Judged

__all__ = ["tell_probes"]

RULE_HEAD = ("rule", "level", "asks", "source", "shown by", "first evidence", "outcome")
PROBE_HEAD = ("probe", "about", "request", "answer", "outcome")
BRIEF_HEAD = ("rules", "MUST kept", "SHOULD kept", "outcome")
ABOUT = (
    "MUST: a client breaks, or is told something wrong; the run fails. "
    "SHOULD: published clients or proxies stumble; there is a note, and the run does not fail."
)
SHOWN = 160
"""Characters of evidence in a cell."""


def tell_probes(result: ProbesResult) -> Told:
    """Every rule that was to be shown, and every probe."""
    rules = tuple(_rules(result))
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        suites.setdefault(each.about, []).append(each)
    return Told(
        kind="conformance",
        question=result.scenario.question,
        answer=result.scenario.answer,
        environment=(("probes", str(len(result.scenario.probe))),),
        sheets=(
            Sheet("Rules", RULE_HEAD, tuple(row for _, row in rules), about=ABOUT),
            Sheet("Probes", PROBE_HEAD, tuple(_probes(result))),
            Sheet("Sources", ("source", "where"), tuple(map(Row, SOURCES.items()))),
        ),
        brief=Sheet("Rules", BRIEF_HEAD, tuple(_brief(rules))),
        suites=suites,
        document={
            "scenario": {"body": dict(result.scenario.body)},
            "rules": [_rule_document(rule, row) for rule, row in rules],
            "probes": [_probe_document(heard) for heard in result.turns],
        },
        headline=_headline(rules),
    )


def _rules(result: ProbesResult) -> Iterator[tuple[Rule, Row]]:
    for rule in RULES.values():
        judged = [each for each in result.judged if each.verdict.check == rule.name]
        if not judged:
            continue
        worst = worst_of(each.verdict.outcome for each in judged)
        shown = [each.about for each in judged if each.verdict.outcome is not Outcome.SKIP]
        cells = (
            rule.name,
            rule.level.value,
            rule.asks,
            rule.source,
            ", ".join(shown) or NOTHING,
            _evidence(judged, worst),
            worst.value,
        )
        yield rule, Row(cells, worst)


def _evidence(judged: Sequence[Judged], worst: Outcome) -> str:
    first = next(each for each in judged if each.verdict.outcome is worst)
    if worst is Outcome.PASS:
        return first.verdict.message
    excerpts = [evidence.excerpt for evidence in first.verdict.evidence if evidence.excerpt]
    seen = f": {' '.join(excerpts[0].split())}" if excerpts and worst is not Outcome.SKIP else ""
    told = f"{first.about}: {first.verdict.message}{seen}"
    return told if len(told) <= SHOWN else f"{told[: SHOWN - 1]}…"


def _probes(result: ProbesResult) -> Iterator[Row]:
    heard = {each.probe.name: each for each in result.turns}
    for probe in result.scenario.probe:
        worst = worst_of(each.verdict.outcome for each in result.judged if each.about == probe.name)
        answer = _answer(heard[probe.name]) if probe.name in heard else "not sent"
        yield Row(
            (probe.name, probe.about, f"{probe.method} {probe.path}", answer, worst.value), worst
        )


def _brief(rules: Iterable[tuple[Rule, Row]]) -> Iterator[Row]:
    groups: dict[str, list[tuple[Rule, Row]]] = {}
    for rule, row in rules:
        groups.setdefault(rule.name.partition(".")[0], []).append((rule, row))
    for name, group in groups.items():
        worst = worst_of(row.outcome for _, row in group if row.outcome)
        yield Row((name, *(_kept(group, level) for level in Level), worst.value), worst)


def _headline(rules: Sequence[tuple[Rule, Row]]) -> str:
    skipped = sum(row.outcome is Outcome.SKIP for _, row in rules)
    aside = f"; {skipped} rules could not be judged" if skipped else ""
    told = " and ".join(f"{_kept(rules, level)} that are {level.value}" for level in Level)
    return f"Of the rules, {told}, were kept{aside}."


def _kept(rules: Iterable[tuple[Rule, Row]], level: Level) -> str:
    counts = Counter(row.outcome for rule, row in rules if rule.level is level)
    judged = sum(counts.values()) - counts[Outcome.SKIP]
    return f"{counts[Outcome.PASS]} of {judged}" if judged else NOTHING


def _answer(heard: Heard) -> str:
    said = heard.text or heard.seen.detail
    line = " ".join(said.split())
    status = str(heard.status) if heard.status else "no status"
    told = f"{status}: {line}" if line else status
    return told if len(told) <= SHOWN else f"{told[: SHOWN - 1]}…"


def _rule_document(rule: Rule, row: Row) -> dict[str, Any]:
    return {
        "rule": rule.name,
        "level": rule.level.value,
        "asks": rule.asks,
        "source": rule.source,
        "outcome": row.outcome.value if row.outcome else None,
    }


def _probe_document(heard: Heard) -> dict[str, Any]:
    trace = heard.trace
    return {
        "probe": heard.probe.name,
        "trace": trace.trace_id,
        "method": trace.method,
        "path": trace.path,
        "status": trace.status,
        "ending": heard.seen.ending.value,
        "finish_reason": heard.seen.finish_reason,
        "usage": asdict(heard.seen.usage) if heard.seen.usage else None,
    }
