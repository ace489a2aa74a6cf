"""Does a turn prefill what it must, show what it may, stop where it should, and say so?

The scripted tokenizer has a token a byte, so "Hello" is five tokens, and the prompt "Hi" with its
BOS three. A prefill takes 1 ms a token and a round 2 ms, of a clock that nothing else moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from playground.worker.draft_counts import DraftCounts
from playground.worker.messages import (
    Cancel,
    Done,
    Failed,
    GenerateRequest,
    IdsSegment,
    Progress,
    SessionOp,
    TextSegment,
    TokenText,
)
from playground.worker.scripted import ScriptedReply

if TYPE_CHECKING:
    from collections.abc import Callable

BOS, EOM, EOT, START = 256, 258, 259, 260
HELLO = tuple(b"Hello")


def done_of(reply: object) -> Done:
    """Take a reply that must be a done line."""
    assert isinstance(reply, Done), reply
    return reply


def test_a_turn_ends_with_every_field(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Counts, reason, ids and times, all exact."""
    done = done_of(converse(ask("Hi", session_id="a")).last)

    assert done == Done(
        prompt_tokens=3,
        completion_tokens=5,
        finish_reason="stop",
        reused_prompt_tokens=0,
        prefilled_prompt_tokens=3,
        session_reset_reason="new",
        prefill_ms=3.0,
        decode_ms=12.0,
        total_ms=15.0,
        prefill_tok_s=1000.0,
        decode_tok_s=5 / 12.0 * 1e3,
        generated_token_ids=HELLO,
        cancelled=False,
        ttft_ms=5.0,
        resident_tokens=8,
        peak_rss_bytes=done.peak_rss_bytes,
    )
    assert (done.peak_rss_bytes or 0) > 10**6


def test_text_is_told_token_by_token(converse: Callable[..., Any], ask: Callable[..., Any]) -> None:
    """One line a token here, since no byte of it had to wait."""
    replies = converse(ask("Hi")).replies

    assert replies[:-1] == [TokenText(character) for character in "Hello"]


def test_the_prompt_is_bos_and_the_segments(converse: Callable[..., Any]) -> None:
    """Text with control tokens by name, and ids as they are."""
    segments = (TextSegment("<|start|>é"), IdsSegment((7, EOM)), TextSegment("<|eot|>"))

    talk = converse(GenerateRequest(segments))

    assert talk.calls[1] == ("prefill", [BOS, START, 0xC3, 0xA9, 7, EOM, EOT])


