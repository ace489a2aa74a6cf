"""`muse-bench run --suite`: one process, one folder, one exit code."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TALK = """\
name = "talk"
question = "Does it answer?"
answer = "whether it does"
[[turn]]
user = "Where does Ada live?"
expect.contains = ["Oslo"]
[[leg]]
name = "warm"
session = "kept"
"""
SUITE = """\
name = "small"
question = "Is it good?"
[[part]]
scenario = "talk.toml"
repeat = 2
[[part]]
name = "again"
scenario = "talk.toml"
"""


def command(*argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command."""
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(name="suite")
def _suite(tmp_path: Path) -> Path:
    """A suite of two parts, beside its scenario."""
    (tmp_path / "talk.toml").write_text(TALK, encoding="utf-8")
    path = tmp_path / "small.toml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def scripted(folder: Path, town: str = "Oslo") -> tuple[str, ...]:
    """What makes the playground answer from a script."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    path = folder / "script.json"
    reply = {"text": f" to=user<|message|>In {town}.<|eot|>"}
    path.write_text(json.dumps({"step_ms": 0.1, "replies": [reply]}))
    return "--", "--script", str(path)


def test_a_suite_is_played_against_one_process(suite: Path, tmp_path: Path) -> None:
    """All its parts met the same one; everything can be derived again from the folder."""
    folder = tmp_path / "run"

    code, out, err = command(
        "run", "--suite", str(suite), "--out", str(folder), *scripted(tmp_path)
    )

    records = [json.loads((folder / part / "run.json").read_text()) for part in ("talk", "again")]
    assert code == 0, err
    assert out.splitlines()[-1].strip() == "All 2 parts passed."
    assert len({record["target"]["url"] for record in records}) == 1
    assert len(err.splitlines()) == 3
    assert command("report", str(folder), "--check") == (0, "", "")
    assert not (folder / "talk" / "playground.log").exists()


def test_json_is_that_of_the_suite(suite: Path, tmp_path: Path) -> None:
    """A wrong answer in one part ends with 1."""
    folder = tmp_path / "run"

    code, out, _ = command(
        *("run", "--suite", str(suite), "--only", "again", "--json", "--out", str(folder)),
        *scripted(tmp_path, "Rome"),
    )

    assert code == 1
    assert out == (folder / "result.json").read_text(encoding="utf-8")
    assert [part["name"] for part in json.loads(out)["parts"]] == ["again"]


def test_a_report_of_a_part_that_was_changed_is_found(suite: Path, tmp_path: Path) -> None:
    """By its path in the folder; deriving it again mends it."""
    folder = tmp_path / "run"
    command("run", "--suite", str(suite), "--out", str(folder), *scripted(tmp_path))
    (folder / "again" / "report.md").write_text("All passed\n")

    code, _, err = command("report", str(folder), "--check")

    assert (code, err) == (
        1,
        f"muse-bench: {folder / 'again' / 'report.md'} is not what its traces say\n",
    )
    assert command("report", str(folder))[0] == 0
    assert command("report", str(folder), "--check")[0] == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--suite", "acept"], "unknown suite 'acept'; known: acceptance"),
        (["--suite", "no.toml"], "no.toml: cannot be read"),
        (["--suite", "acceptance", "--repeat", "3"], "--repeat is for one scenario; what a suite"),
        (["--suite", "acceptance", "--driver", "browser"], "of a suite try --driver both"),
        (["--suite", "acceptance", "--only", "x"], "--only 'x' is no part of the suite; it has: "),
        (["--scenario", "sessions", "--quick"], "--quick is for a suite; try --suite acceptance"),
        (["--scenario", "sessions", "--suite", "acceptance"], "not allowed with argument"),
    ],
)
def test_wrong_use_is_one_line_and_code_2(argv: list[str], said: str) -> None:
    """And nothing is played."""
    code, out, err = command("run", *argv)

    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_dead_address_leaves_no_folder(suite: Path, tmp_path: Path) -> None:
    """As for one scenario."""
    out = tmp_path / "run"

    code, _, err = command(
        "run", "--suite", str(suite), "--target", "http://127.0.0.1:9", "--out", str(out)
    )

    assert code == 3
    assert err.startswith("muse-bench: no answer from http://127.0.0.1:9/health (")
    assert not out.exists()
