"""Does the command line answer as it says, to people and in JSON?"""

from __future__ import annotations

import ast
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bootstrap.cli.command import main
from bootstrap.pinning.platforms import platform_of_this_machine
from tests.bootstrap.fake_mac import fake_mac, sysctl

ROOT = Path(__file__).parents[3]
HERE = platform_of_this_machine()


def run(*argv: str, **environ: str) -> tuple[int, str, str]:
    """Its exit code and what it wrote."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(argv, environ, stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def test_every_pin_is_listed_with_its_reason(tmp_path: Path) -> None:
    """And with how far it is."""
    code, out, _ = run("pins", MUSE_RUNTIME_DIR=str(tmp_path))

    assert code == 0
    assert "embedded-prev: the same model on the release before (not prepared)" in out
    assert "muse-m5: Muse Glimmer on an M5 Max (" in out


def test_pins_can_be_verified(tmp_path: Path) -> None:
    """What is published may not have been fetched yet; what is shipped is there, and right."""
    code, out, err = run("pins", "--verify", "--json", MUSE_RUNTIME_DIR=str(tmp_path))

    files = {pin["name"]: pin["files"] for pin in json.loads(out)["pins"]}
    assert (code, err) == (0, "")
    assert {file["found"] for file in files["embedded"]} == {"right"}
    assert {file["found"] for file in files["muse-m5"]} <= {"unfetched", "right", "unknown"}


def test_one_pin_is_told_whole(tmp_path: Path) -> None:
    """With what the playground is started with, where its environment is to be made."""
    code, out, _ = run("pin", "embedded", "--json", MUSE_RUNTIME_DIR=str(tmp_path))

    told = json.loads(out)
    assert code == 0
    assert told["arguments"][0] == "--worker"
    assert told["arguments"][1].startswith(f"{tmp_path}/embedded/venv/bin/python -I -m playground.")
    assert not told["prepared"]
    assert run("pin", "embedded")[1].startswith("embedded: what CI runs")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        pytest.param(
            ("prepare", "muse-m5"),
            "muse-m5 cannot be prepared here: it needs macOS on Apple silicon, and this is ",
            marks=pytest.mark.skipif(HERE == "macos-arm64", reason="it can be, on this machine"),
        ),
        (("prepare", "nothing"), "unknown pin 'nothing'; known: embedded, embedded-prev"),
        (("prepare", "embedded", "--pip-args", "'"), "--pip-args or MUSE_PIP_ARGS: No closing"),
        (("pin",), "the following arguments are required: PIN; see python -m bootstrap pin --help"),
        (("pins", "--pins", "gone.toml"), "gone.toml: cannot be read: No such file"),
    ],
)
def test_what_is_used_wrongly_ends_with_two(argv: tuple[str, ...], said: str) -> None:
    """In one line."""
    code, _, err = run(*argv)

    assert code == 2
    assert err.startswith(f"bootstrap: {said}")
    assert err.count("\n") == 1


def test_an_error_is_json_where_that_was_asked_for() -> None:
    """With its kind, so that nobody has to read words."""
    code, out, err = run("pin", "nothing", "--json")

    assert (code, err) == (2, "")
    assert json.loads(out)["error"]["kind"] == "UnknownPin"


def test_it_needs_nothing_but_python(tmp_path: Path) -> None:
    """No package that is installed, and no folder but its own checkout's."""
    said = subprocess.run(
        [sys.executable, "-S", "-E", "-m", "bootstrap", "pin", "embedded"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (said.returncode, said.stderr) == (0, "")


# -- with no command


def test_what_is_no_checkout_is_not_set_up(tmp_path: Path) -> None:
    """As in an installed wheel, among whose packages nothing is to be made."""
    shutil.copytree(
        ROOT / "bootstrap", tmp_path / "bootstrap", ignore=shutil.ignore_patterns("nano")
    )

    said = subprocess.run(
        [sys.executable, "-m", "bootstrap"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 2
    assert said.stderr.startswith(f"bootstrap: {tmp_path} is no checkout")
    assert [path.name for path in tmp_path.iterdir()] == ["bootstrap"]


def plan(folder: Path, *argv: str, **changes: str | None) -> dict[str, Any]:
    """The plan of the project's own pins, on a Mac whose commands say this."""
    environ = {**fake_mac(folder / "PATH", changes), "MUSE_RUNTIME_DIR": str(folder / "gemacht é")}
    code, out, err = run("--plan", "--json", *argv, **environ)

    assert (code, err) == (0, "")
    told: dict[str, Any] = json.loads(out)
    return told


def test_a_mac_is_to_run_muse_glimmer(tmp_path: Path) -> None:
    """Everything that takes is planned, and nothing of it is done."""
    told = plan(tmp_path)
    works = [work["name"] for work in told["works"]]
    stages = {stage["name"]: stage for work in told["works"] for stage in work["stages"]}

    assert (told["profile"], told["pin"]) == ("muse", "muse-m5")
    assert [name for name in works if name != "uv"] == [
        *("server", "muse-m5", "muse-glimmer", "page", "profile")
    ]
    assert all(stage["due"] for stage in stages.values())
    assert told["disk"]["download_bytes"] > 21_055_028_608
    assert told["disk"]["filesystems"][0]["where"].startswith(str(tmp_path / "gemacht é"))
    assert list(tmp_path.iterdir()) == [tmp_path / "PATH"]


@pytest.mark.parametrize(
    "changes", [{"sysctl": sysctl(16 * 2**30)}, {"uname": "echo Linux x86_64"}]
)
def test_any_other_machine_is_to_run_muse_nano(
    tmp_path: Path, changes: dict[str, str | None]
) -> None:
    """With what the worker chooses for it."""
    told = plan(tmp_path, **changes)

    assert (told["profile"], told["pin"]) == ("embedded", "embedded,threads=measured")
    assert [work["name"] for work in told["works"]] == ["server", "embedded", "page", "profile"]
    assert {each["state"] for each in told["toolchain"]} == {"not-needed"}


@pytest.mark.parametrize("profile", ["muse", "embedded"])
def test_no_two_stages_of_a_profile_have_one_name(tmp_path: Path, profile: str) -> None:
    """`--only` and `--force` take either the one stage or none."""
    works = plan(tmp_path, "--profile", profile)["works"]
    stages = [stage["name"] for work in works for stage in work["stages"]]

    assert len(set(stages)) == len(stages)


def test_offline_is_refused_with_every_stage_that_needs_the_network(tmp_path: Path) -> None:
    """Before anything is begun."""
    made = tmp_path / "made"
    code, _, err = run(
        "--offline", "--profile", "embedded", PATH=os.environ["PATH"], MUSE_RUNTIME_DIR=str(made)
    )

    assert code == 1
    assert "offline: stage server-install needs the network: what the server" in err
    assert "offline: stage install needs the network: torch==" in err
    assert not made.exists()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--profile", "m4"), "unknown profile 'm4'; known: muse, embedded"),
        (("--only", "biuld"), "profile embedded has no stage 'biuld'; it has server, server-venv"),
        (("--plan", "--verify"), "--plan or --verify, not both"),
        (("prepear",), "unrecognized arguments: prepear; see python -m bootstrap --help"),
        (("--json=1",), "argument --json: ignored explicit argument '1'; see"),
        (
            ("uninstall", "--profile"),
            "unrecognized arguments: --profile; see python -m bootstrap un",
        ),
        (("--port", "x"), "--port or MUSE_PLAYGROUND_PORT: 'x' is no port"),
    ],
)
def test_a_setup_that_is_asked_for_wrongly_ends_with_two(
    tmp_path: Path, argv: tuple[str, ...], said: str
) -> None:
    """In one line, and with nothing done."""
    code, _, err = run(
        *argv, PATH="", MUSE_PROFILE="embedded", MUSE_RUNTIME_DIR=str(tmp_path / "x")
    )

    assert code == 2
    assert err.startswith(f"bootstrap: {said}")
    assert (err.count("\n"), (tmp_path / "x").exists()) == (1, False)


def test_what_was_not_made_is_not_verified(tmp_path: Path) -> None:
    """It is told what is due."""
    environ = {"PATH": "", "MUSE_PROFILE": "embedded", "MUSE_RUNTIME_DIR": str(tmp_path / "x")}
    code, out, err = run("--verify", **environ)

    assert (code, out) == (2, "5 of 5 files are what their pin says\n")
    assert "bootstrap: stage install is due: torch==" in err
    assert json.loads(run("--verify", "--json", **environ)[1])["due"][0] == "server-venv"


def test_an_older_python_is_told_which_one_is_needed() -> None:
    """It reads no further than that: all it meets is written in its words."""
    for name in ("__main__.py", "__init__.py"):
        ast.parse((ROOT / "bootstrap" / name).read_text(encoding="utf-8"), feature_version=(3, 8))
    code = (
        "import runpy, sys; sys.version_info = (3, 8, 18);"
        "runpy.run_module('bootstrap', run_name='__main__')"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-E", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 2
    assert said.stderr.startswith("bootstrap: this is Python 3.8, and 3.11 or newer is needed;")
    assert said.stderr.count("\n") == 1
    assert "bootstrap/setup.sh" in said.stderr
