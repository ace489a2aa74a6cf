"""What has to be seen of each thing that is done in the page, one promise each.

    page.does       the page has, and does, what a person needs for a step
    page.shows      the answer on the page is the answer that was sent, reasoning left out
    page.thinking   the disclosure opens and closes, holds the reasoning that was sent, and was
                    open while it came
    page.stops      Stop ends the answer: the server is asked and agrees, no text is written later
                    than the limit, and the page says that it was stopped
    page.edits      a saved edit empties the session, shows the new text and drops what stood behind
    page.keeps      a cancelled edit changes nothing and asks for nothing
    page.again      an answer that is asked for again takes the place of the old one
    page.new_chat   New chat gives the session back and leaves nothing of the conversation
    page.reload     a page that is loaded again keeps its session's id and nothing else
    page.figures    the figures under an answer are those that were sent
    page.attaches   a file that is chosen becomes the picture of the next message
    page.fits       nothing is cut off or out of reach, and nothing scrolls sideways
    page.clean      no error on the console, none uncaught, no failed request, no stranger asked

Each is a function of a step as it was taken: its trace, and what was seen before and after.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.dirty import excused
from harness.events import Channel
from harness.turn_facts import Absent, TurnFacts
from harness.verdict import Evidence, Outcome, Verdict
from harness.visits.figures import disagreeing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from harness.played import PlayedTurn
    from harness.trace import Action, Trace
    from harness.visits.plan import PlannedStep
    from harness.visits.scenario import Limits

__all__ = ["PROMISES", "Taken", "check_step", "clean"]

PROMISES: Mapping[str, str] = {
    name: " ".join(said.split())
    for name, said in re.findall(
        r"^    (page\.\w+) +(.+?)(?=\n    page|\n\n)", __doc__, flags=re.MULTILINE | re.DOTALL
    )
}
"""The docstring's promise of every check, for reports."""

FITS_BY_PX = 1
"""What rounding may add to the width of a page."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step as it was taken."""

    planned: PlannedStep
    trace: Trace
    saw: Mapping[str, Any]
    """What was seen: `before` and `after` it, and what the step itself looked at."""
    turn: PlayedTurn | None
    """What it asked for; None where it asked for nothing."""
    last: PlayedTurn | None
    """The turn that was asked for last before it."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The trace of this step."""
        return (Evidence(self.trace.trace_id),)

    def messages(self, when: str) -> Sequence[Mapping[str, Any]]:
        """The conversation as it was shown, `before` or `after`."""
        messages: Sequence[Mapping[str, Any]] = self.saw[when]["messages"]
        return messages

    @property
    def requests(self) -> list[Action]:
        """The requests of a step beside its turn."""
        return [action for action in self.trace.actions if action.name == "request"]


def check_step(taken: Taken, limits: Limits) -> Iterator[Verdict]:
    """Every verdict on one step."""
    if stuck := taken.saw.get("stuck"):
        yield Verdict("page.does", Outcome.FAIL, stuck, taken.evidence)
        return
    step = taken.planned.step
    if step.asks and taken.turn is None:
        said = f"{step.do} was done, and nothing was asked for"
        yield Verdict("page.does", Outcome.FAIL, said, taken.evidence)
        return
    yield Verdict("page.does", Outcome.PASS, f"{step.do} could be done", taken.evidence)
    if step.do == "stop":
        yield _stops(taken, limits)
        return
    if taken.turn is not None and taken.turn.answered:
        yield _told(taken, "page.shows", _shows(taken), "the answer is shown as it was sent")
    if looked := LOOKED.get(_which(taken)):
        name, wrong, right = looked
        yield _told(taken, name, wrong(taken), right)


def clean(trace: Trace) -> Verdict:
    """Nothing went wrong in the browser during a visit, as its last look tells."""
    saw = _saw(trace)
    troubles = [*saw.get("troubles", ()), *([saw["stuck"]] if "stuck" in saw else [])]
    evidence = (Evidence(trace.trace_id, excerpt="\n".join(troubles)),)
    if troubles:
        return Verdict("page.clean", Outcome.FAIL, "; ".join(troubles)[:400], evidence)
    return Verdict("page.clean", Outcome.PASS, "nothing went wrong in the browser", evidence)


def _saw(trace: Trace) -> Mapping[str, Any]:
    """What was seen when a step had ended."""
    return next((dict(a.detail) for a in trace.actions if a.name == "saw"), {})


