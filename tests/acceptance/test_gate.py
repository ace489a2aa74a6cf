"""Whole gates, small: what is broken on purpose is found, each in its way, and nothing else is.

The sides are real pins, each in its own environment; where that is not prepared, nothing is tested,
for it takes minutes: `python -m bootstrap prepare embedded`, and `embedded-prev`; tox does.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main
from harness.target import missing_extra

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
PINS, POLICY = ROOT / "tests" / "gate" / "pins.toml", ROOT / "tests" / "gate" / "small.toml"
PREPARED = [ROOT / ".runtime" / name for name in ("embedded", "embedded-prev")]

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]"),
    pytest.mark.skipif(
        not all(folder.is_dir() for folder in PREPARED),
        reason="needs `python -m bootstrap prepare` of embedded and embedded-prev first",
    ),
]


def gate(
    folder: Path, candidate: str, baseline: str = "embedded"
) -> tuple[int, Mapping[str, Any], str]:
    """Exit code, result and last words of a gate."""
    pytest.importorskip("scipy", reason="needs the extra [gate]")
    out, err = io.StringIO(), io.StringIO()
    asked = ["--baseline", baseline, "--candidate", candidate, "--out", str(folder)]
    code = main(["gate", *asked, "--pins", str(PINS), "--policy", str(POLICY)], out, err)
    said = f"{out.getvalue()}\n{err.getvalue()}"
    assert (folder / "result.json").is_file(), said
    assert main(["report", str(folder), "--check"], out, err) == 0, err.getvalue()
    return code, json.loads((folder / "result.json").read_text(encoding="utf-8")), said


def checks(result: Mapping[str, Any], ruling: str) -> set[str]:
    """The checks of the suite or the starts that say this against the candidate."""
    return {row["check"] for row in result["checks"] if row["ruling"] == ruling}


def test_a_runtime_that_forgets_fails_on_correctness(tmp_path: Path) -> None:
    """Whatever its rates are; nothing is measured, for nothing could save it."""
    code, result, said = gate(tmp_path / "gate", "forgetful")

    assert (code, result["ruling"]) == (1, "fail"), said
    assert checks(result, "fail") == {"resume.reset_reason", "resume.reuses_resident"}
    assert checks(result, "refused") == set()
    assert result["pairs"] == 0


def test_a_runtime_that_lies_is_refused(tmp_path: Path) -> None:
    """Its figures cannot be true, so that they are compared with nobody's."""
    code, result, said = gate(tmp_path / "gate", "lying")

    assert (code, result["ruling"]) == (2, "refused"), said
    assert checks(result, "refused") == {"clocks.agree"}
    assert checks(result, "fail") == set()
    assert result["pairs"] == 0


def test_the_same_on_both_sides_does_not_fail(tmp_path: Path) -> None:
    """A busy machine may keep it from passing; of what is loaded, nothing is apart."""
    code, result, said = gate(tmp_path / "gate", "embedded")

    assert (code, result["ruling"]) in {(0, "pass"), (3, "inconclusive")}, said
    assert checks(result, "fail") | checks(result, "refused") == set()
    assert (result["pairs"], result["differences"]) == (2, [])


def test_two_releases_of_the_runtime_are_told_apart_and_compared(tmp_path: Path) -> None:
    """Each side is what its pin says, and what they differ in is the release and nothing else."""
    code, result, said = gate(tmp_path / "gate", "embedded", baseline="embedded-prev")

    assert (code, result["ruling"]) in {(0, "pass"), (3, "inconclusive")}, said
    assert checks(result, "fail") | checks(result, "refused") == set()
    changed = {each["what"]: each for each in result["differences"]}
    assert {each["under_test"] for each in changed.values()} == {True}
    assert changed["executorch"]["baseline"] == "1.5.0"
    assert changed["executorch"]["candidate"] == "1.5.1"
    assert result["answers"]["ruling"] != "fail"
