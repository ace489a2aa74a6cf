"""Which answer is streamed? A long Markdown text in which every few words have a number.

Prose, lists of three kinds, a table, code, a quotation and formulas, over and over, in other words
each time but the same for everyone. A token is four bytes here, which is what tokens of English
come to on average; the text is ASCII, so bytes are characters.

The numbers are marks: `m17` is the eighteenth. A mark is known to have arrived when the characters
up to its end have, and is found on the page by a look at what has just been drawn. Part of a mark
reads as an earlier one, so none is found before it is there.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["TOKEN_BYTES", "Answer", "answer_of"]

TOKEN_BYTES = 4
WORDS = (
    "the a one this each some no any what that river stone window answer letter table harbour"
    " garden number winter paper signal engine morning theory surface question ladder copper"
    " quiet early plain narrow certain distant careful open second heavy local simple"
    " carries follows turns holds begins finds keeps leaves reads writes measures opens"
    " slowly often never again almost together away under over between without until"
)
FORMULAS = (
    r"\sum_{k=1}^{n} k^2 = \frac{n(n+1)(2n+1)}{6}",
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}",
)
MARK = re.compile(r"m\d+")


@dataclass(frozen=True, slots=True)
class Answer:
    """A text, and where each of its marks ends, in characters."""

    text: str
    ends: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """How many tokens the text has."""
        return len(self.text) // TOKEN_BYTES


def answer_of(tokens: int) -> Answer:
    """The text of so many tokens; a shorter one is the beginning of a longer one."""
    writer = _Writer()
    sections: list[str] = []
    size = 0
    while size < tokens * TOKEN_BYTES:
        sections.append(writer.section())
        size += len(sections[-1])
    text = "".join(sections)[: tokens * TOKEN_BYTES]
    # A mark at the very end may have been cut.
    ends = [found.end() for found in MARK.finditer(text) if found.end() < len(text)]
    return Answer(text, tuple(ends))


class _Writer:
    """Writes one section after the other, with a mark after every fifth word."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        self._words = self._marked()
        self._sections = 0

    def section(self) -> str:
        """One of each kind of block."""
        self._sections += 1
        blocks: tuple[Callable[[], str], ...] = (
            lambda: f"## Part {self._sections}: {self._some(4)}",
            self._paragraph,
            lambda: self._list("- {}", 6),
            self._paragraph,
            self._table,
            self._code,
            self._formula,
            lambda: self._list("1. {}", 5),
            lambda: f"> {self._sentence()} {self._sentence()}",
            lambda: self._list("- [x] {}", 4),
            self._paragraph,
        )
        return "".join(f"{block()}\n\n" for block in blocks)

    def _marked(self) -> Iterator[str]:
        words = WORDS.split()
        mark = 0
        while True:
            for _ in range(5):
                yield self._random.choice(words)
            yield f"m{mark}"
            mark += 1

    def _some(self, count: int) -> str:
        return " ".join(next(self._words) for _ in range(count))

    def _sentence(self) -> str:
        return f"{self._some(self._random.randint(6, 18))}."

    def _paragraph(self) -> str:
        plain = [self._sentence() for _ in range(self._random.randint(2, 5))]
        styled = f"It is **{self._some(3)}**, `{self._some(1)}` and *{self._some(2)}* at $5 or $6."
        return " ".join(
            [*plain, styled, f"So $x_{{{self._sections}}} < y^2$ [here](https://a.b/)."]
        )

    def _list(self, form: str, count: int) -> str:
        return "\n".join(form.format(self._some(self._random.randint(4, 14))) for _ in range(count))

    def _table(self) -> str:
        rows = [f"| {self._some(3)} | {self._some(2)} | ${n}.50 |" for n in range(6)]
        return "\n".join(["| what | where | price |", "| --- | :-- | --: |", *rows])

    def _code(self) -> str:
        lines = [f'    value[{n}] = "{self._some(5)}"  # {self._some(3)}' for n in range(12)]
        return "\n".join(["```python", f"def part_{self._sections}(value):", *lines, "```"])

    def _formula(self) -> str:
        return f"$$\n{FORMULAS[self._sections % len(FORMULAS)]}\n$$"
