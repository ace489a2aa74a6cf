"""`python -m playground.worker`: keep stdout for the protocol, then hand over to `command`.

Nothing that could load a native library is imported before stdout is ours.
"""

from __future__ import annotations

import sys

from playground.worker.process import claim_stdout


def entry_point() -> int:
    """Run the worker on this process's own arguments and pipes; returns the exit code."""
    stdout = claim_stdout()
    from playground.worker.command import main  # noqa: PLC0415  (see above)

    return main(sys.argv[1:], stdout)


if __name__ == "__main__":
    sys.exit(entry_point())
