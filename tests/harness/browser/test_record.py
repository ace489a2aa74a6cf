"""What a page kept becomes a trace: stamps from its request on, and what the page did."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from harness.browser.chat import differs, settings_of
from harness.browser.record import PageClock, Step, look, turn_of
from harness.events import Ending
from harness.metrics import measure
from harness.testing import DONE, frame, trace
from harness.trace import TurnLabel, dump_trace, load_trace
from harness.wire import observe

CLOCK = PageClock(origin_ns=7_000_000, error_ns=250_000)
STEP = Step(TurnLabel("some", 1, "warm-page", 2), "t-1", "2026-01-01T00:00:00.000+00:00")
ASKED = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}


def request(path: str = "/v1/chat/completions", **changed: Any) -> dict[str, Any]:  # noqa: ANN401
    """A request as the instruments keep it: asked for at 997 ms of their clock, sent at 1,000."""
    told = {
        "method": "POST",
        "path": path,
        "requestHeaders": [["content-type", "application/json"], ["cookie", "secret"]],
        "body": json.dumps(ASKED),
        "at": 997.0,
        "sentAt": 1000.0,
        "status": 200,
        "headers": [["content-type", "text/event-stream"]],
        "headersAt": 1004.5,
        "chunks": [],
        "closedAt": 1100.0,
        "closed": "whole",
        "error": None,
    }
    return {**told, **changed}


def came(at: float, text: str) -> list[Any]:
    """A chunk as the instruments keep it."""
    return [at, base64.b64encode(text.encode()).decode()]


def record(*requests: dict[str, Any], **changed: Any) -> dict[str, Any]:  # noqa: ANN401
    """What the instruments kept."""
    told = {"at": 980.0, "inputs": [], "marks": {}, "phases": [], "lagMs": 3.5}
    told["machine"] = {"load": 0.5}
    return {**told, "requests": list(requests), **changed}


def whole() -> dict[str, Any]:
    """A turn with a thought and an answer, drawn."""
    chunks = [
        came(1010.0, frame(role="assistant") + frame(reasoning="Hm")),
        came(1030.0, frame(content="Hel")),
        came(1060.0, frame(content="lo.") + frame(finish="stop") + DONE),
    ]
    return record(
        request(chunks=chunks),
        inputs=[[985.0, "click", "Settings"], [992.5, "click", "Send"]],
        marks={
            "answer": [1002.0, 1075.0],
            "reasoning": [1011.0, 1011.0],
            "content": [1031.0, 1062.0],
            "paint.reasoning": [1016.0, 1016.0],
            "paint.content": [1033.0, 1067.0],
        },
        phases=[[985.0, "complete"], [1003.0, "connecting"], [1062.0, "complete"]],
    )


def values(told: dict[str, Any]) -> dict[str, float]:
    """Every metric that a turn in the page has, in ms."""
    turn = turn_of(told, CLOCK, STEP)
    assert turn is not None
    found = measure(observe(turn))
    return {
        name: round(each.value * 1e3, 6)
        for name, each in found.items()
        if each.value is not None
        and name.startswith(("client.tt", "client.e2e", "page.", "cancel"))
    }


def test_zero_is_the_request_and_every_stamp_counts_from_it() -> None:
    """Bytes, headers and end as another client would have them; secrets are left out."""
    turn = turn_of(whole(), CLOCK, STEP)

    assert turn is not None
    assert [chunk.at_ns for chunk in turn.chunks] == [10_000_000, 30_000_000, 60_000_000]
    assert (turn.headers_at_ns, turn.closed_at_ns, turn.lag_ns) == (
        4_500_000,
        100_000_000,
        3_500_000,
    )
    assert turn.request == ASKED
    assert turn.marks == {"load": 0.5}
    assert turn.request_headers == {"content-type": "application/json"}
    assert observe(turn).ending is Ending.OK
    assert observe(turn).text() == "Hello."
    assert "page" in {action.name for action in turn.actions}
    assert load_trace(dump_trace(turn)) == turn


def test_the_same_moment_is_told_on_the_wire_in_the_document_and_on_the_screen() -> None:
    """The click before the request is the last one that led to it."""
    found = values(whole())

    assert found.pop("client.e2e_rate", None) is None
    assert found == {
        "client.ttfb": 10.0,
        "client.ttfe": 10.0,
        "client.ttft": 10.0,
        "client.ttfv": 30.0,
        "client.e2e": 60.0,
        "page.send": 7.5,
        "page.dom_ttft": 11.0,
        "page.paint_ttft": 16.0,
        "page.dom_ttfv": 31.0,
        "page.paint_ttfv": 33.0,
        "page.dom_e2e": 62.0,
        "page.paint_e2e": 67.0,
    }


def test_what_the_page_did_is_in_order_and_what_was_before_the_turn_is_left_out() -> None:
    """The phase of the answer before, and a click that led elsewhere, are no part of the turn."""
    turn = turn_of(whole(), CLOCK, STEP)

    assert turn is not None
    told = [(action.at_ns / 1e6, action.name) for action in turn.actions]
    assert told == sorted(told, key=lambda each: each[0])
    assert told[:3] == [(-7.5, "click"), (-3.0, "fetch"), (0.0, "page")]
    phases = [a.detail["phase"] for a in turn.actions if a.name == "phase"]
    assert phases == ["connecting", "complete"]
    (page,) = [a.detail for a in turn.actions if a.name == "page"]
    assert page == {"lag_ms": 3.5, "clock_error_ns": 250_000, "zero": "sent"}
    assert turn.sent_at_ns == 1_007_000_000


def test_a_stop_is_a_cancel_and_its_quiet_counts_from_the_click() -> None:
    """To the last text that was written into the document."""
    cancel = request(
        "/api/cancel",
        body='{"request_id": "r"}',
        at=1041.0,
        closedAt=1043.0,
        chunks=[came(1043.0, '{"cancelled": true}')],
    )
    stopped = whole()
    stopped["requests"].append(cancel)
    stopped["inputs"].append([1040.0, "click", "Stop"])
    turn = turn_of(stopped, CLOCK, STEP)

    assert turn is not None
    assert observe(turn).ending is Ending.CANCELLED
    assert values(stopped)["page.stop_quiet"] == 22.0
    assert values(stopped)["cancel.ack"] == 2.0


@pytest.mark.parametrize(
    ("closed", "error", "ending"),
    [
        ("aborted", "AbortError: given up", Ending.CANCELLED),
        ("broken", "TypeError: network error", Ending.TRANSPORT_ERROR),
        ("cancelled", None, Ending.TRUNCATED),
    ],
)
def test_how_the_reply_was_left(closed: str, error: str | None, ending: Ending) -> None:
    """An abort is the page's own doing, a broken line is not."""
    part = [came(1010.0, frame(content="Hel"))]
    turn = turn_of(record(request(chunks=part, closed=closed, error=error)), CLOCK, STEP)

    assert turn is not None
    assert observe(turn).ending is ending


