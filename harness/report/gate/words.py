"""How is a gate said in words and cells, whatever the form?

All five forms share these, so that they cannot tell different stories.  Numbers are printed here;
what they come to was decided before.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from harness.gate.baseline import is_aa
from harness.gate.change import change
from harness.gate.guard import GUARDED
from harness.gate.policy import DEFAULT_POLICY, MOST_PAIRS
from harness.gate.record import Side
from harness.gate.result import Ruling
from harness.report.environment import surroundings_of_machine
from harness.report.words import WORDS, one_line
from harness.units import NOTHING, Better, format_value
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.gate.pins import Pin
    from harness.gate.result import Answers, CheckRow, Difference, GateResult, Measured
    from harness.units import Unit

__all__ = [
    "FOLDER",
    "NOT_INTERLEAVED",
    "RULED",
    "Advice",
    "advice",
    "allowed",
    "answers_line",
    "better_words",
    "block_edges",
    "change_words",
    "counts_words",
    "environment",
    "gated",
    "interval_words",
    "limits_of",
    "margin_words",
    "medians",
    "n_words",
    "needing",
    "not_comparable",
    "order_words",
    "pin_facts",
    "q_words",
    "ratio_words",
    "reasons",
    "ruling_words",
    "settings",
    "shown",
    "sides_line",
    "under_test",
    "verdict_line",
]

FOLDER = "DIR"
"""What stands for the gate's folder in a report, which does not know where it lies."""

RULED = {
    Ruling.PASS: "pass",
    Ruling.FAIL: "fail",
    Ruling.INCONCLUSIVE: "inconclusive",
    Ruling.REFUSED: "refused",
}

NOT_INTERLEAVED = (
    "Two finished runs were compared that were not played in turn: whatever changed between their "
    "sessions (heat, load, updates) is in these ratios too, and no interval accounts for it. "
    "Take them for a hint; muse-bench gate plays both sides in turn."
)

TOGETHER = "up at once, and asked in turn, request by request, ABBA"
IN_TURN = "started one after the other"
OUT_OF_TIME = "no new pair after"
"""How the note begins that a gate keeps where its time was spent before its pairs."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next: a sentence, and a command where there is one."""

    said: str
    command: str = ""


# -- the verdict


def verdict_line(result: GateResult) -> str:
    """The verdict in a line, which begins with its word."""
    word, line = RULED[result.ruling].capitalize(), one_line(result.headline, 400)
    if line.lower().startswith(word.lower()):
        return line[:1].upper() + line[1:]
    return f"{word}: {line}" if line else word


def sides_line(result: GateResult) -> str:
    """Which two sides these are."""
    same = result.interleaved and is_aa(result)
    aside = ": an A/A gate, the same on both sides" if same else ""
    baseline, candidate = (one_line(p.name) for p in (result.baseline, result.candidate))
    return f"candidate {candidate} against baseline {baseline}{aside}"


def reasons(result: GateResult) -> list[str]:
    """What decided it, without what the verdict has said already."""
    said = result.headline.lower()
    return [each for each in result.reasons if each.lower() not in said]


def advice(result: GateResult, folder: str = FOLDER) -> Advice:
    """What to do next."""
    match result.ruling:
        case Ruling.PASS:
            return _after_pass(result, folder)
        case Ruling.FAIL:
            return _after_fail(result, folder)
        case Ruling.REFUSED:
            return _after_refusal(result)
        case Ruling.INCONCLUSIVE:
            return _after_inconclusive(result, folder)


def _after_pass(result: GateResult, folder: str) -> Advice:
    if not result.interleaved:
        return Advice(
            "Before anything is replaced, play both sides in turn:",
            _interleaved(result),
        )
    if result.candidate.url:
        return Advice(
            "What is behind an address is not pinned, and so is no baseline: pin it, and gate the "
            "pin, before it replaces anything."
        )
    if is_aa(result):
        return Advice("Keep this pin, and its noise, as the baseline:", _accept(result, folder))
    return Advice("Make the candidate the new baseline:", _accept(result, folder))


def _accept(result: GateResult, folder: str) -> str:
    allow = "".join(f" --allow {quote(what)}" for what in result.record.allowed)
    return f"muse-bench accept {quote(folder)}{allow}"


