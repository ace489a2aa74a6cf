"""What does a suite file say?

    name, question           what it is called, what it asks
    [[part]]                 one scenario of it:
        scenario                 a name that `muse-bench list` knows, or a file beside this one
        name                     what the part and its folder are called; the scenario's if absent
        repeat, first, …         how much of it is played, as the options of `muse-bench run` say
                                 it; what is absent is left to the scenario
        quick = { repeat = 1 }   what is different in the quick run
              | false            it is no part of the quick run
        budget_s                 how many seconds it may take on two idle cores, for people who
                                 read `muse-bench list`; not judged

Parts are played in the order of the file.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.playing import Asked
from harness.scenario import Name, Text, closed
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Part", "Quick", "Suite", "parse_suite"]


@dataclass(frozen=True, config=closed)
class Quick(Asked):
    """What is said of a part for the quick run alone."""


@dataclass(frozen=True, kw_only=True, config=closed)
class Part(Asked):
    """One scenario, and how much of it."""

    scenario: Text
    name: Name | None = None
    quick: Quick | bool = True
    budget_s: Annotated[int, Field(ge=1)] | None = None

    @property
    def called(self) -> str:
        """The name of the part, and of its folder."""
        return self.name or self.scenario.removesuffix(".toml")

    def asked(self, *, quick: bool) -> Asked:
        """How much is played, in the whole run or in the quick one."""
        asks = (self.quick, self) if quick and isinstance(self.quick, Quick) else (self,)
        said = {
            each.name: next((v for a in asks if (v := getattr(a, each.name)) is not None), None)
            for each in fields(Asked)
        }
        return Asked(**said)


@dataclass(frozen=True, config=closed)
class Suite:
    """A suite file, whole."""

    name: Name
    question: Text
    part: Annotated[tuple[Part, ...], Field(min_length=1)]

    def parts(self, *, quick: bool, only: Sequence[str] = ()) -> tuple[Part, ...]:
        """The parts that are played, in the order of the file; `only` names them, if any."""
        return tuple(
            part
            for part in self.part
            if not (quick and part.quick is False) and (not only or part.called in only)
        )


_ADAPTER: TypeAdapter[Suite] = TypeAdapter(Suite)


def parse_suite(text: str, path: Path) -> Suite:
    """The suite that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    suite = parse_toml(text, path, _ADAPTER)
    for place, said in _mistakes(suite):
        raise mistake(path, text, ("part", place), said)
    return suite


def _mistakes(suite: Suite) -> Iterator[tuple[int, str]]:
    names = [part.called for part in suite.part]
    for place, part in enumerate(suite.part):
        if part.called in names[:place]:
            yield place, f"two parts are called {part.called!r}; give one a name of its own"
        if isinstance(part.quick, Quick):
            yield from ((place, f"quick: {said}") for said in _numbers(part.quick))
        yield from ((place, said) for said in _numbers(part))


def _numbers(asked: Asked) -> Iterator[str]:
    for name in (each.name for each in fields(Asked)):
        value = getattr(asked, name)
        if isinstance(value, int) and value < (name != "seed"):
            yield f"{name} is {value}; it must be above 0"
