"""Where does a value stand on an axis, and how does a mark look?

As in `harness.report.chart`, everything across is in percent of the width, so that a drawing can be
360 or 1440 pixels wide and its marks and texts stay as large.  Colours are CSS classes; every
difference they make is made by a shape or a word too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.report.chart import number, tick_label
from harness.report.gate.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.units import Unit

__all__ = ["RatioAxis", "SpanAxis", "drawing", "grid", "labels", "mark", "number"]

WIDEST = 2.0
"""A ratio beyond this factor is drawn at the edge, as an arrow."""
NARROWEST = 1.03
"""A ratio axis is at least so wide: noise shall not look like a landslide."""
RATIOS = (1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0)
"""Ticks of a ratio axis, and their inverses' nearest round numbers below 1."""
BELOW = {1.01: 0.99, 1.02: 0.98, 1.05: 0.95, 1.1: 0.9, 1.2: 0.8, 1.3: 0.75, 1.5: 0.67, 2.0: 0.5}
APART = 15.0
"""Percent of the width between two labels."""


@dataclass(frozen=True, slots=True)
class RatioAxis:
    """A logarithmic axis with 1 in its middle, so that both ways look alike."""

    factor: float
    """Its right end; its left is the inverse."""

    @classmethod
    def over(cls, ratios: Iterable[float]) -> RatioAxis:
        """An axis that holds these, up to `WIDEST`."""
        sizes = [abs(math.log(ratio)) for ratio in ratios if ratio > 0 and math.isfinite(ratio)]
        factor = math.exp(1.12 * max(sizes, default=0.0))
        return cls(min(max(factor, NARROWEST), WIDEST))

    def percent(self, ratio: float) -> float:
        """Where a ratio stands, in percent of the width; beyond an end, at it."""
        if ratio <= 0:
            return 0.0
        return min(max(50 * (1 + math.log(ratio) / math.log(self.factor)), 0.0), 100.0)

    def beyond(self, ratio: float) -> bool:
        """Whether a ratio has no place on it."""
        return ratio <= 0 or abs(math.log(ratio)) > math.log(self.factor) * (1 + 1e-9)

    @property
    def ticks(self) -> tuple[float, ...]:
        """Round ratios, 1 among them, far enough apart to be labelled."""
        chosen = [1.0]
        for sign in (1, -1):
            last = 50.0
            for tick in (each if sign > 0 else BELOW.get(each, 0.0) for each in RATIOS[1:]):
                if not tick or self.beyond(tick):
                    continue
                at = self.percent(tick)
                if abs(at - last) >= APART and 3 <= at <= 97:
                    chosen.append(tick)
                    last = at
        return tuple(sorted(chosen))


@dataclass(frozen=True, slots=True)
class SpanAxis:
    """A linear axis from the least to the largest value; it need not hold zero."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: Sequence[float], unit: Unit) -> SpanAxis:
        """An axis that holds these, with a few round ticks that can be told apart."""
        least, most = min(values), max(values)
        room = 0.06 * ((most - least) or abs(most) or 1.0)
        low, high = least - room, most + room
        size = max(abs(least), abs(most))
        scale = next((each for each, _ in unit.prefixes if size >= each), unit.prefixes[-1][0])
        for count in (4, 3, 2, 1):
            ticks = tuple(scale * tick for tick in _round_ticks(low / scale, high / scale, count))
            told = [tick_label(tick, unit) for tick in ticks]
            if ticks and len(set(told)) == len(told):
                return cls(low, high, ticks)
        return cls(low, high, ((least + most) / 2,))

    def share(self, value: float) -> float:
        """Where a value stands, from 0 at the low end to 1."""
        return (value - self.low) / (self.high - self.low)

    def percent(self, value: float) -> float:
        """The same in percent."""
        return 100 * self.share(value)


def _round_ticks(low: float, high: float, count: int) -> tuple[float, ...]:
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(step * n for n in range(first, last + 1))


def drawing(height: int, said: str, detail: str, inner: str, kind: str = "") -> str:
    """A drawing across the width; what it is, and what it shows, in words."""
    title, desc = escape(said), escape(detail)
    return (
        f'<svg class="row{f" {kind}" if kind else ""}" width="100%" height="{height}" role="img" '
        f'aria-label="{title}: {desc}"><title>{title}</title><desc>{desc}</desc>{inner}</svg>'
    )


def mark(shape: str, x: float, y: float, kind: str, said: str = "") -> str:
    """A point: `circle`, `diamond`, `square`, `cross`, `left` or `right` (an arrow)."""
    title = f"<title>{escape(said)}</title>" if said else ""
    at = f'x="{number(x)}%" y="{number(y)}" overflow="visible"'
    return f'<svg {at}><g class="{kind}">{title}{SHAPES[shape]}</g></svg>'


SHAPES = {
    "circle": '<circle r="4"/>',
    "diamond": '<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z"/>',
    "square": '<path d="M-4-4H4V4H-4Z"/>',
    "cross": '<path class="cross" d="M-4-4 4 4M-4 4 4-4"/>',
    "left": '<path d="M0 0 8-5V5Z"/>',
    "right": '<path d="M0 0-8-5V5Z"/>',
}


def grid(places: Iterable[float], height: int, kind: str = "grid") -> str:
    """Lines from top to bottom, at these percents."""
    return "".join(
        f'<line class="{kind}" x1="{number(x)}%" x2="{number(x)}%" y1="0" y2="{height}"/>'
        for x in places
    )


def labels(places: Sequence[tuple[float, str]]) -> str:
    """The labels of an axis at these percents; the marks above them say the same in words."""
    texts = []
    for x, text in places:
        anchor = "start" if x < 8 else "end" if x > 92 else "middle"
        at = f'x="{number(x)}%" y="13" text-anchor="{anchor}"'
        texts.append(f"<text {at}>{escape(text)}</text>")
    inner = "".join(texts)
    return f'<svg class="row axis" width="100%" height="18" aria-hidden="true">{inner}</svg>'
