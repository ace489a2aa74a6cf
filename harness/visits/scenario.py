"""What a scenario file of visits says: data in, or an error with file, line and key.

A *visit* is a tab with a profile of its own in which somebody does one thing after the other.

    name, question, answer, repeat, seed, system, [settings], [lists], [slots]
                             as in a conversation; slots are drawn anew for each visit, and the
                             system message and settings are written into the page's panel
    [pictures]               as in acts; files alone
    [limits]
        stop_quiet_s = 1.0       from the click on Stop to the last text that is written
    [[visit]]                name, about, and
        needs = ["vision"]       what the target must claim in `/api/runtime`, else it is skipped
        [[visit.step]]           one thing that is done:
            do = "ask"               `says` is typed and sent
               | "attach"            a file goes through the page's own chooser: `picture`
               | "stop"              `says` is sent, and Stop clicked at the first moment `after`
                                     (`reasoning` or `content`)
               | "edit"              message number `message` (odd ones are the person's) becomes
                                     `says`; with `save = false` that is cancelled
               | "regenerate"        the last answer is asked for once more
               | "new-chat"
               | "reload"            the page is loaded again
               | "thinking"          the disclosure of the last answer is opened and closed
               | "figures"           the details under the last answer are read
               | "fit"               the window becomes as wide as each of `widths`, in px
            [visit.step.expect]      contains, excludes, matches, reset, of what is asked for
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.driver import untypable
from harness.pictures import Picture, picture_mistakes
from harness.scenario import Name, ResetReason, Settings, Slot, Text, closed
from harness.scenario_rules import draw_mistakes, expectation_mistakes, unknown_names
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario_rules import Key

__all__ = ["Expected", "Limits", "Step", "Visit", "Visits", "parse_visits"]


@dataclass(frozen=True, config=closed)
class Expected:
    """What must come of a turn."""

    contains: tuple[Text, ...] = ()
    excludes: tuple[Text, ...] = ()
    matches: Text | None = None
    reset: ResetReason | None = None


@dataclass(frozen=True, config=closed)
class Step:
    """One thing that somebody does in the page."""

    do: Literal[
        "ask",
        "attach",
        "stop",
        "edit",
        "regenerate",
        "new-chat",
        "reload",
        "thinking",
        "figures",
        "fit",
    ]
    says: Text | None = None
    after: Literal["reasoning", "content"] | None = None
    message: Annotated[int, Field(ge=1)] | None = None
    save: bool = True
    picture: Name | None = None
    widths: tuple[Annotated[int, Field(ge=280, le=4000)], ...] = ()
    expect: Expected = field(default_factory=Expected)

    @property
    def asks(self) -> bool:
        """Whether a turn comes of it."""
        edits = self.do == "edit" and self.save and (self.message or 0) % 2 == 1
        return edits or self.do in {"ask", "stop", "regenerate"}


@dataclass(frozen=True, config=closed)
class Visit:
    """What is done in one tab."""

    name: Name
    step: Annotated[tuple[Step, ...], Field(min_length=1)]
    about: str = ""
    needs: tuple[Text, ...] = ()


@dataclass(frozen=True, config=closed)
class Limits:
    """How long what a person waits for may take."""

    stop_quiet_s: Annotated[float, Field(gt=0)] = 1.0


@dataclass(frozen=True, config=closed)
class Visits:
    """A scenario file of visits, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    visit: Annotated[tuple[Visit, ...], Field(min_length=1)]
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    system: str = ""
    settings: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)
    lists: Mapping[Name, Annotated[tuple[Text, ...], Field(min_length=1)]] = field(
        default_factory=dict
    )
    slots: Mapping[Name, Slot] = field(default_factory=dict)
    pictures: Mapping[Name, Picture] = field(default_factory=dict)


_ADAPTER: TypeAdapter[Visits] = TypeAdapter(Visits)


def parse_visits(text: str, path: Path) -> Visits:
    """The visits that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    visits = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(visits):
        raise mistake(path, text, key, said)
    return visits


BELONGS: Mapping[str, tuple[str, ...]] = {
    "says": ("ask", "stop", "edit"),
    "after": ("stop",),
    "message": ("edit",),
    "picture": ("attach",),
    "widths": ("fit",),
}
"""Which keys go with which steps, and only with them."""


def _mistakes(visits: Visits) -> Iterator[tuple[Key, str]]:
    known = set(visits.slots)
    yield from draw_mistakes(visits)
    yield from unknown_names(("system",), visits.system, known, "slot")
    yield from picture_mistakes(visits.pictures)
    if why := untypable(visits.settings):
        yield ("settings",), f"cannot be written into the page: {why}"
    names: set[str] = set()
    for place, visit in enumerate(visits.visit):
        if visit.name in names:
            yield ("visit", place, "name"), f"two visits are called {visit.name!r}"
        names.add(visit.name)
        for number, step in enumerate(visit.step):
            yield from _step_mistakes(("visit", place, "step", number), step, visits)


def _step_mistakes(key: Key, step: Step, visits: Visits) -> Iterator[tuple[Key, str]]:
    for name, steps in BELONGS.items():
        if bool(getattr(step, name)) != (step.do in steps):
            yield (*key, name), f"goes with {' and '.join(steps)}, and only with them"
    if not step.save and step.do != "edit":
        yield (*key, "save"), "goes with edit"
    if step.expect != Expected() and not step.asks:
        yield (*key, "expect"), f"nothing is asked for by this {step.do}"
    if step.picture and (visits.pictures.get(step.picture) or Picture(url="")).file is None:
        yield (*key, "picture"), f"no picture file is called {step.picture!r}"
    known = set(visits.slots)
    yield from unknown_names((*key, "says"), step.says or "", known, "slot")
    yield from expectation_mistakes((*key, "expect"), step.expect, known)
