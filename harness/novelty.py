"""How much of a prompt did the server never see before?

A server that keeps prefixes of any prompt reuses what an edited conversation, or a stranger's, has
in common with an earlier one, and may.  What it cannot have is what comes behind: from the first
letter that differs, every word costs a token at least, whatever the tokenizer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["new_words", "text_of"]


def text_of(request: Mapping[str, Any]) -> str:
    """The messages of a request as one text, in their order; "" where it has none."""
    messages = request.get("messages")
    return "".join(map(_said, messages)) if isinstance(messages, list) else ""


def new_words(text: str, earlier: Iterable[str]) -> int:
    """Words of a text behind the longest beginning that it shares with an earlier one.

    The word in which they part does not count: a part of it may be shared.
    """
    shared = max((_shared(text, other) for other in earlier), default=0)
    rest = text[shared:]
    parted = 1 if shared and rest and not rest[0].isspace() else 0
    return max(len(rest.split()) - parted, 0)


def _said(message: object) -> str:
    if not isinstance(message, dict):
        return f"{message}\n"
    content = message.get("content")
    said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return f"{message.get('role')}\n{said}\n"


def _shared(one: str, other: str) -> int:
    """Letters that two texts have in common from their beginning."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least
