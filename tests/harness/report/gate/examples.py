"""Results of gates as a judge would make them, one a way a gate can end; nothing was measured.

`EXAMPLES` has each by its name.  Values are drawn from a seeded generator, so that every example is
the same each time.
"""

from __future__ import annotations

import hashlib
import math
import random
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.fingerprint import Commit, Fingerprint
from harness.gate.pins import Loaded, Pin
from harness.gate.policy import GateMetric
from harness.gate.record import GateRecord, Side
from harness.gate.resolution import too_coarse
from harness.gate.result import (
    Answers,
    CheckRow,
    Difference,
    GateResult,
    Measured,
    PairValue,
    PromptDiff,
    Ruling,
    Sample,
    StartValue,
)
from harness.gate.sequence import Design
from harness.units import BYTES, RATIO, SECONDS, TOKENS_PER_SECOND
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.units import Unit

__all__ = ["EXAMPLES", "HOSTILE", "gate"]

HOSTILE = (
    "</style><script>alert('x')</script> \"&' ]]> | `rm` **b** @all [a](javascript:x) \x1b[31m"
)
"""A text that breaks out wherever it is not escaped."""

METRICS: tuple[tuple[str, str, Unit, float, float | None], ...] = (
    ("decode", "Decode rate", TOKENS_PER_SECOND, 61.0, 0.05),
    ("prefill-long", "Prefill rate, 1,800 tokens", TOKENS_PER_SECOND, 840.0, 0.05),
    ("ttft-cold", "Time to first token, cold", SECONDS, 0.412, 0.08),
    ("ttft-warm", "Time to first token, warm", SECONDS, 0.061, 0.08),
    ("memory-peak", "Memory of the worker, peak", BYTES, 412e6, 0.05),
    ("stop", "Stop latency", SECONDS, 0.031, 0.2),
    ("load", "Load time", SECONDS, 1.72, None),
    ("memory-steady", "Memory of the worker, steady", BYTES, 398e6, None),
    ("tokens-per-round", "Tokens per round", RATIO, 2.84, None),
    ("vision", "Vision time", SECONDS, 0.0042, None),
    ("prefill-short", "Prefill rate, 120 tokens", TOKENS_PER_SECOND, 790.0, None),
)
GATED = 6
SIDES = (Side.BASELINE, Side.CANDIDATE)
PASSED = {Outcome.PASS: 6}


def pin(name: str, release: str, **facts: str) -> Pin:
    """A pin of the embedded model on a release."""
    digest = hashlib.sha256(f"{name} {release}".encode()).hexdigest()
    return Pin(
        name=name,
        kind="pin",
        digest=digest,
        facts={
            "runtime": f"executorch {release}",
            "worker": "executorch",
            "torch": "2.9.1",
            "python": "3.11",
            "model": "muse-nano",
            "artifact": "9f2c" * 16,
            "DFlash": "on",
            **facts,
        },
        why="the release that is shipped",
        arguments=("--model-dir", "playground/models/muse-nano"),
        expected=Loaded(
            versions={"executorch": release, "torch": "2.9.1"},
            artifact_sha256="9f2c" * 16,
            libraries={"libexecutorch.so": "77aa" * 16},
        ),
    )


def url(address: str) -> Pin:
    """A server that somebody else starts."""
    return Pin(address, "url", hashlib.sha256(address.encode()).hexdigest(), {"address": address})


BASELINE = pin("embedded-prev", "1.5.0")
CANDIDATE = pin("embedded", "1.5.1")
FINGERPRINT = Fingerprint(
    system="Linux 6.8",
    machine="x86_64",
    processor="A processor with a name",
    cores=2,
    memory_bytes=8 * 2**30,
    python="CPython 3.11.9",
    packages={"muse-bench": "0.6.0", "httpx": "0.28.1"},
    commit=Commit("4c1d" * 10, dirty=False),
)


def record(baseline: Pin = BASELINE, candidate: Pin = CANDIDATE, pairs: int = 10) -> GateRecord:
    """What such a gate was asked."""
    return GateRecord(
        policy="embedded",
        policy_sha256="be12" * 16,
        baseline=baseline,
        candidate=candidate,
        pairs=pairs,
        budget_min=20.0,
        seed=20261130,
        salt="q8w2",
        started_at="2026-11-30T04:00:00+00:00",
        fingerprint=FINGERPRINT,
        machine={"power source": "mains", "low-power mode": "off", "os build": "24.04"},
        scenarios={"gate-text": "a1" * 32, "gate-vision": "b2" * 32},
        ended_at="2026-11-30T04:17:31+00:00",
    )


