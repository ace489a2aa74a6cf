"""Turns of an exam as they would have been marked, made from what was said in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from harness.exam.cases import Case, Expect
from harness.exam.marking import MarkedTurn, mark
from harness.testing import DONE, frame, trace
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    Answered = Callable[..., MarkedTurn]


def answered(
    content: str = "yes",
    *,
    case: Case | None = None,
    group: str = "sums",
    pair: str | None = None,
    leg: str = "a",
    place: int = 1,
    repeat: int = 1,
    reasoning: str = "",
    finish: str = "stop",
    tokens: int = 3,
    strength: Literal["low", "medium", "high", "xhigh"] | None = None,
    end: str = DONE,
    **metrics: Any,  # noqa: ANN401 - JSON
) -> MarkedTurn:
    """One turn; unless a case is given, `yes` is right."""
    frames = [frame(role="assistant")]
    frames += [frame(reasoning=reasoning)] if reasoning else []
    frames += [frame(content=content)] if content else []
    frames += [frame(finish=finish)]
    frames += [frame(muse_metrics=metrics)] if metrics else []
    frames += [frame(usage={"prompt_tokens": 9, "completion_tokens": tokens}), end]
    return mark(
        case
        or Case(
            f"case-{place}", group, ({"role": "user"},), Expect(("yes",)), pair, None, strength
        ),
        trace(
            *((10.0 * at, text) for at, text in enumerate(frames, start=1)),
            request={"stream": True, "stream_options": {"include_usage": True}},
            trace_id=f"{leg}-{place}-{repeat}",
            label=TurnLabel("some", repeat, leg, place),
        ),
    )


@pytest.fixture(name="answered")
def _answered() -> Answered:
    """Makes a turn from what was said in it."""
    return answered
