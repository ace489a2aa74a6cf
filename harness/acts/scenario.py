"""What a scenario file of acts says: data in, or an error with file, line and key.

A *cell* is a small story on a target that holds no session of ours: clients act, one after the
other, and each act may say what must come of it.

    name, question, answer, repeat, seed, system, [settings], [lists], [slots]
                             as in a conversation; slots are drawn anew for each cell
    [pictures]               what acts can show (`harness.pictures`)
    pause_s = 0.05           a rest before each request, so that none finds the target busier with
                             the one before than another
    stream = false           replies are asked for whole; a cell, a value and an act may say
                             otherwise, as they may bring `settings` of their own: an act's go
                             before a value's, those before the cell's, and those before all others
    [[axis]]                 name, and what a cell may be varied over: value = [{ name = "…",
                             stream, settings }, …], or caps = [1, 8]: a `max_tokens` of each number
    [[opening]]              acts with which every cell begins
    [[cell]]                 name, about, and
        varies = ["form"]        the axes it is varied over: it is played for each combination of
                                 their values, and labelled by it, `ten-turns-buffered`; the facts
                                 that are told are the same each time
        needs = ["warmResume"]   what the target must claim in `/api/runtime`, a figure with its
                                 value where that matters (`maxNamedSessions=1`); a cell whose
                                 needs it does not claim is skipped, and says why
        opens = false            this cell begins without the opening
        [[cell.act]]             one act, by one client:
            by = "ann"               who; each client has a session id and a history of its own,
                                     and the client `anonymous` has no session
            do = "ask"               `says` is added to the history, and sent with it
               | "edit"              message number `message` reads `says` from now on, the system
                                     message not counted, so that odd ones are the person's; with
                                     `cut`, what stood behind it goes; with `thinks`, that is its
                                     reasoning from now on; nothing is sent yet
               | "again"             the last question is sent once more, its answer dropped
               | "forget"            the history is gone and the id stays: a page loaded again
               | "reset", "close"    the session is emptied, or given back
               | "restart"           the target is ended, and started again at the same address; a
                                     cell with that needs "restart", and is skipped where the
                                     target was not started by the harness
            restarts = "stop"        in order, the default, or by force: "kill"; (ask) while the
                                     answer comes, which then has to break off or to be whole
            cancel = 5               (ask) the turn is cancelled, by request, when so many frames
                                     with tokens have come
            max_tokens = 20          the cap of this request; "window" stands for as many tokens as
                                     the target's window, "window+1" for one more
            repeats = 1.5            (ask) before `says`, as many words as so many windows have
                                     tokens; no tokenizer makes less than a token of a word
            leaves = 24              (ask) before `says`, words until so many tokens of the window
                                     are left, or a word's fewer; two requests without a session
                                     find out what a word takes, pictures not counted
            shows = ["circle"]       (ask) pictures that stand before the text; (edit) instead of
                                     those that the message showed, which else stay
            [cell.act.expect]        contains, excludes, matches, as in a conversation;
                reset = "mismatch"       the reset reason; `exact_prefix` promises that all that was
                                         resident is reused, any other that nothing is;
                                         "restored", after a restart, is the first where the target
                                         claims `durableCache`, else `new`
                status = 429             the HTTP status of a refusal, or of `reset` and `close`;
                code = "…"               and the code of its error
                finish = "length"        why the answer ends
                encodes = false          whether a picture is encoded for this request
                calls = ["weather"]      the functions that are called, in order; [] for none
                reasons = true           reasoning was counted, whether or not it was shown
                grows = 30               the prompt has so many tokens more than the one before it
                same = true              (again) all is as in the first answer to the question:
                                         text on both channels where both show it, finish, counts
                begins = true            (again) it is a beginning of that, cut by a smaller cap

A message that was refused, or whose turn was cancelled, is taken out of the history again.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import field
from itertools import product
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.pictures import Picture, picture_mistakes
from harness.scenario import Name, ResetReason, Settings, Slot, Text, closed
from harness.scenario_rules import draw_mistakes, expectation_mistakes, no_such, unknown_names
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario_rules import Key

__all__ = [
    "ANONYMOUS",
    "RESTART",
    "WINDOW",
    "Act",
    "Acts",
    "Axis",
    "Cell",
    "Expected",
    "Value",
    "parse_acts",
]

ANONYMOUS = "anonymous"
"""The client without a session."""
WINDOW = "contextLength"
"""The claim by which a window is known."""
RESTART = "restart"
"""What a cell needs that ends the target and starts it again: that the harness started it."""


@dataclass(frozen=True, config=closed)
class Expected:
    """What must come of an act."""

    contains: tuple[Text, ...] = ()
    excludes: tuple[Text, ...] = ()
    matches: Text | None = None
    reset: ResetReason | Literal["restored"] | None = None
    status: Annotated[int, Field(ge=200, le=599)] | None = None
    code: Text | None = None
    finish: Text | None = None
    encodes: bool | None = None
    calls: tuple[Text, ...] | None = None
    reasons: bool = False
    grows: Annotated[int, Field(ge=1)] | None = None
    same: bool = False
    begins: bool = False


@dataclass(frozen=True, config=closed)
class Value:
    """One way of playing a cell."""

    name: Name
    settings: Settings = field(default_factory=Settings)
    stream: bool | None = None


@dataclass(frozen=True, config=closed)
class Axis:
    """What a cell may be varied over; `value` or `caps`."""

    name: Name
    value: tuple[Value, ...] = ()
    caps: tuple[Annotated[int, Field(ge=1)], int] | None = None
    """The first and the last."""

    @property
    def values(self) -> tuple[Value, ...]:
        """Every value; those of caps are called `NAME-1` and so on."""
        if self.caps is None:
            return self.value
        first, last = self.caps
        return tuple(
            Value(f"{self.name}-{cap}", Settings(max_tokens=cap)) for cap in range(first, last + 1)
        )


@dataclass(frozen=True, config=closed)
class Act:
    """One thing that one client does."""

    do: Literal["ask", "edit", "again", "forget", "reset", "close", "restart"]
    by: Name = "ann"
    says: Text | None = None
    message: Annotated[int, Field(ge=1)] | None = None
    cut: bool = False
    thinks: Text | None = None
    cancel: Annotated[int, Field(ge=1)] | None = None
    settings: Settings = field(default_factory=Settings)
    stream: bool | None = None
    max_tokens: Annotated[int, Field(ge=1)] | Literal["window", "window+1"] | None = None
    repeats: Annotated[float, Field(gt=0, le=4)] | None = None
    leaves: Annotated[int, Field(ge=1)] | None = None
    shows: tuple[Name, ...] | None = None
    restarts: Literal["stop", "kill"] | None = None
    expect: Expected = field(default_factory=Expected)


@dataclass(frozen=True, config=closed)
class Cell:
    """One story."""

    name: Name
    act: Annotated[tuple[Act, ...], Field(min_length=1)]
    about: str = ""
    needs: tuple[Text, ...] = ()
    opens: bool = True
    varies: tuple[Name, ...] = ()
    settings: Settings = field(default_factory=Settings)
    stream: bool | None = None


@dataclass(frozen=True, config=closed)
class Acts:
    """A scenario file of acts, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    cell: Annotated[tuple[Cell, ...], Field(min_length=1)]
    opening: tuple[Act, ...] = ()
    axis: tuple[Axis, ...] = ()
    stream: bool = True
    pause_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    system: str = ""
    settings: Settings = field(default_factory=Settings)
    lists: Mapping[Name, Annotated[tuple[Text, ...], Field(min_length=1)]] = field(
        default_factory=dict
    )
    slots: Mapping[Name, Slot] = field(default_factory=dict)
    pictures: Mapping[Name, Picture] = field(default_factory=dict)

    def acted(self, cell: Cell) -> tuple[Act, ...]:
        """Every act of a cell, its opening first."""
        return (*(self.opening if cell.opens else ()), *cell.act)

    def variants(self, cell: Cell) -> Iterator[tuple[str, tuple[Value, ...]]]:
        """Every way in which a cell is played: its name then, and the values that make it so."""
        axes = {axis.name: axis.values for axis in self.axis}
        for values in product(*(axes[name] for name in cell.varies)):
            yield "-".join((cell.name, *(value.name for value in values))), values


