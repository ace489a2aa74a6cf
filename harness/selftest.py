"""How wrong is the instrument itself, on this machine, now?

A process of its own plays a stream of known delays, `turns` times, and notes when it really wrote
each piece.  The harness measures those turns as it measures any server's.  Both ends are put
through the same `metrics.measure`; the difference is the instrument's error, metric by metric:

    error = what the client measured - what the server's writes make it

It holds everything between the server's write and the client's stamp (kernel, loopback, event
loop, HTTP framing) and, where a metric begins at t_send, the way of the request too.

The stream is an ordinary one made awkward: role frame first, keep-alive comments, CRLF frames,
frames cut between two writes, reasoning before content, one long gap.

Bounds.  A duration may be wrong by 1 ms in the median and 5 ms at worst, a rate or a time per
token by 1 % and 5 %.  A turn is disturbed when our own loop was more than 5 ms late in it, or one
write of the server took more than 1 ms: that says something about the machine, not about the
instrument.  Disturbed turns are left out.  Where most are disturbed, or where only the worst
case is out of bounds and some turns were disturbed, the outcome is INCONCLUSIVE.

`python -m harness.selftest` is the server's end: it prints its address and lives until its
standard input is closed.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.client import ChatClient, TurnRequest
from harness.dirty import is_dirty
from harness.errors import LaunchFailed
from harness.metrics import METRICS, measure
from harness.testing import (
    DONE,
    MS,
    Piece,
    RawServer,
    Received,
    Script,
    frame,
    http_head,
    json_script,
    trace,
)
from harness.trace import TurnLabel
from harness.verdict import Outcome
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from harness.clock import Clock
    from harness.trace import Trace
    from harness.units import Unit

__all__ = ["CALIBRATED", "Deviation", "KnownTurn", "SelfTest", "calibrate", "run_selftest"]

CALIBRATED = (
    "client.ttfb",
    "client.ttfe",
    "client.ttft",
    "client.ttfv",
    "client.think",
    "client.e2e",
    "client.to_done",
    "client.tpot",
    "client.decode_rate",
    "client.e2e_rate",
    "client.icl_median",
    "client.icl_max",
)
"""The metrics whose error is measured."""

RELATIVE = frozenset({"client.tpot", "client.decode_rate", "client.e2e_rate"})
MEDIAN_BOUND_S, WORST_BOUND_S = 1e-3, 5e-3
MEDIAN_BOUND_RATIO, WORST_BOUND_RATIO = 0.01, 0.05
SLOW_WRITE_NS = 1 * MS
STARTUP_S = 20.0

SERVER = (sys.executable, "-m", "harness.selftest")
REQUEST: Mapping[str, object] = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """One turn from both ends."""

    measured: Trace
    true: Trace
    """What the client would have recorded if it had seen every piece as it was written."""
    slowest_write_ns: int

    @property
    def disturbed(self) -> bool:
        """Whether the machine kept either end from doing its work."""
        return is_dirty(self.measured) or self.slowest_write_ns > SLOW_WRITE_NS


@dataclass(frozen=True, slots=True)
class Deviation:
    """The error of one metric over all clean turns."""

    name: str
    unit: Unit
    """Of `truth`, and of the errors too unless they are `relative`."""
    truth: float
    """Median of what the server's writes make it."""
    median: float
    """Median of the signed errors: the bias."""
    worst: float
    """The signed error that is farthest from 0."""
    relative: bool
    """Whether the errors are shares of the truth."""
    median_bound: float
    worst_bound: float

    @property
    def within(self) -> bool:
        """Whether both errors keep their bounds."""
        return abs(self.median) <= self.median_bound and abs(self.worst) <= self.worst_bound


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The calibration: the instrument's error per metric, and what follows."""

    turns: int
    clean: int
    """Turns that nothing disturbed; the deviations are theirs, or all turns' where most were."""
    deviations: tuple[Deviation, ...]
    worst_lag_s: float
    outcome: Outcome
    message: str

    @property
    def exit_code(self) -> int:
        """0 within bounds, 1 out of bounds, 3 could not tell."""
        return {Outcome.PASS: 0, Outcome.FAIL: 1}.get(self.outcome, 3)


async def run_selftest(*, turns: int = 20, clock: Clock | None = None) -> SelfTest:
    """Measure the instrument against a server of known delays in a process of its own.

    Raises:
        LaunchFailed: that process did not start.
    """
    async with known_server() as url, ChatClient(url, clock) as client:
        await _known_turn(client, 0)  # first connections and lazy imports are not the error
        return calibrate([await _known_turn(client, number) for number in range(1, turns + 1)])


