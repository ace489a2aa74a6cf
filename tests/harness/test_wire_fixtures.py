"""Every stream that has fooled a tool is read rightly, to the millisecond, however it is cut."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from harness.client import ChatClient, TurnRequest
from harness.events import Channel, Event, Observation
from harness.metrics import measure
from harness.testing import LABEL, every_split, scripted_server, trace
from harness.wire import observe
from harness.wire_fixtures import FIXTURES, WireFixture, script_of

if TYPE_CHECKING:
    from harness.trace import Trace

every_fixture = pytest.mark.parametrize("fixture", FIXTURES.values(), ids=FIXTURES)


def as_trace(fixture: WireFixture, reads: list[bytes] | None = None) -> Trace:
    """The fixture as it would be recorded; with `reads`, all at 0 ms and cut so."""
    script = fixture.pieces if reads is None else tuple((0.0, data) for data in reads)
    return trace(
        *script,
        request=fixture.request,
        status=fixture.status,
        content_type=fixture.content_type,
    )


def events_of(observation: Observation) -> list[Event]:
    """What was seen, without when."""
    return [seen.event for seen in observation.events]


@every_fixture
def test_the_reply_is_read_rightly(fixture: WireFixture) -> None:
    """Text, ending and broken rules are those that the fixture states."""
    observation = observe(as_trace(fixture))

    read = (
        observation.text(),
        observation.text(Channel.REASONING),
        observation.ending,
        tuple(violation.rule for violation in observation.violations),
    )
    expected = (fixture.content, fixture.reasoning, fixture.ending, fixture.violations)
    assert expected == read


@every_fixture
def test_the_clocks_stop_at_the_right_event(fixture: WireFixture) -> None:
    """TTFT, TTFV and E2E are those that the fixture states, and None where it has none."""
    found = measure(observe(as_trace(fixture)))

    measured = [found[name].value for name in ("client.ttft", "client.ttfv", "client.e2e")]
    expected = [fixture.ttft_ms, fixture.ttfv_ms, fixture.e2e_ms]
    assert [ms if ms is None else pytest.approx(ms / 1e3) for ms in expected] == measured


@every_fixture
def test_cuts_change_nothing(fixture: WireFixture) -> None:
    """Cut anywhere, the reply makes the same events and the same ending."""
    body = b"".join(data for _, data in fixture.pieces)
    whole = observe(as_trace(fixture, [body]))

    for reads in every_split(body):
        observation = observe(as_trace(fixture, reads))

        assert events_of(whole) == events_of(observation)
        assert whole.ending == observation.ending


@every_fixture
def test_a_socket_changes_nothing(fixture: WireFixture) -> None:
    """Sent by a real server, the reply is read as from the script."""

    async def play() -> Trace:
        server = scripted_server(script_of(fixture, pace=0.1))
        async with server, ChatClient(server.url) as client:
            return await client.turn(TurnRequest(LABEL, fixture.request))

    observation = observe(asyncio.run(play()))

    assert events_of(observe(as_trace(fixture))) == events_of(observation)
    assert fixture.ending == observation.ending
