"""Does every failure of a stage say what to do?"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAILURES = {"StageFailed", "FetchFailed"}
FILES = [
    path
    for path in sorted((ROOT / "bootstrap").rglob("*.py"))
    if "nano" not in path.relative_to(ROOT).parts
]


def without_a_hint(source: str) -> list[int]:
    """The lines where a failure is made that says nothing of what to do."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FAILURES
        and not any(
            word.arg == "hint"
            and not (isinstance(word.value, ast.Constant) and not word.value.value)
            for word in node.keywords
        )
    ]


def test_one_without_is_found() -> None:
    """Left out, or left empty."""
    text = "StageFailed('a', 'b')\nStageFailed('a', 'b', hint='')\nFetchFailed('c', hint='d')\n"

    assert without_a_hint(text) == [1, 2]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_failure_says_what_to_do(path: Path) -> None:
    """Whoever meets it is at a loss otherwise."""
    assert without_a_hint(path.read_text(encoding="utf-8")) == []
