"""Is the Node found that can build the page, and none that cannot?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from playground.page.node import Node, find_node, is_enough, read_version, where_node_may_be

if TYPE_CHECKING:
    from pathlib import Path


def a_node(folder: Path, *, npm: bool = True) -> Path:
    """A folder that looks as if Node were in it."""
    folder.mkdir(parents=True)
    for name in ("node", "npm") if npm else ("node",):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("v20.19.1\n", (20, 19, 1)),
        ("v24.0.0-nightly2026", (24, 0, 0)),
        ("", None),
        ("node: not found", None),
        ("v20", None),
    ],
)
def test_a_version_is_read(said: str, expected: tuple[int, int, int] | None) -> None:
    """As `node --version` says it; anything else is none."""
    assert read_version(said) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((18, 20, 0), False),
        ((20, 18, 3), False),
        ((20, 19, 0), True),
        ((21, 9, 0), False),
        ((22, 11, 0), False),
        ((22, 12, 0), True),
        ((24, 0, 0), True),
    ],
)
def test_vite_says_which_versions_will_do(version: tuple[int, int, int], expected: bool) -> None:  # noqa: FBT001
    """The odd ones in between lack what it needs."""
    assert is_enough(version) is expected


def test_the_first_that_is_new_enough_is_taken(tmp_path: Path) -> None:
    """An old system's Node gives way to the package's."""
    old, new = a_node(tmp_path / "old"), a_node(tmp_path / "new")
    versions = {str(old / "node"): "v18.1.0", str(new / "node"): "v24.19.0"}

    assert find_node([old, new], versions.__getitem__) == Node(new, (24, 19, 0))


def test_a_node_without_npm_is_passed_over(tmp_path: Path) -> None:
    """Some systems ship the two apart."""
    alone = a_node(tmp_path / "alone", npm=False)

    assert find_node([alone, tmp_path / "none"], lambda _: "v24.0.0") is None


def test_a_command_that_cannot_be_run_is_no_node(tmp_path: Path) -> None:
    """It is asked itself, and says nothing."""
    broken = a_node(tmp_path / "broken")
    (broken / "node").write_text("#!/no/such/shell\n")

    assert find_node([broken]) is None


def test_the_search_path_is_looked_at_first(tmp_path: Path) -> None:
    """Then the package, if it is installed."""
    folder = a_node(tmp_path / "bin")

    assert next(where_node_may_be(str(folder))) == folder


def test_npm_is_run_by_its_own_node(tmp_path: Path) -> None:
    """Where its script is in the usual place; else the command beside Node."""
    plain = Node(a_node(tmp_path / "plain" / "bin"), (24, 0, 0))
    whole = Node(a_node(tmp_path / "whole" / "bin"), (24, 0, 0))
    script = tmp_path / "whole" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("")

    assert plain.npm == (str(plain.folder / "npm"),)
    assert whole.npm == (whole.node, str(script))


def test_scripts_find_the_same_node(tmp_path: Path) -> None:
    """It is the first on their search path."""
    node = Node(tmp_path, (24, 0, 0))

    assert node.environment({"PATH": "/bin", "A": "b"}) == {"PATH": f"{tmp_path}:/bin", "A": "b"}
    assert node.environment({}) == {"PATH": str(tmp_path)}
