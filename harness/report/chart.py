"""How do durations and samples look as inline SVG?

Every chart is a row of marks on a shared axis, drawn in percent of the row's width: the page can
be 360 or 1440 pixels wide and text never shrinks.  Colours are CSS classes of the page, so that
light, dark and print are its business.  Each row says in words what it shows (`title`, and `desc`
where that is longer).

Nothing is computed here but positions.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING

from harness.units import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.units import Unit

__all__ = [
    "Axis",
    "Phase",
    "Strip",
    "axis_svg",
    "number",
    "strip_svg",
    "tick_label",
    "timeline_svg",
]


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from zero."""

    end: float
    ticks: tuple[float, ...]

    @classmethod
    def to(cls, largest: float, *, ticks: int = 4) -> Axis:
        """An axis that holds `largest`, with about so many round ticks."""
        if largest <= 0 or not math.isfinite(largest):
            return cls(1.0, (0.0, 1.0))
        rough = largest / ticks
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough * (1 - 1e-9))
        count = math.ceil(largest / step - 1e-9)
        return cls(step * count, tuple(step * n for n in range(count + 1)))

    def percent(self, value: float) -> float:
        """Where a value stands, in percent of the width."""
        return 100.0 * value / self.end


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a turn."""

    kind: str
    """CSS class: one of `timeline.PHASES`."""
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Strip:
    """The samples of one row, their middle and what is known of it."""

    values: tuple[float, ...]
    middle: float | None
    low: float | None = None
    high: float | None = None
    dirty: tuple[bool, ...] = ()
    """Which of the values are of a dirty turn; drawn hollow."""


def timeline_svg(phases: Sequence[Phase], axis: Axis, said: str, detail: str) -> str:
    """One turn as a bar of its phases; what it is, and its figures in words."""
    bars = "".join(
        f'<rect class="{phase.kind}" x="{number(axis.percent(phase.start))}%" y="4" height="14" '
        f'width="{number(max(axis.percent(phase.end - phase.start), 0.15))}%"/>'
        for phase in phases
    )
    return _row(22, said, _grid(axis, 22) + bars, detail)


def strip_svg(strip: Strip, axis: Axis, said: str, color: str) -> str:
    """Samples as dots, the interval as a bar, the middle as a stroke; `color` is a CSS class."""
    marks = []
    if strip.low is not None and strip.high is not None:
        marks.append(
            f'<rect class="interval" x="{number(axis.percent(strip.low))}%" y="5" height="12" '
            f'rx="2" width="{number(max(axis.percent(strip.high - strip.low), 0.15))}%"/>'
        )
    marks += [
        f'<circle class="sample{" dirty" if dirty else ""}" '
        f'cx="{number(axis.percent(value))}%" cy="11" r="3.5"/>'
        for value, dirty in zip_longest(strip.values, strip.dirty, fillvalue=False)
    ]
    if strip.middle is not None:
        at = number(axis.percent(strip.middle))
        marks.append(f'<line class="middle" x1="{at}%" x2="{at}%" y1="2" y2="20"/>')
    return _row(22, said, f'{_grid(axis, 22)}<g class="{color}">{"".join(marks)}</g>')


def axis_svg(axis: Axis, labels: Sequence[str]) -> str:
    """The ticks of an axis, with their labels."""
    texts = []
    for place, (tick, label) in enumerate(zip(axis.ticks, labels, strict=True)):
        anchor = "start" if place == 0 else "end" if tick >= axis.end else "middle"
        texts.append(
            f'<text x="{number(axis.percent(tick))}%" y="13" text-anchor="{anchor}">'
            f"{escape(label)}</text>"
        )
    return (
        f'<svg class="row axis" width="100%" height="18" aria-hidden="true">{"".join(texts)}</svg>'
    )


def tick_label(value: float, unit: Unit) -> str:
    """A round number without the zeros that say how exact a measurement is."""
    return "0" if value == 0 else re.sub(r"\.0+(?=\s|$)", "", format_value(value, unit))


def _row(height: int, said: str, inner: str, detail: str = "") -> str:
    label = escape(said)
    desc = f"<desc>{escape(detail)}</desc>" if detail else ""
    spoken = escape(f"{said}: {detail}") if detail else label
    return (
        f'<svg class="row" width="100%" height="{height}" role="img" aria-label="{spoken}">'
        f"<title>{label}</title>{desc}{inner}</svg>"
    )


def _grid(axis: Axis, height: int) -> str:
    return "".join(
        f'<line class="grid" x1="{number(axis.percent(tick))}%" x2="{number(axis.percent(tick))}%" '
        f'y1="0" y2="{height}"/>'
        for tick in axis.ticks
    )


def number(value: float) -> str:
    """A coordinate, short and the same everywhere."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
