"""Every promise is kept, broken or skipped by what the frames say, and points at its evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.capabilities import Capabilities, ReuseReport
from harness.checks import ALWAYS, ANSWERED, PROMISES, check_turn
from harness.checks.accounts import accounts, resident, reuses_resident
from harness.checks.answer import expected, says
from harness.checks.cancelled import cancelled_as_told
from harness.checks.clocks import clocks_agree
from harness.checks.cold import cold
from harness.checks.counts import counts_agree
from harness.checks.finish import finishes
from harness.checks.leak import no_control_text
from harness.checks.pictures import pictures_counted, pictures_encoded
from harness.checks.reset import reset_reason
from harness.checks.restart import cut_or_whole, restored
from harness.checks.speedup import at_least
from harness.checks.status import answered_with
from harness.checks.stream import complete, rules
from harness.checks.typed import plays, typed
from harness.checks.window import within_window
from harness.plan import Promise
from harness.played import PlayedTurn, play_back
from harness.stats import Comparison, compare_paired
from harness.testing import DONE, frame, trace
from harness.trace import Action, TurnLabel
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PASS, FAIL, SKIP, UNSURE = Outcome.PASS, Outcome.FAIL, Outcome.SKIP, Outcome.INCONCLUSIVE

REQUEST = {"stream": True, "stream_options": {"include_usage": True}}
TELLS_ALL = Capabilities(ReuseReport.ACCOUNTS, "it says so")
TELLS_CACHED = Capabilities(ReuseReport.CACHED_TOKENS, "usage only")
TELLS_NOTHING = Capabilities(ReuseReport.NOTHING, "it is silent")


def reply(
    text: str = "Oslo.",
    *,
    reasoning: str = "",
    usage: Mapping[str, Any] | None = None,
    **metrics: Any,  # noqa: ANN401 - JSON
) -> str:
    """A whole reply; `metrics` become its muse_metrics, none for none."""
    thought = frame(reasoning=reasoning) if reasoning else ""
    told = frame(muse_metrics=metrics) if metrics else ""
    counts = frame(usage=usage or {"prompt_tokens": 10, "completion_tokens": 2})
    role, finish = frame(role="assistant"), frame(finish="stop")
    return role + thought + frame(content=text) + finish + told + counts + DONE


def counted(prompt: int, reused: int, **changed: Any) -> str:  # noqa: ANN401 - JSON
    """A reply of two tokens that tells all its accounts; `changed` spoils or adds some."""
    metrics = {
        "prompt_tokens": prompt,
        "completion_tokens": 2,
        "reused_prompt_tokens": reused,
        "prefilled_prompt_tokens": prompt - reused,
        "resident_tokens": prompt + 2,
        "session_reset_reason": "exact_prefix" if reused else "new",
    }
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": reused},
    }
    return reply(usage=changed.pop("usage", usage), **{**metrics, **changed})


USAGE = {"prompt_tokens": 10, "completion_tokens": 2}


def counted_thought(tokens: int) -> dict[str, Any]:
    """What usage says of reasoning."""
    return {"completion_tokens_details": {"reasoning_tokens": tokens}}


def played(
    *replies: str,
    lag_ns: int = 0,
    marks: Mapping[str, float] | None = None,
    at_ms: float = 10.0,
    returns: bool | None = None,
    actions: tuple[Action, ...] = (),
    **promise: Any,  # noqa: ANN401 - fields of Promise
) -> PlayedTurn:
    """One turn after another of one leg, each reply in one read; the last as it was played.

    `returns` is whether reasoning was asked for.
    """
    asked = {} if returns is None else {"chat_template_kwargs": {"return_reasoning": returns}}
    labels = [TurnLabel("some", 1, "warm", turn) for turn in range(1, len(replies) + 1)]
    traces = [
        trace(
            (at_ms, body),
            request=REQUEST | asked,
            label=label,
            trace_id=f"t{label.turn}",
            lag_ns=lag_ns,
            marks=marks,
            actions=actions,
        )
        for label, body in zip(labels, replies, strict=True)
    ]
    return play_back(dict.fromkeys(labels, Promise(**promise)), traces)[-1]


def outcome(verdicts: Iterator[Verdict]) -> Outcome | None:
    """What the one verdict says; None where there is none."""
    found = list(verdicts)
    assert len(found) <= 1
    return found[0].outcome if found else None


def test_every_check_is_in_the_table_of_promises() -> None:
    """Reports take their words from the docstring, so every name a verdict uses is there."""
    turn = played(counted(10, 0), counted(20, 12), contains=("Oslo",), reset="exact_prefix")
    cold_turn = played(counted(10, 0), reset="new", finish="stop", calls=())
    seeing_turn = shown(counted(10, 0, vision_encoder_ms=3.5, image_tokens=4), encodes=True)
    thoughtful = reply(reasoning="Ada lives there.", usage={**USAGE, **counted_thought(1)})
    again = played(thoughtful, thoughtful, same_as=1, grows=1, returns=True)
    refused_turn = played(counted(10, 0), status=429)

    tells_more = replace(TELLS_ALL, window=100)
    page_turn = played(counted(10, 0), actions=(Action(0, "page"),))
    turns = (turn, cold_turn, seeing_turn, again, page_turn)
    names = {v.check for t in turns for v in check_turn(t, tells_more)}
    (refused,) = check_turn(refused_turn, TELLS_ALL)
    (cut,) = check_turn(played(counted(10, 0), cut=True), TELLS_ALL)
    after, *_ = check_turn(played(counted(10, 0), reset="restored"), TELLS_ALL)

    stopped, *_ = check_turn(played(counted(10, 0), cancelled=True), TELLS_ALL)

    others = {"compare.at_least", "target.claims", "page.plays"}
    rare = {refused.check, cut.check, after.check, stopped.check}
    races = {name for name in PROMISES if name.startswith("cancel.")}  # of harness.races
    assert names | others | rare | races == set(PROMISES)
    assert len(ALWAYS + ANSWERED) == len(names)


def shown(body: str, *, pictures: int = 1, **promise: Any) -> PlayedTurn:  # noqa: ANN401
    """A turn whose request shows pictures."""
    label = TurnLabel("some", 1, "ann", 1)
    parts = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}] * pictures
    messages = [{"role": "user", "content": [*parts, {"type": "text", "text": "What is it?"}]}]
    seen = trace((10.0, body), request={**REQUEST, "messages": messages}, label=label)
    return play_back({label: Promise(**promise)}, [seen])[0]


@pytest.mark.parametrize(
    ("metrics", "encodes", "expect"),
    [
        ({"vision_encoder_ms": 3.5}, True, PASS),
        ({"vision_encoder_ms": 3.5}, False, FAIL),
        ({"vision_encoder_ms": None}, True, FAIL),
        ({"vision_encoder_ms": None}, False, PASS),
        ({"vision_encoder_ms": 0.0}, False, PASS),
        ({}, True, SKIP),
        ({}, False, SKIP),
        ({"vision_encoder_ms": 3.5}, None, None),
    ],
)
def test_a_picture_is_encoded_when_it_is_new_and_only_then(
    metrics: dict[str, Any],
    encodes: bool | None,  # noqa: FBT001
    expect: Outcome | None,
) -> None:
    """Null and no time are both nothing; who does not report its encoder is not judged."""
    turn = shown(counted(10, 0, **metrics), encodes=encodes)

    assert outcome(pictures_encoded(turn, TELLS_ALL)) is expect


@pytest.mark.parametrize(
    ("metrics", "pictures", "expect"),
    [
        ({"image_tokens": 2}, 2, PASS),
        ({"image_tokens": 1}, 2, FAIL),
        ({"image_tokens": 0}, 1, FAIL),
        ({"image_tokens": 10}, 1, FAIL),
        ({}, 1, SKIP),
        ({"image_tokens": 0}, 0, None),
    ],
)
def test_what_is_shown_takes_tokens_of_the_prompt(
    metrics: dict[str, Any], pictures: int, expect: Outcome | None
) -> None:
    """None, and the picture never reached the model; all of them, and the text did not."""
    turn = shown(counted(10, 0, **metrics), pictures=pictures)

    assert outcome(pictures_counted(turn, TELLS_ALL)) is expect


CUT_AT = (Action(20, "restart"),)
BEGUN = frame(role="assistant") + frame(content="One, two")
SAID_ERROR = 'data: {"error":{"message":"stopped","code":"unavailable"}}\n\n'


@pytest.mark.parametrize(
    ("body", "actions", "contains", "expect"),
    [
        (BEGUN + SAID_ERROR + DONE, CUT_AT, ("three",), PASS),
        (BEGUN, CUT_AT, ("three",), PASS),
        (reply("One, two, three."), CUT_AT, ("three",), PASS),
        (reply("One, two"), CUT_AT, ("three",), FAIL),
        (reply("One, two", cancelled=True), CUT_AT, ("three",), FAIL),
        (reply("One, two, three."), CUT_AT, (), FAIL),
        (reply("One, two, three."), (), ("three",), UNSURE),
        (SAID_ERROR + DONE, (), (), UNSURE),
    ],
)
def test_a_part_of_an_answer_is_not_passed_off_as_the_whole(
    body: str, actions: tuple[Action, ...], contains: tuple[str, ...], expect: Outcome
) -> None:
    """An error and a lost connection are honest, an ordinary end is only where all was said."""
    label = TurnLabel("some", 1, "ann", 1)
    seen = trace((10.0, body), request=REQUEST, label=label, actions=actions)
    turn = play_back({label: Promise(cut=True, contains=contains)}, [seen])[0]

    assert outcome(cut_or_whole(turn, TELLS_ALL)) is expect
    assert outcome(check_turn(turn, TELLS_ALL)) is expect


def test_what_lasts_is_used_again_after_a_restart_and_to_the_token() -> None:
    """Where it is claimed; where it is not the prompt is cold, as that of a new session."""
    keeps = replace(TELLS_ALL, forgets="")
    warm = played(counted(10, 0), counted(20, 12), reset="restored")
    part = played(counted(10, 0), counted(20, 8), reset="restored")
    cold_turn = played(counted(10, 0), counted(20, 0), reset="restored")

    def failed(turn: PlayedTurn, can: Capabilities) -> list[str]:
        return [v.check for v in check_turn(turn, can) if v.outcome is FAIL]

    assert outcome(restored(warm, keeps)) is PASS
    assert outcome(restored(cold_turn, TELLS_ALL)) is SKIP
    assert failed(warm, keeps) == failed(cold_turn, TELLS_ALL) == []
    assert failed(part, keeps) == ["resume.reuses_resident"]
    assert failed(cold_turn, keeps) == [
        *("resume.restored", "resume.reset_reason", "resume.reuses_resident")
    ]
    assert failed(warm, TELLS_ALL) == ["resume.reset_reason", "resume.cold"]


def test_token_counts_are_held_against_what_came() -> None:
    """`agreement` has the rules; a reply that counts nothing is skipped, and never passes."""
    usage = {"prompt_tokens": 10, "completion_tokens": 40}

    assert outcome(counts_agree(played(reply(usage=USAGE)), TELLS_ALL)) is PASS
    assert outcome(counts_agree(played(reply(usage=usage)), TELLS_ALL)) is FAIL
    assert outcome(counts_agree(played(reply(usage={"total_tokens": 3})), TELLS_ALL)) is SKIP


@pytest.mark.parametrize(
    ("told", "actions", "expect"),
    [
        ({"cancelled": True}, ("cancel", "cancel.ack"), PASS),
        ({"cancelled": False}, ("cancel", "cancel.ack"), FAIL),
        ({"cancelled": True, "completion_tokens": None}, ("cancel", "cancel.ack"), FAIL),
        ({"cancelled": False}, (), UNSURE),
    ],
)
def test_a_cancelled_turn_says_so(
    told: dict[str, Any], actions: tuple[str, ...], expect: Outcome
) -> None:
    """And counts its tokens; one that was over before it could be cancelled shows nothing."""
    label = TurnLabel("some", 1, "ann", 1)
    body = counted(20, 0, usage={"prompt_tokens": 20}, **told)
    seen = trace(
        (10.0, body), request=REQUEST, label=label, actions=[Action(5, name) for name in actions]
    )

    (turn,) = play_back({label: Promise(cancelled=True)}, [seen])

    assert outcome(cancelled_as_told(turn, TELLS_ALL)) is expect
    assert {v.check for v in check_turn(turn, TELLS_ALL)} >= {"cancel.told", "counts.agree"}


def refused(told: int | None, body: str, status: int, code: str | None = None) -> PlayedTurn:
    """A request that was answered with a status and a JSON body, and what was promised of it."""
    label = TurnLabel("some", 1, "ann", 1)
    seen = trace((10.0, body), request=REQUEST, label=label, status=told, content_type="text/json")
    return play_back({label: Promise(status=status, code=code)}, [seen])[0]


@pytest.mark.parametrize(
    ("status", "code", "expect"),
    [
        (429, "full", PASS),
        (429, None, PASS),
        (429, "busy", FAIL),
        (400, "full", FAIL),
        (400, None, FAIL),
    ],
)
def test_a_refusal_says_its_status_and_its_code(
    status: int, code: str | None, expect: Outcome
) -> None:
    """The code is looked at where one was promised; what was promised and not told is wrong."""
    body = '{"error": {"message": "no", "type": "refusal", "code": "full"}}'

    assert outcome(answered_with(refused(429, body, status, code), TELLS_ALL)) is expect


def test_a_refusal_that_is_charged_for_is_wrong() -> None:
    """Nothing was computed, so that there is nothing to count."""
    body = '{"error": {"message": "no", "code": "full"}, "usage": {"prompt_tokens": 9}}'

    (verdict,) = answered_with(refused(429, body, 429, "full"), TELLS_ALL)

    assert verdict.outcome is FAIL
    assert "promised 429 full without usage" in verdict.message


def test_a_refusal_that_came_as_an_answer_is_wrong() -> None:
    """An error that could have been told by the status may not wait for the stream."""
    (verdict,) = check_turn(played(reply(), status=400, code="full"), TELLS_ALL)

    assert (verdict.outcome, verdict.message) == (FAIL, "answered 200, promised 400 full")


def test_a_line_that_broke_is_no_refusal() -> None:
    """No status came at all."""
    (verdict,) = answered_with(refused(None, "", 429), TELLS_ALL)

    assert verdict.outcome is FAIL
    assert "no status, promised 429" in verdict.message


@pytest.mark.parametrize(
    ("window", "finish", "cap", "expect"),
    [
        (None, "length", 30, None),
        (100, "stop", 30, PASS),
        (12, "stop", 30, PASS),
        (11, "stop", 30, FAIL),
        (12, "length", 30, PASS),
        (14, "length", 30, PASS),
        (15, "length", 30, FAIL),
        (15, "length", 2, PASS),
        (15, "length", None, PASS),
    ],
)
def test_a_turn_fits_into_the_window_and_is_not_cut_before_it(
    window: int | None, finish: str, cap: int | None, expect: Outcome | None
) -> None:
    """Twelve tokens in all: a cap beyond the room is clamped to the room."""
    label, body = TurnLabel("some", 1, "ann", 1), counted(10, 0)
    seen = trace(
        (10.0, body.replace('"stop"', f'"{finish}"')),
        request=REQUEST if cap is None else {**REQUEST, "max_tokens": cap},
        label=label,
    )
    (turn,) = play_back({label: Promise()}, [seen])

    assert outcome(within_window(turn, replace(TELLS_ALL, window=window))) is expect


@pytest.mark.parametrize(("promised", "expect"), [("stop", PASS), ("length", FAIL), (None, None)])
def test_an_answer_ends_for_its_reason(promised: str | None, expect: Outcome | None) -> None:
    """The finish reason is judged where one was promised."""
    assert outcome(finishes(played(reply(), finish=promised), TELLS_ALL)) is expect


def test_a_turn_that_failed_is_judged_by_its_stream_alone() -> None:
    """What did not arrive can be neither right nor wrong."""
    turn = played(frame(role="assistant") + frame(content="Os"), contains=("Oslo",), reset="new")

    assert {v.check: v.outcome for v in check_turn(turn, TELLS_ALL)} == {
        "stream.complete": FAIL,
        "stream.rules": FAIL,
    }


# -- stream


def test_a_whole_reply_is_complete_and_breaks_no_rule() -> None:
    """Role, text, finish, usage, [DONE]."""
    turn = played(reply())

    assert outcome(complete(turn, TELLS_ALL)) is PASS
    assert outcome(rules(turn, TELLS_ALL)) is PASS


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (reply().replace(DONE, ""), "0 times [DONE] instead of once"),
        (reply() + DONE, "2 times [DONE] instead of once"),
        (reply().replace(frame(finish="stop"), frame(finish="stop") * 2), "2 times finish reason"),
        (reply().replace(frame(finish="stop"), ""), "the turn ended as truncated"),
        (frame(role="assistant") + frame(error={"message": "boom"}) + DONE, "in_band_error: boom"),
    ],
)
def test_a_reply_that_lacks_or_repeats_its_end_is_incomplete(spoilt: str, said: str) -> None:
    """Each missing piece is told by name."""
    (verdict,) = complete(played(spoilt), TELLS_ALL)

    assert verdict.outcome is FAIL
    assert said in verdict.message
    assert verdict.evidence[0].trace_id == "t1"


def test_an_error_in_the_stream_is_shown_by_its_own_frame() -> None:
    """Not by the [DONE] that may come after it."""
    turn = played(frame(role="assistant") + frame(error={"message": "boom"}) + DONE)

    (verdict,) = complete(turn, TELLS_ALL)

    assert "InBandError" in verdict.evidence[0].excerpt
    assert "boom" in verdict.evidence[0].excerpt


def test_a_broken_rule_is_shown_by_the_event_that_broke_it() -> None:
    """Text after the finish reason is a violation, and the evidence is its index."""
    finish = frame(finish="stop")
    turn = played(reply().replace(finish, finish + frame(content="late")))

    (verdict,) = rules(turn, TELLS_ALL)

    assert verdict.outcome is FAIL
    assert verdict.message == "delta_after_finish: late"
    assert "delta_after_finish" in verdict.evidence[0].excerpt


# -- resume


@pytest.mark.parametrize(
    ("body", "promised", "can", "expect"),
    [
        (counted(10, 0), "new", TELLS_ALL, PASS),
        (counted(10, 0), "exact_prefix", TELLS_ALL, FAIL),
        (counted(10, 0), None, TELLS_ALL, None),
        (reply(), "new", TELLS_NOTHING, SKIP),
        (reply(), "new", TELLS_CACHED, SKIP),
        (reply(), "new", TELLS_ALL, FAIL),
    ],
)
def test_the_reset_reason_is_the_promised_one(
    body: str, promised: str | None, can: Capabilities, expect: Outcome | None
) -> None:
    """A target that claims to tell and does not has failed; one that cannot is skipped."""
    assert outcome(reset_reason(played(body, reset=promised), can)) is expect


def test_accounts_that_add_up_pass() -> None:
    """The message is the sum itself."""
    (verdict,) = accounts(played(counted(20, 12)), TELLS_ALL)

    assert (verdict.outcome, verdict.message) == (PASS, "8 prefilled + 12 reused = 20 prompt")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prefilled_prompt_tokens": 9}, "9 prefilled + 12 reused = 21, and the prompt has 20"),
        ({"prefilled_prompt_tokens": None}, "does not tell its prefilled tokens"),
        (
            {"usage": {"prompt_tokens": 21, "completion_tokens": 2}},
            "usage says prompt_tokens 21, muse_metrics says 20",
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 20,
                    "completion_tokens": 2,
                    "prompt_tokens_details": {"cached_tokens": 11},
                }
            },
            "usage says cached_tokens 11, muse_metrics says 12",
        ),
    ],
)
def test_accounts_off_by_one_fail(changed: Mapping[str, Any], said: str) -> None:
    """Token arithmetic is exact."""
    (verdict,) = accounts(played(counted(20, 12, **changed)), TELLS_ALL)

    assert verdict.outcome is FAIL
    assert said in verdict.message
    assert "reused_prompt_tokens" in verdict.evidence[0].excerpt


@pytest.mark.parametrize(
    ("told", "expect"),
    [({}, PASS), ({"resident_tokens": 23}, FAIL), ({"resident_tokens": None}, SKIP)],
)
def test_what_is_resident_is_prompt_and_completion(told: dict[str, Any], expect: Outcome) -> None:
    """After every turn, to the token; what is not told is skipped, and never passes."""
    turn = played(counted(20, 12, **told))

    assert outcome(resident(turn, TELLS_ALL)) is expect
    assert outcome(resident(turn, TELLS_NOTHING)) is None


@pytest.mark.parametrize("can", [TELLS_NOTHING, TELLS_CACHED])
def test_accounts_are_skipped_with_the_reason(can: Capabilities) -> None:
    """Rounded counts are no accounts."""
    (verdict,) = accounts(played(reply()), can)

    assert verdict.outcome is SKIP
    assert can.why in verdict.message


@pytest.mark.parametrize(("reused", "expect"), [(12, PASS), (11, FAIL), (13, FAIL), (0, FAIL)])
def test_what_was_resident_is_reused_to_the_token(reused: int, expect: Outcome) -> None:
    """Prompt 10 and two answer tokens are resident, so 12 are reused: not one more or less."""
    turn = played(counted(10, 0), counted(20, reused), reset="exact_prefix")

    assert outcome(reuses_resident(turn, TELLS_ALL)) is expect


def test_reuse_cannot_be_told_without_the_turn_before() -> None:
    """There is nothing to compare the first turn of a leg with."""
    turn = played(counted(20, 12), reset="exact_prefix")

    assert outcome(reuses_resident(turn, TELLS_ALL)) is UNSURE


def test_a_reply_without_its_reused_count_is_told_so() -> None:
    """The target claims accounts, and this reply has none: a broken promise, in words."""
    turn = played(counted(10, 0), reply(), reset="exact_prefix")

    (verdict,) = reuses_resident(turn, TELLS_ALL)

    assert verdict.outcome is FAIL
    assert verdict.message == "the reply does not tell its reused tokens, 12 were resident"


def test_only_an_exact_prefix_promises_reuse() -> None:
    """A new session has nothing to reuse, and is not asked."""
    assert outcome(reuses_resident(played(counted(20, 0), reset="new"), TELLS_ALL)) is None


@pytest.mark.parametrize(
    ("body", "can", "expect"),
    [
        (counted(10, 0), TELLS_ALL, PASS),
        (counted(10, 4), TELLS_ALL, FAIL),
        (reply(), TELLS_ALL, FAIL),
        (reply(), TELLS_NOTHING, SKIP),
    ],
)
def test_a_cold_prompt_reuses_nothing(body: str, can: Capabilities, expect: Outcome) -> None:
    """Whichever way the target reports reuse."""
    assert outcome(cold(played(body, reset="new"), can)) is expect


@pytest.mark.parametrize(("reused", "expect"), [(0, PASS), (60, PASS), (61, FAIL)])
def test_a_keeper_of_prefixes_computes_what_is_new(reused: int, expect: Outcome) -> None:
    """Of a hundred tokens forty words are new: each takes a token at least."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": reused},
    }
    turn = replace(played(reply(usage=usage), reset="mismatch"), new_words=40)

    assert outcome(cold(turn, TELLS_CACHED)) is expect


