"""The command does what its help says, ends with the code it promises, and leaves nothing behind.

Where a target is needed it is the playground with a script for a model: a real process, over HTTP.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.cli import main

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "data" / "golden-run"

SCENARIO = """\
name = "talk"
question = "does it answer?"
answer = "whether it does"
repeat = 3
[settings]
temperature = 0.0
[[turn]]
user = "Where does Ada live?"
expect.contains = ["Oslo"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new"]
"""
REPLY = " to=user<|message|>In Oslo.<|eot|>"


def command(*argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command."""
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A copy of the golden run."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "golden"))


def prepare(folder: Path, *, reply: str = REPLY, step_ms: float = 0.0) -> tuple[str, str]:
    """A scenario file and a script that answers it."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    scenario, script = folder / "talk.toml", folder / "script.json"
    scenario.write_text(SCENARIO, encoding="utf-8")
    script.write_text(json.dumps({"step_ms": step_ms, "replies": [{"text": reply}]}))
    return str(scenario), str(script)


@pytest.mark.parametrize("name", ["run", "list", "report", "selftest", "gate"])
def test_every_command_helps_with_an_example(name: str) -> None:
    """As somebody may type it."""
    code, out, _ = command(name, "--help")

    assert code == 0
    assert f"Example: muse-bench {name}" in out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "the following arguments are required: COMMAND; see muse-bench --help"),
        (["run"], "one of the arguments --scenario --suite is required; see muse-bench run --help"),
        (["run", "--scenario", "wram"], "unknown scenario 'wram'; known: cancel-races, "),
        (["run", "--scenario", "no.toml"], "no.toml: cannot be read"),
        (
            ["run", "--scenario", "warm-resume", "--repeat", "0"],
            "argument --repeat: '0' is not a whole number above 0; see muse-bench run --help",
        ),
        (
            ["run", "--scenario", "warm-resume", "--repeat", "1" + "0" * 20],
            "argument --repeat: '100000000000000000000' is more than 1000; see muse-bench run",
        ),
        (
            ["run", "--scenario", "warm-resume", "--target", "localhost:1"],
            "--target 'localhost:1' is neither `embedded` nor a URL; try --target http://",
        ),
        (["list", "--", "x"], "only `muse-bench run` passes arguments on after --"),
        (["report", "nowhere"], "nowhere: is not there; give a run folder as `muse-bench run`"),
    ],
)
def test_wrong_use_is_one_line_and_code_2(argv: list[str], said: str) -> None:
    """The line names the thing and what to try."""
    code, out, err = command(*argv)

    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_dead_address_is_told_and_could_not_be_judged(tmp_path: Path) -> None:
    """Code 3, and no empty folder is left."""
    out = tmp_path / "run"
    code, _, err = command(
        "run", "--scenario", "warm-resume", "--target", "http://127.0.0.1:9", "--out", str(out)
    )

    assert code == 3
    assert err.startswith("muse-bench: no answer from http://127.0.0.1:9/health (")
    assert not out.exists()


def test_a_folder_with_a_run_in_it_is_not_overwritten(tmp_path: Path) -> None:
    """Evidence is kept."""
    (tmp_path / "run.json").write_text("{}")

    code, _, err = command("run", "--scenario", "warm-resume", "--out", str(tmp_path))

    assert code == 2
    assert "is not empty; name another folder with --out DIR" in err


def test_list_names_the_scenarios_with_their_question() -> None:
    """And --schema prints what a file may say."""
    code, out, _ = command("list")

    assert code == 0
    assert "\nwarm-resume\n    When a conversation goes on" in out
    assert json.loads(command("list", "--schema")[1])["title"] == "Scenario"


def test_report_derives_what_is_there_and_tells_its_verdict(golden: Path) -> None:
    """The golden run failed, so reporting it ends with 1; its files are as they were."""
    before = {path.name: path.read_bytes() for path in golden.iterdir()}

    code, out, _ = command("report", str(golden / "trace.jsonl"), "--json")
    after = {path.name: path.read_bytes() for path in golden.iterdir()}

    assert code == 1
    assert after == {**before, "result.json": out.encode()}


def test_report_check_tells_which_file_was_changed(golden: Path) -> None:
    """Traces are the truth; a report edited by hand is found out."""
    command("report", str(golden))
    fine = command("report", str(golden), "--check")
    (golden / "report.md").write_text("All passed\n")

    code, _, err = command("report", str(golden), "--check")

    assert fine == (0, "", "")
    assert code == 1
    assert err == f"muse-bench: {golden / 'report.md'} is not what its traces say\n"


def test_a_terminal_without_the_characters_still_gets_the_verdict(golden: Path) -> None:
    """What cannot be said in its encoding becomes a question mark, not a traceback."""
    expected, _, _ = command("report", str(golden))

    done = subprocess.run(
        [sys.executable, "-m", "harness", "report", str(golden)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (expected, "")


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_reader_that_has_gone_does_not_change_the_verdict(golden: Path, how: list[str]) -> None:
    """`muse-bench … | head` under pipefail: the code is still that of the run."""
    (golden / "trace.jsonl").unlink()
    expected, _, _ = command("report", str(golden))
    reading, writing = os.pipe()
    os.close(reading)

    try:
        done = subprocess.run(
            [sys.executable, "-m", "harness", "report", str(golden), *how],
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)

    assert expected == 3
    assert (done.returncode, done.stderr) == (expected, "")


@pytest.mark.parametrize("asked", [["compare", "a", "b", "--out", "c"], ["report", "a"]])
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_no_verdict_is_a_pass_because_nobody_reads_it(
    golden: Path, tmp_path: Path, asked: list[str], how: list[str]
) -> None:
    """Stdout is closed: the code is that of an open one."""
    for name in ("a", "b"):
        shutil.copytree(golden, tmp_path / name)
    words = [str(tmp_path / word) if len(word) == 1 else word for word in asked]
    expected, _, _ = command(*words, *how)
    shutil.rmtree(tmp_path / "c", ignore_errors=True)
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing, "w", encoding="utf-8") as out:
        code = main([*words, *how], out, io.StringIO())

    assert code == expected != 0


@pytest.mark.parametrize(("asked", "code"), [("report", 3), ("list", 0)])
def test_who_does_not_hear_a_verdict_is_not_told_that_it_is_good(
    golden: Path, asked: str, code: int
) -> None:
    """Stderr is closed as well; a list is no verdict."""

    class Gone(io.StringIO):
        """Nobody reads it."""

        def write(self, text: str) -> int:
            raise BrokenPipeError

    (golden / "report.md").write_text("All passed\n")
    words = {"report": ["report", str(golden), "--check"], "list": ["list"]}[asked]

    assert main(words, Gone(), Gone()) == code


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "0 all passed, 1 something failed") for name in ("run", "report", "selftest")),
        ("gate", "0 pass, 1 fail, 2 refused or used wrongly, 3 inconclusive."),
        ("compare", "1 the second breaks a promise that the first keeps, 2 not comparable"),
        ("merge", "0 all passed; else those of the worst gate: 1 fail, 2 refused, 3 inconclusive"),
        *((name, "0 told") for name in ("list", "pins", "history")),
        ("accept", "0 accepted, 2 refused or used wrongly."),
    ],
)
def test_the_help_of_each_command_says_its_exit_codes_once(name: str, said: str) -> None:
    """Its own, where they are not those of a run."""
    code, out, _ = command(name, "--help")

    assert code == 0
    assert out.count("Exit codes") == 1
    assert f"Exit codes: {said}" in out


def test_a_disk_that_is_full_is_one_line_and_could_not_tell(golden: Path) -> None:
    """Never code 1, which says that the server failed a check."""
    (golden / ".report.md.part").mkdir()  # stands where the report would be written

    code, _, err = command("report", str(golden))

    assert code == 3
    assert err.startswith("muse-bench: ")
    assert ".report.md.part" in err
    assert err.count("\n") == 1


def test_a_trace_that_cannot_be_read_is_told_with_its_line(golden: Path) -> None:
    """File, line and problem."""
    with (golden / "trace.jsonl").open("a") as file:
        file.write('{"schema": 99}\n')

    code, _, err = command("report", str(golden))

    assert code == 2
    assert f"{golden / 'trace.jsonl'}:13: not a trace of schema 1" in err


def test_a_run_against_the_playground_passes_and_can_be_derived_again(tmp_path: Path) -> None:
    """Launch, play, judge, report, stop; then the same bytes from what is on disk.

    A machine that is busy with other things can hold up a token; only then, and only whether the
    clocks agree, may be left open.
    """
    scenario, script = prepare(tmp_path)
    folder = tmp_path / "run"

    code, out, err = command(
        "run", "--scenario", scenario, "--out", str(folder), "--", "--script", script
    )

    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    left_open = [v for v in result["verdicts"] if v["outcome"] != "pass"]
    told = [(v["check"], v["outcome"], v["message"].partition("; but ")[1]) for v in left_open]
    assert len(result["verdicts"]) == 33
    assert told == [("clocks.agree", "inconclusive", "; but ")] * len(told), err
    assert code == (3 if told else 0), err
    assert told or "All 33 checks passed." in out
    assert "[3/3] repeat 3, warm turn 1: TTFT" in err
    assert {path.name for path in folder.iterdir()} == {
        "scenario.toml",
        "run.json",
        "trace.jsonl",
        "playground.log",
        "result.json",
        "report.md",
        "report.html",
        "junit.xml",
    }
    assert command("report", str(folder), "--check") == (0, "", "")
    assert not [pid for pid in pids(folder) if alive(pid)]


def test_json_goes_to_stdout_and_progress_to_stderr(tmp_path: Path) -> None:
    """So that a program can read the one and a person the other; a wrong answer ends with 1."""
    scenario, script = prepare(tmp_path, reply=REPLY.replace("Oslo", "Rome"))
    folder = tmp_path / "run"

    code, out, err = command(
        "run", "--scenario", scenario, "--repeat", "1", "--json", "--out", str(folder),
        "--", "--script", script,
    )  # fmt: skip

    assert code == 1
    assert out == (folder / "result.json").read_text(encoding="utf-8")
    assert json.loads(out)["outcome"] == "fail"
    assert "repeat 1, warm turn 1" in err


def test_a_playground_that_does_not_start_is_told_with_its_own_words(tmp_path: Path) -> None:
    """Code 3, the command, and the end of what it said."""
    scenario, _ = prepare(tmp_path)
    code, _, err = command(
        "run", "--scenario", scenario, "--out", str(tmp_path / "run"),
        "--", "--script", str(tmp_path / "no-such.json"),
    )  # fmt: skip

    assert code == 3
    assert err.startswith(
        "muse-bench: could not start python -m playground --port 0 --no-ui --script"
    )
    assert "no-such.json" in err.partition("it ended with code")[2]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_stopped_by_hand_is_reported_and_leaves_no_process(
    tmp_path: Path, stop: signal.Signals
) -> None:
    """Stopped in its second turn: the first is judged, children are gone, code 3."""
    words = " ".join(["word"] * 120)
    scenario, script = prepare(tmp_path, reply=REPLY.replace("In", words), step_ms=2.0)
    folder = tmp_path / "run"
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "harness", "run", "--scenario", scenario, "--repeat", "50"),
            *("--out", str(folder), "--", "--script", script),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for_line(folder / "trace.jsonl", process)
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 3, err
    assert "stopped by hand" in out
    assert err.endswith("muse-bench: stopped by hand; what was finished is reported\n")
    assert json.loads((folder / "result.json").read_text())["stopped"] == "stopped by hand"
    assert command("report", str(folder), "--check")[0] == 0
    assert not [pid for pid in pids(folder) if alive(pid)]


def wait_for_line(path: Path, process: subprocess.Popen[str]) -> None:
    """Until a turn is on disk; gives up when the run ends without one."""
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text().count("\n")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def pids(folder: Path) -> list[int]:
    """The processes that the playground of a run told of."""
    told = json.loads((folder / "run.json").read_text())["target"]["runtime"]["pids"]
    assert told["server"]
    return [pid for pid in told.values() if pid]


def alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
