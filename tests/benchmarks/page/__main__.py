"""`python -m tests.benchmarks.page`: does the page keep up with its engine?

    python -m tests.benchmarks.page --out FOLDER [--quick] [--model] [--again]

In a real Chromium, over loopback, with the real server and its scripted engine:

    first load    the scripts' compressed bytes, and the time until a message can be written
    slow, fast    an answer at 50 tokens a second, and one of 50,000 tokens at 500: frames, and how
                  long after its bytes a text is painted
    heap          the same again, as fast as it goes: memory at 10,000, 20,000 … tokens
    generation    the engine's rate with the page reading, beside a client that only drains; with
                  `--model` for the embedded model as well

About nine minutes; `--quick` takes two, and says so in the report. The machine has to be quiet.
Writes `report.json` (what was seen) and `report.md` (what follows) into `--out`, and prints the
latter; `--again` makes the latter from the former, and measures nothing.

It takes Playwright and a Chromium: `pip install "muse-bench[browser]"`, and MUSE_CHROMIUM where the
browser has an unusual name. Exit code 0 whatever the verdicts; 2 where something is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.fingerprint import fingerprint
from playground.page.build import PageNotBuilt, build_if_needed
from playground.settings import WEB_DIR
from playground.testing import ServerProcess
from tests.benchmarks.page.browse import SIZE, Visitor
from tests.benchmarks.page.drain import drain
from tests.benchmarks.page.record import Conditions, Pair, Seen, dump, load
from tests.benchmarks.page.report import render
from tests.benchmarks.page.text import TOKEN_BYTES, Answer, answer_of
from tests.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[3]
RECORD, REPORT = "report.json", "report.md"
SLOW_PER_S, FAST_PER_S, HEAP_PER_S = 50.0, 500.0, 2_000.0
SESSIONS = 32
"""More than there are turns in the page: each has a session, and none is closed."""
HEADER = " to=user<|message|>"
MODEL_QUESTION = "Count from 1 to 100."


class CannotRun(Exception):
    """Something that it takes is not there; the message says what."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    loads: int
    slow: Answer
    fast: Answer
    heap_points: int
    paired: Answer
    pairs: int


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = parser().parse_args(argv)
    if options.again:
        print(report(options.out, load((options.out / RECORD).read_text(encoding="utf-8"))))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        much = extent(quick=options.quick)
        seen = measure(much, quick=options.quick)
        keep(options.out, seen)
        if options.model:
            seen = replace(seen, model_pairs=measure_model(much))
            keep(options.out, seen)
    except CannotRun as problem:
        print(problem, file=sys.stderr)
        return 2
    print(report(options.out, seen))
    return 0


def extent(*, quick: bool) -> Extent:
    """All of it, or enough to see where it stands."""
    if quick:
        return Extent(3, answer_of(250), answer_of(10_000), 5, answer_of(2_500), 3)
    return Extent(10, answer_of(1_000), answer_of(50_000), 5, answer_of(5_000), 8)


def measure(much: Extent, *, quick: bool) -> Seen:
    """All that the scripted engine is enough for, one after the other.

    Raises:
        CannotRun: there is no page, browser or Playwright.
    """
    before = os.getloadavg()[0]
    with built_page() as page, chromium() as browser, serving(page, script(much)) as url:
        visitor = Visitor(browser, url)
        say("first loads")
        loads = tuple(visitor.load() for _ in range(much.loads))
        say("an answer at 50 tokens/s")
        slow = visitor.stream("slow", much.slow, SLOW_PER_S)
        say(f"{much.fast.tokens:,} tokens at 500 tokens/s")
        fast = visitor.stream("fast", much.fast, FAST_PER_S)
        say("the heap")
        heaps = visitor.heaps("heap", much.fast, much.heap_points)
        say(f"{much.pairs} pairs")
        paired = pairs(visitor, url, "pair", much.pairs, TOKEN_BYTES)
        version = browser.version
    machine = fingerprint(ROOT)
    after = os.getloadavg()[0]
    conditions = Conditions(machine, f"Chromium {version}", SIZE, before, after, quick)
    return Seen(conditions, loads, slow, fast, heaps, paired)


def measure_model(much: Extent) -> tuple[Pair, ...]:
    """What reading in the page takes of the embedded model's rate.

    Raises:
        CannotRun: as `measure`.
    """
    say(f"{much.pairs} pairs with the embedded model")
    with built_page() as page, chromium() as browser, serving(page, None) as url:
        return pairs(Visitor(browser, url), url, MODEL_QUESTION, much.pairs, 1)


def pairs(
    visitor: Visitor, url: str, question: str, count: int, per_token: int
) -> tuple[Pair, ...]:
    """The same turn in the page and drained, the order changed from one pair to the next.

    `per_token` is how many of the engine's tokens are one of ours.
    """

    def rate(metrics: Mapping[str, Any]) -> float:
        made: float = metrics["completion_tokens"] / metrics["decode_ms"] * 1e3 / per_token
        return made

    body = visitor.turn(question).body  # it warms up, too
    found = []
    for number in range(count):
        drained = rate(drain(url, body)) if number % 2 else 0.0
        read = rate(visitor.turn(question).metrics)
        found.append(Pair(read, drained or rate(drain(url, body))))
    return tuple(found)


def script(much: Extent) -> dict[str, Any]:
    """What the engine plays: the question says which answer, and at which pace."""

    def reply(match: str, answer: Answer, per_s: float) -> dict[str, Any]:
        return {"match": match, "text": HEADER + answer.text, "step_ms": 1e3 / per_s}

    return {
        "context_length": 2 * len(much.fast.text),
        "tokens_per_round": TOKEN_BYTES,
        "replies": [
            reply("slow", much.slow, SLOW_PER_S),
            reply("fast", much.fast, FAST_PER_S),
            reply("heap", much.fast, HEAP_PER_S),
            reply("pair", much.paired, FAST_PER_S),
        ],
    }


@contextlib.contextmanager
def built_page() -> Iterator[Path]:
    """The page as its sources are now; a copy, which stays as it is."""
    try:
        asyncio.run(build_if_needed(WEB_DIR.parent, say))
    except PageNotBuilt as problem:
        raise CannotRun(f"the page is not built: {problem}") from problem
    with tempfile.TemporaryDirectory() as folder:
        yield shutil.copytree(WEB_DIR, Path(folder) / "dist")


@contextlib.contextmanager
def serving(page: Path, played: Mapping[str, Any] | None) -> Iterator[str]:
    """The server with this page, and this script or the embedded model."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--ui-dir", str(page), "--max-sessions", str(SESSIONS)]
        server = ServerProcess(Path(folder), played, flags)
        server.start()
        try:
            yield server.url
        finally:
            server.stop()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  (it may be absent)
    except ImportError as problem:
        raise CannotRun(
            'Playwright is not installed: pip install "muse-bench[browser]"'
        ) from problem
    command = find_chromium()
    if command is None:
        raise CannotRun("there is no Chromium: install one, or set MUSE_CHROMIUM to its command")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=command) as browser,
    ):
        yield browser


def say(text: str) -> None:
    """Tell whoever waits."""
    print(text, file=sys.stderr, flush=True)


def keep(out: Path, seen: Seen) -> None:
    """Write down what was seen, before more is looked at."""
    (out / RECORD).write_text(dump(seen), encoding="utf-8")


def report(out: Path, seen: Seen) -> str:
    """Write the report, and return it."""
    text = render(seen)
    (out / REPORT).write_text(text, encoding="utf-8")
    return text


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("page-speed"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--again", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
