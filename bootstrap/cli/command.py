"""`python -m bootstrap`: make this machine ready, and look at what is pinned.

    (no command)        set up everything that this machine can run; --plan says what that is
    uninstall           remove what was made
    pins [--verify]     every pin of the file; their files held against size and hash
    pin PIN             one, as `muse-bench` reads it
    prepare PIN         make one runtime ready, in stages that are done once

`--json` prints JSON to stdout, an error too, as {"error": {"kind", "message"}}; progress goes to
stderr.

Exit codes: 0 done, 1 a stage failed or cannot begin, 2 used wrongly or a file that is not the
pinned one, 130 stopped.
"""

from __future__ import annotations

import argparse
import signal
import sys
from typing import IO, TYPE_CHECKING, Never

from bootstrap.cli import pins as pin_commands
from bootstrap.cli import setup as setup_command
from bootstrap.cli import uninstall as uninstall_command
from bootstrap.cli.printing import print_json
from bootstrap.errors import BootstrapError, Stopped, UsageError
from bootstrap.running.signals import stopping_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["main"]

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""What ends us as Ctrl-C does."""


def main(
    argv: Sequence[str],
    environ: Mapping[str, str],
    stdout: IO[str],
    stderr: IO[str],
    stdin: IO[str] | None = None,
) -> int:
    """Do what the arguments say; the exit code."""
    try:
        options = _options(argv)
        with stopping_on(*ENDING):
            if options.name == "uninstall":
                return uninstall_command.uninstall(
                    options, environ, stdout, stderr, stdin or sys.stdin
                )
            if options.name:
                command, _ = pin_commands.COMMANDS[options.name]
                return command(options, environ, stdout, stderr)
            return setup_command.setup(options, environ, stdout, stderr)
    except BootstrapError as problem:
        return _tell(problem, problem.exit_code, argv, stdout, stderr)
    except KeyboardInterrupt:
        return _tell(Stopped(), Stopped.exit_code, argv, stdout, stderr)
    except OSError as problem:  # a disk that is full, a folder that may not be written
        return _tell(problem, 1, argv, stdout, stderr)


def _tell(
    problem: Exception, code: int, argv: Sequence[str], stdout: IO[str], stderr: IO[str]
) -> int:
    """Say what stopped us: to a person, or as the JSON that was asked for."""
    if "--json" in argv:
        print_json({"error": {"kind": type(problem).__name__, "message": str(problem)}}, stdout)
    else:
        print(f"bootstrap: {problem}", file=stderr)
    return code


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other error does."""

    def error(self, message: str) -> Never:
        raise UsageError(f"{message}; see {self.prog} --help")


def _options(argv: Sequence[str]) -> argparse.Namespace:
    """What is asked for; `name` is the command's, empty where there is none.

    A command comes first, so each has its own arguments and none is taken for another's.
    """
    name = argv[0] if argv and argv[0] in {*pin_commands.COMMANDS, "uninstall"} else ""
    program = "python -m bootstrap"
    if not name:
        parser = _parser(program, "Set up everything that this machine can run.", __doc__)
        setup_command.add_arguments(parser)
    elif name == "uninstall":
        parser = _parser(f"{program} {name}", "Remove what was made.", uninstall_command.__doc__)
        uninstall_command.add_arguments(parser)
    else:
        about = pin_commands.COMMANDS[name][1]
        parser = _parser(f"{program} {name}", f"{about.capitalize()}.", pin_commands.__doc__)
        pin_commands.add_arguments(parser, name)
    options = parser.parse_args(argv[1:] if name else argv)
    options.name = name
    return options


def _parser(program: str, about: str, text: str | None) -> _Parser:
    return _Parser(
        prog=program,
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(text or "").partition("\n\n")[2],
        allow_abbrev=False,
    )
