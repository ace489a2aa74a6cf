"""Is a plan carried out row by row, refused where something is lacking, and gone on with?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import CannotStart, StageFailed, UnknownStage, UsageError
from bootstrap.machine.room import Disk
from bootstrap.setup.planning import make_plan
from bootstrap.setup.request import Request
from bootstrap.setup.setting_up import set_up
from tests.bootstrap.fake_mac import sysctl
from tests.bootstrap.scripted_rows import Rehearsal, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[3]
GIB = 2**30
MUSE = Request(profile="muse")


def rehearsal(folder: Path, commands: Mapping[str, str | None] | None = None) -> Rehearsal:
    """Two works, of three stages and of one; the first builds, the second makes the page."""
    works = {
        "native": [
            Step("source", network=True, download_bytes=400_000_000, disk_bytes=2_000_000_000),
            Step("build", disk_bytes=1_000_000_000),
            Step("probe"),
        ],
        "page": [Step("page")],
    }
    needs = {"native": ("xcode", "metal", "git"), "page": ("node",)}
    return Rehearsal(folder, works, commands or {}, needs)


def test_every_stage_of_every_work_is_run_once(tmp_path: Path) -> None:
    """In order; the second time nothing is, and nothing is told."""
    made = rehearsal(tmp_path)
    plan, ran = set_up(Request(), made.here)
    told = len(made.told)

    assert ran == ("source", "build", "probe", "page")
    assert (plan.profile.name, plan.pin.name) == ("muse", "muse-m5")
    assert "native: build: makes build …" in made.told
    assert set_up(Request(), made.here)[1] == ()
    assert (made.ran, len(made.told)) == (["source", "build", "probe", "page"], told)


def test_a_second_run_needs_no_tools(tmp_path: Path) -> None:
    """Nothing is due, so nobody asks for an Xcode that is gone by now."""
    made = rehearsal(tmp_path)
    set_up(Request(), made.here)
    made.commands = {"xcodebuild": None, "node": None, "sw_vers": "echo 13.0"}

    assert set_up(Request(), made.here)[1] == ()


def test_a_change_makes_what_is_behind_it_in_its_row_be_done_again(tmp_path: Path) -> None:
    """And nothing in another row."""
    made = rehearsal(tmp_path)
    set_up(Request(), made.here)
    made.change("build", made_of="another patch")

    assert set_up(Request(), made.here)[1] == ("build", "probe")


@pytest.mark.parametrize(
    ("commands", "profile", "reason"),
    [
        ({}, "muse", "Apple M5 Max with 64 GiB of memory"),
        ({"sysctl": sysctl(36 * GIB)}, "muse", "Apple M5 Max with 36 GiB of memory"),
        (
            {"sysctl": sysctl(24 * GIB, "Apple M4")},
            "embedded",
            "Apple M4 with 24 GiB of memory, and Muse Glimmer asks for 36 GiB",
        ),
        (
            {"uname": "echo Darwin x86_64", "sysctl": sysctl(64 * GIB, "Intel i9", arm64=False)},
            "embedded",
            "Intel i9 is not Apple silicon, which Muse Glimmer needs",
        ),
        ({"uname": "echo Linux x86_64"}, "embedded", "this is Linux, and Muse Glimmer needs a Mac"),
        (
            {"uname": "echo Darwin x86_64", "sysctl": sysctl(rosetta=1)},
            "muse",
            "Apple M5 Max with 64 GiB of memory",
        ),
    ],
)
def test_the_machine_says_which_profile(
    tmp_path: Path, commands: dict[str, str | None], profile: str, reason: str
) -> None:
    """And why; under Rosetta it is still the same machine."""
    plan = make_plan(Request(), rehearsal(tmp_path, commands).here, whole=False)

    assert (plan.profile.name, plan.profile.reason) == (profile, reason)


def test_a_profile_can_be_asked_for(tmp_path: Path) -> None:
    """On any machine; what that lacks is told then."""
    made = rehearsal(tmp_path, {"uname": "echo Linux x86_64", "node": None})
    made.works["native"].clear()
    made.works["native"].append(Step("install"))

    assert make_plan(Request(profile="embedded"), rehearsal(tmp_path).here, whole=True).due
    with pytest.raises(CannotStart, match=r"profile muse cannot .*\n  macos: this is Linux"):
        set_up(MUSE, made.here)
    with pytest.raises(UsageError, match="unknown profile 'm4'; known: muse, embedded"):
        set_up(Request(profile="m4"), made.here)
    assert made.ran == []


def test_all_that_is_lacking_is_told_at_once_and_nothing_is_begun(tmp_path: Path) -> None:
    """Tools, disks and the network."""
    made = rehearsal(tmp_path, {"git": None, "xcodebuild": "echo Xcode 14.0"})
    made.disks = {"native": Disk(2, 1_000_000_000)}

    with pytest.raises(CannotStart) as caught:
        set_up(Request(offline=True), made.here)

    told = str(caught.value)
    assert told.startswith("profile muse cannot be set up yet; nothing was changed:\n  xcode: ")
    assert "git: there is no git on the PATH\n    it comes with Xcode" in told
    assert "xcode: Xcode 14.0, /Applications" in told
    assert "3.0 GB to be made, 1.0 GB free, 2.0 GB of it to stay free; make room for 4.0 GB" in told
    assert "offline: stage source needs the network: makes source" in told
    assert "disk: " in told
    assert (made.ran, made.places.made.exists()) == ([], False)
    assert caught.value.exit_code == 1


def test_a_disk_has_to_have_room_for_what_is_due_alone(tmp_path: Path) -> None:
    """What is made already takes no more."""
    made = rehearsal(tmp_path)
    set_up(Request(), made.here)
    made.disks = {"native": Disk(2, 0), "page": Disk(2, 0)}

    assert set_up(Request(), made.here)[1] == ()
    made.change("probe", made_of="other", disk_bytes=1)
    with pytest.raises(CannotStart, match=r"1 B to be made, 0 B free"):
        set_up(Request(), made.here)


def test_two_disks_are_looked_at_each_with_what_goes_there(tmp_path: Path) -> None:
    """A model may be meant for another one."""
    made = rehearsal(tmp_path)
    made.change("page", disk_bytes=7)
    made.disks = {"native": Disk(2, 10**10)}
    plan = make_plan(Request(), made.here, whole=True)

    assert [(room.where.name, room.due_bytes) for room in plan.rooms] == [
        ("native", 3_000_000_000),
        ("page", 7),
    ]


def test_offline_goes_on_where_nothing_is_to_be_fetched(tmp_path: Path) -> None:
    """What was fetched before stays."""
    made = rehearsal(tmp_path)
    set_up(Request(only=("source",)), made.here)

    assert set_up(Request(offline=True), made.here)[1] == ("build", "probe", "page")


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    """And says all of it."""
    made = rehearsal(tmp_path, {"git": None})
    plan = make_plan(Request(), made.here, whole=True)
    told = json.loads(json.dumps(plan.to_json()))

    assert not made.places.made.exists()
    assert (told["profile"], told["machine"]["chip"]) == ("muse", "Apple M5 Max")
    assert {each["name"]: each["state"] for each in told["toolchain"]} == {
        **dict.fromkeys(("macos", "chip", "memory", "xcode", "metal", "node"), "ok"),
        "git": "missing",
    }
    assert told["works"][0]["stages"][0] == {
        "name": "source",
        "about": "makes source",
        "due": True,
        "network": True,
        "download_bytes": 400_000_000,
        "disk_bytes": 2_000_000_000,
    }
    assert (told["disk"]["due_bytes"], told["disk"]["download_bytes"]) == (3 * 10**9, 4 * 10**8)
    assert told["obstacles"][0].startswith("git: there is no git on the PATH")
    assert "  due      source: makes source; 400 MB to download; 2.0 GB on disk" in plan.in_words()
    assert "to download: 400 MB" in plan.in_words()
    assert "a run would refuse to begin:" in plan.in_words()


def test_a_plan_says_what_is_ready(tmp_path: Path) -> None:
    """And that nothing is due where all of it is."""
    made = rehearsal(tmp_path)
    set_up(Request(only=("native",)), made.here)
    assert (
        "  ready    build: makes build\n" in make_plan(Request(), made.here, whole=True).in_words()
    )
    set_up(Request(), made.here)

    told = make_plan(Request(), made.here, whole=True).in_words()
    assert told.endswith("nothing is due: everything is ready")


@pytest.mark.parametrize(
    ("only", "ran"),
    [
        (("build",), ("source", "build")),
        (("page",), ("page",)),
        (("native",), ("source", "build", "probe")),
        (("source", "page"), ("source", "page")),
        (("build", "source"), ("source", "build")),
    ],
)
def test_one_stage_can_be_done_with_what_it_needs(
    tmp_path: Path, only: tuple[str, ...], ran: tuple[str, ...]
) -> None:
    """And nothing behind it, nor in another row."""
    made = rehearsal(tmp_path)

    assert set_up(Request(only=only), made.here)[1] == ran
    assert set_up(Request(only=only), made.here)[1] == ()


def test_only_what_is_due_asks_for_its_tools(tmp_path: Path) -> None:
    """The page needs no Xcode."""
    made = rehearsal(tmp_path, {"xcodebuild": None, "xcrun": None, "git": None})

    assert set_up(Request(only=("page",)), made.here)[1] == ("page",)


@pytest.mark.parametrize(
    ("force", "ran"),
    [
        (("build",), ("build", "probe")),
        (("native",), ("source", "build", "probe")),
        (("probe", "page"), ("probe", "page")),
    ],
)
def test_a_stage_can_be_done_again_with_all_behind_it(
    tmp_path: Path, force: tuple[str, ...], ran: tuple[str, ...]
) -> None:
    """In its row; the next run does nothing."""
    made = rehearsal(tmp_path)
    set_up(Request(), made.here)

    assert make_plan(Request(force=force), made.here, whole=True).selection.forced
    assert set_up(Request(), made.here)[1] == ()
    assert set_up(Request(force=force), made.here)[1] == ran
    assert set_up(Request(), made.here)[1] == ()


def test_a_forced_stage_that_fails_is_due_again(tmp_path: Path) -> None:
    """Whatever it left."""
    made = rehearsal(tmp_path)
    set_up(Request(), made.here)
    made.change("build", commands=((sys.executable, "-c", "print('no'); raise SystemExit(3)"),))

    with pytest.raises(Exception, match="ended with code 3"):
        set_up(Request(force=("build",)), made.here)
    made.change("build", commands=())
    assert set_up(Request(), made.here)[1] == ("build", "probe")


@pytest.mark.parametrize("request_", [Request(only=("biuld",)), Request(force=("biuld",))])
def test_a_stage_that_there_is_not_is_refused_with_those_there_are(
    tmp_path: Path, request_: Request
) -> None:
    """By name."""
    with pytest.raises(UnknownStage) as caught:
        set_up(request_, rehearsal(tmp_path).here)

    assert str(caught.value) == (
        "profile muse has no stage 'biuld'; it has native, source, build, probe, page"
    )


def test_what_is_left_out_cannot_be_forced(tmp_path: Path) -> None:
    """It would not be done."""
    for force in ("page", "probe"):
        with pytest.raises(UsageError, match=f"--force {force}: --only leaves it out"):
            set_up(Request(only=("build",), force=(force,)), rehearsal(tmp_path).here)


def test_a_failure_keeps_what_was_done_before(tmp_path: Path) -> None:
    """The next run goes on there; the log is told."""
    made = rehearsal(tmp_path)

    def fail() -> None:
        raise StageFailed("build", "no compiler", hint="get one")

    made.change("source", commands=((sys.executable, "-c", "print('cloned')"),))
    made.change("build", make=fail)
    with pytest.raises(StageFailed) as caught:
        set_up(Request(), made.here)
    made.change("build", make=lambda: None)

    log = made.places.work("native").log
    assert str(caught.value) == f"stage build: no compiler\n  try: get one\n  log: {log}"
    assert "cloned" in log.read_text()
    assert set_up(Request(), made.here)[1] == ("build", "probe", "page")


def test_the_metal_compiler_is_installed_where_that_was_asked(tmp_path: Path) -> None:
    """And looked for again; it is not, where nobody asked or the network may not be used."""
    metal = tmp_path / "metal"
    commands = {
        "xcodebuild": f'case "$1" in -version) echo Xcode 26.1;; *) touch "{metal}";; esac',
        "xcrun": f'test -e "{metal}" || {{ echo missing Metal Toolchain >&2; exit 1; }}; echo 1',
    }
    made = rehearsal(tmp_path, commands)

    for request in (Request(), Request(install_metal=True, offline=True)):
        with pytest.raises(CannotStart, match="-downloadComponent MetalToolchain"):
            set_up(request, made.here)
    assert not metal.exists()
    assert set_up(Request(install_metal=True), made.here)[1][0] == "source"
    assert metal.exists()


def test_a_metal_compiler_that_cannot_be_installed_says_why(tmp_path: Path) -> None:
    """In Xcode's words."""
    commands = {
        "xcodebuild": 'test "$1" = -version && echo Xcode 26.1 || { echo no space; exit 70; }',
        "xcrun": "exit 1",
    }

    with pytest.raises(StageFailed, match=r"stage metal: .*ended with code 70\n    no space"):
        set_up(Request(install_metal=True), rehearsal(tmp_path, commands).here)