def _told(taken: Taken, name: str, wrong: Iterator[str], right: str) -> Verdict:
    found = list(wrong)
    if found:
        return Verdict(name, Outcome.FAIL, "; ".join(found), taken.evidence)
    return Verdict(name, Outcome.PASS, right, taken.evidence)


def _which(taken: Taken) -> str:
    step = taken.planned.step
    if step.do == "edit" and not step.save:
        return "cancel"
    return step.do


# -- what is wrong, one function a promise


def _shows(taken: Taken) -> Iterator[str]:
    turn = taken.turn
    assert turn is not None
    shown = [m for m in taken.messages("after") if m["role"] == "assistant"]
    if not shown:
        yield "no answer is shown"
        return
    if shown[-1]["phase"] not in {"complete", "cut"}:
        yield f"the answer is told to be {shown[-1]['phase']}"
    if _plain(shown[-1]["text"]) != _plain(turn.seen.text()):
        yield f"the page shows {shown[-1]['text'][:80]!r}, sent was {turn.seen.text()[:80]!r}"
    thought = _plain(turn.seen.text(Channel.REASONING))
    if thought and thought in _plain(shown[-1]["text"]):
        yield "the reasoning stands in the answer"


def _thinking(taken: Taken) -> Iterator[str]:
    states, turn = taken.saw["states"], taken.last
    opened = [state["open"] for state in states]
    if opened != [False, True, False]:
        yield f"it was {', '.join('open' if each else 'closed' for each in opened)} in turn"
    if any(state["text"] for state in states if not state["open"]):
        yield "what was thought can be read though it is closed"
    thought = turn.seen.text(Channel.REASONING) if turn else ""
    shown = next((state["text"] or "" for state in states if state["open"]), "")
    if _plain(shown) != _plain(thought):
        yield f"it shows {shown[:80]!r}, and the reasoning was {thought[:80]!r}"
    names = {action.name for action in turn.seen.trace.actions} if turn else set()
    if "dom.reasoning.first" not in names:
        yield "nothing of it was to be read while it came"


def _stops(taken: Taken, limits: Limits) -> Verdict:
    name, turn = "page.stops", taken.turn
    assert turn is not None
    phase = taken.messages("after")[-1]["phase"] if taken.messages("after") else None
    attempts = taken.saw["attempts"]
    if phase in {"complete", "cut"}:
        message = f"the answer was over before Stop was pressed, {attempts} times"
        return Verdict(name, Outcome.INCONCLUSIVE, message, taken.evidence)
    facts = TurnFacts(turn.seen)
    try:
        ack_s, quiet_s = facts.cancel_ack(), facts.page_stop_quiet().value
    except Absent as absent:
        return Verdict(name, Outcome.FAIL, f"Stop was pressed, and {absent}", taken.evidence)
    wrong = list(_not_stopped(taken, phase))
    late = quiet_s > limits.stop_quiet_s
    said = f"agreed after {ack_s * 1e3:.0f} ms, no text later than {quiet_s * 1e3:.0f} ms"
    if wrong or not late:
        outcome = Outcome.FAIL if wrong else Outcome.PASS
        return Verdict(name, outcome, "; ".join([*wrong, said]), taken.evidence)
    said += f", and the limit is {limits.stop_quiet_s * 1e3:.0f} ms"
    outside = replace(taken.trace, lag_ns=0)  # a page that stood still is what was asked about
    return Verdict(name, *excused(Outcome.FAIL, said, [outside]), taken.evidence)


def _not_stopped(taken: Taken, phase: str | None) -> Iterator[str]:
    if phase != "stopped":
        yield f"the answer is told to be {phase}"
    else:
        ending = taken.messages("after")[-1]["ending"]
        if ending != "Stopped":
            yield f"it says {ending!r}"
    acks = [action.detail for action in taken.trace.actions if action.name == "cancel.ack"]
    if not acks or (acks[0].get("body") or {}).get("cancelled") is not True:
        yield "the server did not say that it was cancelled"
    shown, turn = taken.messages("after"), taken.turn
    if turn is not None and shown and _plain(shown[-1]["text"]) != _plain(turn.seen.text()):
        yield f"the page shows {shown[-1]['text'][-60:]!r} of {turn.seen.text()[-60:]!r}"


