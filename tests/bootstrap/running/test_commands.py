"""Is what a command said kept, and is none left behind?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.running.commands import CommandFailed, Commands, clean_environment

ROOT = Path(__file__).parents[3]


def test_lines_are_heard_and_kept(tmp_path: Path) -> None:
    """Those of stderr too; the log says which command they are of."""
    heard: list[str] = []
    run = Commands(tmp_path / "a log é", os.environ)
    code = "import sys; print('one', flush=True); print('two', file=sys.stderr)"

    run([sys.executable, "-c", code], on_line=heard.append)

    assert heard == ["one", "two"]
    assert (tmp_path / "a log é").read_text().endswith("one\ntwo\n")


def test_one_that_fails_ends_with_what_it_said_last(tmp_path: Path) -> None:
    """Its last lines, its code, and the command that can be typed again."""
    run = Commands(tmp_path / "log", os.environ)
    code = "print(*range(99), sep='\\n'); raise SystemExit(3)"

    with pytest.raises(CommandFailed) as caught:
        run([sys.executable, "-c", code], on_line=lambda _: None)

    assert caught.value.reason == "ended with code 3"
    assert caught.value.tail[-1] == "98"
    assert len(caught.value.tail) < 20


def test_one_that_is_not_there_says_so(tmp_path: Path) -> None:
    """As a failure like any other."""
    with pytest.raises(CommandFailed, match="cannot be run: No such file"):
        Commands(tmp_path / "log", os.environ)([str(tmp_path / "gone")], on_line=lambda _: None)


def test_pip_keeps_its_settings_and_python_loses_its_path() -> None:
    """What is configured holds; what another environment has installed is not seen."""
    given = {"PIP_INDEX_URL": "x", "PYTHONPATH": "y", "PYTHONHOME": "z", "HOME": "h"}

    assert clean_environment(given) == {"PIP_INDEX_URL": "x", "HOME": "h", "PIP_USER": "0"}


@pytest.mark.parametrize(
    "variable", ["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_DRY_RUN", "HF_TOKEN"]
)
def test_nobody_has_pip_install_elsewhere_or_is_shown_the_token(variable: str) -> None:
    """It would be done well, and the environment be empty."""
    assert variable not in clean_environment({variable: "1", "PIP_USER": "1"})


@pytest.mark.parametrize("user", ["1", None])
def test_an_environment_is_installed_into_where_pip_is_told_the_user(
    tmp_path: Path, user: str | None
) -> None:
    """By a variable, or in its file: a real pip in a real environment."""
    (tmp_path / "pip.conf").write_text("[install]\nuser = true\nindex-url = none\n")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    given = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), **({"PIP_USER": user} if user else {})}
    said: list[str] = []
    pip = [str(tmp_path / "venv" / "bin" / "python"), "-I", "-m", "pip", "install", "--no-index"]

    with pytest.raises(CommandFailed):
        Commands(tmp_path / "log", clean_environment(given))(
            [*pip, "no-package-of-that-name"], on_line=said.append
        )

    assert "Can not perform a '--user' install" not in "\n".join(said)


STOPPED = """
import os, signal, sys
from pathlib import Path
from bootstrap.running.signals import stopping_on
from bootstrap.running.commands import Commands
from bootstrap.errors import Stopped

wait = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(60)"]
run = Commands(Path(sys.argv[1]) / "log", os.environ)
try:
    with stopping_on(signal.SIGTERM):
        run(wait, on_line=lambda line: print(line, flush=True))
except (Stopped, KeyboardInterrupt) as stopped:
    sys.exit(type(stopped).__name__)
"""


@pytest.mark.parametrize(
    ("number", "how"), [(signal.SIGTERM, "Stopped"), (signal.SIGINT, "KeyboardInterrupt")]
)
def test_a_command_is_stopped_with_us(tmp_path: Path, number: signal.Signals, how: str) -> None:
    """However we are told to stop."""
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(number)
        _, err = process.communicate()

    assert err.strip() == how
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
