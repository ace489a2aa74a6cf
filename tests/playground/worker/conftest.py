"""A worker in this process and thread, with a parent that speaks at exact moments.

`converse` feeds lines to a `Worker` on a scripted engine and returns its replies. Time is a number
that only the script's delays move. `moments` are things that happen just before an engine call:
`{("decode", 3): action}` runs `action(parent)` before the third round of the process, so a cancel
"during decoding" or "between two prefill chunks" is exactly there, and no test waits for anything.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from playground.tokens import ScriptedTokenizer
from playground.vision.pixels import MAX_IMAGE_BYTES
from playground.worker.cancellation import Cancellations
from playground.worker.engine import UNLIMITED
from playground.worker.inbox import Inbox
from playground.worker.loop import Worker
from playground.worker.messages import (
    Cancel,
    GenerateRequest,
    Progress,
    Ready,
    TextSegment,
    TokenText,
    dump_request,
    parse_reply,
)
from playground.worker.scripted import Pace, Script, ScriptedEngine, ScriptedReply
from playground.worker.turn import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Engine, Limits, Sampler, Session
    from playground.worker.messages import EngineInfo, Reply, Request

    Moments = Mapping[tuple[str, int], Callable[["Parent"], object]]

HUNG_S = 30.0


@dataclass
class ManualTime:
    """A clock that moves when somebody sleeps."""

    now_s: float = 0.0

    def sleep(self, duration_s: float) -> None:
        """Let time pass."""
        self.now_s += duration_s

    def clock_ns(self) -> int:
        """Read the clock in nanoseconds."""
        return round(self.now_s * 1e9)


@dataclass
class Parent:
    """The other end of the worker's pipes."""

    inbox: Inbox
    cancellations: Cancellations
    awaited: int = 0
    lines: list[bytes] = field(default_factory=list)

    def send(self, *sent: Request | bytes) -> None:
        """Write requests, all in one write; the worker is told to end after the last reply."""
        lines = [line if isinstance(line, bytes) else dump_request(line) for line in sent]
        self.awaited += sum(not isinstance(line, Cancel) and line != b"\n" for line in sent)
        self.inbox.feed(b"".join(lines))

    def hear(self, line: bytes) -> None:
        """Take a line of the worker's stdout; close its stdin when nothing more is awaited."""
        self.lines.append(line)
        self.awaited -= not isinstance(parse_reply(line), TokenText | Progress | Ready)
        if self.awaited == 0:
            self.inbox.close()

    @property
    def replies(self) -> list[Reply]:
        """Everything heard but the ready line."""
        replies = [parse_reply(line) for line in self.lines]
        return [reply for reply in replies if not isinstance(reply, Ready)]


@dataclass
class WatchedEngine:
    """An engine that tells of each call before it is made."""

    engine: Engine
    before: Callable[[str], None]
    calls: list[tuple[str, object]] = field(default_factory=list)

    @property
    def info(self) -> EngineInfo:
        """What the engine says."""
        return self.engine.info

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Prepare a picture."""
        return self.engine.prepare(pixels)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """Tell, then encode."""
        self.before("encode")
        self.calls.append(("encode", inputs.cells))
        return self.engine.encode(inputs)

    def open(self) -> WatchedSession:
        """Open a watched session."""
        self.before("open")
        return WatchedSession(self.engine.open(), self)


@dataclass
class WatchedSession:
    """A session that tells of each call before it is made."""

    session: Session
    watch: WatchedEngine

    @property
    def position(self) -> int:
        """What the session says."""
        return self.session.position

    def rewind(self, position: int) -> None:
        """Tell, then rewind."""
        self._tell("rewind", position)
        self.session.rewind(position)

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """Tell, then prefill."""
        self._tell("prefill", list(ids))
        self.session.prefill(ids, soft)

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """Tell, then decode."""
        self._tell("decode", None)
        return self.session.decode(sampler, limits)

    def statistics(self) -> DraftCounts | None:
        """What the session says."""
        return self.session.statistics()

    def close(self) -> None:
        """Tell, then close."""
        self._tell("close", None)
        self.session.close()

    def _tell(self, name: str, argument: object) -> None:
        self.watch.before(name)
        self.watch.calls.append((name, argument))


@dataclass
class Conversation:
    """What came of it."""

    replies: list[Reply]
    calls: list[tuple[str, object]]
    ready: Ready

    @property
    def text(self) -> str:
        """All token texts together."""
        return "".join(reply.text for reply in self.replies if isinstance(reply, TokenText))

    @property
    def last(self) -> Reply:
        """The last reply."""
        return self.replies[-1]

    def prefills(self) -> list[int]:
        """How many tokens each prefill call had."""
        return [len(ids) for name, ids in self.calls if name == "prefill" and isinstance(ids, list)]


def run_conversation(
    *sent: Request | bytes,
    script: Script,
    moments: Moments | None = None,
    max_sessions: int = 2,
    warm_resume: bool = True,
    max_image_bytes: int = MAX_IMAGE_BYTES,
) -> Conversation:
    """Run a worker until everything sent, before and at the moments, has its last reply."""
    time = ManualTime()
    cancellations = Cancellations()
    parent = Parent(Inbox(cancellations, clock_ns=time.clock_ns), cancellations)
    counts: dict[str, int] = {}

    def before(call: str) -> None:
        counts[call] = counts.get(call, 0) + 1
        happening = (moments or {}).get((call, counts[call]))
        if happening:
            happening(parent)

    pace = Pace(clock_s=lambda: time.now_s, sleep_s=time.sleep)
    engine = WatchedEngine(ScriptedEngine(script, pace=pace), before)
    tokenizer = ScriptedTokenizer()
    eos_ids = frozenset({tokenizer.control("<|eot|>"), tokenizer.control("<|end_of_text|>")})
    worker = Worker(
        Model(engine, tokenizer, tokenizer.control("<|begin_of_text|>"), eos_ids, max_image_bytes),
        inbox=parent.inbox,
        cancellations=cancellations,
        write=parent.hear,
        clock_ns=time.clock_ns,
        max_sessions=max_sessions,
        warm_resume=warm_resume,
    )
    hung = threading.Timer(HUNG_S, parent.inbox.close)
    hung.start()
    parent.send(*sent)
    worker.run(supports_cancel=False)
    assert hung.is_alive(), f"{parent.awaited} replies are missing"
    hung.cancel()
    ready = parse_reply(parent.lines[0])
    assert isinstance(ready, Ready)
    return Conversation(parent.replies, engine.calls, ready)


@pytest.fixture
def converse() -> Callable[..., Conversation]:
    """Return `run_conversation` with a script that answers "Hello" to everything."""

    def run(*sent: Request | bytes, **options: object) -> Conversation:
        names = Script.__dataclass_fields__.keys() & options.keys()
        changed = {name: options.pop(name) for name in names}
        hello = Script(replies=(ScriptedReply("Hello"),), prefill_ms_per_token=1.0)
        return run_conversation(*sent, script=replace(hello, **changed), **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def ask() -> Callable[..., GenerateRequest]:
    """Return a short way to write a generate request with one text segment."""

    def request(text: str = "Hi", **fields: object) -> GenerateRequest:
        return GenerateRequest((TextSegment(text),), **fields)  # type: ignore[arg-type]

    return request
