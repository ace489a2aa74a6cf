"""Claims about reasoning that is shown, hidden and counted, and about a question asked again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.capabilities import Capabilities, ReuseReport
from harness.checks.calls import calls_as_promised
from harness.checks.grows import grows
from harness.checks.reasoning import apart, as_asked, counted
from harness.checks.same import same_answer
from harness.plan import Promise
from harness.played import PlayedTurn, play_back
from harness.testing import DONE, frame, trace
from harness.trace import Trace, TurnLabel
from harness.verdict import Outcome

if TYPE_CHECKING:
    from harness.checks import Check

PASS, FAIL, SKIP, UNSURE = Outcome.PASS, Outcome.FAIL, Outcome.SKIP, Outcome.INCONCLUSIVE
TELLS = Capabilities(ReuseReport.ACCOUNTS, "it says so")
CALL = {"index": 0, "id": "call_0", "function": {"name": "weather", "arguments": "{}"}}


def turn(
    number: int = 1,
    *,
    reasoning: str = "",
    content: str = "Oslo.",
    thought: int | None = None,
    tokens: int = 8,
    prompt: int = 20,
    finish: str = "stop",
    calls: list[dict[str, Any]] | None = None,
    whole: bool = False,
    **request: Any,  # noqa: ANN401 - JSON
) -> Trace:
    """One reply, streamed or whole."""
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": tokens}
    if thought is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": thought}
    label = TurnLabel("some", 1, "ann", number)
    if whole:
        message = {"role": "assistant", "content": content, "reasoning_content": reasoning}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = json.dumps({"choices": [choice], "usage": usage})
        return trace(
            (1, body), request={"stream": False, **request}, content_type="application/json"
        )
    frames = [frame(role="assistant")]
    frames += [frame(reasoning=reasoning)] if reasoning else []
    frames += [frame(content=content)] if content else []
    frames += [frame(calls=calls)] if calls else []
    frames += [frame(finish=finish), frame(usage=usage), DONE]
    return trace((1, "".join(frames)), request={"stream": True, **request}, label=label)


def judged(check: Check, *traces: Trace, **promise: Any) -> tuple[Outcome | None, str]:  # noqa: ANN401
    """What a check says of the last of these turns, of which all have this promise."""
    labelled = [TurnLabel("some", 1, "ann", number + 1) for number in range(len(traces))]
    played: tuple[PlayedTurn, ...] = play_back(
        dict.fromkeys(labelled, Promise(**promise)),
        [replace(each, label=label) for each, label in zip(traces, labelled, strict=True)],
    )
    found = list(check(played[-1], TELLS))
    assert len(found) <= 1
    return (found[0].outcome, found[0].message) if found else (None, "")


def asked(returns: bool) -> dict[str, Any]:  # noqa: FBT001
    """What asks for reasoning, or against it."""
    return {"chat_template_kwargs": {"return_reasoning": returns}}


@pytest.mark.parametrize(
    ("told", "returns", "expect"),
    [
        ({"reasoning": "Hm.", "thought": 1}, True, PASS),
        ({"thought": 1}, False, PASS),
        ({"thought": 0}, False, PASS),
        ({"thought": 0}, True, PASS),
        ({"reasoning": "Hm.", "thought": 1}, False, FAIL),
        ({"reasoning": "Hm."}, False, FAIL),
        ({"thought": 1}, True, FAIL),
        ({}, False, SKIP),
        ({"reasoning": "Hm."}, True, PASS),
    ],
)
def test_reasoning_is_shown_as_asked(
    told: dict[str, Any],
    returns: bool,  # noqa: FBT001
    expect: Outcome,
) -> None:
    """Shown against the wish, and lost against the wish, are both wrong; unknown is skipped."""
    assert judged(as_asked, turn(**told, **asked(returns)))[0] is expect
    assert judged(as_asked, turn(**told, whole=True, **asked(returns)))[0] is expect
    assert judged(as_asked, turn(**told))[0] is None


def test_a_server_without_our_dialect_need_not_know_how_it_is_asked_to_hide() -> None:
    """It may think `return_reasoning` a variable of some template."""
    label = TurnLabel("some", 1, "ann", 1)
    shown = turn(reasoning="Hm.", thought=1, **asked(returns=False))
    (played,) = play_back({label: Promise()}, [shown])

    (found,) = as_asked(played, replace(TELLS, reuse=ReuseReport.CACHED_TOKENS))

    assert found.outcome is SKIP


@pytest.mark.parametrize(
    ("told", "reasons", "expect"),
    [
        ({"reasoning": "Hm.", "thought": 1}, False, PASS),
        ({"thought": 3}, False, PASS),
        ({"reasoning": "Hm.", "thought": 0}, False, FAIL),
        ({"thought": 9}, False, FAIL),
        ({"thought": 0}, True, FAIL),
        ({"thought": 0}, False, None),
        ({"reasoning": "Hm."}, False, None),
        ({"reasoning": "Hm."}, True, SKIP),
    ],
)
def test_reasoning_is_counted(
    told: dict[str, Any],
    reasons: bool,  # noqa: FBT001
    expect: Outcome | None,
) -> None:
    """No more than the whole completion, and not nothing where there was something."""
    assert judged(counted, turn(**told), reasons=reasons)[0] is expect


THOUGHT = "The user said: I live in Oslo."


@pytest.mark.parametrize(
    ("told", "expect"),
    [
        ({"reasoning": THOUGHT}, PASS),
        ({"reasoning": THOUGHT, "content": f"{THOUGHT} Oslo."}, FAIL),
        ({"content": "<think>Hm.</think>Oslo."}, FAIL),
        ({"reasoning": "Oslo.", "content": "It is Oslo."}, PASS),
        ({}, None),
    ],
)
def test_no_thought_stands_in_the_answer(told: dict[str, Any], expect: Outcome | None) -> None:
    """A word in both is chance, the whole thought is none."""
    assert judged(apart, turn(**told))[0] is expect


def test_a_hidden_thought_is_known_by_the_answer_that_showed_it() -> None:
    """What one request shows may not stand in the answer to the same request that hides it."""
    shown = turn(reasoning=THOUGHT, **asked(True))
    leaks = turn(content=f"{THOUGHT} Oslo.", **asked(False))

    assert judged(apart, shown, leaks, same_as=1)[0] is FAIL
    assert judged(apart, shown, turn(**asked(False)), same_as=1)[0] is PASS


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"content": "Rome."}, "content differs: at character 0, 'Rome.' and 'Oslo.'"),
        ({"reasoning": "I guess."}, "reasoning differs"),
        ({"finish": "length"}, "finished with length, and with stop before"),
        ({"tokens": 9}, "completion tokens 9, and 8 before"),
        ({"prompt": 21}, "prompt tokens 21, and 20 before"),
        ({"thought": 0}, "reasoning tokens 0, and 4 before"),
        ({"calls": [CALL]}, "calls weather({}), where it called nothing"),
    ],
)
def test_the_same_question_has_the_same_answer(changed: dict[str, Any], said: str) -> None:
    """Text, finish reason, calls and every count."""
    first = turn(reasoning=THOUGHT, thought=4)
    again = turn(**{"reasoning": THOUGHT, "thought": 4, **changed})

    outcome, message = judged(same_answer, first, again, same_as=1)

    assert outcome is FAIL
    assert said in message
    assert judged(same_answer, first, first, same_as=1)[0] is PASS


def test_hidden_reasoning_is_the_same_by_its_count() -> None:
    """Its text is not there to be compared; a whole reply says what a stream says."""
    first = turn(reasoning=THOUGHT, thought=4)

    assert judged(same_answer, first, turn(thought=4), same_as=1)[0] is PASS
    assert judged(same_answer, first, turn(thought=4, whole=True), same_as=1)[0] is PASS
    assert judged(same_answer, first)[0] is None


def test_what_was_computed_behind_a_stop_string_is_not_compared() -> None:
    """Text, finish reason and prompt are; without a stop string the counts are too."""
    first, again = turn(tokens=8, stop=["x"]), turn(tokens=11, stop=["x"])

    assert judged(same_answer, first, again, same_as=1)[0] is PASS
    assert judged(same_answer, first, turn(content="O", stop=["x"]), same_as=1)[0] is FAIL
    assert judged(same_answer, first, turn(prompt=9, stop=["x"]), same_as=1)[0] is FAIL
    cut = turn(tokens=11, stop=["x"], finish="length")
    assert judged(same_answer, first, cut, same_as=1)[0] is FAIL


def test_without_a_first_answer_nothing_can_be_told() -> None:
    """A question that was not answered has no answer to be given again."""
    refused = trace((1, "{}"), status=500, content_type="application/json")

    assert judged(same_answer, refused, turn(), same_as=1)[0] is UNSURE


@pytest.mark.parametrize(
    ("cut", "cap", "said"),
    [
        ({"reasoning": "The user", "content": "", "tokens": 5}, 5, ""),
        ({"reasoning": THOUGHT, "content": "Os", "tokens": 7}, 7, ""),
        ({"reasoning": THOUGHT, "content": "Oslo.", "tokens": 8}, 8, ""),
        ({"reasoning": THOUGHT, "content": "Oslo.", "tokens": 8, "finish": "stop"}, 8, ""),
        ({"reasoning": THOUGHT, "content": "Oslo.", "tokens": 8, "finish": "stop"}, 9, ""),
        ({"reasoning": "", "content": " to=", "tokens": 2}, 2, "content is no beginning"),
        ({"reasoning": "He", "content": "", "tokens": 4}, 4, "reasoning is no beginning"),
        ({"reasoning": "The", "content": "Os", "tokens": 5}, 5, "began before the reasoning"),
        ({"reasoning": "The", "content": "", "tokens": 5}, 4, "5 tokens under a cap of 4"),
        ({"content": "", "tokens": 4, "finish": "stop"}, 4, "finished with stop, and was cut"),
        ({"reasoning": THOUGHT, "content": "Oslo.", "tokens": 8}, 9, "finished with length"),
        ({"content": "", "calls": [CALL], "tokens": 4}, 4, "calls weather({}), where it called"),
    ],
)
def test_a_smaller_cap_gives_a_beginning(cut: dict[str, Any], cap: int, said: str) -> None:
    """Channel by channel, to the token; a cap that cuts nothing off changes nothing."""
    first = turn(reasoning=THOUGHT, max_tokens=300)
    again = turn(**{"finish": "length", **cut}, max_tokens=cap)

    outcome, message = judged(same_answer, first, again, begins=1)

    assert outcome is (FAIL if said else PASS), message
    assert said in message


@pytest.mark.parametrize(
    ("told", "promised", "expect"),
    [
        ({"calls": [CALL], "finish": "tool_calls"}, ("weather",), PASS),
        ({}, (), PASS),
        ({"calls": [CALL], "finish": "tool_calls"}, (), FAIL),
        ({}, ("weather",), FAIL),
        ({"calls": [CALL]}, ("weather",), FAIL),
        ({"finish": "tool_calls"}, (), FAIL),
        ({"calls": [CALL]}, None, None),
    ],
)
def test_functions_are_called_as_promised(
    told: dict[str, Any], promised: tuple[str, ...] | None, expect: Outcome | None
) -> None:
    """Those and no others, and the finish reason says so."""
    assert judged(calls_as_promised, turn(**told), calls=promised)[0] is expect


@pytest.mark.parametrize(("prompt", "expect"), [(50, PASS), (49, FAIL), (20, FAIL)])
def test_a_prompt_grows_as_its_text_does(prompt: int, expect: Outcome) -> None:
    """Fewer tokens mean that text was taken for something else."""
    assert judged(grows, turn(), turn(prompt=prompt), grows=30)[0] is expect
    assert judged(grows, turn(), grows=30)[0] is SKIP
    assert judged(grows, turn())[0] is None
