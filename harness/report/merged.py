"""Gates of several machines in every form: a column a machine, and the worst verdict on top.

What one of them measured in full is in its own report, which every form leads to.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from rich import box
from rich.table import Table
from rich.text import Text

from harness.gate.result import Ruling
from harness.report.gate.console import STYLES
from harness.report.gate.junit import gate_junit
from harness.report.gate.page import STYLE
from harness.report.gate.text import escape as html
from harness.report.gate.words import (
    RULED,
    interval_words,
    margin_words,
    needing,
    ratio_words,
    reasons,
    ruling_words,
    sides_line,
    verdict_line,
)
from harness.report.junit import clean
from harness.report.markdown import escape, table
from harness.report.markdown import section as markdown_section
from harness.report.page import listed, section, titled_page
from harness.units import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from harness.gate.merge import Merged, Runner
    from harness.gate.result import Measured

__all__ = ["merged_line", "merged_reports", "show_merged"]

SCHEMA = 1
FOOTER = (
    "<footer>Derived from the gates' own folders; <code>muse-bench merge</code> derives it again, "
    "and <code>muse-bench report</code> each of them.</footer>"
)


def merged_reports(merged: Merged) -> dict[str, str]:
    """The text of every report, by file name."""
    return {
        "result.json": json.dumps(_document(merged), indent=1, ensure_ascii=False) + "\n",
        "report.md": "\n".join(_markdown(merged)) + "\n",
        "report.html": titled_page(
            f"gates: {merged_line(merged)}", _page(merged), style=STYLE.read_text(encoding="utf-8")
        ),
        "junit.xml": _junit(merged),
    }


def merged_line(merged: Merged) -> str:
    """The verdict in a line: `Fail: 1 of 2 machines (Apple M5, …)`."""
    worst = [each.name for each in merged.runners if each.result.ruling is merged.ruling]
    word = RULED[merged.ruling].capitalize()
    number = len(merged.runners)
    if merged.ruling is Ruling.PASS:
        return f"{word}: on {'the one machine' if number == 1 else f'each of {number} machines'}"
    machines = "machine" if number == 1 else "machines"
    return f"{word}: {len(worst)} of {number} {machines} ({'; '.join(worst)})"


def show_merged(merged: Merged, console: Console) -> None:
    """Print the columns; the last line is the verdict."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("metric")
    for each in merged.runners:
        grid.add_column(each.name)
    for row in merged.rows:
        grid.add_row(row.first.title, *(_styled(cell) for cell in row.cells))
    grid.add_section()
    rulings = (each.result.ruling for each in merged.runners)
    grid.add_row("verdict", *(Text(RULED[ruling], STYLES[ruling]) for ruling in rulings))
    console.print(grid)
    for doubt in merged.doubts:
        console.print(Text(f"  to be known: {doubt}", "dim"), soft_wrap=True)
    for each in merged.runners:
        console.print(
            Text(f"  {each.name}: {verdict_line(each.result)}", STYLES[each.result.ruling]),
            soft_wrap=True,
        )
    console.print(Text(f"  {merged_line(merged)}", STYLES[merged.ruling]), soft_wrap=True)


def _styled(cell: Measured | None) -> Text:
    style = STYLES[cell.ruling] if cell and cell.ruling else "dim"
    return Text(_said(cell), style)


def _said(cell: Measured | None) -> str:
    """`1.004 [0.996, 1.012] pass`; `—` where it was not measured."""
    if cell is None:
        return NOTHING
    return " ".join(
        part for part in (ratio_words(cell), interval_words(cell), ruling_words(cell)) if part
    )


# -- result.json


def _document(merged: Merged) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "ruling": merged.ruling.value,
        "exit_code": merged.exit_code,
        "headline": merged_line(merged),
        "doubts": list(merged.doubts),
        "gates": [_gate(each) for each in merged.runners],
    }


def _gate(runner: Runner) -> dict[str, Any]:
    result = runner.result
    return {
        "machine": runner.name,
        "folder": runner.where,
        "policy": result.record.policy,
        "policy_sha256": result.record.policy_sha256,
        "started_at": result.record.started_at,
        "ruling": result.ruling.value,
        "headline": result.headline,
        "reasons": list(result.reasons),
        "baseline": {"name": result.baseline.name, "digest": result.baseline.digest},
        "candidate": {"name": result.candidate.name, "digest": result.candidate.digest},
        "pairs": result.pairs,
        "metrics": [
            {
                "name": metric.name,
                "title": metric.title,
                "gated": metric.gated,
                "ruling": metric.ruling.value if metric.ruling else None,
                "ratio": metric.ratio,
                "low": metric.low,
                "high": metric.high,
                "confidence": metric.confidence,
                "margin": metric.margin,
                "n": metric.n,
            }
            for metric in result.metrics
        ],
    }