def test_the_model_goes_where_it_is_said(tmp_path: Path) -> None:
    """Else below what is made; a model that ships is not moved."""
    made = rehearsal(tmp_path)
    usual = made.places.made / "models" / "big"

    assert make_plan(Request(), made.here, whole=False).pin.model.folder == usual
    elsewhere = replace(Request(), model_dir=tmp_path / "elsewhere")
    assert make_plan(elsewhere, made.here, whole=False).pin.model.folder == tmp_path / "elsewhere"
    moved = replace(made.here, places=replace(made.places, made=tmp_path / "made"))
    folder = make_plan(Request(), moved, whole=False).pin.model.folder
    assert folder == tmp_path / "made" / "models" / "big"
    embedded = replace(elsewhere, profile="embedded")
    folder = make_plan(embedded, made.here, whole=False).pin.model.folder
    assert folder == made.places.root / "bootstrap"


# -- several processes

SETUP = """
import sys
from pathlib import Path
from bootstrap.cli.command import ENDING
from bootstrap.errors import Stopped
from bootstrap.setup.request import Request
from bootstrap.setup.setting_up import set_up
from bootstrap.running.signals import stopping_on
from tests.bootstrap.scripted_rows import Rehearsal, Step

folder, wait = Path(sys.argv[1]), sys.argv[2] == "wait"
grandchild = "import os, time; print('at', os.getpid(), flush=True); time.sleep(60)"
child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
commands = ((sys.executable, "-c", child),) if wait else ()
made = Rehearsal(folder, {"one": [Step("a"), Step("b", commands), Step("c")], "two": [Step("d")]})
made.told = type("Told", (), {"append": lambda self, line: print(line, flush=True)})()
try:
    with stopping_on(*ENDING):
        print("ran", *set_up(Request(profile="embedded"), made.here)[1], flush=True)
except (Stopped, KeyboardInterrupt):
    sys.exit(130)
"""


