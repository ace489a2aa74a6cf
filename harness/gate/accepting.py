"""What happens on disk when a gate is accepted?

Its evidence is judged again, and has to say what its reports say.  Then what is kept of it goes
into `baselines/`, and one line into the log: both are for a commit, which somebody makes.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import PinUnusable, UsageError
from harness.gate.accept import Standing, accept_line, keeps, why_not_accepted
from harness.gate.baseline import (
    accepted_of,
    keep_accepted,
    keep_noise,
    noise_of,
    read_accepted,
)
from harness.gate.log import with_entry
from harness.gate.pins import load_pin
from harness.gate.policy import known_policies
from harness.gate.record import Side, is_gate, read_gate, read_starts
from harness.gate.rederive import rederive_gate
from harness.results import changed_reports, read_text
from harness.scenario import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.gate.record import StartRecord
    from harness.gate.result import GateResult

__all__ = [
    "accept_gate",
    "digest_today",
    "has_moved",
    "is_dirty_checkout",
    "keep",
    "whole_pairs",
]

BASELINES, LOG = "baselines", "LOG.md"
ABOUT = "the upgrade gate"
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60


def accept_gate(
    folder: Path,
    reports: Path,
    *,
    allow: Sequence[str],
    today: Callable[[str], str],
    dirty: bool,
    moved: Callable[[str], bool],
) -> tuple[GateResult, tuple[Path, ...]]:
    """Keep what there is to keep of a gate; what it came to, and the files that were written.

    `today` tells the digest that a pin has now, `moved` whether the checkout is at another commit.

    Raises:
        UsageError: it is no gate, or something stands against it; all of that is told.
        TraceError: its evidence, or what was kept of others, cannot be read.
    """
    if not is_gate(folder):
        raise UsageError(f"{folder} is not the folder of a gate, as `muse-bench gate` leaves it")
    result, derived = rederive_gate(folder)
    record, policy = read_gate(folder)
    commit = record.fingerprint.commit
    shipped = known_policies().get(policy.name)
    standing = Standing(
        changed=changed_reports(folder, derived),
        today="" if result.candidate.url else today(result.candidate.name),
        dirty=dirty,
        moved=commit is not None and moved(commit.revision),
        policy=digest(read_text(shipped)) if shipped else "",
        most=policy.pairs,
        pairs=whole_pairs(read_starts(folder)),
        kept=read_accepted(result.record.policy, reports / BASELINES),
    )
    if problems := why_not_accepted(result, standing, allow):
        raise UsageError("\n  ".join([f"{folder} is not accepted:", *problems]))
    return result, keep(result, folder, reports)


def keep(result: GateResult, folder: Path, reports: Path) -> tuple[Path, ...]:
    """Write what is kept of a gate that may be accepted; the files."""
    _, policy = read_gate(folder)
    kept, written = keeps(result, policy.pairs), []
    if "baseline" in kept:
        written.append(keep_accepted(accepted_of(result), policy.name, reports / BASELINES))
    if "noise" in kept:
        noise = noise_of(result, policy)
        written.append(keep_noise(noise, policy.name, result.baseline.name, reports / BASELINES))
    log = reports / LOG
    before = log.read_text(encoding="utf-8") if log.exists() else ""
    text = with_entry(before, result.record.started_at[:10], ABOUT, accept_line(result))
    log.write_text(text, encoding="utf-8", newline="\n")
    return (*written, log)


def whole_pairs(starts: Sequence[StartRecord]) -> tuple[int, ...]:
    """The pairs of which both sides were played to their end, in order."""
    played = {(start.pair, start.side) for start in starts if start.whole}
    numbers = {pair for pair, _ in played}
    return tuple(sorted(n for n in numbers if all((n, side) in played for side in Side)))


def digest_today(pin: str, pins_file: Path | None = None) -> str:
    """The digest that `bootstrap` gives a pin now; empty where it knows none of that name."""
    try:
        return load_pin(pin, pins_file, prepare=False).digest
    except PinUnusable:
        return ""


def is_dirty_checkout(root: Path = ROOT) -> bool:
    """Whether there are changes that no commit knows, apart from what was accepted before."""
    told = _git(root, "status", "--porcelain")
    return told is not None and bool(told.stdout.strip())


def has_moved(revision: str, root: Path = ROOT) -> bool:
    """Whether the checkout is another than at this commit, apart from what was accepted since.

    A commit that it does not know is another one.
    """
    told = _git(root, "diff", "--quiet", revision, "HEAD")
    return told is None or told.returncode != 0


def _git(root: Path, *command: str) -> subprocess.CompletedProcess[str] | None:
    """What git says of all but what was accepted; None where there is no git."""
    but = [f":(exclude)reports/{name}" for name in (BASELINES, LOG)]
    try:
        return subprocess.run(
            ["git", "-C", str(root), *command, "--", ".", *but],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except OSError:
        return None
