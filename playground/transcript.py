"""Which past answers may go back into the prompt as the very tokens that were generated?

A worker keeps a session's tokens resident and continues from them only if the next prompt begins
with exactly those ids. An answer rendered again from its visible text never does: the reasoning is
missing, and text tokenises differently from how it was sampled. So for each session the server
keeps, per assistant turn, a `Record`: a fingerprint of what the caller was given, and the ids.

The k-th assistant message of a request belongs to the k-th record.

- `Transcript.aligned` walks both in order. Up to the first fingerprint that differs the records
  stand; from there on they are dropped for good, and the messages get placeholders (a fingerprint,
  no ids), so that the turn now asked for is recorded at its true place and the one after it is
  warm again.
- A message whose record has ids is rendered with a sentinel as its content. `splice` finds it,
  takes back everything to the bare header the model was prompted with (`<|start|>assistant`, since
  the recipient and what follows were generated and are among the ids) and puts the ids there. What
  follows, `<|eot|>`, is right: the id that ends a turn is never resident.
- If a template does not bring every sentinel back, whole and in order, nothing is spliced.

The fingerprint covers the content and the tool calls (names, and arguments by value; call ids are
the client's business), exactly: a client that trims what it was given gets a cold turn. It leaves
out `reasoning_content`, which a client may echo or not, and everything the person said: should an
earlier question change, the ids still stand for the answer they were, and the worker's own
comparison decides what is warm.

Values, no state: whoever keeps sessions keeps the newest `Transcript`, and forgets one by starting
from `Transcript()`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.template import Control, Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.template import Piece

__all__ = ["Ids", "Record", "Transcript", "fingerprint", "opened_at", "splice"]

START = Control("<|start|>")


@dataclass(frozen=True, slots=True)
class Ids:
    """Token ids that take the place of text in a prompt."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One assistant turn: what the caller saw of it, and its ids where they may be used again."""

    fingerprint: str
    ids: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The assistant turns of a session, oldest first."""

    records: tuple[Record, ...] = ()

    def aligned(self, fingerprints: Sequence[str]) -> Transcript:
        """One record for each of a request's assistant messages: ours, or a placeholder."""
        kept = 0
        for record, wanted in zip(self.records, fingerprints, strict=False):
            if record.fingerprint != wanted:
                break
            kept += 1
        placeholders = tuple(Record(wanted) for wanted in fingerprints[kept:])
        return Transcript(self.records[:kept] + placeholders)

    def record(
        self,
        content: str,
        ids: Sequence[int] | None,
        calls: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> Transcript:
        """With the turn that was just generated at its end.

        `content` and `calls` (name and arguments each) are what the caller was given; `ids` are all
        generated ids without the one that ended the turn, or None if the worker could not vouch
        for them.
        """
        new = Record(fingerprint(content, calls), None if ids is None else tuple(ids))
        return Transcript((*self.records, new))


def fingerprint(content: str | None, calls: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> str:
    """What an assistant message shows of itself, as a digest; absent content is empty content."""
    payload = json.dumps([content or "", [list(call) for call in calls]], sort_keys=True)
    return hashlib.sha256(payload.encode()).hexdigest()


def splice(
    pieces: Sequence[Piece], spliced: Mapping[str, tuple[int, ...]]
) -> tuple[Piece | Ids, ...] | None:
    """The pieces with ids for the messages whose content is a sentinel, or None if that fails.

    `spliced` maps each sentinel to its ids, in the order of the messages. The pieces have to end
    with a bare header, as every prompt does; that header is what each splice is cut back to.
    """
    if not spliced:
        return tuple(pieces)
    if len(pieces) < 2 or pieces[-2] != START or not isinstance(pieces[-1], Run):
        return None
    header = pieces[-1].text
    waiting = list(spliced)
    out: list[Piece | Ids] = []
    for piece in pieces:
        if isinstance(piece, Run) and waiting and piece.text == waiting[0]:
            start = _last_start(out)
            opened = out[start + 1] if start is not None and start + 1 < len(out) else None
            if start is None or not isinstance(opened, Run) or not opened.text.startswith(header):
                return None
            out[start + 1 :] = [Run(header), Ids(spliced[waiting.pop(0)])]
        else:
            out.append(piece)
    lost = waiting or any(
        sentinel in piece.text for piece in out if isinstance(piece, Run) for sentinel in spliced
    )
    return None if lost else tuple(out)


def opened_at(
    pieces: Sequence[Piece | Ids], sentinel: str
) -> tuple[Sequence[Piece | Ids], Sequence[Piece | Ids]] | None:
    """Where the message goes on whose content is the sentinel, or None if it is not there whole.

    Gives what comes up to its bare header, included, and what stands between that header and the
    content, cut so that its ids are those that the model would have written.
    """
    if len(pieces) < 2 or pieces[-2] != START or not isinstance(pieces[-1], Run):
        return None
    header = pieces[-1].text
    content = next(
        (
            at
            for at, piece in enumerate(pieces)
            if isinstance(piece, Run) and piece.text == sentinel
        ),
        None,
    )
    start = None if content is None else _last_start(pieces[:content])
    if start is None or content is None:
        return None
    opened, *rest = pieces[start + 1 : content]
    if not isinstance(opened, Run) or not opened.text.startswith(header):
        return None
    address = opened.text.removeprefix(header)
    return (*pieces[: start + 1], Run(header)), [*([Run(address)] if address else ()), *rest]


def _last_start(pieces: Sequence[Piece | Ids]) -> int | None:
    """Where the last message begins."""
    for index in range(len(pieces) - 1, -1, -1):
        if pieces[index] == START:
            return index
    return None
