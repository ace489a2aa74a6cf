"""When did the same moment come on the wire, in the document, and on the screen?

Three moments of a turn, each at four places: read by our own client, read by the page, written into
the document, drawn.  All are times from the request, so that they stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.units import NOTHING, format_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.judge import Result
    from harness.metrics import Measurement

__all__ = ["MOMENTS", "MOMENTS_HEAD", "PLACES", "moment_rows", "moments_of"]

MOMENTS: Mapping[str, tuple[str, str, str]] = {
    "first token": ("client.ttft", "page.dom_ttft", "page.paint_ttft"),
    "first visible": ("client.ttfv", "page.dom_ttfv", "page.paint_ttfv"),
    "last token": ("client.e2e", "page.dom_e2e", "page.paint_e2e"),
}
"""What a moment is called on the wire, in the document and on the screen."""

PLACES = ("wire", "DOM", "paint")
"""What the three are called in a row."""

MOMENTS_HEAD = ("leg", "turn", "moment", "our client", "page, wire", "page, DOM", "page, paint")


def moments_of(measured: Mapping[str, Measurement]) -> list[tuple[str, ...]]:
    """One turn in the page: moment, wire, DOM, paint."""
    rows = []
    for moment, names in MOMENTS.items():
        found = [measured[name] for name in names]
        if any(each.value is not None for each in found):
            cells = (
                NOTHING if each.value is None else format_value(each.value, each.unit)
                for each in found
            )
            rows.append((moment, *cells))
    return rows


def moment_rows(result: Result) -> list[tuple[str, ...]]:
    """Medians over the repeats of each leg in the page, beside those of the leg it repeats."""
    names = {leg.name for leg in result.scenario.leg}
    rows = []
    for leg in result.scenario.leg:
        if leg.driver != "page":
            continue
        twin = leg.name.removesuffix("-page")
        for turn in range(1, len(result.scenario.turn) + 1):
            for moment, (wire, dom, paint) in MOMENTS.items():
                ours = _median(result, twin, turn, wire) if twin in names - {leg.name} else NOTHING
                cells = (_median(result, leg.name, turn, name) for name in (wire, dom, paint))
                rows.append((leg.name, str(turn), moment, ours, *cells))
    return rows


def _median(result: Result, leg: str, turn: int, metric: str) -> str:
    cell = result.cell(leg, turn, metric)
    median = cell.summary.median
    return NOTHING if median is None else format_value(median, cell.metric.unit)
