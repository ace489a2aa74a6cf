"""Is a candidate no worse than the baseline in one metric, worse, or can it not be told?

Non-inferiority, on the interval of the mean log ratio (`ratios`) at a look (`sequence`):

    PASS            the bad end of the interval is inside the margin
    FAIL            the interval excludes no change on the bad side, and the point is beyond the
                    margin: both, so that neither much noise nor much data alone can fail
    INCONCLUSIVE    anything else; then the margin lies inside the interval

Where neither way is better, a change either way counts.  A metric is judged at the look the gate
has come to, from all pairs till then: what an earlier look said is forgotten, so that a ruling is
always that of the interval which is shown, and never hangs on another metric.

A fail is final when it is found again in a fresh block, judged alone: its interval, with one look,
excludes no change on the same side, and its point is beyond half the margin.  How often a gate of
six metrics then fails, in 100, `tests.benchmarks.gate_rule` tells: one metric truly 10 % worse
under its drift (pairs 4.8 % apart, margin 7 %), and no change on a loud machine (15 % apart):

    fresh block                                    10 % worse    no change
    none                                              98            16
    4 pairs, judged alone                             89             1
    4 pairs, with the spread of all pairs             97             1.5
    4 pairs, the point beyond half the margin         98             5
    6 pairs, judged alone                             97             1
    6 pairs, judged alone, beyond the margin          90             1

So six are asked for; four are enough where pairs lie within 3 %.  The spread of all pairs would let
four do, but then the pairs that made the fail have a say in whether it is found again; and a point
alone is no evidence on a loud machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.gate.ratios import Interval

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["fails", "found_again", "passes"]


def passes(interval: Interval, limit: float | Array, *, either: bool = False) -> Flags:
    """Where the bad end is inside the limit, or both ends are; arrays as those of the interval."""
    inside = interval.high < limit
    return inside & (interval.low > -limit) if either else inside


def fails(interval: Interval, limit: float | Array, *, either: bool = False) -> Flags:
    """Where no change is excluded on a bad side and the point is beyond the limit."""
    worse = (interval.low > 0) & (interval.mean > limit)
    return worse | (interval.high < 0) & (interval.mean < -limit) if either else worse


def found_again(first: Interval, fresh: Interval, limit: float | Array) -> Flags:
    """Where a fresh block finds a fail again, on the side on which it was found first."""
    up = (first.mean > 0) & (fresh.low > 0) & (fresh.mean > limit / 2)
    down = (first.mean < 0) & (fresh.high < 0) & (fresh.mean < -limit / 2)
    return up | down
