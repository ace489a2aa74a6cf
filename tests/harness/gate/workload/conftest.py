"""A small policy, and starts of a rehearsed server that were played as a gate plays them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.acts.runner import ActsOrder, play_acts
from harness.acts.scenario import parse_acts
from harness.fingerprint import Fingerprint
from harness.gate.extract import read_start
from harness.gate.pins import Loaded, Pin
from harness.gate.policy import parse_policy
from harness.gate.record import GateRecord, Side, StartRecord, start_path
from harness.rehearsal import Answer, RehearsalChat
from harness.results import RunFolder
from harness.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.gate.extract import StartSeen

    Played = Callable[..., StartSeen]

TALK = """\
name = "talk"
question = "does it?"
answer = "whether it does"
repeat = 3
system = "{nonce}"
settings.temperature = 0.0
[slots]
nonce = { digits = 6, fresh = true }
[[cell]]
name = "warm"
act = [
    { do = "ask", says = "Which colour has the sky by day?", expect.contains = ["blue"] },
    { do = "ask", says = "And the sun?" },
    { do = "ask", says = "And the moon?" },
]
[[cell]]
name = "stop"
act = [{ do = "ask", says = "Please count.", cancel = 2 }]
"""
POLICY = """\
name = "small"
question = "Is it as good?"
scenarios = ["talk"]
agreement = 0.8
[[metric]]
name = "cold"
title = "TTFT, cold"
measure = "client.ttft"
scenario = "talk"
leg = "warm.ann"
turns = [1]
[[metric]]
name = "warm"
title = "TTFT, warm"
measure = "client.ttft"
scenario = "talk"
leg = "warm.ann"
turns = [2, 3]
margin = 0.05
gated = true
[[metric]]
name = "decode"
title = "decode rate"
measure = "client.decode_rate"
scenario = "talk"
leg = "warm.ann"
[[metric]]
name = "a-round"
title = "tokens a round"
measure = "draft.per_round"
scenario = "talk"
leg = "warm.ann"
[[metric]]
name = "quiet"
title = "stop to silence"
measure = "cancel.quiet"
scenario = "talk"
leg = "stop.ann"
[[metric]]
name = "ready"
title = "ready"
measure = "start.ready"
[[metric]]
name = "load"
title = "load"
measure = "start.load"
[[metric]]
name = "peak"
title = "peak"
measure = "memory.worker_peak"
[[metric]]
name = "steady"
title = "steady"
measure = "memory.worker_steady"
"""
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
AT = "2026-01-01T00:00:00+00:00"


class Silence:
    """A progress that tells nobody."""

    def started(self, *_: object) -> None:
        """Say nothing."""

    turn_started = turn_ended = repeat_ended = started


def right(_messages: Sequence[Mapping[str, str]]) -> Answer:
    """Says eight words, the fact among them."""
    return Answer("The sky is blue and grass is green.")


@pytest.fixture
def record() -> GateRecord:
    """A gate of two pins with one model."""
    model = Loaded(artifact_sha256="m" * 64)
    return GateRecord(
        policy="small",
        policy_sha256="",
        baseline=Pin("old", "pin", "a" * 64, {}, expected=model),
        candidate=Pin("new", "pin", "b" * 64, {}, expected=model),
        pairs=4,
        budget_min=5.0,
        seed=7,
        salt="s",
        started_at=AT,
        fingerprint=MACHINE,
        machine={},
        scenarios={},
    )


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """Plays a start of a pair against a rehearsed server; what follows from it."""
    policy = parse_policy(POLICY, Path("small.toml"))
    acts = parse_acts(TALK, Path("talk.toml"))

    def play(
        side: Side = Side.BASELINE,
        pair: int = 1,
        *,
        chat: RehearsalChat | None = None,
        scenario: bool = True,
        **told: Any,  # noqa: ANN401 - fields of StartRecord
    ) -> StartSeen:
        index = 2 * pair - (side is Side.BASELINE)
        start = StartRecord(index, side, 1, pair, False, AT, f"salt{pair}", ended_at=AT)
        start = replace(start, **told)
        chat = chat or RehearsalChat(right)
        if scenario:
            folder = RunFolder.create(tmp_path / start_path(start) / "talk")
            order = ActsOrder(acts, TALK, acts.repeat, 1, start.salt, MACHINE)
            target = Target("url", "http://rehearsal")
            asyncio.run(
                play_acts(order, target, chat, folder, clock=chat.clock, progress=Silence())
            )
        return read_start(tmp_path, start, policy)

    return play
