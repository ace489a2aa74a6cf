"""An engine without a model: given text at given delays, for tests to the millisecond.

A script is a JSON object

    {"context_length": 4096, "load_ms": 0, "max_prefill_chunk": 64,
     "prefill_ms_per_token": 0.0, "step_ms": 2.0, "tokens_per_round": 1, "draft_tokens": 3,
     "replies": [{"match": "substring of the prompt", "text": "…", "step_ms": 5.0}, …],
     "max_image_cells": 64, "encode_ms": 3.0, "die_after_tokens": 7, "reset_failures": 1}

of which only `replies` is needed. The reply to a prompt is the first whose `match` is found in
it, or that has none; the prompt is all that the cache holds, with control tokens by name. `text`
may hold names of control tokens; `<|eot|>` ends it, and is added where it is missing. Its tokens
are `ScriptedTokenizer`'s: one a byte, or a control token.

With `max_image_cells` it takes pictures. A picture is encoded as the SHA-256 of its pixels, in
every row. In the prompt a row of it is `<|patch|>`; in a reply, `{picture}` stands for the first
eight digits of each digest in the cache, so it is the cache that the answer is read from.

With `draft_tokens` it drafts, or plays that it does, and counts: every round but a turn's first
proposes so many tokens, of which `tokens_per_round - 1` are accepted, and returns nothing that the
turn does not want. Where a turn shall not draft it has one token a round.

What takes how long: a picture `encode_ms`, a prefill `prefill_ms_per_token` for each row, a round
`step_ms`, the first of a turn included. So the first text comes prefill + step after the request,
and the others step after step. Delays are kept on a schedule, so a late wake-up does not add up.
`die_after_tokens` ends the process after so many tokens in its life, without a word. So many
`reset_failures` come before the first time that a cache with something in it can be emptied.
"""

from __future__ import annotations

import hashlib
import os
import platform
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from playground.tokens import ScriptedTokenizer
from playground.vision.patches import prepare
from playground.worker.draft_counts import Tally
from playground.worker.engine import SOFT, UNLIMITED
from playground.worker.errors import EngineError, MessageError, ScriptError
from playground.worker.fields import Fields
from playground.worker.messages import EngineInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Limits, Sampler

__all__ = [
    "Pace",
    "Script",
    "ScriptedEngine",
    "ScriptedReply",
    "ScriptedSession",
    "load_script",
    "parse_script",
]

END_OF_TURN = "<|eot|>"
PATCH = b"<|patch|>"
NO_POSITIONS = np.zeros((2, 2, 4), np.float32)
DIED_EXIT_CODE = 70


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What to answer to a prompt that holds `match`; None matches every prompt."""

    text: str
    match: str | None = None
    step_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script as read; the fields are explained at the top of this module."""

    replies: tuple[ScriptedReply, ...]
    context_length: int = 4096
    max_prefill_chunk: int = 64
    load_ms: float = 0.0
    prefill_ms_per_token: float = 0.0
    step_ms: float = 2.0
    tokens_per_round: int = 1
    draft_tokens: int = 0
    max_image_cells: int | None = None
    encode_ms: float = 0.0
    die_after_tokens: int | None = None
    reset_failures: int = 0

    def reply_to(self, prompt: str) -> ScriptedReply:
        """Return the first reply that matches; raise EngineError if none does."""
        for reply in self.replies:
            if reply.match is None or reply.match in prompt:
                return reply
        raise EngineError(f"no reply of the script matches the prompt {prompt[-200:]!r}")


def load_script(path: str | os.PathLike[str]) -> Script:
    """Read a script file; raise ScriptError, naming the file and the key, if it is wrong."""
    try:
        content = Path(path).read_bytes()
        return parse_script(content)
    except OSError as error:
        raise ScriptError(f"{path}: {error.strerror}") from error
    except MessageError as error:
        raise ScriptError(f"{path}: {error.reason}") from error


