"""The instrument knows its own error, and does not blame itself for the machine."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import LaunchFailed
from harness.selftest import (
    CALIBRATED,
    REQUEST,
    KnownTurn,
    calibrate,
    known_pieces,
    known_server,
    run_selftest,
)
from harness.testing import trace
from harness.verdict import Outcome

if TYPE_CHECKING:
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


def test_the_known_server_is_measured_and_goes_away() -> None:
    """A real run over a real socket gives an error for every metric, whatever the machine."""
    report = asyncio.run(run_selftest(turns=2))

    assert report.turns == 2
    assert [each.name for each in report.deviations] == list(CALIBRATED)
    assert report.deviations[2].truth == pytest.approx(0.060, rel=0.5)
    assert report.exit_code in {0, 1, 3}


def test_a_server_that_does_not_start_is_told() -> None:
    """The error names the command."""

    async def start() -> None:
        async with known_server([sys.executable, "-c", ""]):
            pass

    with pytest.raises(LaunchFailed, match="it ended at once"):
        asyncio.run(start())
