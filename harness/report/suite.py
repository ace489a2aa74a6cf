"""A suite in every format: which parts passed, and first of all what failed in which of them.

The reports of the parts are in their folders; this is the page above them.  `report.md` is short
enough for a pull request, `junit.xml` holds the verdicts of all parts.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from html import escape as html
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from rich import box
from rich.table import Table
from rich.text import Text

from harness.report.console import AT_MOST, STYLES
from harness.report.document import SCHEMA, verdict_document
from harness.report.environment import surroundings
from harness.report.junit import clean
from harness.report.markdown import escape, folded, section, table, trouble
from harness.report.page import pairs, titled_page, told_troubles
from harness.report.page import section as html_section
from harness.report.words import WORDS, few, needing
from harness.units import NOTHING, SECONDS, format_value
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rich.console import Console

    from harness.judged import Judged
    from harness.report.console import Terminal
    from harness.suite.judge import JudgedPart, SuiteResult
    from harness.suite.record import PartRecord, SuiteRecord

__all__ = ["SuiteLines", "part_line", "render_suite_reports", "show_suite", "suite_line"]

TOLD = 5
"""How many troubles of a part are told here; its own report tells all."""
HEAD = ("part", "outcome", "checks", "time")
FOOTER = (
    "<footer>Derived from suite.json and the run folders beside this page; "
    "<code>muse-bench report</code> with the folder derives all of it again, byte for byte."
    "</footer>"
)


def render_suite_reports(result: SuiteResult, junits: Mapping[str, str]) -> dict[str, str]:
    """The text of every report of a suite, by file name; `junits` holds `junit.xml` by part."""
    return {
        "result.json": json.dumps(_document(result), indent=1, ensure_ascii=False) + "\n",
        "report.md": "\n".join(_markdown(result)) + "\n",
        "index.html": titled_page(f"{_name(result)}: {suite_line(result)}", _page(result)),
        "junit.xml": _junit(result, junits),
    }


def suite_line(result: SuiteResult) -> str:
    """The verdict in a sentence."""
    count, parts = result.count, len(result.parts)
    skipped = count(Outcome.SKIP)
    aside = f" ({skipped} skipped)" if skipped else ""
    match result.outcome:
        case Outcome.PASS:
            number = parts - skipped
            return f"{f'All {number} parts' if number > 1 else 'The one part'} passed{aside}"
        case Outcome.FAIL:
            return f"{count(Outcome.FAIL)} of {parts} parts failed{aside}"
        case _ if unsure := count(Outcome.INCONCLUSIVE):
            return f"Could not tell{aside}: {unsure} of {parts} parts are undecided"
        case _:
            return f"Could not tell{aside}: the target could be asked nothing of this"


def part_line(part: JudgedPart) -> str:
    """A part in a line: how it ended, its checks, its time, and why where that is not plain."""
    told = [WORDS[part.outcome], _counts(part), _time(part), _why(part)]
    return f"{part.record.name}: {', '.join(each for each in told if each and each != NOTHING)}"


class SuiteLines:
    """One line a part as it ends, on a terminal above whatever the next part draws."""

    def __init__(self, console: Terminal) -> None:
        self._console = console
        self._names: list[str] = []
        self._done = 0

    def suite_started(self, record: SuiteRecord) -> None:
        """Say what is about to be played."""
        self._names = [part.name for part in record.parts]
        model = (record.target.runtime or {}).get("model") or record.target.model
        quick = ", quick" if record.quick else ""
        self._say(
            f"{record.suite}{quick} against {model} at {record.target.url}: "
            f"{', '.join(self._names)}"
        )

    def part_started(self, part: PartRecord) -> None:  # noqa: ARG002
        """Say nothing: the line comes when the part has ended; what is drawn meanwhile tells."""
        left = self._names[self._done + 1 :]
        then = f"; then {', '.join(left)}" if left else ""
        self._console.heading = f"part {self._done + 1} of {len(self._names)}{then}"

    def part_ended(self, part: JudgedPart) -> None:
        """Say how it ended."""
        self._done += 1
        line = f"[{self._done}/{len(self._names)}] {part_line(part)}"
        self._say(line, STYLES[part.outcome])

    def _say(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style), soft_wrap=True)


def show_suite(result: SuiteResult, folder: Path, console: Console) -> None:
    """The result on the terminal, the verdict last, where the eye is."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in HEAD:
        shown.add_column(title, no_wrap=title != "checks")
    for part in result.parts:
        word = Text(WORDS[part.outcome], STYLES[part.outcome])
        shown.add_row(part.record.name, word, _counts(part), Text(_time(part), justify="right"))
    console.print()
    console.print(shown)
    console.print()
    for part in _needing(result):
        console.print(Text(f"  {part.record.name}", STYLES[part.outcome]))
        if part.problem:
            console.print(Text(f"    {part.problem}"), soft_wrap=True)
        found = _troubles(part)
        for judged in found[:AT_MOST]:
            verdict = judged.verdict
            said = f"    {verdict.outcome.value}: {verdict.check}, {judged.about}"
            console.print(Text(said, STYLES[verdict.outcome]), soft_wrap=True)
            console.print(Text(f"      {verdict.message}"), soft_wrap=True)
        if len(found) > AT_MOST:
            more = f"    and {len(found) - AT_MOST} more, in {part.record.name}/report.md"
            console.print(Text(more, "dim"), soft_wrap=True)
    for name, why in _skips(result):
        console.print(Text(f"  skipped in {name}: {why}", "dim"), soft_wrap=True)
    console.print(Text(f"  {folder}", "dim"), soft_wrap=True)
    console.print(Text(f"  {suite_line(result)}.", STYLES[result.outcome]), soft_wrap=True)


