"""Every error says what it is about and what to try, and knows its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import errors
from harness.errors import (
    HarnessError,
    LaunchFailed,
    ScenarioError,
    TargetNotReady,
    TargetUnreachable,
    TraceError,
    UnknownScenario,
    UnknownSuite,
)


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (UnknownScenario("x", ["a", "b"]), "unknown scenario 'x'; known: a, b", 2),
        (UnknownScenario("x", []), "unknown scenario 'x'; known: none", 2),
        (UnknownSuite("x", ["a"]), "unknown suite 'x'; known: a", 2),
        (ScenarioError(Path("s.toml"), "is no number", line=3, key="repeat"),
         "s.toml:3: repeat: is no number", 2),
        (ScenarioError(Path("s.toml"), "is empty"), "s.toml: is empty", 2),
        (TraceError(Path("t.jsonl"), "cut short", line=9), "t.jsonl:9: cut short", 2),
        (TargetUnreachable("http://h", "cannot connect"),
         "no answer from http://h (cannot connect); is the server running?", 3),
        (TargetNotReady("http://h", "503"), "http://h is not ready: it answered 503", 3),
        (LaunchFailed(["a", "b"], "it ended"), "could not start a b: it ended", 3),
        (LaunchFailed(["a"], "it ended", "last words"), "could not start a: it ended\nlast words",
         3),
    ],
)  # fmt: skip
def test_the_message_names_the_thing_and_the_code_is_the_shells(
    error: HarnessError, said: str, code: int
) -> None:
    """str() is for a person, exit_code for the shell."""
    assert (str(error), error.exit_code) == (said, code)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """Every class that is drawn exists, every class that exists is drawn."""
    drawn = {
        word
        for line in str(errors.__doc__).splitlines()
        if "──" in line or line.strip().startswith("HarnessError")
        for word in line.replace("─", " ").split()
        if word in errors.__all__
    }

    assert drawn == set(errors.__all__)


def test_a_drawn_exit_code_is_the_classes_own() -> None:
    """The column beside the tree tells what the shell gets."""
    for line in str(errors.__doc__).splitlines():
        words = line.replace("├", " ").replace("└", " ").replace("│", " ").replace("─", " ").split()
        if len(words) > 1 and words[0] in errors.__all__ and words[1].isdigit():
            assert getattr(errors, words[0]).exit_code == int(words[1])