# -- answers


@pytest.mark.parametrize(
    ("answer", "promise", "expect"),
    [
        ("Oslo.", {"contains": ("oslo",)}, PASS),
        ("In the tool  shed", {"contains": ("tool shed",)}, PASS),
        ("Oslofjord", {"contains": ("Oslo",)}, FAIL),
        ("It is 173.", {"contains": ("73",)}, FAIL),
        ("Oslo or Rome", {"contains": ("Oslo",), "excludes": ("Rome",)}, FAIL),
        ("Room 12", {"matches": r"^Room \d+$"}, PASS),
        ("A room", {"matches": r"^Room \d+$"}, FAIL),
        ("Oslo.", {}, None),
    ],
)
def test_an_answer_is_right_by_what_it_says(
    answer: str, promise: Mapping[str, Any], expect: Outcome | None
) -> None:
    """Whole words, whatever their case and spacing; nothing is asked where nothing is expected."""
    assert outcome(expected(played(reply(answer), **promise), TELLS_ALL)) is expect


def test_reasoning_is_no_answer() -> None:
    """The fact must reach the person."""
    turn = played(reply("I know.", reasoning="It is Oslo."), contains=("Oslo",))

    (verdict,) = expected(turn, TELLS_ALL)

    assert verdict.message == "the answer does not say 'Oslo': 'I know.'"