def side_of(start: int) -> Side:
    """ABBA."""
    return SIDES[0] if start % 4 in {1, 0} else SIDES[1]


def measured(
    metric: tuple[str, str, Unit, float, float | None],
    change: float,
    *,
    pairs: int = 10,
    confirming: int = 0,
    noise: float = 0.012,
    ruling: Ruling | None = Ruling.PASS,
    why: str = "",
    drift: float = 0.03,
) -> Measured:
    """A metric whose candidate is `change` times the baseline, in so many pairs."""
    name, title, unit, middle, margin = metric
    dice = random.Random(f"{name} {change} {pairs}")
    starts = []
    for start in range(1, 2 * (pairs + confirming) + 1):
        side = side_of(start)
        slow = 1 + drift * (1 - math.exp(-start / 6))
        scale = slow if unit is SECONDS else 1 / slow
        value = middle * scale * math.exp(dice.gauss(0, noise / math.sqrt(2)))
        value *= change if side is Side.CANDIDATE else 1
        folder = f"starts/{start:03d}-{side.value}/gate-text"
        spread = [value * f for f in (0.99, 1.0, 1.02)]
        samples = tuple(Sample(v, f"{folder}#t{start:03d}{n}") for n, v in enumerate(spread))
        of_start = unit is BYTES or name == "load"
        starts.append(
            StartValue(
                start=start,
                side=side,
                pair=(start + 1) // 2,
                confirms=start > 2 * pairs,
                value=value,
                samples=() if of_start else samples,
                dirty=1 if start == 3 and not of_start else 0,
            )
        )
    found = tuple(_pairs(starts))
    logs = [math.log(p.candidate / p.baseline) for p in found if not p.confirms]
    mean = statistics.fmean(logs) if logs else None
    sd = statistics.stdev(logs) if len(logs) > 1 else None
    half = 1.83 * sd / math.sqrt(len(logs)) if sd is not None else None
    gated = margin is not None
    return Measured(
        name=name,
        title=title,
        unit=unit,
        gated=gated,
        ruling=ruling if gated else None,
        why=why or "the whole interval is inside the margin",
        margin=margin,
        starts=tuple(starts),
        pairs=found,
        n=len(logs),
        ratio=None if mean is None else math.exp(mean),
        low=None if mean is None or half is None else math.exp(mean - half),
        high=None if mean is None or half is None else math.exp(mean + half),
        confidence=0.9,
        confirmed=True if ruling is Ruling.FAIL and gated else None,
        q=None if gated else 0.37,
        noise=sd,
        needed=3 if sd else None,
    )


def _pairs(starts: list[StartValue]) -> list[PairValue]:
    found = []
    for pair in sorted({s.pair for s in starts}):
        of = {s.side: s for s in starts if s.pair == pair}
        if len(of) == 2:
            a, b = of[Side.BASELINE], of[Side.CANDIDATE]
            found.append(PairValue(pair, a.confirms, a.value, b.value))
    return found


CHECKS = tuple(
    CheckRow(part, check, promise, PASSED, PASSED, Ruling.PASS)
    for part, check, promise in (
        ("exact-prefix", "reuse.exact_prefix", "what was said before is not computed again"),
        ("exact-prefix", "reuse.accounts", "reused and prefilled tokens add up to the prompt"),
        ("cancel-races", "cancel.quiet", "nothing is written after a cancel was acknowledged"),
        ("cancel-races", "cancel.slot", "the slot is free for the next request"),
        ("reasoning", "reasoning.isolated", "what is thought is in no answer"),
        ("editing", "reset.told", "an edited turn is told as a reset"),
        ("vision", "pictures.seen", "a picture is answered about"),
        ("sessions", "leak.none", "no session, process or file is left behind"),
        ("starts", "finish.reason", "a turn ends for the reason that it tells"),
    )
)
ANSWERS = Answers(
    compared=12,
    same=10,
    facts={Side.BASELINE: (24, 24), Side.CANDIDATE: (24, 24)},
    agreement=1.0,
    ruling=Ruling.PASS,
    why="as many facts are right as before, and the answers agree for long enough",
    diffs=(
        PromptDiff(
            about="gate-text, turn 2",
            baseline="The harbour has two piers. The older one is made of stone and is 180 m long.",
            candidate="The harbour has two piers. The older of them is of stone, 180 m long.",
            agree=37,
            trace_baseline="starts/001-baseline/gate-text#t0010",
            trace_candidate="starts/002-candidate/gate-text#t0020",
        ),
        PromptDiff(
            about="gate-text, turn 5",
            baseline="Yes.",
            candidate="Yes. It opens at nine.",
            agree=4,
        ),
    ),
)
CHANGED = (
    Difference("executorch", "1.5.0", "1.5.1", under_test=True),
    Difference("libexecutorch.so", "c0ffee" * 10 + "c0ff", "77aa" * 16, under_test=True),
)


