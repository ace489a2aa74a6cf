"""What must be true of a patched worker, said to a real process through its pipes?

Nothing here is judged by the clock: whether a turn ended early is told by how much of it is
missing.  The fake engine answers "count to N" with the numbers to N, one token a byte.
"""

from __future__ import annotations

import base64
import os
import random
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from patches.proof.worker_process import Refuted, WorkerProcess, generate, line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["CASES", "Case", "Start"]

PREFIX = " to=user<|message|>"
LONG = 1000
"""Numbers; some 3 900 steps, of which a turn that was cancelled in time is far from."""

SLOW = {"FAKE_STEP_MS": "2", "FAKE_CONTEXT": "20000"}


class Start(Protocol):
    """How a case gets its worker."""

    @property
    def folder(self) -> Path:
        """A folder of the case's own files."""

    def __call__(
        self, environment: Mapping[str, str] | None = None, *, stdin: int = subprocess.PIPE
    ) -> WorkerProcess:
        """A new process that has said it is ready."""


@dataclass(frozen=True, slots=True)
class Case:
    """One claim, and how it is tried."""

    claim: str
    run: Callable[[Start], None]
    muse_only: bool = False
    """Of the Muse worker, whose engine has pictures and chunks."""
    new: bool = True
    """Whether an unpatched worker must fail it."""


@dataclass(slots=True)
class _Cases:
    found: list[Case] = field(default_factory=list)

    def __call__(
        self, claim: str, *, muse_only: bool = False, new: bool = True
    ) -> Callable[[Callable[[Start], None]], Callable[[Start], None]]:
        def add(run: Callable[[Start], None]) -> Callable[[Start], None]:
            self.found.append(Case(claim, run, muse_only, new))
            return run

        return add


case = _Cases()


def counted(most: int) -> str:
    """What the fake engine answers."""
    return PREFIX + " ".join(map(str, range(1, most + 1)))


def tokens(text: str) -> int:
    """How many tokens an answer has."""
    return len(text.replace("<|message|>", "m"))


def cancel(number: int, **more: object) -> dict[str, object]:
    """A cancel, by the name of its request."""
    return {"op": "cancel", "request_id": number, **more}


def the(held: object, claim: str) -> None:
    """Raise unless it held."""
    if not held:
        raise Refuted(claim)


def whole(worker: WorkerProcess, most: int = 9, said: str = "") -> Mapping[str, object]:
    """A turn that runs to its end."""
    text, done = worker.end_of_turn()
    the(said + text == counted(most), f"it answered {said + text!r}, not to {most}; {done}")
    the(done.get("done") is True, f"the turn ended with {done}")
    the(not done.get("cancelled"), f"a turn that nobody cancelled: {done}")
    the(done["completion_tokens"] == tokens(counted(most)), f"not every token is counted: {done}")
    return done


def stopped(worker: WorkerProcess, most: int = LONG, said: str = "") -> Mapping[str, object]:
    """A turn that is cancelled while it answers."""
    text, done = worker.end_of_turn()
    text = said + text
    the(done.get("cancelled") is True, f"the turn ended with {done}")
    the(text == counted(most)[: len(text)], f"the text is no beginning: {text[-80:]!r}")
    the(done["completion_tokens"] == tokens(text), f"what was said is not what is counted: {done}")
    the(tokens(text) < tokens(counted(most)), "it was cancelled and ran to its end all the same")
    the(done["finish_reason"] == "stop", f"finish_reason: {done}")
    the("generated_token_ids" not in done, "a cancelled turn tells the ids of its tokens")
    return done


def never_begun(worker: WorkerProcess) -> None:
    """A turn that is cancelled before its session was touched."""
    text, done = worker.end_of_turn()
    the(not text, f"it said {text!r}")
    the(done.get("done") is True, f"the turn ended with {done}")
    the(done.get("cancelled") is True, f"the turn ended with {done}")
    the(done["prompt_tokens"] == 0 == done["completion_tokens"], f"it did something: {done}")
    the("session_reset_reason" not in done, f"it touched its session: {done}")


# -- what was so before


@case("a turn runs to its end, warm the second time", new=False)
def _(start: Start) -> None:
    with start() as worker:
        the(worker.ready.get("ready") is True, f"the first line is {worker.ready}")
        worker.send(generate(1, "Hello ", session="a"))
        first = whole(worker)
        ids = first["generated_token_ids"]
        segments = [{"text": "Hello "}, {"ids": ids}, {"text": "<|eot|>count to 4"}]
        again = generate(2, session="a", prompt_segments=segments)
        del again["prompt"]
        worker.send(again)
        second = whole(worker, 4)
        the(second["session_reset_reason"] == "exact_prefix", f"it is not warm: {second}")
        worker.hang_up()
        the(worker.exit_code() == 0, "the end of stdin is no error")


