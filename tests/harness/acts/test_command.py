"""`muse-bench run` plays acts too: over HTTP, against a playground that answers from a script."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

ACTS = """\
name = "towns"
question = "does it go on?"
answer = "whether it does"
[[opening]]
do = "ask"
says = "Where does Ada live?"
expect = { reset = "new", contains = ["Oslo"] }
[[cell]]
name = "places"
about = "a stranger waits"
needs = ["maxNamedSessions=1"]
act = [
    { by = "bob", do = "ask", says = "And Ben?", expect = { status = 429 } },
    { do = "again", expect = { contains = ["Oslo"] } },
    { do = "reset" },
    { do = "again", expect = { reset = "new" } },
    { do = "close" },
    { by = "bob", do = "ask", says = "And Ben?", expect = { reset = "new", contains = ["Rome"] } },
]
[[cell]]
name = "flight"
needs = ["wings"]
act = [{ do = "ask", says = "Can you fly?" }]
"""

STOPPED = """\
name = "stopped"
question = "is it told?"
answer = "whether it is"
[[cell]]
name = "midway"
needs = ["restart"]
act = [
    { do = "ask", says = "Go on.", restarts = "stop" },
    { do = "reset" },
]
"""


def command(*argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command."""
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(name="acts")
def _acts(tmp_path: Path) -> Path:
    """A file of acts that a playground that only says Oslo cannot please."""
    path = tmp_path / "towns.toml"
    path.write_text(ACTS, encoding="utf-8")
    return path


def scripted(folder: Path, text: str = "In Oslo.", step_ms: float = 0.1) -> tuple[str, ...]:
    """What makes the playground answer from a script."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    path = folder / "script.json"
    reply = {"text": f" to=user<|message|>{text}<|eot|>"}
    path.write_text(json.dumps({"step_ms": step_ms, "replies": [reply]}))
    return "--", "--script", str(path)


def failed(result: dict[str, Any]) -> list[tuple[str, str]]:
    """What failed, and where."""
    return [(v["check"], v["about"]) for v in result["verdicts"] if v["outcome"] == "fail"]


def test_acts_are_run_and_reported(acts: Path, tmp_path: Path) -> None:
    """What was wrong is red, and only that; what the target lacks is skipped, and says why."""
    folder = tmp_path / "run"

    code, out, err = command(
        "run", "--scenario", str(acts), "--json", "--out", str(folder), *scripted(tmp_path)
    )

    result = json.loads(out)
    assert (code, failed(result)) == (1, [("answer.expected", "places.bob request 2, repeat 1")])
    assert [(t["method"], t["status"]) for t in result["turns"]] == [
        ("POST", 200),
        ("POST", 429),
        ("POST", 200),
        ("POST", 200),
        ("POST", 200),
        ("DELETE", 200),
        ("POST", 200),
    ]
    assert [v["about"] for v in result["verdicts"] if v["check"] == "target.claims"] == ["flight"]
    assert "[5/5]" in err
    assert command("report", str(folder), "--check") == (0, "", "")


def test_a_person_sees_threads_and_what_failed(acts: Path, tmp_path: Path) -> None:
    """The verdict is last, where the eye is."""
    folder = tmp_path / "run"

    _, out, _ = command("run", "--scenario", str(acts), "--out", str(folder), *scripted(tmp_path))

    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "places.ann 5 pass" in lines
    assert "places.bob 2 fail" in lines
    assert "the answer does not say 'Rome': 'In Oslo.'" in lines
    assert lines[-1].endswith("failed (1 skipped).")


def test_a_target_of_ours_is_stopped_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    """What it could not finish it tells as an error, and the one that is started next answers."""
    acts = tmp_path / "stopped.toml"
    acts.write_text(STOPPED, encoding="utf-8")
    passed_on = scripted(tmp_path, text="and on " * 200, step_ms=5.0)

    code, out, _ = command(
        *("run", "--scenario", str(acts), "--json", "--out", str(tmp_path / "run")), *passed_on
    )

    told = [(v["check"], v["message"]) for v in json.loads(out)["verdicts"]]
    assert code == 0
    assert (
        "stream.cut",
        "broken off as in_band_error: the server was stopped before the answer was complete",
    ) in told
    assert ("request.status", "answered 200") in told


def test_acts_have_no_cases(acts: Path) -> None:
    """`--first` would be passed over in silence."""
    code, _, err = command("run", "--scenario", str(acts), "--first", "1")

    assert code == 2
    assert "--first is for scenarios of kind exam; this one is of kind acts" in err
