"""Two players, one request at a time, and the same request of both side by side."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import UsageError
from harness.gate.alternation import Alternating, Alternation
from harness.gate.record import Side
from harness.gate.result import Ruling
from harness.scenario_files import find_scenario
from tests.harness.gate.playing.stage import POLICY, Stage, crash, cut, die, in_turn, once

if TYPE_CHECKING:
    from tests.harness.gate.playing.stage import Gate
A, B = Side.BASELINE, Side.CANDIDATE
TOGETHER = f"together = true\n{POLICY}"


class Line:
    """A client that writes down when a request begins and ends."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self._name, self._heard = name, heard

    async def turn(self, request: Any, **_: Any) -> Any:  # noqa: ANN401 - as the client's
        """Take a while."""
        self._heard.append(f"{self._name}{request}")
        await asyncio.sleep(0)
        self._heard.append(f"{self._name}{request}.")
        if request == "!":
            raise ConnectionError


async def asks(side: Side, turns: Alternation, heard: list[str], requests: str) -> None:
    """One player: some requests, each behind the last, with something to do in between."""
    chat: Any = Alternating(Line("AB"[side is B], heard), side, turns)  # type: ignore[arg-type]
    async with turns.playing(side):
        for request in requests:
            await chat.turn(request)
            heard.append("done")
            await asyncio.sleep(0)
            heard.append("written")


async def both(a: str, b: str) -> list[str]:
    """What was heard where both play, each by itself."""
    heard: list[str] = []
    turns = Alternation(A, B)
    await asyncio.gather(asks(A, turns, heard, a), asks(B, turns, heard, b), return_exceptions=True)
    return heard


def sent(heard: list[str]) -> str:
    """The requests in the order they went."""
    return " ".join(each for each in heard if each[0] in "AB" and not each.endswith("."))


def test_requests_go_in_the_order_abba() -> None:
    """So that what drifts steadily falls on both alike."""
    heard = asyncio.run(both("1234", "1234"))

    assert sent(heard) == "A1 B1 B2 A2 A3 B3 B4 A4"


def test_no_request_goes_while_the_other_player_is_at_work() -> None:
    """Each is answered, and what came of it written down, before the other's begins."""
    heard = asyncio.run(both("123", "123"))

    steps = [heard[at : at + 4] for at in range(0, len(heard), 4)]
    assert all(step == [step[0], f"{step[0]}.", "done", "written"] for step in steps), heard


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ("1", "1234", "A1 B1 B2 B3 B4"),
        ("1234", "", "A1 A2 A3 A4"),
        ("1!34", "1234", "A1 B1 B2 A! B3 B4"),
    ],
)
def test_who_plays_no_longer_is_not_waited_for(a: str, b: str, order: str) -> None:
    """Whether a side came to its end or broke, the other one goes on."""
    assert sent(asyncio.run(both(a, b))) == order


def test_both_sides_of_a_pair_are_up_at_once(gate: Gate) -> None:
    """The second is started before the first is asked anything, and both end together."""
    played = gate.play(policy=TOGETHER)

    assert played.result.ruling is Ruling.PASS, played.result.headline
    assert played.record.together
    assert played.order in {"ABBA", "BAAB"}
    assert [start.pair for start in played.starts] == [1, 1, 2, 2]
    first, second = played.stage.met[2:4]
    assert played.stage.up == [(), (), (), (first,), (), (second,)]  # two suites, then two by two


def test_a_side_that_breaks_is_kept_and_both_are_played_again(gate: Gate) -> None:
    """What did not break has nothing beside it any more."""
    stage = Stage()
    stage.before_turn = once(6, die)  # two in the suite of each side, then one of each start

    played = gate.play(stage, policy=TOGETHER)

    broke = [start for start in played.starts if start.stopped]
    assert len(broke) == 1
    assert [start.pair for start in played.starts] == [1, 1, 1, 2, 2]
    assert sum(start.whole for start in played.starts) == 4
    folders = sorted(path.name for path in (played.folder / "starts").iterdir())
    assert folders == sorted(path.rpartition("/")[2] for path in played.paths)


def test_a_side_that_never_starts_is_tried_twice_and_fails_the_gate(gate: Gate) -> None:
    """Nothing else is played of its pair."""
    stage = Stage()
    stage.before_start = in_turn(dict.fromkeys(range(3, 12), crash))

    played = gate.play(stage, policy=TOGETHER)

    assert [bool(start.stopped) for start in played.starts] == [True, True]
    assert played.result.ruling is not Ruling.PASS


def test_one_that_is_stopped_by_hand_goes_on(gate: Gate) -> None:
    """A pair that was cut is played again, whole."""
    stage = Stage()
    stage.before_turn = once(6, cut)
    left = gate.play(stage, policy=TOGETHER)
    assert isinstance(left.stopped, asyncio.CancelledError)

    played = gate.play(Stage(), policy=TOGETHER, resume=True)

    assert played.result.ruling is Ruling.PASS, played.result.headline
    assert [start.pair for start in played.starts] == [1, 1, 2, 2]


def test_a_scenario_that_sends_several_requests_at_once_cannot_be_played_in_turn(
    gate: Gate,
) -> None:
    """It would wait for itself."""
    load = find_scenario("load").read_text(encoding="utf-8")
    gate.talk = load.replace('name = "load"', 'name = "talk"')

    with pytest.raises(UsageError, match="several requests at once"):
        gate.play(policy=TOGETHER)
