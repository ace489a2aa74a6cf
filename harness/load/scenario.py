"""What a scenario file of load says: data in, or an error with file, line and key.

    name, question, answer, seed, system, [settings]    as in a conversation
    tells, replied, asks     what every request says: a person tells a fact, was answered, and asks
                             for it.  `{canary}` is the client's own fact, a number that no other
                             client has; `{nonce}` is another number in every request
    [load]                   clients, rounds (of the loop), alone (turns of one client before it)
        tie_ms               requests sent within so much of one another came at once, and may be
                             served in either order
        deadline_s           whoever is not answered by then is given up: the server hangs
    [load.probe]             every_ms, and `share` of the probes answered within `within_ms`
    [load.goodput]           `share` of the loop's requests keep both limits, each times what a
                             fair queue makes of a turn alone:
        ttft                 (TTFT alone + (clients - 1) whole turns alone)
        tpot                 TPOT alone
    [load.burst]             requests, one every `every_ms`; `strangers` of them name a session of
                             their own, which is refused where every place is taken
    [load.gone]              `ahead` keep the worker busy, `gone` wait behind them and go away

Limits are ratios to what the same server does for one client in the same run: what is fast depends
on the machine, what is fair does not.  Only probes have a limit in milliseconds, since a server
that is busy is to be reachable all the same.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.scenario import Name, Settings, Text, closed
from harness.scenario_rules import unknown_names
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario_rules import Key

__all__ = ["Burst", "Gone", "Goodput", "Load", "Probing", "Weight", "parse_load"]

Share = Annotated[float, Field(gt=0, le=1)]
Few = Annotated[int, Field(ge=1, le=64)]


@dataclass(frozen=True, config=closed)
class Probing:
    """How often the server is asked whether it lives, and how soon it has to say so."""

    every_ms: Annotated[float, Field(ge=20)] = 75.0
    within_ms: Annotated[float, Field(gt=0)] = 100.0
    share: Share = 0.99


@dataclass(frozen=True, config=closed)
class Goodput:
    """What a good answer is, as ratios, and how many are to be good."""

    ttft: Annotated[float, Field(ge=1)] = 1.5
    tpot: Annotated[float, Field(ge=1)] = 1.5
    share: Share = 0.95


@dataclass(frozen=True, config=closed)
class Burst:
    """Requests that come whether others are answered or not."""

    requests: Few = 8
    every_ms: Annotated[float, Field(ge=0)] = 10.0
    strangers: Annotated[int, Field(ge=0)] = 2


@dataclass(frozen=True, config=closed)
class Gone:
    """Clients that wait and go away."""

    ahead: Few = 2
    gone: Few = 3


@dataclass(frozen=True, config=closed)
class Weight:
    """The load itself."""

    clients: Annotated[int, Field(ge=2, le=64)] = 4
    rounds: Annotated[int, Field(ge=1, le=1000)] = 4
    alone: Few = 3
    tie_ms: Annotated[float, Field(ge=0)] = 50.0
    deadline_s: Annotated[float, Field(gt=0)] = 120.0
    probe: Probing = field(default_factory=Probing)
    goodput: Goodput = field(default_factory=Goodput)
    burst: Burst = field(default_factory=Burst)
    gone: Gone = field(default_factory=Gone)


@dataclass(frozen=True, config=closed)
class Load:
    """A scenario file of load, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    load: Weight
    tells: Text
    asks: Text
    replied: Text
    seed: Annotated[int, Field(ge=0)] = 0
    system: str = ""
    settings: Settings = field(default_factory=Settings)


_ADAPTER: TypeAdapter[Load] = TypeAdapter(Load)
_FILLED = ("canary", "nonce")


def parse_load(text: str, path: Path) -> Load:
    """The load that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    load = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(load):
        raise mistake(path, text, key, said)
    return load


def _mistakes(load: Load) -> Iterator[tuple[Key, str]]:
    for name in ("system", "tells", "replied", "asks"):
        yield from unknown_names((name,), getattr(load, name), _FILLED, "slot")
    if "{canary}" not in load.tells:
        yield ("tells",), "lacks {canary}: without a fact of its own no client can be told apart"
    if "{canary}" in load.asks:
        yield ("asks",), "gives away {canary}"
    if load.load.burst.strangers >= load.load.burst.requests:
        yield ("load", "burst", "strangers"), "leaves nobody in the burst who may be answered"
