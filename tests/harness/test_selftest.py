"""The instrument knows its own error, and does not blame itself for the machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import LaunchFailed
from harness.events import Channel, Delta
from harness.selftest.calibration import CALIBRATED, Calibration, KnownTurn, calibrate
from harness.selftest.known import REQUEST, known_pieces
from harness.selftest.run import Cost, conclude, run_selftest, started
from harness.selftest.second import read_turn, trace_of
from harness.testing import DONE, Piece, RawServer, Script, frame, http_head, trace
from harness.trace import Action
from harness.verdict import Outcome
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from harness.events import Observed
    from harness.trace import Trace

MS = 1_000_000


def seen(delay_ms: float = 0.0, stretch: float = 1.0, **fields: Any) -> Trace:  # noqa: ANN401
    """The known stream as a client would record it: each piece late by so much."""
    return trace(
        *((piece.at_ms * stretch + delay_ms, piece.data) for piece in known_pieces()),
        **({"request": REQUEST} | fields),
    )


def turns(number: int, **fields: Any) -> list[KnownTurn]:  # noqa: ANN401
    """So many turns seen alike, and written as planned."""
    slowest = fields.pop("slowest_write_ns", 0)
    return [KnownTurn(seen(**fields), seen(), slowest) for _ in range(number)]


def test_a_perfect_instrument_has_no_error() -> None:
    """Every calibrated metric is there, with 0 for an error."""
    report = calibrate(turns(4))

    assert report.outcome is Outcome.PASS
    assert [each.name for each in report.deviations] == list(CALIBRATED)
    assert {each.median for each in report.deviations} == {0.0}
    assert report.exit_code == 0


def test_the_error_is_signed_and_in_the_metrics_unit() -> None:
    """Half a millisecond late is +0.5 ms on what begins at t_send, and nothing on gaps."""
    errors = {each.name: each.median for each in calibrate(turns(4, delay_ms=0.5)).deviations}

    assert errors["client.ttft"] == pytest.approx(0.0005)
    assert errors["client.e2e"] == pytest.approx(0.0005)
    assert errors["client.icl_max"] == pytest.approx(0, abs=1e-9)
    assert errors["client.tpot"] == pytest.approx(0, abs=1e-6)


def test_rates_are_judged_by_their_share() -> None:
    """All gaps 0.5 % too long make every rate 0.5 % too low."""
    found = {each.name: each for each in calibrate(turns(4, stretch=1.005)).deviations}

    assert found["client.decode_rate"].relative
    assert found["client.decode_rate"].median == pytest.approx(-0.005, rel=0.01)
    assert found["client.tpot"].median == pytest.approx(0.005, rel=0.01)


def test_a_bias_beyond_the_bound_fails_and_is_named() -> None:
    """Two milliseconds late in every turn is the instrument's own."""
    report = calibrate(turns(4, delay_ms=2))

    assert (report.outcome, report.exit_code) == (Outcome.FAIL, 1)
    assert "client.ttft" in report.message
    assert "client.icl_max" not in report.message
    assert [each.name for each in report.deviations if not each.within] == [
        "client.ttfb",
        "client.ttfe",
        "client.ttft",
        "client.ttfv",
        "client.e2e",
        "client.to_done",
    ]


def test_one_far_value_on_a_quiet_machine_fails() -> None:
    """The median hides it, the worst case does not."""
    report = calibrate([*turns(5), *turns(1, delay_ms=6)])

    assert report.outcome is Outcome.FAIL
    assert report.message.startswith("beyond the bound at worst")


def test_one_far_value_on_a_disturbed_machine_tells_nothing() -> None:
    """Where other turns were disturbed, a single far value may be the machine's."""
    report = calibrate([*turns(5), *turns(1, delay_ms=6), *turns(1, lag_ns=9 * MS)])

    assert (report.outcome, report.exit_code) == (Outcome.INCONCLUSIVE, 3)


