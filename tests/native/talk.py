"""A native worker that is played in this process: lines in, lines out, nothing in between."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from playground.worker.scripted import ScriptedEngine, parse_script
from tests.native.hearing import Hearing
from tests.native.loop import NativeLoop
from tests.native.session import Loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.worker.scripted import Script

BOS, EOS = 256, 257


def loaded(script: Mapping[str, Any], *, max_sessions: int = 2) -> Loaded:
    """A script as the worker loads it."""
    read: Script = parse_script(json.dumps({"step_ms": 0, **script}).encode())
    engine = ScriptedEngine(read)
    tokenizer = engine.tokenizer
    ends = frozenset({EOS, tokenizer.control("<|eot|>")})
    return Loaded(engine, tokenizer, ends, tokenizer.control("<|patch|>"), max_sessions)


def talk(
    model: Loaded,
    *lines: dict[str, Any] | bytes,
    then: Callable[[Hearing, dict[str, Any]], object] = lambda hearing, said: None,
    warm_resume: bool = True,
) -> list[dict[str, Any]]:
    """What it says to these lines, the ready line left out; `then` is told each as it is said."""
    hearing = Hearing()
    said: list[dict[str, Any]] = []

    def write(line: bytes) -> None:
        assert line.endswith(b"\n")
        said.append(json.loads(line))
        then(hearing, said[-1])
        if answered() == len(lines):
            hearing.end()

    def answered() -> int:
        return sum("token" not in reply and "ready" not in reply for reply in said)

    for line in lines:
        hearing.feed((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
    if not lines:
        hearing.end()
    NativeLoop(model, hearing, write, bos_id=BOS, warm_resume=warm_resume).run()
    return said[1:]


def texts(said: list[dict[str, Any]]) -> list[str]:
    """The texts among what was said."""
    return [reply["token"] for reply in said if "token" in reply]


def last(said: list[dict[str, Any]]) -> dict[str, Any]:
    """The last line."""
    return said[-1]
