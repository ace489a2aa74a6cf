"""When did the things that metrics speak of happen in a turn, and what did the server count?

The vocabulary beneath `metrics`: stamps and counts looked up once, each either there or `Absent`
with the reason.  No formula lives here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.events import Channel, Comment, Delta, Done, Ending, UsageSeen, Violation
from harness.units import tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harness.events import Observation, Observed
    from harness.trace import Action

__all__ = ["COUNTS", "SERVER_FIGURES", "Absent", "Noted", "TurnFacts"]

NS = 1e-9

SERVER_FIGURES: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "ttft": (("muse_metrics", "ttft_ms", "ms"),),
    "queue": (("muse_metrics", "queue_ms", "ms"),),
    "prompt": (("muse_metrics", "prompt_ms", "ms"),),
    "prefill": (("muse_metrics", "prefill_ms", "ms"), ("timings", "prompt_ms", "ms")),
    "decode": (("muse_metrics", "decode_ms", "ms"), ("timings", "predicted_ms", "ms")),
    "total": (("muse_metrics", "total_ms", "ms"),),
    "wall": (("muse_metrics", "wall_ms", "ms"),),
    "vision": (("muse_metrics", "vision_encoder_ms", "ms"),),
    "prefill_rate": (
        ("muse_metrics", "prefill_tokens_per_second", "tokens/s"),
        ("timings", "prompt_per_second", "tokens/s"),
    ),
    "decode_rate": (
        ("muse_metrics", "decode_tokens_per_second", "tokens/s"),
        ("timings", "predicted_per_second", "tokens/s"),
    ),
}
"""Where servers put a figure: (extension, key, unit), the first that is there counts."""

COUNTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "prompt": (("usage", "prompt_tokens"), ("muse_metrics", "prompt_tokens")),
    "completion": (
        ("usage", "completion_tokens"),
        ("muse_metrics", "completion_tokens"),
        ("timings", "predicted_n"),
    ),
    "reused": (
        ("muse_metrics", "reused_prompt_tokens"),
        ("usage", "cached_tokens"),
        ("timings", "cache_n"),
    ),
    "prefilled": (("muse_metrics", "prefilled_prompt_tokens"), ("timings", "prompt_n")),
    "resident": (("muse_metrics", "resident_tokens"),),
    "reasoning": (("usage", "reasoning_tokens"), ("muse_metrics", "thinking_tokens")),
    "draft_rounds": (("muse_metrics", "dflash_rounds"),),
    "draft_plain_steps": (("muse_metrics", "dflash_plain_steps"),),
    "draft_proposed": (("muse_metrics", "dflash_proposed"), ("timings", "draft_n")),
    "draft_accepted": (("muse_metrics", "dflash_accepted"), ("timings", "draft_n_accepted")),
}
"""Where servers put a count: (source, key), the first that is there counts."""


class Absent(Exception):
    """The turn has no such number; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A number with something to be known about it; the note is empty when there is nothing."""

    value: float
    note: str = ""


class TurnFacts:
    """Stamps and counts of one observation; what is not there raises `Absent`."""

    def __init__(self, observation: Observation, rtt_s: float = 0.0) -> None:
        self._seen = observation
        self.rtt_s = rtt_s

    # -- refusals

    def refuse_failed(self) -> None:
        """A turn that failed has no numbers."""
        if self._seen.ending not in {Ending.OK, Ending.NO_USAGE, Ending.CANCELLED}:
            raise Absent(f"the turn ended as {self._seen.ending.value}: {self._seen.detail}")

    def refuse_cancelled(self) -> None:
        """A turn that was cut short has no end of its own."""
        if self._seen.ending is Ending.CANCELLED:
            raise Absent("the turn was cancelled")

    def refuse_buffered(self) -> None:
        """A reply that was not streamed token by token has no first token."""
        if not self._seen.trace.streamed:
            raise Absent("a buffered reply: its first token cannot be seen")
        if self._seen.trace.request.get("tools"):
            raise Absent("a request with tools: the server may buffer the reply to its end")

    def refuse_hidden_reasoning(self) -> None:
        """Tokens that were counted but not shown spoil every division by N."""
        if self.hidden_reasoning:
            raise Absent("reasoning is hidden, its tokens are counted: time per token is unknown")

    # -- stamps

    @cached_property
    def bearing(self) -> tuple[int, ...]:
        """Stamp of each token-bearing frame, ns; deltas of one frame count once."""
        frames = {e.frame: e.at_ns for e in self._seen.events if isinstance(e.event, Delta)}
        return tuple(frames.values())

    @cached_property
    def stamps(self) -> Mapping[str, int | None]:
        """The stamps of `metrics`' docstring by name, ns; None where the moment never came."""
        events, chunks = self._seen.events, self._seen.trace.chunks
        return {
            "byte0": chunks[0].at_ns if chunks else None,
            "event0": _first(e for e in events if not isinstance(e.event, Comment | Violation)),
            "tok0": self.bearing[0] if self.bearing else None,
            "tokN": self.bearing[-1] if self.bearing else None,
            "reason0": self._first_on(Channel.REASONING),
            "vis0": self._first_on(Channel.CONTENT),
            "done": _first(e for e in events if isinstance(e.event, Done)),
        }

    def since_send(self, name: str) -> float:
        """Seconds from t_send to a stamp."""
        stamp = self.stamps[name]
        if stamp is None:
            raise Absent(self._why_never(name))
        return stamp * NS

    def first_token(self) -> float:
        """Seconds to the first token on any channel."""
        self.refuse_buffered()
        return self.since_send("tok0")

    def first_visible(self) -> float:
        """Seconds to the first visible content."""
        self.refuse_buffered()
        return self.since_send("vis0")

    @cached_property
    def gaps_s(self) -> tuple[float, ...]:
        """Seconds between token-bearing frames; at least one."""
        self.refuse_failed()
        self.refuse_buffered()
        self.refuse_cancelled()
        if len(self.bearing) < 2:
            raise Absent("fewer than two token-bearing frames")
        return tuple((b - a) * NS for a, b in pairwise(self.bearing))

    def gaps_per_token_s(self) -> tuple[float, ...]:
        """Each gap over the tokens of the frame that ends it, where every frame says its count."""
        counts = [count for count in self.running_counts if count is not None]
        if len(counts) != len(self.bearing):
            raise Absent("the server does not count tokens frame by frame")
        steps = [b - a for a, b in pairwise(counts)]
        if any(step < 1 for step in steps):
            raise Absent("the running token count does not rise with every frame")
        return tuple(gap / step for gap, step in zip(self.gaps_s, steps, strict=True))

    # -- cancellation

    def cancel_ack(self) -> float:
        """Seconds from posting the cancel to its answer."""
        return (self._action("cancel.ack").at_ns - self._action("cancel").at_ns) * NS

    def cancel_quiet(self) -> Noted:
        """Seconds from posting the cancel to the last token-bearing frame."""
        asked, last = self._action("cancel").at_ns, self.stamps["tokN"]
        if last is None or last <= asked:
            return Noted(0.0, "no token came after the cancel")
        return Noted((last - asked) * NS)

    def frames_after_ack(self) -> int:
        """Token-bearing frames after the cancel was answered."""
        answered = self._action("cancel.ack").at_ns
        return sum(stamp > answered for stamp in self.bearing)

    # -- the page

    def page_stamp(self, name: str) -> float:
        """Seconds from t_send to something that the page did: `dom.first`, `paint.last`."""
        return self._page_action(name).at_ns * NS

    def page_send(self) -> float:
        """Seconds from the click, or the key, to the request that it led to."""
        inputs = [a for a in self._seen.trace.actions if a.name in {"click", "key"}]
        before = [a for a in inputs if a.at_ns <= 0]
        if not before:
            self._page_action("click")
            raise Absent("no input led to the request")
        return -before[-1].at_ns * NS

    def page_stop_quiet(self) -> Noted:
        """Seconds from the input that posted the cancel to the last text in the document."""
        actions = self._seen.trace.actions
        asked = self._action("cancel").at_ns
        inputs = [a.at_ns for a in actions if a.name in {"click", "key"} and 0 < a.at_ns <= asked]
        if not inputs:
            self._page_action("page")
            raise Absent("no input led to the cancel")
        texts = [a.at_ns for a in actions if a.name == "dom.last" and a.at_ns > inputs[-1]]
        if not texts:
            return Noted(0.0, "no text came after it")
        return Noted((texts[-1] - inputs[-1]) * NS)

    def _page_action(self, name: str) -> Action:
        actions = {action.name: action for action in self._seen.trace.actions}
        if "page" not in actions:
            raise Absent("not played in the page")
        if name not in actions:
            raise Absent(f"the page showed none: {name} never came")
        return actions[name]

    # -- counts and figures of the server

    def count(self, name: str) -> Noted:
        """A token count of `COUNTS`; the note names the source when it is not the usual one."""
        for position, (source, key) in enumerate(COUNTS[name]):
            value = self._look_up(source, key)
            if value is not None:
                return Noted(value, f"from {source}.{key}" if position else "")
        raise Absent(f"the server does not report {' or '.join(k for _, k in COUNTS[name])}")

    def counts_by_row(self, key: str) -> tuple[int, ...]:
        """A list of counts that the server sent with its metrics."""
        values = (self._seen.extension("muse_metrics") or {}).get(key)
        if not isinstance(values, list) or not all(
            type(value) is int and value >= 0 for value in values
        ):
            raise Absent(f"the server does not report {key}")
        return tuple(values)

    def counted_twice(self) -> Iterator[tuple[str, float, float]]:
        """Counts that both usage and the server's metrics give: (name, usage's, the metrics')."""
        for name, places in COUNTS.items():
            found = {source: self._look_up(source, key) for source, key in places}
            usage = found.pop("usage", None)
            for twin in found.values():
                if name != "reasoning" and usage is not None and twin is not None:
                    yield name, usage, twin

    def prefilled(self) -> float:
        """Prompt tokens that were computed, not reused; at least one."""
        tokens = self.count("prompt").value - self.count("reused").value
        if tokens <= 0:
            raise Absent("nothing was prefilled")
        return tokens

    def server(self, name: str) -> float:
        """A figure of `SERVER_FIGURES` in base units."""
        for source, key, spelling in SERVER_FIGURES[name]:
            value = self._look_up(source, key)
            if value is not None:
                return tidy(value, spelling)[0]
        raise Absent("the server does not report it")

    def tokens_in_first_frame(self) -> Noted:
        """k0: from the usage inside the first token-bearing frame, else 1 and noted."""
        if (tokens := self.running_counts[:1]) and tokens[0] is not None:
            return Noted(tokens[0])
        return Noted(1, "first frame taken as one token")

    @property
    def hidden_reasoning(self) -> bool:
        """Whether the model reasoned, or may have, without showing it."""
        if self.stamps["reason0"] is not None:
            return False
        try:
            return self.count("reasoning").value > 0
        except Absent:
            kwargs = self._seen.trace.request.get("chat_template_kwargs")
            return isinstance(kwargs, dict) and kwargs.get("return_reasoning") is False

    # -- looking up

    def _first_on(self, channel: Channel) -> int | None:
        return _first(
            e
            for e in self._seen.events
            if isinstance(e.event, Delta) and e.event.channel is channel
        )

    @property
    def running_counts(self) -> tuple[int | None, ...]:
        """Completion tokens so far as each token-bearing frame says; None where it says nothing."""
        counts: dict[int | None, int | None] = {e.frame: None for e in self._seen.of(Delta)}
        for seen in self._seen.events:
            if isinstance(seen.event, UsageSeen) and seen.frame in counts:
                counts[seen.frame] = seen.event.completion_tokens
        return tuple(counts.values())

    def _look_up(self, source: str, key: str) -> float | None:
        """A number the server sent; None when it is not there or cannot be a size."""
        if source == "usage":
            value = getattr(self._seen.usage, key, None)
        else:
            value = (self._seen.extension(source) or {}).get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if math.isfinite(value) and value >= 0 else None

    def _action(self, name: str) -> Action:
        for action in self._seen.trace.actions:
            if action.name == name:
                return action
        raise Absent("no cancel was posted" if name == "cancel" else "the cancel was not answered")

    def _why_never(self, name: str) -> str:
        finish = self._seen.finish_reason
        ended = f"; finish reason {finish}" if finish else ""
        return {
            "byte0": "no byte of a body came",
            "event0": "no event came",
            "tok0": f"no token came{ended}",
            "tokN": f"no token came{ended}",
            "reason0": "no reasoning was shown",
            "vis0": f"no visible content came{ended}",
            "done": "no [DONE] came",
        }[name]


def _first(events: Iterable[Observed]) -> int | None:
    return next((seen.at_ns for seen in events), None)