@pytest.mark.parametrize("fact", ["7:45", "K7-339", "guinea-pig", "(a)"])
def test_facts_with_signs_in_them_are_found(fact: str) -> None:
    """A fact is text, not a pattern."""
    assert says(f"It is {fact}.", fact)


@pytest.mark.parametrize(
    ("answer", "fact", "said"),
    [
        ("It is 5.", "5", True),
        ("3, 4,5 and 6", "5", True),
        ("**5**", "5", True),
        ("10-5", "5", True),
        ("12.5", "12.5", True),
        ("-5", "-5", True),
        ("1,500", "1,500", True),
        ("15", "5", False),
        ("12.5", "5", False),
        ("12.5", "12", False),
        ("It is -5.", "5", False),
        ("It is \u22125.", "5", False),
        ("1,500", "500", False),
        ("1,500", "1", False),
        ("Ann has 5.5 apples", "has 5", False),
    ],
)
def test_a_number_is_said_whole(answer: str, fact: str, said: bool) -> None:  # noqa: FBT001
    """A part of a number is another number, and so is the number below zero."""
    assert says(answer, fact) is said


@pytest.mark.parametrize(
    ("text", "reasoning", "expect"),
    [
        ("Fine.", "All good.", PASS),
        ("Fine.<|eot|>", "", FAIL),
        ("Fine.", "hm<|eom|>", FAIL),
        (" to=user Fine.", "", FAIL),
        ("goto=x and auto=self_test", "", PASS),
        ("a <| b |> c", "", PASS),
    ],
)
def test_control_text_is_seen_in_any_channel(text: str, reasoning: str, expect: Outcome) -> None:
    """Tokens and headers are leaks; prose that only looks alike is not."""
    assert outcome(no_control_text(played(reply(text, reasoning=reasoning)), TELLS_ALL)) is expect