@case("errors and session operations keep their places", new=False)
def _(start: Start) -> None:
    with start() as worker:
        worker.write(
            b"no json\n\n[]\n"
            + line({"op": "open", "session_id": "a"})
            + line(generate(1, session="a"))
            + line({"op": "reset", "session_id": "a"})
            + line({"prompt": "x", "prompt_segments": []})
            + line({"op": "open", "session_id": "b"})
            + line({"op": "close", "session_id": "a"})
            + line(generate(2))
        )
        the("error" in worker.next(), "a line that is no JSON")
        the("error" in worker.next(), "a line that is no object")
        the(worker.next().get("opened") is True, "open")
        whole(worker)
        the(worker.next().get("reset") is True, "reset")
        the("error" in worker.next(), "two prompts")
        the(worker.next().get("code") == "capacity_exhausted", "a session too many")
        the(worker.next().get("closed") is True, "close")
        whole(worker)


@case("a line may come in any pieces", new=False)
def _(start: Start) -> None:
    with start() as worker:
        data = line(generate(1)) + line(generate(2, "count to 3"))
        for at in range(len(data)):
            worker.write(data[at : at + 1])
        whole(worker)
        whole(worker, 3)


@case("a line of 8 MiB is one request", new=False)
def _(start: Start) -> None:
    with start() as worker:
        worker.send(generate(1, "count to 2", padding="x" * 2**23), generate(2, "count to 3"))
        whole(worker, 2)
        whole(worker, 3)


@case("the requests of a file are all served", new=False)
def _(start: Start) -> None:
    requests = start.folder / "requests.jsonl"
    requests.write_bytes(line(generate(1, "count to 3")) + line(generate(2)).rstrip(b"\n"))
    descriptor = os.open(requests, os.O_RDONLY)
    try:
        with start(stdin=descriptor) as worker:
            whole(worker, 3)
            whole(worker)
            the(worker.exit_code() == 0, "the end of a file is no error")
    finally:
        os.close(descriptor)


# -- cancelling


@case("the ready line says cancel_op, and every done line whether it was cancelled")
def _(start: Start) -> None:
    with start() as worker:
        the(worker.ready.get("cancel_op") is True, f"ready: {worker.ready}")
        the("worker" not in worker.ready, "it claims to be this project's own worker")
        worker.send(generate(1))
        the(whole(worker).get("cancelled") is False, "cancelled is not false")


@case("a cancel before its request is of no request")
def _(start: Start) -> None:
    with start() as worker:
        worker.send(cancel(1), generate(1))
        whole(worker)


@case("a cancel during its turn ends it at a step")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"))
        said = worker.first_text()
        worker.send(cancel(1))
        stopped(worker, said=said)
        worker.send(generate(2))
        whole(worker)


@case("a cancel after its turn reaches no other")
def _(start: Start) -> None:
    with start() as worker:
        worker.send(generate(1, session="a"))
        whole(worker)
        worker.send(cancel(1), {"op": "cancel", "session_id": "a"})
        worker.send(generate(2, session="a"), generate(None))
        whole(worker)
        whole(worker)


@case("two cancels are one")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"))
        said = worker.first_text()
        worker.send(cancel(1), cancel(1))
        worker.send(cancel(1))
        stopped(worker, said=said)
        worker.send(generate(2))
        whole(worker)


@case("a cancel of another request, or of none, has no effect and no reply")
def _(start: Start) -> None:
    with start() as worker:
        worker.send(generate(1, "count to 50", session="a"))
        said = worker.first_text()
        for wanted in (
            cancel(2),
            cancel(0),
            cancel(2**64 - 1),
            {"op": "cancel"},
            {"op": "cancel", "session_id": "b"},
            {"op": "cancel", "session_id": ""},
            cancel(1, session_id="b"),
            {"op": "cancel", "request_id": "1"},
            {"op": "cancel", "request_id": -1},
            {"op": "cancel", "request_id": 1.0},
            {"op": "cancel", "request_id": None},
        ):
            worker.send(wanted)
        whole(worker, 50, said)
        worker.send(generate(2))
        whole(worker)


@case("a cancel in the same write as its request finds it")
def _(start: Start) -> None:
    for _ in range(20):
        with start(SLOW) as worker:
            worker.send(generate(1, f"count to {LONG}"), cancel(1), generate(2))
            text, done = worker.end_of_turn()
            the(done.get("cancelled") is True, f"it was lost: {done}")
            the(tokens(text) < tokens(counted(LONG)), "it ran to its end")
            whole(worker)


@case("many requests and cancels in one write find each other")
def _(start: Start) -> None:
    with start() as worker:
        numbers = range(1, 41)
        # The last one first, so that the cancels of all others are read before they begin.
        worker.send(
            generate(99, f"count to {LONG}", session="a"),
            *[generate(number, f"count to {number}") for number in numbers],
            *[cancel(number) for number in numbers if number % 3 == 0],
            cancel(99),
        )
        text, done = worker.end_of_turn()
        the(done.get("cancelled") is True, f"the first one was lost: {done} after {text[-9:]!r}")
        for number in numbers:
            if number % 3 == 0:
                never_begun(worker)
            else:
                whole(worker, number)


@case("a cancel may come in any pieces")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"))
        said = worker.first_text()
        for byte in line(cancel(7)) + line(cancel(1)):
            worker.write(bytes([byte]))
        stopped(worker, said=said)