def gate(**other: object) -> GateResult:
    """A gate that passed, but for what is said otherwise."""
    changes = (1.004, 0.998, 0.991, 1.01, 1.002, 0.97, 1.08, 1.001, 1.0, 0.96, 1.02)
    whole = GateResult(
        record=record(),
        question="May this runtime replace the pinned one?",
        ruling=Ruling.PASS,
        headline="pass: 6 of 6 metrics are inside their margins, and all checks hold",
        reasons=("all six gated metrics are inside their margins after 10 pairs",),
        baseline=BASELINE,
        candidate=CANDIDATE,
        differences=CHANGED,
        metrics=tuple(measured(m, c) for m, c in zip(METRICS, changes, strict=True)),
        checks=CHECKS,
        answers=ANSWERS,
        anchors=tuple((1 + 4 * n, 0.211 + 0.001 * n) for n in range(6)),
        started={n: f"2026-11-30T04:{n // 2:02d}:{30 * (n % 2):02d}+00:00" for n in range(1, 21)},
        pairs=10,
    )
    return replace(whole, **other)  # type: ignore[arg-type]  # named by the examples below


def swapped(result: GateResult, *changed: Measured) -> tuple[Measured, ...]:
    """The metrics of a gate, some of them others."""
    by_name = {m.name: m for m in changed}
    return tuple(by_name.get(m.name, m) for m in result.metrics)


def passed() -> GateResult:
    """Nothing is wrong."""
    return gate()


def failed_by_statistics() -> GateResult:
    """Decode takes 14 % longer, which a fresh block found again; the first token comes later."""
    slow = measured(
        METRICS[0],
        0.88,
        pairs=6,
        confirming=4,
        ruling=Ruling.FAIL,
        why="14.0 % worse over 6 pairs; all of the interval is beyond the margin of 5 %; found "
        "again in 4 fresh pairs",
    )
    unsure = measured(
        METRICS[3], 1.07, pairs=6, noise=0.05, ruling=Ruling.INCONCLUSIVE,
        why="the interval holds the margin",
    )  # fmt: skip
    worse = "Decode rate: 14.0 % worse over 6 pairs, margin 5 %, found again in 4 fresh pairs"
    whole = gate()
    return replace(
        whole,
        ruling=Ruling.FAIL,
        headline=f"fail: {worse}",
        reasons=(worse,),
        metrics=swapped(whole, slow, unsure),
        pairs=6,
        confirming=4,
    )


def failed_by_correctness() -> GateResult:
    """The candidate computes the whole prompt again where the baseline goes on."""
    rows = (
        CheckRow(
            "exact-prefix",
            "reuse.exact_prefix",
            "what was said before is not computed again",
            {Outcome.PASS: 6},
            {Outcome.FAIL: 4, Outcome.PASS: 2},
            Ruling.FAIL,
            why="turn 2 reused 0 of 212 tokens; found again when it was asked once more",
            evidence=(
                "suites/candidate/exact-prefix#t4711",
                "suites/candidate-again/exact-prefix#t4712",
            ),
        ),
        CheckRow(
            "conformance",
            "wire.role_once",
            "the role is told once",
            {Outcome.FAIL: 1, Outcome.PASS: 5},
            {Outcome.FAIL: 1, Outcome.PASS: 5},
            Ruling.PASS,
            why="fails on both sides, and so is no change",
            evidence=("suites/baseline/conformance", "suites/candidate/conformance"),
        ),
        CheckRow(
            "cancel-races",
            "cancel.quiet",
            "nothing is written after a cancel was acknowledged",
            PASSED,
            {Outcome.FAIL: 1, Outcome.PASS: 5},
            Ruling.INCONCLUSIVE,
            why="was not found again",
        ),
    )
    return gate(
        ruling=Ruling.FAIL,
        headline="fail: reuse.exact_prefix fails on the candidate and not on the baseline",
        reasons=(
            "exact-prefix, reuse.exact_prefix: turn 2 reused 0 of 212 tokens",
            "cancel-races, cancel.quiet: failed once, was not found again",
        ),
        checks=(*rows, *CHECKS[1:]),
        metrics=(),
        answers=None,
        pairs=0,
        anchors=(),
        started={},
    )


