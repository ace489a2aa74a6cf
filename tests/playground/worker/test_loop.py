"""Does every line get its one reply, in order, and does the worker outlive all of them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from playground.worker.messages import (
    Done,
    Failed,
    GenerateRequest,
    IdsSegment,
    SessionOp,
    SessionReply,
    TokenText,
    dump_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.worker.messages import SessionVerb


def fail(_: object) -> None:
    """Raise what a runtime might."""
    raise RuntimeError("kernel not found")


def test_the_ready_line_says_what_there_is(converse: Callable[..., Any]) -> None:
    """Places, dialects, and the engine with its sizes."""
    ready = converse(SessionOp("open", "a"), max_sessions=3, context_length=99).ready

    assert (ready.max_sessions, ready.max_named_sessions) == (3, 2)
    assert (ready.supports_image, ready.supports_cancel, ready.cancel_op) == (False, False, True)
    assert (ready.worker.engine, ready.worker.context_length) == ("scripted", 99)
    assert ready.worker.vocab_size == 265
    assert ready.worker.peak_rss_bytes > 10**6


def test_session_requests_have_one_reply_each(converse: Callable[..., Any]) -> None:
    """Repeating them, or naming a session that is not there, is no error."""
    verbs: list[SessionVerb] = ["open", "open", "reset", "close", "close", "reset"]

    replies = converse(*(SessionOp(verb, "a") for verb in verbs)).replies

    assert replies == [SessionReply(verb, "a") for verb in verbs]


def test_named_sessions_past_the_capacity_are_refused(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """By open and by generate alike, until one is closed; unnamed requests are always served."""
    replies = converse(
        SessionOp("open", "a"),
        SessionOp("open", "b"),
        ask("Hi", session_id="b"),
        ask("Hi", max_new_tokens=1),
        SessionOp("close", "a"),
        ask("Hi", session_id="b", max_new_tokens=1),
    ).replies

    refusal = Failed(replies[1].message, "capacity_exhausted", "b")
    assert [type(reply) for reply in replies] == [
        SessionReply, Failed, Failed, TokenText, Done, SessionReply, TokenText, Done,
    ]  # fmt: skip
    assert replies[1:3] == [refusal, refusal]


def test_without_named_places_names_are_unsupported(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """And the message says which flag decides."""
    reply = converse(ask("Hi", session_id="a"), max_sessions=1).last

    assert (reply.code, reply.session_id) == ("unsupported_session", "a")
    assert "--max_sessions" in reply.message


def test_wrong_lines_have_one_error_each_and_the_worker_serves_on(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Among good ones, in order."""
    wrong = [b"nonsense\n", b"[]\n", b'{"op":"zap"}\n', b'{"prompt":1}\n', b'{"op":"\xff"}\n']

    talk = converse(SessionOp("open", "a"), *wrong, b"\n", ask("Hi"))

    assert talk.replies[0] == SessionReply("open", "a")
    reasons = [reply.message for reply in talk.replies[1:6]]
    assert "unknown op 'zap'" in reasons[2]
    assert [reason.split(":")[0] for reason in reasons] == [f"line {n}" for n in range(2, 7)]
    assert talk.text == "Hello"


def test_an_unnamed_failure_names_no_session(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The scratch session has no name to report."""
    assert converse(ask("")).last == Failed("the prompt is empty")


@pytest.mark.parametrize(
    ("moment", "what"),
    [
        (("prefill", 1), "prefill failed: kernel not found"),
        (("decode", 1), "decode failed: kernel not found"),
        (("decode", 4), "decode failed: kernel not found"),
        (("rewind", 1), "prefill failed: kernel not found"),
    ],
)
def test_an_engine_error_is_a_reply_and_spoils_only_the_session(
    converse: Callable[..., Any], ask: Callable[..., Any], moment: tuple[str, int], what: str
) -> None:
    """The reply says what failed; the session's next turn starts from nothing and succeeds."""
    turns = (ask("Hi", session_id="a"), ask("Hi", session_id="a"))

    talk = converse(*turns, moments={moment: fail})

    errors = [reply for reply in talk.replies if isinstance(reply, Failed)]
    assert errors == [Failed(what, session_id="a")]
    assert talk.last.session_reset_reason == "dirty"


def test_an_error_while_settling_spoils_the_session(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The last token could not be made resident, so nothing is."""
    turns = (ask("Hi", session_id="a", max_new_tokens=2), ask("HiHe?", session_id="a"))

    talk = converse(*turns, moments={("prefill", 2): fail})

    assert Failed("settling the cache failed: kernel not found", session_id="a") in talk.replies
    assert talk.last.session_reset_reason == "dirty"


def test_a_session_that_cannot_be_made_is_an_error(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """No memory for a second cache, say; there is still the first."""
    talk = converse(SessionOp("open", "a"), ask("Hi"), moments={("open", 1): fail})

    assert talk.replies[0] == Failed("RuntimeError: kernel not found", session_id="a")
    assert talk.text == "Hello"


def test_a_reset_that_fails_is_an_error_and_spoils_the_session(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The first rewind is the first turn's own, the second is the reset."""
    turns = (ask("Hi", session_id="a"), SessionOp("reset", "a"), ask("HiHello?", session_id="a"))

    talk = converse(*turns, moments={("rewind", 2): fail})

    assert Failed("RuntimeError: kernel not found", session_id="a") in talk.replies
    assert talk.last.session_reset_reason == "dirty"


@pytest.mark.parametrize("moment", [("prefill", 2), ("decode", 1), ("decode", 3), ("open", 1)])
def test_the_end_of_stdin_ends_the_worker_in_the_middle(
    converse: Callable[..., Any], ask: Callable[..., Any], moment: tuple[str, int]
) -> None:
    """No further chunk or round is computed, no done line is written, nothing queued is served."""
    ends = {moment: lambda parent: parent.inbox.close()}

    talk = converse(ask("x" * 20), SessionOp("open", "a"), max_prefill_chunk=8, moments=ends)

    calls = [name for name, _ in talk.calls]
    assert calls.count(moment[0]) == (moment[1] if moment[0] != "open" else 0)
    assert not [reply for reply in talk.replies if not isinstance(reply, TokenText)]


def test_a_very_long_request_is_read(converse: Callable[..., Any]) -> None:
    """Tens of thousands of ids are one line."""
    ids = GenerateRequest((IdsSegment((65,) * 50_000),), max_new_tokens=1)

    done = converse(dump_request(ids), context_length=60_000, max_prefill_chunk=512).last

    assert done.prompt_tokens == 50_001
