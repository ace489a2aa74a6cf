"""What can go wrong in the worker, and whose fault it is.

WorkerFault
├── MessageError      a line that is no message: the other end of the pipe wrote it
├── RequestRefused    a good message that cannot be served: the reply says why, and a `code`
├── EngineError       the model failed at something the loop asked of it
└── ScriptError       a script file of the scripted engine is wrong

Every one becomes a single error reply, except those that prevent loading: then the worker
prints the reason on stderr and exits with code 1.

OutputClosed stands apart: no fault, but the end, since nobody reads the replies any more.
"""

from __future__ import annotations

__all__ = [
    "EngineError",
    "MessageError",
    "OutputClosed",
    "RequestRefused",
    "ScriptError",
    "WorkerFault",
]

_SHOWN_CHARACTERS = 160


class WorkerFault(Exception):
    """Anything that the worker reports rather than dies of."""


class MessageError(WorkerFault, ValueError):
    """A line that is not a message of the protocol.

    `line_number` counts from 1 in the stream that held it; 0 means it is not known.
    """

    def __init__(self, reason: str, *, text: str = "", line_number: int = 0) -> None:
        self.reason = reason
        self.text = text
        self.line_number = line_number
        place = f"line {line_number}: " if line_number else ""
        shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
        super().__init__(f"{place}{reason}" + (f" in {shown!r}" if shown else ""))


class RequestRefused(WorkerFault):
    """A request that is well formed and cannot be served.

    `code` is one of `capacity_exhausted`, `unsupported_session`, or None.
    """

    def __init__(self, reason: str, *, code: str | None = None) -> None:
        self.code = code
        super().__init__(reason)


class EngineError(WorkerFault):
    """The model could not do what was asked: prefill, decode, rewind or open."""


class ScriptError(WorkerFault):
    """A script file that the scripted engine cannot play; names the file and the key."""


class OutputClosed(Exception):
    """The reader of our replies is gone."""
