"""Whatever was found, there is one verdict, and the worst finding gives it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.fingerprint import Fingerprint
from harness.gate.doubts import doubts
from harness.gate.false_discovery import with_q
from harness.gate.measured import judge_metric
from harness.gate.pins import Pin
from harness.gate.policy import GateMetric
from harness.gate.record import GateRecord, Side
from harness.gate.result import Answers, CheckRow, Difference, Measured, Ruling, StartValue
from harness.gate.ruling import Found, conclude, headline
from harness.gate.sequence import Design
from harness.units import SECONDS
from harness.verdict import Outcome

PASS, FAIL = Ruling.PASS, Ruling.FAIL
INCONCLUSIVE, REFUSED = Ruling.INCONCLUSIVE, Ruling.REFUSED

RECORD = GateRecord(
    policy="small",
    policy_sha256="",
    baseline=Pin("old", "pin", "a", {}),
    candidate=Pin("new", "pin", "b", {}),
    pairs=10,
    budget_min=20.0,
    seed=1,
    salt="s",
    started_at="t",
    fingerprint=Fingerprint("Some 1", "arch", "Processor", 2, None, "Python 3", {}, None),
    machine={},
    scenarios={},
    ended_at="t",
)


def metric(ruling: Ruling | None, *, gated: bool = True) -> Measured:
    """One, ruled on; a fail was found again."""
    return Measured(
        name="ttft",
        title="TTFT",
        unit=SECONDS,
        gated=gated,
        ruling=ruling,
        why="as measured",
        margin=0.05,
        starts=(),
        pairs=(),
        n=10,
        ratio=1.0,
        low=1.0,
        high=1.0,
        confidence=0.9,
        first=ruling,
        confirmed=True if ruling is FAIL else None,
    )


def worse(fresh: float | None = None) -> Measured:
    """What a judge makes of ten pairs that are 10 % worse, and of six fresh ones."""
    starts = [
        StartValue(10_000 * confirms + 2 * pair + place, side, pair, confirms, value * noise)
        for confirms, factor, n in ((False, 1.1, 10), (True, fresh, 6))
        for pair, noise in enumerate([0.999, 1.001] * 5, 1)
        for place, (side, value) in enumerate(zip(Side, (0.1, 0.1 * (factor or 1)), strict=True))
        if factor and pair <= n
    ]
    gated = GateMetric("ttft", "TTFT", "ttft", margin=0.05, gated=True)
    return judge_metric(gated, SECONDS, starts, Design(4, 10, 6, 0.90))


def row(ruling: Ruling) -> CheckRow:
    """A check that says this against the candidate."""
    ran = {Outcome.PASS: 1}
    return CheckRow("talk", "answer.expected", "", ran, ran, ruling, "as it was")


def answers(ruling: Ruling) -> Answers:
    """Compared, and ruled on."""
    return Answers(1, 1, {}, 1.0, ruling, "as said")


GOOD = Found(RECORD, [row(PASS)], [metric(PASS)], answers(PASS), pairs=10)


def found(**changed: Any) -> Found:  # noqa: ANN401 - fields of Found
    """A gate in which all is well but what is said."""
    record = replace(RECORD, **changed.pop("record", {}))
    return replace(GOOD, record=record, **changed)


@pytest.mark.parametrize(
    ("finding", "ruling"),
    [
        ({}, PASS),
        ({"answers": None}, PASS),
        ({"checks": [row(FAIL)]}, FAIL),
        ({"checks": [row(INCONCLUSIVE)]}, INCONCLUSIVE),
        ({"checks": [row(REFUSED)]}, REFUSED),
        ({"answers": answers(FAIL)}, FAIL),
        ({"answers": answers(INCONCLUSIVE)}, INCONCLUSIVE),
        ({"metrics": [worse(1.1)]}, FAIL),
        ({"metrics": [worse(1.0)]}, INCONCLUSIVE),
        ({"metrics": [worse()]}, INCONCLUSIVE),
        ({"metrics": [metric(INCONCLUSIVE)]}, INCONCLUSIVE),
        ({"metrics": [metric(REFUSED)]}, REFUSED),
        ({"metrics": [metric(PASS), metric(None, gated=False)]}, PASS),
        ({"metrics": [metric(PASS), metric(FAIL, gated=False)]}, PASS),
        ({"record": {"refused": "on battery"}}, REFUSED),
        ({"record": {"stopped": "stopped by hand"}}, INCONCLUSIVE),
        ({"record": {"ended_at": None}}, INCONCLUSIVE),
        ({"missing": ["the acceptance suite was left out"]}, INCONCLUSIVE),
        ({"pairs": 0}, INCONCLUSIVE),
        ({"wrong": ["the candidate had loaded executorch 1.5.0"]}, REFUSED),
        ({"differences": [Difference("power", "mains", "battery", under_test=False)]}, REFUSED),
        (
            {"differences": [Difference("power", "mains", "battery", False, allowed=True)]},
            PASS,
        ),
        ({"differences": [Difference("executorch", "1.5.0", "1.5.1", under_test=True)]}, PASS),
        # The worst of several goes before the others.
        ({"checks": [row(INCONCLUSIVE), row(FAIL)]}, FAIL),
        ({"checks": [row(FAIL)], "record": {"stopped": "stopped by hand"}}, FAIL),
        ({"checks": [row(FAIL)], "record": {"ended_at": None}}, FAIL),
        ({"checks": [row(FAIL)], "pairs": 0}, FAIL),
        ({"checks": [row(FAIL), row(REFUSED)]}, REFUSED),
        ({"checks": [row(FAIL)], "record": {"refused": "on battery"}}, REFUSED),
        ({"checks": [row(INCONCLUSIVE)], "metrics": [worse(1.1)]}, FAIL),
        ({"checks": [row(INCONCLUSIVE)], "metrics": [worse()]}, INCONCLUSIVE),
    ],
)
def test_the_worst_finding_decides(finding: dict[str, Any], ruling: Ruling) -> None:
    """Refused before fail, fail before inconclusive, and a pass only where nothing was found."""
    given = found(**finding)

    concluded, reasons = conclude(given)

    assert concluded is ruling
    assert [reason.ruling for reason in reasons[:1]] == ([] if ruling is PASS else [ruling])


def test_the_headline_says_the_verdict_and_the_worst_reason() -> None:
    """And how many others there are of its kind."""
    given = found(checks=[row(INCONCLUSIVE), row(FAIL)], answers=answers(FAIL))
    ruling, reasons = conclude(given)

    assert (
        headline(given, ruling, reasons) == "Fail: answer.expected in talk: as it was (and 1 more)"
    )
    assert [reason.said for reason in reasons] == [
        "answer.expected in talk: as it was",
        "answers: as said",
        "answer.expected in talk: as it was",
    ]


@pytest.mark.parametrize(
    ("measured", "line"),
    [
        (worse(1.1), "Fail: TTFT: 10.0 % worse, and 5 % is accepted"),
        (
            worse(1.0),
            "Inconclusive: TTFT: 10.0 % worse, which was not found again in a fresh block",
        ),
        (worse(), "Inconclusive: TTFT: 10.0 % worse, which is not confirmed yet"),
        (metric(INCONCLUSIVE), "Inconclusive: TTFT is not decided after 10 pairs"),
        (metric(REFUSED), "Refused: TTFT: as measured"),
    ],
)
def test_a_headline_is_short_and_the_reason_has_the_figures(measured: Measured, line: str) -> None:
    """Who reads on finds every figure that decided it."""
    given = found(metrics=[replace(measured, ratio=1.1)])
    ruling, reasons = conclude(given)

    assert headline(given, ruling, reasons) == line
    assert measured.why in reasons[0].said


def shown(factor: float, noise: float = 0.001, n: int = 10) -> Measured:
    """A metric that is only shown, and takes the candidate so much longer."""
    starts = [
        StartValue(
            2 * pair + place, side, pair, False, (factor if place else 1.0) * (1 + noise * odd)
        )
        for pair in range(1, n + 1)
        for place, side in enumerate(Side)
        for odd in ((pair + place) % 2,)
    ]
    metric = GateMetric("load", "Load time", "start.load")
    (measured,) = with_q([judge_metric(metric, SECONDS, starts, Design(4, 10, 6, 0.90))])
    return measured


@pytest.mark.parametrize(
    ("measured", "told"),
    [
        (shown(1.8), ["Load time: 80.0 % worse over 10 pairs, q = 0.002, not gated"]),
        # Four pairs have no q: their interval decides.
        (shown(1.8, n=4), ["Load time: 80.0 % worse over 4 pairs, not gated"]),
        (shown(1.8, noise=9.0), []),
        (shown(1.4), []),
        (shown(0.5), []),
    ],
)
def test_what_gates_nothing_and_is_much_worse_is_a_doubt(
    measured: Measured, told: list[str]
) -> None:
    """Nobody has to find it in a table."""
    said = doubts(found(metrics=[metric(PASS), measured]), [], [])

    assert [doubt for doubt in said if "not gated" in doubt] == told


def test_the_headline_of_a_pass_says_what_was_looked_at() -> None:
    """How many metrics, pairs and checks."""
    rows = [
        row(PASS),
        replace(row(PASS), baseline={Outcome.SKIP: 2}, candidate={Outcome.SKIP: 2}),
        replace(row(PASS), baseline={}, candidate={Outcome.INCONCLUSIVE: 1}),
    ]
    given = found(checks=rows)

    assert headline(given, *conclude(given)) == (
        "Pass: 1 of 1 gated metrics within their margins over 10 pairs of starts, "
        "1 check holds, 1 was not asked, 1 could not tell"
    )


def test_a_fail_that_was_not_found_again_says_so() -> None:
    """It is another thing than one that nobody looked for yet."""
    looked = conclude(found(metrics=[worse(1.0)]))[1][0].said
    not_yet = conclude(found(metrics=[worse()]))[1][0].said

    assert looked.endswith("; not found again in 6 fresh pairs (no change)")
    assert not_yet.endswith("; not final: it was looked for again in 0 of 6 fresh pairs")
