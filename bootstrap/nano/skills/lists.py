"""How are lists ordered, filtered and counted?

A list of numbers or words comes as commas, lines or bullets. A task keeps some items, in their
order, or puts them in another. The thought looks at every item in turn, and at its letters where
those decide; the answer is a comma list, or one item a line, plain or numbered, where that is asked
for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import NAMES, TOWNS, WORDS, made_up
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["SKILL", "list_drill", "lists"]

SKILL = "lists"


@dataclass(frozen=True, slots=True)
class _Task:
    """What to do with a list, how to ask for it, and how to think about it."""

    asked: tuple[str, ...]  # templates; the list follows
    aim: str  # `the numbers above 20`
    seen: tuple[str, ...]  # what the thought says of each item: `17 no`
    kept: tuple[str, ...]  # the result
    check: str
    then: str = ""  # what follows from them, before the result
    one: str = ""  # the sentence that gives the result, where it is one item or a count


def _numbers(rng: Random) -> list[int]:
    high = rng.choice((30, 100, 100, 100, 1000))
    return rng.sample(range(0 if high == 100 else 1, high), rng.randint(3, 6 if high > 100 else 8))


def _words(rng: Random, strange: float) -> list[str]:
    source = rng.choice((WORDS, WORDS, NAMES, TOWNS))
    words: list[str] = []
    size = rng.randint(4, 8)
    while len(words) < size:
        word = made_up(rng) if source is WORDS and rng.random() < strange else rng.choice(source)
        if word not in words:
            words.append(word)
    return words


def _said(items: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, items))


def _judged(items: Sequence[object], keep: Sequence[bool]) -> tuple[str, ...]:
    return tuple(
        f"{item} {'yes' if kept else 'no'}" for item, kept in zip(items, keep, strict=True)
    )


def _filtered_numbers(rng: Random, numbers: list[int]) -> _Task:
    limit = rng.choice(numbers) + rng.choice((0, 0, -1, 1, rng.randint(-9, 9)))
    limit = max(2, limit)
    low, high = sorted((max(1, limit - rng.randint(3, 40)), limit + rng.randint(3, 40)))
    step = rng.choice((5, 10))
    aim, word, test = rng.choice((
        (f"above {limit}", f"[above|over|greater than|larger than|bigger than|more than] {limit}",
         lambda n: n > limit),
        (f"below {limit}", f"[below|under|less than|smaller than] {limit}", lambda n: n < limit),
        ("that are even", "that are even", lambda n: n % 2 == 0),
        ("that are odd", "that are odd", lambda n: n % 2 == 1),
        (f"from {low} to {high}", f"[from {low} to {high}|between {low} and {high}]",
         lambda n: low <= n <= high),
        (f"that end in {limit % 10}", f"[that end in|ending in] {limit % 10}",
         lambda n: n % 10 == limit % 10),
        (f"that {step} divides", f"[that can be divided by|divisible by] {step}",
         lambda n: n % step == 0),
        (f"with {len(str(limit))} digits", f"[with|that have] {len(str(limit))} digits",
         lambda n: len(str(n)) == len(str(limit))),
    ))  # fmt: skip
    keep = [bool(test(n)) for n in numbers]
    kept = [n for n, k in zip(numbers, keep, strict=True) if k]
    even = aim.partition("that are ")[2]
    if even:
        asked = (f"Which [of these |]numbers are {even}", f"[Keep|List|Find] the {even} numbers",
                 f"[Give me|Show me] [only |all ]the {even} numbers")  # fmt: skip
    else:
        which = f"Which are the numbers {word}"
        if not word.startswith(("[that", "[with")):
            which = f"[Which|What] numbers [in this list |]are {word}"
        asked = (f"[Keep|List|Give me|Find|Show me|Pick] [only |][the|all] numbers {word}", which,
                 f"Filter [the|this] list for numbers {word}")  # fmt: skip
    what = f"the {even} numbers" if even else f"the numbers {aim}"
    seen, check = _judged(numbers, keep), "I looked at every number."
    return _Task(asked, what, seen, _said(kept), check)


def _filtered_words(rng: Random, words: list[str]) -> _Task:
    some = rng.choice(words)
    size, letter, last, inside = len(some), some[0], some[-1], rng.choice(some).lower()
    aim, word, test = rng.choice((
        (f"with {size} letters", f"[with|that have] [exactly |]{size} letters",
         lambda w: len(w) == size),
        (f"with more than {size - 1} letters", f"[with|that have] more than {size - 1} letters",
         lambda w: len(w) > size - 1),
        (f"with fewer than {size + 1} letters",
         f"[with fewer than|with less than|shorter than] {size + 1} letters",
         lambda w: len(w) < size + 1),
        (f"that begin with {letter}",
         f"[that begin with|that start with|beginning with|starting with] {letter}",
         lambda w: w[0] == letter),
        (f"that end in {last}", f"[that end in|that end with|ending in] {last}",
         lambda w: w[-1] == last),
        (f"with the letter {inside}", f"[with the letter|that contain|containing] {inside}",
         lambda w: inside in w.lower()),
    ))  # fmt: skip
    keep = [bool(test(w)) for w in words]
    shown: Callable[[str], str] = (
        (lambda w: str(len(w))) if "letters" in aim
        else (lambda w: w[0]) if "begin" in aim
        else (lambda w: w[-1]) if "end" in aim
        else (lambda w: " ".join(w.lower()))
    )  # fmt: skip
    seen = _judged([f"{w} {shown(w)}" for w in words], keep)
    return _Task(
        (f"[Keep|List|Give me|Find|Show me|Pick] [only |][the|all] words {word}",
         f"Which [of these |]words are the ones {word}", f"Which are the words {word}",
         f"Filter [the|this] list for words {word}"),
        f"the words {aim}", seen, tuple(w for w, k in zip(words, keep, strict=True) if k),
        "I looked at every word.",
    )  # fmt: skip


def _counted(rng: Random, items: list[int] | list[str]) -> _Task:
    """How many items meet a condition."""
    numbers = [item for item in items if isinstance(item, int)]
    words = [item for item in items if isinstance(item, str)]
    task = _filtered_numbers(rng, numbers) if numbers else _filtered_words(rng, words)
    tally, seen = 0, []
    for said in task.seen:
        tally += said.endswith(" yes")
        seen.append(f"{said} {tally}" if said.endswith(" yes") else said)
    what = task.aim.removeprefix("the ")
    return _Task(
        (f"How many {what} are there", f"How many {what} are in this list",
         f"Count {task.aim}", f"How many {what} do you see"),
        f"how many {what} there are", tuple(seen), (str(tally),), "I counted each one once.",
        one=f"The count is {tally}.",
    )  # fmt: skip


def _sorted_numbers(rng: Random, numbers: list[int]) -> _Task:
    down = rng.random() < 0.45
    kept = _said(sorted(numbers, reverse=down))
    order = "from large to small" if down else "from small to large"
    how = rng.choice(
        ("from large to small", "in descending order", "from the largest to the smallest",
         "in falling order", "from biggest to smallest", "from high to low")
        if down else
        ("from small to large", "in ascending order", "from the smallest to the largest",
         "in rising order", "from smallest to biggest", "from low to high", "by size")
    )  # fmt: skip
    seen = tuple(f"{place} {n}" for place, n in enumerate(kept, 1))
    return _Task(
        (f"[Sort|Order|Arrange] [these|the] numbers {how}", f"[Sort|Order] {how}",
         f"[Put|Bring] these numbers in order, {how}", f"[Sort|Order] this list {how}",
         *(() if down else ("Sort these numbers", "Put these numbers in order"))),
        f"the numbers {order}", seen, kept, f"There are {len(kept)} numbers, as before.",
    )  # fmt: skip


def _sorted_words(rng: Random, words: list[str]) -> _Task:
    """By length, where no two words are equally long, or by the alphabet."""
    plain: tuple[str, ...] = ()
    if rng.random() < 0.4:
        words[:] = list({len(word): word for word in words}.values())
        down = rng.random() < 0.4
        kept = tuple(sorted(words, key=len, reverse=down))
        how = rng.choice(
            ("from long to short", "by length, longest first", "from the longest to the shortest")
            if down else
            ("by length", "from short to long", "by length, shortest first", "by number of letters",
             "from the shortest to the longest")
        )  # fmt: skip
        seen = tuple(f"{word} {len(word)}" for word in words)
        order = ", ".join(str(len(word)) for word in kept)
        aim = "the words from long to short" if down else "the words from short to long"
    else:
        words[:] = list({word[0].lower(): word for word in words}.values())
        down = rng.random() < 0.25
        kept = tuple(sorted(words, key=str.lower, reverse=down))
        how = rng.choice(
            ("from z to a", "in reverse alphabetical order", "backwards through the alphabet")
            if down else
            ("alphabetically", "by the alphabet", "from a to z", "in alphabetical order")
        )  # fmt: skip
        seen = tuple(f"{word} {word[0].lower()}" for word in words)
        order = ", ".join(word[0].lower() for word in kept)
        plain = () if down else ("Sort these words", "Sort", "[Put|Bring] these words in order")
        aim = f"the words {'from z to a' if down else 'from a to z'}"
    return _Task(
        (f"[Sort|Order|Arrange] [these|the] words {how}", f"[Order|Arrange] {how}",
         f"[Put|Bring] these words in order[,|] {how}", f"[Sort|Order] this list {how}", *plain),
        aim, seen, kept, f"There are {len(kept)} words, as before.", f"In order: {order}.",
    )  # fmt: skip


def _extreme(rng: Random, items: list[int] | list[str]) -> _Task:
    """The largest, smallest or second of them; the longest or the shortest word."""
    numbers = [item for item in items if isinstance(item, int)]
    words = [item for item in items if isinstance(item, str)]
    if numbers:
        name, place, down = rng.choice((
            ("largest", 0, True), ("smallest", 0, False), ("second largest", 1, True),
            ("second smallest", 1, False), ("third largest", 2, True),
        ))  # fmt: skip
        ordered = sorted(numbers, reverse=down)
        value = str(ordered[place])
        end = rng.choice(("largest", "biggest", "highest") if down else ("smallest", "lowest"))
        name = word = name.replace("largest" if down else "smallest", end)
        seen = tuple(f"{k} {n}" for k, n in enumerate(ordered[: place + 1], 1))
        what, then = "number", ""
    else:
        words[:] = list({len(word): word for word in words}.values())
        items[:] = words  # type: ignore[assignment]
        name = rng.choice(("longest", "shortest"))
        value = (max if name == "longest" else min)(words, key=len)
        word, what = name, "word"
        seen = tuple(f"{w} {len(w)}" for w in words)
        then = f"The {'most' if name == 'longest' else 'fewest'}: {len(value)}."
    return _Task(
        (f"[What|Which] is the {word} {what}", f"[Find|Give me|Tell me|Name] the {word} {what}",
         f"[What|Which] {what} is the {word}", f"The {word} {what} [of|in] this list",
         f"What is the {word} of these {what}s", f"Which of these is the {word} {what}"),
        f"the {name} {what}", seen, (value,), f"I compared it with every other {what}.", then,
        one=f"The {name} {what} is {value}.",
    )  # fmt: skip


def _unique(rng: Random, items: list[int] | list[str]) -> _Task:
    """Repeats are dropped; the first of each stays."""
    doubled: list[int | str] = [*items]
    for item in rng.sample([*items], min(len(items), rng.randint(1, 3))):
        doubled.insert(rng.randint(0, len(doubled)), item)
    keep = [item not in doubled[:k] for k, item in enumerate(doubled)]
    items[:] = doubled  # type: ignore[assignment]
    seen = tuple(
        f"{item} {'new' if new else 'again'}" for item, new in zip(doubled, keep, strict=True)
    )
    return _Task(
        ("[Remove|Drop|Delete] the [duplicates|repeats]", "List each [item|one|entry] only once",
         "Keep only the unique [items|entries]", "Show this list without [duplicates|repeats]",
         "What is left without the duplicates"),
        "the list without repeats", seen,
        tuple(str(item) for item, new in zip(doubled, keep, strict=True) if new),
        "The first of each stays.",
    )  # fmt: skip


_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


def _taken(rng: Random, items: list[int] | list[str]) -> _Task:
    """The first or the last few."""
    n = rng.randint(2, min(5, len(items) - 1))
    last = rng.random() < 0.4
    kept = _said(items[-n:] if last else items[:n])
    seen = tuple(f"{item} {k}" for k, item in enumerate(items if last else kept, 1))
    end, out = ("last", len(items) - n) if last else ("first", 0)
    return _Task(
        (f"[Give me|List|Show me|Take] the {end} [{n}|{_COUNTS[n - 1]}] [items|entries]",
         f"[What|Which] are the {end} [{n}|{_COUNTS[n - 1]}] [items|entries]",
         f"Only the {end} [{n}|{_COUNTS[n - 1]}], please",
         f"Keep the {end} [{n}|{_COUNTS[n - 1]}]"),
        f"the {end} {n}", seen, kept, "The order stays the same.",
        f"{len(items)} - {n} = {out}, so the first {out} are out." if last else "",
    )  # fmt: skip


def _backwards(_: Random, items: list[int] | list[str]) -> _Task:
    kept = _said(items[::-1])
    return _Task(
        ("[Reverse|Turn around] this list", "[Give me|Show me|Write] this list backwards",
         "Put this list in reverse order", "List these from the last to the first"),
        "the list from the end", tuple(f"{k} {item}" for k, item in enumerate(kept, 1)), kept,
        f"The last one was {kept[0]}, it comes first now.",
    )  # fmt: skip


_ANY = (_counted, _extreme, _unique, _taken, _backwards)
_TASKS: tuple[tuple[float, bool, Callable[..., _Task]], ...] = (
    (0.22, True, _filtered_numbers), (0.15, False, _filtered_words), (0.13, True, _sorted_numbers),
    (0.22, False, _sorted_words), *((0.05, numbers, task) for numbers in (True, False)
                                    for task in _ANY[:2]),
    *((0.03, numbers, task) for numbers in (True, False) for task in _ANY[2:]),
)  # fmt: skip

_DRILLS = (
    (0.08, True, _filtered_numbers), (0.22, False, _filtered_words), (0.20, True, _sorted_numbers),
    (0.04, False, _sorted_words), (0.12, True, _counted), (0.12, False, _counted),
    (0.07, True, _extreme), (0.04, False, _extreme), (0.03, True, _taken), (0.03, False, _taken),
    (0.015, True, _unique), (0.01, False, _unique), (0.02, True, _backwards),
    (0.005, False, _backwards),
)  # fmt: skip

_LAYOUTS: tuple[tuple[str, str], ...] = (
    (" as a comma list", ", "), (", separated by commas", ", "), ("", ", "), ("", ", "),
    (", one per line", "\n"), (", each on a line of its own", "\n"), (" as a numbered list", "1"),
    (" as a bullet list", "-"), (", with commas", ", "), ("", ", "),
)  # fmt: skip


def _laid_out(kept: tuple[str, ...], layout: str) -> str:
    if layout == "1":
        return "\n".join(f"{k}. {item}" for k, item in enumerate(kept, 1))
    if layout == "-":
        return "\n".join(f"- {item}" for item in kept)
    return layout.join(kept)


def _given(rng: Random, request: str, items: list[str]) -> str:
    """The request and the list, on a line, on lines, or with the list first."""
    form = rng.random()
    end = "?" if request.startswith(("Which", "What", "How many")) else ""
    if form < 0.5:
        joint = " " if rng.random() < 0.15 else ", "
        return f"{request}: {joint.join(items)}" + (end if rng.random() < 0.4 else "")
    if form < 0.62:
        return f"{', '.join(items)}. {request}{end or '.'}"
    mark = rng.choice(("", "- ", "* "))
    return f"{request}:\n" + "\n".join(f"{mark}{item}" for item in items)


def lists(rng: Random) -> Exchange:
    """A list and something to do with it."""
    return _drawn(rng, _TASKS, strange=0.1)


def list_drill(rng: Random) -> Exchange:
    """The same, each task about as often as it needs practice, more words of no known list."""
    return _drawn(rng, _DRILLS, strange=0.4)


def _drawn(
    rng: Random, tasks: tuple[tuple[float, bool, Callable[..., _Task]], ...], strange: float
) -> Exchange:
    (numeric, make), = rng.choices(
        [(numeric, make) for _, numeric, make in tasks], [share for share, _, _ in tasks]
    )  # fmt: skip
    items: list[int] | list[str] = _numbers(rng) if numeric else _words(rng, strange)
    task = make(rng, items)
    if len(items) < 2 or (not task.kept and rng.random() < 0.7):
        return _drawn(rng, tasks, strange)
    asked = worded(rng, rng.choice(task.asked))
    how, layout = ("", ", ") if task.one or not task.kept else rng.choice(_LAYOUTS)
    result = ", ".join(task.kept)
    if task.one:
        answer, value = task.one, f"is {task.kept[0]}."
    elif task.kept:
        answer = value = _laid_out(task.kept, layout)
    else:
        answer = value = "There are none."
        result = "none"
    looked = f"{', '.join(task.seen)}. {task.then}".rstrip()
    thoughts = think(
        wants=f"The user wants {task.aim}.", work=looked, so=f"So the result is {result}.",
        check=task.check, restated=f"The list has {len(items)} items.",
        second=f"The first item is {items[0]}, the last one is {items[-1]}.",
    )  # fmt: skip
    user = _given(rng, asked + how, list(_said(items)))
    return Exchange(user, Reply(SKILL, thoughts, answer, value))
