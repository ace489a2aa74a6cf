"""How does a text of others stay a text in the page?"""

from __future__ import annotations

import re
from html import escape as html

__all__ = ["escape"]

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What steers a terminal or turns the order of reading round, and is not to be seen itself."""


def escape(text: str) -> str:
    """The same for HTML, with what cannot be seen spelled out as an escape."""
    return html(STEERING.sub(lambda found: ascii(found.group())[1:-1], text))
