"""Two finished runs side by side: a hint, and never a pass."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from harness.cli import main
from harness.errors import UsageError
from harness.fingerprint import Commit, Fingerprint
from harness.gate.compare import compare
from harness.gate.finished import SHARED_START, Figure, Finished, Value, read_finished
from harness.gate.pins import Pin
from harness.gate.result import Ruling
from harness.gate.tally import Tally
from harness.report.gate import gate_reports
from harness.report.gate.words import advice
from harness.units import SECONDS
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.gate.result import GateResult

GOLDEN = Path(__file__).parents[4] / "tests" / "data" / "golden-run"
HERE = Fingerprint("Linux", "x86_64", "EPYC", 2, None, "3.11", {}, Commit("0" * 40, dirty=False))
QUICK, SLOW = (0.100, 0.101, 0.099, 0.102, 0.098), (0.150, 0.151, 0.149, 0.152, 0.148)


def finished(
    values: Sequence[float] = QUICK, check: str = "stream.complete", outcome: Outcome = Outcome.PASS
) -> Finished:
    """A run of one metric and one check."""
    tally = Tally("a promise")
    tally.add(Verdict(check, outcome, "as told"), at="run", source="run")
    return Finished(
        kind="run",
        name="talk",
        sha256="a1",
        pin=Pin("embedded", "run", "d4", {"executorchVersion": "1.5.1"}),
        fingerprint=HERE,
        machine={},
        scenarios={"talk": "a1"},
        started_at="2026-11-30T12:00:00+00:00",
        ended_at="2026-11-30T12:01:00+00:00",
        stopped="",
        figures={"ttft": Figure("TTFT", SECONDS, tuple(Value(value) for value in values))},
        tallies={("talk", check): tally},
    )


@pytest.mark.parametrize("values", [QUICK, SLOW], ids=["the same", "slower by half"])
def test_numbers_alone_never_decide(values: Sequence[float]) -> None:
    """However clear they are: the two were not played in turn."""
    result = compare(finished(), finished(values))

    assert (result.ruling, result.exit_code) == (Ruling.INCONCLUSIVE, 3)
    assert result.interleaved is False
    assert [each.ruling for each in result.metrics] == [None]


def test_a_change_is_told_with_its_interval_and_how_it_was_tested() -> None:
    """As unpaired values, and cross-checked by ranks."""
    (metric,) = compare(finished(), finished(SLOW)).metrics

    assert metric.ratio == pytest.approx(1.5, rel=0.01)
    assert metric.why.startswith("50.0 % worse, 5 against 5 values, not paired; Welch's p = ")
    assert "by ranks p = 0.0079" in metric.why
    assert metric.q is not None


def test_too_few_values_are_said_to_be() -> None:
    """A single start has a ratio, and nothing that could be trusted."""
    (metric,) = compare(finished((0.1,)), finished((0.2,))).metrics

    assert (metric.low, metric.high, metric.q) == (None, None, None)
    assert "an interval takes two on both sides" in metric.why


def test_a_promise_that_only_the_second_breaks_fails() -> None:
    """That is no question of noise."""
    result = compare(finished(), finished(outcome=Outcome.FAIL))

    assert (result.ruling, result.exit_code) == (Ruling.FAIL, 1)
    assert result.reasons[0].startswith("stream.complete in talk")


def test_a_promise_that_both_break_is_no_difference() -> None:
    """It is shown."""
    result = compare(finished(outcome=Outcome.FAIL), finished(outcome=Outcome.FAIL))

    assert result.ruling is Ruling.INCONCLUSIVE
    assert "fails on both sides" in result.checks[0].why


def test_figures_that_cannot_be_true_are_refused() -> None:
    """On whichever side they are."""
    lying = finished(check="clocks.agree", outcome=Outcome.FAIL)

    for sides in ((finished(), lying), (lying, finished())):
        assert compare(*sides).exit_code == 2


def test_another_machine_is_refused_unless_it_is_named() -> None:
    """And then it stands in the report."""
    there = replace(finished(), fingerprint=replace(HERE, processor="Apple M5"))

    assert compare(finished(), there).ruling is Ruling.REFUSED
    allowed = compare(finished(), there, ("hardware",))
    assert allowed.ruling is Ruling.INCONCLUSIVE
    assert [each.what for each in allowed.differences if each.allowed] == ["hardware"]


def test_what_the_two_measured_is_what_is_under_test() -> None:
    """As far as they told it."""
    newer = replace(finished(), pin=Pin("embedded", "run", "e5", {"executorchVersion": "1.5.2"}))

    (difference,) = compare(finished(), newer).differences

    assert (difference.what, difference.under_test) == ("executorchVersion", True)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "flight"}, "two scenario names"),
        ({"sha256": "b2"}, "was changed between the two"),
        ({"kind": "suite"}, "a run and a suite cannot be compared"),
    ],
)
def test_runs_of_two_things_cannot_be_compared(changed: dict[str, Any], told: str) -> None:
    """Whatever their numbers are called."""
    with pytest.raises(UsageError, match=told):
        compare(finished(), replace(finished(), **changed))


def both(result: GateResult, word: str) -> bool:
    """Whether a word stands in the page and in the Markdown."""
    reports = gate_reports(result)
    return word in reports["report.md"] and word in reports["report.html"]


def test_the_reports_warn_that_nothing_was_interleaved() -> None:
    """On top, and that a run is one start."""
    result = compare(finished(), finished(SLOW))

    assert both(result, "Not interleaved.")
    assert SHARED_START in result.doubts


def test_a_run_that_was_cut_says_so_in_every_form() -> None:
    """What is there of it may be what went well."""
    reports = gate_reports(compare(finished(), replace(finished(), ended_at=None)))

    for form in ("report.md", "report.html", "result.json"):
        assert "the candidate: it did not come to its end" in reports[form]


def test_a_run_is_read_turn_by_turn_with_its_traces() -> None:
    """Each value leads to the trace that it is from, on the way that was given."""
    found = read_finished(GOLDEN, "../golden")

    figure = found.figures["warm turn 1 client.ttft"]
    assert (found.kind, len(figure.values), figure.unit) == ("run", 3, SECONDS)
    assert all(value.samples[0].trace.startswith("../golden#") for value in figure.values)


def test_what_was_counted_says_what_was_promised() -> None:
    """As in a gate, by one count."""
    found = read_finished(GOLDEN, "../golden")

    assert all(tally.promise for tally in found.tallies.values())


@pytest.mark.parametrize(
    ("names", "kind", "told"),
    [
        (("old", "new"), "pin", True),
        (("old", "old"), "pin", False),
        (("embedded", "embedded"), "run", False),
        (("old", "embedded"), "run", False),
    ],
)
def test_a_gate_is_advised_of_what_has_two_names(
    names: tuple[str, str], kind: Literal["pin", "run"], *, told: bool
) -> None:
    """A run of the embedded playground is of no pin, and no pin is gated against itself."""
    before, after = (replace(finished(), pin=Pin(name, kind, name, {})) for name in names)

    assert bool(advice(compare(before, after)).command) is told


def test_a_run_of_the_embedded_playground_has_no_address(tmp_path: Path) -> None:
    """It is of no pin that could be started again, and of no server that somebody else starts."""
    folder = shutil.copytree(GOLDEN, tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    record["target"]["kind"] = "embedded"
    (folder / "run.json").write_text(json.dumps(record))

    pin = read_finished(folder, "../run").pin

    assert (pin.name, pin.kind, pin.url) == ("embedded", "run", None)


def test_a_folder_of_nothing_is_told(tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(UsageError, match="is not the folder of a run, a suite or a gate"):
        read_finished(tmp_path, "x")


def test_the_command_writes_reports_that_lead_to_both_runs(tmp_path: Path) -> None:
    """And ends with 3."""
    before, after = (shutil.copytree(GOLDEN, tmp_path / name) for name in ("before", "after"))
    out = io.StringIO()

    code = main(
        ["compare", str(before), str(after), "--out", str(tmp_path / "both"), "--json"],
        out,
        io.StringIO(),
    )

    page = (tmp_path / "both" / "report.html").read_text()
    assert (code, json.loads(out.getvalue())["interleaved"]) == (3, False)
    assert 'href="../before/report.html#trace-' in page
    assert 'href="../after/report.html#trace-' in page


def test_what_nothing_guards_cannot_be_allowed(tmp_path: Path) -> None:
    """A word that is mistyped would allow nothing, and nobody would know."""
    err = io.StringIO()

    code = main(
        ["compare", str(GOLDEN), str(GOLDEN), "--allow", "harnes", "--out", str(tmp_path / "c")],
        io.StringIO(),
        err,
    )

    assert code == 2
    assert err.getvalue().startswith("muse-bench: --allow 'harnes' is nothing that is guarded; ")
    assert not (tmp_path / "c").exists()