def _after_fail(result: GateResult, folder: str) -> Advice:
    failed = [row for row in result.checks if row.ruling is Ruling.FAIL]
    if failed or (result.answers and result.answers.ruling is Ruling.FAIL):
        return Advice(
            "Keep the baseline. Look at what failed, with its evidence, under Correctness; "
            "what follows from it does not depend on noise."
        )
    worse = [m.title for m in result.metrics if m.ruling is Ruling.FAIL]
    of = f" of {worse[0]}" if len(worse) == 1 else ""
    confirmed = any(m.confirmed for m in result.metrics)
    again = ", which a fresh block found again" if confirmed else ""
    return Advice(
        f"Keep the baseline. Look at the change{of}{again}: its values by start, and the traces "
        "behind them. This report can be derived again:",
        f"muse-bench report {quote(folder)} --check",
    )


def _after_refusal(result: GateResult) -> Advice:
    if barred := not_comparable(result):
        agree = "Make both sides agree in what is not under test"
        if any(each.what not in GUARDED for each in barred):
            return Advice(f"{agree}, and gate again.")
        names = " ".join(f"--allow {quote(each.what)}" for each in barred)
        return Advice(
            f"{agree}; or allow the difference by name, which then stands at the top of the "
            "report:",
            f"{_interleaved(result)} {names}",
        )
    return Advice("Nothing was decided. Mend what is named here, and gate again.")


def _after_inconclusive(result: GateResult, folder: str) -> Advice:
    if not result.interleaved:
        if not _have_names(result):
            return Advice(
                "Play both sides in turn, with as many pairs as it takes: muse-bench gate takes a "
                "pin for each, and muse-bench pins lists those there are."
            )
        return Advice(
            "Play both sides in turn, with as many pairs as it takes:",
            _interleaved(result),
        )
    if result.record.stopped:
        return Advice(
            "Go on from where it was stopped:", f"muse-bench gate --resume {quote(folder)}"
        )
    if is_aa(result) and result.pairs:
        return Advice(
            "A/A: its noise can be kept, so that later gates know beforehand what they can tell:",
            _accept(result, folder),
        )
    if any(row.ruling is Ruling.INCONCLUSIVE for row in result.checks):
        return Advice(
            "Not decided is not passed. A failure that is not found again is to be understood "
            "first: see Correctness, then gate again."
        )
    undecided = [m for m in result.metrics if m.ruling is Ruling.INCONCLUSIVE]
    if undecided:
        return _to_decide(result, undecided)
    if not result.record.suite:
        return Advice("Not looked at is not passed. Gate with the suite:", _interleaved(result))
    return Advice("Not decided is not passed. Mend what is named here, and gate again.")


def _to_decide(result: GateResult, undecided: Sequence[Measured]) -> Advice:
    lost = [m.title for m in undecided if m.confirmed is False]
    if lost:
        return Advice(
            f"Not decided is not passed. {', '.join(lost)}: worse at first, not found again in "
            "fresh pairs. Gate again:",
            _interleaved(result),
        )
    return _with_more_pairs(result, _needed(undecided))


def _with_more_pairs(result: GateResult, needed: int | None) -> Advice:
    """What would decide a metric: as many pairs as it takes, where that can be had."""
    asked, had = result.record.pairs, result.pairs
    if had < asked and any(note.startswith(OUT_OF_TIME) for note in result.record.notes):
        return Advice(
            f"Not decided is not passed. There was time for {had} of {asked} pairs: gate again "
            "with a larger --budget, in minutes."
        )
    if needed and asked < needed <= MOST_PAIRS:
        return Advice(
            f"Not decided is not passed. About {needed} pairs would decide it; this gate was "
            f"allowed {asked}:",
            f"{_interleaved(result)} --pairs {needed}",
        )
    much = f" It would take about {needed} pairs as it is." if needed and needed > asked else ""
    return Advice(f"Not decided is not passed. Gate again on a quieter machine.{much}")


def _needed(metrics: Iterable[Measured]) -> int | None:
    return max((m.needed for m in metrics if m.needed), default=None)


