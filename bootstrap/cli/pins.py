"""The commands about pins: `pins`, `pin`, `prepare`.

    pins [--verify]     every pin of the file; their files held against size and hash
    pin PIN             one, as `muse-bench` reads it
    prepare PIN         make it ready: an environment in .runtime, in stages that are done once

PIN is a name, a release or either with changes: see `choosing`.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bootstrap.cli.printing import print_json
from bootstrap.fetching.placing import placed
from bootstrap.layout import layout
from bootstrap.pinning.choosing import apart, choose
from bootstrap.pinning.description import describe, library_findings
from bootstrap.pinning.pins_file import read_pins
from bootstrap.pinning.verification import Found, findings
from bootstrap.setup.preparing import prepare
from bootstrap.setup.remembered import told_before
from bootstrap.setup.request import PIP_ARGS, TOKEN, VARIABLES, Request, model_dir_of, pip_arguments

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from bootstrap.pinning.pins import Pin

__all__ = ["COMMANDS", "add_arguments"]


def _pins(
    options: argparse.Namespace, environ: Mapping[str, str], stdout: IO[str], stderr: IO[str]
) -> int:
    """Every pin of the file; 2 where a file is not what its pin says."""
    places = layout(environ)
    pins = read_pins(_pins_file(options, environ))
    told = []
    wrong = 0
    model_dir = _model_dir(environ)
    for pin in (placed(each, places, model_dir) for each in pins.pins.values()):
        described = describe(pin, places)
        if options.verify:
            found = [*findings(pin), *library_findings(pin, places)]
            described["files"] = [finding.to_json() for finding in found]
            problems = [each for each in found if each.found in {Found.WRONG, Found.ABSENT}]
            wrong += len(problems)
            for finding in problems:
                print(f"bootstrap: {pin.name}: {finding.path}: {finding.problem}", file=stderr)
        told.append(described)
    if options.json:
        print_json({"path": str(pins.path), "default": pins.default, "pins": told}, stdout)
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
    places = layout(environ)
    prepare(
        pin,
        places,
        environ=environ,
        request=Request(
            pip_args=pip_arguments(options.pip_args or environ.get(PIP_ARGS, "")),
            git_mirror=options.git_mirror or environ.get(VARIABLES["git_mirror"], ""),
            model_mirror=environ.get(VARIABLES["model_mirror"], ""),
            uv_url=environ.get(VARIABLES["uv_url"], ""),
            token=environ.get(TOKEN, ""),
        ),
        uv=read_pins(_pins_file(options, environ)).tools.get("uv"),
        tell=lambda line: print(f"bootstrap: {line}", file=stderr, flush=True),
    )
    _show(describe(pin, places), options, stdout)
    return 0


COMMANDS = {
    "pins": (_pins, "every pin of the file"),
    "pin": (_pin, "one pin"),
    "prepare": (_prepare, "make a pin ready"),
}
"""By name: the command, and what it is about."""


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """The arguments of one of them."""
    parser.add_argument("--pins", metavar="FILE", help="another pins file (bootstrap/pins.toml)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    if name == "pins":
        parser.add_argument("--verify", action="store_true", help="compare sizes and hashes")
    else:
        parser.add_argument("pin", metavar="PIN", help="a pin, or executorch==X")
    if name == "prepare":
        parser.add_argument(
            "--pip-args", metavar="ARGS", default="", help=f"more arguments of pip ({PIP_ARGS})"
        )
        parser.add_argument(
            "--git-mirror", metavar="URL", default="", help="in place of https://github.com/"
        )


def _pins_file(options: argparse.Namespace, environ: Mapping[str, str]) -> Path:
    return Path(options.pins) if options.pins else layout(environ).pins_file


def _chosen(options: argparse.Namespace, environ: Mapping[str, str]) -> Pin:
    places = layout(environ)
    pin = choose(options.pin, read_pins(_pins_file(options, environ)), Path.cwd())
    if options.pins and places.pins_file.is_file():
        pin = apart(pin, read_pins(places.pins_file))
    return placed(pin, places, _model_dir(environ))


def _model_dir(environ: Mapping[str, str]) -> Path | None:
    """The folder that is said, or that the setup was told."""
    return model_dir_of(environ) or told_before(layout(environ)).model_dir


def _show(described: dict[str, Any], options: argparse.Namespace, stdout: IO[str]) -> None:
    if options.json:
        print_json(described, stdout)
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