# -- report.md


def _markdown(merged: Merged) -> Iterator[str]:
    yield f"# {escape(merged_line(merged))}"
    yield ""
    yield from table(("metric", "margin", *(each.name for each in merged.runners)), _rows(merged))
    if merged.doubts:
        yield from markdown_section("To be known", (f"- {escape(each)}" for each in merged.doubts))
    for each in merged.runners:
        yield from markdown_section(escape(each.name), _told(each))


def _rows(merged: Merged) -> list[tuple[str, ...]]:
    rows = [
        (row.first.title, margin_words(row.first), *(_said(cell) for cell in row.cells))
        for row in merged.rows
    ]
    rulings = (RULED[each.result.ruling] for each in merged.runners)
    return [*rows, ("verdict", "", *rulings)]


def _told(runner: Runner) -> Iterator[str]:
    result = runner.result
    yield f"{escape(verdict_line(result))}"
    yield ""
    line = sides_line(result)
    yield f"{escape(line[:1].upper() + line[1:])}; {escape(runner.where)}/report.html"
    told = [*reasons(result), *_failed(runner)]
    if told:
        yield ""
        yield from (f"- {escape(each)}" for each in told)


def _failed(runner: Runner) -> list[str]:
    """The checks that are not passed, by part and name."""
    rows = [row for row in needing(runner.result.checks) if row.ruling is not Ruling.PASS]
    return [f"{row.part}, {row.check}: {RULED[row.ruling]}" for row in rows]


# -- report.html


def _page(merged: Merged) -> Iterator[str]:
    yield "<header><h1>muse-bench gates, side by side</h1>"
    yield f'<p class="verdict {merged.ruling.value}">{html(merged_line(merged))}</p></header>'
    yield "<main>"
    if merged.rows:
        yield from section("Metrics", _columns(merged))
    if merged.doubts:
        yield from section("To be known", listed(merged.doubts))
    for each in merged.runners:
        yield from section(each.name, _machine(each))
    yield f"</main>{FOOTER}"


def _columns(merged: Merged) -> Iterator[str]:
    yield '<p class="soft small">Candidate over baseline, each machine by itself. '
    yield "Nothing is pooled.</p>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Metrics by machine">'
    yield '<table class="checks parts"><thead><tr><th scope="col">metric</th>'
    yield "".join(f'<th scope="col">{html(each.name)}</th>' for each in merged.runners)
    yield "</tr></thead><tbody>"
    for row in merged.rows:
        margin = f"<small>margin {margin_words(row.first)}</small>" if row.first.margin else ""
        cells = "".join(_column(cell) for cell in row.cells)
        yield f'<tr><th scope="row">{html(row.first.title)}{margin}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def _column(cell: Measured | None) -> str:
    if cell is None:
        return f"<td>{NOTHING}</td>"
    figures = f"{ratio_words(cell)} {interval_words(cell)}".strip()
    kind = cell.ruling.value if cell.ruling else "soft"
    return f'<td>{html(figures)} <span class="{kind}">{html(ruling_words(cell))}</span></td>'


def _machine(runner: Runner) -> Iterator[str]:
    result = runner.result
    yield f'<p><strong class="{result.ruling.value}">{html(verdict_line(result))}</strong></p>'
    line = sides_line(result)
    where = quote(f"{runner.where}/report.html")
    yield f"<p>{html(line[:1].upper() + line[1:])}. "
    yield f'<a href="{html(where)}">Its own report</a></p>'
    if told := [*reasons(result), *_failed(runner)]:
        yield from listed(told)


# -- junit.xml


def _junit(merged: Merged) -> str:
    """The suites of all machines under one root, each with its machine's name."""
    root = ET.Element("testsuites", name="muse-bench gates")
    for each in merged.runners:
        own = ET.fromstring(gate_junit(each.result))  # noqa: S314 - written by us
        for suite in own.findall("testsuite"):
            suite.set("name", clean(f"{each.name}: {suite.get('name')}"))
            root.append(suite)
    total = Counter[str]()
    for suite in root:
        total.update(
            {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
        )
    for key, number in total.items():
        root.set(key, str(number))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
