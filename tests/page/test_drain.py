"""What the engine says of a turn is found in the end of its stream."""

from __future__ import annotations

from tests.benchmarks.page.drain import metrics_in


def test_metrics_are_found_behind_a_frame_that_was_cut() -> None:
    """What is kept of a long stream begins anywhere."""
    stream = (
        b'{"content":"a"}}]}\n\ndata: {"choices":[]}\n\ndata: {"muse_metrics":{"decode_ms":5}}\n\n'
    )

    assert metrics_in(stream + b"data: [DONE]\n\n") == {"decode_ms": 5}