def parse_script(content: bytes) -> Script:
    """Parse a script; raise MessageError if it is wrong."""
    fields = Fields.of_line(content)
    script = Script(
        replies=tuple(map(_parse_reply, fields.objects("replies"))),
        context_length=fields.integer("context_length", 4096, low=2),
        max_prefill_chunk=fields.integer("max_prefill_chunk", 64, low=1),
        load_ms=_delay(fields, "load_ms", 0.0),
        prefill_ms_per_token=_delay(fields, "prefill_ms_per_token", 0.0),
        step_ms=_delay(fields, "step_ms", 2.0),
        tokens_per_round=fields.integer("tokens_per_round", 1, low=1),
        draft_tokens=fields.integer("draft_tokens", 0, low=0),
        max_image_cells=fields.optional_integer("max_image_cells", low=1),
        encode_ms=_delay(fields, "encode_ms", 0.0),
        die_after_tokens=fields.optional_integer("die_after_tokens", low=0),
        reset_failures=fields.integer("reset_failures", 0, low=0),
    )
    _refuse_unknown(fields)
    return script


def _parse_reply(fields: Fields) -> ScriptedReply:
    reply = ScriptedReply(
        text=fields.string("text"),
        match=fields.optional_string("match"),
        step_ms=_delay(fields, "step_ms", 0.0) if "step_ms" in fields else None,
    )
    _refuse_unknown(fields)
    return reply


def _delay(fields: Fields, key: str, default: float) -> float:
    delay = fields.number(key, default)
    if delay < 0:
        raise MessageError(f"{key!r} is {delay}; a delay cannot be negative")
    return delay


def _refuse_unknown(fields: Fields) -> None:
    if unknown := fields.unread():
        raise MessageError(f"unknown key {', '.join(map(repr, unknown))}")


