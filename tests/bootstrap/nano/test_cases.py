"""Held-out cases can be passed, and not by someone who does not look."""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random

from bootstrap.nano.cases import expected, picture_cases, text_cases
from bootstrap.nano.dialogues import Mixture, converse
from harness.checks.answer import says

_MIXTURE = Mixture(notes=0.2, chat=0.5, single=0.3, whole=0.5)


def test_every_right_answer_passes() -> None:
    """What the recipe teaches as the answer is an answer that the case accepts."""
    for seed in range(250):
        for exchange in converse(Random(f"right/{seed}"), _MIXTURE, 3000).exchanges:
            reply = exchange.reply
            expect = expected(reply)
            assert expect["contains"] or expect["matches"]
            assert all(says(reply.answer, fact) for fact in expect["contains"]), reply
            assert expect["matches"] is None or re.search(expect["matches"], reply.answer), reply


def test_every_group_has_as_many_cases_as_asked_for() -> None:
    """No group of text skills is left out, and no id stands twice."""
    cases = text_cases(2)

    assert {2} == set(Counter(case["skill"] for case in cases).values())
    assert len(cases) == len({case["id"] for case in cases}) >= 40


def test_a_case_ends_where_the_assistant_is_to_speak() -> None:
    """The last message is the user's or a result, and a result answers a call before it."""
    for case in text_cases(3):
        last = case["messages"][-1]
        called = {
            call["id"]: call["function"]
            for message in case["messages"]
            for call in message.get("tool_calls", ())
        }
        assert last["role"] in ("user", "tool")
        assert last["role"] == "user" or last["tool_call_id"] in called
        assert all(isinstance(json.loads(call["arguments"]), dict) for call in called.values())


def test_calls_are_asked_for_only_of_declared_functions() -> None:
    """A case about tools declares what it wants called."""
    cases = [case for case in text_cases(3) if case["expect"]["calls"]]

    assert cases
    for case in cases:
        declared = {tool["function"]["name"] for tool in case["tools"]}
        assert {call["name"] for call in case["expect"]["calls"]} <= declared


def test_a_pair_differs_in_its_picture_and_its_answer_alone() -> None:
    """Both halves say the same words, so they give the same answer to who is blind."""
    cases = {case["id"]: case for case in picture_cases(2)}
    pairs = {case["pair"] for case in cases.values() if case["pair"]}

    assert len(pairs) == 14
    for name in pairs:
        one, two = cases[f"{name}a"], cases[f"{name}b"]
        assert _words(one)[-1] == _words(two)[-1]
        assert one["strength"] == two["strength"]
        assert _picture(one) != _picture(two)
        assert one["expect"]["contains"] != two["expect"]["contains"]


def test_no_earlier_turn_gives_the_answer_away() -> None:
    """What is asked for stands in no message before the question."""
    for case in picture_cases(8):
        before = " ".join(_words(case)[:-1])
        assert case["pair"] is None or not any(
            says(before, fact) for fact in case["expect"]["contains"]
        )


def _words(case: dict[str, object]) -> list[str]:
    messages = case["messages"]
    assert isinstance(messages, list)
    return [
        content if isinstance(content := message["content"], str) else content[-1]["text"]
        for message in messages
    ]


def _picture(case: dict[str, object]) -> str:
    messages = case["messages"]
    assert isinstance(messages, list)
    return str(messages[0]["content"][0]["image_url"]["url"])