def start(folder: Path, how: str) -> subprocess.Popen[str]:
    """A setup in a process of its own; `wait` has its second stage not end."""
    return subprocess.Popen(
        [sys.executable, "-c", SETUP, str(folder), how],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def until(process: subprocess.Popen[str], said: str) -> str:
    """The first line that it prints with this in it."""
    assert process.stdout is not None
    return next(line for line in process.stdout if said in line).strip()


def gone(process: int) -> bool:
    """Whether there is no such process any more, or only what is left of one."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it is read from Linux's /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_running_command_and_all_it_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    """The next run goes on where it was."""
    with start(tmp_path, "wait") as process:
        grandchild = int(until(process, "at").rpartition(" ")[2])
        process.send_signal(number)
        code = process.wait()

    assert code == 130
    assert gone(grandchild)
    with start(tmp_path, "go") as second:
        assert until(second, "ran") == "ran b c d"


def test_what_a_killed_one_left_running_is_waited_for(tmp_path: Path) -> None:
    """Then its lock is free, and the next run goes on; nothing has to be cleaned."""
    with start(tmp_path, "wait") as process:
        grandchild = int(until(process, "at").rpartition(" ")[2])
        process.kill()
    with start(tmp_path, "go") as second:
        waiting = until(second, "waiting")
        os.kill(grandchild, signal.SIGKILL)
        ran = until(second, "ran")

    assert waiting.startswith(f"one: waiting for process {process.pid}, which works on ")
    assert ran == "ran b c d"


def test_two_at_once_do_it_once(tmp_path: Path) -> None:
    """The second waits for each row, and finds it done."""
    both = [start(tmp_path, "go") for _ in range(2)]
    said = [process.communicate()[0].splitlines()[-1] for process in both]

    assert [process.returncode for process in both] == [0, 0]
    assert sorted(" ".join(said).replace("ran", "").split()) == ["a", "b", "c", "d"]
