"""`muse-playground`: a chat server, or what is the matter with it here?

    muse-playground [options]            serve until told to stop (`playground.serving`)
    muse-playground doctor [options]     look, and say what to mend (`playground.doctor`)

Neither is loaded for the other, so that the second works where the first cannot start.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["entry_point", "main"]


def entry_point() -> int:
    """Run the command on this process's arguments.

    What the terminal's encoding lacks, as in a path, is written as an escape, and ends nothing.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return main(sys.argv[1:], os.environ, sys.stdout, sys.stderr)


def main(
    argv: Sequence[str],
    environ: Mapping[str, str],
    out: TextIO,
    err: TextIO,
    *,
    platform: str = sys.platform,
) -> int:
    """Do what the arguments say; returns the exit code."""
    if argv[:1] == ["doctor"]:
        from playground.doctor.command import examine  # noqa: PLC0415 - see the module

        return examine(argv[1:], environ, out, err, platform=platform)
    try:
        from playground.serving import main as serve  # noqa: PLC0415 - see the module
    except ModuleNotFoundError as error:
        print(
            f"muse-playground: it needs {error.name}; try: pip install 'muse-bench[server]'",
            file=err,
        )
        return 1
    except KeyboardInterrupt:  # all that is imported takes a moment
        return 0
    return serve(argv, environ, out, err, platform=platform)


if __name__ == "__main__":
    sys.exit(entry_point())
