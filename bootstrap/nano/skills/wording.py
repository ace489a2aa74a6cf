"""How is one question put in many ways?

A template holds slots in braces, `{a}`, and choices in brackets, `[Tell me|Say]`, which may be
empty. A choice is drawn for each bracket; a slot stays the same wherever it stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["worded"]

_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def worded(rng: Random, template: str, **slots: object) -> str:
    """The template with its choices drawn and its slots filled, beginning with a capital.

    >>> from random import Random
    >>> worded(Random(0), "[what is|what's] {a}?", a=4) in {"What is 4?", "What's 4?"}
    True
    """
    drawn = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), template)
    text = drawn.format(**slots)
    return text[0].upper() + text[1:]
