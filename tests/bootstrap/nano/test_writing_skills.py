"""Stories, code, Markdown, reading: the form that was asked for, checked by other means."""

from __future__ import annotations

import csv
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from bootstrap.nano.skills.catalogue import other
from bootstrap.nano.skills.code import TASKS, code, written
from bootstrap.nano.skills.markdown import markdown
from bootstrap.nano.skills.reading import NOT_SAID, reading
from bootstrap.nano.skills.refusals import REFUSALS, refusals
from bootstrap.nano.skills.stories import PLOTS, stories, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bootstrap.nano.replies import Exchange

WRITERS = (stories, code, markdown, reading, refusals)
COUNTED = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
           "seven": 7, "eight": 8}  # fmt: skip


def drawn(skill: Callable[[Random], Exchange], size: int = 1500) -> Iterator[Exchange]:
    """Draw exchanges of a skill."""
    return (skill(Random(seed)) for seed in range(size))


@pytest.mark.parametrize("skill", WRITERS)
def test_a_pattern_matches_the_answer_beside_it(skill: Callable[[Random], Exchange]) -> None:
    """Every reply can be judged: by a value it contains, or a pattern it matches."""
    for exchange in drawn(skill):
        reply = exchange.reply
        assert reply.value or reply.pattern
        assert reply.value in reply.answer
        assert re.search(reply.pattern, reply.answer), exchange.user


def test_the_same_message_has_the_same_answer() -> None:
    """Whatever skill a message comes from, what is right follows from its words."""
    answers: dict[str, set[str]] = {}
    for exchange in drawn(other, 12_000):
        answers.setdefault(exchange.user, set()).add(exchange.reply.answer)

    assert [user for user, said in answers.items() if len(said) > 1] == []


def test_a_story_has_as_many_sentences_as_asked_for() -> None:
    """Counted by full stops."""
    checked = 0
    for exchange in drawn(stories):
        asked = re.search(r"(\w+)(?: short)? sentences?\b", exchange.user)
        if asked and asked[1] != "few":
            expected = COUNTED.get(asked[1]) or int(asked[1])
            assert expected == len(re.findall(r"[.!?](?:\s|$)", exchange.reply.answer))
            checked += 1

    assert checked > 500


def test_a_story_keeps_within_the_words_asked_for() -> None:
    """At most is a limit; about allows three in ten more or less."""
    checked = 0
    for exchange in drawn(stories):
        asked = re.search(r"(\d+) words", exchange.user)
        if asked is None:
            continue
        words, wanted = len(exchange.reply.answer.split()), int(asked[1])
        limit = re.search(r"at most|no more|under|fewer|less", exchange.user)
        assert words <= wanted if limit else 0.7 * wanted <= words <= 1.3 * wanted
        checked += 1

    assert checked > 200


def test_a_story_of_another_length_does_not_pass() -> None:
    """The pattern refuses a sentence more and a sentence less."""
    refused = 0
    for exchange in drawn(stories):
        if "sentence" in exchange.user and "few" not in exchange.user:
            pattern, answer = exchange.reply.pattern, exchange.reply.answer
            assert not re.search(pattern, f"{answer} That is all.")
            assert not re.search(pattern, answer.rpartition(". ")[0])
            refused += 1

    assert refused > 500


@pytest.mark.parametrize("about", PLOTS)
def test_every_plot_names_whom_it_is_about(about: str) -> None:
    """From the shortest story on, it is about the ones that were named."""
    for letter in "abcdefghij":
        hero, it = f"{letter}mila".capitalize(), f"the {letter}lantern"
        for sentences in range(2, 9):
            told = tell(about, hero, it, sentences).lower()
            assert about == "described" or hero.lower() in told
            assert about == "hero" or it in told


