"""`python -m tests.benchmarks.gate_rule`: how often is the gate's decision rule right?

    python -m tests.benchmarks.gate_rule [--aa FILE ...] [--seed N] [--trials N] [--json]

Thousands of gates are drawn from models of noise (`models`) and judged by the gate's own rule
(`gates`), and by simpler ones (`naive`).  Promised are, for six gated metrics and ten pairs, with
one metric truly worse where any is:

    no change        false fails at most 2 %, passes at least 90 %
    10 % worse       fails at least 95 %

`--aa` names files of noise that an A/A gate left (`reports/baselines/<policy>/<pin>.aa.json`), all
that are kept by default; margins are those of `bootstrap/gates/<policy>.toml`.  Where there is none
the noise is assumed, and the table says so.  Nothing is measured; equal seeds give equal tables.
Intervals beside the shares are exact binomial ones of 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from harness.gate.baseline import BASELINES, KeptNoise
from harness.gate.policy import parse_policy
from harness.gate.sequence import Design
from tests.benchmarks.gate_rule import tables
from tests.benchmarks.gate_rule.models import Drift, Kept
from tests.benchmarks.gate_rule.tables import ASSUMED, DRIFT_MARGIN, Gated, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GATES = Path("bootstrap") / "gates"
SEED = 20_261_130
WORST = 0.10
"""The change that has to be found: a metric with a margin of this or more is not asked for it."""


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    options = _options(arguments)
    files = options.aa or sorted(BASELINES.glob("*/*.aa.json"))
    made = all_tables(files, options.trials, options.seed)
    if options.json:
        told = {"seed": options.seed, "trials": options.trials, "tables": [*map(asdict, made)]}
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    print(f"{options.trials} gates a row, seed {options.seed}\n")
    for table in made:
        print(table, flush=True)
    return 0


def all_tables(files: Sequence[Path], trials: int, seed: int) -> Iterator[Table]:
    """Every table, as it is made."""
    design = Design(least=4, pairs=10, confirm=6, confidence=0.90)
    margins = [DRIFT_MARGIN] * 6
    said = f"six metrics, margin {DRIFT_MARGIN:.0%}"
    for about, drift in {
        f"Gates under the drift, ABBA; {said}; noise of a start shared": Drift(),
        f"Gates under the drift, ABBA; {said}; each its own noise": Drift(shared=0.0),
        f"Gates under the drift, A…A B…B; {said}; noise of a start shared": Drift(blocked=True),
    }.items():
        yield tables.gates_table(about, drift, margins, 0, design, trials, seed)
    yield tables.naive_table(trials, seed)
    kept = [(about, gated, plan) for file in files for about, gated, plan in _kept(file)]
    for about, gated, plan in kept or [("assumed noise, margin 5%", ASSUMED, design)]:
        yield tables.metrics_table(gated, plan)
        asked = [place for place, each in enumerate(gated) if each.margin < WORST]
        worse = max(asked or range(len(gated)), key=lambda place: gated[place].noise)
        title = f"Gates with {about}; worse is {gated[worse].name}, half the variance shared"
        model = Kept([each.noise for each in gated], 0.5)
        limits = [each.margin for each in gated]
        yield tables.gates_table(title, model, limits, worse, plan, trials, seed)
    yield tables.margins_table(design, trials, seed)
    yield tables.looks_table(design, 10 * trials, seed)
    yield tables.found_again_table(design, trials, seed)
    yield tables.intervals_table(trials, seed)


def _kept(file: Path) -> Iterator[tuple[str, tuple[Gated, ...], Design]]:
    """What a file of noise tells of each machine, with the margins of its policy."""
    path = GATES / f"{file.parent.name}.toml"
    policy = parse_policy(path.read_text(encoding="utf-8"), path)
    margins = {each.name: each.margin for each in policy.metric if each.gated and each.margin}
    for kept in TypeAdapter(tuple[KeptNoise, ...]).validate_json(file.read_text("utf-8")):
        gated = [
            Gated(name, noise.sd, margins[name])
            for name, noise in kept.noise.items()
            if name in margins
        ]
        if gated:
            yield f"the noise of {kept.machine}", tuple(gated), Design.of(policy)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.gate_rule",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--aa", type=Path, nargs="+", help="noise that A/A gates left")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--trials", type=int, default=4_000, help="gates a row")
    parser.add_argument("--json", action="store_true", help="JSON in place of text")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
