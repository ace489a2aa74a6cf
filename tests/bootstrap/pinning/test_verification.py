"""Is a file that is not the pinned one found, and named?"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import FileWrong
from bootstrap.pinning.pins import Model, Pin, PinnedFile, Runtime
from bootstrap.pinning.verification import Found, findings, refuse_wrong

if TYPE_CHECKING:
    from pathlib import Path

HASH = hashlib.sha256(b"abc").hexdigest()


def pin(folder: Path, *, size: int | None = 3, sha256: str | None = HASH) -> Pin:
    """A pin whose model is one file."""
    runtime = Runtime("r", "why", "python", "1.0", "m", torch="2.0", folder=folder)
    model = Model("m", "why", folder, (PinnedFile("m.pte", "program", size, sha256),))
    return Pin("p", "pin", "why", runtime, model)


@pytest.mark.parametrize(
    ("content", "size", "sha256", "found", "problem"),
    [
        (b"abc", 3, HASH, Found.RIGHT, ""),
        (b"abc", None, HASH, Found.RIGHT, ""),
        (b"abc", 3, None, Found.UNKNOWN, "the pin does not say its hash"),
        (b"abcd", 3, HASH, Found.WRONG, "it has 4 bytes, and the pin says 3"),
        (
            b"abd",
            3,
            HASH,
            Found.WRONG,
            "its SHA-256 is a52d159f262b2c6ddb724a61840befc36eb30c88877",
        ),
        (None, 3, HASH, Found.ABSENT, "there is no such file"),
    ],
)
def test_a_file_is_held_against_size_and_hash(
    tmp_path: Path,
    content: bytes | None,
    size: int | None,
    sha256: str | None,
    found: Found,
    problem: str,
) -> None:
    """As far as the pin says them."""
    if content is not None:
        (tmp_path / "m.pte").write_bytes(content)

    (finding,) = findings(pin(tmp_path, size=size, sha256=sha256))

    assert finding.found is found
    assert finding.problem.startswith(problem)


@pytest.mark.parametrize("content", [b"abd", None])
def test_a_wrong_file_refuses_by_name(tmp_path: Path, content: bytes | None) -> None:
    """With what it belongs to, and what to do."""
    if content is not None:
        (tmp_path / "m.pte").write_bytes(content)

    with pytest.raises(FileWrong) as caught:
        refuse_wrong(pin(tmp_path))

    assert str(caught.value).startswith(f"{tmp_path / 'm.pte'} is not the file of model m: ")
    assert caught.value.exit_code == 2


def test_a_file_that_is_published_is_not_missed_before_it_was_fetched(tmp_path: Path) -> None:
    """It is told apart from one that belongs there; nothing can be made ready without it."""
    base = pin(tmp_path)
    published = replace(base, model=replace(base.model, url="https://example.invalid/{path}"))

    (finding,) = findings(published)

    assert (finding.found, finding.problem) == (Found.UNFETCHED, "it was not fetched yet")
    with pytest.raises(FileWrong, match="it was not fetched yet"):
        refuse_wrong(published)


def test_a_patch_is_a_file_of_the_runtime(tmp_path: Path) -> None:
    """Pinned by its hash like any other."""
    (tmp_path / "m.pte").write_bytes(b"abc")
    (tmp_path / "a.patch").write_bytes(b"other")
    base = pin(tmp_path)
    patched = replace(base, runtime=replace(base.runtime, patch=PinnedFile("a.patch", sha256=HASH)))

    with pytest.raises(FileWrong, match=r"a\.patch is not the file of runtime r: its SHA-256 is"):
        refuse_wrong(patched)
