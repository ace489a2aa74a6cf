"""How does a file get here, whole, and the right one?

Into a part beside its place (`partial`), which is gone on with after whatever stopped it; with the
name that was asked for only when size and SHA-256 are right and it is on the disk.

- A connection that fails, falls silent or is cut off is tried again, with longer pauses, until it
  has brought nothing new for `TRIES` times.  What a server refuses (4xx) is not.
- A server that sends the whole file where the rest was asked for, or another version of it, is
  taken at its word: the part begins anew.
- A whole file that is another one is thrown away and fetched once more; then it is an error.
- A disk that is full is told before the first byte, or when it happens; the part stays.
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bootstrap.fetching.partial import Origin, Partial, partial
from bootstrap.fetching.transfer import Transfer, time_text
from bootstrap.fetching.web import Failure, Web, WebFailed
from bootstrap.machine.room import look_at_disk
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.sizes import in_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bootstrap.fetching.partial import Put

__all__ = ["FetchFailed", "Fetched", "Wanted", "World", "fetch", "free_bytes"]

TRIES = 6
"""Failures in a row, without a byte more than there ever was, until it is given up."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
LONGEST_WAIT_S = 300.0
"""A server that asks for a longer wait than this is not waited for."""
HEADROOM = 64 * 1000 * 1000
"""Bytes that are left to the disk's other users."""
CHUNK = 1 << 20
FULL = {errno.ENOSPC, errno.EDQUOT}


class FetchFailed(Exception):
    """A file is not here; what came of it stays, and the next run goes on with it."""

    def __init__(self, problem: str, *, hint: str = "", status: int = 0) -> None:
        self.problem, self.hint = problem, hint
        self.status = status
        """What the server answered, where that was it."""
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file, where it is published, and what is known of it."""

    url: str
    target: Path
    bytes: int | None = None
    sha256: str | None = None
    token: str = field(default="", repr=False)
    """Given to the server of `url` alone, and only over https or on this machine."""
    ours: bool = False
    """Whether what lies there under its name, and is another file, may be replaced."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that is here, and right as far as anybody said."""

    path: Path
    bytes: int
    sha256: str
    received: int
    """Bytes that came over the network for it; 0 where it was here."""


def free_bytes(folder: Path) -> int:
    """What the disk of a folder, which need not be there yet, has left."""
    return look_at_disk(folder).free_bytes


@dataclass(frozen=True, slots=True)
class World:
    """What fetching needs from outside: the seams where tests have no hours, and no full disk."""

    tell: Callable[[str], None]
    web: Web = field(default_factory=Web)
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    free_bytes: Callable[[Path], int] = free_bytes
    put: Put = os.pwrite


def fetch(wanted: Wanted, world: World) -> Fetched:
    """Have a file; one that is here already is only looked at.

    Raises:
        FetchFailed: it is not here, or another file has its name.
    """
    try:
        if wanted.target.exists():
            found = _here(wanted)
            if isinstance(found, Fetched):
                return found
            if not wanted.ours:
                hint = "move it away, and the right one is fetched"
                raise FetchFailed(f"{wanted.target} is another file: {found}", hint=hint)
            world.tell(f"{wanted.target.name} is another file: {found}; fetched anew")
        with partial(wanted.target, world.tell, world.put) as part:
            if wanted.target.exists():  # by another process, maybe, while we waited for it
                found = _here(wanted)
                if isinstance(found, Fetched):
                    return found
            return _Fetching(wanted, world, part).run()
    except OSError as problem:
        if problem.errno in FULL:
            raise _full(wanted, None, world) from problem
        hint = "is that disk connected, and may you write there?"
        raise FetchFailed(f"{wanted.target}: {problem.strerror or problem}", hint=hint) from problem


def _here(wanted: Wanted) -> Fetched | str:
    """The file that is here, or why it is not the one."""
    size = wanted.target.stat().st_size
    if wanted.bytes not in {None, size}:
        return f"it has {size} bytes, not {wanted.bytes}"
    sha256 = file_sha256(wanted.target)
    if wanted.sha256 not in {None, sha256}:
        return f"its SHA-256 is {sha256}, not {wanted.sha256}"
    return Fetched(wanted.target, size, sha256, 0)


