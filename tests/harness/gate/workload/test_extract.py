"""A start's numbers are those that were planted in it, and what is not there says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.gate.extract import read_start
from harness.gate.policy import parse_policy
from harness.gate.record import Side
from harness.rehearsal import Answer, RehearsalChat
from harness.trace import read_traces

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.gate.extract import StartSeen
    from harness.trace import Trace

    Played = Callable[..., StartSeen]


def test_times_of_turns_are_those_that_were_planted(played: Played) -> None:
    """1 ms each way, 0.5 ms a new word, 2 ms a step, over the turns that the policy names."""
    found = played(chat=RehearsalChat(lambda _: Answer("It is blue, I think.")))

    cold, warm, decode = (found.values[name] for name in ("cold", "warm", "decode"))
    assert cold.value == pytest.approx((1 + 8 * 0.5 + 2) / 1e3)
    assert warm.value == pytest.approx((1 + 3 * 0.5 + 2) / 1e3)
    assert decode.value == pytest.approx(500)
    assert [len(each.samples) for each in (cold, warm, decode)] == [3, 6, 9]


def test_a_slower_server_is_slower_by_as_much(played: Played) -> None:
    """A tenth more a step is a tenth less a second."""
    sides = [
        played(side, chat=RehearsalChat(lambda _: Answer("It is blue, I think."), step_ms=step_ms))
        for side, step_ms in ((Side.BASELINE, 2.0), (Side.CANDIDATE, 2.2))
    ]

    baseline, candidate = (side.values["decode"].value for side in sides)
    assert baseline / candidate == pytest.approx(1.1)
    assert [side.values["decode"].side for side in sides] == list(Side)


def test_a_start_is_told_by_the_median_and_no_hiccup_moves_it(played: Played) -> None:
    """One turn of a second among nine leaves the number as it was."""
    chat = RehearsalChat(lambda _: Answer("It is blue, I think."))

    def hiccup(request: Any) -> None:  # noqa: ANN401 - a TurnRequest
        chat.transport_ms = 1000.0 if (request.label.repeat, request.label.turn) == (2, 2) else 1.0

    chat.before_turn = hiccup
    warm = played(chat=chat).values["warm"]

    assert max(sample.value for sample in warm.samples) > 1
    assert warm.value == pytest.approx((1 + 3 * 0.5 + 2) / 1e3)


def test_every_sample_leads_to_its_trace(played: Played, tmp_path: Path) -> None:
    """Below the folder of the gate: a run folder, and the id of a trace in it."""
    found = played(pair=2)

    for sample in found.values["warm"].samples:
        folder, _, trace = sample.trace.partition("#")
        assert folder == "starts/003-baseline/talk"
        assert trace in [each.trace_id for each in read_traces(tmp_path / folder / "trace.jsonl")]


def test_dirty_samples_are_counted(played: Played) -> None:
    """Those of turns in which our own loop was late, and no others."""

    class Late(RehearsalChat):
        async def turn(self, request: Any, **more: Any) -> Trace:  # noqa: ANN401
            trace = await super().turn(request, **more)
            return replace(trace, lag_ns=9_000_000) if request.label.turn == 2 else trace

    found = played(chat=Late(lambda _: Answer("It is blue, I think.")))

    assert (found.values["warm"].dirty, found.values["cold"].dirty) == (3, 0)


def test_numbers_of_the_start_come_from_its_record(played: Played) -> None:
    """In seconds and bytes, without samples."""
    found = played(
        ready_s=1.5,
        runtime={"loadTimeMs": 250.0, "memory": {"workerPeakBytes": 1000}},
        worker_steady_bytes=900,
    )

    told = {name: found.values[name].value for name in ("ready", "load", "peak", "steady")}
    assert told == {"ready": 1.5, "load": 0.25, "peak": 1000, "steady": 900}
    assert found.values["peak"].samples == ()


def test_a_peak_that_was_read_here_goes_before_what_the_server_says(played: Played) -> None:
    """A worker that tells less than it took gains nothing by it."""
    found = played(
        runtime={"loadTimeMs": 250.0, "memory": {"workerPeakBytes": 1000}}, worker_peak_bytes=2000
    )

    assert found.values["peak"].value == 2000


def test_what_is_missing_says_why(played: Played) -> None:
    """Never 0: a server without a draft, without those numbers, at a URL."""
    found = played()

    assert found.missing == {
        "a-round": "the server does not report dflash_accepted or draft_n_accepted",
        "quiet": "it is 0, and nothing can be a multiple of that",
        "ready": "the server was not started here",
        "load": "the server has no /api/runtime",
        "peak": "the server has no /api/runtime",
        "steady": "the memory of the worker could not be read",
    }
    assert not found.values.keys() & found.missing.keys()


def test_a_runtime_that_tells_less_is_missing_by_the_key(played: Played) -> None:
    """What stands there and is no number is as good as nothing."""
    found = played(runtime={"loadTimeMs": True, "memory": None})

    assert found.missing["load"] == "/api/runtime does not tell loadTimeMs"
    assert found.missing["peak"] == "/api/runtime does not tell memory.workerPeakBytes"


def test_a_start_that_broke_has_no_numbers_of_its_turns(played: Played) -> None:
    """Its scenario was not played, so nothing can be read of it."""
    found = played(scenario=False, ready_s=2.0, stopped="the target is gone")

    assert found.missing["warm"] == "talk left nothing to measure"
    assert list(found.values) == ["ready"]


def test_a_leg_that_was_skipped_is_missing(played: Played, tmp_path: Path) -> None:
    """As a cell is whose needs the target does not claim."""
    start = played().start
    text = (
        'name = "other"\nquestion = "?"\nscenarios = ["talk"]\n[[metric]]\nname = "x"\n'
        'title = "x"\nmeasure = "client.ttft"\nscenario = "talk"\nleg = "drafted.ann"\n'
        "margin = 0.1\ngated = true\n"
    )
    policy = parse_policy(text, tmp_path / "other.toml")

    assert read_start(tmp_path, start, policy).values == {}
