"""`python -m bootstrap` alone: set everything up that this machine can run.

    --plan       say what would be done, and change nothing
    --verify     hold what was made against its sizes and hashes, and change nothing

Each of the other arguments has a variable: see `request`.
"""

from __future__ import annotations

import shlex
from typing import IO, TYPE_CHECKING

from bootstrap.cli.printing import print_json
from bootstrap.errors import UsageError
from bootstrap.layout import layout
from bootstrap.machine.asking import Asking
from bootstrap.machine.room import look_at_disk
from bootstrap.pinning.description import library_findings
from bootstrap.pinning.verification import Found, findings
from bootstrap.running.commands import clean_environment
from bootstrap.setup.here import Here
from bootstrap.setup.planning import make_plan
from bootstrap.setup.profiles import PROFILES, rows
from bootstrap.setup.remembered import with_told
from bootstrap.setup.request import VARIABLES, cached, read_request
from bootstrap.setup.setting_up import set_up

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from bootstrap.setup.planning import Plan

__all__ = ["add_arguments", "setup"]


def setup(
    options: argparse.Namespace, environ: Mapping[str, str], stdout: IO[str], stderr: IO[str]
) -> int:
    """Do it, plan it, or verify what was done.

    Raises:
        UsageError: arguments that contradict one another, or this was installed from a wheel.
    """
    places = layout(environ)
    if not (places.root / "pyproject.toml").is_file():
        raise UsageError(
            f"{places.root} is no checkout, and a checkout is what is set up; clone the repository "
            "and run ./setup there"
        )
    request = with_told(read_request(options, environ), places)
    here = Here(
        places=places,
        environ=cached(request, places, clean_environment(environ)),
        ask=Asking(environ),
        look_at_disk=look_at_disk,
        tell=lambda line: print(f"bootstrap: {line}", file=stderr, flush=True),
        rows=rows,
    )
    if options.plan and options.verify:
        raise UsageError("--plan or --verify, not both")
    if options.plan or options.verify:
        plan = make_plan(request, here, whole=options.plan)
        if options.verify:
            return _verify(plan, here, options, stdout, stderr)
        if options.json:
            print_json(plan.to_json(), stdout)
        else:
            print(plan.in_words(), file=stdout)
        return 0
    plan, ran = set_up(request, here)
    start = _start(here)
    if options.json:
        told = {"profile": plan.profile.name, "pin": plan.pin.name, "ran": ran, "start": start}
        print_json(told, stdout)
        return 0
    made = f"made: {', '.join(ran)}" if ran else "everything was there"
    print(f"profile {plan.profile.name} is ready; {made}", file=stdout)
    if start:
        print(f"start it: {shlex.join(start)}", file=stdout)
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    add = parser.add_argument
    add("--plan", action="store_true", help="say what would be done, and change nothing")
    add("--verify", action="store_true", help="compare sizes and hashes of what was made")
    add("--json", action="store_true", help="print JSON")
    add("--only", metavar="STAGE", action="append", default=[], help="a stage, or a work")
    add("--force", metavar="STAGE", action="append", default=[], help="do it again")
    for flag, metavar, about in (
        ("--profile", "NAME", f"{' or '.join(PROFILES)}, whatever the machine is"),
        ("--port", "N", "the port that the playground is to listen on"),
        ("--model-dir", "DIR", "where the files of Muse Glimmer are, or are to go"),
        ("--cache-dir", "DIR", "the cache of pip, uv and npm (.runtime/cache)"),
        ("--model-mirror", "URL", "in place of where models are published"),
        ("--uv-url", "URL", "uv's archive, in place of that of its release page"),
        ("--git-mirror", "URL", "in place of https://github.com"),
        ("--pip-args", "ARGS", "more arguments of pip"),
        ("--pins", "FILE", "another pins file (bootstrap/pins.toml)"),
    ):
        variable = VARIABLES[flag[2:].replace("-", "_")]
        add(flag, metavar=metavar, help=f"{about} ({variable})")
    for flag, about in (
        ("--offline", "begin nothing that needs the network"),
        ("--install-metal", "install Xcode's Metal compiler where it is missing"),
    ):
        variable = VARIABLES[flag[2:].replace("-", "_")]
        add(flag, action="store_true", help=f"{about} ({variable})")


def _verify(
    plan: Plan, here: Here, options: argparse.Namespace, stdout: IO[str], stderr: IO[str]
) -> int:
    """2 where a file is not what its pin says, or was not made yet."""
    found = [*findings(plan.pin), *library_findings(plan.pin, here.places)]
    good = {Found.RIGHT, Found.UNKNOWN}
    wrong = [finding for finding in found if finding.found not in good]
    for finding in wrong:
        print(f"bootstrap: {finding.path}: {finding.problem} ({finding.owner})", file=stderr)
    for stage in plan.due:
        print(f"bootstrap: stage {stage.name} is due: {stage.about}", file=stderr)
    if options.json:
        files = [finding.to_json() for finding in found]
        due = [stage.name for stage in plan.due]
        print_json({"profile": plan.profile.name, "files": files, "due": due}, stdout)
    else:
        right = len(found) - len(wrong)
        print(f"{right} of {len(found)} files are what their pin says", file=stdout)
    return 2 if wrong or plan.due else 0


def _start(here: Here) -> list[str]:
    """The command that starts the playground; nothing where it was not made."""
    command = here.places.work("server").path / "venv" / "bin" / "muse-playground"
    return [str(command)] if command.exists() else []