def test_long_prompts_are_prefilled_in_chunks(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Of the size that the engine takes, the last one shorter."""
    talk = converse(ask("x" * 20), max_prefill_chunk=8)

    assert talk.prefills() == [8, 8, 5]


def test_who_asks_is_told_how_far_the_prefill_has_come(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Before its first chunk and after each, and nothing of that once there is text."""
    talk = converse(ask("x" * 20, progress=True), max_prefill_chunk=8)

    assert [reply for reply in talk.replies if isinstance(reply, Progress)] == [
        Progress("prefill", done, 21) for done in (0, 8, 16, 21)
    ]
    assert talk.replies[4] == TokenText("H")


def test_rows_that_are_resident_are_not_waited_for(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The total is what a warm turn has to compute."""
    asked = GenerateRequest(
        (TextSegment("Hi"), IdsSegment(HELLO), TextSegment("<|eot|>abc")),
        session_id="a",
        progress=True,
    )

    talk = converse(ask("Hi", session_id="a"), asked)

    told = [reply for reply in talk.replies if isinstance(reply, Progress)]
    assert told == [Progress("prefill", 0, 4), Progress("prefill", 4, 4)]


def test_who_does_not_ask_is_told_nothing_of_progress(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """A parent that is not ours does not know such lines."""
    talk = converse(ask("x" * 20), max_prefill_chunk=8)

    assert not any(isinstance(reply, Progress) for reply in talk.replies)


def test_an_end_of_turn_token_is_not_counted_shown_or_resident(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """A reply that has nothing else is an empty completion."""
    talk = converse(ask("Hi"), replies=(ScriptedReply("<|end_of_text|>x"),))

    done = done_of(talk.last)
    assert talk.replies == [done]
    assert (done.completion_tokens, done.generated_token_ids, done.resident_tokens) == (0, (), 3)
    assert (done.finish_reason, done.ttft_ms) == ("stop", None)


def test_an_end_of_message_token_does_not_end_the_turn(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """It separates the messages of one turn, and its name is in the text."""
    talk = converse(ask("Hi"), replies=(ScriptedReply("a<|eom|>b<|eot|>c"),))

    assert talk.text == "a<|eom|>b"


@pytest.mark.parametrize("wanted", [1, 3, 5])
def test_the_token_limit_is_exact(
    converse: Callable[..., Any], ask: Callable[..., Any], wanted: int
) -> None:
    """And the last token is made resident, so that the next turn can go on from it."""
    talk = converse(ask("Hi", max_new_tokens=wanted, session_id="a"))

    done = done_of(talk.last)
    assert talk.text == "Hello"[:wanted]
    assert (done.finish_reason, done.completion_tokens) == ("length", wanted)
    assert done.resident_tokens == 3 + wanted
    assert talk.calls[-1] == ("prefill", [HELLO[wanted - 1]])


@pytest.mark.parametrize("wanted", [-1, 0, 4, 100])
def test_the_context_limits_what_may_be_generated(
    converse: Callable[..., Any], ask: Callable[..., Any], wanted: int
) -> None:
    """Nothing set fills the context, and more than fits is cut to it."""
    done = done_of(converse(ask("Hi", max_new_tokens=wanted), context_length=7).last)

    assert (done.finish_reason, done.completion_tokens, done.resident_tokens) == ("length", 4, 7)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (GenerateRequest((TextSegment(""),)), "the prompt is empty"),
        (GenerateRequest((IdsSegment(()), TextSegment(""))), "the prompt is empty"),
        (GenerateRequest((TextSegment("123456789"),)), "10 tokens, which leaves no room"),
        (GenerateRequest((TextSegment("1" * 50),)), "51 tokens, which leaves no room"),
        (GenerateRequest((IdsSegment((5, 265)),)), "token id 265 is not in a vocabulary of 265"),
    ],
)
def test_a_prompt_that_cannot_be_served_is_refused(
    converse: Callable[..., Any], request_: GenerateRequest, reason: str
) -> None:
    """Before any session is touched."""
    talk = converse(request_, context_length=10)

    assert isinstance(talk.last, Failed)
    assert reason in talk.last.message
    assert talk.calls == []


def test_a_stop_string_ends_the_turn_and_spoils_the_session(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Text before it only, no ids, and the next turn starts from nothing."""
    talk = converse(ask("Hi", stop=("ll",), session_id="a"), ask("Hi Hello.", session_id="a"))

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert talk.text == "He" + "Hello"
    assert (first.finish_reason, first.completion_tokens) == ("stop", 4)
    assert first.generated_token_ids is None
    assert (second.session_reset_reason, second.reused_prompt_tokens) == ("dirty", 0)


def test_held_back_text_is_shown_at_the_end(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """What might have become a stop string, and did not."""
    talk = converse(ask("Hi", stop=("lo!",)))

    assert talk.text == "Hello"
    assert done_of(talk.last).generated_token_ids == HELLO


def test_half_a_character_is_shown_as_such_at_the_end(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The limit fell inside it."""
    talk = converse(ask("Hi", max_new_tokens=2), replies=(ScriptedReply("aé"),))

    assert talk.text == "a\ufffd"


def test_an_append_only_turn_prefills_only_what_is_new(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Prompt and completion of the first turn are reused, by their ids."""
    ids = (*b"Hi", *HELLO, EOT, *b"More")

    talk = converse(ask("Hi", session_id="a"), GenerateRequest((IdsSegment(ids),), session_id="a"))

    done = done_of(talk.last)
    assert done.session_reset_reason == "exact_prefix"
    assert (done.prompt_tokens, done.reused_prompt_tokens) == (13, 8)
    assert done.prefilled_prompt_tokens == 5
    assert talk.prefills() == [3, 5]


@pytest.mark.parametrize(
    ("second", "reason"),
    [("HiHello?", "exact_prefix"), ("HiHello", "equal"), ("Hi", "mismatch"), ("Ho!", "mismatch")],
)
def test_the_reason_is_the_tables(
    converse: Callable[..., Any], ask: Callable[..., Any], second: str, reason: str
) -> None:
    """As seen from outside; everything is computed again except after an exact prefix."""
    talk = converse(ask("Hi", session_id="a"), ask(second, session_id="a"))

    done = done_of(talk.last)
    assert done.session_reset_reason == reason
    assert done.reused_prompt_tokens == (8 if reason == "exact_prefix" else 0)
    assert done.reused_prompt_tokens + done.prefilled_prompt_tokens == done.prompt_tokens


def test_the_scratch_session_remembers_nothing(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The same continuation without a session id is new each time."""
    done = done_of(converse(ask("Hi"), ask("HiHello?")).last)

    assert (done.session_reset_reason, done.reused_prompt_tokens) == ("new", 0)


def test_without_warm_resume_every_turn_is_new(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Named sessions too."""
    turns = (ask("Hi", session_id="a"), ask("HiHello?", session_id="a"))

    done = done_of(converse(*turns, warm_resume=False).last)

    assert (done.session_reset_reason, done.reused_prompt_tokens) == ("new", 0)


def test_sessions_do_not_share_prefixes(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Another session's cache is another's."""
    turns = (ask("Hi", session_id="a"), ask("HiHello?", session_id="b"))

    done = done_of(converse(*turns, max_sessions=3).last)

    assert done.session_reset_reason == "new"


def test_a_reset_session_is_new(converse: Callable[..., Any], ask: Callable[..., Any]) -> None:
    """It kept its place and nothing else."""
    turns = (ask("Hi", session_id="a"), SessionOp("reset", "a"), ask("HiHello?", session_id="a"))

    assert done_of(converse(*turns).last).session_reset_reason == "new"


# --- several tokens a round ---


@pytest.mark.parametrize("per_round", [2, 3, 4, 7])
def test_tokens_of_one_round_are_told_together(
    converse: Callable[..., Any], ask: Callable[..., Any], per_round: int
) -> None:
    """The text is the same, the lines are fewer, and the cache is settled as ever."""
    talk = converse(
        ask("Hi", session_id="a"), ask("HiHello?", session_id="a"), tokens_per_round=per_round
    )

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    texts = [reply.text for reply in talk.replies if isinstance(reply, TokenText)]
    assert texts[0] == "Hello"[:per_round]
    assert (first.generated_token_ids, first.resident_tokens) == (HELLO, 8)
    assert (second.session_reset_reason, second.reused_prompt_tokens) == ("exact_prefix", 8)


@pytest.mark.parametrize("per_round", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("wanted", [1, 2, 3, 4, 5])
def test_a_limit_inside_a_round_drops_its_rest(
    converse: Callable[..., Any], ask: Callable[..., Any], per_round: int, wanted: int
) -> None:
    """Neither shown nor resident, so the next turn can go on from what was shown."""
    shown = "Hello"[:wanted]
    turns = (
        ask("Hi", session_id="a", max_new_tokens=wanted),
        ask(f"Hi{shown}?", session_id="a", max_new_tokens=1),
    )

    talk = converse(*turns, tokens_per_round=per_round)

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert first.generated_token_ids == HELLO[:wanted]
    assert first.resident_tokens == 3 + wanted
    assert (second.session_reset_reason, second.reused_prompt_tokens) == (
        "exact_prefix",
        3 + wanted,
    )


def test_an_end_of_turn_inside_a_round_drops_its_rest(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """What a draft went on to say behind it is no part of the turn."""
    talk = converse(
        ask("Hi", session_id="a"),
        ask("Hiab!", session_id="a"),
        replies=(ScriptedReply("ab<|eot|>cdef"),),
        tokens_per_round=7,
    )

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert (first.generated_token_ids, first.resident_tokens) == (tuple(b"ab"), 5)
    assert second.session_reset_reason == "exact_prefix"


# --- cancellation ---


def cancelled_done(reply: object) -> Done:
    """Take a reply that must be the done line of a cancelled turn."""
    done = done_of(reply)
    assert (done.cancelled, done.finish_reason, done.generated_token_ids) == (True, "stop", None)
    return done


BY_FRAME = pytest.param(lambda parent: parent.cancellations.cancel_id(1), id="frame")
BY_LINE = pytest.param(lambda parent: parent.send(Cancel(request_id=1)), id="line")
BY_SESSION = pytest.param(lambda parent: parent.send(Cancel(session_id="a")), id="session")
DIALECTS = pytest.mark.parametrize("cancel", [BY_FRAME, BY_LINE, BY_SESSION])


def then_sending(cancel: Callable[..., Any], request: GenerateRequest) -> Callable[..., Any]:
    """Return a moment at which a turn is cancelled and the next one sent."""

    def happen(parent: Any) -> None:  # noqa: ANN401
        cancel(parent)
        parent.send(request)

    return happen


@DIALECTS
def test_a_cancel_during_decoding_ends_the_turn_at_the_next_round(
    converse: Callable[..., Any], ask: Callable[..., Any], cancel: Callable[..., Any]
) -> None:
    """The round that runs is finished and told; the session is dirty afterwards."""
    turn = ask("Hi", session_id="a", cancel_request_id=1)
    then = then_sending(cancel, ask("HiHel?", session_id="a"))

    talk = converse(turn, moments={("decode", 3): then})

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert cancelled_done(first).completion_tokens == 3
    assert talk.text == "Hel" + "Hello"
    assert first.resident_tokens == 5
    assert (second.session_reset_reason, second.cancelled) == ("dirty", False)


@DIALECTS
def test_a_cancel_during_prefill_ends_the_turn_at_the_next_chunk(
    converse: Callable[..., Any], ask: Callable[..., Any], cancel: Callable[..., Any]
) -> None:
    """A long prompt is not computed to its end for nobody."""
    turn = ask("x" * 39, session_id="a", cancel_request_id=1)
    then = then_sending(cancel, ask("Hi", session_id="a"))

    talk = converse(turn, max_prefill_chunk=8, moments={("prefill", 2): then})

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert cancelled_done(first).prefilled_prompt_tokens == 16
    assert (first.prompt_tokens, first.completion_tokens, first.decode_ms) == (40, 0, 0.0)
    assert first.session_reset_reason == "new"
    assert talk.prefills() == [8, 8, 3]
    assert second.session_reset_reason == "dirty"


@DIALECTS
def test_a_cancel_of_a_queued_request_ends_it_when_its_turn_comes(
    converse: Callable[..., Any], ask: Callable[..., Any], cancel: Callable[..., Any]
) -> None:
    """The turn before it, and the cache, are not touched."""
    turns = (
        ask("Hi", session_id="b", cancel_request_id=0),
        ask("Hi", session_id="a", cancel_request_id=1),
        ask("HiHello?", session_id="b", cancel_request_id=2),
    )

    talk = converse(*turns, max_sessions=3, moments={("decode", 2): cancel})

    first, second, third = (reply for reply in talk.replies if isinstance(reply, Done))
    assert not first.cancelled
    assert cancelled_done(second).session_reset_reason is None
    assert (second.prompt_tokens, second.prefilled_prompt_tokens, second.total_ms) == (0, 0, 0.0)
    assert second.resident_tokens is None  # nobody looked; its session may hold something
    assert (third.cancelled, third.session_reset_reason) == (False, "exact_prefix")


def test_a_cancel_in_the_same_write_as_its_request_is_not_lost(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """No token is computed."""
    talk = converse(ask("Hi", cancel_request_id=1), Cancel(request_id=1))

    cancelled_done(talk.last)
    assert talk.calls == []


def test_a_frame_that_overtakes_its_request_is_not_lost(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """It was read before the request that it names was even sent."""

    def overtake(parent: Any) -> None:  # noqa: ANN401
        parent.cancellations.cancel_id(2)
        parent.send(ask("Hi", cancel_request_id=2))

    talk = converse(ask("Hi", cancel_request_id=1), moments={("decode", 1): overtake})

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert not first.cancelled
    cancelled_done(second)


@pytest.mark.parametrize(
    "stale",
    [
        lambda parent: parent.cancellations.cancel_id(1),
        lambda parent: parent.send(Cancel(request_id=1)),
        lambda parent: parent.send(Cancel(request_id=77)),
        lambda parent: parent.send(Cancel(session_id="b")),
        lambda parent: parent.send(Cancel()),
        lambda parent: parent.send(Cancel(request_id=2, session_id="b")),
    ],
)
def test_a_cancel_that_names_another_request_changes_nothing(
    converse: Callable[..., Any], ask: Callable[..., Any], stale: Callable[..., Any]
) -> None:
    """Finished, unknown, of another session, or nobody: the turn that runs goes on to its end."""
    turns = (
        ask("Hi", session_id="a", cancel_request_id=1),
        ask("HiHello?", session_id="a", cancel_request_id=2),
    )

    talk = converse(*turns, moments={("decode", 8): stale})

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert (first.cancelled, second.cancelled) == (False, False)
    assert second.session_reset_reason == "exact_prefix"


def test_a_second_cancel_of_the_same_turn_changes_nothing(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """One done line, and the next turn is untouched."""

    def twice(parent: Any) -> None:  # noqa: ANN401
        parent.send(Cancel(request_id=1), Cancel(request_id=1))
        parent.cancellations.cancel_id(1)

    turns = (ask("Hi", cancel_request_id=1), ask("Hi", cancel_request_id=2))
    talk = converse(*turns, moments={("decode", 2): twice})

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert (first.cancelled, second.cancelled) == (True, False)


def test_a_cancel_during_the_last_round_is_too_late(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The turn ended by itself, and the session is as good as after any turn."""
    moments = {("decode", 6): lambda parent: parent.cancellations.cancel_id(1)}
    turns = (ask("Hi", session_id="a", cancel_request_id=1), ask("HiHello?", session_id="a"))

    talk = converse(*turns, moments=moments)

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert (first.cancelled, first.generated_token_ids) == (False, HELLO)
    assert second.session_reset_reason == "exact_prefix"


# --- drafting ---

DRAFTS: dict[str, Any] = {"draft_tokens": 3, "tokens_per_round": 3}


def test_a_turn_says_what_drafting_did(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Of "Hello" and its end: one by itself, then rounds of three; the second one ends early."""
    done = done_of(converse(ask("Hi"), **DRAFTS).last)

    assert done.generated_token_ids == HELLO
    assert done.draft_counts == DraftCounts(
        dflash="on",
        cycles=2,
        speculative_cycles=2,
        target_only_cycles=0,
        draft_attempts_by_row=(2, 2, 2),
        draft_accepts_by_row=(2, 1, 0),
        draft_execute_ms=0.0,
        target_execute_ms=4.0,
    )


def test_a_turn_can_do_without_a_draft(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """The same text, a cycle a token, and the next turn may draft again."""
    turns = (ask("Hi", session_id="a", dflash=False), ask("HiHello?", session_id="a"))

    talk = converse(*turns, **DRAFTS)

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert talk.text == "HelloHello"
    assert first.draft_counts == DraftCounts(
        dflash="off", cycles=5, target_only_cycles=5, target_execute_ms=10.0
    )
    assert second.draft_counts is not None
    assert second.draft_counts.dflash == "on"
    assert second.session_reset_reason == "exact_prefix"


@pytest.mark.parametrize("wanted", [1, 2, 3, 4, 5])
def test_a_round_returns_no_more_than_is_wanted(
    converse: Callable[..., Any], ask: Callable[..., Any], wanted: int
) -> None:
    """So nothing has to be taken back, and all that was counted was said."""
    talk = converse(ask("Hi", session_id="a", max_new_tokens=wanted), **DRAFTS)

    done = done_of(talk.last)
    assert (done.generated_token_ids, done.resident_tokens) == (HELLO[:wanted], 3 + wanted)
    assert [name for name, _ in talk.calls].count("rewind") == 1  # at the start
    counts = done.draft_counts
    assert counts is not None
    assert 1 + counts.cycles + counts.accepted == wanted


def test_a_turn_that_is_over_before_its_first_token_has_no_counts(
    converse: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    """Those of the turn before are not its."""
    turns = (
        ask("Hi", session_id="a", cancel_request_id=1),
        ask("HiHello?", session_id="a", cancel_request_id=2),
    )
    cancel = {("prefill", 2): lambda parent: parent.cancellations.cancel_id(2)}

    talk = converse(*turns, moments=cancel, **DRAFTS)

    first, second = (reply for reply in talk.replies if isinstance(reply, Done))
    assert first.draft_counts is not None
    assert (second.cancelled, second.draft_counts) == (True, None)
