"""What follows from a run of probes: a verdict for each rule that a probe shows, and the exit code.

A pure function of what is on disk, so that a result can be derived again from a folder at any time
and comes out the same.  A MUST that is broken fails; a SHOULD is a note; what could not be judged
is skipped, and says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from harness.conformance.heard import Heard, hear
from harness.conformance.rule import Finding, Level, When, moot
from harness.conformance.rules import RULES, rules_for
from harness.judged import Judged, JudgedRun
from harness.trace import TurnLabel
from harness.verdict import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.conformance.rule import Rule
    from harness.conformance.scenario import Probe, Probes
    from harness.results import RunRecord
    from harness.trace import Trace

__all__ = ["ProbesResult", "judge_probes", "label_of", "middle_of", "verdict_on"]

SHOWN = 400
"""Characters of evidence."""


@dataclass(frozen=True, slots=True)
class ProbesResult(JudgedRun):
    """A run of probes, judged."""

    promises: ClassVar[Mapping[str, str]] = {rule.name: rule.asks for rule in RULES.values()}

    record: RunRecord
    scenario: Probes
    turns: tuple[Heard, ...]
    """What was sent, in order."""


def label_of(probes: Probes, probe: Probe) -> TurnLabel:
    """The label of a probe's only request."""
    return TurnLabel(probes.name, 1, probe.name, 1)


def middle_of(heard: Heard | None) -> str | None:
    """Three characters from the middle of an answer; None where it is too short for that."""
    text = heard.text if heard is not None else ""
    return text[len(text) // 2 :][:3] if len(text) > 8 else None


def judge_probes(record: RunRecord, probes: Probes, traces: Sequence[Trace]) -> ProbesResult:
    """Everything that follows from a run."""
    came = {trace.label: trace for trace in traces}
    heard: dict[str, Heard] = {}
    judged: list[Judged] = []
    unplayed: list[TurnLabel] = []
    for probe in probes.probe:
        label, beside = label_of(probes, probe), heard.get(probe.beside or "")
        if label in came:
            heard[probe.name] = hear(probe, came[label], beside)
            verdicts = [verdict_on(rule, heard[probe.name]) for rule in rules_for(probe.rules)]
        elif probe.cuts and beside is not None and middle_of(beside) is None:
            message = f"not sent: what {beside.probe.name} was answered is too short to cut"
            verdicts = [
                Verdict(rule.name, Outcome.SKIP, message) for rule in rules_for(probe.rules)
            ]
        else:
            unplayed.append(label)
            continue
        judged += [Judged(verdict, label, probe.name) for verdict in verdicts]
    return ProbesResult(
        record=record,
        scenario=probes,
        turns=tuple(heard.values()),
        judged=tuple(judged),
        unplayed=tuple(unplayed),
    )


def verdict_on(rule: Rule, heard: Heard) -> Verdict:
    """What a rule comes to in one probe."""
    finding = _judge(rule, heard)
    match finding.kept:
        case True:
            outcome = Outcome.PASS
        case False:
            outcome = Outcome.FAIL if rule.level is Level.MUST else Outcome.NOTE
        case None:
            outcome = Outcome.SKIP
    return Verdict(rule.name, outcome, finding.message, tuple(_evidence(finding, heard)))


def _judge(rule: Rule, heard: Heard) -> Finding:
    if rule.when is When.REPLY and not heard.replied:
        return moot(f"there is no reply to judge: {heard.seen.detail or heard.status}")
    if rule.when is When.REFUSAL and heard.status < 400:
        return moot(f"it was not refused: {heard.status or 'no status'}")
    return rule.judge(heard)


def _evidence(finding: Finding, heard: Heard) -> Iterator[Evidence]:
    trace = heard.trace
    if finding.kept:
        yield Evidence(trace.trace_id)
        return
    text = next((frame.text for frame in heard.frames if frame.number == finding.frame), None)
    if text is not None:
        places = [seen.index for seen in heard.seen.events if seen.frame == finding.frame]
        first, last = (places[0], places[-1]) if places else (None, None)
        yield Evidence(trace.trace_id, first, last, f"data: {text}"[:SHOWN])
        return
    head = [f"{trace.method} {trace.path}: {trace.status or trace.transport_error}"]
    head += [f"{name}: {value}" for name, value in trace.headers]
    body = trace.body.decode("utf-8", "replace")
    yield Evidence(trace.trace_id, excerpt="\n".join([*head, "", body])[: 2 * SHOWN].rstrip())
