"""What was sent, and what came back when: one turn as raw evidence.

A trace holds bytes and stamps and nothing that was concluded from them.
Everything else (frames, metrics, verdicts, reports) is derived from it and can be derived again.

Stamps are nanoseconds on the harness's monotonic clock, relative to `sent`:
the instant before the first byte of the request is written.  `started_at` is wall time,
for people only.

On disk a trace is one JSON object a line (`trace.jsonl`), chunks as UTF-8 text where they are
valid UTF-8 on their own and base64 otherwise, so that the bytes come back exactly.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Action", "Chunk", "Trace", "TurnLabel", "dump_trace", "load_trace", "read_traces"]

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class TurnLabel:
    """Which turn of which leg of which repetition this was."""

    scenario: str
    repeat: int
    leg: str
    turn: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of the response body as one read of the socket gave them."""

    at_ns: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Action:
    """Something the client did during the turn besides reading: a cancel, a close."""

    at_ns: int
    name: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """One turn as it was seen from outside."""

    trace_id: str
    label: TurnLabel
    started_at: str
    """ISO 8601 wall time, for people; no arithmetic is done on it."""
    method: str
    path: str
    request: Mapping[str, Any]
    """The JSON body as sent."""
    request_headers: Mapping[str, str]
    status: int | None
    """HTTP status; None when no response line came."""
    headers: tuple[tuple[str, str], ...]
    headers_at_ns: int | None
    chunks: tuple[Chunk, ...]
    closed_at_ns: int | None
    """When the response body ended, by its own framing or by a broken connection."""
    transport_error: str | None = None
    """How the connection broke, when it did."""
    actions: tuple[Action, ...] = ()
    lag_ns: int = 0
    """Worst delay of the client's own event loop in this turn; above 5 ms the sample is dirty."""
    sent_at_ns: int | None = None
    """`sent` on the client's clock: only differences between turns of one run mean anything.
    None where nobody noted it."""
    marks: Mapping[str, float] = field(default_factory=dict)
    """What the machine did beside the turn (`machine`); `dirty` says from where on it matters."""

    @property
    def body(self) -> bytes:
        """The response body, reads joined."""
        return b"".join(chunk.data for chunk in self.chunks)

    @property
    def streamed(self) -> bool:
        """Whether a stream was asked for."""
        return bool(self.request.get("stream"))


def dump_trace(trace: Trace) -> str:
    """One line of JSON (no newline) from which `load_trace` makes an equal trace."""
    label = trace.label
    return json.dumps(
        {
            "schema": SCHEMA,
            "trace_id": trace.trace_id,
            "label": {
                "scenario": label.scenario,
                "repeat": label.repeat,
                "leg": label.leg,
                "turn": label.turn,
            },
            "started_at": trace.started_at,
            "method": trace.method,
            "path": trace.path,
            "request": trace.request,
            "request_headers": dict(trace.request_headers),
            "status": trace.status,
            "headers": [list(pair) for pair in trace.headers],
            "headers_at_ns": trace.headers_at_ns,
            "chunks": [_dump_chunk(chunk) for chunk in trace.chunks],
            "closed_at_ns": trace.closed_at_ns,
            "transport_error": trace.transport_error,
            "actions": [[a.at_ns, a.name, dict(a.detail)] for a in trace.actions],
            "lag_ns": trace.lag_ns,
            # Not in older traces, and then not said.
            **({} if trace.sent_at_ns is None else {"sent_at_ns": trace.sent_at_ns}),
            **({"marks": dict(trace.marks)} if trace.marks else {}),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def load_trace(line: str) -> Trace:
    """The trace of one line.

    Raises:
        ValueError: the line is not a trace of a schema this version knows.
    """
    raw = json.loads(line)
    if not isinstance(raw, dict) or raw.get("schema") != SCHEMA:
        raise ValueError(f"not a trace of schema {SCHEMA}")
    try:
        return Trace(
            trace_id=raw["trace_id"],
            label=TurnLabel(**raw["label"]),
            started_at=raw["started_at"],
            method=raw["method"],
            path=raw["path"],
            request=raw["request"],
            request_headers=raw["request_headers"],
            status=raw["status"],
            headers=tuple((name, value) for name, value in raw["headers"]),
            headers_at_ns=raw["headers_at_ns"],
            chunks=tuple(_load_chunk(chunk) for chunk in raw["chunks"]),
            closed_at_ns=raw["closed_at_ns"],
            transport_error=raw["transport_error"],
            actions=tuple(Action(at, name, detail) for at, name, detail in raw["actions"]),
            lag_ns=raw["lag_ns"],
            sent_at_ns=raw.get("sent_at_ns"),
            marks=raw.get("marks", {}),
        )
    except (KeyError, TypeError) as problem:
        raise ValueError(f"a trace without {problem}") from problem


def read_traces(path: Path) -> Iterator[Trace]:
    """The traces of a `trace.jsonl`, in order.

    A last line that has no newline and is no trace was cut short when the run was killed, or the
    disk was full; that turn counts as not played.

    Raises:
        TraceError: the file is missing or a line is not a trace (with its number).
    """
    try:
        lines: Iterable[bytes] = path.read_bytes().splitlines(keepends=True)
    except OSError as problem:
        raise TraceError(path, problem.strerror or "cannot be read") from problem
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield load_trace(line.decode("utf-8"))
            except ValueError as problem:
                if not line.endswith(b"\n"):
                    return
                raise TraceError(path, str(problem), line=number) from problem


def _dump_chunk(chunk: Chunk) -> list[Any]:
    try:
        return [chunk.at_ns, chunk.data.decode("utf-8")]
    except UnicodeDecodeError:
        return [chunk.at_ns, None, base64.b64encode(chunk.data).decode("ascii")]


def _load_chunk(raw: list[Any]) -> Chunk:
    at_ns, text, *rest = raw
    return Chunk(at_ns, base64.b64decode(rest[0]) if text is None else text.encode("utf-8"))
