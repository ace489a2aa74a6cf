"""What holds on either side, and what was answered otherwise?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.standing import standing
from harness.report.gate.links import link, link_to
from harness.report.gate.text import escape
from harness.report.gate.words import RULED, answers_line, counts_words, needing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.result import Answers, CheckRow, PromptDiff

__all__ = ["answers", "matrix"]

HEAD = ("check", "part", "baseline", "candidate", "ruling")
SEEN = 6
"""Of so many pieces of evidence a row has links."""
BEFORE = 160
"""Characters of a common beginning that are shown before the answers part."""
LONG = 4000
"""Characters of an answer that are shown."""


def matrix(rows: Sequence[CheckRow]) -> Iterator[str]:
    """The checks side by side: those that need a look first, the others on demand."""
    found = needing(rows)
    held = [row for row in rows if row not in found]
    if found:
        yield from _table(found, "Checks that need a look")
    elif rows:
        yield f"<p>{standing(rows)}.</p>"
    else:
        yield '<p class="soft">No check was made.</p>'
    if held:
        yield f"<details><summary>{standing(held)}</summary>"
        yield from _table(held, "Checks that need none")
        yield "</details>"


def _table(rows: Sequence[CheckRow], about: str) -> Iterator[str]:
    head = "".join(f'<th scope="col" role="columnheader">{each}</th>' for each in HEAD)
    yield f'<table class="checks matrix" role="table" aria-label="{about}">'
    yield f'<thead role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">'
    for row in rows:
        promise = f"<small>{escape(row.promise)}</small>" if row.promise else ""
        why = f"<small>{escape(row.why)}</small>" if row.why else ""
        yield (
            '<tr role="row">'
            f'<th scope="row" role="rowheader"><code>{escape(row.check)}</code>{promise}</th>'
            f'<td role="cell" data-name="part">{escape(row.part)}</td>'
            f'<td role="cell" data-name="baseline">{counts_words(row.baseline)}</td>'
            f'<td role="cell" data-name="candidate">{counts_words(row.candidate)}</td>'
            f'<td role="cell" class="ruled"><span class="{row.ruling.value}">'
            f"{RULED[row.ruling]}</span>{why}{_evidence(row)}</td></tr>"
        )
    yield "</tbody></table>"


def _evidence(row: CheckRow) -> str:
    if not row.evidence:
        return ""
    links = [link(link_to(each), _short(each)) for each in row.evidence[:SEEN]]
    more = len(row.evidence) - SEEN
    told = ", ".join(links) + (f" and {more} more" if more > 0 else "")
    return f"<small>seen in {told}</small>"


def _short(trace: str) -> str:
    """`candidate, exact-prefix` of `suites/candidate/exact-prefix#…`."""
    path = trace.partition("#")[0].strip("/")
    return ", ".join(path.split("/")[-2:]) or trace


def answers(told: Answers) -> Iterator[str]:
    """Greedy answers: what they come to, and where they part."""
    yield f'<p><span class="{told.ruling.value}">{RULED[told.ruling].capitalize()}</span>: '
    yield f"{escape(told.why)}</p>"
    line = answers_line(told)
    yield f"<p>{escape(line[:1].upper() + line[1:])}.</p>"
    if told.diffs:
        yield '<p class="soft small">What both sides begin with is dimmed; where they part, '
        yield "the rest is underlined.</p>"
    for diff in told.diffs:
        yield from _diff(diff)


def _diff(diff: PromptDiff) -> Iterator[str]:
    yield f"<article><h3>{escape(diff.about)}</h3>"
    yield f'<p class="soft small">The first {diff.agree} characters are the same.</p>'
    yield '<div class="diff">'
    for side, text, trace in (
        ("baseline", diff.baseline, diff.trace_baseline),
        ("candidate", diff.candidate, diff.trace_candidate),
    ):
        told = link(link_to(trace), side) if trace else side
        yield f'<div><h4 class="who">{told}</h4>'
        yield f'<p class="text">{_parted(text, diff.agree)}</p></div>'
    yield "</div></article>"


def _parted(text: str, agree: int) -> str:
    same, rest = text[:agree], text[agree:]
    cut = "\N{HORIZONTAL ELLIPSIS} " if len(same) > BEFORE else ""
    shown = same[-BEFORE:]
    more = f" \N{HORIZONTAL ELLIPSIS} ({len(rest) - LONG} more)" if len(rest) > LONG else ""
    ends = escape(rest[:LONG]) or '<span class="soft">(ends here)</span>'
    return (
        f'<span class="same">{cut}{escape(shown)}</span><span class="differs">{ends}</span>{more}'
    )
