"""In which two ways is a server broken here, though it looks well?

    leaky   says `<|eot|>` behind some of its answers, as a parser does that lets a token through,
            and loses every cancel: it acknowledges what it never passes on, and goes on when its
            caller has left
    lying   streams as it should, and boasts in `muse_metrics`: it decodes ten times as fast as it
            does, and computed nothing anew of a prompt of which it reused a part

Each is the smallest fault that a person would meet, and nothing is left to chance: which answers
are leaked into follows from what was asked.  What is leaked is taken out of the history again on
its way up, as a tokenizer does that knows the token; so a leak shows as a leak, and not as a
conversation that never goes on from its cache.
"""

from __future__ import annotations

import copy
import json
import zlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FAULTS", "LEAK", "Fault", "Leaky", "Lying"]

Json = dict[str, Any]

LEAK = "<|eot|>"
CANCEL = "/api/cancel"
BOAST = 10


class Fault(Protocol):
    """How a server is broken."""

    deaf: bool
    """Whether it goes on for a caller who has left."""

    def answer(self, path: str, body: Json) -> Json | None:
        """What it answers by itself, asking nobody; None where it asks."""
        ...

    def ask(self, body: Json) -> Json:
        """What it asks in place of what it was asked."""
        ...

    def turn(self, body: Json) -> Callable[[Json], Sequence[Json]]:
        """For one chat request: each frame, or the body of a whole reply, to what is sent."""
        ...


class Leaky:
    """Leaks control text now and then, and loses cancels."""

    deaf = True

    def answer(self, path: str, body: Json) -> Json | None:
        """A cancel is acknowledged, and that is all."""
        if path != CANCEL:
            return None
        named = {name: body.get(name) for name in ("request_id", "session_id")}
        return {"cancelled": True, **named}

    def ask(self, body: Json) -> Json:
        """The history without what was leaked into it."""
        messages = body.get("messages")
        if not isinstance(messages, list):
            return body
        return {**body, "messages": [_unleaked(message) for message in messages]}

    def turn(self, body: Json) -> Callable[[Json], Sequence[Json]]:
        """The token that ends the turn follows the answer as text."""
        spoke = False

        def change(value: Json) -> Sequence[Json]:
            nonlocal spoke
            choice = _choice(value)
            if not leaks(body) or choice is None:
                return [value]
            message = choice.get("message")
            if isinstance(message, dict):
                if message.get("content") and choice.get("finish_reason") == "stop":
                    message["content"] += LEAK
                return [value]
            spoke = spoke or bool(choice["delta"].get("content"))
            if not spoke or choice.get("finish_reason") != "stop":
                return [value]
            leaked = copy.deepcopy(value)
            leaked["choices"] = [{"index": 0, "delta": {"content": LEAK}, "finish_reason": None}]
            return [leaked, value]

        return change


class Lying:
    """Tells good news of itself."""

    deaf = False

    def answer(self, path: str, body: Json) -> Json | None:
        """Nothing."""
        return None

    def ask(self, body: Json) -> Json:
        """The same."""
        return body

    def turn(self, body: Json) -> Callable[[Json], Sequence[Json]]:
        """The metrics are made up, wherever they come."""

        def change(value: Json) -> Sequence[Json]:
            told = value.get("muse_metrics")
            if isinstance(told, dict):
                told |= _boast(told)
            return [value]

        return change


FAULTS: Mapping[str, Callable[[], Fault]] = {"leaky": Leaky, "lying": Lying}


def leaks(body: Json) -> bool:
    """Whether the answer is leaked into: that of about every second question.

    Where a stop string ends the turn, its last token never comes.
    """
    messages = body.get("messages")
    asked = messages[-1].get("content") if isinstance(messages, list) and messages else None
    return not body.get("stop") and zlib.crc32(json.dumps(asked).encode()) % 2 == 1


def _unleaked(message: Any) -> Any:  # noqa: ANN401 - JSON
    said = message.get("content") if isinstance(message, dict) else None
    if not isinstance(said, str) or message.get("role") != "assistant":
        return message
    return {**message, "content": said.removesuffix(LEAK)}


def _choice(value: Json) -> Json | None:
    """The choice of a chunk or a reply that has one."""
    choices = value.get("choices")
    return choices[0] if isinstance(choices, list) and choices else None


def _boast(told: Json) -> Json:
    claimed: Json = {}
    if rate := told.get("decode_tokens_per_second"):
        claimed["decode_tokens_per_second"] = rate * BOAST
    if told.get("reused_prompt_tokens"):
        claimed["reused_prompt_tokens"] = told["prompt_tokens"]
        claimed["prefilled_prompt_tokens"] = 0
    return claimed