def inconclusive() -> GateResult:
    """The budget was spent before the noise was small enough."""
    noisy = [
        replace(
            measured(
                m, c, pairs=10, noise=0.09, ruling=Ruling.INCONCLUSIVE,
                why="the interval holds both no change and the margin",
            ),
            needed=34,
        )
        for m, c in ((METRICS[2], 1.05), (METRICS[3], 1.06))
    ]  # fmt: skip
    whole = gate()
    return replace(
        whole,
        ruling=Ruling.INCONCLUSIVE,
        headline="inconclusive: 2 of 6 metrics are undecided after 10 pairs",
        reasons=tuple(f"{m.title}: {m.why}" for m in noisy),
        metrics=swapped(whole, *noisy),
        doubts=(
            "2 samples are of a turn in which something else kept the machine busy.",
            "No noise was kept for this baseline on such a machine: what was measured decides.",
        ),
    )


def refused_not_comparable() -> GateResult:
    """The machine went on battery between the sides."""
    return gate(
        ruling=Ruling.REFUSED,
        headline="refused: the sides are not comparable: power",
        reasons=("power: mains on the baseline, battery on the candidate",),
        record=replace(record(), refused="power differs"),
        differences=(
            *CHANGED,
            Difference("power", "mains", "battery", under_test=False),
        ),
        metrics=(),
        checks=(),
        answers=None,
        pairs=0,
        anchors=(),
        started={},
    )


def refused_too_coarse() -> GateResult:
    """The margin cannot be resolved with the noise that was kept."""
    noise = {"stop": 0.3}
    metric = GateMetric("stop", "Stop latency", "stop", margin=0.2, gated=True)
    (coarse,) = too_coarse([metric], noise, Design(least=4, pairs=10, confirm=6, confidence=0.9))
    return gate(
        ruling=Ruling.REFUSED,
        headline=f"Refused: {coarse}",
        reasons=(str(coarse),),
        record=replace(record(), refused=str(coarse)),
        metrics=(),
        checks=(),
        answers=None,
        pairs=0,
        anchors=(),
        started={},
    )


def refused_lying() -> GateResult:
    """The candidate's own clock says that it was faster than its answer came."""
    row = CheckRow(
        "starts",
        "clocks.agree",
        "what a server says of its times is possible by the client's clock",
        PASSED,
        {Outcome.FAIL: 6},
        Ruling.REFUSED,
        why="the server tells 400 tok/s, its answer came at 61 tok/s",
        evidence=("starts/002-candidate/gate-text#t0020",),
    )
    return gate(
        ruling=Ruling.REFUSED,
        headline="refused: the candidate's own figures cannot be true: clocks.agree",
        reasons=("starts, clocks.agree: the server tells 400 tok/s, its answer came at 61 tok/s",),
        checks=(row, *CHECKS),
    )


def stopped() -> GateResult:
    """Somebody pressed Ctrl-C in the third pair."""
    whole = gate()
    cut = tuple(
        measured(m, 1.0, pairs=2, ruling=Ruling.INCONCLUSIVE, why="2 of at least 4 pairs")
        for m in METRICS
    )
    return replace(
        whole,
        ruling=Ruling.INCONCLUSIVE,
        headline="inconclusive: stopped by hand after 2 pairs",
        reasons=("stopped by hand in start 5",),
        record=replace(record(), stopped="by hand, in start 5", ended_at=None),
        metrics=cut,
        pairs=2,
        anchors=((1, 0.211),),
        started={n: f"2026-11-30T04:0{n}:00+00:00" for n in range(1, 5)},
    )


def same_on_both_sides() -> GateResult:
    """A/A: what the instrument sees where there is nothing."""
    return gate(
        record=record(CANDIDATE, CANDIDATE),
        baseline=CANDIDATE,
        candidate=CANDIDATE,
        differences=(),
        headline="pass: A/A, nothing is outside its margin",
    )


