"""The command: `muse-bench run | list | report | selftest`, and those of the gate.

These are `gate | pins | accept | compare | history | merge`, and `harness.gate.cli` adds them.
All of it is `main(argv, stdout, stderr) -> int`.  Results go to stdout, progress and errors to
stderr.  Exit codes: 0 all passed, 1 something failed, 2 used wrongly, 3 could not tell; where a
command has others, its help says which.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import io
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from harness.browser.chromium import why_no_browser
from harness.browser.known import known_page
from harness.clock import SystemClock
from harness.errors import HarnessError, Interrupted, UsageError
from harness.gate.cli import add_gate_commands
from harness.gate.extra import need_extra
from harness.gate.record import is_gate
from harness.gate.result import GateResult
from harness.kinds import derive, json_schema, kind_of_result, load_scenario, reports_of
from harness.playing import Asked, perform
from harness.report.console import open_console, printing
from harness.report.gate import show_gate
from harness.report.listing import Listed, listing
from harness.report.selftest import print_selftest
from harness.report.suite import SuiteLines, show_suite
from harness.results import RUNS, RunFolder, changed_reports, folder_name
from harness.scenario_files import SUITES, find_scenario, find_suite, known_scenarios
from harness.selftest.known import REQUEST
from harness.selftest.run import run_selftest
from harness.stopping import code_of, until_stopped
from harness.suite.judge import SuiteResult, judge_suite
from harness.suite.parts import parse_suite
from harness.suite.plan import plan_suite
from harness.suite.record import is_suite
from harness.suite.runner import play_suite, rederive_suite, suite_reports
from harness.target import Target, parse_url
from harness.toml_values import read_toml_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO, Never

    from harness.judged import JudgedRun
    from harness.report.console import Terminal
    from harness.waiting import Waiting

__all__ = ["entry_point", "main"]

MOST = 1000
"""Repeats, or turns of a self-test, in one run."""

MOST_ROUNDS = 10_000
"""Races in one run."""

PLAYED_BY = ("driver", "chromium")
"""What may be said of a suite as well: it goes to the parts that can be played so."""

VERDICTS = ("run", "report", "gate", "compare", "merge", "selftest")
"""Commands whose exit code says whether something is good: none says so unheard."""

CODES = "Exit codes: 0 all passed, 1 something failed, 2 used wrongly, 3 could not tell."


TOLD = "Exit codes: 0 told, 2 used wrongly."


def entry_point() -> None:
    """What the installed command calls."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # not every terminal has every character
            stream.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))


