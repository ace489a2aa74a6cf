"""Where did the time of a turn go?  A bar from the moment its request was sent to its end.

    queue      waiting for its place, by the server's clock          } within
    prefill    computing the prompt, by the server's clock           } waiting
    wait       waiting for the first token
    think      reasoning comes
    say        the answer comes
    close      closing frames
    stop       from the first thing done to stop it to the last byte

Every bar says its figures in words, and a table under the picture holds them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from harness.dirty import is_dirty
from harness.events import Channel, Delta
from harness.metrics import measure
from harness.report.chart import Axis, Phase, axis_svg, tick_label, timeline_svg
from harness.units import NOTHING, SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.events import Observation

__all__ = ["Line", "ended_s", "phases", "picture", "timelines"]

PHASES = {
    "wait": "waiting for the first token",
    "queue": "of which queued, by the server's clock",
    "prefill": "of which prefill, by the server's clock",
    "think": "thinking",
    "say": "answering",
    "close": "closing frames",
    "stop": "stopping",
}
"""What the colours mean, in order."""

STOPS = frozenset({"cancel", "close", "cancel.session", "delete"})
"""The actions in a trace that are done to stop a turn."""


@dataclass(frozen=True, slots=True)
class Line:
    """One turn of a picture."""

    name: str
    seen: Observation
    color: str = ""
    """A CSS class."""
    group: str = ""
    """A gap is left where it changes."""


def phases(seen: Observation) -> tuple[Phase, ...]:
    """What a turn was at, in order, in seconds since its request was sent; empty if unknown."""
    end = ended_s(seen)
    if not end:
        return ()
    stop = min((a.at_ns / 1e9 for a in seen.trace.actions if a.name in STOPS), default=None)
    quiet = end if stop is None else min(max(stop, 0.0), end)
    found = [*_wait(seen, quiet), *_texts(seen, end)]
    cut = [Phase(p.kind, min(p.start, quiet), min(p.end, quiet)) for p in found]
    told = [phase for phase in cut if phase.end > phase.start or phase.kind == "wait"]
    return (*told, Phase("stop", quiet, end)) if stop is not None else tuple(told)


def ended_s(seen: Observation) -> float:
    """When the last byte came or the connection ended, in seconds since the request was sent."""
    trace = seen.trace
    last = trace.chunks[-1].at_ns if trace.chunks else 0
    return max(trace.closed_at_ns or 0, last) / 1e9


def _wait(seen: Observation, end: float) -> Iterator[Phase]:
    first = next((_at(delta) for delta in seen.of(Delta)), end)
    yield Phase("wait", 0.0, first)
    server = measure(seen)
    queue, prompt, prefill = (
        server[f"server.{name}"].value for name in ("queue", "prompt", "prefill")
    )
    if queue:
        yield Phase("queue", 0.0, min(queue, first))
    if prefill is not None:
        start = (queue or 0.0) + (prompt or 0.0)
        yield Phase("prefill", min(start, first), min(start + prefill, first))


def _texts(seen: Observation, end: float) -> Iterator[Phase]:
    """Reasoning, answer, and what comes behind the last of them."""
    at = {
        channel: [_at(e) for e in seen.of(Delta) if getattr(e.event, "channel", None) is channel]
        for channel in Channel
    }
    every = sorted(time for times in at.values() for time in times)
    if not every:
        return
    thought = at[Channel.REASONING]
    said = sorted(
        time for channel, times in at.items() if channel is not Channel.REASONING for time in times
    )
    if thought:
        yield Phase("think", thought[0], said[0] if said and said[0] > thought[0] else every[-1])
    if said:
        yield Phase("say", said[0], said[-1])
    yield Phase("close", every[-1], end)


def _at(event: object) -> float:
    return int(getattr(event, "at_ns", 0)) / 1e9


def timelines(lines: Sequence[Line]) -> Iterator[str]:
    """The turns as bars on one axis, what the colours mean, and the same as a table."""
    axis = Axis.to(max((ended_s(line.seen) for line in lines), default=0.0))
    known = [(line, phases(line.seen)) for line in lines]
    yield '<figure><div class="chart">'
    before = lines[0].group if lines else ""
    for line, found in known:
        if line.group != before:
            yield '<span class="gap"></span>'
            before = line.group
        yield from _bar(line, found, axis)
    yield axis_svg(axis, [tick_label(tick, SECONDS) for tick in axis.ticks])
    yield "</div>"
    shown = {phase.kind for _, found in known for phase in found}
    keys = "".join(
        f'<li><span class="key {kind}"></span>{meaning}</li>'
        for kind, meaning in PHASES.items()
        if kind in shown
    )
    yield f'<ul class="keys">{keys}</ul>'
    yield from _table(known, [kind for kind in PHASES if kind in shown])
    yield "</figure>"


def picture(name: str, seen: Observation) -> Iterator[str]:
    """One turn alone, beside what is said of it."""
    if found := phases(seen):
        axis = Axis.to(ended_s(seen))
        yield '<figure><div class="chart">'
        yield from _bar(Line(name, seen), found, axis)
        yield axis_svg(axis, [tick_label(tick, SECONDS) for tick in axis.ticks])
        yield "</div></figure>"


def _bar(line: Line, found: Sequence[Phase], axis: Axis) -> Iterator[str]:
    color = f" {line.color}" if line.color else ""
    told = "; ".join(
        f"{PHASES[p.kind]} {_shown(p.end - p.start)}, from {_shown(p.start)}" for p in found
    )
    yield f'<span class="name{color}">{escape(line.name)}{_stained(line)}</span>'
    yield f'<span class="figure">{escape(_shown(ended_s(line.seen)))}</span>'
    yield timeline_svg(found, axis, line.name, told or "no byte came")


def _table(known: Sequence[tuple[Line, Sequence[Phase]]], kinds: Sequence[str]) -> Iterator[str]:
    head = "".join(f'<th scope="col">{PHASES[kind]}</th>' for kind in kinds)
    yield "<details><summary>The same as a table</summary>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Times of the turns">'
    yield f'<table><thead><tr><th scope="col" class="left">turn</th>{head}'
    yield '<th scope="col">in all</th></tr></thead><tbody>'
    for line, found in known:
        by_kind = {phase.kind: phase.end - phase.start for phase in found}
        cells = "".join(f"<td>{escape(_shown(by_kind.get(kind)))}</td>" for kind in kinds)
        name = f"{escape(line.name)}{_stained(line)}"
        yield f'<tr><th scope="row" class="left">{name}</th>{cells}'
        yield f"<td>{escape(_shown(ended_s(line.seen)))}</td></tr>"
    yield "</tbody></table></div></details>"


def _stained(line: Line) -> str:
    return " (dirty)" if is_dirty(line.seen.trace) else ""


def _shown(seconds: float | None) -> str:
    return NOTHING if seconds is None else "0" if seconds == 0 else format_value(seconds, SECONDS)
