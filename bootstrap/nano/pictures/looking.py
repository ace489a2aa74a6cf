"""How is a scene put into words, and what is thought while looking at it?

Things are named in reading order: by rows from the top, in a row from the left. The thought names
what is seen before anything follows from it; the stronger the reasoning, the more is looked at:

    low     only what was asked for, or nothing where a glance is enough
    medium  the things
    high    what the user wants, the things and where they are, the conclusion
    xhigh   the background too, the same again by rows or a check, the conclusion, the plan
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.scene import PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootstrap.nano.pictures.scene import Item, Scene

__all__ = ["a", "described", "joined", "letters", "looked", "plural"]


def a(noun: str) -> str:
    """`a red circle`, `an orange star`."""
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def plural(noun: str) -> str:
    """`circles`, `red crosses`."""
    return noun + ("es" if noun.endswith("cross") else "s")


def joined(parts: Sequence[str]) -> str:
    """`one`, `one and two`, `one, two and three`."""
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def letters(text: str) -> str:
    """`t, e, a`."""
    return ", ".join(text)


def _phrase(item: Item) -> str:
    return f"the {item.noun}" if item.text else a(item.noun)


def described(scene: Scene) -> str:
    """`A red circle and a blue square on a white background.`"""
    things = joined([_phrase(item) for item in scene.items])
    return _sentence(f"{things} on {a(scene.ground.colour)} background")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _seen(item: Item) -> str:
    """As it is seen first: a word letter by letter, `the blue word t, e, a: tea`."""
    if item.kind != "word":
        return _phrase(item)
    return f"the {item.colour} word {letters(item.text)}: {item.text}"


def _glance(scene: Scene) -> str:
    """`I see a red circle, a blue square.`"""
    return f"I see {', '.join(_seen(item) for item in scene.items)}."


def _placed(scene: Scene) -> str:
    """`I see at the top left a red circle, at the bottom a blue square.`"""
    return f"I see {', '.join(f'{scene.place(item)} {_seen(item)}' for item in scene.items)}."


def _rows(scene: Scene) -> str:
    """`Top row: red circle. Bottom row: blue square, green star.`"""
    told = []
    for row, name in enumerate(("Top", "Middle", "Bottom")):
        there = [item.noun for item in scene.items if scene.place(item) in PLACES[row]]
        if there:
            told.append(f"{name} row: {', '.join(there)}.")
    return " ".join(told)


def looked(
    scene: Scene, *, wants: str, so: str, focus: str = "", check: str = ""
) -> tuple[str, str, str, str]:
    """The thought in four strengths; `focus` is what is looked at even at the lowest."""
    ground = f"The background is {scene.ground.colour}."
    return (
        focus,
        _spoken(_glance(scene), focus),
        _spoken(wants, _placed(scene), focus, so),
        _spoken(
            "There is a picture, so I look at it closely.", wants, ground, _placed(scene),
            _rows(scene), focus, check, so, "I answer in one short sentence.",
        ),
    )  # fmt: skip


def _spoken(*parts: str) -> str:
    return " ".join(part for part in parts if part)