def _have_names(result: GateResult) -> bool:
    """Whether a gate can be asked for these two by name; two runs may share one, or have none."""
    sides = (result.baseline, result.candidate)
    return sides[0].name != sides[1].name and all(each.kind != "run" for each in sides)


def _interleaved(result: GateResult) -> str:
    baseline, candidate = quote(result.baseline.name), quote(result.candidate.name)
    policy = result.record.policy
    named = f" --policy {quote(policy)}" if result.interleaved and policy != DEFAULT_POLICY else ""
    return f"muse-bench gate --baseline {baseline} --candidate {candidate}{named}"


# -- what differs


def allowed(result: GateResult) -> list[Difference]:
    """Differences that the person allowed by name."""
    return [each for each in result.differences if each.allowed]


def under_test(result: GateResult) -> list[Difference]:
    """What is being asked about."""
    return [each for each in result.differences if each.under_test and not each.allowed]


def not_comparable(result: GateResult) -> list[Difference]:
    """What differs, is not under test, and was not allowed."""
    return [each for each in result.differences if not each.under_test and not each.allowed]


# -- metrics


def gated(result: GateResult) -> list[Measured]:
    """The metrics that can fail the gate."""
    return [m for m in result.metrics if m.gated]


def shown(result: GateResult) -> list[Measured]:
    """The metrics that cannot."""
    return [m for m in result.metrics if not m.gated]


def medians(measured: Measured) -> tuple[str, str]:
    """The middle of each side's starts, those of a confirming block apart."""
    told = []
    for side in (Side.BASELINE, Side.CANDIDATE):
        values = [s.value for s in measured.starts if s.side is side and not s.confirms]
        middle = statistics.median(values) if values else None
        told.append(format_value(middle, measured.unit))
    return told[0], told[1]


def ratio_words(measured: Measured) -> str:
    """`1.034`."""
    return NOTHING if measured.ratio is None else f"{measured.ratio:.3f}"


def interval_words(measured: Measured) -> str:
    """`[1.021, 1.047]`; empty where there is none."""
    if measured.low is None or measured.high is None:
        return ""
    return f"[{measured.low:.3f}, {measured.high:.3f}]"


def change_words(measured: Measured) -> str:
    """`3.4 % worse`, as `GateResult` counts it; empty where nothing is known."""
    if measured.worse is None:
        return ""
    return change(measured.worse, measured.unit.better)


def better_words(unit: Unit) -> str:
    """Which way it improves."""
    return {
        Better.LOWER: "less is better",
        Better.HIGHER: "more is better",
        Better.NEITHER: "neither way is better as such",
    }[unit.better]


def margin_words(measured: Measured) -> str:
    """`5 % worse`."""
    return NOTHING if measured.margin is None else f"{100 * measured.margin:g} %"


def limits_of(measured: Measured) -> tuple[float, ...]:
    """The ratios at which the margin is used up: one, or two where neither way is better."""
    if measured.margin is None:
        return ()
    above = 1 + measured.margin
    return {
        Better.LOWER: (above,),
        Better.HIGHER: (1 / above,),
        Better.NEITHER: (1 / above, above),
    }[measured.unit.better]


def n_words(measured: Measured) -> str:
    """Pairs in the interval."""
    return str(measured.n)


def q_words(measured: Measured) -> str:
    """`q = 0.03`."""
    if measured.q is None:
        return NOTHING
    return "< 0.001" if measured.q < 0.001 else f"{measured.q:.3f}"


def ruling_words(measured: Measured) -> str:
    """The ruling of a metric, and whether a fail was found again."""
    if measured.ruling is None:
        return "shown only"
    word = RULED[measured.ruling]
    if measured.ruling is Ruling.FAIL and measured.confirmed:
        return f"{word}, found again"
    if measured.confirmed is False:
        return f"{word}, not found again"
    if measured.first is Ruling.FAIL and measured.ruling is Ruling.INCONCLUSIVE:
        return f"{word}, to be found again"
    return word


# -- correctness


ORDER = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS, Outcome.NOTE, Outcome.SKIP)


