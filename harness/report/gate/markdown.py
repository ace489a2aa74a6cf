"""A gate as Markdown: `report.md`, for a pull request or the summary of a job.

What decides stands open: the verdict, what differs, the gated metrics, what failed.  The rest is
folded, and bounded: a comment on GitHub holds 65,536 characters, and the page tells all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.gate.result import Ruling
from harness.gate.standing import standing
from harness.report.gate.words import (
    NOT_INTERLEAVED,
    RULED,
    advice,
    allowed,
    answers_line,
    better_words,
    change_words,
    counts_words,
    environment,
    gated,
    interval_words,
    margin_words,
    medians,
    n_words,
    needing,
    not_comparable,
    q_words,
    ratio_words,
    reasons,
    ruling_words,
    settings,
    shown,
    sides_line,
    under_test,
    verdict_line,
)
from harness.report.markdown import folded
from harness.report.words import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.gate.result import CheckRow, Difference, GateResult, Measured

__all__ = ["gate_markdown"]

TOLD = 15
"""How many rows of a table, and how many lines of a list, are told here."""
LONG = 180
"""Characters of a cell."""

MARKS = {
    Ruling.PASS: "\N{WHITE HEAVY CHECK MARK}",
    Ruling.FAIL: "\N{CROSS MARK}",
    Ruling.INCONCLUSIVE: "\N{WHITE QUESTION MARK ORNAMENT}",
    Ruling.REFUSED: "\N{NO ENTRY}",
}
"""Beside the word, never instead of it."""


def gate_markdown(result: GateResult) -> str:
    """The text of `report.md`."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    yield f"# {MARKS[result.ruling]} {_said(verdict_line(result), 400)}"
    yield ""
    yield f"{_said(result.question, 400)} {_said(_capital(sides_line(result)), 300)}."
    if not result.interleaved:
        yield from ("", f"> **Not interleaved.** {NOT_INTERLEAVED}")
    yield from _listed(reasons(result))
    told = advice(result)
    yield ""
    yield f"**Next:** {told.said}{f' {_code(told.command)}' if told.command else ''}"
    yield from _differences("Allowed differences", allowed(result))
    yield from _differences("Not comparable", not_comparable(result))
    yield from _differences("What changed", under_test(result))
    if judged := gated(result):
        yield from ("", "## Metrics", "")
        yield from _gated(judged)
    yield from _checks(result)
    if result.doubts:
        yield from ("", "## To be known")
        yield from _listed(result.doubts)
    if others := shown(result):
        yield from folded(f"{len(others)} more metrics, shown and not gated", _shown(others))
    if result.answers:
        yield from folded("Greedy answers", _answers(result))
    rows = [*settings(result), *environment(result)]
    yield from folded("Settings and environment", _table(("", ""), rows, most=60))
    yield ""
    yield "Every number with its trace: `report.html` beside this file."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _differences(title: str, found: Sequence[Difference]) -> Iterator[str]:
    if found:
        yield from ("", f"## {title}", "")
        rows = [(each.what, each.baseline, each.candidate) for each in found]
        yield from _table(("", "baseline", "candidate"), rows)


def _gated(metrics: Sequence[Measured]) -> Iterator[str]:
    rows = [
        (
            m.title,
            *medians(m),
            f"{ratio_words(m)} {interval_words(m)}".strip(),
            change_words(m),
            margin_words(m),
            n_words(m),
            f"{MARKS[m.ruling] if m.ruling else ''} {ruling_words(m)}".strip(),
        )
        for m in metrics
    ]
    head = ("metric", "baseline", "candidate", "ratio", "change", "margin", "n", "ruling")
    yield from _table(head, rows)
    undecided = [m for m in metrics if m.ruling is not Ruling.PASS and m.why]
    yield from _listed([f"{m.title}: {m.why}" for m in undecided])


def _shown(metrics: Sequence[Measured]) -> Iterator[str]:
    rows = [
        (
            m.title,
            *medians(m),
            f"{ratio_words(m)} {interval_words(m)}".strip(),
            change_words(m),
            better_words(m.unit),
            q_words(m),
            n_words(m),
        )
        for m in metrics
    ]
    head = ("metric", "baseline", "candidate", "ratio", "change", "", "q", "n")
    yield from _table(head, rows, most=40)


def _checks(result: GateResult) -> Iterator[str]:
    if not result.checks:
        return
    found = needing(result.checks)
    yield from ("", "## Correctness", "")
    if not found:
        yield f"{standing(result.checks)}."
        return
    held = [row for row in result.checks if row not in found]
    looks = f"{len(found)} of {len(result.checks)} checks need a look"
    yield f"{looks}; of the others {standing(held)}." if held else f"{looks}."
    yield ""
    yield from _table(("part", "check", "baseline", "candidate", ""), map(_check, found))


def _check(row: CheckRow) -> tuple[str, ...]:
    said = f"{MARKS[row.ruling]} {RULED[row.ruling]}{': ' + row.why if row.why else ''}"
    return (row.part, row.check, counts_words(row.baseline), counts_words(row.candidate), said)


def _answers(result: GateResult) -> Iterator[str]:
    answers = result.answers
    if answers is None:
        return
    yield f"{RULED[answers.ruling].capitalize()}: {_said(answers.why, 400)}"
    yield ""
    yield f"{_said(_capital(answers_line(answers)), 400)}."
    if answers.diffs:
        rows = [
            (each.about, f"{each.agree} characters", _from(each.baseline, each.agree),
             _from(each.candidate, each.agree))
            for each in answers.diffs
        ]  # fmt: skip
        yield ""
        yield from _table(("prompt", "agree for", "then baseline", "then candidate"), rows)


def _from(text: str, agree: int) -> str:
    return one_line(text[agree : agree + 200], 80) or "(ends)"


# -- text that stays what it is


def _said(text: str, most: int = LONG) -> str:
    """Text in one line, with nothing in it that Markdown or GitHub would make more of."""
    line = one_line(text, most).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = re.sub(r"([\\`*_\[\]|~#])", r"\\\1", line)
    return line.replace("@", "@\N{ZERO WIDTH NON-JOINER}").replace("://", ":\\//")


def _code(command: str) -> str:
    return f"`{one_line(command, 300).replace('`', chr(39))}`"


def _listed(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
    yield from (f"- {_said(line, 400)}" for line in lines[:TOLD])
    if len(lines) > TOLD:
        yield f"- and {len(lines) - TOLD} more, in report.html"


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], most: int = TOLD
) -> Iterator[str]:
    found = list(rows)
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in found[:most]:
        yield f"| {' | '.join(_said(cell) for cell in row)} |"
    if len(found) > most:
        yield ""
        yield f"And {len(found) - most} more, in report.html."
