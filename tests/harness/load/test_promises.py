"""Every fault of a server under load is found by the check that is there for it, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.load.judge import PROMISES
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.load.judge import LoadResult

    Play = Callable[..., LoadResult]


def outcomes(result: LoadResult, outcome: Outcome) -> dict[str, str]:
    """The checks that ended so, with what they are about."""
    return {j.verdict.check: j.about for j in result.judged if j.verdict.outcome is outcome}


def message(result: LoadResult, check: str) -> str:
    """What the worst verdict of a check says."""
    (said, *_) = [
        j.verdict.message
        for j in result.judged
        if j.verdict.check == check and j.verdict.outcome is not Outcome.PASS
    ]
    return said


def test_a_fair_server_keeps_every_promise(play: Play) -> None:
    """And every promise is asked."""
    result = play()

    bad = [j for j in result.judged if j.verdict.outcome is not Outcome.PASS]
    assert {j.verdict.check for j in bad} <= {"clocks.agree", "limits.window"}, bad
    assert {j.verdict.outcome for j in bad} <= {Outcome.SKIP}
    assert {j.verdict.check for j in result.judged} >= set(PROMISES)
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("faults", "checks"),
    [
        ({"swaps": True}, {"load.order"}),
        # Who is always overtaken is not served in good time either.
        ({"newest_first": True}, {"load.order", "load.goodput"}),
        ({"health_waits": True}, {"load.probes"}),
        ({"mixes": True}, {"load.unmixed"}),
        ({"keeps_gone": 1}, {"load.place_freed"}),
        ({"lies_ms": -90.0}, {"load.queue"}),
        ({"slow_ms": 600.0}, {"load.goodput"}),
        ({"places": 9}, {"load.refused"}),
        ({"refuses": (429, "", {})}, {"load.ends"}),
        ({"refuses": (429, "full", {"Retry-After": "soon"})}, {"load.ends"}),
        ({"refuses": (500, "broken", {})}, {"load.ends", "load.refused"}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_fault_is_found_where_it_is_looked_for(
    play: Play, faults: dict[str, Any], checks: set[str]
) -> None:
    """Red in exactly its check."""
    assert set(outcomes(play(**faults), Outcome.FAIL)) == checks


@pytest.mark.parametrize("faults", [{}, {"mixes": True}, {"swaps": True}, {"slow_ms": 600.0}])
def test_every_verdict_on_load_names_what_shows_it(play: Play, faults: dict[str, Any]) -> None:
    """Whether it was kept or broken."""
    judged = [each.verdict for each in play(**faults).judged if each.verdict.check[:5] == "load."]

    assert len(judged) > 8
    assert all(each.evidence for each in judged if each.outcome is not Outcome.SKIP)


def test_an_overtaken_request_is_named(play: Play) -> None:
    """With who overtook it, by how much, and both traces."""
    said = message(play(swaps=True), "load.order")

    assert "pairs were served in another order than they came; " in said
    assert " had its first token " in said


def test_whoever_is_never_answered_is_given_up(play: Play) -> None:
    """The run ends, and says who hung; nothing is concluded of those behind."""
    result = play(hangs=15)

    assert outcomes(result, Outcome.FAIL)["load.ends"] == "burst"
    assert "was not answered in 30 s" in message(result, "load.ends")
    assert "load.place_freed" in outcomes(result, Outcome.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("faults", "check"),
    [
        ({"health_waits": True}, "load.probes"),
        ({"keeps_gone": 9}, "load.place_freed"),
        ({"lies_ms": -90.0}, "load.queue"),
        ({"slow_ms": 600.0}, "load.goodput"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_on_a_busy_machine_what_takes_time_convicts_nobody(
    play: Play, faults: dict[str, Any], check: str
) -> None:
    """The same faults, and a machine that may have caused them: it cannot be told, and says why."""
    result = play(**faults, marks={"busy": 0.9})

    assert outcomes(result, Outcome.FAIL) == {}
    assert check in outcomes(result, Outcome.INCONCLUSIVE)
    assert "turns dirty (busy " in message(result, check)


@pytest.mark.parametrize(
    ("faults", "check"), [({"mixes": True}, "load.unmixed"), ({"places": 9}, "load.refused")]
)
def test_a_busy_machine_excuses_nothing_else(
    play: Play, faults: dict[str, Any], check: str
) -> None:
    """An answer that went to the wrong client is wrong at any speed."""
    assert check in outcomes(play(**faults, marks={"busy": 0.9}), Outcome.FAIL)


def test_what_passes_on_a_busy_machine_passes(play: Play) -> None:
    """Nothing makes a server faster than it is."""
    assert play(marks={"busy": 0.9}).exit_code == 0


def test_a_target_that_says_nothing_of_itself_is_asked_what_anybody_can_show(play: Play) -> None:
    """Without /api/runtime nobody has a session, and what was not claimed is skipped."""
    result = play(runtime=None)
    skipped = outcomes(result, Outcome.SKIP)

    assert outcomes(result, Outcome.FAIL) == {}
    assert skipped["load.refused"] == "burst"
    assert skipped["load.probes"] == "/api/runtime"
    assert {each.planned.session for each in result.of("loop")} == {""}
