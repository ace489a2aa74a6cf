"""The commands for what has ended: accept, compare, history, merge.

Their doers are imported when one is asked, as in `cli`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.gate.extra import need_extra
from harness.gate.guard import GUARDED, guarded

if TYPE_CHECKING:
    import argparse
    from typing import IO

    from harness.gate.cli import AddCommand

__all__ = ["add_commands_after"]

REPORTS = Path("reports")


def add_commands_after(add: AddCommand) -> None:
    """Every one of them."""
    _add_accept(add)
    _add_compare(add)
    _add_history(add)
    _add_merge(add)


# -- accept


def _add_accept(add: AddCommand) -> None:
    parser = add(
        "accept",
        "make the candidate of a gate that passed the new baseline, and keep the noise of an A/A "
        "gate; anything else is refused",
        "muse-bench accept reports/runs/20260131T120000Z-gate-embedded",
        "Exit codes: 0 accepted, 2 refused or used wrongly.",
    )
    parser.set_defaults(command=_accept)
    parser.add_argument("gate", metavar="GATEDIR", help="a gate's folder")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="a difference that the gate allowed, named again, or `harness`: the checkout is at "
        "another commit by now; may be given again",
    )
    parser.add_argument(
        "--pins",
        metavar="FILE",
        help="where the candidate is pinned (default: bootstrap/pins.toml)",
    )
    _add_reports(parser)


def _accept(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:  # noqa: ARG001
    """Keep a gate, and say what was written."""
    need_extra()
    from harness.gate.accept import accept_line
    from harness.gate.accepting import (
        accept_gate,
        digest_today,
        has_moved,
        is_dirty_checkout,
    )

    pins = Path(options.pins) if options.pins else None
    result, written = accept_gate(
        Path(options.gate),
        Path(options.reports),
        allow=guarded(options.allow),
        today=lambda pin: digest_today(pin, pins),
        dirty=is_dirty_checkout(),
        moved=has_moved,
    )
    stdout.write(f"{accept_line(result)}\n")
    stdout.write("".join(f"  {path}\n" for path in written))
    stdout.write("Commit these files, and what is accepted stands.\n")
    return 0


# -- compare


def _add_compare(add: AddCommand) -> None:
    parser = add(
        "compare",
        "compare two finished runs, suites or gates of the same scenario: a hint, and never a "
        "pass, for they were not played in turn",
        "muse-bench compare reports/runs/before reports/runs/after --out compared",
        "Exit codes: 1 the second breaks a promise that the first keeps, 2 not comparable or used "
        "wrongly,\n3 all else; never 0.",
    )
    parser.set_defaults(command=_compare)
    parser.add_argument("baseline", metavar="RUNDIR", help="the folder of a run, suite or gate")
    parser.add_argument("candidate", metavar="RUNDIR", help="another one; of gates the candidates")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="a difference beside what is compared, told at the top of the report: "
        f"{', '.join(GUARDED)}; may be given again",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="a folder for the reports (default: reports/runs/TIME-compare)"
    )
    parser.add_argument("--json", action="store_true", help="print result.json instead of tables")


def _compare(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:  # noqa: ARG001
    """Derive both again, and report them side by side."""
    need_extra()
    from harness.clock import SystemClock
    from harness.gate.compare import compare
    from harness.gate.finished import read_finished
    from harness.report.console import open_console, printing
    from harness.report.gate import gate_reports, show_gate
    from harness.results import RUNS, RunFolder, folder_name

    allow = guarded(options.allow)
    out = Path(options.out or RUNS / folder_name(SystemClock().wall_iso(), "compare"))
    baseline, candidate = (
        read_finished(folder, _way(out, folder))
        for folder in (Path(options.baseline), Path(options.candidate))
    )
    result = compare(baseline, candidate, allow)
    reports = gate_reports(result)
    RunFolder.create(out).keep_reports(reports)
    with printing(stdout):
        if options.json:
            stdout.write(reports["result.json"])
        else:
            show_gate(result, out, open_console(stdout))
    return result.exit_code


# -- history


def _add_history(add: AddCommand) -> None:
    parser = add(
        "history",
        "draw the accepted gates over time, machine by machine, and mark what changed",
        "muse-bench history --policy embedded --out history.html",
        "Exit codes: 0 told, 2 nothing was accepted or used wrongly.",
    )
    parser.set_defaults(command=_history)
    parser.add_argument("--policy", metavar="NAME", help="of this policy alone (default: of all)")
    parser.add_argument("--out", metavar="FILE", help="write a page too")
    _add_reports(parser)


def _history(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:  # noqa: ARG001
    """Tell the accepted gates on the console, and as a page where one is asked for."""
    need_extra()
    from harness.gate.baseline import policies_kept, read_accepted
    from harness.gate.history import history_of
    from harness.report.console import open_console
    from harness.report.history import history_page, show_history

    root = Path(options.reports) / "baselines"
    known = policies_kept(root)
    if options.policy and options.policy not in known:
        told = ", ".join(known) or "none"
        raise UsageError(f"no gate of policy {options.policy!r} was accepted; known: {told}")
    histories = [
        history
        for policy in ([options.policy] if options.policy else known)
        for history in history_of(policy, read_accepted(policy, root))
    ]
    if not histories:
        raise UsageError(f"{root} has no accepted gate; try muse-bench accept GATEDIR")
    if options.out:
        Path(options.out).write_text(history_page(histories), encoding="utf-8", newline="\n")
    show_history(histories, open_console(stdout))
    return 0


# -- merge


def _add_merge(add: AddCommand) -> None:
    parser = add(
        "merge",
        "put the gates of several machines side by side, a column each; the worst verdict is that "
        "of all",
        "muse-bench merge gate-m5 gate-linux --out gates",
        "Exit codes: 0 all passed; else those of the worst gate: 1 fail, 2 refused, 3 inconclusive;"
        "\n2 used wrongly.",
    )
    parser.set_defaults(command=_merge)
    parser.add_argument("gates", nargs="+", metavar="GATEDIR", help="the folders of the gates")
    parser.add_argument("--out", required=True, metavar="DIR", help="a folder for the reports")
    parser.add_argument("--json", action="store_true", help="print result.json instead of tables")


def _merge(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:  # noqa: ARG001
    """Judge each gate again, and report them side by side."""
    need_extra()
    from harness.gate.judge import judge_gate
    from harness.gate.merge import merge
    from harness.gate.record import is_gate
    from harness.report.console import open_console, printing
    from harness.report.merged import merged_reports, show_merged
    from harness.results import RunFolder

    out = Path(options.out)
    gates = []
    for gate in map(Path, options.gates):
        if not is_gate(gate):
            raise UsageError(f"{gate} is not the folder of a gate, as `muse-bench gate` leaves it")
        gates.append((_way(out, gate), judge_gate(gate)))
    merged = merge(gates)
    reports = merged_reports(merged)
    RunFolder.create(out).keep_reports(reports)
    with printing(stdout):
        if options.json:
            stdout.write(reports["result.json"])
        else:
            show_merged(merged, open_console(stdout))
    return merged.exit_code


def _way(out: Path, folder: Path) -> str:
    """From the folder of reports to another."""
    return Path(os.path.relpath(folder.resolve(), out.resolve())).as_posix()


def _add_reports(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reports",
        metavar="DIR",
        default=str(REPORTS),
        help=f"where baselines/ and LOG.md are (default: {REPORTS})",
    )
