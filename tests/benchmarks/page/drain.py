"""How fast is the engine for a client that does nothing with the answer? It reads and forgets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["drain", "metrics_in"]

TIMEOUT_S = 120.0
KEPT = 8_192


def drain(url: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Have a turn of the page once more, without a session; returns what the engine says of it."""
    asked = {key: value for key, value in body.items() if key != "session_id"}
    tail = b""
    with httpx.stream("POST", f"{url}/v1/chat/completions", json=asked, timeout=TIMEOUT_S) as reply:
        reply.raise_for_status()
        for chunk in reply.iter_raw():
            tail = (tail + chunk)[-KEPT:]
    return metrics_in(tail)


def metrics_in(stream: bytes) -> Mapping[str, Any]:
    """The engine's metrics in a stream, of which the beginning may be missing."""
    frames = (json.loads(line[6:]) for line in stream.split(b"\n") if line.startswith(b"data: {"))
    metrics: Mapping[str, Any] = next(f["muse_metrics"] for f in frames if "muse_metrics" in f)
    return metrics
