"""An observation answers the questions that checks ask."""

from __future__ import annotations

from harness.events import Channel, Delta, Finish, UsageSeen, Violation
from harness.testing import DONE, frame, trace
from harness.wire import observe

SEEN = observe(
    trace(
        (1, frame(role="assistant", reasoning="h")),
        (2, frame(reasoning="m", content="Hel")),
        (3, frame(content="lo", chunk_id="other")),
        (4, frame(finish="length", usage={"prompt_tokens": 3}) + DONE),
    )
)


def test_text_is_joined_by_channel() -> None:
    """Each channel reads as one text."""
    assert (SEEN.text(), SEEN.text(Channel.REASONING), SEEN.text(Channel.TOOL)) == (
        "Hello",
        "hm",
        "",
    )


def test_what_was_said_once_is_had_by_name() -> None:
    """Finish reason, usage and violations."""
    assert SEEN.finish_reason == "length"
    assert SEEN.usage == UsageSeen(3, None)
    assert SEEN.violations == (
        Violation("id_changed", "chatcmpl-1 became other"),
        Violation("id_changed", "other became chatcmpl-1"),
    )


def test_what_was_not_said_is_none() -> None:
    """An empty reply has neither."""
    nothing = observe(trace())

    assert (nothing.finish_reason, nothing.usage) == (None, None)


def test_events_are_had_by_kind_in_order() -> None:
    """of() filters and keeps index and stamp."""
    assert [(seen.index, seen.at_ns) for seen in SEEN.of(Delta, Finish)] == [
        (1, 1_000_000),
        (2, 2_000_000),
        (3, 2_000_000),
        (4, 3_000_000),
        (6, 4_000_000),
    ]


def test_an_extension_that_is_no_object_has_no_figures() -> None:
    """`extension` gives objects only; the event itself is kept as it came."""
    odd = observe(trace((1, frame(content="x", finish="stop", muse_metrics=[1]) + DONE)))

    assert odd.extension("muse_metrics") is None
