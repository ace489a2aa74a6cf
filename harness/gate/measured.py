"""What do all starts come to in one metric: pairs, interval, ruling, and why in words?

The rule itself is in `decision`.  Here is what it is applied to, and where it is not:

    fewer than `least` pairs    inconclusive, whatever they say
    pairs missing on one side   with more than one in five nothing passes: those that are left may
                                be the ones that went well
    a value that is not above 0 refused: it has no ratio
    every pair the same         an interval without width, which is right for what has no noise
    starts that were disturbed  kept, and said
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.gate.change import change
from harness.gate.decision import fails, found_again, passes
from harness.gate.pairing import pair_up
from harness.gate.ratios import interval_of, limit_of, worsening
from harness.gate.resolution import needed_pairs
from harness.gate.result import Measured, Ruling
from harness.units import Better

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.gate.pairing import Pairing
    from harness.gate.policy import GateMetric
    from harness.gate.ratios import Interval
    from harness.gate.result import PairValue, StartValue
    from harness.gate.sequence import Design
    from harness.units import Unit

__all__ = ["decided", "judge_metric", "to_confirm"]

MOST_MISSING = 0.2
"""Share of pairs that may lack a value of one side."""


def judge_metric(
    metric: GateMetric, unit: Unit, starts: Sequence[StartValue], design: Design
) -> Measured:
    """One metric over all starts that have a value of it, those of the fresh block among them.

    The q of metrics that are not gated hang on one another: `false_discovery.with_q` adds them.
    """
    paired = pair_up(starts)
    n = len(paired.deciding)
    measured = Measured(
        name=metric.name,
        title=metric.title,
        unit=unit,
        gated=metric.gated,
        ruling=None,
        why="",
        margin=metric.margin,
        starts=tuple(sorted(starts, key=lambda start: start.start)),
        pairs=paired.pairs,
        n=n,
        ratio=None,
        low=None,
        high=None,
        confidence=design.confidence,
    )
    try:
        decides = _interval(paired.deciding, unit.better, design.level(n))
        fresh = _interval(paired.fresh, unit.better, design.alpha)
    except ValueError as problem:
        refused = Ruling.REFUSED if metric.gated else None
        return replace(measured, ruling=refused, first=refused, why=str(problem))
    measured = _with_figures(measured, decides, paired.deciding, design)
    if metric.gated and metric.margin is not None:
        measured = _ruled(measured, decides, paired, design)
        measured = _confirmed(measured, decides, fresh, design)
    elif decides is not None:
        said = f"{change(float(decides.mean), unit.better)} over {_pairs(n)}; not gated"
        measured = replace(measured, why=said)
    else:
        measured = replace(measured, why=f"{_pairs(n)}; an interval takes 2")
    return replace(measured, why=measured.why + _blemishes(paired))


def decided(measured: Sequence[Measured], design: Design) -> bool:
    """Whether no more pairs are needed: nothing that is gated is inconclusive.

    A fail counts as decided here; whether it has to be found again is `to_confirm`'s to say.
    """
    gated = [each for each in measured if each.gated]
    return all(
        each.first is not Ruling.INCONCLUSIVE
        and (each.n >= design.least or each.first is Ruling.REFUSED)
        for each in gated
    )


def to_confirm(measured: Sequence[Measured]) -> bool:
    """Whether there is a fail that has to be looked for in a fresh block, or in more of it."""
    return any(
        each.first is Ruling.FAIL and each.ruling is Ruling.INCONCLUSIVE and each.confirmed is None
        for each in measured
    )


def _interval(pairs: Sequence[PairValue], better: Better, level: float) -> Interval | None:
    """The interval of pairs, above 0 where the candidate is worse; None with fewer than two.

    Raises:
        ValueError: a value is not above 0.
    """
    logs = worsening([pair.baseline for pair in pairs], [pair.compared for pair in pairs], better)
    return interval_of(logs, level) if len(logs) > 1 else None


def _with_figures(
    measured: Measured, interval: Interval | None, pairs: Sequence[PairValue], design: Design
) -> Measured:
    """With ratio, interval, noise, and the pairs that this noise takes."""
    if interval is None:
        only = pairs[0].compared / pairs[0].baseline if pairs else None
        return replace(measured, ratio=only)
    noise = float(interval.sd)
    ends = [float(interval.low), float(interval.high)]
    low, high = (-ends[1], -ends[0]) if measured.higher_is_better else ends
    mean = float(-interval.mean if measured.higher_is_better else interval.mean)
    return replace(
        measured,
        ratio=math.exp(mean),
        low=math.exp(low),
        high=math.exp(high),
        noise=noise,
        needed=None if measured.margin is None else needed_pairs(noise, measured.margin, design),
    )


def _ruled(
    measured: Measured, interval: Interval | None, paired: Pairing, design: Design
) -> Measured:
    """With what the deciding pairs say."""
    assert measured.margin is not None
    n, missing = measured.n, sum(paired.missing.values())
    if interval is None or n < design.least:
        said = f"{_pairs(n)}; nothing is decided before {max(design.least, 2)}"
        return replace(measured, first=Ruling.INCONCLUSIVE, ruling=Ruling.INCONCLUSIVE, why=said)
    limit, either = limit_of(measured.margin), measured.unit.better is Better.NEITHER
    mean, low, high = float(interval.mean), float(interval.low), float(interval.high)
    better = measured.unit.better
    seen = f"{change(mean, better)} over {_pairs(n)}"
    margin = f"the margin of {_share(measured.margin)}"
    if bool(fails(interval, limit, either=either)):
        sure = low if mean > 0 else high
        said = f"{seen}, at least {change(sure, better)}: beyond {margin}"
        return replace(measured, first=Ruling.FAIL, ruling=Ruling.FAIL, why=said)
    if not bool(passes(interval, limit, either=either)):
        said = (
            f"{seen}, from {change(low, better)} to {change(high, better)}: {margin} lies between"
        )
        if measured.needed is not None and measured.needed > n:
            said += f"; with this noise it takes {measured.needed} pairs"
    elif missing > MOST_MISSING * (n + missing):
        said = f"{seen}, but too many pairs have no value to pass"
    else:
        worst = low if either and -low > high else high
        said = f"{seen}, at worst {change(worst, better)}: inside {margin}"
        return replace(measured, first=Ruling.PASS, ruling=Ruling.PASS, why=said)
    return replace(measured, first=Ruling.INCONCLUSIVE, ruling=Ruling.INCONCLUSIVE, why=said)


def _confirmed(
    measured: Measured, decides: Interval | None, fresh: Interval | None, design: Design
) -> Measured:
    """A fail, with what the fresh block makes of it; anything else as it is."""
    if measured.first is not Ruling.FAIL:
        return measured
    assert measured.margin is not None
    assert decides is not None
    there = sum(pair.confirms for pair in measured.pairs)
    if fresh is None or there < design.confirm:
        said = f"; not final: it was looked for again in {there} of {design.confirm} fresh pairs"
        return replace(measured, ruling=Ruling.INCONCLUSIVE, why=measured.why + said)
    again = bool(found_again(decides, fresh, limit_of(measured.margin)))
    point = change(float(fresh.mean), measured.unit.better)
    said = f"found again in {there} fresh pairs ({point})"
    return replace(
        measured,
        confirmed=again,
        ruling=Ruling.FAIL if again else Ruling.INCONCLUSIVE,
        why=f"{measured.why}; {'' if again else 'not '}{said}",
    )


def _blemishes(paired: Pairing) -> str:
    """What was not as it should be with the pairs; empty where all was."""
    said = [
        f"; {_pairs(count)} without a value of the {side.value}"
        for side, count in paired.missing.items()
        if count
    ]
    if paired.disturbed:
        starts = "start was" if paired.disturbed == 1 else "starts were"
        said.append(f"; {paired.disturbed} {starts} disturbed")
    return "".join(said)


def _pairs(count: int) -> str:
    return f"{count} pair{'' if count == 1 else 's'}"


def _share(share: float) -> str:
    """`5 %`, `7.5 %`."""
    return f"{100 * share:.3g} %"