def test_control_text_cut_between_frames_is_found_where_it_begins() -> None:
    """A leak does not hide behind the framing."""
    body = reply("a <|e").replace(
        frame(finish="stop"), frame(content="ot|> b") + frame(finish="stop")
    )

    (verdict,) = no_control_text(played(body), TELLS_ALL)

    assert verdict.outcome is FAIL
    assert verdict.evidence[0].first == 1


# -- clocks


@pytest.mark.parametrize(
    ("metrics", "expect"),
    [
        ({"ttft_ms": 390.0, "wall_ms": 395.0}, PASS),
        ({"ttft_ms": 1.0, "wall_ms": 395.0}, FAIL),
        ({"ttft_ms": 390.0, "wall_ms": 700.0}, FAIL),
        ({}, SKIP),
    ],
)
def test_the_servers_clock_fits_the_clients(metrics: Mapping[str, Any], expect: Outcome) -> None:
    """A server that stops its clock at the role frame, or runs longer than we watched, lies."""
    turn = played(reply(**metrics), at_ms=400.0)

    assert outcome(clocks_agree(turn, TELLS_ALL)) is expect


def test_a_late_client_gives_the_server_its_due() -> None:
    """What our own loop was late by is not held against the server."""
    late = played(reply(ttft_ms=300.0), at_ms=400.0, lag_ns=60_000_000)

    assert outcome(clocks_agree(late, TELLS_ALL)) is PASS


