"""Is what the server was told read from arguments and environment, and checked?"""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.settings import MODEL_DIR, Settings, SettingsError, read_settings


def test_nothing_said_is_the_embedded_model_on_the_usual_port() -> None:
    """The defaults of the command are the defaults of the class."""
    settings = read_settings(["--profile", "none"], {})

    assert settings == Settings()
    assert (settings.host, settings.port, settings.model_dir) == ("127.0.0.1", 3939, MODEL_DIR)


def test_every_flag_is_read() -> None:
    """Each ends up in its field."""
    argv = "--host ::1 --port 0 --model-dir m --script s.json --max-sessions 3 --threads 2 --no-ui"
    argv += " --no-dflash --reports runs --worker w --worker-kind python --ready-timeout 5"
    argv += " --open --no-caffeinate"

    assert read_settings(argv.split(), {}) == Settings(
        host="::1",
        port=0,
        model_dir=Path("m"),
        script=Path("s.json"),
        max_sessions=3,
        worker=("w",),
        threads=2,
        dflash=False,
        ui_dir=None,
        reports=Path("runs"),
        worker_kind="python",
        ready_timeout_s=5.0,
        open_page=True,
        caffeinate=False,
    )


def test_another_page_may_be_served() -> None:
    """Unless none is to be."""
    assert read_settings(["--ui-dir", "page"], {}).ui_dir == Path("page")
    assert read_settings(["--ui-dir", "page", "--no-ui"], {}).ui_dir is None


def test_a_worker_is_a_command_as_a_shell_would_split_it() -> None:
    """So a path with spaces can be quoted; what is not a command is refused."""
    settings = read_settings(["--worker", "'my envs/python' -m playground.worker"], {})

    assert settings.worker == ("my envs/python", "-m", "playground.worker")
    assert read_settings([], {"MUSE_PLAYGROUND_WORKER": "w -x"}).worker == ("w", "-x")
    with pytest.raises(SettingsError, match='--worker "it\'s" is not a command: No closing'):
        read_settings(["--worker", "it's"], {})


def test_a_flag_wins_over_its_variable() -> None:
    """The environment sets the default, the command line has the last word."""
    environ = {"MUSE_PLAYGROUND_PORT": "4000", "MUSE_PLAYGROUND_MAX_SESSIONS": "4"}

    settings = read_settings(["--port", "5000"], environ)

    assert (settings.port, settings.max_sessions) == (5000, 4)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.2", "example.org"])
def test_only_this_machine_may_connect(host: str) -> None:
    """There is no authentication, so there is no flag that opens the server to others."""
    with pytest.raises(SettingsError, match=r"use one of 127\.0\.0\.1"):
        read_settings(["--host", host], {})


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        ("--port x", "--port 'x' is not a whole number"),
        ("--port 65536", "port 65536"),
        ("--port -1", "port -1"),
        ("--max-sessions 0", "--max-sessions 0"),
        ("--threads 0", "--threads 0"),
        ("--threads 1025", "--threads 1025"),
        ("--threads two", "--threads 'two'"),
        ("--ready-timeout soon", "--ready-timeout 'soon' is not a number of seconds"),
        ("--ready-timeout 0", "--ready-timeout 0"),
        ("--ready-timeout inf", "--ready-timeout inf"),
        ("--ready-timeout nan", "--ready-timeout nan"),
        ("--worker-kind other", "--worker-kind 'other' is none of python, native"),
        ("--worker-kind native", "--worker-kind native needs --worker"),
        ("--worker-kind native --worker w --threads 2", "--threads with --worker-kind native"),
        ("--worker-kind native --worker w --no-dflash", "--no-dflash with --worker-kind native"),
        ("--worker-kind native --worker w --script s", "--script with --worker-kind native"),
    ],
)
def test_a_value_that_cannot_be_is_named(argv: str, named: str) -> None:
    """With the flag it came from."""
    with pytest.raises(SettingsError) as caught:
        read_settings(argv.split(), {})

    assert named in str(caught.value)


def test_the_native_worker_is_a_program_that_is_named() -> None:
    """By flag or variable, with flags of its own."""
    argv = ["--worker-kind", "native", "--worker", "'my builds/muse_glimmer_worker' --a=b"]
    environ = {"MUSE_PLAYGROUND_WORKER_KIND": "native", "MUSE_PLAYGROUND_WORKER": "w"}

    settings = read_settings(argv, {})

    assert settings.worker == ("my builds/muse_glimmer_worker", "--a=b")
    assert (settings.worker_kind, settings.threads, settings.dflash) == ("native", None, True)
    assert read_settings([], environ).worker_kind == "native"
