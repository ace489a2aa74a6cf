"""Does the scenario of the page find what is right and what is wrong on a page?"""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright")

from harness.cli import main
from harness.target import missing_extra
from harness.testing import RawServer, json_script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playground.testing import ServerProcess

pytestmark = pytest.mark.browser

ANSWER = "I see what you mean."
SCRIPT: dict[str, Any] = {
    "step_ms": 2.0,
    "replies": [
        {
            "match": "Count on",
            "text": " ".join(f"and {number}" for number in range(1, 400)),
            "step_ms": 12.0,
        },
        {"match": "green", "text": "It is green."},
        {"match": "blue", "text": "It is **blue**."},
        {"text": ANSWER},
    ],
}

HEAD = """\
name = "some"
question = "does it?"
answer = "whether it does"
system = "Be brief."
[limits]
stop_quiet_s = 30.0
"""
ALL = """\
[[visit]]
name = "talk"
step = [
    { do = "ask", says = "My colour is blue.", expect = { reset = "new", contains = ["blue"] } },
    { do = "figures" },
    { do = "edit", message = 1, says = "My colour is green.", save = false },
    { do = "edit", message = 1, says = "It is green.", expect = { reset = "new" } },
    { do = "ask", says = "Which?", expect = { reset = "exact_prefix" } },
    { do = "regenerate", expect = { reset = "mismatch" } },
    { do = "edit", message = 2, says = "Noted." },
    { do = "ask", says = "Which?", expect = { contains = ["green"] } },
    { do = "reload" },
    { do = "ask", says = "Hello.", expect = { reset = "mismatch", excludes = ["green"] } },
    { do = "new-chat" },
    { do = "stop", says = "Count on", after = "content" },
    { do = "ask", says = "Hello.", expect = { contains = ["and"] } },
]
"""
WIDTHS = """\
[[visit]]
name = "widths"
step = [{ do = "fit", widths = [1440, 390] }]
"""


def run(tmp_path: Path, chromium: str, visits: str, url: str) -> tuple[int, dict[str, Any]]:
    """Play visits; the exit code and the result."""
    scenario = tmp_path / "some.toml"
    scenario.write_text(HEAD + visits)
    out, err = io.StringIO(), io.StringIO()
    arguments = ["--scenario", str(scenario), "--target", url, "--chromium", chromium]
    code = main(["run", *arguments, "--out", str(tmp_path / "run"), "--json"], out, err)
    assert out.getvalue(), err.getvalue()
    return code, json.loads(out.getvalue())


def failed(result: dict[str, Any]) -> dict[str, str]:
    """What failed, and what was said of it.

    A token of a script is a byte, control text among them, so that counts are no matter here.
    """
    failed = [v for v in result["verdicts"] if v["outcome"] == "fail"]
    return {v["check"]: v["message"] for v in failed if v["check"] != "counts.agree"}


def test_a_page_that_does_all_of_it_passes(
    serve: Callable[..., ServerProcess], chromium: str, tmp_path: Path
) -> None:
    """Every step can be taken; the reports come out the same again."""
    server = serve(SCRIPT)

    _, result = run(tmp_path, chromium, ALL + WIDTHS, server.url)

    assert failed(result) == {}
    assert result["unplayed"] == []
    checks = {v["check"] for v in result["verdicts"] if v["outcome"] == "pass"}
    assert {"page.stops", "page.edits", "page.keeps", "page.again", "page.new_chat"} <= checks
    assert {"page.reload", "page.figures", "page.fits", "page.clean", "page.typed"} <= checks
    again = main(["report", str(tmp_path / "run"), "--check"], io.StringIO(), io.StringIO())
    assert again == 0


def test_a_page_that_is_too_wide_and_complains_is_found_out(
    built_page: Path, serve: Callable[..., ServerProcess], chromium: str, tmp_path: Path
) -> None:
    """By what it did, and by nothing else."""
    spoilt = shutil.copytree(built_page, tmp_path / "spoilt")
    (style,) = (spoilt / "assets").glob("*.css")
    style.write_text(style.read_text() + ".header{min-width:700px}")
    script = spoilt / "theme.js"
    script.write_text(script.read_text() + ';console.error("I do not feel well");')
    server = serve(SCRIPT, "--ui-dir", str(spoilt))

    code, result = run(tmp_path, chromium, WIDTHS, server.url)

    found = failed(result)
    assert code == 1
    assert found.keys() == {"page.fits", "page.clean"}
    assert "at 390 px" in found["page.fits"]
    assert "at 1440 px" not in found["page.fits"]
    assert "I do not feel well" in found["page.clean"]


def test_a_server_without_our_page_is_skipped(chromium: str, tmp_path: Path) -> None:
    """With what it answered instead; nothing passed."""
    models = json_script({"data": [{"id": "another"}]})
    nothing = json_script({"detail": "Not Found"}, status="404 Not Found")

    async def foreign() -> tuple[int, dict[str, Any]]:
        async with RawServer(lambda r: models if r.path == "/v1/models" else nothing) as server:
            return await asyncio.to_thread(run, tmp_path, chromium, WIDTHS, server.url)

    code, result = asyncio.run(foreign())

    (skipped,) = result["verdicts"]
    assert (code, skipped["outcome"], skipped["check"]) == (3, "skip", "page.plays")
    assert "answers 404" in skipped["message"]


@pytest.mark.embedded
@pytest.mark.acceptance
@pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]")
def test_our_page_keeps_every_promise(built_page: Path, chromium: str, tmp_path: Path) -> None:
    """With the embedded model; the harness starts it with its page.

    Whether the server's clock and the page's agree is not asked: on a busy machine a browser is
    late, and the scenario then says that it could not tell.
    """
    out, err = io.StringIO(), io.StringIO()
    arguments = ["--scenario", "page", "--chromium", chromium, "--out", str(tmp_path / "run")]

    code = main(["run", *arguments, "--json", "--", "--ui-dir", str(built_page)], out, err)

    result = json.loads(out.getvalue() or "{}")
    asked = [v for v in result.get("verdicts", ()) if v["check"] != "clocks.agree"]
    assert [v for v in asked if v["outcome"] != "pass"] == [], err.getvalue()
    unsure = [v for v in result["verdicts"] if v["outcome"] == "inconclusive"]
    assert (code, result["unplayed"]) == (3 if unsure else 0, [])
    assert len(asked) > 300
