"""Which legs of a conversation does our client play, and which does somebody at the page?

    --driver http       every leg as the scenario says
    --driver browser    every kept leg is typed into the page, and no other leg is played
    --driver both       every leg as the scenario says, and each kept leg once more in the page,
                        as `LEG-page`, so that the figures of the same request stand side by side

The page holds one conversation on one session and sends what it shows.  So a leg that sends
prompts on their own, on new sessions, or what another leg has sent, cannot be played there; nor can
settings that the page has no field for.  What is left out is told with the reason, and is never a
pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.results import Driven
    from harness.scenario import Leg, Scenario, Settings

__all__ = ["LeftOut", "page_legs", "share_out", "untypable"]

LeftOut = tuple[str, str]
"""What is not played, and why."""

SHOWN_ALWAYS = {"chat_template_kwargs": {"return_reasoning": True}}
"""What the page asks for whatever its settings are."""


def page_legs(scenario: Scenario, driver: str) -> bool:
    """Whether the page is needed to play a scenario so."""
    return driver != "http" or any(leg.driver == "page" for leg in scenario.leg)


def share_out(scenario: Scenario, driven: Driven | None) -> tuple[Scenario, tuple[LeftOut, ...]]:
    """The scenario with the legs that are played, each by whom; and what is left out."""
    by = driven.by if driven else "http"
    why_not = driven.why_not if driven else ""
    legs: list[Leg] = []
    out: list[LeftOut] = []
    for leg in scenario.leg:
        if by != "browser" and leg.driver == "http":
            legs.append(leg)
        if by == "http" and leg.driver == "http":
            continue
        if why := why_not or _why_not_typed(leg, scenario.settings):
            out.append((f"leg {leg.name}", f"not played in the page: {why}"))
        else:
            legs.append(_typed(leg) if by == "both" and leg.driver == "http" else _by_page(leg))
    names = {leg.name for leg in legs}
    compared = []
    for each in scenario.compare:
        missing = sorted({each.baseline, each.candidate} - names)
        if missing:
            out.append((each.name, f"not compared: leg {', '.join(missing)} is not played"))
        else:
            compared.append(each)
    return replace(scenario, leg=tuple(legs), compare=tuple(compared)), tuple(out)


def untypable(settings: Settings) -> str:
    """What of the settings cannot be set in the page; empty where all can."""
    if settings.send_reasoning:
        return "it never sends reasoning back"
    return ", ".join(_extras(settings.extra))


def _extras(extra: Mapping[str, object]) -> Iterator[str]:
    for name, value in extra.items():
        if SHOWN_ALWAYS.get(name) != value:
            yield f"it has no field for {name}"


def _why_not_typed(leg: Leg, settings: Settings) -> str:
    if leg.replays:
        return f"it cannot send what {leg.replays} has sent"
    if leg.session != "kept":
        return "it keeps one session for a whole conversation"
    return untypable(settings)


def _by_page(leg: Leg) -> Leg:
    return replace(leg, driver="page")


def _typed(leg: Leg) -> Leg:
    about = f"{leg.about}; typed into the page" if leg.about else "typed into the page"
    return replace(leg, name=f"{leg.name}-page", about=about, driver="page")
