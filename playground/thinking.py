"""How many of a turn's tokens were reasoning?

Counted from the generated ids where the worker gave them: every ordinary token in the body of a
message to self. Headers and control tokens belong to neither reasoning nor answer. Without ids (a
turn that was cancelled, or ended by a stop string) the reasoning text is tokenised again, which
may differ by a token or two from what was sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.harmony import END_OF_MESSAGE, ENDS_OF_TURN, MESSAGE, START, Channel, read_header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.tokens import Tokenizer

__all__ = ["thinking_tokens"]


def thinking_tokens(ids: Sequence[int] | None, reasoning: str, tokenizer: Tokenizer) -> int:
    """Tokens of reasoning in a turn, from its ids, or from its reasoning text without them."""
    if ids is None:
        return len(tokenizer.encode(reasoning))
    controls = tokenizer.controls
    ends_header = controls[MESSAGE]
    begins_header = {controls[START], controls[END_OF_MESSAGE]}
    ends_turn = {controls[name] for name in ENDS_OF_TURN}
    silent = set(controls.values())
    header: bytearray | None = bytearray()
    counted = 0
    reasons = False
    for token in ids:
        if token in ends_turn:
            break
        if token in begins_header:
            header, reasons = bytearray(), False
        elif header is not None and token == ends_header:
            channel, _ = read_header(header.decode(errors="replace"))
            header, reasons = None, channel is Channel.REASONING
        elif header is not None:
            header += tokenizer.bytes_of(token)
        elif reasons and token not in silent:
            counted += 1
    return counted
