"""Which runs of `muse-bench` are there to read, and what is served of them?

`--reports DIR` names a folder whose folders are runs. A run that has ended has `result.json` and
`report.html`; the first says in a line what came of it, the second is shown. Nothing else of the
folder is served, and nothing that is reached over a link, be it of a folder or of a file.

    GET /api/reports               {"directory": …, "reports": [ReportEntry…]}, newest first
    GET /reports/{name}/report.html

A report is a file of somebody's making: its own policy lets it use the styles and pictures that it
holds, and neither scripts nor requests nor this server's origin.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic_core import from_json

from playground.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["POLICY", "ReportEntry", "ReportFolder", "read_entry", "reports_router"]

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
RESULT, REPORT = "result.json", "report.html"


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A run in a line; None is what its result does not say."""

    name: str
    """The run's folder."""
    scenario: str | None = None
    verdict: str | None = None
    """pass, fail or inconclusive."""
    headline: str | None = None
    finished: str | None = None
    """ISO 8601."""


class ReportFolder:
    """The folder that was named at start; it need not exist yet, and is read anew each time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._read: dict[tuple[str, int, int], ReportEntry] = {}

    def entries(self) -> list[ReportEntry]:
        """The runs that have ended, newest first."""
        entries = dict(self._entries())
        self._read = entries
        return sorted(entries.values(), key=lambda e: (e.finished or "", e.name), reverse=True)

    def report(self, name: str) -> bytes | None:
        """The HTML of a run's report; None if there is no such run."""
        path = self._file(name, REPORT)
        return None if path is None else path.read_bytes()

    def _entries(self) -> Iterator[tuple[tuple[str, int, int], ReportEntry]]:
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError:
            return
        for name in names:
            result = self._file(name, RESULT)
            if result is None or self._file(name, REPORT) is None:
                continue
            seen = result.stat()
            key = name, seen.st_mtime_ns, seen.st_size
            yield key, self._read.get(key) or read_entry(name, result.read_bytes())

    def _file(self, name: str, file: str) -> Path | None:
        """A file of a run, if it is one and lies where its path says."""
        if not NAME.fullmatch(name):
            return None
        path = self.folder.resolve() / name / file
        return path if path.is_file() and path.resolve() == path else None


def read_entry(name: str, result: bytes) -> ReportEntry:
    """What a `result.json` says, of this version or another; what cannot be read is not said."""
    try:
        told = from_json(result)
    except ValueError:
        return ReportEntry(name)
    if not isinstance(told, dict):
        return ReportEntry(name)
    scenario = told.get("scenario")
    scenario = scenario if isinstance(scenario, dict) else {}
    return ReportEntry(
        name,
        scenario=_text(scenario.get("name")),
        verdict=_text(told.get("outcome")),
        headline=_compared(told.get("comparisons")) or _text(scenario.get("question")),
        finished=_text(told.get("ended_at")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _compared(comparisons: object) -> str | None:
    """The first comparison that has a ratio: its name, the ratio and its interval."""
    for each in comparisons if isinstance(comparisons, list) else ():
        if not isinstance(each, dict):
            continue
        name, turn = _text(each.get("name")), each.get("turn")
        ratio, low, high = (each.get(key) for key in ("ratio", "low", "high"))
        ratio = each.get("times_better") if ratio is None else ratio
        if name and all(isinstance(number, float | int) for number in (ratio, low, high)):
            which = f", turn {turn}" if isinstance(turn, int) else ""
            return f"{name}{which}: {ratio:.3g} times ({low:.3g} to {high:.3g})"
    return None


def reports_router(folder: ReportFolder | None) -> APIRouter:
    """The two routes; without a folder there are no runs."""
    router = APIRouter()

    @router.get("/api/reports")
    async def list_reports() -> Response:
        entries = await asyncio.to_thread(folder.entries) if folder else []
        told: list[dict[str, Any]] = [asdict(entry) for entry in entries]
        directory = str(folder.folder) if folder else None
        return JSONResponse({"directory": directory, "reports": told})

    @router.get("/reports/{name}/report.html")
    async def show_report(name: str) -> Response:
        page = await asyncio.to_thread(folder.report, name) if folder else None
        if page is None:
            raise NotFound(f"there is no run {name!r} with a report")
        return HTMLResponse(page, headers={"content-security-policy": POLICY})

    return router
