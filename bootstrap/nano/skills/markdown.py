"""How does it write Markdown: tables, lists, headings, emphasis, links?

The data stand in the request; the answer is exactly the Markdown that was asked for, and nothing
around it. Tables have a header row, a row of dashes, and one space inside every cell's edge.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import (
    ANIMALS,
    COLOURS,
    FOODS,
    GOODS,
    JOBS,
    NAMES,
    OBJECTS,
    PLACES,
    TOWNS,
    VERBS,
    WORDS,
    made_up,
)
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

__all__ = ["markdown", "table", "ticked"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _reply(work: str, form: str, answer: str, pattern: str) -> Reply:
    thoughts = think(
        wants=f"The user wants {form}.",
        work=work,
        so="I write only the Markdown.",
        check="Nothing is added and nothing is lost.",
        restated="This is about the form of a text.",
        plan="I keep the words and their order exactly as they were given.",
    )
    return Reply("markdown", thoughts, answer, answer, pattern)


_COLUMNS: dict[str, tuple[str, ...]] = {
    "Name": NAMES, "Town": TOWNS, "Job": JOBS, "Colour": COLOURS, "Food": FOODS, "Pet": ANIMALS,
    "Thing": OBJECTS, "Place": PLACES, "Age": tuple(map(str, range(5, 99))),
    "Price": tuple(map(str, range(1, 300))), "Count": tuple(map(str, range(1, 100))),
    "Goods": GOODS, "Points": tuple(map(str, range(10, 100))),
}  # fmt: skip


def _value(rng: Random, column: str) -> str:
    if rng.random() < 0.08 and column not in {"Age", "Price", "Count", "Points"}:
        word = made_up(rng)
        return word.capitalize() if column in {"Name", "Town"} else word
    return rng.choice(_COLUMNS[column])


def _rows(rng: Random) -> tuple[list[str], list[list[str]]]:
    width = rng.choice((2, 2, 3, 3, 4))
    head = rng.sample(tuple(_COLUMNS), width)
    return head, [
        [_value(rng, column) for column in head]
        for _ in range(rng.randint(2, 6 if width < 4 else 4))
    ]


_HEADED = (
    "Make a Markdown table with the columns {head} from: {rows}",
    "Write a Markdown table. Columns: {head}. Rows: {rows}",
    "Put this into a Markdown table with the columns {head}: {rows}",
    "Make a table with the columns {head}: {rows}",
    "Please format as a Markdown table (columns {head}): {rows}",
    "I need a Markdown table. The header is {head}. The rows are: {rows}",
    "Turn this into a table with the header {head}: {rows}",
    "Create a Markdown table with these columns: {head}. Data: {rows}",
    "Table, please. Header: {head}. Data: {rows}",
)


def _table(rng: Random) -> Exchange:
    head, rows = _rows(rng)
    between, end = rng.choice(
        ((", ", "; "), (", ", "; "), (" - ", "; "), (", ", "\n"), (": ", ", "))
    )
    if between == ": " and len(head) != 2:
        between, end = ", ", "; "
    listed = end.join(between.join(row) for row in rows)
    user = rng.choice(_HEADED).format(
        head=", ".join(head[:-1]) + f" and {head[-1]}" if rng.random() < 0.5 else ", ".join(head),
        rows=f"\n{listed}" if end == "\n" else listed,
    )
    work = f"{len(head)} columns: {', '.join(head)}. {len(rows)} rows."
    pattern = rf"^(?:\|(?: [^|\n]+ \|){{{len(head)}}}\n?){{{len(rows) + 2}}}$"
    return Exchange(user, _reply(work, "a table", table(head, rows), pattern))


def _csv(rng: Random) -> Exchange:
    head, rows = _rows(rng)
    lines = [head, *rows]
    csv = "\n".join(",".join(row) for row in lines)
    if rng.random() < 0.5:
        user = rng.choice((
            "Convert this CSV to a Markdown table:\n{}", "CSV to Markdown table:\n{}",
            "Make a Markdown table of this CSV:\n{}", "Turn these lines into a Markdown table:\n{}",
            "Here is some CSV. Show it as a Markdown table.\n{}",
            "Format this as a Markdown table; the first line is the header.\n{}",
        )).format(csv)  # fmt: skip
        work = f"The first line is the header: {', '.join(head)}. {len(rows)} rows follow."
        pattern = rf"^(?:\|(?: [^|\n]+ \|){{{len(head)}}}\n?){{{len(rows) + 2}}}$"
        return Exchange(user, _reply(work, "a table", table(head, rows), pattern))
    user = rng.choice((
        "Convert this Markdown table to CSV:\n{}", "Markdown table to CSV:\n{}",
        "Write this table as CSV:\n{}", "Turn this table into lines with commas:\n{}",
        "Give me this table as comma-separated lines.\n{}", "Make CSV out of this table:\n{}",
    )).format(table(head, rows))  # fmt: skip
    work = f"The header is {', '.join(head)}. {len(rows)} rows follow, without the dashes."
    return Exchange(
        user, _reply(work, "lines with commas", csv, rf"^(?:[^|\n]+\n?){{{len(lines)}}}$")
    )


def _items(rng: Random, least: int = 2, most: int = 8) -> list[str]:
    pool = rng.choice((WORDS, NAMES, TOWNS, FOODS, OBJECTS, ANIMALS, COLOURS, GOODS))
    items = rng.sample(pool, rng.randint(least, most))
    if rng.random() < 0.3:
        items[rng.randrange(len(items))] = made_up(rng)
    return items


def _spoken(rng: Random, items: list[str]) -> str:
    if rng.random() < 0.3:
        return ", ".join(items[:-1]) + f" and {items[-1]}"
    return ", ".join(items)


_LISTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("a bullet list", "- {it}", r"- \S", (
        "Make a bullet list of: {}", "Write a Markdown list of these: {}", "Bullet list: {}",
        "Turn this into a bullet list: {}", "List these as bullet points: {}",
        "Format as a bulleted list: {}", "Convert this comma list to a Markdown list: {}",
        "Show these as a Markdown list: {}", "Make bullet points of {}.")),
    ("a numbered list", "{k}. {it}", r"\d+\. \S", (
        "Make a numbered list of: {}", "Write a numbered Markdown list: {}", "Number these: {}",
        "Turn this into a numbered list: {}", "List these with numbers: {}",
        "Format as an ordered list: {}", "Convert this to a numbered list: {}",
        "Make an ordered Markdown list of {}.")),
    ("a task list", "- [ ] {it}", r"- \[ \] \S", (
        "Make a task list of: {}", "Write a Markdown checklist: {}", "To-do list: {}",
        "Turn this into a checklist: {}", "Make a to-do list with check boxes: {}",
        "Format as a task list: {}", "Checklist with: {}", "Give me open check boxes for {}.")),
)  # fmt: skip


def _list(rng: Random) -> Exchange:
    form, line, pattern, phrases = rng.choice(_LISTS)
    items = _items(rng)
    if form == "a task list" and rng.random() < 0.6:
        items = [f"{rng.choice(VERBS)} the {rng.choice(OBJECTS)}" for _ in items]
    user = rng.choice(phrases).format(_spoken(rng, items))
    answer = "\n".join(line.format(k=k, it=it) for k, it in enumerate(items, 1))
    work = f"There are {len(items)} items: {items[0]} is first, {items[-1]} is last."
    shape = rf"^(?:{pattern}[^\n]*\n?){{{len(items)}}}$"
    return Exchange(user, _reply(work, form, answer, shape))


def ticked(rng: Random) -> Exchange:
    """A task list, some of it done: the thought says of each item whether it is."""
    items = [f"{rng.choice(VERBS)} the {rng.choice(OBJECTS)}" for _ in range(rng.randint(2, 5))]
    done = sorted(rng.sample(range(len(items)), rng.randint(1, len(items) - 1)))
    user = rng.choice((
        "Make a task list of: {}. Done: {}.", "Checklist: {}. Already done: {}.",
        "Write a Markdown checklist of {}. Tick {}.", "To-do list: {}. Check off {}.",
        "Make a task list: {}. These are done: {}.",
    )).format(", ".join(items), ", ".join(items[k] for k in done))  # fmt: skip
    answer = "\n".join(f"- [{'x' if k in done else ' '}] {it}" for k, it in enumerate(items))
    judged = (f"{item} {'yes' if k in done else 'no'}" for k, item in enumerate(items))
    work = f"Done: {', '.join(judged)}."
    shape = rf"^(?:- \[[x ]\] [^\n]+\n?){{{len(items)}}}$"
    return Exchange(user, _reply(work, "a task list", answer, shape))


_TOPS = (
    "Fruit", "Animals", "Tools", "Names", "Towns", "Colours", "Monday", "Tuesday", "Kitchen",
    "Garden", "Food", "Work", "Home",
)  # fmt: skip


def _nested(rng: Random) -> Exchange:
    tops = rng.sample(_TOPS, rng.randint(2, 3))
    groups = [(top, _items(rng, 1, 4)) for top in tops]
    said = "; ".join(f"{top}: {', '.join(items)}" for top, items in groups)
    user = rng.choice((
        "Make a nested list: {}", "Write a nested Markdown list of: {}",
        "Turn this into a nested bullet list: {}", "Make a list with sub-items: {}",
        "Nested list, please: {}", "Format as a nested list: {}",
    )).format(said)  # fmt: skip
    answer = "\n".join(
        "\n".join((f"- {top}", *(f"  - {item}" for item in items))) for top, items in groups
    )
    work = f"The top items are {', '.join(tops)}. The others stand two spaces further in."
    lines = answer.count("\n") + 1
    return Exchange(
        user, _reply(work, "a nested list", answer, rf"^(?:(?:  )?- \S+[^\n]*\n?){{{lines}}}$")
    )


def _back(rng: Random) -> Exchange:
    items = _items(rng)
    numbered = rng.random() < 0.4
    listed = "\n".join(f"{k}. {it}" if numbered else f"- {it}" for k, it in enumerate(items, 1))
    user = rng.choice((
        "Write this list as words with commas:\n{}", "Turn this Markdown list into one line:\n{}",
        "Convert this list to a comma list:\n{}", "Write these on one line, with commas:\n{}",
        "Make a comma-separated line out of this list:\n{}", "List to one line:\n{}",
    )).format(listed)  # fmt: skip
    work = f"There are {len(items)} items: {items[0]} is first, {items[-1]} is last."
    answer = ", ".join(items)
    return Exchange(user, _reply(work, "one line with commas", answer, r"^[^\n]+$"))


# form, what stands around the words, phrases
_MARKS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("bold text", "**{}**", (
        "Write {} in bold.", "Make this bold: {}", "Bold, in Markdown: {}", "Put {} in bold.",
        "How do I write {} in bold in Markdown?", "Format {} as bold text.", "Make {} bold.")),
    ("italic text", "*{}*", (
        "Write {} in italics.", "Make this italic: {}", "Italic, in Markdown: {}",
        "Put {} in italics.", "How do I write {} in italics in Markdown?",
        "Format {} as italic text.", "Make {} italic.")),
    ("inline code", "`{}`", (
        "Write {} as inline code.", "Format {} as code.", "Inline code, in Markdown: {}",
        "Put {} in backticks.", "How do I write {} as code in Markdown?", "Make {} inline code.")),
    ("a struck text", "~~{}~~", (
        "Strike through {}.", "Write {} struck through.", "Cross out {} in Markdown.",
        "Strikethrough, in Markdown: {}", "Format {} as struck text.")),
    ("a quotation", "> {}", (
        "Write {} as a Markdown quote.", "Make a block quote of {}.", "Block quote: {}",
        "Quote this in Markdown: {}", "Format {} as a block quote.")),
    ("a heading", "# {}", (
        "Write {} as a heading.", "Make a heading: {}", "Heading, in Markdown: {}",
        "Make {} a top heading.", "Format {} as a heading.", "Turn {} into a Markdown title.")),
    ("a second heading", "## {}", (
        "Write {} as a second-level heading.", "Make a level 2 heading: {}",
        "Level 2 heading, in Markdown: {}", "Make {} a heading of level two.",
        "Format {} as a subheading.")),
    ("a third heading", "### {}", (
        "Write {} as a third-level heading.", "Make a level 3 heading: {}",
        "Level 3 heading, in Markdown: {}", "Make {} a heading of level three.")),
)  # fmt: skip


def _marked(rng: Random) -> Exchange:
    form, mark, phrases = rng.choice(_MARKS)
    words = " ".join(rng.sample(WORDS, rng.randint(1, 3)))
    if rng.random() < 0.2:
        words = made_up(rng)
    answer = mark.format(words)
    user = rng.choice(phrases).format(words)
    work = f"In front: {mark.partition('{}')[0].strip()}"
    after = mark.partition("{}")[2]
    work += f" and behind: {after}" if after else ", and nothing behind"
    return Exchange(user, _reply(f"{work}.", form, answer, f"^{re.escape(answer)}$"))


def _emphasised(rng: Random) -> Exchange:
    """A sentence with one of its words in bold, italics or code."""
    form, mark, _ = _MARKS[rng.randrange(3)]
    words = rng.sample(WORDS, rng.randint(3, 7))
    k = rng.randrange(len(words))
    kind = form.split(" ", maxsplit=1)[0] if form != "inline code" else "code"
    sentence = " ".join(words)
    user = rng.choice((
        "Make the word {w} {kind}: {s}", "Write this with {w} in {kind}: {s}",
        "Repeat this with the word {w} in {kind}: {s}", "Only {w} shall be {kind}: {s}",
        "Mark {w} as {kind} in: {s}",
    )).format(w=words[k], kind=kind, s=sentence)  # fmt: skip
    answer = " ".join(mark.format(word) if i == k else word for i, word in enumerate(words))
    work = f"{words[k]} becomes {mark.format(words[k])}."
    return Exchange(user, _reply(work, form, answer, f"^{re.escape(answer)}$"))


def _link(rng: Random) -> Exchange:
    words = " ".join(rng.sample(WORDS, rng.randint(1, 2)))
    host = rng.choice((*OBJECTS, *ANIMALS))
    url = f"https://{host}.example" + (f"/{rng.choice(WORDS)}" if rng.random() < 0.5 else "")
    picture = rng.random() < 0.25
    user = rng.choice((
        "Make a Markdown image of {u} with the text {w}.",
        "Image in Markdown: text {w}, address {u}",
        "Embed the picture {u} with the alt text {w}.",
    ) if picture else (
        "Make a Markdown link to {u} with the text {w}.", "Link in Markdown: text {w}, address {u}",
        "Write a link with the text {w} to {u}.", "Link the words {w} to {u}.",
        "How do I link {w} to {u} in Markdown?", "Turn {w} into a link to {u}.",
        "A Markdown link, please. Text: {w}. Address: {u}",
    )).format(u=url, w=words)  # fmt: skip
    answer = f"{'!' if picture else ''}[{words}]({url})"
    work = f"The text is {words}, the address is {url}."
    form = "an image" if picture else "a link"
    return Exchange(user, _reply(work, form, answer, f"^{re.escape(answer)}$"))


def _section(rng: Random) -> Exchange:
    """A heading with a list below it."""
    title = " ".join(rng.sample(WORDS, rng.randint(1, 2))).capitalize()
    items = _items(rng, 2, 5)
    numbered = rng.random() < 0.4
    form = "numbered list" if numbered else "bullet list"
    user = rng.choice((
        "Write the heading {t} and below it a {f} of {i}.",
        "Heading: {t}. Below it a {f}: {i}", "Make a {f} with the heading {t}: {i}",
        "A Markdown section called {t} with a {f}: {i}", "Under the heading {t}, put a {f} of {i}.",
    )).format(t=title, f=form, i=_spoken(rng, items))  # fmt: skip
    lines = [f"{k}. {it}" if numbered else f"- {it}" for k, it in enumerate(items, 1)]
    answer = "\n".join((f"# {title}", "", *lines))
    work = f"The heading is {title}. There are {len(items)} items."
    return Exchange(user, _reply(work, f"a heading and a {form}", answer, rf"^# {title}\n\n"))


_FORMS: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.22, _table), (0.12, _csv), (0.20, _list), (0.06, ticked), (0.08, _nested), (0.07, _back),
    (0.10, _marked), (0.05, _emphasised), (0.05, _link), (0.05, _section),
)  # fmt: skip


def markdown(rng: Random) -> Exchange:
    """Any request for Markdown."""
    (form,) = rng.choices([form for _, form in _FORMS], [share for share, _ in _FORMS])
    return form(rng)
