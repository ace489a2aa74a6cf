"""The same cases give the same conversations, and such as decode can be timed on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.peers.conversations import (
    BRIEF,
    BRIEF_TURNS,
    DEEP,
    FOLLOW_UPS,
    SYSTEM,
    choose,
)

SKILLS = [f"skill {number}" for number in range(8)]
NOTES = "Otto lives in Bergen. " * 150


def case(skill: str, said: str, number: int = 0, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """One line of a file of cases."""
    messages = [{"role": "user", "content": said}]
    return {
        "id": f"{skill}-{number}",
        "skill": skill,
        "system": None,
        "strength": "low",
        "messages": messages,
    } | more


def enough() -> list[dict[str, Any]]:
    """Two short cases of every skill, and notes."""
    short = [case(skill, f"{skill}, {number}?", number) for skill in SKILLS for number in (0, 1)]
    return [*short, *(case("recall", NOTES, number) for number in range(DEEP + 1))]


def test_one_short_conversation_of_each_skill() -> None:
    """The first case of each is said."""
    expected = [f"{skill}-0" for skill in SKILLS]

    assert expected == [each.name for each in choose(enough()).short]


def test_deep_conversations_go_on_with_questions_that_are_asked_nowhere_else() -> None:
    """Notes first, then second cases, none of them twice."""
    said = choose(enough())
    later = [text for each in said.deep for text in each.said[1:]]

    assert [each.said[0] for each in said.deep] == [NOTES] * DEEP
    assert len(set(later)) == DEEP * FOLLOW_UPS
    assert all(text.endswith("1?") for text in later)


def test_functions_pictures_and_histories_are_left_out() -> None:
    """A server that knows text alone can be asked everything."""
    history = [{"role": "user", "content": "a"}] * 3
    picture = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    odd = [
        case("tools", "a", tools=[{"type": "function"}]),
        case("history", "a", messages=history),
        case("picture", "a", messages=picture),
    ]

    assert choose(enough()) == choose([*odd, *enough()])


def test_a_case_without_a_system_message_gets_one_without_a_date() -> None:
    """Else every server would put its own there, and prompts would differ."""
    assert {SYSTEM} == {each.system for each in choose(enough()).short}


def test_the_brief_are_among_all() -> None:
    """A slow server is asked nothing that the others are not."""
    said = choose(enough())

    assert said.short[:BRIEF] == said.brief.short
    assert said.deep[0].said[:BRIEF_TURNS] == said.brief.deep[0].said


def test_too_few_cases_are_refused() -> None:
    """Rather than measured on less than the report says."""
    with pytest.raises(ValueError, match="8 short, 0 deep"):
        choose(each for each in enough() if each["skill"] != "recall")
