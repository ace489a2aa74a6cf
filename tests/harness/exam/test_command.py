"""`muse-bench run` plays exams too: over HTTP, against a playground that answers from a script."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

EXAM = """\
name = "towns"
question = "does it answer, drafted or not?"
answer = "how often"
needs = ["dflash"]
cases.file = "towns.jsonl"
settings.temperature = 0.0
[[leg]]
name = "plain"
settings = { extra = { muse = { dflash = false } } }
[[leg]]
name = "dflash"
[[goal]]
leg = "dflash"
of = "overall"
at_least = 0.5
[[goal]]
leg = "dflash"
of = "malformed"
at_most = 0
[[identical]]
legs = ["plain", "dflash"]
at_least = 1.0
"""


def command(*argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command."""
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, out, err)
    return code, out.getvalue(), err.getvalue()


def case(name: str, wanted: str, group: str = "towns") -> dict[str, Any]:
    """A case that asks where someone lives."""
    messages = [{"role": "user", "content": f"Where does {name} live?"}]
    expect = {"contains": [wanted]}
    return {"id": name.lower(), "skill": group, "messages": messages, "expect": expect}


@pytest.fixture(name="exam")
def _exam(tmp_path: Path) -> Path:
    """An exam of three cases in two groups, beside its file."""
    cases = [case("Ada", "Oslo"), case("Ben", "Rome"), case("Cem", "Oslo", "others")]
    lines = "".join(json.dumps(each) + "\n" for each in cases)
    (tmp_path / "towns.jsonl").write_text(lines, encoding="utf-8")
    path = tmp_path / "towns.toml"
    path.write_text(EXAM, encoding="utf-8")
    return path


def scripted(folder: Path, **more: Any) -> tuple[str, ...]:  # noqa: ANN401 - JSON
    """What makes the playground answer from a script."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    path = folder / "script.json"
    reply = {"text": " to=user<|message|>In Oslo.<|eot|>"}
    path.write_text(json.dumps({"step_ms": 0.1, "replies": [reply], **more}))
    return "--", "--script", str(path)


def test_a_exam_is_played_reported_and_derived_again(exam: Path) -> None:
    """Two of three answers are right, drafted ones are the same; one command."""
    folder = exam.parent / "run"
    model = scripted(exam.parent, draft_tokens=3, tokens_per_round=3)

    code, out, err = command("run", "--scenario", str(exam), "--out", str(folder), *model)

    assert code == 0, err
    assert out.splitlines()[-1].strip() == "All 3 checks passed."
    assert err.splitlines()[-1] == "[6/6] plain 2 of 3 right, dflash 2 of 3 right"
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    (drafted,) = [each for each in result["drafting"] if each["group"] == ""]
    assert drafted["leg"] == "dflash"
    assert drafted["tokens_per_round"] > 2
    assert command("report", str(folder), "--check") == (0, "", "")


def test_a_target_without_what_is_needed_is_skipped(exam: Path) -> None:
    """Code 3, and why; no turn was sent, and none counts as missing."""
    model = scripted(exam.parent)

    code, out, _ = command(
        "run", "--scenario", str(exam), "--out", str(exam.parent / "run"), "--json", *model
    )

    result = json.loads(out)
    assert (code, result["outcome"], result["turns"]) == (3, "inconclusive", [])
    assert [(v["check"], v["outcome"]) for v in result["verdicts"]] == [("target.claims", "skip")]
    assert result["unplayed"] == []


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            ["--seed", "3"],
            "--seed is for scenarios of kind ",
        ),
        (["--first", "0"], "argument --first: '0' is not a whole number above 0"),
    ],
)
def test_wrong_use_is_one_line_and_code_2(exam: Path, argv: list[str], said: str) -> None:
    """And nothing is left behind."""
    code, _, err = command("run", "--scenario", str(exam), *argv)

    assert code == 2
    assert err.startswith(f"muse-bench: {said}")
    assert err.count("\n") == 1


def test_first_is_for_cases() -> None:
    """A conversation has none."""
    code, _, err = command("run", "--scenario", "warm-resume", "--first", "1")

    assert (code, err) == (
        2,
        "muse-bench: --first is for scenarios of kind exam; this one is of kind conversation\n",
    )


def test_a_mistake_among_the_cases_is_told_with_their_file(exam: Path) -> None:
    """Not with the scenario's."""
    cases = exam.with_name("towns.jsonl")
    cases.write_text('{"id": "a"}\n', encoding="utf-8")

    code, _, err = command("run", "--scenario", str(exam))

    assert code == 2
    assert err.startswith(f"muse-bench: {cases}:1: ")