# For each task: arguments and what Python itself makes of them.
RUNS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "add": ((2, 3), 5), "subtract": ((2, 3), -1), "multiply": ((4, 3), 12),
    "divide": ((7, 2), 3.5), "remainder": ((7, 3), 1), "square": ((9,), 81), "cube": ((3,), 27),
    "double": ((21,), 42), "halve": ((5,), 2.5), "power": ((2, 10), 1024),
    "factorial": ((5,), 120), "fibonacci": ((10,), 55), "is_prime": ((91,), False),
    "is_even": ((4,), True), "is_odd": ((4,), False), "is_positive": ((-1,), False),
    "is_divisible": ((9, 3), True), "absolute": ((-4,), 4), "larger": ((3, 8), 8),
    "smaller": ((3, 8), 3), "gcd": ((48, 18), 6), "lcm": ((4, 6), 12), "digit_sum": ((472,), 13),
    "count_digits": ((4720,), 4),
    "divisors": ((12,), [1, 2, 3, 4, 6, 12]), "sum_to": ((100,), 5050),
    "countdown": ((3,), [3, 2, 1, 0]), "swap": ((1, 2), (2, 1)), "clamp": ((15, 0, 10), 10),
    "reverse": (("abc",), "cba"), "is_palindrome": (("level",), True),
    "count_vowels": (("Education",), 5), "remove_vowels": (("lantern",), "lntrn"),
    "count_words": (("a b c",), 3), "longest_word": (("a bbb cc",), "bbb"),
    "word_count": (("a b a",), {"a": 2, "b": 1}), "count_letter": (("banana", "a"), 3),
    "to_upper": (("ab",), "AB"), "to_lower": (("AB",), "ab"),
    "capitalise": (("green lantern",), "Green Lantern"), "remove_spaces": (("a b c",), "abc"),
    "repeat": (("ab", 3), "ababab"), "join_words": ((["a", "b"],), "a, b"),
    "split_commas": (("a,b",), ["a", "b"]), "are_anagrams": (("listen", "silent"), True),
    "greet": (("Mila",), "Hello, Mila!"), "first_letter": (("kite",), "k"),
    "total": (([1, 2, 3],), 6), "product": (([2, 3, 4],), 24), "average": (([1, 2],), 1.5),
    "median": (([5, 1, 3, 2],), 2.5), "maximum": (([3, 9, 2],), 9), "minimum": (([3, 9, 2],), 2),
    "sort_list": (([3, 1, 2],), [1, 2, 3]), "sort_down": (([3, 1, 2],), [3, 2, 1]),
    "reverse_list": (([1, 2],), [2, 1]), "unique": (([1, 2, 1],), [1, 2]),
    "flatten": (([[1], [2, 3]],), [1, 2, 3]), "keep_even": (([1, 2, 4],), [2, 4]),
    "keep_odd": (([1, 2, 3],), [1, 3]), "squares": (([1, 2, 3],), [1, 4, 9]),
    "second_largest": (([4, 9, 9, 7],), 7), "count_item": (([1, 2, 1], 1), 2),
    "contains": (([1, 2], 3), False), "common": (([1, 2, 3], [2, 3, 4]), [2, 3]),
    "merge": (({"a": 1}, {"b": 2}), {"a": 1, "b": 2}), "last": (([1, 2],), 2),
    "to_fahrenheit": ((100,), 212), "to_celsius": ((212,), 100), "to_miles": ((1.609344,), 1),
    "to_minutes": ((2,), 120), "rectangle_area": ((3, 4), 12), "perimeter": ((3, 4), 14),
    "circle_area": ((2,), 12.56636), "is_leap_year": ((1900,), False),
    "to_binary": ((10,), "1010"), "from_binary": (("1010",), 10), "fizz_buzz": ((30,), "FizzBuzz"),
}  # fmt: skip
MORE = {"is_prime": ((97,), True), "median": (([5, 1, 3],), 3), "is_leap_year": ((2024,), True),
        "fizz_buzz": ((7,), "7"), "clamp": ((-5, 0, 10), 0), "absolute": ((4,), 4)}  # fmt: skip


def test_every_task_is_run() -> None:
    """The table of results leaves no task out."""
    assert sorted(RUNS) == sorted(task.name for task in TASKS)


