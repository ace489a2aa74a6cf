"""How is a conversation typed into the page?

One conversation at a time, as far as a person can hold it: the first prompt opens a tab and writes
the settings into its panel, each further one is typed beneath what was said, and leaving presses
New chat, which gives the session back.  What the page sends is its own affair; where it is not the
conversation that was asked for, the trace says so (`page.differs`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.browser.record import Step, bodies_sent, look, turn_of
from harness.errors import PageStuck
from harness.pictures import words_of
from harness.trace import Action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.browser.tab import Browser, Tab
    from harness.client import TurnRequest
    from harness.clock import Clock
    from harness.trace import Trace

__all__ = ["TYPED", "PageChat", "differs", "settings_of"]

TYPED = ("temperature", "top_p", "top_k", "seed", "max_tokens", "reasoning_effort")
"""The settings of a request that a person can set in the page."""


class PageChat:
    """One conversation in the page."""

    def __init__(self, browser: Browser, url: str, clock: Clock) -> None:
        self._browser, self._url, self._clock = browser, url, clock
        self._tab: Tab | None = None

    async def turn(self, request: TurnRequest) -> Trace:
        """Type the last message of a request, and record what comes.

        Raises:
            PageUnusable: there is no page of ours.
        """
        step = Step(request.label, request.trace_id, self._clock.wall_iso())
        messages: Sequence[Mapping[str, Any]] = request.body["messages"]
        if self._tab is None:
            self._tab = await self._browser.open(self._url)
            await self._tab.set(settings_of(request.body))
        tab, stuck = self._tab, None
        await tab.begin()
        try:
            await tab.say(str(messages[-1]["content"]))
            await tab.settled()
        except PageStuck as problem:
            stuck = str(problem)
        record = await tab.end()
        trace = turn_of(record, tab.clock, step) or look(record, tab.clock, step, "ask")
        if stuck is not None:
            trace = replace(trace, transport_error=trace.transport_error or stuck)
        sent = bodies_sent(record)
        if sent and (why := differs(messages, sent[-1].get("messages", ()))):
            action = Action(0, "page.differs", {"why": why})
            trace = replace(trace, actions=(*trace.actions, action))
        return trace

    async def leave(self) -> None:
        """Give the session back as a person does, and close the tab."""
        tab, self._tab = self._tab, None
        if tab is None:
            return
        try:
            await tab.press("New chat")
            await tab.quiet()
        except PageStuck:
            pass  # the session's place is then taken for as long as the server says
        finally:
            await tab.close()


def settings_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """What of a request a person has to set in the page before it is asked."""
    system = [m["content"] for m in body["messages"] if m["role"] == "system"]
    settings = {name: body[name] for name in TYPED if name in body}
    return {**({"system": system[0]} if system else {}), **settings}


def differs(asked: Sequence[Mapping[str, Any]], sent: Sequence[Mapping[str, Any]]) -> str:
    """How the messages that the page sent are not those asked for; empty where they are."""
    if len(asked) != len(sent):
        return f"{len(asked)} messages were to be sent, and the page sent {len(sent)}"
    for number, (one, other) in enumerate(zip(asked, sent, strict=True), start=1):
        if one["role"] != other.get("role"):
            return (
                f"message {number} is to be the {one['role']}'s, and is the {other.get('role')}'s"
            )
        if one["content"] != other.get("content"):
            say, said = words_of(one["content"]), words_of(other.get("content"))
            if say == said:
                return f"message {number} shows another picture than the one that was attached"
            return f"message {number} was to be {say[:80]!r}, and is {said[:80]!r}"
    return ""
