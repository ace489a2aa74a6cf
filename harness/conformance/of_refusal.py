"""How must a request be refused that cannot be honoured? Each function judges one rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.conformance.rule import broken, kept, moot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.conformance.heard import Heard
    from harness.conformance.rule import Finding

__all__ = [
    "as_json",
    "error_frame",
    "exact_status",
    "keys",
    "named",
    "refused",
    "shape",
    "survives",
    "unknown_model",
]


def refused(heard: Heard) -> Finding:
    """By its status, so before its first byte."""
    if 400 <= heard.status < 500:
        return kept(f"HTTP {heard.status}")
    if 200 <= heard.status < 300:
        how = "as a stream" if heard.frames else "as if nothing were wrong"
        return broken(f"answered with {heard.status} {how}")
    return broken(_status(heard))


def exact_status(heard: Heard) -> Finding:
    """The one that clients know."""
    asked = heard.probe.status
    if heard.status == asked:
        return kept(f"HTTP {heard.status}")
    return broken(f"{_status(heard)} instead of {asked}")


def survives(heard: Heard) -> Finding:
    """Served whole or refused, whichever: nothing breaks."""
    if 400 <= heard.status < 500:
        return kept(f"refused with {heard.status}")
    if heard.replied:
        return kept("served")
    return broken(heard.seen.detail or _status(heard))


def unknown_model(heard: Heard) -> Finding:
    """A name that nobody serves."""
    if heard.status in {400, 404}:
        return kept(f"HTTP {heard.status}")
    if heard.replied:
        return broken("a model that nobody serves is answered by another one")
    return broken(_status(heard))


def as_json(heard: Heard) -> Finding:
    """So that a client can read why."""
    said = heard.header("content-type")
    if said.partition(";")[0].strip().lower() != "application/json":
        return broken(f"an error of content type {said or 'none'}")
    if heard.json is None:
        return broken("the body of an error is no JSON")
    return kept(f"content-type: {said}")


def shape(heard: Heard) -> Finding:
    """An object with a message and a type."""
    return _shape(heard.json)


def keys(heard: Heard) -> Finding:
    """All four, null where there is nothing to say."""
    error = _error(heard.json)
    lacking = [key for key in ("message", "type", "param", "code") if key not in error]
    return broken(f"the error lacks {', '.join(lacking)}") if lacking else kept()


def named(heard: Heard) -> Finding:
    """What is wrong is called by its name."""
    name = heard.probe.names or ""
    error = _error(heard.json)
    if name in f"{error.get('message')} {error.get('param')}":
        return kept(f"names {name}")
    return broken(f"neither message nor param names {name!r}")


def error_frame(heard: Heard) -> Finding:
    """An error that came too late for a status."""
    at = next((f for f in heard.frames if isinstance(f.value, dict) and "error" in f.value), None)
    if at is None:
        return moot("no error came inside a stream")
    found = _shape(at.value)
    if found.kept is False:
        return broken(found.message, at.number)
    after = [frame for frame in heard.frames if frame.number > at.number and not frame.done]
    if after:
        return broken("something other than [DONE] follows an error", after[0].number)
    return kept()


def _shape(value: object) -> Finding:
    error = _error(value)
    for key in ("message", "type"):
        said = error.get(key)
        if not isinstance(said, str) or not said:
            return broken(f"error.{key} is {said!r}: {json.dumps(value)[:80]}")
    return kept()


def _error(value: object) -> Mapping[str, Any]:
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else {}


def _status(heard: Heard) -> str:
    return f"HTTP {heard.status}" if heard.status else heard.trace.transport_error or "no response"