class Pace:
    """Waits on a schedule: each delay begins where the one before was due, not where it ended."""

    def __init__(
        self,
        clock_s: Callable[[], float] = time.perf_counter,
        sleep_s: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock_s = clock_s
        self._sleep_s = sleep_s
        self._due_s = 0.0

    def start(self) -> None:
        """Begin a schedule now."""
        self._due_s = self._clock_s()

    def wait_ms(self, delay_ms: float) -> None:
        """Wait until the delay has passed; whoever is late already starts the schedule anew."""
        now = self._clock_s()
        self._due_s = max(self._due_s + delay_ms / 1e3, now)
        self._sleep_s(self._due_s - now)


def _die() -> NoReturn:
    os._exit(DIED_EXIT_CODE)


@dataclass(slots=True)
class ScriptedEngine:
    """Plays a script. `pace` waits and `die` ends the process, so a test may do neither."""

    script: Script
    pace: Pace = field(default_factory=Pace)
    die: Callable[[], NoReturn] = _die
    tokenizer: ScriptedTokenizer = field(default_factory=ScriptedTokenizer)
    tokens_spoken: int = 0
    resets_failed: int = 0

    def __post_init__(self) -> None:
        self.pace.start()
        self.pace.wait_ms(self.script.load_ms)

    @property
    def info(self) -> EngineInfo:
        """What the ready line says about this engine."""
        return EngineInfo(
            engine="scripted",
            backend="scripted",
            threads=1,
            load_ms=self.script.load_ms,
            context_length=self.script.context_length,
            vocab_size=self.tokenizer.vocab_size,
            max_prefill_chunk=self.script.max_prefill_chunk,
            versions={"executorch": None, "torch": None, "python": platform.python_version()},
            max_image_cells=self.script.max_image_cells,
            dflash_block_length=self.script.draft_tokens + 1 if self.script.draft_tokens else None,
            dflash_draft_tokens=self.script.draft_tokens or None,
        )

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Prepare a picture for a small encoder that does not exist."""
        return prepare(pixels, NO_POSITIONS, head_width=4)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """Return the digest of the picture once for each cell, after as long as encoding takes."""
        self.pace.start()
        self.pace.wait_ms(self.script.encode_ms)
        digest = hashlib.sha256(inputs.patches.tobytes()).digest()
        return np.tile(np.frombuffer(digest, np.uint8), (inputs.cells, 1)).astype(np.float32)

    def open(self) -> ScriptedSession:
        """Make a session with an empty cache."""
        return ScriptedSession(self)

    def count_token(self) -> None:
        """Note that a token was chosen, and die if it was the last one of this life."""
        if self.tokens_spoken == self.script.die_after_tokens:
            self.die()
        self.tokens_spoken += 1

    def begin_reset(self) -> None:
        """Note that a cache is to be emptied; raise EngineError while that still has to fail."""
        if self.resets_failed < self.script.reset_failures:
            self.resets_failed += 1
            raise EngineError("the cache cannot be emptied, as the script wants it")


class ScriptedSession:
    """A cache that is the list of its tokens."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine
        self._rows: list[int | bytes] = []  # a token, or the digest of a picture
        self._reply: list[int] | None = None
        self._step_ms = 0.0
        self._pending: int | None = None
        self._tally = Tally(0)

    @property
    def position(self) -> int:
        """How many tokens have a row in the cache."""
        return len(self._rows)

    def rewind(self, position: int) -> None:
        """Keep the first `position` rows."""
        if position == 0 and self._rows:
            self._engine.begin_reset()
        del self._rows[position:]
        self._forget_turn()

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """Take the tokens and rows of pictures, after as long as so many take."""
        script = self._engine.script
        if not 1 <= len(ids) <= script.max_prefill_chunk:
            raise EngineError(f"a prefill of {len(ids)} tokens, of {script.max_prefill_chunk}")
        self._forget_turn()
        self._engine.pace.start()
        self._engine.pace.wait_ms(script.prefill_ms_per_token * len(ids))
        given = iter(() if soft is None else [bytes(row.astype(np.uint8)) for row in soft])
        self._add_rows([next(given) if token == SOFT else token for token in ids])

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:  # noqa: ARG002
        """Return the next tokens of the reply, after as long as a step takes."""
        if self._reply is None:
            self._begin_reply(limits)
        assert self._reply is not None
        self._engine.pace.wait_ms(self._step_ms)
        if self._engine.script.draft_tokens:
            chosen = self._drafted(self._reply[: self._largest_round()], limits)
        else:
            chosen = tuple(self._reply[: self._largest_round()])
        del self._reply[: len(chosen)]
        if not chosen:
            raise EngineError("the reply has ended")
        for _ in chosen:
            self._engine.count_token()
        if self._pending is not None:
            self._add_rows([self._pending])
        self._add_rows(chosen[:-1])
        self._pending = chosen[-1]
        return chosen

    def statistics(self) -> DraftCounts | None:
        """Return what was drafted; None where the script says nothing of a draft."""
        return self._tally.counts() if self._engine.script.draft_tokens else None

    def close(self) -> None:
        """Forget everything."""
        self._rows.clear()
        self._forget_turn()

    def _drafted(self, coming: Sequence[int], limits: Limits) -> tuple[int, ...]:
        """Of the tokens that a round could return, those that drafting returns; count it."""
        proposed = min(self._engine.script.draft_tokens, limits.most - 1)
        if self._pending is None:
            return tuple(coming[:1])
        if not limits.draft or not proposed:
            self._tally.step(self._step_ms / 1e3)
            return tuple(coming[:1])
        coming = coming[: proposed + 1]
        ends = [place for place, token in enumerate(coming, 1) if token in limits.eos_ids]
        returned = tuple(coming[: ends[0]] if ends else coming)
        accepted = len(returned) - (len(returned) == len(coming))
        self._tally.round(proposed, accepted, 0.0, self._step_ms / 1e3)
        return returned

    def _begin_reply(self, limits: Limits) -> None:
        self._tally = Tally(self._engine.script.draft_tokens if limits.draft else 0)
        tokenizer = self._engine.tokenizer
        prompt = b"".join(
            PATCH if isinstance(row, bytes) else tokenizer.bytes_of(row) for row in self._rows
        ).decode("utf-8", "replace")
        reply = self._engine.script.reply_to(prompt)
        seen = dict.fromkeys(row.hex()[:8] for row in self._rows if isinstance(row, bytes))
        ids = tokenizer.encode_prompt(reply.text.replace("{picture}", " ".join(seen)))
        end = tokenizer.control(END_OF_TURN)
        self._reply = ids if end in ids else [*ids, end]
        self._step_ms = self._engine.script.step_ms if reply.step_ms is None else reply.step_ms

    def _largest_round(self) -> int:
        """As many tokens as the script wants at once, as far as there is room for their rows."""
        pending = 0 if self._pending is None else 1
        room = self._engine.script.context_length - len(self._rows) - pending
        return min(self._engine.script.tokens_per_round, room + 1)

    def _add_rows(self, rows: Sequence[int | bytes]) -> None:
        if len(self._rows) + len(rows) > self._engine.script.context_length:
            raise EngineError(f"the cache has {self._engine.script.context_length} rows")
        self._rows += rows

    def _forget_turn(self) -> None:
        self._reply = None
        self._pending = None
