"""Claims about where a key of a TOML text is said to stand."""

from __future__ import annotations

import pytest

from harness.toml_lines import line_of

TEXT = '''\
# a comment = 1
name = "x"

[slots]
who = { from = "people" }

[slots.nonce]
digits = 6

[[turn]]
user = """
name = "not a key"
[[turn]]
"""

[[turn]]
user = "second"
[turn.expect]
contains = ["a"]

[[leg]]
name = "warm"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("slots", "who"), 5),
        (("slots", "nonce", "digits"), 8),
        (("turn", 0, "user"), 11),
        (("turn", 1, "user"), 17),
        (("turn", 1, "expect", "contains"), 19),
        (("leg", 0, "name"), 22),
    ],
)
def test_a_key_is_found_on_its_line(path: tuple[str | int, ...], line: int) -> None:
    """Tables, arrays of tables and keys are counted; what stands inside a text is not."""
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("slots", "who", "from"), 5),
        (("turn", 1, "expect", "contains", 0), 19),
        (("turn", 1, "expect", "missing"), 18),
    ],
)
def test_a_part_without_a_line_is_found_by_its_parent(
    path: tuple[str | int, ...], line: int
) -> None:
    """Inline tables, array items and missing keys lead to the nearest line above them."""
    assert line_of(TEXT, path) == line


def test_nothing_is_found_for_a_key_at_the_top_that_is_missing() -> None:
    """A file has no line for what it does not say at all."""
    assert line_of(TEXT, ("question",)) is None