def of_urls() -> GateResult:
    """Two servers that somebody else starts; a difference was allowed."""
    sides = url("http://127.0.0.1:8080"), url("https://bench.example:8443/v1?key=value&more=1")
    return gate(
        record=replace(record(*sides), allowed=("os",)),
        baseline=sides[0],
        candidate=sides[1],
        differences=(
            Difference("address", sides[0].name, sides[1].name, under_test=True),
            Difference("os", "24.04", "24.10", under_test=False, allowed=True),
        ),
    )


def nothing_measured() -> GateResult:
    """It was stopped before the first start."""
    return gate(
        ruling=Ruling.INCONCLUSIVE,
        headline="inconclusive: stopped before anything was measured",
        reasons=(),
        record=replace(record(), stopped="by hand", ended_at=None),
        metrics=(),
        checks=(),
        answers=None,
        differences=(),
        anchors=(),
        started={},
        pairs=0,
    )


def one_pair() -> GateResult:
    """One pair has ratios and no interval."""
    return gate(
        ruling=Ruling.INCONCLUSIVE,
        headline="inconclusive: 1 pair is too few",
        reasons=("6 metrics are undecided",),
        metrics=tuple(
            measured(m, 1.02, pairs=1, ruling=Ruling.INCONCLUSIVE, why="1 of at least 4 pairs")
            for m in METRICS
        ),
        pairs=1,
        anchors=((1, 0.211),),
        started={1: "2026-11-30T04:01:00+00:00", 2: "2026-11-30T04:02:00+00:00"},
    )


def hostile() -> GateResult:
    """Every text is one that breaks out of whatever does not hold it."""
    long = "a-very-long-name-without-any-place-to-break-it-" * 4
    pins = replace(pin(HOSTILE, HOSTILE), facts={HOSTILE: HOSTILE, long: long}), url(long)
    named = replace(gate().metrics[0], title=HOSTILE, why=HOSTILE)
    lengthy = replace(gate().metrics[1], title=long, why=long)
    row = replace(
        failed_by_correctness().checks[0],
        part=HOSTILE, check=long, promise=HOSTILE, why=HOSTILE, evidence=(f"{HOSTILE}#{HOSTILE}",),
    )  # fmt: skip
    diff = PromptDiff(HOSTILE, HOSTILE, HOSTILE + long, agree=len(HOSTILE) // 2)
    return gate(
        ruling=Ruling.FAIL,
        headline=HOSTILE,
        question=HOSTILE,
        reasons=(HOSTILE, long),
        doubts=(HOSTILE, long),
        record=replace(
            record(*pins), policy=HOSTILE, machine={HOSTILE: long}, notes=(HOSTILE,), salt=HOSTILE
        ),
        baseline=pins[0],
        candidate=pins[1],
        differences=(
            Difference(HOSTILE, HOSTILE, long, under_test=True),
            Difference(long, long, HOSTILE, under_test=False, allowed=True),
            Difference(HOSTILE, long, HOSTILE, under_test=False),
        ),
        metrics=(named, lengthy, *gate().metrics[2:]),
        checks=(row, *CHECKS),
        answers=replace(ANSWERS, why=HOSTILE, diffs=(diff,)),
    )


def not_interleaved() -> GateResult:
    """Two finished runs, compared."""
    whole = gate()
    return replace(
        whole,
        interleaved=False,
        metrics=tuple(
            replace(m, pairs=(), gated=False, ruling=None, margin=None) for m in whole.metrics
        ),
        anchors=(),
        started={},
        pairs=0,
        ruling=Ruling.INCONCLUSIVE,
        headline="inconclusive: two runs that were not played in turn",
        reasons=(),
    )


EXAMPLES: Mapping[str, Callable[[], GateResult]] = {
    "pass": passed,
    "fail-statistics": failed_by_statistics,
    "fail-correctness": failed_by_correctness,
    "inconclusive": inconclusive,
    "refused-not-comparable": refused_not_comparable,
    "refused-too-coarse": refused_too_coarse,
    "refused-lying": refused_lying,
    "stopped": stopped,
    "a-a": same_on_both_sides,
    "urls": of_urls,
    "nothing": nothing_measured,
    "one-pair": one_pair,
    "hostile": hostile,
    "not-interleaved": not_interleaved,
}
"""By the name of how each ends."""
