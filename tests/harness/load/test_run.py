"""A run of load goes through its phases, leaves everything on disk, and is told from there."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import ScenarioError, TargetUnreachable
from harness.kinds import derive, kind_of, reports_of
from harness.load.plan import plan_load
from harness.load.scenario import parse_load
from harness.load.seen import Fate
from harness.results import read_text
from harness.trace import read_traces

if TYPE_CHECKING:
    Stage = Any
    """What the fixture holds: play, worker, folder, text."""


def test_the_phases_follow_one_another(stage: Stage) -> None:
    """No request of a phase is sent before the last one of the phase before has ended."""
    result = stage.play()

    phases = ("alone", "loop", "burst", "gone")
    begins = [min(each.sent_s for each in result.of(phase)) for phase in phases]
    ends = [max(each.closed_s for each in result.of(phase)) for phase in phases]
    assert all(end <= begin for end, begin in zip(ends, begins[1:], strict=False))
    assert [len(result.of(phase)) for phase in phases] == [4, 9, 5, 6]
    assert result.unplayed == ()


def test_a_server_that_lists_no_model_is_asked_for_the_one_that_was_named(stage: Stage) -> None:
    """Between the phases, too, when it is asked whether it still lives."""
    stage.model = "mine"

    result = stage.play(models=())

    assert {each.trace.request["model"] for each in result.requests} == {"mine"}
    assert result.unplayed == ()


def test_probes_go_on_all_the_time(stage: Stage) -> None:
    """Each at its time, whether the one before was answered or not."""
    result = stage.play(health_waits=True)

    sent = [probe.sent_s for probe in result.probes["/health"]]
    gaps = {round(after - before, 3) for before, after in pairwise(sent)}
    assert gaps == {0.075}
    assert sent[-1] > max(each.sent_s for each in result.of("gone"))
    assert len(result.probes["/api/runtime"]) == len(sent)


def test_a_target_that_dies_on_the_way_is_told_and_what_was_played_is_kept(stage: Stage) -> None:
    """The error is the target's own, not one of a group; the phases behind were not played."""
    with pytest.raises(TargetUnreachable):
        stage.play(dies=3)  # met, still there after the client alone, and gone after the loop

    result: Any = derive(stage.folder)
    assert result.record.stopped.startswith("the target is gone: no answer from http://worker")
    assert {label.leg.partition(".")[0] for label in result.unplayed} == {"burst", "gone"}


def test_whoever_was_given_up_asks_no_more(stage: Stage) -> None:
    """A server that hangs from its second request on costs each client its patience once."""
    result = stage.play(hangs=2)

    given_up = [r.planned.client for r in result.requests if r.fate is Fate.GIVEN_UP]
    assert [client for client in given_up if client.startswith("c")] == ["c0", "c1", "c2", "c3"]
    assert len(result.unplayed) == 2 + 3 * 2
    assert result.exit_code == 1


def test_who_has_a_place_keeps_it_to_the_end_and_gives_it_back(stage: Stage) -> None:
    """The first client of the loop has the one place, so a stranger of the burst has none."""
    result = stage.play()

    assert {each.planned.session for each in result.of("loop")} == {"bench-salt-c1", ""}
    assert [e.planned.client for e in result.of("burst") if e.fate.value == "refused"] == ["b3"]
    assert stage.worker.closed == ["/v1/sessions/bench-salt-c1"]


def test_the_result_is_derived_again_from_disk(stage: Stage) -> None:
    """By the command's own way, to the byte."""
    stage.play()

    assert kind_of(read_text(stage.folder / "scenario.toml")).name == "load"
    reports = reports_of(derive(stage.folder))
    assert {name: (stage.folder / name).read_text(encoding="utf-8") for name in reports} == reports


def test_the_report_tells_clients_phases_and_probes(stage: Stage) -> None:
    """Per client, alone against loaded, the probes' times, and what became of the burst."""
    stage.play()
    told = (stage.folder / "report.md").read_text(encoding="utf-8")
    result = json.loads((stage.folder / "result.json").read_text(encoding="utf-8"))

    assert "| c2 | anonymous | 3 | 3 | 3 | " in told
    assert "| TTFT | 100 ms (n = 3) | " in told
    assert "| /health | loaded | " in told
    assert "| burst | b3 | " in told
    page = (stage.folder / "report.html").read_text(encoding="utf-8")
    assert "TTFT, alone: median 100 ms of 100 ms, 100 ms, 100 ms" in page
    assert "probes, /health, loaded: median " in page
    assert result["kind"] == "load"
    assert result["alone"] == pytest.approx({"ttft": 0.1, "to_done": 0.2, "tpot": 0.02})
    assert result["limits"]["ttft"] == pytest.approx(1.5 * (0.1 + 2 * 0.2))


def test_a_percentile_is_told_only_of_enough_probes(stage: Stage) -> None:
    """95 % needs 59 of them."""
    result = stage.play()
    (row,) = [
        line
        for line in (stage.folder / "report.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| /health | alone |")
    ]

    assert len(result.probes["/health"]) - len(result.loaded("/health")) < 59
    assert row.endswith("| 2.00 ms | — | — | 2.00 ms | 0 |")


def test_every_request_is_new_and_every_client_has_a_fact_of_its_own(stage: Stage) -> None:
    """And two runs with one seed tell the same facts, and no two begin a prompt alike."""
    load = parse_load(stage.text, Path("some.toml"))
    one = plan_load(load, rounds=2, seed=1, salt="a", places=1).requests
    two = plan_load(load, rounds=2, seed=1, salt="b", places=1).requests

    assert len({each.messages[0]["content"] for each in (*one, *two)}) == len(one) + len(two)
    assert [each.canary for each in one] == [each.canary for each in two]
    clients = {each.client for each in one}
    assert len({each.canary for each in one}) == len(clients)


def test_old_traces_are_on_no_common_clock(stage: Stage) -> None:
    """Where nobody noted when a request was sent, nothing is said about order."""
    stage.play()
    lines = (stage.folder / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    old = [{**json.loads(line), "sent_at_ns": None} for line in lines]
    (stage.folder / "trace.jsonl").write_text("".join(json.dumps(each) + "\n" for each in old))

    assert len(list(read_traces(stage.folder / "trace.jsonl"))) == len(lines)
    assert derive(stage.folder).exit_code == 3


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("number is {canary}", "number", "tells: lacks {canary}"),
        ("What is it?", "Is it {canary}?", "asks: gives away {canary}"),
        ("strangers = 1", "strangers = 5", "load.burst.strangers: leaves nobody"),
        ("{nonce}", "{other}", "system: "),
        ("clients = 3", "clients = 1", "load.clients: "),
    ],
)
def test_a_mistake_is_told_with_its_key(stage: Stage, before: str, after: str, said: str) -> None:
    """File, line, key and what is wrong."""
    with pytest.raises(ScenarioError) as caught:
        parse_load(stage.text.replace(before, after), Path("some.toml"))

    assert said in str(caught.value)
    assert str(caught.value).startswith("some.toml:")
