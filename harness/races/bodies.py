"""What does each request of a race send?

Bodies are equal where the same is asked, whatever the race: so an answer is compared with the
control that has the same body.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.races.moments import Point
from harness.races.pictures import picture_url
from harness.races.ways import Way
from harness.runner import assistant_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.races.scenario import Asked, Prompt, Races

__all__ = ["Bodies", "comes_to_its_end", "key_of"]


@dataclass(frozen=True, slots=True)
class Bodies:
    """The bodies of one run."""

    races: Races
    model: str
    told: bool
    """Whether the target is asked to tell how a turn stands; only ours is known to know that."""
    answer: str = ""
    """What the opening was answered."""

    def opening(self) -> Mapping[str, Any]:
        """The first turn of every session, and the next turn after a race."""
        return self._asked(self.races.opening)

    def bystander(self) -> Mapping[str, Any]:
        """A turn that no race is about."""
        return self._asked(self.races.bystander)

    def place(self) -> Mapping[str, Any]:
        """As little as opens a session."""
        return {**self._asked(self.races.opening), "max_tokens": 1}

    def raced(self, prompt: Prompt, *, whole: bool) -> Mapping[str, Any]:
        """A turn that is stopped, or one that comes to its end."""
        before: list[dict[str, Any]] = []
        if prompt.goes_on:
            before = [_user(self.races.opening.says)]
            before.append({**assistant_message(self.answer, "", self.races.settings)})
        said: Any = prompt.says
        if prompt.pictures:
            urls = [picture_url(number) for number in range(prompt.pictures)]
            pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
            said = [*pictures, {"type": "text", "text": prompt.says}]
        cap = prompt.whole if whole else prompt.max_tokens
        body = self._body([*before, _user(said)], cap)
        return {**body, "reasoning_effort": prompt.effort} if prompt.effort else body

    def _asked(self, asked: Asked) -> Mapping[str, Any]:
        return self._body([_user(asked.says)], asked.max_tokens)

    def _body(self, messages: list[dict[str, Any]], cap: int) -> Mapping[str, Any]:
        system = [{"role": "system", "content": self.races.system}] if self.races.system else []
        options = {"include_usage": True, **({"include_status": True} if self.told else {})}
        return {
            "model": self.model,
            "messages": [*system, *messages],
            "stream": True,
            "stream_options": options,
            **self.races.settings.fields(),
            "max_tokens": cap,
        }


def comes_to_its_end(point: Point, way: Way) -> bool:
    """Whether the turn of a cell is not meant to be stopped, so that it had better be short."""
    return way is Way.WRONG or point in {Point.LAST, Point.DONE}


def key_of(body: Mapping[str, Any]) -> str:
    """Equal for equal bodies."""
    return json.dumps(body, sort_keys=True)


def _user(content: Any) -> dict[str, Any]:  # noqa: ANN401 - text, or parts
    return {"role": "user", "content": content}
