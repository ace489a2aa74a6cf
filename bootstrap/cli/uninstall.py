"""`python -m bootstrap uninstall`: remove what the setup made.

What is removed is listed with its size, and removed when that is agreed to, or at once with --yes.
It is refused while a setup, a playground or anything else that was started from there is running.
Models are removed too unless --keep-models is given; a model folder of --model-dir never is.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from bootstrap.cli.printing import print_json
from bootstrap.errors import UsageError
from bootstrap.layout import layout
from bootstrap.machine.asking import Asking
from bootstrap.running.sizes import in_words
from bootstrap.serving.profile import own_launcher
from bootstrap.setup.uninstalling import removals, remove, unused

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

__all__ = ["add_arguments", "uninstall"]


def uninstall(
    options: argparse.Namespace,
    environ: Mapping[str, str],
    stdout: IO[str],
    stderr: IO[str],
    stdin: IO[str],
) -> int:
    """List it, ask, and remove it."""
    places = layout(environ)
    # In another locale `ps` spells out whatever is not ASCII.
    with unused(places, Asking({**environ, "LC_ALL": "en_US.UTF-8"})):
        what = removals(places, own_launcher(places), keep_models=options.keep_models)
        for each in what.removed:
            print(f"{in_words(each.bytes):>9}  {each.path}", file=stderr)
        for path in what.kept:
            print(f"    stays  {path}", file=stderr)
        if what.removed and not options.yes:
            print(f"remove these, {in_words(what.bytes)}? [y/N] ", end="", file=stderr, flush=True)
            if stdin.readline().strip().lower() not in {"y", "yes"}:
                raise UsageError("nothing was removed: it was not agreed to; --yes does without")
        remove(what, places.made)
    if options.json:
        gone = [{"path": str(each.path), "bytes": each.bytes} for each in what.removed]
        kept = [str(path) for path in what.kept]
        print_json({"removed": gone, "kept": kept}, stdout)
    elif what.removed:
        print(f"removed {in_words(what.bytes)}", file=stdout)
    else:
        print("there was nothing to remove", file=stdout)
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--keep-models", action="store_true", help="leave what is fetched of models"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
