"""Reasoning is counted in tokens of message bodies to self, and nothing else."""

from __future__ import annotations

import pytest

from playground.thinking import thinking_tokens
from playground.tokens import ScriptedTokenizer

TOKENIZER = ScriptedTokenizer()


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (" to=self<|message|>hmm<|eom|><|start|>assistant to=user<|message|>Hello", 3),
        (" to=self<|message|>hm<|eom|><|start|>assistant to=self<|message|>m<|eom|>", 3),
        (" to=self<|message|>hm<|start|>assistant to=user<|message|>Hello", 2),
        (" to=self<|message|>hm<|patch|>m", 3),
        (" to=self<|message|>cut off", 7),
        (" to=self<|message|>hm<|eot|>after", 2),
        ("assistant to=user<|message|>Hello", 0),
        (" to=self.notes<|message|>visible", 0),
        ("plain text", 0),
        ("", 0),
    ],
)
def test_ids_are_counted_by_channel(turn: str, expected: int) -> None:
    """With one token a byte, the count is the length of what the model said to itself."""
    ids = TOKENIZER.encode_prompt(turn)

    assert thinking_tokens(ids, "not looked at", TOKENIZER) == expected


def test_without_ids_the_reasoning_text_is_tokenised_again() -> None:
    """A cancelled turn has no ids to vouch for, but its reasoning was seen."""
    assert thinking_tokens(None, "hmm", TOKENIZER) == 3