# -- the same facts in each


def _name(result: SuiteResult) -> str:
    return f"{result.record.suite}{', quick' if result.record.quick else ''}"


def _counts(part: JudgedPart) -> str:
    """`93 passed, 2 skipped`, the worst first."""
    order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS, Outcome.NOTE, Outcome.SKIP)
    return ", ".join(f"{n} {WORDS[o]}" for o in order if (n := part.counts.get(o, 0))) or NOTHING


def _time(part: JudgedPart) -> str:
    seconds = part.record.seconds
    return NOTHING if seconds is None else format_value(seconds, SECONDS)


def _why(part: JudgedPart) -> str:
    """Why a part is neither passed nor failed."""
    if part.problem:
        return part.problem
    return "; ".join(few(part.skips)) if part.outcome is Outcome.SKIP else ""


def _needing(result: SuiteResult) -> list[JudgedPart]:
    """The parts that need a look: failed first, then those that could not tell."""
    return [
        part
        for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE)
        for part in result.parts
        if part.outcome is outcome
    ]


def _troubles(part: JudgedPart) -> list[Judged]:
    return needing(part.run.judged) if part.run else []


def _skips(result: SuiteResult) -> list[tuple[str, str]]:
    """What was skipped in which part, and why."""
    return [(p.record.name, "; ".join(few(p.skips))) for p in result.parts if p.skips]


def _environment(result: SuiteResult) -> list[tuple[str, str]]:
    record = result.record
    told = [
        *surroundings(record.target, record.fingerprint),
        ("suite", f"{_name(result)}, sha256 {record.suite_sha256}"),
        ("only", ", ".join(record.only)),
        ("started", record.started_at),
        ("ended", record.ended_at or ""),
    ]
    return [(name, value) for name, value in told if value]


# -- JSON


def _document(result: SuiteResult) -> dict[str, Any]:
    """`document` says what most keys hold; the rest of a part is in its own result.json."""
    record = result.record
    return {
        "schema": SCHEMA,
        "kind": "suite",
        "outcome": result.outcome.value,
        "exit_code": result.exit_code,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "suite": {
            "name": record.suite,
            "sha256": record.suite_sha256,
            "question": result.suite.question,
            "quick": record.quick,
            "only": list(record.only),
        },
        "target": asdict(record.target),
        "environment": asdict(record.fingerprint),
        "parts": [_part_document(part) for part in result.parts],
    }


def _part_document(part: JudgedPart) -> dict[str, Any]:
    return {
        "name": part.record.name,
        "scenario": part.record.scenario,
        "asked": dict(part.record.asked),
        "outcome": part.outcome.value,
        "counts": {outcome.value: part.counts.get(outcome, 0) for outcome in Outcome},
        "seconds": part.record.seconds,
        "problem": part.problem,
        "skipped": list(part.skips),
        "verdicts": [verdict_document(judged) for judged in _troubles(part)],
    }


# -- Markdown


def _markdown(result: SuiteResult) -> Iterator[str]:
    yield f"# {_name(result)}: {suite_line(result)}"
    for part in _needing(result):
        yield from section(f"{WORDS[part.outcome]}: {part.record.name}", _markdown_part(part))
    passed = result.outcome is Outcome.PASS
    yield from folded("Parts", table(HEAD, map(_row, result.parts)), opened=not passed)
    if skips := _skips(result):
        yield from folded("Skipped, and why", (f"- `{n}`: {escape(why)}" for n, why in skips))
    yield from folded("Environment", table(("", ""), _environment(result)))


