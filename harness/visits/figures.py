"""Does the page show the figures that it was sent?

Under an answer the page unfolds what the turn cost, row by row, in words for people: `0.41 s`,
`1,234 tokens`, `58 ms · 312 tokens/s`.  `muse_metrics` of the same turn holds the numbers.  A
figure is shown right if what was sent rounds to what is written, by the digits that are written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ROWS", "amounts", "disagreeing"]

ROWS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Total": (("wall_ms", "ms"),),
    "Waited in the queue": (("queue_ms", "ms"),),
    "First token": (("ttft_ms", "ms"),),
    "Looking at the image": (("vision_encoder_ms", "ms"),),
    "Reading the prompt": (("prefill_ms", "ms"), ("prefill_tokens_per_second", "tokens/s")),
    "Writing the output": (("decode_ms", "ms"), ("decode_tokens_per_second", "tokens/s")),
    "Prompt": (("prompt_tokens", "tokens"),),
    "Reused": (("reused_prompt_tokens", "tokens"),),
    "Computed": (("prefilled_prompt_tokens", "tokens"),),
    "Image": (("image_tokens", "tokens"),),
    "Output": (("completion_tokens", "tokens"),),
    "Thinking": (("thinking_tokens", "tokens"),),
    "In the context": (("resident_tokens", "tokens"),),
    "Rounds": (("dflash_rounds", ""),),
    "Plain steps": (("dflash_plain_steps", ""),),
}
"""What each row shows: fields of `muse_metrics` and the unit they are written in."""

LEFT_OUT_AT_0 = frozenset({"image_tokens"})
"""What is not worth a row where it is 0."""

AMOUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?) ?(min|ms|s|tokens/s|tokens|token)?(?=$|[^\w/])")
UNITS = {
    "ms": ("ms", 1.0),
    "s": ("ms", 1e3),
    "min": ("ms", 6e4),
    "tokens/s": ("tokens/s", 1.0),
    "tokens": ("tokens", 1.0),
    "token": ("tokens", 1.0),
    "": ("", 1.0),
}


def amounts(shown: str) -> Mapping[str, tuple[float, float]]:
    """What a cell says: by unit (`ms`, `tokens`, …) the value, and half its last digit."""
    found: dict[str, tuple[float, float]] = {}
    for written, unit in AMOUNT.findall(shown):
        base, factor = UNITS[unit]
        digits = written.replace(",", "")
        half = 0.5 * 10 ** -len(digits.partition(".")[2]) * factor
        before = found.get(base, (0.0, 0.0))[0]
        found[base] = (before + float(digits) * factor, half)
    return found


def disagreeing(rows: Mapping[str, str], sent: Mapping[str, Any]) -> Iterator[str]:
    """Every figure that was sent and is not shown, or is shown as another one."""
    for row, fields in ROWS.items():
        for field, unit in fields:
            value = sent.get(field)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if row not in rows:
                if value or field not in LEFT_OUT_AT_0:
                    yield f"{field} {value:g} was sent, and there is no row {row!r}"
                continue
            if unit not in (told := amounts(rows[row])):
                yield f"{field} {value:g} was sent, and {row!r} says {rows[row]!r}"
                continue
            shown, half = told[unit]
            if abs(shown - value) > half * 1.001 + 1e-9:
                yield f"{field} {value:g} was sent, and {row!r} says {rows[row]!r}"
    yield from _cache(rows, sent)


def _cache(rows: Mapping[str, str], sent: Mapping[str, Any]) -> Iterator[str]:
    """Whether the session went on is told in words; what counts is which of the two."""
    reason, shown = sent.get("session_reset_reason"), rows.get("Cache", "")
    if isinstance(reason, str) and shown.startswith("Warm") != (reason == "exact_prefix"):
        yield f"session_reset_reason {reason} was sent, and 'Cache' says {shown!r}"
