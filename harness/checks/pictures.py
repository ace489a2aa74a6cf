"""Is a picture looked at when it is new, and not a second time while it is resident?

A server that reports its vision encoder says null, or no time at all, where nothing was encoded.
A picture that was lost on the way (a placeholder that was never filled, a part that was dropped)
takes no tokens of the prompt, however well the answer guesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.pictures import shown_in
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["pictures_counted", "pictures_encoded"]

ENCODED, COUNTED = "vision.encoded", "vision.counted"
TIME, TOKENS = "vision_encoder_ms", "image_tokens"


def pictures_encoded(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The encoder ran where it had to, and only there."""
    promised = turn.promise.encodes
    if promised is None:
        return
    metrics = turn.seen.extension("muse_metrics") or {}
    if TIME not in metrics:
        yield Verdict(ENCODED, Outcome.SKIP, f"the reply does not report {TIME}")
        return
    took = metrics[TIME]
    encoded = isinstance(took, int | float) and took > 0
    told = f"{took:g} ms" if encoded else "nothing"
    message = f"{told} encoded"
    if encoded != promised:
        message += ", and a picture was new" if promised else ", and every picture was resident"
    outcome = Outcome.PASS if encoded == promised else Outcome.FAIL
    yield Verdict(ENCODED, outcome, message, turn.evidence(turn.reuse.at))


def pictures_counted(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """What a request shows is in its prompt: a token for each picture at least."""
    shown = shown_in(turn.seen.trace.request.get("messages") or ())
    if not shown:
        return
    tokens = (turn.seen.extension("muse_metrics") or {}).get(TOKENS)
    if not isinstance(tokens, int):
        yield Verdict(COUNTED, Outcome.SKIP, f"the reply does not report {TOKENS}")
        return
    prompt = turn.reuse.prompt
    fits = tokens >= shown and (prompt is None or tokens < prompt)
    message = f"{tokens} tokens of {prompt} for {shown} shown"
    outcome = Outcome.PASS if fits else Outcome.FAIL
    yield Verdict(COUNTED, outcome, message, turn.evidence(turn.reuse.at))
