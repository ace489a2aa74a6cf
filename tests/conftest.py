"""What holds for every test: none fails because the machine was busy, or by who began it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("whenever", deadline=None)
settings.load_profile("whenever")

for asks_to_end in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(asks_to_end) is signal.SIG_IGN:
        # A shell that starts us in the background has us ignore Ctrl-C, and nohup the end of the
        # terminal; and so would every process that a test starts in order to end it that way.
        signal.signal(
            asks_to_end,
            signal.default_int_handler if asks_to_end == signal.SIGINT else signal.SIG_DFL,
        )


# Tests are of what they name, and not of what this machine happens to have been set up to serve.
os.environ["MUSE_PLAYGROUND_PROFILE"] = "none"

TESTS = Path(__file__).parent
ONCE = (
    "bootstrap/nano",
    "bootstrap/fetching/test_ended.py",
    "bootstrap/python/test_environment.py",
    "bootstrap/serving/test_environment.py",
    "bootstrap/whole",
    "harness/acts/test_command.py",
    "harness/exam/test_command.py",
    "harness/gate/playing",
    "harness/gate/test_gate_rule.py",
    "harness/gate/judging/test_judge.py",
    "harness/load/test_promises.py",
    "harness/races/test_runner.py",
    "harness/report/gate",
    "harness/suite/test_command.py",
    "harness/test_cli.py",
    "harness/test_selftest.py",
    "harness/test_target.py",
    "playground/doctor",
    "playground/launch/test_launcher.py",
    "playground/test_image_chat.py",
    "playground/test_main.py",
    "playground/test_native.py",
    "playground/test_testing.py",
    "test_readme.py",
)
"""Files and folders that take long, and show what does not depend on the version of Python: whole
gates and races, processes and their ends, the recipe of the model.  tox plays them on one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is played once."""
    for item in items:
        place = item.path.relative_to(TESTS).as_posix()
        if any(place == entry or place.startswith(f"{entry}/") for entry in ONCE):
            item.add_marker(pytest.mark.once)
