"""The playground is held against the rules of the OpenAI dialect: real model, real HTTP."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from harness.cli import main
from harness.target import missing_extra

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]"),
]

NOTED = {"chunk.only"}
"""Recommendations that the playground does not follow: `muse_metrics` has a frame of its own."""
SKIPPED = {"n.choices", "error.frame", "text.characters"}
"""What it refuses to offer, what does not happen, and what its model does not write."""


def test_the_playground_keeps_every_rule_that_clients_break_on(tmp_path: Path) -> None:
    """Nothing fails or is left out, what is noted is known, and the reports come out again."""
    out, err = io.StringIO(), io.StringIO()

    code = main(
        ["run", "--scenario", "sse-conformance", "--json", "--out", str(tmp_path)], out, err
    )

    result = json.loads(out.getvalue() or "{}")
    rules = {each["rule"]: each["outcome"] for each in result.get("rules", ())}
    assert {name for name, outcome in rules.items() if outcome == "note"} == NOTED, err.getvalue()
    assert {name for name, outcome in rules.items() if outcome == "skip"} == SKIPPED
    assert (code, result["outcome"], result["unplayed"]) == (0, "pass", [])
    assert main(["report", str(tmp_path), "--check"], io.StringIO(), io.StringIO()) == 0
