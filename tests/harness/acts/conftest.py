"""A small scenario of acts, and a rehearsed target that knows what its messages say."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.acts.runner import ActsOrder, play_acts
from harness.acts.scenario import parse_acts
from harness.fingerprint import Fingerprint
from harness.pictures import load_pictures, words_of
from harness.rehearsal import Answer, RehearsalChat
from harness.results import RunFolder
from harness.target import Target

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from harness.acts.judge import ActsResult
    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import TurnLabel

    Play = Callable[..., ActsResult]

HEAD = """\
name = "some"
question = "does it?"
answer = "whether it does"
system = "{nonce}"
[slots]
nonce = { digits = 6, fresh = true }
old = { number = [10, 49] }
new = { number = [50, 99] }
[[opening]]
do = "ask"
says = "My number is {old}."
expect.reset = "new"
"""

MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
RUNTIME = {
    "model": "Rehearsal",
    "contextLength": 200,
    "maxNamedSessions": 1,
    "supports": {"reuseMetrics": True, "warmResume": True},
}


def right(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Says the number that stands in the messages, or that there is none."""
    found = re.findall(r"number is (\d+)", " ".join(words_of(m["content"]) for m in messages))
    return Answer(f"It is {found[-1]}." if found else "I don't know.")


class Silence:
    """A progress that only counts."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def started(self, record: RunRecord, turns: int) -> None:
        """Note it."""
        self.told.append(f"started {turns}")

    def turn_started(self, label: TurnLabel) -> None:
        """Note nothing."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Note which."""
        self.told.append(f"{turn.label.leg} {turn.label.turn}")

    def repeat_ended(self, result: Result) -> None:
        """Never told of acts."""


def play(
    cells: str,
    path: Path,
    chat: RehearsalChat | None = None,
    *,
    progress: Silence | None = None,
    kind: str = "embedded",
    top: str = "",
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ActsResult:
    """Play cells, with the usual head and more keys at its top, against a rehearsed target."""
    text = top + HEAD + cells
    chat = chat or RehearsalChat(right, runtime=RUNTIME, places=1, window=200)
    acts = parse_acts(text, Path("some.toml"))
    pictures = load_pictures(acts.pictures, path / "some.toml")
    order = ActsOrder(acts, text, 1, 1, "salt", MACHINE, pictures)
    target = Target(kind, "http://rehearsal", restart=chat.restart if kind == "embedded" else None)
    progress = progress or Silence()
    folder = RunFolder.create(path)
    return asyncio.run(
        play_acts(order, target, chat, folder, clock=chat.clock, progress=progress, pause=pause)
    )


@pytest.fixture(name="play")
def _play() -> Play:
    """Plays cells against a rehearsed target."""
    return play


@pytest.fixture(name="target")
def _target() -> Callable[..., RehearsalChat]:
    """Makes a rehearsed target with one place and 200 words of window; all can be changed."""

    def make(answer: Callable[..., Answer] = right, **changed: object) -> RehearsalChat:
        return RehearsalChat(answer, **{"runtime": RUNTIME, "places": 1, "window": 200, **changed})  # type: ignore[arg-type]

    return make
