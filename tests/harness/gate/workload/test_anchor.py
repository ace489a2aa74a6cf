"""The anchor is a time of fixed work, by the clock that it is given."""

from __future__ import annotations

from harness.gate.anchor import measure_anchor
from harness.testing import ManualClock


class Ticking(ManualClock):
    """Each look at it takes so many ms more than the look before."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def now_ns(self) -> int:
        """Now, and then some."""
        self.looks += 1
        self.advance_ms(self.looks)
        return super().now_ns()


def test_it_is_the_median_of_its_rounds() -> None:
    """Two looks a round: the rounds take 2, 4, 6, 8 and 10 ms by this clock."""
    assert measure_anchor(Ticking()) == 0.006
