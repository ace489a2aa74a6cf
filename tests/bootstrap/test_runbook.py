"""Does the run book for the first Mac say what the setup prints?"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from bootstrap.cli.command import main
from tests.bootstrap.fake_mac import fake_mac

RUNBOOK = (Path(__file__).parents[2] / "bootstrap" / "RUNBOOK.md").read_text(encoding="utf-8")


def plan(folder: Path, *argv: str) -> str:
    """What the plan prints on a Mac, as far as commands tell."""
    environ = {**fake_mac(folder / "PATH"), "MUSE_RUNTIME_DIR": str(folder / "made")}
    out, err = io.StringIO(), io.StringIO()
    assert main(["--plan", *argv], environ, out, err) == 0, err.getvalue()
    return out.getvalue()


def test_it_has_ten_commands() -> None:
    """As it says, numbered, with what comes of each."""
    assert re.findall(r"^## (\d+)\.", RUNBOOK, re.MULTILINE) == [str(n) for n in range(1, 11)]


def test_it_names_every_stage(tmp_path: Path) -> None:
    """Those of the model's files by what their names begin with, and by their number."""
    works = json.loads(plan(tmp_path, "--json"))["works"]
    stages = [stage["name"] for work in works for stage in work["stages"]]
    files = [name for name in stages if name.startswith("model-") and name != "model-manifest"]

    told = [name for name in stages if name not in files]

    assert [name for name in told if f"`{name}`" not in RUNBOOK] == []
    assert len(files) == 7
    assert "`model-…` for each of seven files" in RUNBOOK


def test_the_plan_is_as_it_is_shown(tmp_path: Path) -> None:
    """Line by line, whatever stands where it has an ellipsis or a remark."""
    shown = re.search(r"```text\n(profile muse: .*?)```", RUNBOOK, re.DOTALL)
    assert shown is not None
    lines = [re.sub(r"  +\(.*\)$", "", line) for line in shown[1].splitlines()]

    printed = plan(tmp_path).splitlines()

    for line in lines:
        like = re.escape(line).replace("…", ".*")
        assert any(re.fullmatch(like, each) for each in printed), line