def counts_words(counts: Mapping[Outcome, int]) -> str:
    """`1 failed, 5 passed`."""
    told = [f"{counts[outcome]} {WORDS[outcome]}" for outcome in ORDER if counts.get(outcome)]
    return ", ".join(told) or "not asked"


def needing(rows: Sequence[CheckRow]) -> list[CheckRow]:
    """The rows that a person has to look at: not passed, or failed somewhere."""
    return [
        row
        for row in rows
        if row.ruling is not Ruling.PASS
        or row.baseline.get(Outcome.FAIL)
        or row.candidate.get(Outcome.FAIL)
    ]


def answers_line(answers: Answers) -> str:
    """What the greedy answers come to."""
    told = [f"{answers.same} of {answers.compared} answers are the same, character by character"]
    if answers.agreement is not None:
        told.append(f"in the median {100 * answers.agreement:.0f} % of an answer agrees")
    told += [
        f"{side.value}: {right} of {asked} facts right"
        for side, (right, asked) in answers.facts.items()
    ]
    return "; ".join(told)


# -- on what, and how


def environment(result: GateResult) -> list[tuple[str, str]]:
    """On what it was measured."""
    record = result.record
    return [
        *surroundings_of_machine(record.fingerprint),
        *record.machine.items(),
    ]


def settings(result: GateResult) -> list[tuple[str, str]]:
    """How it was measured."""
    record = result.record
    measured = next(iter(result.metrics), None)
    told = [
        ("policy", f"{record.policy}, sha256 {record.policy_sha256}"),
        *(_design(result) if result.interleaved else ()),
        ("confidence", f"{100 * measured.confidence:g} %, two-sided" if measured else ""),
        ("margins", "; ".join(f"{m.title} {margin_words(m)}" for m in gated(result))),
        (
            "noise kept of an A/A gate",
            "; ".join(
                f"{name} {100 * noise.sd:.1f} % over {noise.n} pairs"
                for name, noise in record.noise.items()
            ),
        ),
        ("seed", str(record.seed)),
        ("salt", record.salt),
        *((f"scenario {name}", f"sha256 {sha}") for name, sha in record.scenarios.items()),
        ("allowed", ", ".join(record.allowed)),
        ("started", record.started_at),
        ("ended", record.ended_at or ""),
        ("stopped", record.stopped),
    ]
    return [(name, value) for name, value in told if value]


def _design(result: GateResult) -> list[tuple[str, str]]:
    """How the starts of both sides were laid out."""
    record = result.record
    confirming = f", and {result.confirming} to confirm" if result.confirming else ""
    return [
        ("pairs", f"{result.pairs} of at most {record.pairs}{confirming}"),
        ("budget", f"{record.budget_min:g} min{_spent(record.spent_s)}"),
        ("acceptance suite", "played on both sides" if record.suite else "left out"),
        ("order", order_words(result)),
        ("sides of a pair", TOGETHER if result.record.together else IN_TURN),
    ]


def _spent(seconds: float) -> str:
    return f", {seconds / 60:.1f} min spent" if seconds else ""


def order_words(result: GateResult) -> str:
    """`ABBA BAAB`: A is the baseline; empty where nothing was started."""
    seen = {s.start: s.side for m in result.metrics for s in m.starts}
    edges = block_edges(result)
    blocks: dict[int, str] = {}
    for index in sorted(seen):
        block = sum(edge <= index for edge in edges)
        blocks[block] = blocks.get(block, "") + ("A" if seen[index] is Side.BASELINE else "B")
    return f"{' '.join(blocks.values())} (A is the baseline)" if blocks else ""


def block_edges(result: GateResult) -> list[int]:
    """The starts before which an anchor was measured, and so a block began or had ended."""
    return sorted({start for start, _ in result.anchors})


def pin_facts(baseline: Pin, candidate: Pin) -> list[tuple[str, str, str]]:
    """All that the pins say, side by side; what differs first."""
    names = dict.fromkeys([*baseline.facts, *candidate.facts])
    rows = [
        (name, baseline.facts.get(name, NOTHING), candidate.facts.get(name, NOTHING))
        for name in names
    ]
    return sorted(rows, key=lambda row: row[1] == row[2])
