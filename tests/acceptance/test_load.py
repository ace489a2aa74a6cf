"""Load on the real thing, in short: embedded model, real processes, over HTTP.

What is asserted is what must hold on any machine: order, answers, refusals, places.  What takes
time may be left open where the machine was marked, and there only.
"""

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


def test_many_at_once_are_served_in_turn(tmp_path: Path) -> None:
    """Nothing fails; what could not be told names a mark; the reports come out the same again."""
    out, err = io.StringIO(), io.StringIO()

    code = main(
        ["run", "--scenario", "load", "--rounds", "3", "--json", "--out", str(tmp_path)], out, err
    )

    result = json.loads(out.getvalue() or "{}")
    told = [v for v in result.get("verdicts", ()) if v["outcome"] != "pass"]
    assert [v for v in told if "dirty" not in v["message"] and "; but " not in v["message"]] == []
    assert {v["outcome"] for v in told} <= {"inconclusive"}, err.getvalue()
    assert (code, result["unplayed"]) == (3 if told else 0, [])
    assert {r["fate"] for r in result["requests"] if r["phase"] == "loop"} == {"served"}
    assert main(["report", str(tmp_path), "--check"], io.StringIO(), io.StringIO()) == 0
