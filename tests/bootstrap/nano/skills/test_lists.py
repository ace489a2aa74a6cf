"""Lists: what is asked is read from the question and done again."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from bootstrap.nano.skills.lists import list_drill, lists

if TYPE_CHECKING:
    from collections.abc import Callable

    from bootstrap.nano.replies import Exchange

_LAYOUT = re.compile(
    r"(?: as a (comma|numbered|bullet) list|, (separated by commas|with commas|one per line"
    r"|each on a line of its own))$"
)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}

# what an item must be, by a pattern of the request: (item, first group, second group) -> kept
_CONDITIONS: tuple[tuple[str, Callable[[str, str, str], bool]], ...] = (
    (r"with more than (\d+) letters|that have more than (\d+) letters",
     lambda w, a, b: len(w) > int(a or b)),
    (r"(?:fewer|less|shorter) than (\d+) letters", lambda w, a, _: len(w) < int(a)),
    (r"(?:with|have)(?: exactly)? (\d+) letters", lambda w, a, _: len(w) == int(a)),
    (r"(?:above|over|greater than|larger than|bigger than|more than) (\d+)$",
     lambda n, a, _: int(n) > int(a)),
    (r"(?:below|under|less than|smaller than) (\d+)$", lambda n, a, _: int(n) < int(a)),
    (r"(?:from|between) (\d+) (?:to|and) (\d+)$", lambda n, a, b: int(a) <= int(n) <= int(b)),
    (r"(?:divided by|divisible by) (\d+)|that (\d+) divides",
     lambda n, a, b: int(n) % int(a or b) == 0),
    (r"(?:with|have) (\d+) digits", lambda n, a, _: len(n) == int(a)),
    (r"\beven\b", lambda n, *_: int(n) % 2 == 0),
    (r"\bodd\b", lambda n, *_: int(n) % 2 == 1),
    (r"(?:that begin with|that start with|beginning with|starting with) (\S+)",
     lambda w, a, _: w.startswith(a)),
    (r"(?:end in|end with|ending in) (\S+)", lambda w, a, _: w.endswith(a)),
    (r"(?:with the letter|that contain|containing) (\S+)", lambda w, a, _: a in w.lower()),
)  # fmt: skip


def parts(exchange: Exchange) -> tuple[str, list[str], str]:
    """The request without its layout, the items, and the layout that is asked for."""
    user = exchange.user
    if "\n" in user:
        request, *lines = user.split("\n")
        items = [line.removeprefix("- ").removeprefix("* ") for line in lines]
    elif ": " in user:
        request, _, listed = user.rpartition(": ")
        items = re.split(r",? ", listed.rstrip("?"))
    else:
        listed, _, request = user.partition(". ")
        items = listed.split(", ")
    request = request.rstrip(":.?")
    layout = _LAYOUT.search(request)
    return _LAYOUT.sub("", request), items, (layout[1] or layout[2]) if layout else ""


def reordered(request: str, items: list[str]) -> list[str] | None:
    """The items sorted, reversed, cut or without repeats, if that is what is asked."""
    if re.search(r"^(Sort|Order|Arrange|Put|Bring)(?!.*reverse order)", request):
        down = re.search(
            r"large to small|descending|largest to|falling|biggest to|high to low|long to short"
            r"|longest|z to a|reverse|backwards", request
        )  # fmt: skip
        key: Callable[[str], object] = str.lower
        if items[0].isdigit():
            key = int
        elif re.search(r"length|short|long|number of letters", request):
            key = len
        if "shortest first" in request or "from the shortest" in request:
            down = None
        return sorted(items, key=key, reverse=bool(down))  # type: ignore[arg-type]
    if re.search(r"duplicates|repeats|only once|unique", request):
        return list(dict.fromkeys(items))
    if match := re.search(r"(first|last) (\d|one|two|three|four|five)", request):
        n = _COUNTS.get(match[2]) or int(match[2])
        return items[:n] if match[1] == "first" else items[-n:]
    if re.search(r"[Rr]everse|Turn around|backwards|from the last to the first", request):
        return items[::-1]
    return None


def filtered(request: str, items: list[str]) -> list[str] | None:
    """The items that meet the condition of the request, if it has one."""
    request = re.sub(r" (are there|are in this list|do you see)$", "", request)
    for pattern, test in _CONDITIONS:
        if match := re.search(pattern, request):
            first, second = (*(group or "" for group in match.groups()), "", "")[:2]
            return [item for item in items if test(item, first, second)]
    return None


def extreme(request: str, items: list[str]) -> str | None:
    """The sentence about the largest number or the longest word, if that is what is asked."""
    match = re.search(r"(?:(second|third) )?(largest|biggest|highest|smallest|lowest)", request)
    if match and not re.search(r"^(Sort|Order|Arrange|Put|Bring)|than", request):
        down = match[2] in {"largest", "biggest", "highest"}
        place = {"second": 1, "third": 2}.get(match[1] or "", 0)
        return f"The {match[0]} number is {sorted(map(int, items), reverse=down)[place]}."
    match = re.search(r"(longest|shortest) (word|of)|word is the (longest|shortest)", request)
    if match and not re.search(r"^(Sort|Order|Arrange|Put|Bring)", request):
        name = match[1] or match[3]
        return f"The {name} word is {(max if name == 'longest' else min)(items, key=len)}."
    return None


def expected(exchange: Exchange) -> str:
    """The right answer, from the question alone."""
    request, items, layout = parts(exchange)
    if best := extreme(request, items):
        return best
    count = request.startswith(("How many", "Count"))
    result = None if count else reordered(request, items)
    if result is None:
        result = filtered(request, items)
    assert result is not None, request
    if count:
        return f"The count is {len(result)}."
    if not result:
        return "There are none."
    if layout == "numbered":
        return "\n".join(f"{k}. {item}" for k, item in enumerate(result, 1))
    if layout == "bullet":
        return "\n".join(f"- {item}" for item in result)
    return ("\n" if "line" in layout else ", ").join(result)


def test_lists_are_done_as_they_are_asked() -> None:
    """Whatever the wording, the form of the list and the layout of the answer."""
    for seed in range(6000):
        exchange = lists(Random(seed))
        assert expected(exchange) == exchange.reply.answer, exchange.user


def test_every_item_is_looked_at_when_a_list_is_filtered() -> None:
    """The thought judges each item once, in the order of the list."""
    judged = 0
    for seed in range(2000):
        exchange = lists(Random(seed))
        thought = exchange.reply.thoughts[0]
        entries = thought.rstrip(".").split(", ")
        if not all(re.search(r" (no|yes|yes \d+)$", entry) for entry in entries):
            continue
        judged += 1
        seen = [entry.split(" ")[0] for entry in entries]
        assert seen == parts(exchange)[1]

    assert judged > 500


def test_lists_come_in_several_forms() -> None:
    """On a line with commas or spaces, on lines, with bullets, before or after the request."""
    users = [lists(Random(seed)).user for seed in range(500)]

    assert any("\n- " in user for user in users)
    assert any(re.search(r"\n\w+\n\w", user) for user in users)
    assert any(re.match(r"[\w, ]+\. [A-Z]", user) for user in users)
    assert any(re.search(r": \w+ \w+ \w+$", user) for user in users)


def test_a_drill_is_done_as_it_is_asked() -> None:
    """Drills are lists like others."""
    for seed in range(3000):
        exchange = list_drill(Random(seed))
        assert expected(exchange) == exchange.reply.answer, exchange.user


def test_letters_that_decide_are_looked_at() -> None:
    """The last one, the first one, or all of them, before the verdict."""
    looked = 0
    for seed in range(2000):
        exchange = list_drill(Random(seed))
        thought = exchange.reply.thoughts[0]
        request = parts(exchange)[0]
        if re.search(r"(end in|end with|ending in) [a-z]", request):
            looked += 1
            assert all(
                word[-1] == letter for word, letter in re.findall(r"(\S+) (\S) (?:yes|no)", thought)
            )
        elif re.search(r"with the letter|contain", request):
            looked += 1
            for word, letters in re.findall(r"(\S+) ((?:\S )+)(?:yes|no)", thought):
                assert word.lower() == letters.replace(" ", "")
    assert looked > 100