def test_where_nothing_told_when_a_request_was_sent_its_call_is_zero() -> None:
    """And the trace says which of the two it is."""
    turn = turn_of(record(request(sentAt=None, chunks=[came(1010.0, DONE)])), CLOCK, STEP)

    assert turn is not None
    assert [chunk.at_ns for chunk in turn.chunks] == [13_000_000]
    (page,) = [a.detail for a in turn.actions if a.name == "page"]
    assert page["zero"] == "fetch"


def test_what_asks_for_nothing_is_a_look() -> None:
    """Its zero is when the instruments began; other requests are told, and what was seen."""
    reset = request("/v1/sessions/s/reset", at=990.0, closedAt=995.0)
    told = record(reset, inputs=[[985.0, "click", "New chat"]])

    assert turn_of(told, CLOCK, STEP) is None
    seen = look(told, CLOCK, STEP, "new-chat", {"answers": 0})
    assert (seen.method, seen.path, seen.status, seen.chunks) == ("LOOK", "#new-chat", None, ())
    assert [(a.at_ns / 1e6, a.name) for a in seen.actions] == [
        (0.0, "page"),
        (5.0, "click"),
        (10.0, "request"),
        (10.0, "saw"),
    ]
    assert seen.actions[-1].detail == {"answers": 0}
    assert load_trace(dump_trace(seen)) == seen


def test_other_turns_have_no_figures_of_a_page() -> None:
    """And say why."""
    found = measure(observe(trace((5, frame(content="Hi") + frame(finish="stop") + DONE))))

    assert found["page.dom_ttft"].value is None
    assert {found[name].reason for name in ("page.dom_ttft", "page.paint_e2e", "page.send")} == {
        "not played in the page"
    }


def test_the_panel_is_given_what_a_request_holds() -> None:
    """The system message among it; what is not said stays as the page has it."""
    body = {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "temperature": 0.0,
        "reasoning_effort": "medium",
        "stream": True,
    }

    assert settings_of(body) == {
        "system": "Be brief.",
        "temperature": 0.0,
        "reasoning_effort": "medium",
    }


def test_a_conversation_that_the_page_sends_otherwise_is_told() -> None:
    """By the first message that is another one."""
    asked = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]

    assert differs(asked, [dict(each) for each in asked]) == ""
    assert "the page sent 1" in differs(asked, asked[:1])
    assert "message 2" in differs(asked, [asked[0], {**asked[1], "content": "Bye."}])
    assert "message 1" in differs(asked, [asked[1], asked[0]])