def main(argv: Sequence[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Do what the arguments say; the exit code."""
    ours, passed_on = _split(argv)
    try:
        with contextlib.redirect_stdout(stdout):
            options = _parser().parse_args(ours)
        if passed_on and options.command is not _run:
            raise UsageError("only `muse-bench run` passes arguments on after --")
        options.passed_on = passed_on
        code: int = options.command(options, stdout, stderr)
    except SystemExit as asked:  # --help and --version end here, with nothing else to do
        return int(asked.code or 0)
    except HarnessError as problem:
        stderr.write(f"muse-bench: {problem}\n")
        return problem.exit_code
    except BrokenPipeError:  # whoever read our output has seen enough, but of a verdict only 3
        return 3 if ours[0] in VERDICTS else 0
    except OSError as problem:  # a disk that is full, a folder that may not be written
        stderr.write(f"muse-bench: {problem}\n")
        return 3
    return code


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our arguments, and those behind `--`."""
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


# -- run


def _run(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    """Play a scenario or a suite, and report it."""
    target = _named_target(options)
    played = _run_suite if options.suite else _run_scenario
    return played(options, target, stdout, stderr)


def _named_target(options: argparse.Namespace) -> Target | None:
    """The server at a URL; None where the embedded playground is to be started."""
    if options.target == "embedded":
        if options.model:
            raise UsageError("--model is for a URL; the embedded playground has one model")
        return None
    if options.passed_on:
        raise UsageError("arguments after -- are for the embedded playground, not for a URL")
    return Target("url", parse_url(options.target), model=options.model)


def _run_scenario(
    options: argparse.Namespace, target: Target | None, stdout: IO[str], stderr: IO[str]
) -> int:
    for name in ("quick", "only"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for a suite; try --suite acceptance --{name}")
    path = find_scenario(options.scenario)
    kind, scenario, text = load_scenario(path)
    with contextlib.ExitStack() as stack:
        asked = _asked(options)
        kind.refuse(asked)
        console = open_console(stderr)
        player = kind.player(asked, scenario, text, path, console, stack)
        folder = _folder(options, scenario.name)
        page = kind.page(asked, scenario)
        stopped = until_stopped(
            perform(player, target, options.passed_on, folder, page=page, waiting=_watched(console))
        )
    if not folder.has_record:
        folder.discard_if_empty()
        raise stopped or Interrupted("stopped before the target was met")
    result = derive(folder.path)
    folder.keep_reports(reports_of(result))
    _show(result, folder.path, stdout, as_json=options.json)
    return code_of(result.exit_code, stopped, stderr)


def _run_suite(
    options: argparse.Namespace, target: Target | None, stdout: IO[str], stderr: IO[str]
) -> int:
    asked = _asked(options)
    if given := [name for name in asked.given if name not in PLAYED_BY]:
        raise UsageError(f"--{given[0]} is for one scenario; what a suite asks is in its file")
    if asked.driver == "browser":
        raise UsageError("--driver browser is for one scenario; of a suite try --driver both")
    path = find_suite(options.suite)
    console = open_console(stderr)
    # Where no one watches, a line a part is enough.
    inner = console if console.is_terminal else Console(file=io.StringIO(), quiet=True)
    order = plan_suite(
        read_toml_file(path), path, inner, quick=options.quick, only=options.only, asked=asked
    )
    folder = _folder(options, order.suite.name)
    player = functools.partial(play_suite, order, progress=SuiteLines(console))
    page = any(part.page for part in order.parts)
    stopped = until_stopped(
        perform(player, target, options.passed_on, folder, page=page, waiting=_watched(console))
    )
    if not is_suite(folder.path):
        folder.discard_if_empty()
        raise stopped or Interrupted("stopped before the target was met")
    result = rederive_suite(folder)
    _show(result, folder.path, stdout, as_json=options.json)
    return code_of(result.exit_code, stopped, stderr)


def _asked(options: argparse.Namespace) -> Asked:
    return Asked(**{each.name: getattr(options, each.name) for each in fields(Asked)})


def _folder(options: argparse.Namespace, name: str) -> RunFolder:
    out = RUNS / folder_name(SystemClock().wall_iso(), name)
    return RunFolder.create(Path(options.out) if options.out else out)


def _watched(console: Terminal) -> Waiting | None:
    """Who is told how far turns are: nobody, where nobody watches."""
    return console.waiting if console.is_terminal else None


def _show(
    result: JudgedRun | SuiteResult | GateResult,
    folder: Path,
    stdout: IO[str],
    *,
    as_json: bool,
) -> None:
    """Print a result."""
    with printing(stdout):
        if as_json:
            stdout.write((folder / "result.json").read_text(encoding="utf-8"))
        elif isinstance(result, SuiteResult):
            show_suite(result, folder, open_console(stdout))
        elif isinstance(result, GateResult):
            show_gate(result, folder, open_console(stdout))
        else:
            kind_of_result(result).show(result, folder, open_console(stdout))


# -- list, report, selftest


def _list(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:  # noqa: ARG001
    """Say what can be asked: the scenarios and suites that come with the harness."""
    if options.schema:
        stdout.write(json.dumps(json_schema(), indent=2) + "\n")
        return 0
    loaded = {name: load_scenario(path) for name, path in known_scenarios().items()}
    scenarios = [Listed(name, kind.name, told) for name, (kind, told, _) in loaded.items()]
    suites = [parse_suite(read_toml_file(path), path) for path in known_scenarios(SUITES).values()]
    stdout.write(listing(scenarios, suites))
    return 0


def _report(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    """Derive every report of a run again."""
    path = Path(options.path)
    if not path.exists():
        raise UsageError(f"{path}: is not there; give a run folder as `muse-bench run` leaves it")
    folder = path if path.is_dir() else path.parent
    result, reports = _rederived(path, folder)
    if options.check:
        changed = changed_reports(folder, reports)
        for name in changed:
            stderr.write(f"muse-bench: {folder / name} is not what its traces say\n")
        return 1 if changed else 0
    RunFolder(folder).keep_reports(reports)
    _show(result, folder, stdout, as_json=options.json)
    return result.exit_code


def _rederived(
    path: Path, folder: Path
) -> tuple[JudgedRun | SuiteResult | GateResult, dict[str, str]]:
    """What is in a folder, judged, and the text of every report of it."""
    if is_gate(folder):
        need_extra()
        from harness.gate.rederive import rederive_gate  # noqa: PLC0415  (it needs the extra)

        return rederive_gate(folder)
    if is_suite(folder):
        suite = judge_suite(folder)
        return suite, suite_reports(suite)
    run = derive(path)
    return run, reports_of(run)


def _selftest(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    """Measure the instrument against known delays."""
    clock = SystemClock()
    why_not = why_no_browser(options.chromium)
    page = functools.partial(known_page, request=REQUEST, clock=clock, command=options.chromium)
    more = {} if why_not else {"page": page}
    found = asyncio.run(run_selftest(turns=options.turns, clock=clock, more=more))
    if why_not:
        stderr.write(f"muse-bench: without a page: {why_not}\n")
    print_selftest(found, open_console(stdout))
    return found.exit_code


# -- arguments


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other error does."""

    def error(self, message: str) -> Never:
        raise UsageError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="muse-bench",
        description="Measures and judges a chat server over HTTP.",
        epilog=f"Example: muse-bench run --scenario warm-resume\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = _command(
        commands,
        "run",
        "play a scenario, or a suite of them, against a target and report it",
        "muse-bench run --scenario warm-resume --repeat 5\n"
        "         muse-bench run --suite acceptance --quick\n"
        "         muse-bench run --scenario mine.toml --target http://127.0.0.1:3939 --json\n"
        "         muse-bench run --scenario warm-resume -- --threads 2",
    )
    run.set_defaults(command=_run)
    what = run.add_mutually_exclusive_group(required=True)
    what.add_argument("--scenario", metavar="NAME|FILE", help="one of `muse-bench list`, or a file")
    what.add_argument(
        "--suite", metavar="NAME|FILE", help="scenarios one after the other, against one target"
    )
    run.add_argument("--quick", action="store_true", help="of a suite: the quick run")
    run.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PART",
        help="of a suite: this part; may be given again",
    )
    run.add_argument(
        "--target",
        default="embedded",
        metavar="embedded|URL",
        help="start the embedded playground (default; arguments after -- are passed on to it), "
        "or measure a server that runs",
    )
    run.add_argument(
        "--model",
        metavar="NAME",
        help="the model that a server at a URL is asked for (default: the first that it lists)",
    )
    run.add_argument(
        "--repeat", type=_positive, metavar="N", help="how often (default: what the scenario says)"
    )
    run.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="what the facts of the conversation are drawn from (default: the scenario's)",
    )
    run.add_argument(
        "--first",
        type=_positive,
        metavar="N",
        help="of a scenario of cases: only the first N of each group, to see whether it runs",
    )
    run.add_argument(
        "--driver",
        choices=("http", "browser", "both"),
        help="of a conversation: sent by our client (default), typed into the target's own page, "
        "or both, side by side",
    )
    run.add_argument(
        "--chromium",
        metavar="COMMAND",
        help="the browser for the page (default: MUSE_CHROMIUM, or the first usual one)",
    )
    run.add_argument(
        "--rounds",
        type=_many,
        metavar="N",
        help="of a scenario of races: so many, spread evenly over its cells",
    )
    run.add_argument("--out", metavar="DIR", help=f"the run folder (default: {RUNS}/TIME-SCENARIO)")
    run.add_argument("--json", action="store_true", help="print result.json instead of tables")

    listing = _command(
        commands, "list", "name the scenarios and the suites", "muse-bench list", TOLD
    )
    listing.set_defaults(command=_list)
    listing.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of a scenario file instead"
    )

    report = _command(
        commands,
        "report",
        "derive every report of a run again from its traces",
        "muse-bench report reports/runs/20260131T120000Z-warm-resume",
    )
    report.set_defaults(command=_report)
    report.add_argument("path", metavar="TRACE|RUNDIR", help="a run folder, or its trace.jsonl")
    report.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 where a report on disk differs from what the traces say",
    )
    report.add_argument("--json", action="store_true", help="print result.json instead of tables")

    selftest = _command(
        commands,
        "selftest",
        "measure the instrument itself against known delays",
        "muse-bench selftest --turns 20",
    )
    selftest.set_defaults(command=_selftest)
    selftest.add_argument(
        "--turns", type=_positive, default=20, metavar="N", help="how often (default: 20)"
    )
    selftest.add_argument(
        "--chromium", metavar="COMMAND", help="the browser for the page, as for `run`"
    )
    add_gate_commands(functools.partial(_command, commands))
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    about: str,
    example: str,
    codes: str = CODES,
) -> _Parser:
    return commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=f"Example: {example}\n{codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _positive(text: str, most: int = MOST) -> int:
    number = int(text) if text.isdecimal() and len(text) < 100 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    if number > most:  # all turns are planned before the first is played
        raise argparse.ArgumentTypeError(f"{text!r} is more than {most}")
    return number


def _many(text: str) -> int:
    return _positive(text, MOST_ROUNDS)