@pytest.mark.parametrize("disturbance", [{"lag_ns": 9 * MS}, {"slowest_write_ns": 2 * MS}])
def test_disturbed_turns_are_left_out(disturbance: dict[str, int]) -> None:
    """What the machine did is no error of the instrument."""
    report = calibrate([*turns(3), *turns(2, delay_ms=50, **disturbance)])

    assert (report.outcome, report.clean, report.turns) == (Outcome.PASS, 3, 5)


def test_a_noisy_machine_gives_numbers_and_no_verdict() -> None:
    """Most turns disturbed: all are shown, nothing is concluded."""
    report = calibrate([*turns(2), *turns(2, lag_ns=9 * MS)])

    assert (report.outcome, report.exit_code) == (Outcome.INCONCLUSIVE, 3)
    assert report.message == "2 of 4 turns were disturbed; try again on a quieter machine"
    assert len(report.deviations) == len(CALIBRATED)
    assert report.worst_lag_s == pytest.approx(0.009)


def test_a_metric_that_cannot_be_measured_fails() -> None:
    """An instrument that saw no token is broken, not exact."""
    blind = KnownTurn(trace(request=REQUEST), seen(), 0)
    report = calibrate([blind] * 3)

    assert report.outcome is Outcome.FAIL
    assert report.message.startswith("client.ttfb was not measured: the turn ended as empty")


def test_the_error_of_every_events_stamp_is_pooled() -> None:
    """46 events a turn, so that seven turns are enough for a percentile."""
    few, many = calibrate(turns(6, delay_ms=0.5)), calibrate(turns(7, delay_ms=0.5))

    assert (few.stamps.n, few.stamps.p99) == (276, None)
    assert many.stamps.p99 == pytest.approx(0.0005)
    assert many.stamps.median == pytest.approx(0.0005)
    assert many.deviations[0].p99 is None  # of turns there are seven


QUICK = Cost(100, 100, 5e-6, 5e-6)


def concluded(own: Calibration, cost: Cost = QUICK, **marks: str) -> tuple[Outcome, str]:
    """What follows from the harness's own client, and a second one that is perfect."""
    found = conclude({"harness": own, "second": calibrate(turns(8))}, cost, marks)
    return found.outcome, found.message


def test_goals_that_are_reached_pass() -> None:
    """All three, each with what was found."""
    found = conclude({"harness": calibrate(turns(8, delay_ms=0.4))}, QUICK, {})

    assert [goal.reached for goal in found.goals] == [True, True, True]
    assert found.exit_code == 0


@pytest.mark.parametrize(
    ("own", "cost", "goal"),
    [
        ({"delay_ms": 0.6}, QUICK, "median"),
        ({}, Cost(100, 100, 11e-6, 0.0), "cpu"),
    ],
)
def test_a_goal_that_is_missed_on_a_quiet_machine_is_missed(
    own: dict[str, float], cost: Cost, goal: str
) -> None:
    """It is named, and the exit code is 1."""
    assert concluded(calibrate(turns(8, **own)), cost) == (Outcome.FAIL, f"goal missed: {goal}")


def test_a_few_far_stamps_miss_the_percentile_and_no_median() -> None:
    """One turn of eight 3 ms late: within the bound of the worst case, beyond the goal."""
    own = calibrate([*turns(7), *turns(1, delay_ms=3)])

    assert concluded(own) == (Outcome.FAIL, "goal missed: p99")


def test_a_goal_that_is_missed_on_a_busy_machine_tells_nothing() -> None:
    """Neither by the machine's own account nor where turns were disturbed."""
    late, disturbed = calibrate(turns(8, delay_ms=0.6)), turns(1, lag_ns=9 * MS)
    told = (Outcome.INCONCLUSIVE, "goal missed: median; try again on a quieter machine")

    assert concluded(late, busy="others took 80% of the machine") == told
    assert concluded(calibrate([*turns(8, delay_ms=0.6), *disturbed])) == told


def test_too_few_turns_for_a_percentile_are_said() -> None:
    """What was not measured is not reached."""
    found = conclude({"harness": calibrate(turns(2))}, QUICK, {})

    assert [goal.reached for goal in found.goals] == [True, None, True]
    assert (found.exit_code, found.message) == (3, "too few turns to tell of every goal")


