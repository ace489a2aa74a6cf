"""Is the patch the one that is pinned, and does its page say all that it touches?"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from bootstrap.pinning.pins_file import read_pins
from patches.proof.patch_file import touched_files

ROOT = Path(__file__).parents[2]
PATCH = ROOT / "patches" / "executorch-muse-cancel.patch"
PAGE = (ROOT / "patches" / "README.md").read_text(encoding="utf-8")
RUNTIME = read_pins(ROOT / "bootstrap" / "pins.toml").runtimes["muse-m5"]


def test_the_pinned_hash_is_that_of_the_file() -> None:
    """Bootstrap applies nothing else, so whoever changes the patch changes the pin."""
    assert RUNTIME.patch is not None
    assert RUNTIME.folder is not None

    pinned = RUNTIME.folder / RUNTIME.patch.path
    assert pinned.resolve() == PATCH
    assert RUNTIME.patch.sha256 == hashlib.sha256(PATCH.read_bytes()).hexdigest()


def test_the_page_tells_every_file_that_is_touched_and_no_other() -> None:
    """In the first column of its table, by the path in ExecuTorch."""
    told = re.findall(r"^\| `([\w./-]+)`", PAGE, re.MULTILINE)
    touched = [file.path for file in touched_files(PATCH.read_text(encoding="utf-8"))]

    assert sorted(told) == sorted(touched)


def test_the_page_names_the_commit_that_is_pinned() -> None:
    """The patch is made against that commit alone."""
    assert RUNTIME.executorch in PAGE


def test_only_examples_are_touched() -> None:
    """No core, no backend, no build file but the one that lists the new header."""
    touched = {file.path for file in touched_files(PATCH.read_text(encoding="utf-8"))}

    assert all(
        path.startswith(("examples/llm_server/", "examples/models/muse-glimmer/runtime/"))
        for path in touched
    )
    assert {path for path in touched if not path.endswith((".h", ".cpp", ".py"))} == {
        "examples/llm_server/cpp/BUCK"
    }