@pytest.mark.parametrize(
    ("metrics", "marks", "expect"),
    [
        ({"ttft_ms": 300.0}, {}, FAIL),
        ({"ttft_ms": 300.0}, {"busy": 0.5}, UNSURE),
        ({"ttft_ms": 300.0}, {"load": 3.0}, UNSURE),
        ({"ttft_ms": 300.0}, {"busy": 0.2}, FAIL),
        ({"ttft_ms": 390.0, "wall_ms": 700.0}, {"busy": 0.5}, FAIL),
        ({"ttft_ms": 390.0, "wall_ms": 700.0}, {"asleep_s": 1.0}, UNSURE),
        ({"ttft_ms": 390.0, "wall_ms": 700.0}, {"clock_jump_s": -1.0}, UNSURE),
        ({"ttft_ms": 390.0}, {"busy": 1.0}, PASS),
    ],
)
def test_what_the_machine_may_have_done_convicts_no_server(
    metrics: Mapping[str, Any], marks: Mapping[str, float], expect: Outcome
) -> None:
    """A busy machine makes tokens late and lets no server's clock run too long; sleep may."""
    turn = played(reply(**metrics), at_ms=400.0, marks=marks)

    assert outcome(clocks_agree(turn, TELLS_ALL)) is expect


def test_a_disagreement_that_cannot_be_told_names_the_mark() -> None:
    """Whoever reads it knows what to do about it."""
    (verdict,) = clocks_agree(
        played(reply(ttft_ms=300.0), at_ms=400.0, marks={"busy": 0.5}), TELLS_ALL
    )

    assert verdict.message.endswith("; but others took 50% of the machine")


