"""`python -m tests.benchmarks.peers`: how fast is our server beside what one would use instead?

    python -m tests.benchmarks.peers --out FOLDER [--work FOLDER] [--rounds 6] [--only TEXT]
                                     [--threads 1 2] [--prepare-only | --again | --suite NAME]

Same weights, same conversations, one machine, one run, over HTTP:

    muse-playground   the model as it ships, with DFlash and without
    llama.cpp         llama-server on Q8_0, plain and with the same draft; plain is the baseline
    mlx-lm            mlx_lm.server on 8 bits, on MLX's CPU backend

First everything is prepared in the work folder (by default in the user's cache), each peer in an
environment of its own: minutes the first time, most of them for building llama.cpp; what is there
already is not made again, and only what depends on other weights is made anew. It takes a C++
compiler, and package downloads through pip. Then `--rounds` rounds are measured. In a round every
server is started, visited and ended, one at a time, in an order that is turned round from one
round to the next; a visit is a unit of the statistics. `--only` keeps the servers whose name holds
one of the given texts.

Writes `peers.json` (every turn of every visit) and `peers.md` into `--out`, and prints the latter;
`--again` makes the latter from the former, and measures nothing.
`--suite NAME` measures nothing either: it runs that acceptance suite against each server, into a
folder of its own below `--out`; `--quick` and the names after `--parts` are passed on to it.
Linux only: memory is read from /proc. Exit code 0, or 2 where something could not be prepared.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.fingerprint import fingerprint
from playground.settings import MODEL_DIR
from tests.benchmarks.peers import llama_cpp, mlx, weights
from tests.benchmarks.peers.acceptance import accept
from tests.benchmarks.peers.arms import Arm, all_arms
from tests.benchmarks.peers.conversations import read_conversations
from tests.benchmarks.peers.reading import TurnFailed
from tests.benchmarks.peers.record import Seen, dump, load
from tests.benchmarks.peers.server import NotReady
from tests.benchmarks.peers.table import render
from tests.benchmarks.peers.visit import Visitor
from tests.benchmarks.peers.workplace import PreparationFailed, Workplace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.fingerprint import Fingerprint
    from tests.benchmarks.peers.record import Asked

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "scenarios" / "cases" / "nano-skills.jsonl"
CHECKPOINT = ROOT / "bootstrap" / "nano" / "checkpoint"
RECORD = "peers.json"
BRIEF_ROUNDS = 3
DRAFT = ROOT / "bootstrap" / "nano" / "draft"


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = parser().parse_args(argv)
    if options.again:
        print(report(options.out, *load((options.out / RECORD).read_text(encoding="utf-8"))))
        return 0
    place = Workplace(options.work, say=lambda text: print(text, file=sys.stderr, flush=True))
    try:
        arms = prepare(place, options)
    except PreparationFailed as problem:
        print(problem, file=sys.stderr)
        return 2
    if options.prepare_only:
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    if options.suite:
        more = ["--quick"] if options.quick else []
        more += [f"--only={part}" for part in options.parts]
        asyncio.run(accept(arms, options.suite, more, options.out, place))
        return 0
    print(asyncio.run(measure(arms, options, place)))
    return 0


def prepare(place: Workplace, options: argparse.Namespace) -> tuple[Arm, ...]:
    """Make what each server needs, and return those that are to be measured."""
    draft = options.draft if (options.draft / "config.json").exists() else None
    others = weights.prepare(place, options.checkpoint, options.model_dir)
    arms = all_arms(
        llama_cpp.prepare(place, others, draft),
        mlx.prepare(place, others),
        options.model_dir,
        threads=options.threads,
        drafting=draft is not None,
    )
    wanted = [text.lower() for text in options.only]
    return tuple(
        arm for arm in arms if not wanted or any(text in arm.name.lower() for text in wanted)
    )


async def measure(arms: Sequence[Arm], options: argparse.Namespace, place: Workplace) -> str:
    """Visit every arm once a round, every other round backwards; returns the report.

    A server that fails is not visited again; the report says why. What has been seen is written
    after every visit.
    """
    visitor = Visitor(
        read_conversations(options.cases), options.model_dir / "tokenizer.json", place.logs
    )
    machine, seen = fingerprint(ROOT), Seen()
    for number in range(options.rounds):
        for arm in arms if number % 2 == 0 else reversed(arms):
            if arm.label in seen.failures or (arm.brief and number >= BRIEF_ROUNDS):
                continue
            try:
                visit = await visitor.visit(arm, number)
            except (NotReady, TurnFailed) as problem:
                seen.failures[arm.label] = str(problem)
                place.say(f"{arm.label}: {problem}")
                continue
            seen.visits.append(visit)
            place.say(f"round {number + 1} of {options.rounds}: {visit.summary}")
            (options.out / RECORD).write_text(dump(machine, arms, seen), encoding="utf-8")
    return report(options.out, machine, arms, seen)


def report(out: Path, machine: Fingerprint, arms: Sequence[Asked], seen: Seen) -> str:
    """Write the report, and return it."""
    text = render(machine, arms, seen)
    (out / "peers.md").write_text(text, encoding="utf-8")
    return text


def parser() -> argparse.ArgumentParser:
    """The command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("peers"))
    parser.add_argument("--work", type=Path, default=cache / "muse-bench" / "peers")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--prepare-only", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--suite")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", nargs="+", default=[])
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--draft", type=Path, default=DRAFT)
    parser.add_argument("--model-dir", type=Path, default=MODEL_DIR)
    parser.add_argument("--cases", type=Path, default=CASES)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
