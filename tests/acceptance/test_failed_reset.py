"""A reset that fails leaves everything as it was; the next one empties the session."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from harness.cli import main

pytestmark = pytest.mark.acceptance

ACTS = Path(__file__).with_name("failed-reset.toml")
REPLIES = [
    {"match": "number is 42", "text": " to=user<|message|>It is 42.<|eot|>"},
    {"match": "number is 17", "text": " to=user<|message|>It is 17.<|eot|>"},
]


@pytest.mark.parametrize(("failures", "wrong"), [(1, []), (0, ["answered 200"])])
def test_a_failed_reset_changes_nothing(failures: int, wrong: list[str], tmp_path: Path) -> None:
    """A server that cannot be made to fail shows that the scenario asks for it."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    script, folder = tmp_path / "script.json", tmp_path / "run"
    script.write_text(json.dumps({"replies": REPLIES, "step_ms": 0.1, "reset_failures": failures}))
    out, err = io.StringIO(), io.StringIO()
    asked = ["run", "--scenario", str(ACTS), "--json", "--out", str(folder)]

    code = main([*asked, "--", "--script", str(script)], out, err)

    result = json.loads(out.getvalue() or "{}")
    failed = [v["message"] for v in result.get("verdicts", ()) if v["outcome"] != "pass"]
    assert [message.partition(",")[0] for message in failed] == wrong, err.getvalue()
    assert (code, len(result["unplayed"])) == ((0, 0) if not wrong else (1, 6))
