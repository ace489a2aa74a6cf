"""Which turns can be had from the scripted server that the tests of a worker process share?

A question says in its own words which reply it wants. The whole conversation is matched, and the
first reply of the list that fits is given; so what is asked later in a test stands further up.
Tokens are bytes here: so many milliseconds a byte.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ENDLESS", "STAGE", "THOUGHT", "thinking"]

THOUGHT = "Seven and eight are given; adding them is all there is to do."
ENDLESS = " ".join(f"and {number}" for number in range(1, 400))


def thinking(thought: str, answer: str) -> str:
    """A reply with reasoning, as the model writes it."""
    header = "<|start|>assistant to=user<|message|>"
    return f" to=self<|message|>{thought}<|eom|>{header}{answer}<|eot|>"


STAGE: dict[str, Any] = {
    "step_ms": 2.0,
    "max_image_cells": 64,
    "encode_ms": 5.0,
    "draft_tokens": 3,
    "replies": [
        {"match": "In short", "text": "Briefly: yes."},
        {"match": "Think it over", "text": thinking(THOUGHT, "It is **15**."), "step_ms": 10.0},
        {"match": "Count on", "text": ENDLESS, "step_ms": 12.0},
        {"match": "Ponder", "text": thinking(ENDLESS, "Done."), "step_ms": 12.0},
        {"match": "<|patch|>", "text": "I see {picture}."},
        {"match": "Set a table", "text": "| fruit | price |\n|---|--:|\n| plum | $2 |\n"},
        {"text": "Hello **you**."},
    ],
}