def calibrate(turns: Sequence[KnownTurn]) -> SelfTest:
    """What known turns say about the instrument."""
    clean = [turn for turn in turns if not turn.disturbed]
    quiet = len(clean) * 2 > len(turns)
    worst_lag_s = max((turn.measured.lag_ns for turn in turns), default=0) * 1e-9
    deviations, missing = _deviations(clean if quiet else turns)
    biased = [each.name for each in deviations if abs(each.median) > each.median_bound]
    strayed = [each.name for each in deviations if abs(each.worst) > each.worst_bound]
    if missing:
        outcome, message = Outcome.FAIL, missing
    elif not quiet:
        share = f"{len(turns) - len(clean)} of {len(turns)} turns were disturbed"
        outcome, message = Outcome.INCONCLUSIVE, f"{share}; try again on a quieter machine"
    elif biased:
        outcome, message = Outcome.FAIL, f"biased beyond the bound: {', '.join(biased)}"
    elif strayed:
        outcome = Outcome.FAIL if len(clean) == len(turns) else Outcome.INCONCLUSIVE
        message = f"beyond the bound at worst: {', '.join(strayed)}"
    else:
        outcome, message = Outcome.PASS, "every metric is within its bounds"
    return SelfTest(len(turns), len(clean), deviations, worst_lag_s, outcome, message)


def _deviations(turns: Sequence[KnownTurn]) -> tuple[tuple[Deviation, ...], str]:
    """The deviation of each metric, and which one could not be measured, if any."""
    both = [(measure(observe(turn.measured)), measure(observe(turn.true))) for turn in turns]
    deviations = []
    for name in CALIBRATED:
        values: list[tuple[float, float]] = []
        for seen, true in both:
            measured, truth = seen[name].value, true[name].value
            if measured is None or truth is None:
                return (), f"{name} was not measured: {seen[name].reason or true[name].reason}"
            values.append((measured, truth))
        deviations.append(_deviation(name, values))
    return tuple(deviations), ""


def _deviation(name: str, values: Sequence[tuple[float, float]]) -> Deviation:
    relative = name in RELATIVE
    errors = [(seen - true) / (true if relative else 1.0) for seen, true in values]
    return Deviation(
        name,
        METRICS[name].unit,
        statistics.median(true for _, true in values),
        statistics.median(errors),
        max(errors, key=abs),
        relative,
        MEDIAN_BOUND_RATIO if relative else MEDIAN_BOUND_S,
        WORST_BOUND_RATIO if relative else WORST_BOUND_S,
    )


async def _known_turn(client: ChatClient, number: int) -> KnownTurn:
    measured = await client.turn(TurnRequest(TurnLabel("selftest", number, "known", 0), REQUEST))
    written = (await client.get_json("/written")).json
    body = zip(written["body_ns"], known_pieces(), strict=True)
    true = trace(*((at_ns / MS, piece.data) for at_ns, piece in body), request=REQUEST)
    return KnownTurn(measured, true, written["slowest_ns"])


# -- the server's end


def known_pieces() -> tuple[Piece, ...]:
    """The body of the stream that is played: 16 reasoning and 24 content frames."""
    pieces = [
        Piece(2, frame(role="assistant").encode()),
        Piece(20, b": prefill\n\n"),
        Piece(40, b": prefill\r\n\r\n"),
    ]
    at_ms = 60.0
    for number in range(40):
        word = {"reasoning": f"hm {number}"} if number < 16 else {"content": f"word {number} … "}
        data = frame(**word).encode()  # type: ignore[arg-type]
        if number % 5 == 3:
            data = data.replace(b"\n", b"\r\n")
        if number % 4 == 2:  # cut inside the frame: it is complete with the second write
            pieces.append(Piece(at_ms - 2, data[:41]))
            data = data[41:]
        pieces.append(Piece(at_ms, data))
        at_ms += 60 if number == 30 else 5
    usage = {"prompt_tokens": 7, "completion_tokens": 40}
    pieces.append(Piece(at_ms, frame(finish="stop").encode()))
    pieces.append(Piece(at_ms + 10, (frame(usage=usage) + DONE).encode()))
    return tuple(pieces)


async def serve() -> None:
    """Play the known stream to every POST, and tell a GET when the last one was written."""
    script = Script((Piece(0, http_head()), *known_pieces()))
    writes: list[tuple[int, int]] = []

    def answer(request: Received) -> Script:
        if request.method == "POST":
            writes.clear()
            return script
        slowest_ns = max((end - begin for begin, end in writes), default=0)
        return json_script({"body_ns": [at for at, _ in writes[1:]], "slowest_ns": slowest_ns})

    def on_write(request: Received, begin_ns: int, end_ns: int) -> None:
        if request.method == "POST":
            writes.append((begin_ns, end_ns))

    async with RawServer(answer, wait_until=exact_wait, on_write=on_write) as server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def exact_wait(clock: Clock, due_ns: int) -> None:
    """Sleep while the event loop is exact enough, then ask the clock until it is time."""
    spare_s = (due_ns - clock.now_ns()) / 1e9 - 0.002
    if spare_s > 0:
        await asyncio.sleep(spare_s)
    while clock.now_ns() < due_ns:  # noqa: ASYNC110 - no event tells the time
        await asyncio.sleep(0)


@asynccontextmanager
async def known_server(command: Sequence[str] = SERVER) -> AsyncIterator[str]:
    """The address of the server's end, running until the block is left."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=Path(__file__).parent.parent,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        try:
            async with asyncio.timeout(STARTUP_S):
                line = await process.stdout.readline()
        except TimeoutError as problem:
            raise LaunchFailed(command, f"silent for {STARTUP_S:g} s") from problem
        if not line:
            raise LaunchFailed(command, "it ended at once")
        yield line.decode().strip()
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(5):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


if __name__ == "__main__":
    asyncio.run(serve())
