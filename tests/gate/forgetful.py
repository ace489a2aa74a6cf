"""A worker that has lost its warm resume, and whose server claims it as before.

    python -m tests.gate.forgetful …    what it is told is what `playground.worker` is told

Every turn begins anew, and says that its session is new.
"""

from __future__ import annotations

import sys

from playground.worker.process import claim_stdout


def entry_point() -> int:
    """Run the worker on this process's own arguments and pipes; the exit code."""
    stdout = claim_stdout()
    from playground.worker.command import main  # noqa: PLC0415  (after `claim_stdout`)

    return main([*sys.argv[1:], "--warm_resume", "false"], stdout)


if __name__ == "__main__":
    sys.exit(entry_point())
