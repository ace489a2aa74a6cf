"""Are finished runs listed and shown, and nothing else of anybody's disk?"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from playground.benchmark_reports import POLICY, ReportEntry, read_entry
from playground.settings import Settings
from playground.testing import client_of, scripted_app

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

SCRIPT = {"replies": [{"text": "Hello"}]}
RESULT: dict[str, Any] = {
    "schema": 1,
    "outcome": "pass",
    "ended_at": "2026-11-29T19:00:00.203+00:00",
    "scenario": {"name": "warm-resume", "question": "Is it warm?"},
    "comparisons": [
        {"name": "no ratio", "ratio": None, "low": None, "high": None},
        {"name": "warm against cold", "turn": 2, "ratio": 19.74, "low": 17.9, "high": 23.07},
    ],
}


def a_run(folder: Path, name: str, **fields: object) -> Path:
    """A finished run."""
    run = folder / name
    run.mkdir(parents=True)
    (run / "result.json").write_text(json.dumps({**RESULT, **fields}))
    (run / "report.html").write_text(f"<style>p {{}}</style><p>{name}</p>")
    (run / "trace.jsonl").write_text("{}")
    return run


def asked(folder: Path | None, *paths: str) -> list[httpx.Response]:
    """Answers of a server that was given this folder."""

    async def run() -> list[httpx.Response]:
        settings = Settings(reports=folder, ui_dir=None)
        async with scripted_app(SCRIPT, settings) as playground, client_of(playground) as client:
            return [await client.get(path) for path in paths]

    return asyncio.run(run())


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    """By when they ended; one that has not ended, and what is no run, is not there."""
    a_run(tmp_path, "a-old", ended_at="2026-01-01T00:00:00+00:00")
    a_run(tmp_path, "b-new")
    a_run(tmp_path, "c-undated", ended_at=None)
    (a_run(tmp_path, "d-running") / "report.html").unlink()
    (a_run(tmp_path, "e-running") / "result.json").unlink()
    (tmp_path / "LOG.md").write_text("no run")

    (answer,) = asked(tmp_path, "/api/reports")

    told = answer.json()
    assert told["directory"] == str(tmp_path)
    assert [entry["name"] for entry in told["reports"]] == ["b-new", "a-old", "c-undated"]
    assert told["reports"][0] == {
        "name": "b-new",
        "scenario": "warm-resume",
        "verdict": "pass",
        "headline": "warm against cold, turn 2: 19.7 times (17.9 to 23.1)",
        "finished": "2026-11-29T19:00:00.203+00:00",
    }


def test_a_report_shows_itself_and_can_do_nothing(tmp_path: Path) -> None:
    """One policy alone, the report's own: no script, no request, not even this origin."""
    a_run(tmp_path, "20261129T190000Z-warm-resume")

    (answer,) = asked(tmp_path, "/reports/20261129T190000Z-warm-resume/report.html")

    assert answer.text == "<style>p {}</style><p>20261129T190000Z-warm-resume</p>"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers.get_list("content-security-policy") == [POLICY]
    assert "allow-scripts" not in POLICY
    assert "allow-same-origin" not in POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/reports/run/trace.jsonl",
        "/reports/run/result.json",
        "/reports/run",
        "/reports/",
        "/reports/run/",
        "/reports/run/report.html/",
        "/reports/nothing/report.html",
        "/reports/../report.html",
        "/reports/%2e%2e/report.html",
        "/reports/..%2foutside/report.html",
        "/reports/%2e%2e%2foutside/report.html",
        "/reports/run/../../outside/report.html",
        "/reports/run%2f..%2f..%2foutside/report.html",
        "/reports/%252e%252e/report.html",
        "/reports/..\\outside/report.html",
        "/reports/./report.html",
        "/reports/.hidden/report.html",
        "/reports/%00/report.html",
        "/reports/run%00/report.html",
        "/reports/linked-folder/report.html",
        "/reports/linked-report/report.html",
        "/reports/linked-inside/report.html",
        f"/reports/{'x' * 300}/report.html",
    ],
)
def test_nothing_else_is_served(tmp_path: Path, path: str) -> None:
    """No other file, no folder above, no link, and no name that is none."""
    outside = a_run(tmp_path, "outside")
    folder = tmp_path / "runs"
    run = a_run(folder, "run")
    a_run(folder, ".hidden")
    (tmp_path / "report.html").write_text("outside")
    (folder / "linked-folder").symlink_to(outside, target_is_directory=True)
    (folder / "linked-inside").symlink_to(run, target_is_directory=True)
    (a_run(folder, "linked-report") / "report.html").unlink()
    (folder / "linked-report" / "report.html").symlink_to(outside / "report.html")

    answer, listed = asked(folder, path, "/api/reports")

    assert answer.status_code == 404
    assert [entry["name"] for entry in listed.json()["reports"]] == ["run"]


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    """Whoever started the server named it."""
    a_run(tmp_path / "real", "run")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)

    listed, shown = asked(tmp_path / "link", "/api/reports", "/reports/run/report.html")

    assert [entry["name"] for entry in listed.json()["reports"]] == ["run"]
    assert shown.status_code == 200


def test_without_a_folder_there_are_no_reports() -> None:
    """The page says how to name one."""
    listed, shown = asked(None, "/api/reports", "/reports/run/report.html")

    assert listed.json() == {"directory": None, "reports": []}
    assert shown.status_code == 404


def test_a_folder_that_is_not_there_yet_has_no_runs(tmp_path: Path) -> None:
    """The first run makes it."""
    (listed,) = asked(tmp_path / "runs", "/api/reports")

    assert listed.json() == {"directory": str(tmp_path / "runs"), "reports": []}


def test_a_run_that_is_derived_again_is_read_again(tmp_path: Path) -> None:
    """What was read before is used only for the very same file."""
    run = a_run(tmp_path, "run")

    async def scenario() -> list[str]:
        settings = Settings(reports=tmp_path, ui_dir=None)
        async with scripted_app(SCRIPT, settings) as playground, client_of(playground) as client:
            verdicts = []
            for outcome in ("pass", "inconclusive"):
                (run / "result.json").write_text(json.dumps({**RESULT, "outcome": outcome}))
                listed = (await client.get("/api/reports")).json()["reports"]
                verdicts.append(listed[0]["verdict"])
            return verdicts

    assert asyncio.run(scenario()) == ["pass", "inconclusive"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (b"", ReportEntry("run")),
        (b"\xff{", ReportEntry("run")),
        (b"[1]", ReportEntry("run")),
        (b"{}", ReportEntry("run")),
        (
            b'{"outcome":3,"scenario":"x","comparisons":{},"ended_at":["now"]}',
            ReportEntry("run"),
        ),
        (
            b'{"scenario":{"name":"s","question":"Q?"},"comparisons":[7,{"name":"c","ratio":"x"}]}',
            ReportEntry("run", scenario="s", headline="Q?"),
        ),
        (
            b'{"comparisons":[{"name":"rate","times_better":1.5,"low":1,"high":2}]}',
            ReportEntry("run", headline="rate: 1.5 times (1 to 2)"),
        ),
    ],
)
def test_a_result_is_read_as_far_as_it_goes(result: bytes, expected: ReportEntry) -> None:
    """Of another version, or damaged: what cannot be read is not said."""
    assert read_entry("run", result) == expected
