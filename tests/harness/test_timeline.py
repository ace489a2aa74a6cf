"""A turn is drawn as what it was at, from the moment it was sent to its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from harness.judged import Judged
from harness.report.figures import Samples, strips
from harness.report.page import told_troubles
from harness.report.seen import observations, seen_in
from harness.report.timeline import Line, phases, picture, timelines
from harness.testing import DONE, MS, frame, trace
from harness.trace import Action
from harness.units import SECONDS
from harness.verdict import Evidence, Outcome, Verdict
from harness.wire import observe

if TYPE_CHECKING:
    from harness.events import Observation
    from harness.trace import Trace

WHOLE = (
    (5.0, frame(role="assistant")),
    (20.0, frame(reasoning="Let me")),
    (40.0, frame(content="In ")),
    (60.0, frame(content="Oslo.")),
    (62.0, frame(finish="stop")),
    (63.0, frame(muse_metrics={"queue_ms": 4.0, "prefill_ms": 10.0})),
    (64.0, frame(usage={"prompt_tokens": 9, "completion_tokens": 4}) + DONE),
)


def told(seen: Observation) -> list[tuple[str, float, float]]:
    """Each phase with its ends in milliseconds."""
    return [(p.kind, round(p.start * 1e3, 3), round(p.end * 1e3, 3)) for p in phases(seen)]


def stopped(at_ms: float, closed_at_ms: float, *script: tuple[float, str]) -> Observation:
    """A turn that was asked to stop."""
    actions = (Action(round(at_ms * MS), "cancel", {}), Action(round(at_ms * MS), "cancel.ack", {}))
    return observe(trace(*script, actions=actions, closed_at_ms=closed_at_ms))


def test_a_whole_turn_waits_thinks_answers_and_closes() -> None:
    """Queue and prefill by the server's own clock, within the waiting."""
    assert told(observe(trace(*WHOLE))) == [
        ("wait", 0, 20),
        ("queue", 0, 4),
        ("prefill", 4, 14),
        ("think", 20, 40),
        ("say", 40, 60),
        ("close", 60, 64),
    ]


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        (stopped(10, 30, (5.0, frame(role="assistant"))), [("wait", 0, 10), ("stop", 10, 30)]),
        (
            stopped(50, 66, *WHOLE[:4]),
            [("wait", 0, 20), ("think", 20, 40), ("say", 40, 50), ("stop", 50, 66)],
        ),
        (stopped(90, 64, *WHOLE[:1]), [("wait", 0, 64), ("stop", 64, 64)]),
    ],
)
def test_what_was_stopped_stops_there(
    seen: Observation, what: list[tuple[str, float, float]]
) -> None:
    """Whatever still came behind the stop; one that came too late has no length."""
    assert told(seen) == what


def test_a_turn_without_a_byte_is_not_drawn() -> None:
    """Nothing is known of its time."""
    seen = observe(trace(status=None, transport_error="cannot connect"))

    assert phases(seen) == ()
    assert list(picture("the turn", seen)) == []


def test_a_picture_says_in_words_what_it_shows() -> None:
    """In its title and description, in a table, and in a legend of what is in it alone."""
    seen = observe(trace(*WHOLE))
    dirty = observe(trace(*WHOLE, lag_ns=50 * MS))

    text = "\n".join(timelines([Line("turn <1>", seen), Line("turn 2", dirty, group="b")]))

    assert (
        "<title>turn &lt;1&gt;</title><desc>waiting for the first token 20.0 ms, from 0; " in text
    )
    assert (
        '<th scope="row" class="left">turn &lt;1&gt;</th><td>20.0 ms</td><td>4.00 ms</td>' in text
    )
    assert "turn 2 (dirty)" in text
    assert text.count('<span class="gap">') == 1
    assert "key queue" in text
    assert "key stop" not in text


def test_dirty_samples_are_hollow_and_counted() -> None:
    """Each value is a dot; the stroke stands at the median."""
    rows = [Samples("a", (0.01, 0.02, 0.09), (False, False, True)), Samples("b", (), reason="none")]

    text = "\n".join(strips("TTFT", SECONDS, rows))

    assert text.count('class="sample"') == 2
    assert text.count('class="sample dirty"') == 1
    assert "TTFT, a: median 20.0 ms of 10.0 ms, 20.0 ms, 90.0 ms; 1 dirty" in text
    assert "TTFT, b: none" in text
    assert text.count('class="middle"') == 1


def test_many_samples_are_said_by_their_ends() -> None:
    """A page that is read aloud comes to its end."""
    text = "\n".join(strips("ack", SECONDS, [Samples("a", tuple(n / 1e3 for n in range(1, 100)))]))

    assert "median 50.0 ms of 99 values from 1.00 ms to 99.0 ms" in text


@dataclass(frozen=True)
class _Race:
    """A turn of some kind: what was seen stands somewhere in it."""

    sides: tuple[Observation, ...]
    trace: Trace


def test_evidence_leads_to_the_turn_it_is_of() -> None:
    """Whatever shape a kind gives its turns; only those that are asked for are kept."""
    first, second = (observe(trace(*WHOLE, trace_id=name)) for name in ("a", "b"))
    race = _Race((first, second), first.trace)
    verdict = Verdict("stream.rules", Outcome.FAIL, "broken", (Evidence("b", 1, 2),))

    assert list(observations(race)) == [first, second]
    assert seen_in([Judged(verdict, None, "x")], [race]) == {"b": second}
    assert seen_in([], [race]) == {}


@pytest.mark.parametrize(
    ("n", "told"), [(1, "Seen in trace t-0<"), (8, "t-4, t-5 and 2 more<")], ids=["one", "many"]
)
def test_a_trace_without_an_excerpt_is_named(n: int, told: str) -> None:
    """A turn that is not drawn can be found in the run's traces all the same."""
    evidence = tuple(Evidence(f"t-{place}") for place in range(n))
    judged = Judged(Verdict("load.order", Outcome.FAIL, "overtaken", evidence), None, "loop")

    assert told in "".join(told_troubles([judged]))
