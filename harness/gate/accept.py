"""May this gate's candidate become the baseline that later gates are held against?

Only where it passed, and where nothing has moved since: a run that is worse, or one that is stale,
never becomes what others are measured by.  This guards against accidents, and not against whoever
writes evidence by hand.  An A/A gate says nothing new of a pin; what it leaves is
the noise of the machine, and, where it passed, the first baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.gate.baseline import is_aa, machine_of
from harness.gate.differences import pinned_apart
from harness.gate.pins import HASH
from harness.gate.result import Ruling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.baseline import Accepted
    from harness.gate.result import GateResult

__all__ = ["Standing", "accept_line", "keeps", "why_not_accepted"]

SHOWN = 6
"""Metrics that a line of the log tells."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand when a gate is to be accepted."""

    changed: tuple[str, ...]
    """Reports on disk that are not what the evidence says."""
    today: str
    """The digest that the candidate's pin has now; empty where there is no such pin any more."""
    dirty: bool
    """Whether the checkout has changes that no commit knows."""
    moved: bool
    """Whether it is at another commit than the gate's, apart from what was accepted since."""
    policy: str
    """The digest of the policy of this name that comes with the project; empty where none does."""
    most: int
    """The pairs of the gate's policy, at most: fewer tell no noise."""
    pairs: tuple[int, ...]
    """The numbers of the pairs of which both starts are on disk, in order."""
    kept: tuple[Accepted, ...]
    """Every gate of this policy that was accepted, in the order of time."""


def why_not_accepted(
    result: GateResult, standing: Standing, allow: Sequence[str] = ()
) -> tuple[str, ...]:
    """What stands against it, each in a sentence; empty where nothing does.

    `allow` are the differences that whoever accepts names again.
    """
    return (
        *_of_the_gate(result, allow),
        *_of_what_is_there(result, standing),
        *_of_today(result, standing, allow),
    )


def keeps(result: GateResult, most: int) -> tuple[str, ...]:
    """What is kept of a gate that may be accepted: `baseline`, `noise`, or both.

    `most` are the pairs of its policy: noise is of all of them, or of none.
    """
    passed = ("baseline",) if result.ruling is Ruling.PASS else ()
    return (*passed, *(("noise",) if is_aa(result) and result.pairs >= most else ()))


def accept_line(result: GateResult) -> str:
    """The entry for `reports/LOG.md`, without the dash before it."""
    old, new = result.baseline, result.candidate
    record = result.record
    commit = record.fingerprint.commit
    if is_aa(result):
        found = "accepted" if result.ruling is Ruling.PASS else "its noise is kept, no more"
        opening = f"`{new.name}` against itself, policy `{record.policy}`: {found}; "
        figures = ", ".join(
            f"{metric.title} {metric.noise:.2%}"
            for metric in result.metrics[:SHOWN]
            if metric.noise is not None
        )
        told = f"the two of a pair differ by (standard deviation of log ratios) {figures}"
    else:
        opening = f"`{new.name}` in place of `{old.name}`, policy `{record.policy}`: accepted; "
        told = "; ".join(part for part in (_changes(result), _ratios(result)) if part)
    ending = f"{result.pairs} pairs, {machine_of(record.fingerprint)}"
    at = f", commit {commit.revision[:7]}" if commit else ""
    allowed = f"; allowed: {', '.join(record.allowed)}" if record.allowed else ""
    return f"{opening}{told}; {ending}{at}{allowed}."


def _of_the_gate(result: GateResult, allow: Sequence[str]) -> Iterator[str]:
    """What was wrong with it from the start."""
    record = result.record
    aa = is_aa(result)
    if result.ruling is not Ruling.PASS and not (aa and result.ruling is Ruling.INCONCLUSIVE):
        yield f"it is no pass: {result.headline}"
    if not result.interleaved:
        yield "the two sides were not interleaved: that is a comparison, and no gate"
    if record.stopped or record.ended_at is None:
        yield f"it did not come to its end: {record.stopped or 'nobody could say why'}"
    if aa and not any(metric.noise is not None for metric in result.metrics):
        yield "it has no pairs to know a noise by"
    for pin in (result.candidate,) if aa else (result.baseline, result.candidate):
        if pin.url:
            yield f"{pin.name} is an address and no pin: what was behind it is not pinned"
        elif not pin.digest:
            yield f"{pin.name} has no digest: nobody can say what it was"
    if record.fingerprint.commit is None:
        yield "it was measured from no checkout: nobody can say by which harness"
    elif record.fingerprint.commit.dirty:
        yield "it was measured from a checkout with changes that no commit knows"
    for what in record.allowed:
        if what not in allow:
            yield f"it allowed a difference: repeat --allow {what} if it is to stand"


def _of_what_is_there(result: GateResult, standing: Standing) -> Iterator[str]:
    """Whether it is all there, and was held against the policy that its name means."""
    record = result.record
    if standing.policy and standing.policy != record.policy_sha256:
        yield (
            f"its policy is not the {record.policy} that comes with the project: one of your own "
            "is accepted under a name of its own"
        )
    if standing.pairs != tuple(range(1, len(standing.pairs) + 1)):
        told = ", ".join(map(str, standing.pairs))
        yield f"a pair is missing: there are {told}"
    if is_aa(result) and result.ruling is Ruling.INCONCLUSIVE and result.pairs < standing.most:
        yield f"it has {result.pairs} of {standing.most} pairs: too few to know a noise by"


def _of_today(result: GateResult, standing: Standing, allow: Sequence[str]) -> Iterator[str]:
    """What has moved since."""
    candidate, baseline = result.candidate, result.baseline
    for name in standing.changed:
        yield f"{name} is not what its evidence says; `muse-bench report` derives it again"
    if standing.dirty:
        yield "the checkout has changes that no commit knows: commit them, or put them away"
    if standing.moved and "harness" not in allow:
        yield (
            "the checkout is at another commit than the gate's: go there, or say --allow harness "
            "if nothing between them measures or judges"
        )
    if candidate.url is None and standing.today != candidate.digest:
        now = "is not among the pins" if not standing.today else "is another by now"
        yield f"it is stale: the pin {candidate.name} {now}"
    machine = machine_of(result.record.fingerprint)
    here = [each for each in standing.kept if each.machine == machine]
    if result.ruling is not Ruling.PASS or not here:
        return
    newest = here[-1]
    if newest.at > result.record.started_at:
        yield f"it is stale: a gate of {newest.at[:16]} UTC was accepted, later than this one"
    elif newest.digest not in {candidate.digest, baseline.digest}:
        yield (
            f"it is stale: it was compared with {baseline.name}, and the baseline that is kept "
            f"for this machine is {newest.pin} of {newest.at[:10]}, another pin"
        )


def _changes(result: GateResult) -> str:
    return ", ".join(
        f"{each.what} {_short(each.baseline)} → {_short(each.candidate)}"
        for each in pinned_apart(result.baseline, result.candidate)
    )


def _short(value: str) -> str:
    """A fact; of a hash its first figures."""
    return HASH.sub(lambda found: found[0][:7], value)


def _ratios(result: GateResult) -> str:
    return ", ".join(
        f"{metric.title} {metric.ratio:.3f} [{metric.low:.3f}, {metric.high:.3f}]"
        for metric in result.metrics[:SHOWN]
        if metric.gated and metric.ratio and metric.low and metric.high
    )
