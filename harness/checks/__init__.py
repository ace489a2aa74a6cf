"""The promises a turn can keep or break, one module each.

    module       check                     promise
    stream       stream.complete           the reply came whole: 2xx, finish, [DONE], usage
                 stream.rules              and broke no rule of the wire on the way
    reset        resume.reset_reason       the session says why it was, or was not, reset
    accounts     resume.accounts           prefilled + reused = prompt, and all counts agree
                 resume.resident           after a turn, prompt + completion are resident
                 resume.reuses_resident    what is reused is exactly what was resident
    cold         resume.cold               a prompt meant to be cold reuses nothing
    answer       answer.expected           the answer holds the facts it must
    leak         answer.no_control_text    no control token or message header reaches the reader
    clocks       clocks.agree              the server's durations fit in the client's
    counts       counts.agree              token counts fit one another, the frames and the text
    cancelled    cancel.told               a turn that was cancelled says so, and is counted
    finish       answer.finish             it ends for the reason it must
    pictures     vision.encoded            a picture is encoded when it is new, and only then
                 vision.counted            what is shown takes tokens of the prompt
    same         answer.same               the same question has the same answer
    calls        answer.calls              the functions are called that must be, and no others
    reasoning    reasoning.as_asked        reasoning is shown, or hidden, as was asked
                 reasoning.counted         and counted either way
                 reasoning.apart           no reasoning stands in the answer
    grows        prompt.grows              what looks like a control token is text in a prompt
    window       limits.window             a turn fits into the window, and is not cut before it
    speedup      compare.at_least          a comparison reaches what the scenario asks of it
    restart      stream.cut                what its server left unfinished is not taken for whole
                 resume.restored           what was resident is so again after a restart
    status       request.status            a request is answered, or refused, as it must be
    typed        page.plays                somebody at the page can play it
                 page.typed                the page sends the conversation that was typed into it
                 target.claims             the target claims what is needed of it
    cancel       cancel.acknowledged       a cancel is answered, and as the turn stood
                 cancel.agrees             the answer to a cancel and the turn tell one story
                 cancel.quiet              no text but what is under way, once it is acknowledged
                 cancel.frees              what comes next does not wait for what was stopped
                 cancel.spares             a turn beside it says what it always says
                 cancel.untouched          a cancel for another session, or too late, does nothing
                 cancel.next_turn          the next turn is answered as if nothing was stopped
                 cancel.places             as many sessions have a place as before
                 cancel.idle               the target's processes rest when they should
                 cancel.hits               the stops came when they were meant to

A check yields at most one verdict for each of its promises, none where the scenario promised
nothing, and SKIP with the reason where the target cannot be asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.checks.accounts import accounts, resident, reuses_resident
from harness.checks.answer import expected
from harness.checks.calls import calls_as_promised
from harness.checks.cancelled import cancelled_as_told
from harness.checks.clocks import clocks_agree
from harness.checks.cold import cold
from harness.checks.counts import counts_agree
from harness.checks.finish import finishes
from harness.checks.grows import grows
from harness.checks.leak import no_control_text
from harness.checks.pictures import pictures_counted, pictures_encoded
from harness.checks.reasoning import apart, as_asked, counted
from harness.checks.reset import reset_reason
from harness.checks.restart import cut_or_whole, restored, with_reset
from harness.checks.same import same_answer
from harness.checks.status import answered_with
from harness.checks.stream import complete, rules
from harness.checks.typed import typed
from harness.checks.window import within_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn
    from harness.verdict import Verdict

    Check = Callable[[PlayedTurn, Capabilities], Iterator[Verdict]]

__all__ = ["ALWAYS", "ANSWERED", "CANCELLED", "PROMISES", "check_turn"]

ALWAYS: tuple[Check, ...] = (complete, rules, typed)
"""Run on every turn that was sent."""

ANSWERED: tuple[Check, ...] = (
    reset_reason,
    accounts,
    resident,
    reuses_resident,
    cold,
    expected,
    no_control_text,
    clocks_agree,
    counts_agree,
    finishes,
    pictures_encoded,
    pictures_counted,
    same_answer,
    calls_as_promised,
    as_asked,
    counted,
    apart,
    grows,
    within_window,
)
"""Run on turns whose reply came to its end; what did not arrive cannot be judged."""


CANCELLED: tuple[Check, ...] = (
    cancelled_as_told,
    rules,
    accounts,
    no_control_text,
    clocks_agree,
    counts_agree,
)
"""Run on turns that were to be cancelled."""


def check_turn(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """Every verdict on one turn; of one with a promised status, or to be cut, no more is."""
    if turn.promise.status is not None:
        yield from answered_with(turn, can)
        return
    if turn.promise.cut:
        yield from cut_or_whole(turn, can)
        return
    if turn.promise.cancelled:
        for check in CANCELLED:
            yield from check(turn, can)
        return
    yield from restored(turn, can)
    turn = with_reset(turn, can)
    for check in ALWAYS:
        yield from check(turn, can)
    if turn.answered:
        for check in ANSWERED:
            yield from check(turn, can)


PROMISES: Mapping[str, str] = dict(
    re.findall(r"^    (?:\w+)? +(\w+\.\w+) +(.+)$", __doc__, flags=re.MULTILINE)
)
"""The docstring's promise of every check, for reports."""
