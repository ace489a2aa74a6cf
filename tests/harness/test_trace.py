"""A trace comes back from disk as it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import TraceError
from harness.testing import frame, trace
from harness.trace import Action, dump_trace, load_trace, read_traces

if TYPE_CHECKING:
    from pathlib import Path

FULL = trace(
    (1.5, frame(content="né \u2028")),
    (2, b"\xff\x00"),
    request={"stream": True, "messages": [{"role": "user", "content": "hi"}]},
    actions=[Action(7, "cancel", {"path": "/api/cancel"})],
    lag_ns=3,
    marks={"busy": 0.5},
)


def test_a_line_makes_an_equal_trace() -> None:
    """Dumped and loaded, everything is as before, invalid UTF-8 too."""
    assert load_trace(dump_trace(FULL)) == FULL


def test_a_trace_without_a_response_is_kept_too() -> None:
    """What never came is null, not left out."""
    nothing = trace(status=None, transport_error="cannot connect")

    assert load_trace(dump_trace(nothing)) == nothing


@given(st.lists(st.binary(max_size=12), max_size=4))
def test_any_bytes_come_back_exactly(reads: list[bytes]) -> None:
    """Every read is kept as it came, and joined they are the body."""
    kept = load_trace(dump_trace(trace(*enumerate(reads))))

    assert [chunk.data for chunk in kept.chunks] == reads
    assert kept.body == b"".join(reads)


def test_a_dump_is_one_line() -> None:
    """JSON lines: no newline inside."""
    assert "\n" not in dump_trace(FULL)


def test_a_file_gives_its_traces_in_order(tmp_path: Path) -> None:
    """One trace a line, the last newline is no trace."""
    path = tmp_path / "trace.jsonl"
    path.write_text(f"{dump_trace(FULL)}\n{dump_trace(trace())}\n", encoding="utf-8")

    assert list(read_traces(path)) == [FULL, trace()]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", r"trace.jsonl:2: .*"),
        ("[]", r"trace.jsonl:2: not a trace of schema 1"),
        ('{"schema": 2}', r"trace.jsonl:2: not a trace of schema 1"),
        ('{"schema": 1}', r"trace.jsonl:2: a trace without 'trace_id'"),
    ],
)
def test_a_line_that_is_no_trace_is_named_with_its_number(
    tmp_path: Path, line: str, said: str
) -> None:
    """The error gives file and line."""
    path = tmp_path / "trace.jsonl"
    path.write_text(f"{dump_trace(FULL)}\n{line}\n", encoding="utf-8")

    with pytest.raises(TraceError, match=said):
        list(read_traces(path))


def test_a_last_line_cut_short_is_left_out(tmp_path: Path) -> None:
    """A run that was killed while it wrote: the turns before it still count."""
    path = tmp_path / "trace.jsonl"
    path.write_text(f"{dump_trace(FULL)}\n{dump_trace(trace())[:-30]}", encoding="utf-8")

    assert list(read_traces(path)) == [FULL]


def test_a_last_line_cut_within_a_character_is_left_out(tmp_path: Path) -> None:
    """Killed in the middle of one, the file is no UTF-8 to its end."""
    path = tmp_path / "trace.jsonl"
    path.write_bytes(f"{dump_trace(FULL)}\n".encode() + b'{"schema":1,"\xe2\x80')

    assert list(read_traces(path)) == [FULL]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error gives the path and the system's reason."""
    with pytest.raises(TraceError, match=r"gone\.jsonl: No such file"):
        list(read_traces(tmp_path / "gone.jsonl"))
