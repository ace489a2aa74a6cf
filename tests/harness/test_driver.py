"""Which legs the page plays is told by what the page can hold; what is left out says why."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.driver import page_legs, share_out
from harness.errors import ScenarioError
from harness.fingerprint import Fingerprint
from harness.judge import judge
from harness.rehearsal import Answer, RehearsalChat
from harness.report import render_reports
from harness.results import Driven, RunFolder, read_run
from harness.runner import Order, play
from harness.scenario import parse_scenario
from harness.target import Target
from harness.trace import Action
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.client import TurnRequest
    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.scenario import Scenario
    from harness.trace import Trace, TurnLabel

TEXT = """\
name = "some"
question = "does it?"
answer = "how much sooner"
[[turn]]
user = "My number is 7."
[[turn]]
user = "What is it?"
expect.contains = ["7"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]
[[leg]]
name = "cold"
replays = "warm"
[[compare]]
name = "warm against cold"
metric = "client.ttft"
baseline = "cold"
candidate = "warm"
turns = [2]
"""
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
BOTH = Driven("both", browser="Some 1")


def scenario(text: str = TEXT) -> Scenario:
    """The scenario above, or another."""
    return parse_scenario(text, Path("some.toml"))


def legs(driven: Driven | None, text: str = TEXT) -> list[tuple[str, str]]:
    """Which legs are played, and by whom."""
    return [(leg.name, leg.driver) for leg in share_out(scenario(text), driven)[0].leg]


def test_our_client_plays_what_the_scenario_says() -> None:
    """Nothing is left out, and no page is needed."""
    assert legs(None) == [("warm", "http"), ("cold", "http")]
    assert share_out(scenario(), None)[1] == ()
    assert not page_legs(scenario(), "http")


def test_both_play_the_kept_legs_side_by_side() -> None:
    """What the page cannot hold is told, and the comparison of our client's legs is made."""
    shared, left_out = share_out(scenario(), BOTH)

    assert legs(BOTH) == [("warm", "http"), ("warm-page", "page"), ("cold", "http")]
    assert len(shared.compare) == 1
    assert left_out == (("leg cold", "not played in the page: it cannot send what warm has sent"),)


def test_the_browser_alone_plays_what_it_can_hold() -> None:
    """A comparison that lacks a leg is left out, too."""
    shared, left_out = share_out(scenario(), Driven("browser", browser="Some 1"))

    assert [(leg.name, leg.driver) for leg in shared.leg] == [("warm", "page")]
    assert shared.compare == ()
    assert [what for what, _ in left_out] == ["leg cold", "warm against cold"]


def test_without_a_browser_its_legs_are_left_out_with_the_reason() -> None:
    """Whatever it is that is missing."""
    why = "Playwright is not installed"

    assert legs(Driven("both", why_not=why)) == [("warm", "http"), ("cold", "http")]
    _, left_out = share_out(scenario(), Driven("browser", why_not=why))
    assert left_out[0] == ("leg warm", f"not played in the page: {why}")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("send_reasoning = true", "it never sends reasoning back"),
        ("extra.muse.dflash = false", "it has no field for muse"),
        (
            "extra.chat_template_kwargs.return_reasoning = false",
            "no field for chat_template_kwargs",
        ),
    ],
)
def test_settings_without_a_field_in_the_page_cannot_be_typed(settings: str, why: str) -> None:
    """The leg is left out, and says which."""
    text = TEXT.replace("[[turn]]", f"[settings]\n{settings}\n[[turn]]", 1)

    _, left_out = share_out(scenario(text), BOTH)

    assert why in left_out[0][1]


def test_a_scenario_can_have_a_leg_of_the_page_and_it_keeps_a_session() -> None:
    """Then the page is needed whoever else plays."""
    text = TEXT.replace('session = "kept"', 'session = "kept"\ndriver = "page"')

    assert page_legs(scenario(text), "http")
    assert legs(Driven("http", browser="Some 1"), text) == [("warm", "page"), ("cold", "http")]
    with pytest.raises(ScenarioError, match="on a kept session"):
        scenario(TEXT.replace('replays = "warm"', 'driver = "page"'))


# -- a run


class Silence:
    """A progress that is told nothing worth keeping."""

    def started(self, record: RunRecord, turns: int) -> None:
        """Note nothing."""

    def turn_started(self, label: TurnLabel) -> None:
        """Note nothing."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Note nothing."""

    def repeat_ended(self, result: Result) -> None:
        """Note nothing."""


class Page:
    """Somebody at the page of a rehearsed target."""

    def __init__(self, chat: RehearsalChat) -> None:
        self.chat = chat
        self.left = 0

    async def turn(self, request: TurnRequest) -> Trace:
        """Ask on a session of the page's own."""
        headers = {"x-executorch-session-id": f"page-{self.left}"}
        trace = await self.chat.turn(replace(request, headers=headers))
        stamps = (("click", -4), ("dom.first", 30), ("paint.first", 40), ("page", 0))
        actions = tuple(Action(at * 1_000_000, name) for name, at in stamps)
        return replace(trace, actions=actions)

    async def leave(self) -> None:
        """Count it."""
        self.left += 1


def seven(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Knows the number."""
    return Answer("It is 7.", reasoning="Let me see.")


def run(folder: Path, driven: Driven, page: bool = True) -> tuple[Result, Page]:  # noqa: FBT001, FBT002
    """Play the scenario above."""
    chat = RehearsalChat(seven)
    somebody = Page(chat)
    order = Order(scenario(), TEXT, 2, 1, "salt", MACHINE, driven)
    target = Target("url", "http://rehearsal", ready_ns=None)
    kept = RunFolder.create(folder)
    playing = play(
        order,
        target,
        chat,
        kept,
        clock=chat.clock,
        progress=Silence(),
        page=somebody if page else None,
    )
    return asyncio.run(playing), somebody


def test_a_leg_in_the_page_is_judged_as_any_other_and_its_moments_stand_beside(
    tmp_path: Path,
) -> None:
    """Its session is given back after each repeat; reports come out of what is on disk."""
    result, page = run(tmp_path, BOTH)

    assert result.outcome is Outcome.PASS
    assert page.left == 2
    checks = {j.verdict.check for j in result.judged if j.label and j.label.leg == "warm-page"}
    assert {"resume.reuses_resident", "answer.expected", "page.typed"} <= checks
    assert result.cell("warm-page", 2, "page.paint_ttft").summary.median == 0.04
    assert result.cell("warm", 2, "page.paint_ttft").reason == "not played in the page"
    report = (tmp_path / "report.md").read_text()
    assert "## In the page" in report
    assert "| warm-page | 2 | first token |" in report
    assert render_reports(judge(*read_run(tmp_path)))["report.md"] == report


def test_a_run_with_nothing_that_could_be_played_passes_nothing(tmp_path: Path) -> None:
    """Everything is skipped with the reason; it could not tell."""
    result, _ = run(tmp_path, Driven("browser", why_not="there is no Chromium"), page=False)

    assert (result.outcome, result.turns) == (Outcome.INCONCLUSIVE, ())
    assert {j.verdict.outcome for j in result.judged} == {Outcome.SKIP}
    assert "there is no Chromium" in (tmp_path / "report.md").read_text()
