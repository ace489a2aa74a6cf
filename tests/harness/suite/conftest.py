"""A suite of two small scenarios, and a rehearsed target that answers them."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from harness.fingerprint import Fingerprint
from harness.rehearsal import Answer, RehearsalChat
from harness.report.console import open_console
from harness.report.suite import SuiteLines
from harness.results import RunFolder
from harness.suite.judge import judge_suite
from harness.suite.plan import plan_suite
from harness.suite.runner import play_suite
from harness.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from harness.suite.judge import SuiteResult

    Play = Callable[..., SuiteResult]

TALK = """\
name = "talk"
question = "Does it answer?"
answer = "whether it does"
[[turn]]
user = "Where does Ada live?"
expect.contains = ["Oslo"]
[[leg]]
name = "warm"
session = "kept"
"""

FLIGHT = """\
name = "flight"
question = "Can it fly?"
answer = "whether it can"
[[cell]]
name = "up"
about = "leaves the ground"
needs = ["wings"]
act = [{ do = "ask", says = "Fly!" }]
"""

SUITE = """\
name = "small"
question = "Is it good?"
[[part]]
scenario = "talk.toml"
repeat = 2
quick = { repeat = 1 }
[[part]]
scenario = "flight.toml"
quick = false
[[part]]
name = "again"
scenario = "talk.toml"
"""

MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
TARGET = Target("url", "http://rehearsal", ready_ns=None)


def right(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Knows where Ada lives."""
    return Answer("In Oslo.")


def play(
    folder: Path,
    chat: RehearsalChat | None = None,
    *,
    suite: str = SUITE,
    quick: bool = False,
    only: Sequence[str] = (),
    log: io.StringIO | None = None,
) -> SuiteResult:
    """Play a suite into `folder / "run"`; the result, from disk, however the playing ended."""
    for name, text in (("talk", TALK), ("flight", FLIGHT), ("suite", suite)):
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    chat = chat or RehearsalChat(right)
    quiet = Console(file=io.StringIO(), quiet=True)
    order = plan_suite(suite, folder / "suite.toml", quiet, quick=quick, only=only)
    lines = SuiteLines(open_console(log or io.StringIO()))
    run = RunFolder.create(folder / "run")
    order = replace(order, fingerprint=MACHINE)
    asyncio.run(play_suite(order, TARGET, chat, run, clock=chat.clock, progress=lines))
    return judge_suite(run.path)


@pytest.fixture(name="play")
def _play() -> Play:
    """Plays a suite against a rehearsed target."""
    return play
