"""The answer that is streamed has as many tokens as were asked for, and its marks in order."""

from __future__ import annotations

import re

import pytest

from tests.benchmarks.page.text import TOKEN_BYTES, answer_of


@pytest.mark.parametrize("tokens", [1, 250, 5_000])
def test_an_answer_has_so_many_tokens(tokens: int) -> None:
    """Of four bytes each, all ASCII."""
    answer = answer_of(tokens)

    assert answer.tokens == tokens
    assert len(answer.text.encode("ascii")) == tokens * TOKEN_BYTES


def test_marks_end_where_they_are_said_to() -> None:
    """Mark n is the n-th in the text, and nothing else looks like one."""
    answer = answer_of(5_000)
    found = [answer.text[:end].rpartition("m")[2] for end in answer.ends]

    assert found == [str(number) for number in range(len(answer.ends))]
    assert len(found) > 400


def test_a_shorter_answer_begins_a_longer_one() -> None:
    """So what is measured at 10,000 tokens is the same text."""
    assert answer_of(5_000).text.startswith(answer_of(1_000).text)


def test_every_kind_of_block_is_in_it() -> None:
    """Prose, lists, a table, code, a quotation and formulas."""
    text = answer_of(2_000).text
    kinds = (
        r"^## ",
        r"^- \w",
        r"^1\. ",
        r"^- \[x\]",
        r"^\| --- ",
        r"^```python",
        r"^> ",
        r"^\$\$$",
    )

    assert [kind for kind in kinds if not re.search(kind, text, re.MULTILINE)] == []
