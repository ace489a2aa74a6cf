"""A fingerprint tells machine, versions and commit, and no one's name."""

from __future__ import annotations

import subprocess
from dataclasses import asdict
from pathlib import Path

from harness.fingerprint import fingerprint


def test_it_tells_what_can_change_a_number(tmp_path: Path) -> None:
    """Processor, cores, memory, Python and the packages that take part."""
    found = fingerprint(tmp_path)

    assert found.cores >= 1
    assert found.processor
    assert found.memory_bytes is None or found.memory_bytes > 2**20
    assert {"httpx", "httpcore", "pydantic", "rich"} <= found.packages.keys()


def test_outside_a_checkout_there_is_no_commit(tmp_path: Path) -> None:
    """An installed package says so by saying nothing."""
    assert fingerprint(tmp_path).commit is None


def test_a_checkout_is_clean_until_something_is_changed(tmp_path: Path) -> None:
    """Files that git does not know count, since they may be imported."""
    for arguments in (
        ("init", "-q"),
        ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
    clean = fingerprint(tmp_path).commit
    (tmp_path / "new.py").write_text("")
    dirty = fingerprint(tmp_path).commit

    assert clean is not None
    assert dirty is not None
    assert (clean.dirty, dirty.dirty) == (False, True)
    assert clean.revision == dirty.revision
    assert len(clean.revision) == 40


def test_it_names_no_folder(tmp_path: Path) -> None:
    """Results are shared, and where a checkout lies is nobody's business."""
    told = str(asdict(fingerprint(tmp_path)))

    assert str(tmp_path) not in told
    assert str(Path.home()) not in told
