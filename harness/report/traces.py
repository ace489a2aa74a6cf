"""Where is the trace of a turn? Every one of a run by its id, so that others can lead to it.

A report that tells a number of this run (of a gate, above all) leads to `report.html#trace-<id>`;
the line there says what the turn was, how it ended and how long it took, and its bytes with their
stamps are in `trace.jsonl` under the same id.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from harness.events import Delta
from harness.report.seen import observations
from harness.report.timeline import ended_s
from harness.units import NOTHING, SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.events import Observation

__all__ = ["anchor_of", "traces"]


def anchor_of(trace_id: str) -> str:
    """The id of the element that a trace is told in."""
    return f"trace-{trace_id}"


def traces(turns: Iterable[object]) -> Iterator[str]:
    """Every trace of a run, in a table that opens where a link leads into it."""
    found = {each.trace.trace_id: each for turn in turns for each in observations(turn)}
    if not found:
        return
    yield "<section><h2>Traces</h2>"
    yield f"<details><summary>{len(found)} traces, each in trace.jsonl under its id</summary>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Traces"><table>'
    yield '<thead><tr><th scope="col" class="left">trace</th><th scope="col">repeat</th>'
    yield '<th scope="col" class="left">leg</th><th scope="col">turn</th>'
    yield '<th scope="col">first token</th><th scope="col">whole</th>'
    yield '<th scope="col" class="left">ended</th></tr></thead><tbody>'
    for trace_id, seen in found.items():
        label = seen.trace.label
        yield (
            f'<tr id="{escape(anchor_of(trace_id))}">'
            f'<th scope="row" class="left"><code>{escape(trace_id)}</code></th>'
            f'<td>{label.repeat}</td><td class="left">{escape(label.leg)}</td>'
            f"<td>{label.turn}</td><td>{_first(seen)}</td>"
            f"<td>{format_value(ended_s(seen), SECONDS)}</td>"
            f'<td class="left">{escape(seen.ending.value)}</td></tr>'
        )
    yield "</tbody></table></div></details></section>"


def _first(seen: Observation) -> str:
    first = next(iter(seen.of(Delta)), None)
    return NOTHING if first is None else format_value(first.at_ns / 1e9, SECONDS)
