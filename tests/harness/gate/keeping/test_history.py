"""Accepted gates over time: every machine for itself, and what changed is marked."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.cli import main
from harness.gate.baseline import Accepted, accepted_of, keep_accepted
from harness.gate.history import history_of
from harness.report.console import open_console
from harness.report.history import change_line, history_page, show_history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.fingerprint import Fingerprint
    from harness.gate.result import GateResult

    Gate = Callable[..., GateResult]
    Made = Callable[[Sequence[float]], tuple[Accepted, ...]]

SLOWER = (0.100, 0.101, 0.099, 0.100, 0.110, 0.111, 0.109, 0.110)


@pytest.fixture(name="accepted")
def _accepted(gate: Gate) -> Made:
    """Makes accepted gates, a day apart, whose candidates took so many seconds."""

    def made(seconds: Sequence[float]) -> tuple[Accepted, ...]:
        return tuple(
            accepted_of(
                gate(pairs=((0.1, s), (0.101, s)), started_at=f"2026-11-{day:02d}T12:00:00+00:00")
            )
            for day, s in enumerate(seconds, 1)
        )

    return made


def shown(*given: object) -> str:
    """What the console prints."""
    out = io.StringIO()
    show_history(given, open_console(out))  # type: ignore[arg-type]
    return out.getvalue()


def test_a_change_is_told_with_its_day_and_which_way_it_went(accepted: Made) -> None:
    """Slower is worse, of seconds."""
    (history,) = history_of("small", accepted(SLOWER))
    (line,) = history.lines

    (change,) = line.changes

    assert change_line(line, change).startswith(
        "TTFT 10.0% up, for the worse, since 2026-11-05 (new), p "
    )


def test_a_change_for_the_better_is_one_too(accepted: Made) -> None:
    """Read backwards, it was quicker."""
    (history,) = history_of("small", accepted(SLOWER[::-1]))
    (line,) = history.lines

    assert "down, for the better, since 2026-11-05" in change_line(line, line.changes[0])


def test_machines_are_never_pooled(accepted: Made, elsewhere: Fingerprint) -> None:
    """Half of the gates on another machine: no line is long enough, and the page says so."""
    there = f"{elsewhere.processor}, 10 cores, 32 GiB, Darwin arm64"
    mixed = tuple(
        replace(each, machine=there) if at >= 4 else each
        for at, each in enumerate(accepted(SLOWER))
    )

    histories = history_of("small", mixed)

    assert [len(each.lines[0].points) for each in histories] == [4, 4]
    assert [each.lines[0].changes for each in histories] == [(), ()]
    assert history_page(histories).count("4 accepted; a change needs 6 to show") == 2


def test_the_console_has_a_row_a_gate_and_marks_the_change(accepted: Made) -> None:
    """With its value and the pin."""
    text = shown(*history_of("small", accepted(SLOWER)))

    assert re.search(r"2026-11-05\s+new b2\s+110 ms ▲", text)
    assert len(re.findall(r"2026-11-\d\d\s+new b2", text)) == 8


def test_the_page_draws_every_gate_and_loads_nothing(accepted: Made) -> None:
    """A dot each, a stroke at the change, and a level on both sides."""
    page = history_page(history_of("small", accepted(SLOWER)))

    assert page.count('class="sample"') == 8
    assert page.count('class="level"') == 2
    assert page.count('class="middle"') == 1
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert ".panels {" in page


def test_what_turns_the_order_of_reading_round_is_spelled_out(accepted: Made) -> None:
    """The name of a pin is a text of others, and stays one."""
    gates = accepted(SLOWER)
    page = history_page(history_of("small", (*gates[:-1], replace(gates[-1], pin="a\u202eb"))))

    assert "a\\u202eb" in page
    assert "\u202e" not in page


def test_a_metric_of_which_the_unit_changed_begins_anew(accepted: Made) -> None:
    """Values of two units are no series."""
    gates = accepted(SLOWER)
    odd = replace(gates[0].metrics["ttft"], unit="B")
    changed = (replace(gates[0], metrics={"ttft": odd}), *gates[1:])

    (history,) = history_of("small", changed)

    assert len(history.lines[0].points) == 7


def test_one_gate_is_a_history(accepted: Made) -> None:
    """Of one dot in the middle."""
    page = history_page(history_of("small", accepted((0.1,))))

    assert 'cx="50%"' in page
    assert "1 accepted gate, 1 machine" in page


def called(*words: str) -> tuple[int, str, str]:
    """Exit code, and what is printed on both streams."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["history", *words], out, err)
    return code, out.getvalue(), err.getvalue()


def test_the_command_tells_and_writes_a_page(accepted: Made, tmp_path: Path) -> None:
    """Of what is kept below the folder of reports."""
    for each in accepted(SLOWER):
        keep_accepted(each, "small", tmp_path / "baselines")

    code, out, err = called("--reports", str(tmp_path), "--out", str(tmp_path / "page.html"))

    assert (code, err) == (0, "")
    assert "TTFT 10.0% up, for the worse" in out
    assert "TTFT 10.0% up, for the worse" in (tmp_path / "page.html").read_text()


def test_the_command_says_what_to_do_where_nothing_is_kept(tmp_path: Path) -> None:
    """And which policies there are, where there is none of that name."""
    assert called("--reports", str(tmp_path))[0] == 2
    assert "try muse-bench accept GATEDIR" in called("--reports", str(tmp_path))[2]
    assert "known: none" in called("--reports", str(tmp_path), "--policy", "x")[2]
