"""The report: each goal with its value and verdict, and what stands behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.markdown import section, table
from tests.benchmarks.page.figures import fit, intervals, percentile_of
from tests.benchmarks.page.goals import Verdict, goals
from tests.benchmarks.page.text import TOKEN_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.benchmarks.page.goals import Goal
    from tests.benchmarks.page.record import Conditions, Heap, Pair, Seen, Stream

__all__ = ["render"]

PERCENTILES = (50.0, 90.0, 99.0, 99.9)


def render(seen: Seen) -> str:
    """The text of `report.md`."""
    return "\n".join(_lines(seen)) + "\n"


def _lines(seen: Seen) -> Iterator[str]:
    found = goals(seen)
    yield "# The page's speed"
    yield ""
    yield _summary(found)
    yield ""
    yield from table(("what", "goal", "measured", "verdict"), [_row(goal) for goal in found])
    yield from section("Frames and paints", _streams((seen.fast, seen.slow)))
    yield from section("Heap", _heap(seen.heaps))
    yield from section("Generation", _pairs(seen))
    yield from section("First load", _loads(seen))
    yield from section("What is measured", _method(seen))
    yield from section("Conditions", _conditions(seen.conditions))


def _summary(found: Sequence[Goal]) -> str:
    counts = {verdict: sum(goal.verdict is verdict for goal in found) for verdict in Verdict}
    said = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return f"Of {len(found)} goals: {', '.join(said)}."


def _row(goal: Goal) -> tuple[str, ...]:
    least = "at least" if goal.at_least else "at most"
    value = f"{_number(goal.value)} {goal.unit}"
    if goal.low is not None and goal.high is not None:
        value += f" [{_number(goal.low)}, {_number(goal.high)}]"
    return (goal.name, f"{least} {goal.bound:g} {goal.unit}", value, goal.verdict)


def _streams(streams: Sequence[Stream]) -> Iterator[str]:
    head = ("stream", "values", *(f"p{p:g}" for p in PERCENTILES), "longest")
    rows = []
    for stream in streams:
        name = f"{stream.tokens:,} tokens at {stream.made_per_s:.1f} tokens/s"
        for what, values in (
            ("frame intervals", intervals(stream.frames_ms)),
            ("bytes to paint", stream.delays_ms),
        ):
            shown = [percentile_of(values, p) for p in PERCENTILES]
            cells = (f"{_number(value)} ms" for value in (*shown, max(values)))
            rows.append((f"{name}: {what}", f"{len(values):,}", *cells))
    yield from table(head, rows)
    yield ""
    lost = sum(stream.unpainted for stream in streams)
    yield f"- marks that were never found on the page: {lost}"


def _heap(heaps: Sequence[Heap]) -> Iterator[str]:
    line = fit([(heap.characters, heap.bytes) for heap in heaps])
    yield from table(
        ("tokens", "characters", "JavaScript's heap", "held by the DOM", "off the line", "nodes"),
        [
            (
                f"{heap.characters // TOKEN_BYTES:,}",
                f"{heap.characters:,}",
                _megabytes(heap.script_bytes),
                _megabytes(heap.dom_bytes) if heap.dom_bytes else "not told",
                _megabytes(heap.bytes - line.start - line.slope * heap.characters),
                f"{heap.nodes:,}",
            )
            for heap in heaps
        ],
    )
    yield ""
    yield f"- the line: {line.slope:.1f} bytes a character from {_megabytes(line.start)} on"


def _pairs(seen: Seen) -> Iterator[str]:
    rows = [("scripted engine", pair) for pair in seen.pairs]
    rows += [("embedded model", pair) for pair in seen.model_pairs]
    yield from table(
        ("engine", "the page reads", "a client drains", "slowdown"),
        [(engine, *_rates(pair)) for engine, pair in rows],
    )


def _rates(pair: Pair) -> tuple[str, str, str]:
    share = 1 - pair.page_per_s / pair.drained_per_s
    return f"{pair.page_per_s:.2f}/s", f"{pair.drained_per_s:.2f}/s", f"{share:.2%}"


def _loads(seen: Seen) -> Iterator[str]:
    yield from table(
        ("message box usable", "server known to be ready", "script", "all files"),
        [
            (
                f"{load.usable_ms:.0f} ms",
                f"{load.ready_ms:.0f} ms",
                f"{load.script_bytes / 1e3:.1f} kB",
                f"{load.all_bytes / 1e3:.1f} kB",
            )
            for load in seen.loads
        ],
    )


def _method(seen: Seen) -> Iterator[str]:
    yield (
        f"- A token is {TOKEN_BYTES} bytes of Markdown, in a frame of its own. The server is the"
        " real one; its scripted engine keeps the pace."
    )
    yield (
        "- Frames are callbacks of `requestAnimationFrame`, one always asked for; so they are the"
        " page's main thread, and not what the compositor adds."
    )
    yield (
        "- Bytes have arrived when the page's `fetch` hands them out, and text is painted when the"
        " frame that first shows it has been laid out and painted. What waits for a busy main"
        " thread before that is no longer than a frame."
    )
    yield (
        "- Heap: a run of its own, with garbage collected first; frames are not timed in it."
        f" {len(seen.heaps)} points."
    )
    yield (
        "- Generation: the engine's own clock over the same turn, read by the page and by a client"
        " that drains it, in turns; 90 % interval. What drives the browser counts as the page."
    )
    yield "- First load: a new profile each, over loopback, to the server known to be ready."


def _conditions(conditions: Conditions) -> Iterator[str]:
    machine, commit = conditions.machine, conditions.machine.commit
    at = f"{commit.revision[:12]}{' (changed)' if commit.dirty else ''}" if commit else "unknown"
    width, height = conditions.page
    if conditions.quick:
        yield "- **quick**: shorter than what the goals are about"
    yield f"- {machine.processor}, {machine.cores} CPUs, {machine.system}; commit {at}"
    yield f"- {conditions.browser}, headless, {width} x {height}"
    yield f"- load average: {conditions.load_before:.1f} before, {conditions.load_after:.1f} after"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.2f}".rstrip("0").rstrip(".")


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.2f} MB"
