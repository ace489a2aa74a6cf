"""How does a question name a thing in a picture?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.looking import a
from bootstrap.nano.replies import Exchange, Reply

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.pictures.scene import Item, Scene

__all__ = ["HERE", "SHOWN", "capital", "exchange", "named", "thing", "two_named", "unique_name"]


SHOWN = "[in the picture|here|in this picture|in the image|in the drawing|in this photo]"
HERE = f"{SHOWN[:-1]}||]"  # or left out


def exchange(
    user: str, skill: str, thoughts: tuple[str, str, str, str], answer: str, value: str
) -> Exchange:
    """The question with its blanks tidied, and the reply."""
    user = " ".join(user.split()).replace(" ?", "?").replace(" .", ".")
    return Exchange(user, Reply(skill, thoughts, answer, value))


def unique_name(rng: Random, scene: Scene, item: Item) -> str | None:
    """`circle`, `red circle`, `number`: a name that no other thing in the scene has."""
    same = [other for other in scene.items if other.kind == item.kind]
    if len(same) == 1:
        return item.kind if item.text or rng.random() < 0.7 else item.noun
    if sum(other.colour == item.colour for other in same) == 1:
        return item.noun
    return None


def named(rng: Random, scene: Scene, *, texts: bool = True) -> tuple[Item, str] | None:
    """A thing that has a name of its own, and the name."""
    item = rng.choice(scene.items if texts or not scene.shapes else scene.shapes)
    name = unique_name(rng, scene, item)
    return None if name is None or (item.text and not texts) else (item, name)


def two_named(rng: Random, scene: Scene) -> tuple[tuple[Item, str], tuple[Item, str]] | None:
    """Two things with names of their own, and the names."""
    if len(scene.items) < 2:
        return None
    one_item, other = rng.sample(scene.items, 2)
    names = unique_name(rng, scene, one_item), unique_name(rng, scene, other)
    if names[0] is None or names[1] is None:
        return None
    return (one_item, names[0]), (other, names[1])


def thing(item: Item) -> str:
    """`a red circle`, `the blue number 42`."""
    return f"the {item.noun}" if item.text else a(item.noun)


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[0].upper() + text[1:]