def _edits(taken: Taken) -> Iterator[str]:
    step = taken.planned.step
    assert step.message is not None
    after = taken.messages("after")
    kept = step.message + step.asks
    if len(after) != kept:
        yield f"{kept} messages were to be left, and there are {len(after)}"
    yield from _emptied(taken)
    if len(after) < step.message:
        return
    changed = after[step.message - 1]
    if _plain(changed["text"]) != _plain(taken.planned.says):
        yield f"message {step.message} reads {changed['text'][:80]!r}"
    if not changed["edited"]:
        yield f"message {step.message} does not say that it was edited"
    if not step.asks and (changed["thought"] or changed["figures"]):
        yield "what was thought, or what it cost, still stands at an answer that nobody computed"


def _emptied(taken: Taken) -> Iterator[str]:
    """A session is emptied before what was said in it is shown to be something else."""
    resets = [a for a in taken.requests if str(a.detail["path"]).endswith("/reset")]
    if not resets:
        yield "the session was not emptied"
    for reset in resets:
        if reset.detail["status"] != 200:
            yield f"emptying the session was answered {reset.detail['status']}"
        if taken.turn is not None and reset.at_ns > 0:
            yield "the session was emptied after the turn was asked for"


def _keeps(taken: Taken) -> Iterator[str]:
    if taken.messages("before") != taken.messages("after"):
        yield "the conversation is not what it was"
    for action in taken.trace.actions:
        if action.name in {"request", "cancel"}:
            yield f"{action.detail.get('method', 'POST')} {action.detail['path']} was sent"


def _again(taken: Taken) -> Iterator[str]:
    before, after = taken.messages("before"), taken.messages("after")
    if len(before) != len(after):
        yield f"there were {len(before)} messages, and there are {len(after)}"


def _new_chat(taken: Taken) -> Iterator[str]:
    yield from _empty(taken)
    closes = [a.detail for a in taken.requests if a.detail["method"] == "DELETE"]
    if [close["status"] for close in closes] != [200]:
        told = ", ".join(str(close["status"]) for close in closes) or "not sent"
        yield f"the request that gives the session back was {told}"
    if taken.saw["before"]["session"] == taken.saw["after"]["session"]:
        yield "the session's id is the old one"


def _reload(taken: Taken) -> Iterator[str]:
    yield from _empty(taken)
    if taken.saw["before"]["session"] != taken.saw["after"]["session"]:
        yield "the session's id is another one"


def _empty(taken: Taken) -> Iterator[str]:
    if left := len(taken.messages("after")):
        yield f"{left} messages are still shown"


def _figures(taken: Taken) -> Iterator[str]:
    sent = taken.last.seen.extension("muse_metrics") if taken.last else None
    if sent is None:
        yield "no muse_metrics were sent"
    else:
        yield from disagreeing(taken.saw["rows"], sent)


def _attaches(taken: Taken) -> Iterator[str]:
    """What is sent is judged with the next message: `page.typed`."""
    for action in taken.requests:
        yield f"{action.detail['method']} {action.detail['path']} was sent"


def _fits(taken: Taken) -> Iterator[str]:
    for window in taken.saw["windows"]:
        width = window["width"]
        if window["scrolls_by"] > FITS_BY_PX:
            yield f"at {width} px the page scrolls sideways by {window['scrolls_by']:.0f} px"
        for name, part in window["parts"].items():
            if not (part["there"] and part["inside"] and part["reached"]):
                how = (
                    "out of reach" if part.get("inside") else "cut off" if part["there"] else "gone"
                )
                yield f"at {width} px {name} is {how}"


LOOKED: Mapping[str, tuple[str, Callable[[Taken], Iterator[str]], str]] = {
    "thinking": ("page.thinking", _thinking, "open while it came, then opened and closed by hand"),
    "edit": ("page.edits", _edits, "the session was emptied, the text changed, what followed gone"),
    "cancel": ("page.keeps", _keeps, "nothing changed, nothing was asked for"),
    "regenerate": ("page.again", _again, "the new answer stands where the old one was"),
    "new-chat": ("page.new_chat", _new_chat, "the session was given back, nothing is left"),
    "reload": ("page.reload", _reload, "the id is the same, nothing else is left"),
    "figures": ("page.figures", _figures, "every figure that was sent is shown, rounded"),
    "attach": ("page.attaches", _attaches, "the picture stands by the message box"),
    "fit": ("page.fits", _fits, "whole at every width"),
}
"""By what is done: the promise, what is wrong with it, and what is said where nothing is."""


def _plain(text: str) -> str:
    """What is left of a text when it was drawn as Markdown, or not: its letters and digits."""
    return "".join(filter(str.isalnum, text)).casefold()