def test_every_client_is_measured_and_every_process_goes_away() -> None:
    """A real run over real sockets gives errors for both clients, whatever the machine."""
    report = asyncio.run(run_selftest(turns=2))
    own, second = report.clients.values()

    assert list(report.clients) == ["harness", "second client"]
    for client in (own, second):
        assert client.turns == 2
        assert [each.name for each in client.deviations] == list(CALIBRATED)
        assert client.deviations[2].truth == pytest.approx(0.060, rel=0.5)
        assert client.stamps.n > 0
    assert report.cost is not None
    assert report.cost.events == 2_003
    assert report.outcome is not Outcome.PASS  # two turns are too few for a percentile


def test_another_client_may_be_measured_too() -> None:
    """A page, say: made for the server's address, and put away at the end."""
    told: list[str] = []

    @contextlib.asynccontextmanager
    async def perfect(url: str) -> AsyncIterator[Callable[[int], Awaitable[Trace]]]:
        async def play(_number: int) -> Trace:
            return seen()

        told.append(url)
        yield play
        told.append("away")

    report = asyncio.run(run_selftest(turns=1, more={"perfect": perfect}))

    assert list(report.clients) == ["harness", "second client", "perfect"]
    assert told[0].startswith("http://127.0.0.1:")
    assert told[1:] == ["away"]


def test_the_stamps_of_a_page_are_held_against_the_writes_of_its_texts() -> None:
    """First and last of each channel, at each of a page's places; other clients have none."""
    true = seen()
    written = [each for each in observe(true).events if isinstance(each.event, Delta)]
    actions = [
        Action(stamp + late, f"{place}.{channel.value}.{which}")
        for place, late in (("dom", 200_000), ("paint", 9_000_000))
        for channel in (Channel.REASONING, Channel.CONTENT)
        for which, stamp in zip(("first", "last"), _ends(written, channel), strict=True)
    ]
    page = KnownTurn(seen(actions=actions), true, 0)

    found = calibrate([page]).places

    assert {place: told.n for place, told in found.items()} == {"dom": 4, "paint": 4}
    assert found["dom"].median == pytest.approx(0.2e-3)
    assert found["paint"].median == pytest.approx(9e-3)
    assert calibrate([KnownTurn(seen(), true, 0)]).places == {}


def _ends(written: Sequence[Observed], channel: Channel) -> tuple[int, int]:
    """The stamps of the first and the last text of a channel."""
    stamps = [
        each.at_ns
        for each in written
        if isinstance(each.event, Delta) and each.event.channel is channel
    ]
    return stamps[0], stamps[-1]


def test_the_second_client_reads_a_body_wherever_its_head_ends() -> None:
    """Over a real socket, in a thread of its own; the head is no part of what it read."""

    async def play() -> tuple[int, list[tuple[int, bytes]]]:
        head, body = http_head(), frame(content="a").encode()
        script = Script((Piece(0, head[:20]), Piece(5, head[20:] + body), Piece(10, DONE.encode())))
        async with RawServer(lambda _request: script) as server:
            host, _, port = server.url.removeprefix("http://").partition(":")
            return await asyncio.to_thread(read_turn, host, int(port))

    sent_ns, reads = asyncio.run(play())

    assert b"".join(data for _, data in reads) == (frame(content="a") + DONE).encode()
    assert all(at_ns > sent_ns for at_ns, _ in reads)


def test_what_the_second_client_prints_is_a_turn() -> None:
    """Stamps begin at the sending, bytes come back exactly."""
    line = json.dumps({"sent_ns": 5 * MS, "reads": [[7 * MS, "ZGF0YQ=="]]})

    told = trace_of(line)

    assert [(chunk.at_ns, chunk.data) for chunk in told.chunks] == [(2 * MS, b"data")]
    assert told.request == REQUEST


def test_a_server_that_does_not_start_is_told() -> None:
    """The error names the command."""

    async def start() -> None:
        async with started([sys.executable, "-c", ""]):
            pass

    with pytest.raises(LaunchFailed, match="it ended at once"):
        asyncio.run(start())
