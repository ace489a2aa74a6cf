"""What a gate plays at each start, against the real thing: every figure of the policy is there.

One start, and one repeat of what is timed.  How long anything took is not asserted.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.cli import main
from harness.gate.extract import read_start
from harness.gate.policy import find_policy, parse_policy
from harness.gate.record import Side, StartRecord, start_path
from harness.results import read_record
from harness.target import missing_extra

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]"),
]
AT = "2026-01-01T00:00:00+00:00"
SPEED = "gate-speed"


def test_every_figure_of_the_policy_is_measured(tmp_path: Path) -> None:
    """Each has a value, by samples of as many turns as the policy names; no promise was broken."""
    path = find_policy("embedded")
    policy = parse_policy(path.read_text(encoding="utf-8"), path)
    start = StartRecord(1, Side.BASELINE, 1, 1, False, AT, "s", ended_at=AT)
    folder = tmp_path / start_path(start) / SPEED
    out, err = io.StringIO(), io.StringIO()

    asked = ["run", "--scenario", SPEED, "--repeat", "1", "--json", "--out", str(folder)]
    main(asked, out, err)
    record = read_record(folder / "run.json")
    start = replace(
        start,
        ready_s=record.target.ready_s,
        runtime=record.target.runtime_after,
        worker_steady_bytes=1,
    )
    seen = read_start(tmp_path, start, policy)

    broken = [v for v in json.loads(out.getvalue())["verdicts"] if v["outcome"] == "fail"]
    assert broken == [], err.getvalue()
    # A stop may leave nothing to come: then there is no time to silence.
    assert seen.missing.keys() <= {"stop-quiet"}
    counts = {m.name: len(seen.values[m.name].samples) for m in policy.metric if m.turns}
    assert counts == {metric.name: len(metric.turns) for metric in policy.metric if metric.turns}
