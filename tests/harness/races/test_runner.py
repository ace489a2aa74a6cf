"""Races on a track: each bad manner of a target is red in the check that is about it, and there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.races.runner import rederive_races
from harness.report.races import tell_races
from harness.report.sheets import sheet_reports
from harness.results import RunFolder
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from harness.races.judge import RacesResult

    Race = Callable[..., RacesResult]
    MakeTrack = Callable[..., Any]


def failed(result: RacesResult) -> dict[str, set[str]]:
    """The checks that failed, each with its cells."""
    found: dict[str, set[str]] = {}
    for judged in result.judged:
        if judged.verdict.outcome is Outcome.FAIL:
            found.setdefault(judged.verdict.check, set()).add(judged.about)
    return found


def test_a_target_with_manners_keeps_every_promise(
    race: Race, track: MakeTrack, tmp_path: Path
) -> None:
    """Every cell is raced once, every moment hit, and every check passes."""
    result = race(tmp_path, track())

    assert {j.verdict.outcome for j in result.judged} == {Outcome.PASS}
    assert (len(result.cells), len(result.turns), result.unplayed) == (56, 56, ())
    assert all(seen.hit for seen in result.turns)
    assert {j.verdict.check for j in result.judged} == {
        "cancel.acknowledged",
        "cancel.agrees",
        "cancel.frees",
        "cancel.idle",
        "cancel.next_turn",
        "cancel.places",
        "cancel.quiet",
        "cancel.spares",
        "cancel.untouched",
        "resume.accounts",
    }


@pytest.mark.parametrize(
    ("fault", "check", "ways"),
    [
        ("loses cancels", "cancel.quiet", {"request", "session", "twice", "behind"}),
        ("drips", "cancel.quiet", {"request", "session", "twice", "behind"}),
        ("endless", "cancel.quiet", {"request", "session", "twice", "behind"}),
        ("deaf", "cancel.frees", {"close", "both"}),
        ("garbles", "cancel.next_turn", {"request", "session", "close", "both", "twice", "behind"}),
        ("denies", "cancel.agrees", {"request", "session", "twice", "behind"}),
    ],
)
def test_a_bad_manner_is_red_in_its_check_and_there_alone(
    race: Race,
    track: MakeTrack,
    scenario: Callable[..., str],
    tmp_path: Path,
    fault: str,
    check: str,
    ways: set[str],
) -> None:
    """With the ways that show it, and none of the others."""
    text = scenario(("queued", "prefill", "content", "done"))

    found = failed(race(tmp_path, track(fault), text, rounds=28))

    assert set(found) == {check}
    assert {cell.partition(", ")[2] for cell in found[check]} == ways


@pytest.mark.parametrize(
    ("fault", "check"),
    [("spins", "cancel.idle"), ("miscounts", "resume.accounts"), ("strays", "cancel.spares")],
)
def test_what_every_cell_shows_is_red_in_one_check(
    race: Race,
    track: MakeTrack,
    scenario: Callable[..., str],
    tmp_path: Path,
    fault: str,
    check: str,
) -> None:
    """And in no other."""
    text = scenario(("queued", "reasoning", "done"), ("request", "session", "close"))

    found = failed(race(tmp_path, track(fault), text, rounds=9))

    assert set(found) == {check}
    assert len(found[check]) > 4


@pytest.mark.parametrize(("rounds", "told"), [(1, 0), (2, 1)])
def test_a_share_of_less_than_one_race_is_no_promise_that_was_kept(
    race: Race,
    track: MakeTrack,
    scenario: Callable[..., str],
    tmp_path: Path,
    rounds: int,
    told: int,
) -> None:
    """Nine tenths of one race are none, and of two races one."""
    text = scenario(("content",), ("request",))

    result = race(tmp_path, track(), text, rounds=rounds)

    hits = [j for j in result.judged if j.verdict.check == "cancel.hits"]
    assert len(hits) == told


def test_a_leaked_place_is_told_where_it_was_lost(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """One cell, one race: the place that the stopped turn had is gone for good."""
    text = scenario(("content",), ("request",))

    found = race(tmp_path, track("leaks"), text, rounds=1)

    assert failed(found) == {"cancel.places": {"content, request"}}
    assert found.unplayed == ()


def test_races_that_find_no_place_are_not_counted_as_run(
    race: Race, track: MakeTrack, tmp_path: Path
) -> None:
    """Once all places are lost nothing can be raced; that is told as unplayed."""
    result = race(tmp_path, track("leaks"))

    assert set(failed(result)) == {"cancel.places"}
    assert len(result.unplayed) + len(result.turns) == 56
    assert len(result.turns) < 10


def test_a_cancel_for_another_session_must_not_be_obeyed(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """It is wrong to accept it, and wrong to act on it."""
    text = scenario(("content", "prefill"), ("wrong",))

    found = failed(race(tmp_path, track("obeys strangers"), text, rounds=8))

    assert found == {
        "cancel.acknowledged": {"content, wrong", "prefill, wrong"},
        "cancel.untouched": {"content, wrong", "prefill, wrong"},
    }


def test_a_turn_that_is_over_cannot_be_cancelled(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """To say otherwise is a failure, though nothing happens."""
    text = scenario(("done",), ("request", "close"))

    found = failed(race(tmp_path, track("always true"), text, rounds=2))

    assert found == {"cancel.acknowledged": {"done, request"}}


def test_the_second_of_two_cancels_must_be_answered_too(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """Twice is as good as once."""
    text = scenario(("reasoning",), ("twice",))

    found = failed(race(tmp_path, track("fails the second"), text, rounds=4))

    assert found == {"cancel.acknowledged": {"reasoning, twice"}}


def test_a_failure_shows_what_was_done_and_what_came(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """The answer to the cancel, and the text that came behind it."""
    text = scenario(("content",), ("request",))

    result = race(tmp_path, track("loses cancels"), text, rounds=2)
    (verdict,) = (j.verdict for j in result.judged if j.verdict.outcome is Outcome.FAIL)

    assert verdict.message.startswith("2 of 2: ")
    shown = "\n".join(evidence.excerpt for evidence in verdict.evidence)
    assert "cancel.ack" in shown
    assert "Delta(channel=" in shown
    kept = {trace.raced.trace.trace_id for trace in result.turns}
    assert {evidence.trace_id for evidence in verdict.evidence} == kept


def test_a_server_of_which_nothing_is_known_is_raced_as_far_as_it_goes(
    race: Race, track: MakeTrack, tmp_path: Path
) -> None:
    """No cancel, no sessions, no status frames: connections can be closed all the same."""
    result = race(tmp_path, track(runtime=None), kind="url")

    raced = {(c.cell.point.value, c.cell.way.value) for c in result.cells if c.races}
    points = {"reasoning", "content", "last", "done"}
    assert raced == {(point, way) for point in points for way in ("close", "behind")}
    assert failed(result) == {}
    skipped = {c.cell.name: c.skipped for c in result.cells if not c.races}
    assert "cancel" in skipped["content, request"]
    assert "status" not in skipped["content, request"]
    assert "do not tell how a turn stands" in skipped["prefill, close"]
    assert "claims vision" in skipped["vision, close"]
    assert "no speculative round" in skipped["round, close"]
    whole = {j.verdict.check: j.verdict.outcome for j in result.judged if j.about == "every cell"}
    assert whole == dict.fromkeys(("resume.accounts", "cancel.places", "cancel.idle"), Outcome.SKIP)


def test_a_cell_without_a_race_is_neither_passed_nor_skipped(
    race: Race, track: MakeTrack, tmp_path: Path
) -> None:
    """Where there are fewer races than cells, the others were not raced, and that is said."""
    result = race(tmp_path, track(), rounds=50)

    bare = [cell for cell in result.cells if not cell.races]
    assert (len(bare), {cell.outcome for cell in bare}) == (6, {None})
    assert sheet_reports(result, tell_races(result))["report.md"].count("| not raced |") == 6


def test_a_target_that_is_not_ours_is_not_looked_into(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """Its processes may have the same numbers as others here."""
    text = scenario(("content",), ("request",))

    result = race(tmp_path, track("spins"), text, rounds=1, kind="url")

    (idle,) = (j.verdict for j in result.judged if j.verdict.check == "cancel.idle")
    assert idle.outcome is Outcome.SKIP


def test_the_result_follows_from_what_is_on_disk(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """Derived twice, every report is the same to the letter, and says what the cells came to."""
    text = scenario(("content", "round"))
    result = race(tmp_path, track("deaf"), text, rounds=14)
    again = rederive_races(RunFolder(tmp_path))

    reports = sheet_reports(result, tell_races(result))
    assert reports == sheet_reports(again, tell_races(again))
    assert reports == {name: (tmp_path / name).read_text(encoding="utf-8") for name in reports}
    assert "| content | close | 1 | 1 | 0 | 1 |" in reports["report.md"]
    said = "14 races in 14 of 14 cells, 14 hit their moment, 4 broke a promise"
    assert said in reports["report.md"]


def test_stopped_turns_are_drawn_with_their_stop(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """Three of each point, and none that nobody meant to stop."""
    text = scenario(("reasoning", "content"))
    result = race(tmp_path, track(), text, rounds=28)

    told = tell_races(result)
    page = sheet_reports(result, told)["report.html"]

    assert [line.group for line in told.drawn] == ["reasoning"] * 3 + ["content"] * 3
    assert not any("wrong" in line.name for line in told.drawn)
    assert page.count('class="stop"') == len(told.drawn)


@pytest.mark.parametrize("manner", ["deaf", ""])
def test_every_verdict_on_races_names_what_shows_it(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path, manner: str
) -> None:
    """How often the moment was hit, too."""
    result = race(tmp_path, track(manner) if manner else track(), scenario(("content",)), rounds=14)

    told = [each.verdict for each in result.judged if each.verdict.outcome is not Outcome.SKIP]
    assert any(verdict.check == "cancel.hits" for verdict in told)
    assert all(verdict.evidence for verdict in told)


def test_percentiles_are_told_only_of_enough_races(
    race: Race, track: MakeTrack, scenario: Callable[..., str], tmp_path: Path
) -> None:
    """Sixty of one cell carry a p95, and no p99."""
    text = scenario(("content",), ("request",))

    result = race(tmp_path, track(), text, rounds=60)

    told = tell_races(result)
    (times,) = (sheet for sheet in told.sheets if sheet.title == "Times")
    by_head = [dict(zip(times.head, row.cells, strict=True)) for row in times.rows]
    free = next(row for row in by_head if row["time"] == "free")
    assert free["n"] == "60"
    assert free["p95"] != "—"
    assert free["p99"] == "—"
