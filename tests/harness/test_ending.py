"""How a turn ended, and whose doing it was."""

from __future__ import annotations

import pytest

from harness.events import Ending
from harness.testing import DONE, frame, trace
from harness.trace import Action, Trace
from harness.wire import observe

MS = 1_000_000
CANCEL = Action(15 * MS, "cancel")


def ack(*, cancelled: bool) -> Action:
    """The server's answer to our cancel."""
    return Action(16 * MS, "cancel.ack", {"status": 200, "body": {"cancelled": cancelled}})


def ended(finish: str = "stop", **metrics: object) -> str:
    """The end of a stream, with metrics when given."""
    return frame(finish=finish, muse_metrics=metrics or None) + DONE


TOKEN = (10.0, frame(content="a"))


@pytest.mark.parametrize(
    ("turn", "ending"),
    [
        (trace(TOKEN, (20, ended())), Ending.OK),
        (trace(TOKEN, (20, frame(finish="stop"))), Ending.OK),
        (trace(TOKEN), Ending.TRUNCATED),
        (trace(TOKEN, (20, DONE)), Ending.TRUNCATED),
        (trace((0, frame(role="assistant"))), Ending.TRUNCATED),
        (trace((0, frame(role="assistant")), (20, ended())), Ending.EMPTY),
        (trace((0, ": wait\n\n")), Ending.EMPTY),
        (trace(TOKEN, transport_error="the connection broke"), Ending.TRANSPORT_ERROR),
        (trace(status=None, transport_error="cannot connect"), Ending.TRANSPORT_ERROR),
        (trace(status=None), Ending.TRANSPORT_ERROR),
        (trace(status=204), Ending.EMPTY),
        (trace(status=301), Ending.HTTP_ERROR),
        (trace(status=503), Ending.HTTP_ERROR),
        (trace((0, 'data: {"error":"x"}\n\n' + ended())), Ending.IN_BAND_ERROR),
        (trace(TOKEN, (20, ended()), actions=[CANCEL]), Ending.CANCELLED),
        (trace(TOKEN, (20, ended(cancelled=True)), actions=[CANCEL]), Ending.CANCELLED),
        (trace(TOKEN, (20, ended(cancelled=True))), Ending.CANCELLED),
        (trace(TOKEN, (20, ended(cancelled=False)), actions=[CANCEL]), Ending.OK),
        (trace(TOKEN, (12, ended()), actions=[CANCEL]), Ending.OK),
        (trace(TOKEN, (20, ended()), actions=[CANCEL, ack(cancelled=False)]), Ending.OK),
        (trace(TOKEN, (20, ended()), actions=[CANCEL, ack(cancelled=True)]), Ending.CANCELLED),
        (trace(TOKEN, actions=[CANCEL]), Ending.CANCELLED),
        (trace(TOKEN, (20, ended(finish="cancelled"))), Ending.CANCELLED),
        (trace(TOKEN, (20, ended(finish="abort"))), Ending.CANCELLED),
        (trace(status=499), Ending.CANCELLED),
        (trace(TOKEN, actions=[Action(12 * MS, "close")]), Ending.CANCELLED),
        (trace(TOKEN, (12, ended()), actions=[Action(15 * MS, "close")]), Ending.OK),
        (
            trace(TOKEN, (20, 'data: {"error":{"message":"request cancelled"}}\n\n')),
            Ending.CANCELLED,
        ),
        (
            trace(TOKEN, (20, 'data: {"error":{"message":"oom"}}\n\n'), actions=[CANCEL]),
            Ending.IN_BAND_ERROR,
        ),
        (
            trace(TOKEN, transport_error="the connection broke", actions=[CANCEL]),
            Ending.TRANSPORT_ERROR,
        ),
    ],
)
def test_the_first_rule_that_holds_decides(turn: Trace, ending: Ending) -> None:
    """TensorRT-LLM PR#17427, new-api#7134: a cancelled turn is neither success nor failure."""
    assert observe(turn).ending is ending


def test_only_ok_is_a_success_and_every_other_ending_says_why() -> None:
    """`succeeded` is what latency pools ask; `detail` is what a person reads."""
    fine, cut = observe(trace(TOKEN, (20, ended()))), observe(trace(TOKEN))

    assert (fine.succeeded, fine.detail) == (True, "")
    assert (cut.succeeded, cut.detail) == (False, "the reply ended without a finish reason")


def test_an_error_before_any_token_counts_no_tokens() -> None:
    """Vllm PR#57519, sglang PR#38868: an error was a success, credited with the full length."""
    failed = observe(
        trace((5, 'data: {"error":{"message":"no memory","type":"server_error"}}\n\n' + DONE))
    )

    assert (failed.ending, failed.detail) == (Ending.IN_BAND_ERROR, "no memory")


def test_a_success_status_is_no_success() -> None:
    """kubernetes-sigs/inference-perf#713: a 200 with an error body, or nothing, passed."""
    body = trace((5, '{"error":"x"}'), request={}, content_type="application/json")

    assert not observe(body).succeeded
    assert not observe(trace()).succeeded
