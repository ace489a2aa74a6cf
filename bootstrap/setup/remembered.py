"""What was an earlier run told, that holds for the next ones too? Where the model is, and the port.

    .runtime/told.json    {"schema": 1, "model_dir": "/Volumes/Big/glimmer", "port": 4000}

Both are kept when a run begins that was told them, so that a second `./setup` neither fetches the
model anew into the usual folder nor forgets the port, also where the first one was killed.  What a
run is told itself wins, and is kept in its place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bootstrap.errors import UsageError

if TYPE_CHECKING:
    from bootstrap.layout import Layout
    from bootstrap.setup.request import Request

__all__ = ["TOLD", "Told", "keep_told", "told_before", "with_told"]

TOLD = "told.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Told:
    """What is kept; None is what nobody said."""

    model_dir: Path | None = None
    port: int | None = None


def told_before(places: Layout) -> Told:
    """What an earlier run was told.

    Raises:
        UsageError: it is kept, and cannot be read.
    """
    path = places.made / TOLD
    try:
        return _read(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Told()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise UsageError(
            f"{path} does not say what an earlier run was told ({problem!r}); remove it, and say"
            " --model-dir and --port again where they are meant"
        ) from problem


def _read(told: dict[str, Any]) -> Told:
    if told["schema"] != SCHEMA:
        raise ValueError(f"schema {told['schema']}")
    folder, port = told["model_dir"], told["port"]
    return Told(None if folder is None else Path(str(folder)), None if port is None else int(port))


def with_told(request: Request, places: Layout) -> Request:
    """A request, with what an earlier run was told where this one is not."""
    before = told_before(places)
    recalled = [
        key
        for key, found in (("model_dir", before.model_dir), ("port", before.port))
        if found is not None and getattr(request, key) is None
    ]
    return replace(
        request,
        model_dir=request.model_dir or before.model_dir,
        port=request.port or before.port,
        remembered=tuple(recalled),
    )


def keep_told(request: Request, places: Layout) -> None:
    """Keep what this run was told; nothing is written where that is kept already."""
    now = Told(request.model_dir, request.port)
    if now == told_before(places):
        return
    folder = None if now.model_dir is None else str(now.model_dir)
    places.made.mkdir(parents=True, exist_ok=True)
    fresh = places.made / f".{TOLD}.new"
    text = json.dumps({"schema": SCHEMA, "model_dir": folder, "port": now.port}, indent=2)
    fresh.write_text(f"{text}\n", encoding="utf-8")
    fresh.replace(places.made / TOLD)
