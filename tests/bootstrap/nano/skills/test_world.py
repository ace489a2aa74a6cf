"""World facts: the table is asked in full, both ways, and nothing else is claimed."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bootstrap.nano.skills import world_table as table
from bootstrap.nano.skills.world import RELATIONS, UNKNOWN, Relation, world

relations = pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.wants)


@relations
def test_a_table_says_one_thing_of_each_entry(relation: Relation) -> None:
    """No left side stands twice, none is empty."""
    left = Counter(a for a, _ in relation.rows)

    assert [a for a, times in left.items() if times > 1] == []
    assert all(a and b for a, b in relation.rows)


@relations
def test_a_fact_is_asked_in_several_ways(relation: Relation) -> None:
    """At least four wordings, each naming the left side and not giving the right one away."""
    assert len(relation.asked) >= 4
    assert all("{a}" in asked and "{b}" not in asked for asked in relation.asked)
    assert all("{b}" in asked and "{a}" not in asked for asked in relation.back)


def test_a_few_hundred_entries_are_known() -> None:
    """More than a hundred capitals, and more than five hundred facts in all."""
    assert len(table.CAPITALS) > 100
    assert sum(len(relation.rows) for relation in RELATIONS) > 500


def test_every_entry_is_drawn() -> None:
    """Training can see the whole table: each fact is asked for in some draw."""
    answers = {world(Random(seed)).reply.thoughts[0] for seed in range(30_000)}

    missing = [
        (a, b)
        for relation in RELATIONS
        for a, b in relation.rows
        if f"{a}, {relation.wants.partition(' ')[2]}: {b}." not in answers
    ]

    assert missing == []


def test_known_answers_restate_a_row_of_their_table() -> None:
    """An answer that is not a refusal holds both sides of the fact that was looked up."""
    known = 0
    for seed in range(4000):
        reply = world(Random(seed)).reply
        if reply.answer == UNKNOWN:
            continue
        known += 1
        left, _, right = reply.thoughts[0].rstrip(".").rpartition(": ")
        for side in (left.rpartition(", ")[0], right):
            assert side.lower() in reply.answer.lower()

    assert known > 3000


def test_what_no_table_holds_is_not_made_up() -> None:
    """An eighth of the questions has no answer in the tables, and gets none."""
    asked = [world(Random(seed)) for seed in range(4000)]
    refused = [one for one in asked if one.reply.answer == UNKNOWN]

    assert 300 < len(refused) < 700
    assert {one.reply.value for one in refused} == {"do not know"}


@pytest.mark.parametrize(
    ("left", "right", "rows"),
    [
        ("Australia", "Canberra", table.CAPITALS), ("Kenya", "Africa", table.CONTINENTS),
        ("gold", "Au 79", table.ELEMENTS), ("Mars", "fourth", table.PLANETS),
        ("mouse", "mice", table.PLURALS), ("spider", "8", table.LEGS),
        ("octagon", "8", table.SIDES), ("Brazil", "Portuguese", table.LANGUAGES),
    ],
)  # fmt: skip
def test_the_tables_agree_with_the_world(
    left: str, right: str, rows: tuple[tuple[str, str], ...]
) -> None:
    """Spot checks of facts that anyone can look up."""
    assert dict(rows)[left] == right


def test_the_elements_are_in_the_order_of_their_numbers() -> None:
    """Atomic numbers rise, and no symbol stands twice."""
    numbers = [int(right.split()[1]) for _, right in table.ELEMENTS]
    symbols = {right.split()[0] for _, right in table.ELEMENTS}

    assert numbers == sorted(set(numbers))
    assert len(symbols) == len(table.ELEMENTS)


def test_every_country_on_a_continent_has_a_capital() -> None:
    """The tables name countries alike."""
    lands = {land for land, _ in table.CAPITALS}

    for rows in (table.CONTINENTS, table.CURRENCIES, table.LANGUAGES):
        assert {land for land, _ in rows} <= lands
