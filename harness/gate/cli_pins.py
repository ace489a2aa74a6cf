"""The command that tells what is pinned, and whether it is what lies on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from typing import IO

    from harness.gate.cli import AddCommand

__all__ = ["add_pins"]

WRONG = 2
"""A file that is not the pinned one: nothing of it can be compared."""


def add_pins(add: AddCommand) -> None:
    """`muse-bench pins`."""
    parser = add(
        "pins",
        "list the pinned runtimes and models, and verify their files",
        "muse-bench pins --verify",
        "Exit codes: 0 told, and every file is what its pin says; 2 one is not, or used wrongly.",
    )
    parser.set_defaults(command=_pins)
    parser.add_argument("--pins", metavar="FILE", help="another pins file (bootstrap/pins.toml)")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="hold every file against its size and hash; exit code 2 where one is another",
    )
    parser.add_argument(
        "--changed-since",
        metavar="FILE",
        help="print no more than the names of the pins that are new, or others than in this file",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _pins(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    """Tell every pin; 2 where a file is not what its pin says."""
    from harness.gate.pins import changed_pins, list_pins
    from harness.report.console import open_console
    from harness.report.pins import pin_problems, show_pins

    told = list_pins(Path(options.pins) if options.pins else None, verify=options.verify)
    if options.changed_since:
        before = list_pins(Path(options.changed_since), verify=False)
        stdout.write("".join(f"{name}\n" for name in changed_pins(before, told)))
        return 0
    problems = pin_problems(told)
    if options.json:
        json.dump(told, stdout, indent=2)
        stdout.write("\n")
    else:
        show_pins(told, open_console(stdout), verified=options.verify)
    for problem in problems:
        stderr.write(f"muse-bench: {problem}\n")
    return WRONG if problems else 0
