"""One visit: a server is started, talked to, and ended.

    1. a turn that is not kept, to warm it up
    2. every short conversation once                                        SHORT
    3. every deep conversation: its first turn for one token                COLD
                                its first turn again, answered in full      DEEP
                                its later turns, with the history so far    WARM

The history holds what this server answered, without reasoning. Greedy everywhere. Each turn has
a connection of its own, since not every server keeps one as long as it says; connecting is not
in its times.
A turn that fails ends the visit with an error: speeds of a server that fails mean nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from harness.client import ChatClient, Timeouts, TurnRequest
from harness.dirty import is_dirty
from harness.trace import TurnLabel
from harness.wire import observe
from tests.benchmarks.peers.reading import read_turn
from tests.benchmarks.peers.record import Kind, Turn, Visit
from tests.benchmarks.peers.server import free_port, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from tests.benchmarks.peers.arms import Arm
    from tests.benchmarks.peers.conversations import Conversation, Conversations

__all__ = ["Visitor"]

SHORT_TOKENS = 256
DEEP_TOKENS = 160
PATIENCE = Timeouts(silence_s=600.0)


class Visitor:
    """Says the same to every server."""

    def __init__(self, conversations: Conversations, tokenizer: Path, logs: Path) -> None:
        self._conversations = conversations
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._logs = logs

    async def visit(self, arm: Arm, number: int) -> Visit:
        """One visit of the round of this number, from 0.

        Raises:
            NotReady: the server did not start.
            TurnFailed: it failed a turn.
        """
        load = os.getloadavg()[0]
        port = free_port()
        log = self._logs / f"{arm.label.replace(' ', '-')}-{number}.log"
        async with serving(arm.argv(port), port, log) as server:
            talk = _Talk(server.url, arm, number, self._count)
            first = self._conversations.short[0]
            await talk.turn(Kind.SHORT, first, _opening(first), SHORT_TOKENS)
            said = self._conversations.brief if arm.brief else self._conversations
            turns = [turn async for turn in _talk(talk, said)]
            return Visit(arm.label, number, server.ready_s, server.peak_bytes(), load, tuple(turns))

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


class _Talk:
    """Turns with one server."""

    def __init__(self, url: str, arm: Arm, number: int, count: Callable[[str], int]) -> None:
        self._url, self._arm, self._number, self._count = url, arm, number, count
        self._turns = 0

    async def turn(
        self,
        kind: Kind,
        conversation: Conversation,
        messages: Sequence[Mapping[str, str]],
        most: int,
    ) -> Turn:
        self._turns += 1
        body: dict[str, Any] = {
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": most,
            "stream": True,
            "stream_options": {"include_usage": True},
            "chat_template_kwargs": {
                "reasoning_strength": conversation.strength,
                "return_reasoning": True,
            },
            **self._arm.extra,
        }
        label = TurnLabel("peers", self._number, self._arm.label, self._turns)
        async with ChatClient(self._url, timeouts=PATIENCE) as client:
            trace = await client.turn(TurnRequest(label, body))
        return read_turn(
            observe(trace),
            kind,
            conversation.name,
            count=self._count,
            hides_header=self._arm.hides_header,
            counts_end=self._arm.counts_end,
            dirty=is_dirty(trace),
        )


async def _talk(talk: _Talk, conversations: Conversations) -> AsyncIterator[Turn]:
    for short in conversations.short:
        yield await talk.turn(Kind.SHORT, short, _opening(short), SHORT_TOKENS)
    for deep in conversations.deep:
        messages = [{"role": "system", "content": deep.system}]
        for number, said in enumerate(deep.said):
            messages.append({"role": "user", "content": said})
            if number == 0:
                yield await talk.turn(Kind.COLD, deep, messages, 1)
            kind = Kind.WARM if number else Kind.DEEP
            turn = await talk.turn(kind, deep, messages, DEEP_TOKENS)
            yield turn
            messages.append({"role": "assistant", "content": turn.text})


def _opening(conversation: Conversation) -> list[Mapping[str, str]]:
    return [
        {"role": "system", "content": conversation.system},
        {"role": "user", "content": conversation.said[0]},
    ]
