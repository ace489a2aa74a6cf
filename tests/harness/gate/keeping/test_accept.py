"""A gate becomes the baseline only where it passed and nothing has moved since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.fingerprint import Commit, Fingerprint
from harness.gate.accept import Standing, accept_line, keeps, why_not_accepted
from harness.gate.baseline import accepted_of
from harness.gate.pins import Pin
from harness.gate.result import Ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.gate.result import GateResult

    Gate = Callable[..., GateResult]

FRESH = Standing(
    changed=(),
    today="b2",
    dirty=False,
    moved=False,
    policy="",
    most=4,
    pairs=(1, 2, 3, 4),
    kept=(),
)
LATER = "2026-12-24T12:00:00.000+00:00"
EARLIER = "2026-11-01T12:00:00.000+00:00"


def test_a_pass_is_accepted(gate: Gate) -> None:
    """Nothing stands against it, and it is a baseline."""
    assert why_not_accepted(gate(), FRESH) == ()
    assert keeps(gate(), 4) == ("baseline",)


@pytest.mark.parametrize("ruling", [Ruling.FAIL, Ruling.INCONCLUSIVE, Ruling.REFUSED])
def test_nothing_but_a_pass_is_accepted(gate: Gate, ruling: Ruling) -> None:
    """Whatever else it says of itself."""
    assert why_not_accepted(gate(ruling=ruling), FRESH) == (
        f"it is no pass: it is a {ruling.value}",
    )


def test_a_gate_that_was_stopped_is_not_accepted(gate: Gate) -> None:
    """Its reports are of what there was."""
    assert why_not_accepted(gate(stopped="by hand"), FRESH) == (
        "it did not come to its end: by hand",
    )


def test_a_comparison_is_no_gate(gate: Gate) -> None:
    """Even one that says pass."""
    assert why_not_accepted(replace(gate(), interleaved=False), FRESH) == (
        "the two sides were not interleaved: that is a comparison, and no gate",
    )


def test_an_allowed_difference_has_to_be_named_again(gate: Gate) -> None:
    """Each of them."""
    result = gate(allowed=("power", "browser"))

    assert why_not_accepted(result, FRESH, ("power",)) == (
        "it allowed a difference: repeat --allow browser if it is to stand",
    )
    assert why_not_accepted(result, FRESH, ("power", "browser")) == ()


def test_a_dirty_checkout_is_refused_then_and_now(gate: Gate) -> None:
    """What was measured, and what is accepted, are commits."""
    result = gate()
    fingerprint = replace(result.record.fingerprint, commit=Commit("0" * 40, dirty=True))
    dirty = gate(on=fingerprint)

    assert why_not_accepted(dirty, FRESH) == (
        "it was measured from a checkout with changes that no commit knows",
    )
    assert why_not_accepted(result, replace(FRESH, dirty=True)) == (
        "the checkout has changes that no commit knows: commit them, or put them away",
    )


def test_what_was_measured_from_no_commit_is_refused(gate: Gate) -> None:
    """Nobody can say what measured it."""
    nowhere = replace(gate().record.fingerprint, commit=None)

    assert why_not_accepted(gate(on=nowhere), FRESH) == (
        "it was measured from no checkout: nobody can say by which harness",
    )


def test_another_commit_has_to_be_allowed(gate: Gate) -> None:
    """What judges it now is not what measured it then."""
    moved = replace(FRESH, moved=True)

    (told,) = why_not_accepted(gate(), moved)

    assert told.startswith("the checkout is at another commit than the gate's")
    assert why_not_accepted(gate(), moved, ("harness",)) == ()


def test_a_policy_of_a_known_name_is_that_one(gate: Gate) -> None:
    """Or a file of wider margins would set the baseline of all."""
    known = replace(FRESH, policy=gate().record.policy_sha256)

    (told,) = why_not_accepted(gate(), replace(FRESH, policy="f" * 64))

    assert told.startswith("its policy is not the small that comes with the project")
    assert why_not_accepted(gate(), known) == ()


@pytest.mark.parametrize("there", [(2, 3, 4), (1, 2, 4)])
def test_a_gate_of_which_a_pair_is_missing_is_refused(gate: Gate, there: tuple[int, ...]) -> None:
    """Whoever took it away."""
    (told,) = why_not_accepted(gate(), replace(FRESH, pairs=there))

    assert told == f"a pair is missing: there are {', '.join(map(str, there))}"


def test_a_report_that_was_changed_is_told_by_name(gate: Gate) -> None:
    """Somebody may have edited it."""
    assert why_not_accepted(gate(), replace(FRESH, changed=("result.json",))) == (
        "result.json is not what its evidence says; `muse-bench report` derives it again",
    )


@pytest.mark.parametrize(
    ("today", "told"), [("zz", "is another by now"), ("", "is not among the pins")]
)
def test_a_pin_that_moved_makes_a_gate_stale(gate: Gate, today: str, told: str) -> None:
    """It measured something that nobody would get any more."""
    assert why_not_accepted(gate(), replace(FRESH, today=today)) == (
        f"it is stale: the pin new {told}",
    )


def test_a_gate_older_than_the_kept_baseline_is_stale(gate: Gate) -> None:
    """It was compared with what was the baseline once."""
    kept = (accepted_of(gate(started_at=LATER)),)

    assert why_not_accepted(gate(), replace(FRESH, kept=kept)) == (
        "it is stale: a gate of 2026-12-24T12:00 UTC was accepted, later than this one",
    )


def test_a_gate_against_another_baseline_than_the_kept_one_is_stale(gate: Gate) -> None:
    """Or small steps for the worse would add up unseen."""
    third = Pin("third", "pin", "e5", {})
    kept = (accepted_of(gate(candidate=third, started_at=EARLIER)),)

    (told,) = why_not_accepted(gate(), replace(FRESH, kept=kept))

    assert told.startswith("it is stale: it was compared with old, and the baseline that is kept")


def test_what_is_kept_of_another_machine_makes_nothing_stale(
    gate: Gate, elsewhere: Fingerprint
) -> None:
    """Each has its own baseline."""
    kept = (accepted_of(gate(started_at=LATER, on=elsewhere)),)

    assert why_not_accepted(gate(), replace(FRESH, kept=kept)) == ()


def test_the_kept_baseline_itself_is_what_a_gate_is_compared_with(gate: Gate) -> None:
    """The ordinary upgrade."""
    old = Pin("old", "pin", "a1", {})
    kept = (accepted_of(gate(baseline=old, candidate=old, started_at=EARLIER)),)

    assert why_not_accepted(gate(), replace(FRESH, kept=kept)) == ()


def test_an_address_is_no_baseline(gate: Gate) -> None:
    """Nobody can say what answers there tomorrow."""
    url = Pin("http://127.0.0.1:8080", "url", "f6", {})

    for result in (gate(candidate=url), gate(baseline=url)):
        (told,) = why_not_accepted(result, FRESH)
        assert told.startswith("http://127.0.0.1:8080 is an address and no pin")


@pytest.mark.parametrize(
    ("ruling", "kept"),
    [(Ruling.PASS, ("baseline", "noise")), (Ruling.INCONCLUSIVE, ("noise",))],
)
def test_an_aa_gate_leaves_its_noise(aa: Gate, ruling: Ruling, kept: tuple[str, ...]) -> None:
    """And the first baseline, where it passed."""
    result = aa(ruling=ruling)

    assert why_not_accepted(result, replace(FRESH, today="a1")) == ()
    assert keeps(result, 4) == kept


def test_the_noise_of_too_few_pairs_is_not_kept(aa: Gate) -> None:
    """A gate that ended early knows its own pin, and nothing of its noise."""
    unsure = aa(ruling=Ruling.INCONCLUSIVE)
    standing = replace(FRESH, today="a1", most=5)

    assert keeps(aa(), 5) == ("baseline",)
    assert why_not_accepted(aa(), standing) == ()
    assert why_not_accepted(unsure, standing) == (
        "it has 4 of 5 pairs: too few to know a noise by",
    )


@pytest.mark.parametrize("ruling", [Ruling.FAIL, Ruling.REFUSED])
def test_an_aa_gate_that_failed_leaves_nothing(aa: Gate, ruling: Ruling) -> None:
    """A pin that is worse than itself shows a broken instrument."""
    assert why_not_accepted(aa(ruling=ruling), replace(FRESH, today="a1")) != ()


def test_the_line_of_the_log_says_what_replaced_what_and_how_it_measured(gate: Gate) -> None:
    """In one line, with the ratios of gated metrics."""
    line = accept_line(gate())

    assert line.startswith(
        "`new` in place of `old`, policy `small`: accepted; executorch 1.5.1 → 1.5.2; TTFT 1.0"
    )
    assert line.endswith("; 4 pairs, Apple M5, 10 cores, 32 GiB, Darwin arm64, commit 0000000.")
    assert "\n" not in line


def test_the_line_of_an_aa_gate_says_its_noise(aa: Gate) -> None:
    """As a share."""
    assert "(standard deviation of log ratios) TTFT 1." in accept_line(aa())
