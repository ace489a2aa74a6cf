"""What a target can report is asked first and seen second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.capabilities import ReuseReport, capabilities, unclaimed
from harness.reuse import Reuse, reuse_of
from harness.testing import DONE, frame, trace
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Mapping

SILENT, USAGE, METRICS = Reuse(None), Reuse("usage"), Reuse("muse_metrics")


@pytest.mark.parametrize(
    ("runtime", "replies", "expect"),
    [
        ({"supports": {"reuseMetrics": True}}, [SILENT], ReuseReport.ACCOUNTS),
        ({"supports": {"reuseMetrics": False}}, [USAGE], ReuseReport.CACHED_TOKENS),
        ({"supports": None}, [SILENT], ReuseReport.NOTHING),
        (None, [SILENT, METRICS], ReuseReport.ACCOUNTS),
        (None, [SILENT, USAGE], ReuseReport.CACHED_TOKENS),
        (None, [], ReuseReport.NOTHING),
    ],
)
def test_a_claim_counts_and_else_what_replies_hold(
    runtime: Mapping[str, Any] | None, replies: list[Reuse], expect: ReuseReport
) -> None:
    """Never an assumption from the name of a server."""
    found = capabilities(runtime, replies)

    assert found.reuse is expect
    assert found.why


@pytest.mark.parametrize(
    ("runtime", "forgets"),
    [
        ({"supports": {"durableCache": True}}, ""),
        (
            {"supports": {"durableCache": False}},
            "durableCache: /api/runtime says supports.durableCache is false",
        ),
        ({"supports": {}}, "durableCache: /api/runtime does not claim it"),
        (None, "durableCache: it has no /api/runtime to claim it"),
    ],
)
def test_a_cache_outlives_its_server_only_where_that_is_claimed(
    runtime: Mapping[str, Any] | None, forgets: str
) -> None:
    """Else there is a reason to tell."""
    assert capabilities(runtime, []).forgets == forgets


def reuse(*frames: str) -> Reuse:
    """The accounts of a reply of these frames."""
    return reuse_of(observe(trace((1.0, "".join(frames) + DONE))))


def test_metrics_tell_everything_and_where_they_said_it() -> None:
    """The index is that of the event, for evidence."""
    told = reuse(
        frame(role="assistant"),
        frame(
            muse_metrics={
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "reused_prompt_tokens": 4,
                "prefilled_prompt_tokens": 5,
                "session_reset_reason": "exact_prefix",
            }
        ),
    )

    assert told == Reuse("muse_metrics", 9, 2, 4, 5, None, "exact_prefix", at=1)


def test_usage_tells_counts_and_perhaps_cached_tokens() -> None:
    """Without cached_tokens it is no source of reuse at all."""
    counts = {"prompt_tokens": 9, "completion_tokens": 2}

    assert reuse(frame(usage=counts)).source is None
    assert reuse(frame(usage={**counts, "prompt_tokens_details": {"cached_tokens": 8}})) == Reuse(
        "usage", 9, 2, 8, at=0
    )


@pytest.mark.parametrize("value", [None, True, "4", 4.0])
def test_what_is_no_count_is_not_taken_for_one(value: object) -> None:
    """A word, a truth value or a fraction of tokens is not reuse."""
    assert reuse(frame(muse_metrics={"reused_prompt_tokens": value})).source is None


def test_a_window_is_known_where_it_is_told() -> None:
    """And nowhere else."""
    assert capabilities({"contextLength": 2048}, []).window == 2048
    assert capabilities({"contextLength": None}, []).window is None
    assert capabilities(None, []).window is None


@pytest.mark.parametrize(
    ("need", "why"),
    [
        ("warmResume", None),
        ("contextLength", None),
        ("places=1", None),
        ("places=2", "places=2: /api/runtime says places is 1"),
        ("vision", "vision: /api/runtime says supports.vision is false"),
        ("threads", "threads: /api/runtime does not claim it"),
        ("other", "other: /api/runtime does not claim it"),
    ],
)
def test_a_need_is_met_by_a_claim_or_a_figure(need: str, why: str | None) -> None:
    """And where it is not, it is said how that is known."""
    runtime = {
        "supports": {"warmResume": True, "vision": False},
        "contextLength": 2048,
        "places": 1,
        "threads": None,
    }

    assert unclaimed((need,), runtime) == (() if why is None else (why,))


def test_a_target_that_tells_nothing_of_itself_claims_nothing() -> None:
    """It may have it all; it was not asked in vain."""
    assert unclaimed(("vision",), None) == ("vision: it has no /api/runtime to claim it",)
