"""What is written in a picture, and what is all that can be seen?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.looking import a, described, letters, looked
from bootstrap.nano.pictures.naming import HERE, SHOWN, exchange
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.pictures.scene import Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["describe", "nothing_written", "read"]


_WHAT_IT_SAYS = (
    f"What does it say {HERE}?",
    "What does the [picture|image|text] say?",
    "What is written [here|there|in the picture]?",
    "Read the text.",
    "What can you read?",
    "What text is in the picture?",
    "What do you read [here|]?",
    "[Please|] read it [to me|].",
)


def read(rng: Random, scene: Scene) -> Exchange | None:
    """Which number is it? What does it say?"""
    texts = [item for item in scene.items if item.text]
    if not texts:
        return None
    (item,) = texts
    text, kind = item.text, item.kind
    if rng.random() < 0.5:
        user = worded(rng, rng.choice(_WHAT_IT_SAYS))
        answer = f"It says {text}."
    else:
        said = "number" if kind == "digit" and rng.random() < 0.4 else kind
        user = worded(rng, rng.choice((
            "[What|Which] {k} is it?", "[What|Which] {k} is this?", "Read the {k}.",
            f"[What|Which] {{k}} is {SHOWN}?", "[What|Which] {k} do you see?", "What is the {k}?",
            "[Please|] read the {k} in the picture.",
            "[What|Which] {k} is written [here|there|in the picture]?", "Tell me the {k}.",
            "[What|Which] {k} can you read?",
        )), k=said)  # fmt: skip
        answer = f"The {said} is {text}."
    wants = f"The user wants the {kind} read."
    if kind == "word":
        low, seen = f"{letters(text)}.", f"The letters are {letters(text)}: {text}."
        medium = seen
    else:
        low, seen = "", f"It reads {text}."
        medium = f"I see the {item.noun}."
    high = f"{wants} I see {a(f'{item.colour} {kind}')} {scene.place(item)}. {seen}"
    xhigh = (
        f"There is a picture, so I look at it closely. {high} I see the whole: {described(scene)} "
        f"I read it again: {letters(text)}. So it says {text}. I answer in one short sentence."
    )
    return exchange(user, "reading pictures", (low, medium, high, xhigh), answer, text)


def nothing_written(rng: Random, scene: Scene) -> Exchange | None:
    """What does it say, where nothing is written?"""
    if len(scene.shapes) < len(scene.items):
        return None
    user = worded(rng, rng.choice((*_WHAT_IT_SAYS, f"Is there any text {HERE}?")))
    thoughts = looked(
        scene,
        wants="The user asks for text.",
        so="So there is no text.",
        focus="No text.",
        check="I look for letters and digits and find none.",
    )
    return exchange(user, "reading pictures", thoughts, "I see no text.", "no text")


def describe(rng: Random, scene: Scene) -> Exchange | None:
    """Describe the picture."""
    if len(scene.items) > 4:
        return None
    user = worded(rng, rng.choice((
        "[Please|] describe the [picture|image|photo|drawing].", "What do you see?",
        "What is in [the|this] [picture|image|photo|drawing]?",
        "Describe this [picture|image|photo|drawing].",
        "What does the [picture|image|photo|drawing] show?",
        "What can you see [here|in the picture|]?", "Tell me what you see.", "What is this?",
        "Describe what you see.", "What is on the [picture|image|photo|drawing]?",
        "What is shown [here|]?",
    )))  # fmt: skip
    text = described(scene)
    words = [letters(item.text) for item in scene.items if item.kind == "word"]
    _, medium, high, xhigh = looked(
        scene,
        wants="The user wants a description.",
        so="I name each with its colour.",
        check="Nothing is left out.",
    )
    low = f"{words[0]}." if words else ""
    return exchange(user, "describing", (low, medium, high, xhigh), text, text.removesuffix("."))