_ADAPTER: TypeAdapter[Acts] = TypeAdapter(Acts)


def parse_acts(text: str, path: Path) -> Acts:
    """The acts that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    acts = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(acts):
        raise mistake(path, text, key, said)
    return acts


_SAYS = ("ask", "edit")
"""What is done with a text; everything else is done without."""
_GOES_WITH = {
    "cut": ("edit",),
    "thinks": ("edit",),
    "cancel": ("ask",),
    "repeats": ("ask",),
    "leaves": ("ask",),
    "shows": _SAYS,
    "restarts": ("ask", "restart"),
}
"""Keys, and the acts that can have them."""


def _mistakes(acts: Acts) -> Iterator[tuple[Key, str]]:
    known = set(acts.slots)
    yield from draw_mistakes(acts)
    yield from picture_mistakes(acts.pictures)
    yield from unknown_names(("system",), acts.system, known, "slot")
    for number, act in enumerate(acts.opening):
        yield from _act_mistakes(("opening", number), act, known)
        yield from _shown_mistakes(("opening", number), act, acts)
    yield from _axis_mistakes(acts)
    names: set[str] = set()
    axes = {axis.name for axis in acts.axis}
    for place, cell in enumerate(acts.cell):
        if unknown := [name for name in cell.varies if name not in axes]:
            yield ("cell", place, "varies"), no_such("axis", unknown[0], axes)
            continue
        played = {name for name, _ in acts.variants(cell)}
        if twice := names & played:
            yield ("cell", place, "name"), f"two cells are called {min(twice)!r}"
        names |= played
        for number, act in enumerate(cell.act):
            yield from _act_mistakes(("cell", place, "act", number), act, known)
            yield from _shown_mistakes(("cell", place, "act", number), act, acts)
        yield from _history_mistakes(acts, place, cell)
        for need, asks in ((WINDOW, _asks_window), (RESTART, _asks_restart)):
            if need not in cell.needs and any(map(asks, acts.acted(cell))):
                yield ("cell", place, "needs"), f"lacks {need!r}, which its acts ask for"


def _axis_mistakes(acts: Acts) -> Iterator[tuple[Key, str]]:
    names: set[str] = set()
    for place, axis in enumerate(acts.axis):
        if axis.name in names:
            yield ("axis", place, "name"), f"two axes are called {axis.name!r}"
        names.add(axis.name)
        if bool(axis.value) == (axis.caps is not None):
            yield ("axis", place), "needs exactly one of value, caps"
        elif axis.caps and axis.caps[0] > axis.caps[1]:
            yield ("axis", place, "caps"), "the lower end comes first"


def _asks_window(act: Act) -> bool:
    return bool(act.repeats or act.leaves or isinstance(act.max_tokens, str))


def _asks_restart(act: Act) -> bool:
    return act.do == "restart" or act.restarts is not None


def _act_mistakes(key: Key, act: Act, known: set[str]) -> Iterator[tuple[Key, str]]:
    if (act.says is not None) != (act.do in _SAYS):
        yield (*key, "says"), f"goes with {' and '.join(_SAYS)}, and only with them"
    if (act.message is not None) != (act.do == "edit"):
        yield (*key, "message"), "goes with edit, and only with it"
    for name, acts in _GOES_WITH.items():
        if getattr(act, name) not in {None, False} and act.do not in acts:
            yield (*key, name), f"goes with {' and '.join(acts)}"
    for name in ("same", "begins"):
        if getattr(act.expect, name) and act.do != "again":
            yield (*key, "expect", name), "goes with again"
    if act.repeats and act.leaves:
        yield (*key, "leaves"), "goes without repeats"
    if act.by == ANONYMOUS and act.do in {"reset", "close"}:
        yield (*key, "by"), f"{ANONYMOUS} has no session to {act.do}"
    if act.expect.code and not (act.expect.status and act.expect.status >= 400):
        yield (*key, "expect", "code"), "goes with the status of a refusal"
    for name in ("says", "thinks"):
        yield from unknown_names((*key, name), getattr(act, name) or "", known, "slot")
    yield from expectation_mistakes((*key, "expect"), act.expect, known)


def _shown_mistakes(key: Key, act: Act, acts: Acts) -> Iterator[tuple[Key, str]]:
    for name in act.shows or ():
        if name not in acts.pictures:
            yield (*key, "shows"), no_such("picture", name, acts.pictures)


def _history_mistakes(acts: Acts, place: int, cell: Cell) -> Iterator[tuple[Key, str]]:
    """Messages that a cell names and that are not there by then."""
    opening = acts.opening if cell.opens else ()
    lengths: dict[str, int] = {}
    for number, act in enumerate((*opening, *cell.act)):
        at = number - len(opening)
        key: Key = ("cell", place, "act", at) if at >= 0 else ("opening", number)
        length = lengths.get(act.by, 0)
        if act.do == "ask":
            unanswered = act.restarts or act.cancel or (act.expect.status or 0) >= 400
            length += 0 if unanswered else 2
        elif act.do == "edit":
            if (act.message or 0) > length:
                yield (*key, "message"), f"there are {length} messages by then, in {cell.name!r}"
            length = (act.message or 0) if act.cut else length
        elif act.do == "again":
            if not length:
                yield (*key, "do"), f"nothing was asked by then, in {cell.name!r}"
            length += length % 2
        elif act.do == "forget":
            length = 0
        lengths[act.by] = length