# -- comparisons


def found(low: float | None, ratio: float, high: float | None) -> Comparison:
    """A comparison of five pairs."""
    return Comparison(5, ratio, low, high, 0.9, "bca", 1, 4000)


@pytest.mark.parametrize(
    ("comparison", "can", "expect"),
    [
        (found(5.0, 6.0, 7.0), TELLS_ALL, PASS),
        (found(3.0, 4.0, 4.9), TELLS_ALL, FAIL),
        (found(4.0, 6.0, 7.0), TELLS_ALL, UNSURE),
        (found(None, 6.0, None), TELLS_ALL, UNSURE),
        (found(3.0, 4.0, 4.9), TELLS_NOTHING, SKIP),
    ],
)
def test_a_comparison_is_decided_by_its_interval(
    comparison: Comparison, can: Capabilities, expect: Outcome
) -> None:
    """A point estimate alone decides nothing; a target that claims nothing is not held to it."""
    assert outcome(at_least(5.0, comparison, can, ())) is expect


@pytest.mark.parametrize(
    ("ratio", "dirty", "expect"), [(4.0, 1, FAIL), (4.0, 2, UNSURE), (6.0, 4, PASS)]
)
def test_a_comparison_of_dirty_turns_fails_nobody(
    ratio: float, dirty: int, expect: Outcome
) -> None:
    """Up to a quarter of its turns may be dirty; and what passes with them, passes."""
    turns = [trace(marks={"busy": 0.9}) for _ in range(dirty)]
    turns += [trace() for _ in range(4 - dirty)]

    (verdict,) = at_least(5.0, found(ratio, ratio, ratio), TELLS_ALL, turns)

    assert verdict.outcome is expect
    assert ("2 of 4 turns dirty (busy 2)" in verdict.message) is (expect is UNSURE)


