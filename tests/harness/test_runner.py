"""A run plays what was planned, keeps what ended, and says what stopped it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.errors import TargetNotReady, TargetUnreachable
from harness.fingerprint import Fingerprint
from harness.rehearsal import Answer, RehearsalChat
from harness.results import RunFolder, read_run
from harness.runner import Order, play, rederive
from harness.scenario import parse_scenario
from harness.target import Target
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.client import TurnRequest
    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import TurnLabel

SCENARIO = """\
name = "some"
question = "does it?"
answer = "how much sooner"
system = "{nonce}"
[settings]
temperature = 0.0
extra.store = false
[lists]
towns = ["Oslo", "Rome", "Bonn"]
[slots]
town = { from = "towns" }
nonce = { digits = 6, fresh = true }
[[turn]]
user = "I live in {town}. Here are more words, so that there is something to compute again."
[[turn]]
user = "Where do I live?"
expect.contains = ["{town}"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]
[[leg]]
name = "cold"
replays = "warm"
resets = ["new", "new"]
[[compare]]
name = "warm against cold"
metric = "client.ttft"
baseline = "cold"
candidate = "warm"
turns = [2]
at_least = 1.5
"""

MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
TARGET = Target("url", "http://user:secret@rehearsal", ready_ns=None)


def right(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Knows the town it was told."""
    if "Where" not in messages[-1]["content"]:
        return Answer("I will remember.")
    said = next(m["content"] for m in messages if "I live in" in m["content"])
    return Answer(f"In {said.split('I live in ')[1].split('.')[0]}.", reasoning="Let me think.")


class Silence:
    """A progress that only counts."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def started(self, record: RunRecord, turns: int) -> None:
        """Note it."""
        self.told.append(f"started {turns}")

    def turn_started(self, label: TurnLabel) -> None:
        """Note nothing."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Note which."""
        self.told.append(f"{turn.label.repeat} {turn.label.leg} {turn.label.turn}")

    def repeat_ended(self, result: Result) -> None:
        """Note it."""
        self.told.append("repeat")


def run(
    chat: RehearsalChat,
    path: Path,
    *,
    text: str = SCENARIO,
    repeats: int = 3,
    progress: Silence | None = None,
) -> Result:
    """Play the scenario against a rehearsed target."""
    order = Order(parse_scenario(text, Path("some.toml")), text, repeats, 1, "salt", MACHINE)
    folder = RunFolder.create(path)
    return asyncio.run(
        play(order, TARGET, chat, folder, clock=chat.clock, progress=progress or Silence())
    )


def test_a_right_target_passes_every_check(tmp_path: Path) -> None:
    """All promises are judged and kept, and the exit code says so."""
    result = run(RehearsalChat(right), tmp_path)

    assert (result.outcome, result.exit_code) == (Outcome.PASS, 0)
    assert {judged.verdict.outcome for judged in result.judged} == {Outcome.PASS}
    assert len(result.turns) == 12


def test_legs_are_told_of_as_they_end(tmp_path: Path) -> None:
    """Warm before cold, turn by turn, repeat by repeat."""
    progress = Silence()

    run(RehearsalChat(right), tmp_path, repeats=1, progress=progress)

    assert progress.told == ["started 4", "1 warm 1", "1 warm 2", "1 cold 1", "1 cold 2", "repeat"]


def test_a_warm_up_is_judged_and_in_no_summary(tmp_path: Path) -> None:
    """Its promises count, its times do not."""
    chat = RehearsalChat(right)
    text = SCENARIO.replace("[settings]", "warm_ups = 1\n[settings]")

    result = run(chat, tmp_path, text=text, repeats=3)

    assert len(result.turns) == 16
    assert "answer.expected" in {j.verdict.check for j in result.judged if "warm-up" in j.about}
    assert {cell.summary.n for cell in result.cells if cell.values} == {3}
    assert [each.found.n for each in result.compared] == [3]
    assert {turn.label.repeat for turn in result.typical} <= {1, 2, 3}


