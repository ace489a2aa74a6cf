"""What is on the page of a gate, and where?"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from harness.gate.record import Side
from harness.gate.result import CheckRow, Ruling, Sample, StartValue
from harness.report.gate.links import link_of_start, link_to
from harness.report.gate.matrix import LONG
from harness.report.gate.page import gate_page
from harness.report.gate.text import escape
from harness.verdict import Outcome
from tests.harness.report.gate.examples import ANSWERS, EXAMPLES, METRICS, gate, measured, swapped

GOLDEN = Path(__file__).parents[3] / "data" / "golden-run"
TRACE = "salt-r1-warm-t1"


def row_of(page: str, title: str) -> str:
    """The row of the forest plot that tells a metric."""
    rows: list[str] = re.findall(r'<tr role="row">.*?</tr>', page, re.DOTALL)
    return next(row for row in rows if f">{title}</a>" in row)


def titles(page: str) -> list[str]:
    """The sections, in order."""
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page)


def test_the_order_is_that_of_a_readers_questions() -> None:
    """Verdict, what to do, what changed, how much, and only then how it was measured."""
    page = gate_page(EXAMPLES["inconclusive"]())

    assert titles(page) == [
        "What changed",
        "Metrics",
        "Every start",
        "Over the session",
        "Correctness",
        "Answers",
        "To be known",
        "Environment",
        "Settings",
    ]
    assert page.index('class="verdict') < page.index("<strong>Next.") < page.index("<nav")


def test_allowed_differences_stand_above_everything_that_was_measured() -> None:
    """Whoever reads no further has read them."""
    page = gate_page(EXAMPLES["urls"]())

    assert "os: 24.04 on the baseline, 24.10 on the candidate" in page
    assert page.index("Allowed differences") < page.index("<nav")


def test_a_comparison_that_was_not_interleaved_says_so_before_anything_else() -> None:
    """Right below the verdict, in every form that people read."""
    page = gate_page(EXAMPLES["not-interleaved"]())

    assert page.index("Not interleaved.") < page.index('class="question"')


def test_a_comparison_joins_no_pairs_and_claims_no_session() -> None:
    """Its values are of two sessions: nothing in it was a pair, and nothing drifted."""
    page = gate_page(EXAMPLES["not-interleaved"]())

    assert 'class="join"' not in page
    assert {"Over the session"} & set(titles(page)) == set()
    assert "joins the two starts" not in page
    assert "gate.json" not in page


def test_a_hash_is_short_to_the_eye_and_whole_when_it_is_copied() -> None:
    """Its text is the whole; the style cuts it."""
    page = gate_page(gate())
    whole = "77aa" * 16

    assert f'<code class="hash" tabindex="0" title="{whole}">{whole}</code>' in page


def test_a_row_of_the_forest_tells_in_words_what_it_draws() -> None:
    """Nothing is said by colour or place alone."""
    row = row_of(gate_page(EXAMPLES["fail-statistics"]()), "Decode rate")

    assert "<desc>ratio 0.877, 14.0 % worse; 90 % interval [0.869, 0.886]; worse is below 1" in row
    assert "the margin ends at 0.952; 6 pairs; fail, found again</desc>" in row
    assert "\N{LEFTWARDS ARROW} worse" in row
    assert SHAPE["diamond"] in row


SHAPE = {"circle": '<circle r="4"/>', "diamond": 'd="M0-5.5', "square": 'd="M-4-4H4'}


@pytest.mark.parametrize(
    ("ruling", "shape"),
    [(Ruling.PASS, "circle"), (Ruling.FAIL, "diamond"), (Ruling.INCONCLUSIVE, "square")],
)
def test_each_ruling_has_a_shape_of_its_own(ruling: Ruling, shape: str) -> None:
    """Who sees no colours sees what a point says."""
    result = gate()
    page = gate_page(
        replace(result, metrics=swapped(result, measured(METRICS[0], 1, ruling=ruling)))
    )

    assert SHAPE[shape] in row_of(page, "Decode rate")


def test_an_interval_that_is_cut_ends_in_arrows() -> None:
    """Far out is not at the edge, and does not look so."""
    result = gate()
    wide = replace(result.metrics[0], ratio=1.0, low=0.3, high=3.0)

    row = row_of(gate_page(replace(result, metrics=swapped(result, wide))), "Decode rate")

    assert row.count('d="M0 0') == 2


def test_metrics_that_cannot_fail_the_gate_stand_apart() -> None:
    """Under a title of their own, with what their change is worth."""
    page = gate_page(gate())
    gated, shown = page.index(">Gated</h3>"), page.index(">Shown only</h3>")

    assert gated < page.index(">Stop latency</a>") < shown < page.index(">Load time</a>")
    assert 'data-name="q">0.370' in row_of(page, "Load time")


def test_the_pairs_of_a_fresh_block_are_drawn_apart() -> None:
    """What found a fail is not what has to find it again."""
    with_fresh, without = (gate_page(EXAMPLES[n]()) for n in ("fail-statistics", "pass"))

    assert "Decode rate, fresh block, by side" in with_fresh
    assert 'class="fresh"' in with_fresh
    assert "fresh block" not in without


def test_a_value_from_a_busy_machine_is_drawn_hollow_and_said_to_be_dirty() -> None:
    """In the drawing and in the table."""
    page = gate_page(gate())

    assert 'class="leg-0 point hollow"' in page
    assert "<small>1 dirty</small>" in page


def test_failed_checks_come_first_and_those_that_hold_are_folded() -> None:
    """Both sides side by side, with what shows it."""
    page = gate_page(EXAMPLES["fail-correctness"]())
    open_part, folded = page.split("<summary>8 checks hold</summary>")

    assert "<code>reuse.exact_prefix</code>" in open_part
    assert 'href="suites/candidate/exact-prefix/report.html#trace-t4711"' in open_part
    assert "fails on both sides, and so is no change" in open_part
    assert "<code>leak.none</code>" in folded


def test_answers_stand_side_by_side_from_where_they_part() -> None:
    """What both begin with is dimmed, the rest underlined; one that ends says so."""
    page = gate_page(gate())

    assert '<span class="same">Yes.</span><span class="differs"> It opens at nine.</span>' in page
    assert "(ends here)" in page


def test_a_long_answer_is_cut_on_both_ends() -> None:
    """The page stays one that opens."""
    diff = replace(ANSWERS.diffs[0], baseline="a" * 9_000, candidate="a" * 500, agree=500)
    page = gate_page(replace(gate(), answers=replace(ANSWERS, diffs=(diff,))))

    assert f"({8_500 - LONG} more)" in page
    assert "a" * (LONG + 1) not in page


def test_what_steers_a_reader_is_spelled_out() -> None:
    """A text that runs backwards reads otherwise than it is."""
    assert escape("a\u202eb\x1b<\tc\n") == "a\\u202eb\\x1b&lt;\tc\n"


def test_a_gate_without_metrics_says_that_nothing_was_measured() -> None:
    """An empty section would look like one that passed."""
    page = gate_page(EXAMPLES["fail-correctness"]())

    assert "No pair of starts was measured." in page
    assert "Every start" not in titles(page)


# -- links


def test_a_trace_is_told_in_the_report_of_its_run() -> None:
    """By the run's folder and the trace's id, whatever characters they have."""
    assert link_to("starts/001-baseline/talk#a b/c") == (
        "starts/001-baseline/talk/report.html#trace-a%20b%2Fc"
    )
    assert link_to("suites/candidate/talk") == "suites/candidate/talk/report.html"
    assert link_to("javascript:alert(1)#x").startswith("javascript%3A")
    assert link_to("/etc/talk#x").startswith("etc/")


def test_the_value_of_a_start_leads_to_the_turn_in_its_middle() -> None:
    """A number of the start itself leads to its record."""
    of_turns = StartValue(
        7, Side.CANDIDATE, 4, confirms=False, value=2.0,
        samples=(Sample(1.0, "r#a"), Sample(2.0, "r#b"), Sample(9.0, "r#c")),
    )  # fmt: skip
    of_start = replace(of_turns, samples=())

    assert link_of_start(of_turns) == "r/report.html#trace-b"
    assert link_of_start(of_start) == "starts/007-candidate/start.json"


def test_every_link_leads_to_something_in_the_gates_folder(tmp_path: Path) -> None:
    """Files are there, and so are the places in them."""
    result = gate()
    starts = tuple(
        StartValue(
            index, side, 1, confirms=False, value=1.0 + index,
            samples=(Sample(1.0 + index, f"starts/00{index}-{side.value}/talk#{TRACE}"),),
        )
        for index, side in enumerate(Side, 1)
    )  # fmt: skip
    own = tuple(replace(start, samples=()) for start in starts)
    row = CheckRow(
        "talk", "reuse.exact_prefix", "", {Outcome.PASS: 1}, {Outcome.FAIL: 1}, Ruling.FAIL,
        evidence=(f"suites/candidate/talk#{TRACE}", "suites/candidate/talk"),
    )  # fmt: skip
    diff = replace(
        ANSWERS.diffs[0],
        trace_baseline=f"starts/001-baseline/talk#{TRACE}",
        trace_candidate=f"starts/002-candidate/talk#{TRACE}",
    )
    whole = replace(
        result,
        metrics=(
            replace(result.metrics[0], starts=starts),
            replace(result.metrics[6], starts=own),
        ),
        checks=(row,),
        answers=replace(ANSWERS, diffs=(diff,)),
    )
    for start in starts:
        run = tmp_path / "starts" / f"00{start.start}-{start.side.value}"
        shutil.copytree(GOLDEN, run / "talk")
        (run / "start.json").write_text("{}")
    shutil.copytree(GOLDEN, tmp_path / "suites" / "candidate" / "talk")

    links = {
        href for href in re.findall(r'href="([^"]+)"', gate_page(whole)) if not href.startswith("#")
    }

    assert len(links) == 6
    for href in links:
        path, _, fragment = href.partition("#")
        assert (tmp_path / unquote(path)).is_file(), href
        if fragment:
            text = (tmp_path / unquote(path)).read_text(encoding="utf-8")
            assert f'id="{unquote(fragment)}"' in text, href
