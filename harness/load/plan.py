"""Who asks what in a run of load, and in which phase?

A pure function of scenario, seed, salt, number of rounds and how many sessions the target keeps.
A request is labelled by its phase and client (`loop.c2`), and by its place among that client's
requests there, from 1.  Turn 0 of the phase `alone` is a warm-up.

The first clients have a session each, as many as the target has places for; the others have none.
Whoever has a session keeps it to the end, so that in the burst every place is taken.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.load.scenario import Load

__all__ = ["LAST", "PHASES", "LoadPlan", "PlannedRequest", "places_of", "plan_load"]

PHASES = ("alone", "loop", "burst", "gone")
LAST = "last"
"""Who waits behind those that go away."""


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request, its texts filled."""

    label: TurnLabel
    session: str
    """Empty where there is none."""
    canary: str
    messages: tuple[Mapping[str, str], ...]
    leaves: bool = False
    """Whether its client goes away before it is answered."""
    stranger: bool = False
    """Whether it names a session for which there is no place."""

    @property
    def phase(self) -> str:
        """One of `PHASES`."""
        return self.label.leg.partition(".")[0]

    @property
    def client(self) -> str:
        """Who asks."""
        return self.label.leg.partition(".")[2]


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Every request, by phase and in the order they are sent."""

    alone: tuple[PlannedRequest, ...]
    loop: tuple[tuple[PlannedRequest, ...], ...]
    """By client."""
    burst: tuple[PlannedRequest, ...]
    gone: tuple[PlannedRequest, ...]
    """Those ahead, those who leave, and the last."""

    @property
    def requests(self) -> tuple[PlannedRequest, ...]:
        """All of them."""
        loop = (each for client in self.loop for each in client)
        return (*self.alone, *loop, *self.burst, *self.gone)


def places_of(runtime: Mapping[str, Any] | None) -> int:
    """How many named sessions a target says that it keeps; 0 where it does not say."""
    told = (runtime or {}).get("maxNamedSessions")
    return told if type(told) is int else 0


def plan_load(load: Load, *, rounds: int, seed: int, salt: str, places: int) -> LoadPlan:
    """Every request of a run."""
    weight, fill = load.load, _Filling(load, seed, salt)
    names = [f"c{number}" for number in range(1, weight.clients + 1)]
    kept = {name: f"bench-{salt}-{name}" for name in names[:places]}
    burst = [f"b{number}" for number in range(1, weight.burst.requests + 1)]
    odd = weight.burst.strangers
    # Strangers come among the others, not behind them.
    strangers = {burst[(2 * n + 1) * len(burst) // (2 * odd)] for n in range(odd)}
    leavers = [f"g{number}" for number in range(1, weight.gone.gone + 1)]
    waiting = [*(f"a{n}" for n in range(1, weight.gone.ahead + 1)), *leavers, LAST]
    return LoadPlan(
        alone=tuple(fill.request("alone", "c0", turn) for turn in range(weight.alone + 1)),
        loop=tuple(
            tuple(
                fill.request("loop", name, turn, session=kept.get(name, ""))
                for turn in range(1, rounds + 1)
            )
            for name in names
        ),
        burst=tuple(
            fill.request("burst", name, 1, session=f"bench-{salt}-{name}", stranger=True)
            if name in strangers
            else fill.request("burst", name, 1)
            for name in burst
        ),
        gone=tuple(fill.request("gone", name, 1, leaves=name in leavers) for name in waiting),
    )


class _Filling:
    """Texts with numbers in them; a client keeps its own number, and every request is new."""

    def __init__(self, load: Load, seed: int, salt: str) -> None:
        self._load, self._salt = load, salt
        numbers = random.Random(f"{seed}/load").sample(range(1000, 10_000), 9_000)
        self._left = iter(map(str, numbers))
        self._own: dict[str, str] = {}

    def request(
        self,
        phase: str,
        client: str,
        turn: int,
        *,
        session: str = "",
        leaves: bool = False,
        stranger: bool = False,
    ) -> PlannedRequest:
        load, leg = self._load, f"{phase}.{client}"
        if client not in self._own:
            self._own[client] = next(self._left)
        nonce = random.Random(f"{self._salt}/{leg}/{turn}").randint(10**11, 10**12 - 1)
        filled = {"canary": self._own[client], "nonce": str(nonce)}
        said = (("system", load.system), ("user", load.tells), ("assistant", load.replied))
        return PlannedRequest(
            label=TurnLabel(load.name, 1, leg, turn),
            session=session,
            canary=self._own[client],
            messages=tuple(
                {"role": role, "content": text.format_map(filled)}
                for role, text in (*said, ("user", load.asks))
                if text
            ),
            leaves=leaves,
            stranger=stranger,
        )
