"""Can CI run what its workflows say?  Commands parse, and nothing typed gets into a script."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.cli import _parser
from harness.gate.policy import parse_policy

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GATE = ROOT / ".github" / "workflows" / "gate.yml"
MUSE = ROOT / "bootstrap" / "gates" / "muse.toml"


def scripts(workflow: Path) -> list[str]:
    """What each `run` of a workflow hands to a shell."""
    found, lines = [], workflow.read_text(encoding="utf-8").splitlines()
    for at, line in enumerate(lines):
        step = re.match(r"( *(?:- )?)run: (.*)", line)
        if step is None:
            continue
        if step[2] not in {"|", ">-"}:
            found.append(step[2])
            continue
        inside = []
        for more in lines[at + 1 :]:
            if more.strip() and len(more) - len(more.lstrip()) <= len(step[1]):
                break
            inside.append(more.strip())
        found.append("\n".join(inside))
    return found


def our_commands(workflow: Path) -> list[list[str]]:
    """The arguments of every call of `muse-bench`."""
    lines = [line for script in scripts(workflow) for line in script.splitlines()]
    found = []
    for line in lines:
        words = shlex.split(re.split(r"[|>]", line)[0]) if "muse-bench" in line else []
        if "muse-bench" in words:
            found.append(words[words.index("muse-bench") + 1 :])
    return found


@pytest.mark.parametrize(
    "arguments",
    [arguments for workflow in WORKFLOWS for arguments in our_commands(workflow)],
    ids=" ".join,
)
def test_our_commands_are_ones_that_our_program_knows(arguments: list[str]) -> None:
    """With every option, and every value that is needed."""
    options = _parser().parse_args([word.replace("$", "") for word in arguments])

    assert callable(options.command)


def test_the_gate_is_asked_on_both_runners_and_merged() -> None:
    """The change of a file, and by hand: two lines each; so that none is lost unseen."""
    asked = [arguments[0] for arguments in our_commands(GATE)]

    assert sorted(asked) == ["gate"] * 4 + ["merge", "pins"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_no_expression_stands_in_a_script(workflow: Path) -> None:
    """Whoever may type an input, or name a branch, could write the script."""
    assert [script for script in scripts(workflow) if "${{" in script] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_no_step_that_decides_pipes(workflow: Path) -> None:
    """What is before a pipe may fail, and the step is green."""
    lines = [line for script in scripts(workflow) for line in script.splitlines()]

    assert [line for line in lines if re.search(r"muse-bench .*[^|]\|[^|]", line)] == []


def gates_of_a_change() -> list[str]:
    """The scripts that hold a base commit against a head."""
    return [script for script in scripts(GATE) if "--baseline-pins" in script]


def test_a_change_does_not_choose_its_own_margins() -> None:
    """Where the base commit has the policy, it is the base's."""
    assert len(gates_of_a_change()) == 2
    for script in gates_of_a_change():
        kept, use, asked = [
            next(at for at, line in enumerate(script.splitlines()) if said in line)
            for said in (
                'kept="$RUNNER_TEMP/base/bootstrap/gates/$POLICY.toml"',
                'test ! -f "$kept" || POLICY="$kept"',
                'muse-bench gate --policy "$POLICY"',
            )
        ]
        assert kept < use < asked


def run_the_look_at_pins(changed: str, tmp_path: Path) -> str:
    """What the summary says where these pins changed."""
    (script,) = [each for each in scripts(GATE) if "::warning::" in each]
    (tmp_path / "changed").write_text(changed, encoding="utf-8")
    summary = tmp_path / "summary"
    summary.touch()
    where = {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    shell = shutil.which("bash") or "sh"
    subprocess.run([shell, "-e", "-c", script], check=True, env={**os.environ, **where})
    return summary.read_text(encoding="utf-8")


def test_a_changed_pin_that_no_job_plays_is_told(tmp_path: Path) -> None:
    """Green is not to mean that somebody looked."""
    told = run_the_look_at_pins("embedded\nembedded-prev\nmuse-m5\n", tmp_path)

    assert told == "- no gate is played for the changed pin `embedded-prev`; start one by hand\n"


def test_the_pins_that_are_told_to_be_played_have_a_job() -> None:
    """One list in two places."""
    (script,) = [each for each in scripts(GATE) if "::warning::" in each]
    known = re.search(r"^(\S+) \| (\S+)\) ;;$", script, re.MULTILINE)

    assert known is not None
    for pin in known.groups():
        assert f"contains(needs.changed.outputs.pins, ' {pin} ')" in GATE.read_text()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_version(workflow: Path) -> None:
    """And each action to the same one everywhere."""
    used = {
        name: version
        for each in WORKFLOWS
        for name, version in re.findall(r"uses: (\S+?)(?:@(\S+))?$", each.read_text(), re.MULTILINE)
    }
    here = re.findall(r"uses: (\S+?)(?:@(\S+))?$", workflow.read_text(), re.MULTILINE)

    assert [(name, version) for name, version in here if version != used[name]] == []
    assert all(version.startswith("v") for version in used.values())


def test_one_gate_at_a_time_runs_on_a_machine_that_does_not_sleep() -> None:
    """Of our own, with a limit, and never for a fork."""
    job = GATE.read_text().partition("\n  m-series:\n")[2].partition("\n  merged:\n")[0]

    assert "runs-on: [self-hosted, macOS, ARM64, m-series]" in job
    assert "group: gate-m-series" in job
    assert "cancel-in-progress: false" in job
    assert "head.repo.full_name == github.repository" in job
    limit = re.search(r"timeout-minutes: (\d+)", job)
    assert limit is not None
    policy = parse_policy(MUSE.read_text(encoding="utf-8"), MUSE)
    assert int(limit[1]) >= policy.budget_min * (1 + policy.confirm / policy.pairs)
    assert all("caffeinate" in line for line in job.splitlines() if "muse-bench gate" in line)


def test_the_workflow_is_yaml_with_the_jobs_that_it_names() -> None:
    """What it needs is there, and none runs for ever."""
    jobs = yaml.safe_load(GATE.read_text())["jobs"]

    needs = {
        need
        for job in jobs.values()
        for need in [job.get("needs", [])]
        for need in (need if isinstance(need, list) else [need])
    }

    assert needs <= set(jobs)
    assert all("timeout-minutes" in job for job in jobs.values())