@case("a queued request is cancelled where it stands")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"), generate(2, session="a"), generate(3))
        said = worker.first_text()
        worker.send(cancel(2))
        worker.send(cancel(1))
        stopped(worker, said=said)
        never_begun(worker)
        whole(worker)


@case("a cancelled turn leaves its session dirty, and the next one is right")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}", session="a"))
        said = worker.first_text()
        worker.send(cancel(1))
        stopped(worker, said=said)
        worker.send(generate(2, "count to 5", session="a"))
        done = whole(worker, 5)
        the(done["session_reset_reason"] == "dirty", f"reset: {done}")
        the(done["reused_prompt_tokens"] == 0, f"reused: {done}")


@case("a turn is cancelled in its prefill", muse_only=True)
def _(start: Start) -> None:
    with start({"FAKE_PREFILL_MS": "20", "FAKE_CONTEXT": "20000"}) as worker:
        worker.send(generate(1, "x" * 8000, session="a"))
        worker.heard("fake engine: prefill of")
        worker.send(cancel(1))
        never_begun(worker)
        worker.send(generate(2, "count to 5", session="a"))
        whole(worker, 5)
        worker.hang_up()
        the(worker.exit_code() == 0, "its exit code")
        the("gave up a prefill" in worker.complaints(), "the prefill ran to its end")


@case("turns that end while they are cancelled end once, and cancel nothing else")
def _(start: Start) -> None:
    chance = random.Random(7)
    with start() as worker:
        ends = 0
        for number in range(1, 601):
            worker.send(generate(number, "count to 30"))
            if number % 2:
                time.sleep(chance.uniform(0, 0.002))
                worker.send(cancel(number))
            text, done = worker.end_of_turn()
            the(done.get("done") is True, f"turn {number} ended with {done}")
            if number % 2:
                the(text == counted(30)[: len(text)], f"turn {number} said {text!r}")
                ends += done["cancelled"] is True
            else:
                the(done["cancelled"] is False, f"turn {number} took its neighbour's cancel")
                the(text == counted(30), f"turn {number} said {text!r}")
        the(ends > 0, "not one cancel was in time: nothing was tried")


# -- the end of stdin


@case("the end of stdin ends a turn and drops what is queued")
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"), generate(2), generate(3))
        said = worker.first_text()
        worker.hang_up()
        stopped(worker, said=said)
        the(worker.exit_code() == 0, "its exit code")


@case("the end of stdin ends an idle worker", new=False)
def _(start: Start) -> None:
    with start() as worker:
        worker.hang_up()
        the(worker.exit_code() == 0, "its exit code")


@case("a terminal that is closed ends a turn")
def _(start: Start) -> None:
    ours, theirs = os.openpty()
    try:
        with start(SLOW, stdin=theirs) as worker:
            os.write(ours, line(generate(1, f"count to {LONG}")))
            said = worker.first_text()
            os.write(ours, line(cancel(1)))
            stopped(worker, said=said)
            os.write(ours, line(generate(2, f"count to {LONG}")))
            said = worker.first_text()
            os.write(ours, b"\x04")  # what Ctrl-D sends
            stopped(worker, said=said)
            the(worker.exit_code() == 0, "its exit code")
    finally:
        os.close(ours)
        os.close(theirs)


# -- pictures


def picture(number: int, *, session: str = "", data: bytes = b"PNG!") -> dict[str, object]:
    """A request with a picture in it."""
    image = {"encoding": "base64", "mime_type": "image/png"}
    segments = [
        {"text": "see "},
        {"image": {**image, "data": base64.b64encode(data).decode()}},
        {"text": " count to 3"},
    ]
    request = generate(number, session=session, prompt_segments=segments)
    del request["prompt"]
    return request


@case("a picture is encoded for its session", muse_only=True)
def _(start: Start) -> None:
    with start({"FAKE_ENCODE_MS": "3"}) as worker:
        worker.send(generate(1), picture(2, session="a"), picture(3), picture(4, session="a"))
        whole(worker)
        for _ in range(3):
            done = whole(worker, 3)
            the(done["vision_encoder_ms"] == 3.0, f"vision_encoder_ms: {done}")
        worker.hang_up()
        the(worker.exit_code() == 0, "its exit code")
        told = worker.complaints().splitlines()
        sessions = [each.rpartition(" ")[2] for each in told if "fake engine: picture" in each]
        the(sessions == ["1", "0", "1"], f"encoded for sessions {sessions}: {told}")


@case("a picture whose turn was cancelled is not encoded", muse_only=True)
def _(start: Start) -> None:
    with start(SLOW) as worker:
        worker.send(generate(1, f"count to {LONG}"), picture(2, session="a"))
        said = worker.first_text()
        worker.send(cancel(2))
        worker.send(cancel(1))
        stopped(worker, said=said)
        never_begun(worker)
        worker.send(picture(3, session="a"))
        whole(worker, 3)
        worker.hang_up()
        the(worker.exit_code() == 0, "its exit code")
        the(worker.complaints().count("fake engine: picture") == 1, "it was encoded")


CASES = tuple(case.found)
