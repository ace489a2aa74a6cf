"""Each promise of the page is kept or broken by what was seen, and what is missing is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.browser.record import LOOK
from harness.fingerprint import Fingerprint
from harness.report.sheets import sheet_reports
from harness.report.visits import tell_visits
from harness.results import Driven, Promised, RunRecord, Seen
from harness.testing import DONE, MS, frame, trace
from harness.trace import Action
from harness.verdict import Outcome
from harness.visits.judge import VisitsResult, judge_visits
from harness.visits.plan import plan_visits
from harness.visits.scenario import parse_visits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.trace import Trace
    from harness.visits.plan import PlannedStep

PASS, FAIL, SKIP, UNSURE = Outcome.PASS, Outcome.FAIL, Outcome.SKIP, Outcome.INCONCLUSIVE
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
HEAD = """\
name = "some"
question = "does it?"
answer = "whether it does"
[[visit]]
name = "talk"
needs = {needs}
step = [{steps}]
"""
ASK = '{ do = "ask", says = "Hi" }'
STOP = '{ do = "stop", says = "Go on", after = "content" }'
EDIT = '{ do = "edit", message = 1, says = "Bye" }'
ANSWER = '{ do = "edit", message = 2, says = "Bye" }'
CANCELLED = '{ do = "edit", message = 1, says = "Bye", save = false }'
METRICS = {"wall_ms": 40.0, "prompt_tokens": 10, "completion_tokens": 2}

Saw = dict[str, Any]


def user(text: str = "Hi", **more: Any) -> Saw:  # noqa: ANN401 - JSON
    """A question as it is shown."""
    return {"role": "user", "phase": None, "text": text, "edited": False, **more}


def answer(text: str = "Hello there.", **more: Any) -> Saw:  # noqa: ANN401
    """An answer as it is shown."""
    told = {"thought": False, "figures": True, "edited": False, "ending": ""}
    return {"role": "assistant", "phase": "complete", "text": text, **told, **more}


def seen(*messages: Saw, session: str = "s-1") -> Saw:
    """A conversation as it is shown."""
    return {"messages": list(messages), "session": session}


TALK = (user(), answer())


def request(method: str, path: str, status: int = 200, at_ms: float = -5) -> Action:
    """A request of the page beside its turn."""
    return Action(round(at_ms * MS), "request", {"method": method, "path": path, "status": status})


RESET = request("POST", "/v1/sessions/s-1/reset")
CLOSE = request("DELETE", "/v1/sessions/s-1")


def asked(
    step: PlannedStep,
    saw: Saw,
    *actions: Action,
    text: str = "Hello **there**.",
    thought: str = "Hm.",
) -> Trace:
    """A turn in the page."""
    body = frame(role="assistant") + frame(reasoning=thought) + frame(content=text)
    end = frame(finish="stop") + frame(muse_metrics=METRICS)
    usage = frame(usage={"prompt_tokens": 10, "completion_tokens": 2})
    told = [Action(0, "page"), Action(12 * MS, "dom.reasoning.first"), *actions]
    return trace(
        (10, body),
        (40, end + usage + DONE),
        label=step.label,
        trace_id=f"t-{step.label.leg}-{step.label.turn}",
        actions=(*told, Action(50 * MS, "saw", saw)),
    )


def looked(step: PlannedStep, saw: Saw, *actions: Action) -> Trace:
    """A step that asks for nothing."""
    told = trace(label=step.label, status=None, trace_id=f"l-{step.label.turn}", request={})
    actions = (Action(0, "page"), *actions, Action(50 * MS, "saw", saw))
    return replace(told, method=LOOK, path=f"#{step.step.do}", actions=actions)


def left(step: PlannedStep, *troubles: str) -> Trace:
    """The last look of a visit."""
    label = replace(step.label, leg="talk.looks", turn=99)
    saw = {"troubles": list(troubles)}
    told = looked(replace(step, label=label), saw)
    return replace(told, path="#leave")


def judged(
    *steps: str,
    traces: Sequence[Any] = (),
    needs: str = "[]",
    driven: Driven | None = None,
    runtime: Mapping[str, Any] | None = None,
) -> VisitsResult:
    """A visit of these steps, each made into a trace by its maker."""
    text = HEAD.replace("{needs}", needs).replace("{steps}", ", ".join(steps))
    visits = parse_visits(text, Path("some.toml"))
    (visit,) = plan_visits(visits, repeats=1, seed=1, salt="salt")
    record = RunRecord(
        scenario="some",
        scenario_sha256="0",
        repeats=1,
        seed=1,
        salt="salt",
        started_at="2026-01-01T00:00:00.000+00:00",
        fingerprint=MACHINE,
        target=Seen("url", "http://some", "some", runtime),
        promised=tuple(Promised(s.label, s.promise) for s in visit.steps) if traces else (),
        driven=driven or Driven("browser", browser="Some 1"),
    )
    made = [make(step) for make, step in zip(traces, visit.steps, strict=False)]
    return judge_visits(record, visits, made)


def outcome(result: VisitsResult, check: str) -> tuple[Outcome, str]:
    """The last verdict of a check, and what it says."""
    verdict = [j.verdict for j in result.judged if j.verdict.check == check][-1]
    return verdict.outcome, verdict.message


def after(step: str, saw: Saw, *actions: Action, check: str) -> tuple[Outcome, str]:
    """What a look says behind a turn."""
    before = {"before": seen(*TALK), **saw}
    first = {"before": seen(), "after": seen(*TALK)}
    result = judged(
        ASK, step, traces=[lambda s: asked(s, first), lambda s: looked(s, before, *actions)]
    )
    return outcome(result, check)


# -- what is shown


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (answer(), PASS),
        (answer("Hello here."), FAIL),
        (answer("Hm. Hello there."), FAIL),
        (answer(phase="interrupted"), FAIL),
    ],
)
def test_the_answer_is_shown_as_it_was_sent(shown: Saw, found: Outcome) -> None:
    """Whatever Markdown makes of it; without its reasoning."""
    saw = {"before": seen(), "after": seen(user(), shown)}

    assert outcome(judged(ASK, traces=[lambda s: asked(s, saw)]), "page.shows")[0] is found


@pytest.mark.parametrize(
    ("states", "found"),
    [
        ([(False, None), (True, "Hm."), (False, None)], PASS),
        ([(True, "Hm."), (True, "Hm."), (False, None)], FAIL),
        ([(False, None), (True, "Oh."), (False, None)], FAIL),
        ([(False, "Hm."), (True, "Hm."), (False, None)], FAIL),
    ],
)
def test_the_disclosure_opens_and_closes_and_holds_what_was_thought(
    states: list[tuple[bool, str | None]], found: Outcome
) -> None:
    """It is closed when the answer is there."""
    told = {"states": [{"open": each, "text": text} for each, text in states]}
    saw = {**told, "after": seen(*TALK)}

    assert after('{ do = "thinking" }', saw, check="page.thinking")[0] is found


def test_the_figures_are_those_of_the_turn_before() -> None:
    """And a turn without any has none to show."""
    rows = {"Total": "40 ms", "Prompt": "10 tokens", "Output": "2 tokens"}

    right = {"rows": rows, "after": seen(*TALK)}
    wrong = {"rows": {**rows, "Output": "3 tokens"}, "after": seen(*TALK)}
    assert after('{ do = "figures" }', right, check="page.figures")[0] is PASS
    assert after('{ do = "figures" }', wrong, check="page.figures")[0] is FAIL


@pytest.mark.parametrize(
    ("by", "part", "said"),
    [
        (0, {"there": True, "inside": True, "reached": True}, "whole at every width"),
        (12, {"there": True, "inside": True, "reached": True}, "scrolls sideways by 12 px"),
        (0, {"there": False}, "Send is gone"),
        (0, {"there": True, "inside": False, "reached": False}, "Send is cut off"),
        (0, {"there": True, "inside": True, "reached": False}, "Send is out of reach"),
    ],
)
def test_nothing_is_cut_off_or_out_of_reach(by: int, part: Saw, said: str) -> None:
    """At any width."""
    saw = {"windows": [{"width": 390, "scrolls_by": by, "parts": {"Send": part}}]}

    found = after('{ do = "fit", widths = [390] }', {**saw, "after": seen()}, check="page.fits")

    assert said in found[1]


# -- what is done


def stopped(saw: Saw, *actions: Action, cancelled: bool = True) -> tuple[Outcome, str]:
    """What a stop comes to: clicked at 20 ms, agreed at 30."""
    ack = {"status": 200, "body": {"cancelled": cancelled}}
    told = (
        Action(20 * MS, "click", {"on": "Stop"}),
        Action(21 * MS, "cancel", {"path": "/api/cancel", "body": {}}),
        Action(30 * MS, "cancel.ack", ack),
        *actions,
    )
    saw = {"before": seen(), "after": seen(user(), saw), "attempts": 1}
    result = judged(STOP, traces=[lambda s: asked(s, saw, *told)])
    return outcome(result, "page.stops")


@pytest.mark.parametrize(
    ("changes", "expect"), [({"lag_ns": 1_400 * MS}, FAIL), ({"marks": {"busy": 0.9}}, UNSURE)]
)
def test_a_page_that_stood_still_after_stop_is_no_excuse(
    changes: Mapping[str, Any], expect: Outcome
) -> None:
    """What the machine did meanwhile is one."""
    ack = {"status": 200, "body": {"cancelled": True}}
    told = (
        Action(20 * MS, "click", {"on": "Stop"}),
        Action(21 * MS, "cancel", {"path": "/api/cancel", "body": {}}),
        Action(30 * MS, "cancel.ack", ack),
        Action(1_500 * MS, "dom.last"),
    )
    shown = answer(phase="stopped", ending="Stopped")
    saw = {"before": seen(), "after": seen(user(), shown), "attempts": 1}

    result = judged(STOP, traces=[lambda s: replace(asked(s, saw, *told), **changes)])

    assert outcome(result, "page.stops")[0] is expect


def test_a_stop_is_agreed_to_and_quiet() -> None:
    """And the answer says that it was stopped."""
    shown = answer(phase="stopped", ending="Stopped")
    late = Action(1_500 * MS, "dom.last")

    assert stopped(shown)[0] is PASS
    assert stopped(shown, late) == (
        FAIL,
        "agreed after 9 ms, no text later than 1480 ms, and the limit is 1000 ms",
    )
    assert stopped(answer(phase="interrupted"))[0] is FAIL
    assert "did not confirm" in stopped({**shown, "ending": "the server did not confirm"})[1]
    assert stopped(shown, cancelled=False)[0] is FAIL
    assert stopped(answer("Hello", phase="stopped", ending="Stopped"))[0] is FAIL
    assert stopped(answer())[0] is UNSURE


@pytest.mark.parametrize(
    ("shown", "actions", "said"),
    [
        ((user("Bye", edited=True), answer()), (RESET,), "gone"),
        ((user("Bye", edited=True), answer()), (), "was not emptied"),
        ((user("Bye", edited=True), answer()), (replace(RESET, at_ns=MS),), "after the turn"),
        ((user("Hi", edited=True), answer()), (RESET,), "message 1 reads 'Hi'"),
        ((user("Bye"), answer()), (RESET,), "does not say that it was edited"),
        ((user("Bye", edited=True), answer(), user()), (RESET,), "2 messages were to be left"),
    ],
)
def test_an_edited_question_is_asked_of_an_empty_session(
    shown: Sequence[Saw], actions: tuple[Action, ...], said: str
) -> None:
    """And what stood behind it is gone."""
    first = {"before": seen(), "after": seen(*TALK)}
    saw = {"before": seen(*TALK), "after": seen(*shown)}
    result = judged(
        ASK, EDIT, traces=[lambda s: asked(s, first), lambda s: asked(s, saw, *actions)]
    )

    assert said in outcome(result, "page.edits")[1]


def test_an_edited_answer_has_neither_thought_nor_figures() -> None:
    """Nobody computed it."""
    edited = answer("Bye", edited=True, figures=False)

    kept = {"after": seen(user(), edited)}
    assert after(ANSWER, kept, RESET, check="page.edits")[0] is PASS
    costs = {"after": seen(user(), {**edited, "figures": True})}
    assert "nobody computed" in after(ANSWER, costs, RESET, check="page.edits")[1]


def test_a_cancelled_edit_changes_nothing() -> None:
    """Not on the wire, either."""
    same, other = {"after": seen(*TALK)}, {"after": seen(user("Bye"), answer())}

    assert after(CANCELLED, same, check="page.keeps")[0] is PASS
    assert after(CANCELLED, other, check="page.keeps")[0] is FAIL
    assert after(CANCELLED, same, RESET, check="page.keeps")[0] is FAIL


@pytest.mark.parametrize(
    ("saw", "actions", "found"),
    [
        (seen(session="s-2"), (CLOSE,), PASS),
        (seen(session="s-1"), (CLOSE,), FAIL),
        (seen(user(), session="s-2"), (CLOSE,), FAIL),
        (seen(session="s-2"), (), FAIL),
        (seen(session="s-2"), (request("DELETE", "/v1/sessions/s-1", 500),), FAIL),
    ],
)
def test_a_new_chat_gives_the_session_back(
    saw: Saw, actions: tuple[Action, ...], found: Outcome
) -> None:
    """And begins with nothing."""
    assert after('{ do = "new-chat" }', {"after": saw}, *actions, check="page.new_chat")[0] is found


@pytest.mark.parametrize(
    ("saw", "found"), [(seen(), PASS), (seen(session="s-2"), FAIL), (seen(user()), FAIL)]
)
def test_a_reload_keeps_the_id_alone(saw: Saw, found: Outcome) -> None:
    """The conversation is gone."""
    assert after('{ do = "reload" }', {"after": saw}, check="page.reload")[0] is found


def test_an_answer_asked_for_again_takes_the_old_ones_place() -> None:
    """And is no third message."""
    first = {"before": seen(), "after": seen(*TALK)}

    def again(*shown: Saw) -> Outcome:
        saw = {"before": seen(*TALK), "after": seen(*shown)}
        step = '{ do = "regenerate" }'
        made = [lambda s: asked(s, first), lambda s: asked(s, saw)]
        return outcome(judged(ASK, step, traces=made), "page.again")[0]

    assert again(*TALK) is PASS
    assert again(*TALK, answer()) is FAIL


def test_a_page_that_is_stuck_fails_the_step() -> None:
    """So does one that asks for nothing where it should; what follows was not played."""
    saw = {"before": seen(), "after": seen(), "stuck": "the button 'Send'"}
    result = judged(ASK, '{ do = "reload" }', traces=[lambda s: looked(s, saw)])

    assert outcome(result, "page.does") == (FAIL, "the button 'Send'")
    assert len(result.unplayed) == 1
    silent = judged(ASK, traces=[lambda s: looked(s, {"before": seen(), "after": seen()})])
    assert outcome(silent, "page.does") == (FAIL, "ask was done, and nothing was asked for")


def test_anything_that_goes_wrong_in_the_browser_fails_the_visit() -> None:
    """With what it was."""
    saw = {"before": seen(), "after": seen(*TALK)}
    reload_ = '{ do = "reload" }'
    makers = [lambda s: asked(s, saw), left]

    assert outcome(judged(ASK, reload_, traces=makers), "page.clean")[0] is PASS
    makers[1] = lambda s: left(s, "console error: no")
    assert outcome(judged(ASK, reload_, traces=makers), "page.clean") == (FAIL, "console error: no")


# -- what could not be played


def test_without_a_page_or_a_browser_every_visit_is_skipped() -> None:
    """With the reason; nothing passed."""
    result = judged(ASK, driven=Driven("browser", why_not="there is no Chromium"))

    assert outcome(result, "page.plays") == (SKIP, "the page was not visited: there is no Chromium")
    assert (result.outcome, result.exit_code) == (UNSURE, 3)


def test_what_the_target_does_not_claim_is_skipped() -> None:
    """Visit by visit."""
    result = judged(ASK, needs='["vision"]', runtime={"supports": {"vision": False}})

    assert outcome(result, "target.claims")[0] is SKIP


def test_the_report_has_the_moments_side_by_side() -> None:
    """Wire, document and screen of one request in one row."""
    saw = {"before": seen(), "after": seen(*TALK)}
    stamps = [Action(at * MS, name) for name, at in (("dom.first", 15), ("paint.first", 21))]
    result = judged(ASK, traces=[lambda s: asked(s, saw, *stamps)])
    reports = sheet_reports(result, tell_visits(result))

    assert "| talk | 1 | first token | 10.0 ms | 15.0 ms | 21.0 ms |" in reports["report.md"]
    assert "drawn 11.0 ms after its bytes had come" in reports["report.md"]
    assert "wire: median 10.0 ms of 10.0 ms" in reports["report.html"]
    assert "DOM: median 15.0 ms of 15.0 ms" in reports["report.html"]
    assert "page.shows" in reports["junit.xml"]
