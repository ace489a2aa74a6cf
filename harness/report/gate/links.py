"""Where is a number told?  Addresses of traces and starts, below the gate's folder.

A trace is named by the path of its run folder, `#`, and its id; the report of every run has an
element `trace-<id>` for each of its traces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from harness.report.gate.text import escape

if TYPE_CHECKING:
    from harness.gate.result import StartValue

__all__ = ["link", "link_of_start", "link_to"]


def link_to(trace: str) -> str:
    """The address of a trace in the report of its run; of the report alone without an id."""
    path, _, trace_id = trace.partition("#")
    address = f"{quote(path.strip('/'))}/report.html"
    return f"{address}#trace-{quote(trace_id, safe='')}" if trace_id else address


def link_of_start(value: StartValue) -> str:
    """Where the value of a start is told: the trace in its middle, else the start's own record."""
    if not value.samples:
        return f"starts/{value.start:03d}-{value.side.value}/start.json"
    nearest = min(value.samples, key=lambda sample: abs(sample.value - value.value))
    return link_to(nearest.trace)


def link(address: str, said: str) -> str:
    """A link, both escaped."""
    return f'<a href="{escape(address)}">{escape(said)}</a>'