def test_a_replay_sends_the_same_messages_but_for_the_nonce(tmp_path: Path) -> None:
    """The cold twin of a warm prompt holds the warm answers, and no session."""
    chat = RehearsalChat(right)

    run(chat, tmp_path, repeats=1)
    warm, cold = chat.requests[1], chat.requests[3]

    assert cold.body["messages"][1:] == warm.body["messages"][1:]
    assert cold.body["messages"][0] != warm.body["messages"][0]
    assert [message["role"] for message in cold.body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert "x-executorch-session-id" in warm.headers
    assert "x-executorch-session-id" not in cold.headers


def test_a_request_carries_the_settings_and_nothing_that_is_not_set(tmp_path: Path) -> None:
    """Named settings, extra fields, the model's name, a stream with usage."""
    chat = RehearsalChat(right)

    run(chat, tmp_path, repeats=1)

    assert {k: v for k, v in chat.requests[0].body.items() if k != "messages"} == {
        "model": "rehearsal",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.0,
        "store": False,
    }


def test_reasoning_goes_back_only_where_the_scenario_says_so(tmp_path: Path) -> None:
    """`send_reasoning` makes the history whole; by default it holds what was visible."""
    more = '[[turn]]\nuser = "Thank you."\n[[leg]]'
    three = SCENARIO.replace("[[leg]]", more, 1)
    three = three.replace('"new", "exact_prefix"', '"new", "exact_prefix", "exact_prefix"')
    three = three.replace('"new", "new"', '"new", "new", "new"')
    plain, whole = RehearsalChat(right), RehearsalChat(right)

    run(plain, tmp_path / "plain", text=three, repeats=1)
    whole_text = three.replace("temperature = 0.0", "temperature = 0.0\nsend_reasoning = true")
    run(whole, tmp_path / "whole", text=whole_text, repeats=1)

    assert "reasoning_content" not in plain.requests[2].body["messages"][4]
    assert whole.requests[2].body["messages"][4]["reasoning_content"] == "Let me think."


def test_kept_sessions_are_closed_when_their_leg_is_over(tmp_path: Path) -> None:
    """One session a repeat, given back."""
    chat = RehearsalChat(right)

    run(chat, tmp_path, repeats=2)

    assert chat.closed == ["/v1/sessions/bench-salt-r1-warm", "/v1/sessions/bench-salt-r2-warm"]


def test_a_wrong_answer_fails_and_the_rest_is_still_judged(tmp_path: Path) -> None:
    """One bad answer on either leg of three repeats: six failures, nothing else."""
    result = run(RehearsalChat(lambda _: Answer("I do not know.")), tmp_path)

    failed = [j.verdict.check for j in result.judged if j.verdict.outcome is Outcome.FAIL]

    assert failed == ["answer.expected"] * 6
    assert result.exit_code == 1


def test_a_target_that_reports_no_reuse_is_judged_on_the_rest(tmp_path: Path) -> None:
    """Accounts, resets and cold are skipped with the reason; answers and streams are not."""
    result = run(RehearsalChat(right, runtime=None), tmp_path)

    outcomes = {j.verdict.check: j.verdict.outcome for j in result.judged}

    assert [check for check, outcome in outcomes.items() if outcome is Outcome.SKIP] == [
        "resume.reset_reason",
        "resume.accounts",
        "resume.cold",
        "clocks.agree",
        "resume.reuses_resident",
        "compare.at_least",
    ]
    assert outcomes["answer.expected"] is Outcome.PASS
    assert result.exit_code == 0


def test_too_few_repeats_for_an_interval_cannot_tell(tmp_path: Path) -> None:
    """A ratio without an interval passes nothing: exit code 3, with what would help."""
    result = run(RehearsalChat(right), tmp_path, repeats=2)

    (verdict,) = [j.verdict for j in result.judged if j.verdict.outcome is not Outcome.PASS]

    assert verdict.message == "2 pairs make no interval; try --repeat 3 or more"
    assert result.exit_code == 3


def test_a_reply_cut_short_ends_its_leg_and_its_replay(tmp_path: Path) -> None:
    """What builds on a missing answer is not sent, and counts as not played."""
    chat = RehearsalChat(
        right, spoil=lambda body: body.replace('"finish_reason": "stop"', '"x": 1')
    )

    result = run(chat, tmp_path, repeats=1)

    assert [(t.leg, t.turn) for t in result.unplayed] == [("warm", 2), ("cold", 2)]
    assert result.exit_code == 1


def test_a_target_that_dies_stops_the_run_and_leaves_what_was_played(tmp_path: Path) -> None:
    """The turn that met the dead target is evidence too."""
    chat = RehearsalChat(right)

    def die(request: TurnRequest) -> None:
        chat.alive = request.label.repeat == 1

    chat.before_turn = die

    with pytest.raises(TargetUnreachable, match="no answer from rehearsal:/health"):
        run(chat, tmp_path)
    record, _, traces = read_run(tmp_path)

    assert len(traces) == 5
    assert traces[-1].transport_error == "cannot connect"
    assert record.stopped.startswith("the target is gone: no answer from rehearsal:/health")
    assert rederive(RunFolder(tmp_path)).exit_code == 1


def test_a_run_stopped_by_hand_leaves_a_result_that_says_so(tmp_path: Path) -> None:
    """Two of four turns are on disk; the result cannot tell, and no half file is left."""
    chat = RehearsalChat(right)

    def stop(request: TurnRequest) -> None:
        if request.label.leg == "cold":
            raise KeyboardInterrupt

    chat.before_turn = stop

    with pytest.raises(KeyboardInterrupt):
        run(chat, tmp_path, repeats=1)
    result = rederive(RunFolder(tmp_path))

    assert len(result.turns) == 2
    assert result.record.stopped == "stopped by hand"
    assert result.exit_code == 3
    assert list(tmp_path.glob(".*")) == []


def test_a_target_that_names_no_model_is_not_ready(tmp_path: Path) -> None:
    """It is told how it answered, and nothing is played."""
    chat = RehearsalChat(right)

    async def nothing(path: str) -> object:
        found = await RehearsalChat.get_json(chat, path)
        return found if path == "/health" else type(found)(200, {}, '{"data":[]}', {"data": []})

    chat.get_json = nothing  # type: ignore[method-assign, assignment]

    with pytest.raises(
        TargetNotReady, match=r'answered 200: \{"data":\[\]\}, which names no model'
    ):
        run(chat, tmp_path)

    assert chat.requests == []


def test_the_record_holds_no_credentials(tmp_path: Path) -> None:
    """What stands before the @ of an address stays out of every file."""
    result = run(RehearsalChat(right), tmp_path, repeats=1)

    assert result.record.target.url == "http://rehearsal"
    assert not any("secret" in path.read_text() for path in tmp_path.iterdir())


def test_peak_memory_is_read_after_the_last_repeat(tmp_path: Path) -> None:
    """What the target says at the start is not its peak."""
    chat = RehearsalChat(right)
    peak = {"memory": {"serverPeakBytes": 99, "workerPeakBytes": 98}}

    def grow(request: TurnRequest) -> None:
        if request.label.repeat == 2:
            chat.runtime = {**(chat.runtime or {}), **peak}

    chat.before_turn = grow
    run(chat, tmp_path, repeats=2)
    told = json.loads((tmp_path / "result.json").read_text())["target"]

    assert told["runtime_after"]["memory"] == peak["memory"]
    assert told["runtime"]["memory"] != peak["memory"]
