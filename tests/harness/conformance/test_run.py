"""A run of probes, from the scenario file to the reports, over HTTP."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main
from harness.client import ChatClient
from harness.clock import SystemClock
from harness.conformance.runner import ProbesOrder, play_probes
from harness.conformance.scenario import parse_probes
from harness.errors import TargetUnreachable
from harness.fingerprint import Fingerprint
from harness.kinds import derive, reports_of
from harness.report.console import open_console
from harness.report.progress import PlainProgress
from harness.results import RunFolder
from harness.scenario_files import find_scenario
from harness.target import Target
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.judged import JudgedRun
    from harness.testing import RawServer, Received

    Serve = Callable[..., RawServer]

MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
WHOLE = find_scenario("sse-conformance").read_text(encoding="utf-8")
# The large body is for the real thing: it takes as long as all the others.
SCENARIO = WHOLE.replace("padding = 40", "padding = 2")


def run(server: RawServer, folder: Path, text: str = SCENARIO) -> tuple[JudgedRun, str]:
    """Send every probe; the result as it is derived from disk, and what was told meanwhile."""
    told = io.StringIO()
    order = ProbesOrder(parse_probes(text, Path("some.toml")), text, "salt", MACHINE)

    async def play() -> None:
        clock = SystemClock()
        async with server, ChatClient(server.url, clock) as chat:
            target = Target("url", server.url)
            progress = PlainProgress(open_console(told))
            kept = RunFolder.create(folder)
            await play_probes(order, target, chat, kept, clock=clock, progress=progress)

    asyncio.run(play())
    return derive(folder), told.getvalue()


def worse(result: JudgedRun) -> set[tuple[str, str]]:
    """Rules that failed or were noted, with the probe that shows it."""
    bad = {Outcome.FAIL, Outcome.NOTE}
    return {(j.verdict.check, j.about) for j in result.judged if j.verdict.outcome in bad}


def test_a_server_that_keeps_every_rule_is_told_so(serve: Serve, tmp_path: Path) -> None:
    """No note, no failure; only what it does not offer is skipped."""
    result, told = run(serve(), tmp_path / "run")

    assert worse(result) == set()
    assert (result.outcome, result.unplayed) == (Outcome.PASS, ())
    rules = json.loads(reports_of(result)["result.json"])["rules"]
    assert {each["rule"] for each in rules if each["outcome"] == "skip"} == {
        "n.choices",
        "error.frame",
        "usage.parts",
    }
    assert "sse-conformance" in told


def _leave_out_done(_request: Received, data: bytes) -> bytes:
    return b"" if data == b"data: [DONE]\n\n" else data


def _say_text(_request: Received, data: bytes) -> bytes:
    return data.replace(b"text/event-stream", b"text/plain")


def _tell_errors_in_a_stream(request: Received, data: bytes) -> bytes:
    if b'"hot"' not in request.body:
        return data
    return data.replace(b"400 Bad Request", b"200 OK")


def _count_wrongly(_request: Received, data: bytes) -> bytes:
    return data.replace(b'"prompt_tokens": 9', b'"prompt_tokens": 8')


STREAMS = ("stream", "next", "unicode", "escaped", "stop", "new-cap", "function")


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_leave_out_done, {("done.once", probe) for probe in STREAMS}),
        (_say_text, {("head.content_type", "stream"), ("head.content_type", "next")}),
        (_tell_errors_in_a_stream, {("refusal.status", "hot"), ("refusal.exact", "hot")}),
        (
            _count_wrongly,
            {
                ("usage.sums", probe)
                for probe in ("whole", "stream", "cap", "new-cap", "afterwards")
            },
        ),
    ],
)
def test_what_is_wrong_is_red_and_nothing_else(
    serve: Serve,
    tmp_path: Path,
    spoil: Callable[[Received, bytes], bytes],
    expected: set[tuple[str, str]],
) -> None:
    """One fault of a server shows in the rule that it breaks, wherever that is asked for."""
    result, _ = run(serve(spoil), tmp_path / "run")

    assert worse(result) == expected


def test_an_answer_too_short_to_cut_leaves_its_probes_out(serve: Serve, tmp_path: Path) -> None:
    """They are skipped, not missing."""

    def shorten(_request: Received, data: bytes) -> bytes:
        for word in (b" answer", b" is", b" nineteen.", b"answer is nineteen."):
            data = data.replace(b'"content": "' + word, b'"content": "')
        return data.replace(b"The answer is nineteen.", b"The")

    result, _ = run(serve(shorten), tmp_path / "run")

    told = {j.verdict.outcome for j in result.judged if j.about in {"stop", "stops"}}
    assert (told, result.unplayed) == ({Outcome.SKIP}, ())


def test_reports_come_out_the_same_again(serve: Serve, tmp_path: Path) -> None:
    """And name each rule with its level, its source and what it was seen in."""
    result, _ = run(serve(_leave_out_done), tmp_path / "run")

    reports = reports_of(result)

    assert reports == reports_of(derive(tmp_path / "run"))
    kept = {name: (tmp_path / "run" / name).read_text(encoding="utf-8") for name in reports}
    assert reports == kept
    row = next(line for line in reports["report.md"].splitlines() if "| done.once | MUST |" in line)
    assert "OpenAI API reference" in row
    assert row.endswith("| fail |")
    rules = {each["rule"]: each for each in json.loads(reports["result.json"])["rules"]}
    assert (rules["done.once"]["outcome"], rules["sse.utf8"]["outcome"]) == ("fail", "pass")
    assert "done.once" in reports["report.html"]


def test_half_a_character_can_be_reported(serve: Serve, tmp_path: Path) -> None:
    """What is no text at all breaks a rule, and no report."""

    def halve(_request: Received, data: bytes) -> bytes:
        return data.replace(b" nineteen.", b"\\ud83d nineteen.")

    result, _ = run(serve(halve), tmp_path / "run")

    assert ("text.characters", "stream") in worse(result)
    assert all(text.encode() for text in reports_of(result).values())


def test_a_server_that_dies_leaves_what_was_seen(serve: Serve, tmp_path: Path) -> None:
    """The probes that were not sent are counted as such."""

    def die(request: Received, data: bytes) -> bytes:
        if b'"stream": true' in request.body:
            assert server._server is not None
            server._server.close()
            return b""
        return data

    server = serve(die)

    with pytest.raises(TargetUnreachable):
        run(server, tmp_path / "run")

    result: Any = derive(tmp_path / "run")
    assert result.record.stopped.startswith("the target is gone")
    assert [label.leg for label in result.unplayed][:2] == ["next", "unicode"]
    assert result.exit_code == 1  # the stream that it died of


def test_the_command_runs_it_and_has_no_repeats(tmp_path: Path) -> None:
    """An option that a probe does not heed is refused before anything is sent."""
    err = io.StringIO()

    code = main(["run", "--scenario", "sse-conformance", "--repeat", "2"], io.StringIO(), err)

    assert code == 2
    assert "this one is of kind conformance" in err.getvalue()
