"""The command that plays a gate, with its arguments; its doer is imported when it is asked."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from harness.gate.extra import need_extra
from harness.gate.guard import GUARDED
from harness.gate.policy import MOST_PAIRS

if TYPE_CHECKING:
    from typing import IO

    from harness.gate.cli import AddCommand

__all__ = ["add_gate"]


def add_gate(add: AddCommand) -> None:
    """`muse-bench gate`."""
    parser = add(
        "gate",
        "say whether a candidate may replace the pinned baseline: pass, fail or inconclusive, "
        "with the evidence",
        "muse-bench gate --baseline embedded-prev --candidate embedded\n"
        "         muse-bench gate --baseline embedded --candidate executorch==1.5.0 --pairs 6\n"
        "         muse-bench gate --baseline embedded --candidate embedded,dflash=off --no-suite\n"
        "         muse-bench gate --resume reports/runs/20260131T120000Z-gate-embedded\n"
        "\n"
        "A PIN is a name of `muse-bench pins`, executorch==RELEASE, either with ,KEY=VALUE, or the "
        "URL\nof a server that somebody else starts.",
        "Exit codes: 0 pass, 1 fail, 2 refused or used wrongly, 3 inconclusive.",
    )
    parser.set_defaults(command=_gate)
    parser.add_argument("--baseline", metavar="PIN", help="what is pinned now")
    parser.add_argument("--candidate", metavar="PIN", help="what may replace it")
    parser.add_argument(
        "--policy",
        metavar="NAME|FILE",
        help="what is measured, with which margins: one of bootstrap/gates, or a file "
        "(default: embedded)",
    )
    parser.add_argument(
        "--pins", type=Path, metavar="FILE", help="where pins are (default: bootstrap/pins.toml)"
    )
    parser.add_argument(
        "--baseline-pins",
        type=Path,
        metavar="FILE",
        help="where the baseline is pinned, if that is another file: that of an earlier commit",
    )
    parser.add_argument(
        "--pairs", type=_pairs, metavar="N", help="pairs of starts, at most (default: the policy's)"
    )
    parser.add_argument(
        "--budget",
        type=_minutes,
        metavar="MINUTES",
        help="no new pair begins later than that, but those that look for a fail again "
        "(default: the policy's)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="a difference that is accepted, and told at the top of the report: "
        f"{', '.join(GUARDED)}; may be given again",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="what the order of the first pair is drawn from (default: drawn, and told)",
    )
    parser.add_argument(
        "--no-suite",
        action="store_true",
        help="leave the acceptance suite out: quicker, and never a pass",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="measure on where the candidate has failed by now",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="DIR",
        help="go on with a gate that was stopped: the same harness, pins and policy",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="the gate's folder (default: reports/runs/TIME-gate-POLICY)",
    )
    parser.add_argument("--json", action="store_true", help="print result.json instead of tables")


def _gate(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    """Play a gate, or what is left of one."""
    need_extra()
    from harness.gate.bench import system_bench
    from harness.gate.command import GateOptions, gate_command
    from harness.gate.order import GateAsked
    from harness.gate.pins import load_pin

    asked = GateAsked(
        policy=options.policy,
        pairs=options.pairs,
        budget_min=options.budget,
        seed=options.seed,
        allow=tuple(options.allow),
        suite=not options.no_suite,
        everything=options.all,
    )
    wanted = GateOptions(
        asked,
        baseline=options.baseline,
        candidate=options.candidate,
        pins=options.pins,
        baseline_pins=options.baseline_pins,
        resume=options.resume,
        out=options.out,
        json=options.json,
    )
    return gate_command(
        wanted,
        stdout,
        stderr,
        load=lambda text, file: load_pin(text, file, prepare=True),
        bench=system_bench,
    )


def _pairs(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 1 <= number <= MOST_PAIRS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_PAIRS}")
    return number


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = math.nan
    if not 0 < minutes < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes above 0")
    return minutes
