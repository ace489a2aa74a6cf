"""Does `python -m playground.page` build the page, look whether it is built, and say which?"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from playground.page.__main__ import NO_NODE_CODE, main
from playground.page.stamp import STAMP, stamp_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Sources of a page that was never built."""
    (tmp_path / "package.json").write_text("{}")
    return tmp_path


def run(web: Path, *argv: str) -> tuple[int, str]:
    """Its exit code and what it said, where there is no Node."""
    out = io.StringIO()
    return main(argv, out, web=web, node=lambda: None), out.getvalue()


def test_without_node_the_exit_code_says_so(web: Path) -> None:
    """So that whoever called can bring one."""
    code, said = run(web)

    assert code == NO_NODE_CODE
    assert said.startswith("the page is not built: building it needs Node.js 20.19 or newer")


def test_a_page_that_is_built_needs_no_node(web: Path) -> None:
    """And a look says so, without a word."""
    assert run(web, "--check") == (1, "")
    (web / "dist").mkdir()
    (web / "dist" / STAMP).write_text(stamp_of(web))

    assert run(web, "--check") == (0, "")
    assert run(web) == (0, "")


def test_where_there_are_no_sources_nothing_is_to_be_done(tmp_path: Path) -> None:
    """As in an installed wheel, which has the page built."""
    assert run(tmp_path, "--check") == (0, "")


def test_a_failure_of_the_build_is_another_code(web: Path) -> None:
    """A Node would not help."""
    (web / "build").write_text("no folder can be made here")

    assert run(web)[0] == 1