def _markdown_part(part: JudgedPart) -> Iterator[str]:
    if part.problem:
        yield escape(part.problem)
    found = _troubles(part)
    for place, judged in enumerate(found[:TOLD]):
        _, *lines = trouble(judged) if place == 0 and not part.problem else ("", *trouble(judged))
        yield from lines
    if len(found) > TOLD:
        yield ""
        yield f"And {len(found) - TOLD} more, in `{part.record.name}/report.md`."


def _row(part: JudgedPart) -> tuple[str, ...]:
    return (part.record.name, WORDS[part.outcome], _counts(part), _time(part))


# -- the page


def _page(result: SuiteResult) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>muse-bench, {html(_name(result))}</h1>"
    yield f'<p class="verdict {result.outcome.value}">{html(suite_line(result))}</p>'
    yield f'<p class="question">{html(result.suite.question)}</p>'
    yield "</header>"
    yield "<main>"
    if needing := _needing(result):
        yield from html_section("What needs a look", _html_needing(needing))
    yield from html_section("Parts", _html_parts(result))
    if skips := _skips(result):
        yield from html_section("Skipped, and why", pairs(skips))
    yield from html_section("Environment", pairs(_environment(result)))
    yield "</main>"
    yield FOOTER


def _html_needing(parts: Iterable[JudgedPart]) -> Iterator[str]:
    for part in parts:
        found = _troubles(part)
        yield "<article>"
        yield f"<h3>{_link(part)}</h3>"
        if part.problem:
            yield f"<p>{html(part.problem)}</p>"
        yield from told_troubles(found[:TOLD], getattr(part.run, "turns", ()), level=4)
        if len(found) > TOLD:
            yield f"<p>And {len(found) - TOLD} more, in {_link(part, 'its report')}.</p>"
        yield "</article>"


def _html_parts(result: SuiteResult) -> Iterator[str]:
    head = "".join(f'<th scope="col">{title}</th>' for title in (*HEAD, "question"))
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Parts">'
    yield f'<table class="checks parts"><thead><tr>{head}</tr></thead><tbody>'
    for part in result.parts:
        outcome = f'<span class="{part.outcome.value}">{WORDS[part.outcome]}</span>'
        asked = ", ".join(f"{name} {value}" for name, value in part.record.asked.items())
        aside = f"<small>{html(asked)}</small>" if asked else ""
        yield (
            f'<tr><th scope="row" class="left">{_link(part)}{aside}</th><td>{outcome}</td>'
            f'<td>{html(_counts(part))}</td><td class="time">{html(_time(part))}</td>'
            f'<td class="promise">{html(_question(part))}</td></tr>'
        )
    yield "</tbody></table></div>"


def _link(part: JudgedPart, said: str = "") -> str:
    name = html(part.record.name)
    shown = html(said) or name
    return f'<a href="{name}/report.html">{shown}</a>' if part.run else shown


def _question(part: JudgedPart) -> str:
    return str(getattr(getattr(part.run, "scenario", None), "question", ""))


# -- JUnit


def _junit(result: SuiteResult, junits: Mapping[str, str]) -> str:
    """The suites of all parts under one root; a part that could not be judged is an error."""
    root = ET.Element("testsuites", name=f"muse-bench {_name(result)}")
    for part in result.parts:
        if part.record.name in junits:
            own = ET.fromstring(junits[part.record.name])  # noqa: S314 - written by us
            own_name = part.record.scenario.removesuffix(".toml")
            prefix = "" if part.record.name == own_name else f"{part.record.name}: "
            for suite in own.findall("testsuite"):
                suite.set("name", f"{prefix}{suite.get('name')}")
                root.append(suite)
        if part.problem:
            root.append(_broken(part))
    total = Counter[str]()
    for suite in root:
        total.update(
            {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
        )
    for key, number in total.items():
        root.set(key, str(number))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _broken(part: JudgedPart) -> ET.Element:
    name = part.record.name
    suite = ET.Element(
        "testsuite", name=f"{name}: the part", tests="1", failures="0", errors="1", skipped="0"
    )
    case = ET.SubElement(suite, "testcase", classname=name, name="is played to its end")
    ET.SubElement(case, "error", message=clean(part.problem))
    return suite
