"""A worker that is sound, and doubles the rates that it reports.

    python -m tests.gate.lying …    what it is told is what `playground.worker` is told

By its own figures it decodes and prefills twice as fast: neither the client's clock nor the times
that it reports beside them agree.
"""

from __future__ import annotations

import json
import sys

from playground.worker.process import claim_stdout, write_whole

RATES = ("prefill_tok_s", "decode_tok_s")


def embellish(stdout: int, line: bytes) -> None:
    """Write a line of reply, its rates doubled."""
    reply = json.loads(line)
    doubled = {name: 2 * reply[name] for name in RATES if reply.get(name)}
    changed = json.dumps(reply | doubled, ensure_ascii=False).encode() + b"\n"
    write_whole(stdout, changed if doubled else line)


def entry_point() -> int:
    """Run the worker on this process's own arguments and pipes; the exit code."""
    stdout = claim_stdout()
    from playground.worker.command import main  # noqa: PLC0415  (after `claim_stdout`)

    return main(sys.argv[1:], stdout, write=embellish)


if __name__ == "__main__":
    sys.exit(entry_point())