def test_every_function_that_is_written_runs_and_is_right() -> None:
    """Each answer, under whatever names, is executed alone and gives what is expected."""
    by_purpose = {task.does: task for task in TASKS}
    ran = set()
    for exchange in drawn(code, 4000):
        fenced = re.fullmatch(r"```python\n(.*)\n```", exchange.reply.answer, re.DOTALL)
        assert fenced is not None
        purpose = next(
            does for does in by_purpose if f"function to {does}." in exchange.reply.thoughts[3]
        )
        name = by_purpose[purpose].name
        space: dict[str, Any] = {}
        exec(fenced[1], space)
        (function,) = (value for key, value in space.items() if key != "__builtins__")
        for table in (RUNS, MORE):
            if name in table:
                arguments, expected = table[name]
                assert function(*arguments) == pytest.approx(expected)
        ran.add(name)

    assert ran == set(RUNS)


def test_names_hints_and_docstrings_are_those_asked_for() -> None:
    """A name that the user gives is used; hints and docstrings come when asked for alone."""
    for exchange in drawn(code):
        user, answer = exchange.user, exchange.reply.answer
        name = re.search(r"def (\w+)\(", answer)
        assert name is not None
        given = re.search(r"(?:Call it|called|named|name it) ([a-z_]+)", user)
        if given:
            assert given[1] == name[1]
        plain = "No docstring" in user or "Without type hints" in user
        assert ('"""' in answer) == ("ocstring" in user and not plain)
        assert ("->" in answer) == ("type hints" in user and not plain)


def test_a_function_takes_the_names_it_is_given() -> None:
    """The names stand in the head and in the body."""
    add = next(task for task in TASKS if task.name == "add")

    source = written(add, "plus", ("p", "q"), hints=True, doc=True)

    assert source == (
        'def plus(p: int, q: int) -> int:\n    """Add two numbers."""\n    return p + q'
    )


def test_a_table_has_the_cells_of_the_request() -> None:
    """Read back cell by cell, a table made of CSV is that CSV."""
    tables = [
        e for e in drawn(markdown, 4000) if "CSV" in e.user and e.reply.answer.startswith("|")
    ]

    assert len(tables) > 100
    for exchange in tables:
        lines = exchange.reply.answer.split("\n")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        given = exchange.user.split("\n")
        assert cells[1] == ["---"] * len(cells[0])
        assert [cells[0], *cells[2:]] == list(csv.reader(given[-len(cells) + 1 :]))


def test_a_list_has_the_items_of_the_request() -> None:
    """Items stand in their order, none added and none lost."""
    lists = [e for e in drawn(markdown, 4000) if re.match(r"(- |1\. )\w", e.reply.answer)]

    assert len(lists) > 300
    for exchange in lists:
        items = re.findall(r"(?m)^ *(?:- (?:\[.\] )?|\d+\. )(.*)$", exchange.reply.answer)
        at = [exchange.user.find(item) for item in items]
        assert -1 not in at
        numbers = re.findall(r"(?m)^(\d+)\. ", exchange.reply.answer)
        assert numbers == [str(k) for k in range(1, len(numbers) + 1)]


def test_what_is_read_stands_in_the_text_and_nothing_else_does() -> None:
    """A quoted sentence is in the prompt; without one there is no answer."""
    said = unsaid = 0
    for exchange in drawn(reading, 3000):
        low = exchange.reply.thoughts[0]
        for sentence in re.findall(r'"([^"]+)"', low):
            assert sentence in exchange.user
            said += 1
        if low.startswith("The text says nothing about") and low.count("The text says") == 1:
            assert exchange.reply.answer == NOT_SAID
            unsaid += 1

    assert said > 1500
    assert unsaid > 200


def test_every_refusal_says_plainly_that_it_cannot() -> None:
    """Each topic's answer has a no in it, and says nothing of the words that it was asked with."""
    for topic, _, phrases, answer in REFUSALS:
        assert len(phrases.split("|")) >= 8, topic
        assert re.search(r"cannot|no |not |too (?:small|large)", answer), topic
        assert "{" not in answer, topic
