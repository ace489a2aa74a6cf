"""Does a native worker that was cut anywhere while it was made come out whole the next time?

Everything is killed with SIGKILL, in the middle of what is really done: while a server sends a
pack, while git writes a file of a checkout or of a patch, while something is built.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.upstream import Bench, bench, patch_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def upstream(tmp_path: Path, made: Path) -> Bench:
    """With a patch of two files."""
    own = bench(tmp_path / "mein Prüfstand", made)
    first = patch_of(own, "a.patch", "main", "patched")
    patch_of(own, "b.patch", "other", "patched too", file="other.txt")
    with (own.folder / "a.patch").open("a") as file:
        file.write((own.folder / "b.patch").read_text())
    return replace(own, patch=type(first)("a.patch"))


WHOLE = {
    "main.txt": "patched\n",
    "other.txt": "patched too\n",
    "third-party/mlx/fmt/format": "format\n",
    "third-party/mlx/kernels": "kernels\n",
}


def is_whole(made: Bench) -> bool:
    """Whether every file is what it should be."""
    files = made.files()
    return files.keys() >= WHOLE.keys() and all(files[name] == WHOLE[name] for name in WHOLE)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_cut_while_a_pack_is_sent(upstream: Bench, at: int) -> None:
    """Of the commit, of its submodule, of the submodule of that."""
    upstream.cut("pack", at)

    upstream.prepare()

    assert is_whole(upstream)
    assert upstream.prepare() == ()


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6])
def test_cut_while_a_file_is_written(upstream: Bench, at: int) -> None:
    """Of a checkout, or of the patch, whose first file then has it and its second has not."""
    upstream.cut("file", at)

    upstream.prepare()

    assert is_whole(upstream)
    assert upstream.prepare() == ()


def test_cut_while_it_is_built(upstream: Bench) -> None:
    """What was built is not built again."""
    upstream.cut("build", 1)

    assert upstream.prepare() == ("build", "native-probe")
    assert upstream.steps == ["kernels", "worker"]


@pytest.mark.parametrize("at", [1, 2])
def test_cut_while_another_patch_takes_the_place_of_one(upstream: Bench, at: int) -> None:
    """While the tree is put back, or while the new one is applied."""
    upstream.prepare()
    other = replace(upstream, patch=patch_of(upstream, "c.patch", "main", "better"))
    other.cut("file", at)

    assert other.prepare() == ("patch", "build", "native-probe")
    assert other.files()["main.txt"] == "better\n"
    assert other.files()["other.txt"] == "other\n"


@pytest.mark.parametrize("at", [1, 2])
def test_cut_on_the_way_to_another_commit(upstream: Bench, at: int) -> None:
    """The next run ends there as well."""
    upstream.prepare()
    other = replace(upstream, commit=upstream.commit_upstream(main="x", other="y"), patch=None)
    other.cut("file", at)

    assert other.prepare()[0] == "source"
    assert (other.files()["main.txt"], other.files()["other.txt"]) == ("x\n", "y\n")


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "shallow.lock", "config.lock"])
@pytest.mark.parametrize("where", ["", "modules/third-party/mlx/"])
def test_a_lock_that_a_dead_git_has_left_holds_nobody_up(
    upstream: Bench, lock: str, where: str
) -> None:
    """In the repository, or in that of a submodule."""
    upstream.prepare()
    (upstream.tree / ".git" / where / lock).touch()
    other = replace(upstream, commit=upstream.commit_upstream(more="more"))

    other.prepare()

    assert is_whole(other)
