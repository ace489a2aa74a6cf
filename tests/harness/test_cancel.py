"""A cancel plan's moment is noticed once, and only that moment."""

from __future__ import annotations

import asyncio

import pytest

from harness.cancel import CancelPlan, CancelPoint, Countdown
from harness.events import Channel, Comment, Delta, Event, Finish, Observed

REASONING, CONTENT = Delta(Channel.REASONING, "r"), Delta(Channel.CONTENT, "c")
TOOL = Delta(Channel.TOOL, "{}")


def reached_after(plan: CancelPlan, events: list[Event]) -> list[bool]:
    """Whether the moment has come, after each event."""

    async def watch() -> list[bool]:
        countdown, states = Countdown(plan), []
        for index, event in enumerate(events):
            countdown.notice_event(Observed(index, 0, index, event))
            states.append(countdown.reached.done())
        return states

    return asyncio.run(watch())


@pytest.mark.parametrize(
    ("plan", "events", "expected"),
    [
        (CancelPlan(CancelPoint.REASONING), [CONTENT, REASONING], [False, True]),
        (CancelPlan(CancelPoint.CONTENT), [REASONING, CONTENT], [False, True]),
        (CancelPlan(CancelPoint.TOKEN), [Comment("x"), TOOL], [False, True]),
        (CancelPlan(CancelPoint.FINISH), [CONTENT, Finish("stop")], [False, True]),
        (CancelPlan(CancelPoint.TOKEN, count=2), [TOOL, CONTENT, CONTENT], [False, True, True]),
        (CancelPlan(CancelPoint.SENT), [CONTENT, Finish("stop")], [False, False]),
    ],
)
def test_the_moment_is_the_plans(
    plan: CancelPlan, events: list[Event], expected: list[bool]
) -> None:
    """Other events do not count down, and what comes after the moment does no harm."""
    assert reached_after(plan, events) == expected
