"""What does `muse-bench gate` do, from what was asked to its exit code?"""

from __future__ import annotations

import functools
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console

from harness.clock import SystemClock
from harness.errors import Interrupted, UsageError
from harness.fingerprint import fingerprint
from harness.gate.order import GateAsked, new_order, resumed_order
from harness.gate.record import Side, is_gate
from harness.gate.runner import play_gate
from harness.playing import stop_when_told
from harness.report.console import open_console, printing
from harness.report.gate import gate_reports, show_gate
from harness.report.gate.progress import watch_gate
from harness.results import RUNS, RunFolder, folder_name
from harness.stopping import code_of, until_stopped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

    from harness.fingerprint import Fingerprint
    from harness.gate.bench import Bench
    from harness.gate.pins import Pin
    from harness.gate.runner import GateOrder, GateProgress
    from harness.report.console import Terminal
    from harness.waiting import Waiting

    PinSource = Callable[[str, Path | None], Pin]
    """A pin by its name, a release or a URL, of another file of pins where one is named; all that
    it needs is ready then.  Raises HarnessError."""

__all__ = ["GateOptions", "gate_command"]


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What the command line says."""

    asked: GateAsked
    baseline: str | None = None
    candidate: str | None = None
    pins: Path | None = None
    """The file of both pins; None for the one that comes with the checkout."""
    baseline_pins: Path | None = None
    """The file of the baseline's pin, where that is another one."""
    resume: Path | None = None
    out: Path | None = None
    json: bool = False


def gate_command(
    options: GateOptions,
    stdout: IO[str],
    stderr: IO[str],
    *,
    load: PinSource,
    bench: Callable[[Waiting | None], Bench],
    here: Fingerprint | None = None,
) -> int:
    """Play a gate, or what is left of one, and report it; the exit code.

    `bench` is told who watches the turns of a suite; `here` is this machine and this harness, as
    `fingerprint` finds them where it is not given.
    """
    console = open_console(stderr)
    try:
        order, folder = _order(options, console, load, here or fingerprint())
    except KeyboardInterrupt:
        raise Interrupted("stopped before anything was measured") from None
    used = bench(console.waiting if console.is_terminal else None)
    with watch_gate(console) as progress:
        stopped = until_stopped(_play(order, folder, used, progress))
    result = used.judge(folder.path)
    folder.keep_reports(gate_reports(result))
    with printing(stdout):
        if options.json:
            stdout.write((folder.path / "result.json").read_text(encoding="utf-8"))
        else:
            show_gate(result, folder.path, open_console(stdout))
    return code_of(result.exit_code, stopped, stderr)


async def _play(order: GateOrder, folder: RunFolder, bench: Bench, progress: GateProgress) -> None:
    stop_when_told()
    await play_gate(order, folder, bench, clock=SystemClock(), progress=progress)


def _order(
    options: GateOptions, console: Terminal, load: PinSource, here: Fingerprint
) -> tuple[GateOrder, RunFolder]:
    """What is to be played, and where it is kept."""
    # Where no one watches, a line a part is enough.
    inner = console if console.is_terminal else Console(file=io.StringIO(), quiet=True)
    if options.resume is not None:
        return _resumed(options, options.resume, inner, load, here), RunFolder(options.resume)
    if options.baseline is None or options.candidate is None:
        raise UsageError("a gate needs --baseline PIN and --candidate PIN, or --resume DIR")
    started_at = SystemClock().wall_iso()
    baseline = _pin(options, load, Side.BASELINE, options.baseline)
    candidate = _pin(options, load, Side.CANDIDATE, options.candidate)
    order = new_order(
        options.asked, baseline, candidate, started_at=started_at, console=inner, here=here
    )
    name = folder_name(started_at, f"gate-{order.policy.name}")
    return order, RunFolder.create(options.out or RUNS / name)


def _resumed(
    options: GateOptions, folder: Path, console: Console, load: PinSource, here: Fingerprint
) -> GateOrder:
    for name in ("baseline", "candidate", "out"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is in the folder that --resume names; leave it out")
    if not is_gate(folder):
        raise UsageError(f"{folder}: no gate was begun there; give the folder of one to --resume")
    return resumed_order(
        options.asked, folder, functools.partial(_pin, options, load), console=console, here=here
    )


def _pin(options: GateOptions, load: PinSource, side: Side, name: str) -> Pin:
    own = options.baseline_pins if side is Side.BASELINE else None
    return load(name, own or options.pins)
