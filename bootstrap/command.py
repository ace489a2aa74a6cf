"""`python -m bootstrap`: what is pinned, and making a pin ready.

    pins [--verify]     every pin of the file; their files held against size and hash
    pin PIN             one, as `muse-bench` reads it
    prepare PIN         make it ready: an environment in .runtime, in stages that are done once

PIN is a name, a release or either with changes: see `choosing`.  `--json` prints JSON to stdout,
an error too, as {"error": {"kind", "message"}}; progress goes to stderr.

Exit codes: 0 done, 1 a stage failed, 2 used wrongly or a file that is not the pinned one,
130 stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import signal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Never

from bootstrap.choosing import apart, choose
from bootstrap.description import describe, library_findings
from bootstrap.errors import BootstrapError, Stopped, UsageError
from bootstrap.layout import layout
from bootstrap.pins_file import read_pins
from bootstrap.preparing import prepare
from bootstrap.verification import Found, findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from bootstrap.pins import Pin

__all__ = ["main", "stopping_on"]

PIP_ARGS = "MUSE_PIP_ARGS"


def main(argv: Sequence[str], environ: Mapping[str, str], stdout: IO[str], stderr: IO[str]) -> int:
    """Do what the arguments say; the exit code."""
    try:
        options = _parser().parse_args(argv)
        with stopping_on(signal.SIGTERM):
            code: int = options.command(options, environ, stdout, stderr)
    except BootstrapError as problem:
        return _tell(problem, problem.exit_code, argv, stdout, stderr)
    except KeyboardInterrupt:
        return _tell(Stopped(), Stopped.exit_code, argv, stdout, stderr)
    except OSError as problem:  # a disk that is full, a folder that may not be written
        return _tell(problem, 1, argv, stdout, stderr)
    return code


def _tell(
    problem: Exception, code: int, argv: Sequence[str], stdout: IO[str], stderr: IO[str]
) -> int:
    """Say what stopped us: to a person, or as the JSON that was asked for."""
    if "--json" in argv:
        _print_json({"error": {"kind": type(problem).__name__, "message": str(problem)}}, stdout)
    else:
        print(f"bootstrap: {problem}", file=stderr)
    return code


@contextlib.contextmanager
def stopping_on(number: signal.Signals) -> Iterator[None]:
    """Have a signal end what is going on, and the command that is running with it."""

    def stop(number: int, frame: FrameType | None) -> Never:  # noqa: ARG001
        raise Stopped

    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


def _pins(
    options: argparse.Namespace, environ: Mapping[str, str], stdout: IO[str], stderr: IO[str]
) -> int:
    """Every pin of the file; 2 where a file is not what its pin says."""
    places = layout(environ)
    pins = read_pins(_pins_file(options, environ))
    told = []
    wrong = 0
    for pin in pins.pins.values():
        described = describe(pin, places)
        if options.verify:
            found = [*findings(pin), *library_findings(pin, places)]
            described["files"] = [finding.to_json() for finding in found]
            bad = {Found.WRONG} if pin.runtime.unprepared else {Found.WRONG, Found.ABSENT}
            problems = [finding for finding in found if finding.found in bad]
            wrong += len(problems)
            for finding in problems:
                print(f"bootstrap: {pin.name}: {finding.path}: {finding.problem}", file=stderr)
        told.append(described)
    if options.json:
        _print_json({"path": str(pins.path), "default": pins.default, "pins": told}, stdout)
    else:
        for described in told:
            print(_in_a_line(described), file=stdout)
    return 2 if wrong else 0


def _pin(
    options: argparse.Namespace,
    environ: Mapping[str, str],
    stdout: IO[str],
    stderr: IO[str],  # noqa: ARG001
) -> int:
    """One pin, as it is."""
    _show(describe(_chosen(options, environ), layout(environ)), options, stdout)
    return 0


def _prepare(
    options: argparse.Namespace, environ: Mapping[str, str], stdout: IO[str], stderr: IO[str]
) -> int:
    """One pin, made ready."""
    pin = _chosen(options, environ)
    try:
        pip_args = shlex.split(options.pip_args or environ.get(PIP_ARGS, ""))
    except ValueError as problem:
        raise UsageError(f"--pip-args or {PIP_ARGS}: {problem}") from problem
    places = layout(environ)
    prepare(
        pin,
        places,
        environ=environ,
        pip_args=pip_args,
        tell=lambda line: print(f"bootstrap: {line}", file=stderr, flush=True),
    )
    _show(describe(pin, places), options, stdout)
    return 0


def _pins_file(options: argparse.Namespace, environ: Mapping[str, str]) -> Path:
    return Path(options.pins) if options.pins else layout(environ).pins_file


def _chosen(options: argparse.Namespace, environ: Mapping[str, str]) -> Pin:
    pin = choose(options.pin, read_pins(_pins_file(options, environ)), Path.cwd())
    own = layout(environ).pins_file
    return apart(pin, read_pins(own)) if options.pins and own.is_file() else pin


def _show(described: dict[str, Any], options: argparse.Namespace, stdout: IO[str]) -> None:
    if options.json:
        _print_json(described, stdout)
        return
    print(_in_a_line(described), file=stdout)
    for key, value in described["facts"].items():
        print(f"  {key}: {value}", file=stdout)
    if described["arguments"]:
        print(f"  started as: muse-playground {shlex.join(described['arguments'])}", file=stdout)


def _in_a_line(described: dict[str, Any]) -> str:
    state = "ready" if described["prepared"] else "not prepared"
    state = (
        f"cannot be prepared here: it {described['unprepared']}"
        if described["unprepared"]
        else state
    )
    return f"{described['name']}: {described['why']} ({state})"


def _print_json(value: object, stdout: IO[str]) -> None:
    json.dump(value, stdout, indent=2)
    stdout.write("\n")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other error does."""

    def error(self, message: str) -> Never:
        raise UsageError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m bootstrap",
        description="What is pinned, and making a pin ready.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=__doc__.partition("\n\n")[2],
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command, about in (
        ("pins", _pins, "every pin of the file"),
        ("pin", _pin, "one pin"),
        ("prepare", _prepare, "make a pin ready"),
    ):
        sub = commands.add_parser(name, help=about, allow_abbrev=False)
        sub.set_defaults(command=command)
        sub.add_argument("--pins", metavar="FILE", help="another pins file (bootstrap/pins.toml)")
        sub.add_argument("--json", action="store_true", help="print JSON")
        if name == "pins":
            sub.add_argument("--verify", action="store_true", help="compare sizes and hashes")
        else:
            sub.add_argument("pin", metavar="PIN", help="a pin, or executorch==X")
        if name == "prepare":
            sub.add_argument(
                "--pip-args", metavar="ARGS", default="", help=f"more arguments of pip ({PIP_ARGS})"
            )
    return parser