@dataclass(slots=True)
class _Fetching:
    """One file being fetched; `part` is ours."""

    wanted: Wanted
    world: World
    part: Partial
    received: int = 0
    furthest: int = 0
    """How many bytes were ever there, to tell whether a try has brought anything."""
    failures: int = 0

    def run(self) -> Fetched:
        """Fetch, look at it, name it."""
        self._keep_what_is_ours()
        for last in (False, True):
            self._complete()
            apart = self._apart()
            if not apart:
                sha256, size = self.part.sha256, self.part.size
                self.part.finish()
                return Fetched(self.wanted.target, size, sha256, self.received)
            self.part.discard()
            problem = f"what came is another file: {apart}"
            if last:
                hint = "somebody between may have changed it; is it the right address?"
                raise FetchFailed(f"{self.wanted.url}: {problem}", hint=hint)
            self._tell(f"{problem}; thrown away, once more from the beginning")
        raise AssertionError  # the loop returns or raises

    def _keep_what_is_ours(self) -> None:
        """A part is gone on with where it is of what is wanted, and can be proved to be."""
        part, wanted = self.part, self.wanted
        if part.size == 0:
            return
        origin = part.origin
        known = origin is not None and bool(origin.sha256)
        if origin is not None and wanted.sha256:
            ours = origin.sha256 == wanted.sha256  # wherever it was from: the hash will tell
        else:
            ours = (
                origin is not None
                and origin.url == wanted.url
                and (known or bool(origin.validator))
            )
        total = self._total()
        if not ours or (total is not None and part.size > total):
            part.discard()
        elif origin is not None and origin.url != wanted.url:
            part.note(replace(origin, url=wanted.url, validator=""))
        if part.size:
            self._tell(f"going on after {in_words(part.size)}")
            _ = part.sha256  # read now: a connection would wait while this takes its seconds
        self.furthest = part.size

    def _total(self) -> int | None:
        if self.wanted.bytes is not None or self.part.origin is None:
            return self.wanted.bytes
        return self.part.origin.bytes

    def _complete(self) -> None:
        """Ask until all of it is there."""
        while self.part.size == 0 or self.part.size != self._total():
            try:
                if self._receive():
                    return
            except WebFailed as problem:
                if problem.kind is Failure.FINAL:
                    raise FetchFailed(
                        f"{self.wanted.url}: {problem.reason}",
                        hint=problem.hint,
                        status=problem.status,
                    ) from problem
                if problem.kind is Failure.ANEW:
                    self.part.discard()
                self._wait_after(problem)

    def _receive(self) -> bool:
        """One answer, as far as it comes; whether that was all, where nobody knows the size."""
        part, wanted = self.part, self.wanted
        validator = ""
        if part.size and part.origin and (wanted.sha256 or not part.origin.sha256):
            # Where the publisher names the hash, that tells versions apart: its stores need not
            # agree on an ETag, and one that does not would send gigabytes again.
            validator = part.origin.validator
        with self.world.web.ask(
            wanted.url, start=part.size, validator=validator, token=wanted.token
        ) as answer:
            total = answer.total if wanted.bytes is None else wanted.bytes
            if answer.total not in {None, total}:
                raise FetchFailed(
                    f"{wanted.url} has {answer.total} bytes there, and {total} are pinned",
                    hint="is it the right address, and the revision of the pin?",
                )
            if total is None and not answer.ends_itself:
                hint = "fetch it from a server that tells Content-Length"
                raise FetchFailed(f"{wanted.url}: nobody says how long it is", hint=hint)
            origin = Origin(
                wanted.url, answer.validator, total, self._expected(answer.sha256, answer.start)
            )
            if answer.start == part.size:
                part.note(origin)
            else:
                self._tell("the server sends it from the beginning again")
                part.begin(origin)
            self._room(total)
            transfer = Transfer(wanted.target.name, total, self.world.tell, self.world.clock)
            transfer.at(part.size)
            while data := answer.read(CHUNK):
                self._write(data, total)
                transfer.at(part.size)
                if total is not None and part.size > total:
                    break
        if total is not None and part.size < total:
            reason = f"the answer was cut off at {in_words(part.size)} of {in_words(total)}"
            raise WebFailed(reason, Failure.PASSING)
        part.note(replace(origin, bytes=part.size))
        return True

    def _expected(self, published: str, start: int) -> str:
        """The hash that the whole is to have; empty where neither pin nor publisher says one."""
        before = self.part.origin.sha256 if self.part.origin and start else ""
        if before and published and before != published and not self.wanted.sha256:
            raise WebFailed("the file has changed where it is published", Failure.ANEW)
        return self.wanted.sha256 or published or before

    def _write(self, data: bytes, total: int | None) -> None:
        try:
            self.part.write(data)
        except OSError as problem:
            if problem.errno in FULL:
                raise _full(self.wanted, total and total - self.part.size, self.world) from problem
            raise
        self.received += len(data)

    def _room(self, total: int | None) -> None:
        need = (total or 0) - self.part.size
        if need > 0 and self.world.free_bytes(self.wanted.target.parent) < need + HEADROOM:
            raise _full(self.wanted, need + HEADROOM, self.world)

    def _apart(self) -> str:
        """Why what is there is not what is wanted; empty where it is."""
        expected = self.part.origin.sha256 if self.part.origin else ""
        if self.wanted.bytes not in {None, self.part.size}:
            return f"it has {self.part.size} bytes, and {self.wanted.bytes} are pinned"
        if expected and self.part.sha256 != expected:
            source = "pinned" if self.wanted.sha256 else "what its publisher says"
            return f"its SHA-256 is {self.part.sha256}, and {expected} is {source}"
        return ""

    def _wait_after(self, problem: WebFailed) -> None:
        if self.part.size > self.furthest:
            self.furthest, self.failures = self.part.size, 0
        self.failures += 1
        asked = problem.wait_s or 0.0
        pause = max(asked, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (self.failures - 1)))
        if self.failures >= TRIES or asked > LONGEST_WAIT_S:
            tried = f"tried {self.failures} times without a byte more"
            raise FetchFailed(
                f"{self.wanted.url}: {problem.reason}"
                + (f" ({tried})" if self.failures >= TRIES else f", for {time_text(asked)}"),
                hint=problem.hint or "the next run goes on from there",
                status=problem.status,
            ) from problem
        self._tell(f"{problem.reason}; once more in {time_text(pause)}")
        self.world.pause(pause)

    def _tell(self, line: str) -> None:
        self.world.tell(f"{self.wanted.target.name}: {line}")


def _full(wanted: Wanted, need: int | None, world: World) -> FetchFailed:
    free = in_words(world.free_bytes(wanted.target.parent))
    needed = f"{in_words(need)} needed, " if need else ""
    return FetchFailed(
        f"disk full: {needed}{free} free in {wanted.target.parent}",
        hint="make room; what has come of it stays, and the next run goes on from there",
    )
