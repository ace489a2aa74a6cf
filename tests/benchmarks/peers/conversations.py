"""What is said to every server: held-out cases of the harness, short ones and deep ones.

Short: the first case of each skill that is a single message: a prompt of under two hundred tokens
and an answer of all kinds. Deep: a case of a thousand tokens of notes, and then, in the same
conversation, questions of other skills: the depth at which a chat with notes is decoded.
All of them are asked at one reasoning strength each, which the case names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Conversation", "Conversations", "choose", "read_conversations"]

SYSTEM = "You are a helpful AI assistant."
SHORT_CHARACTERS = 500
DEEP_CHARACTERS = (2_700, 4_200)
DEEP_SKILLS = ("recall", "noting and confirming")
DEEP = 3
FOLLOW_UPS = 2
BRIEF, BRIEF_TURNS = 3, 2


@dataclass(frozen=True, slots=True)
class Conversation:
    """The user's side of one conversation, in order."""

    name: str
    system: str
    strength: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversations:
    """What one visit says."""

    short: tuple[Conversation, ...]
    deep: tuple[Conversation, ...]

    @property
    def brief(self) -> Conversations:
        """A few of them."""
        return Conversations(
            self.short[:BRIEF],
            tuple(replace(each, said=each.said[:BRIEF_TURNS]) for each in self.deep[:1]),
        )


def read_conversations(path: Path) -> Conversations:
    """Those of a file of cases, one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        return choose(json.loads(line) for line in lines)


def choose(cases: Iterable[Mapping[str, Any]]) -> Conversations:
    """The same choice from the same cases, always.

    Raises:
        ValueError: the cases are too few or of other lengths.
    """
    plain = [case for case in cases if _is_one_text(case)]
    firsts, seconds = _by_skill(plain, 0), _by_skill(plain, 1)
    deep = [case for case in plain if case["skill"] in DEEP_SKILLS and _is_deep(case)][:DEEP]
    if not firsts or len(deep) < DEEP or len(seconds) < DEEP * FOLLOW_UPS:
        raise ValueError(
            f"the cases hold {len(firsts)} short, {len(deep)} deep and {len(seconds)} follow-ups"
        )
    # The longest questions have the longest answers, more or less, and decode is timed on those.
    asked = [case["messages"][0]["content"] for case in sorted(seconds, key=_length, reverse=True)]
    return Conversations(
        tuple(_conversation(case) for case in firsts),
        tuple(
            _conversation(case, tuple(asked[number * FOLLOW_UPS : (number + 1) * FOLLOW_UPS]))
            for number, case in enumerate(deep)
        ),
    )


def _is_one_text(case: Mapping[str, Any]) -> bool:
    """Whether it is a single message of text, without functions to call."""
    messages = case["messages"]
    return len(messages) == 1 and isinstance(messages[0]["content"], str) and not case.get("tools")


def _by_skill(cases: Iterable[Mapping[str, Any]], number: int) -> list[Mapping[str, Any]]:
    """The short case of this number, from 0, of each skill that has as many."""
    skills: dict[str, list[Mapping[str, Any]]] = {}
    for case in cases:
        if _length(case) < SHORT_CHARACTERS:
            skills.setdefault(case["skill"], []).append(case)
    return list(_numbered(skills.values(), number))


def _numbered(
    groups: Iterable[list[Mapping[str, Any]]], number: int
) -> Iterator[Mapping[str, Any]]:
    return (group[number] for group in groups if len(group) > number)


def _is_deep(case: Mapping[str, Any]) -> bool:
    return DEEP_CHARACTERS[0] <= _length(case) <= DEEP_CHARACTERS[1]


def _length(case: Mapping[str, Any]) -> int:
    return len(case["messages"][0]["content"])


def _conversation(case: Mapping[str, Any], more: tuple[str, ...] = ()) -> Conversation:
    return Conversation(
        name=case["id"],
        system=case["system"] or SYSTEM,
        strength=case["strength"],
        said=(case["messages"][0]["content"], *more),
    )