def test_where_turns_had_no_value_more_repeats_are_not_what_helps() -> None:
    """A comparison that lost its pairs to failed turns points at those."""
    comparison = compare_paired([], [], 1, missing=5)

    (verdict,) = at_least(5.0, comparison, TELLS_ALL, ())

    assert verdict.message == (
        "0 pairs make no interval; 5 of 5 turns had no value: look at the turns that failed"
    )


def test_a_comparison_without_a_limit_is_only_shown() -> None:
    """Nothing is promised, so nothing is judged."""
    judged: Callable[..., Iterator[Verdict]] = at_least

    assert outcome(judged(None, found(1.0, 1.0, 1.0), TELLS_ALL, ())) is None


def test_the_page_has_to_send_what_was_typed_into_it() -> None:
    """Asked of turns in the page alone; what cannot be played there is skipped with the reason."""
    page, differs = Action(0, "page"), Action(0, "page.differs", {"why": "message 2 is gone"})

    assert outcome(typed(played(reply()), TELLS_ALL)) is None
    assert outcome(typed(played(reply(), actions=(page,)), TELLS_ALL)) is PASS
    (broken,) = typed(played(reply(), actions=(page, differs)), TELLS_ALL)
    assert (broken.outcome, broken.message) == (FAIL, "message 2 is gone")
    assert plays("there is no browser") == Verdict("page.plays", SKIP, "there is no browser")
