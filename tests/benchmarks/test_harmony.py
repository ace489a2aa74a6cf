"""What does it cost to split a character into its channel?

Every piece of text that a worker sends goes through `HarmonySplitter`, so its cost is part of the
server's tax on each token. A piece of a few characters is what streams bring; one piece is what a
buffered reply could be.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from playground.events import Call
from playground.harmony import HarmonySplitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_benchmark.fixture import BenchmarkFixture

PIECE = 5
"""Characters of a usual token."""

SENTENCE = "The quick brown fox, to be sure, jumps if a < b and never says goto=x. "
TURNS = {
    "addressed": " to=self<|message|>{}<|eom|><|start|>assistant to=user<|message|>{}<|eot|>",
    "plain": "{}{}",
    "many-messages": " to=user<|message|>{}"
    + "<|eom|><|start|>assistant to=self<|message|>a" * 200,
}


def turn(kind: str, sentences: int = 200) -> str:
    """A turn of about 28 thousand characters, or of as many sentences as asked for."""
    text = SENTENCE * sentences
    return TURNS[kind].replace("{}", text)


def pieces_of(text: str, size: int) -> list[str]:
    """The text in pieces of one size."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def split(pieces: Sequence[str]) -> int:
    """How many characters are shown of a turn."""
    splitter = HarmonySplitter()
    events = [event for piece in pieces for event in splitter.feed(piece)]
    events += splitter.flush()
    return sum(len(event.text) for event in events if not isinstance(event, Call))


@pytest.mark.parametrize("size", [PIECE, 1 << 20], ids=["streamed", "whole"])
@pytest.mark.parametrize("kind", TURNS)
def test_a_character_is_split_in_nanoseconds(
    benchmark: BenchmarkFixture, kind: str, size: int
) -> None:
    """A long turn is split, streamed or whole; the time a character and a piece is reported."""
    text = turn(kind)
    pieces = pieces_of(text, size)

    shown = benchmark(split, pieces)

    assert shown >= SENTENCE.count("") * 100
    if benchmark.stats is not None:  # None when benchmarks are disabled
        median_s = benchmark.stats["median"]
        benchmark.extra_info["ns per character"] = median_s / len(text) * 1e9
        benchmark.extra_info["µs per piece"] = median_s / len(pieces) * 1e6


@pytest.mark.parametrize("size", [PIECE, 1 << 20], ids=["streamed", "whole"])
@pytest.mark.parametrize("kind", TURNS)
def test_the_cost_of_a_turn_grows_with_its_length_and_no_faster(kind: str, size: int) -> None:
    """Eight times the text takes less than twenty times the time: no rescanning from the start."""

    def fastest_s(sentences: int) -> float:
        pieces = pieces_of(turn(kind, sentences), size)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            split(pieces)
            times.append(time.perf_counter() - start)
        return min(times)

    assert fastest_s(1600) < 20 * fastest_s(200)
