"""Is the playground's builder asked, and a Node.js brought where there is none?

A few lines of shell stand for the Python of the server's environment: its builder needs a Node.js,
and its pip brings one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import StageFailed
from bootstrap.layout import Layout
from bootstrap.running.commands import Commands
from bootstrap.running.stages import run_stages
from bootstrap.serving.page import page_work

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = """#!/bin/sh
cd "$(dirname "$0")" || exit 9
echo "$*" >> calls
case "$*" in
    *"playground.page --check") test -e built ;;
    *playground.page) test -e broken && exit 1; test -e node || exit 3; touch built; echo built ;;
    *"pip install"*) test ! -e offline && touch node ;;
esac
"""


class Server:
    """An environment of the server's, and what was told."""

    def __init__(self, root: Path) -> None:
        self.places = Layout(root, root / ".runtime")
        self.bin = self.places.server.python.parent
        self.bin.mkdir(parents=True)
        self.places.server.python.write_text(PYTHON)
        self.places.server.python.chmod(0o755)
        self.told: list[str] = []

    def have(self, name: str) -> None:
        """Have something be so."""
        (self.bin / name).touch()

    def build(self, *, required: bool = False) -> tuple[str, ...]:
        """What was run."""
        work = page_work(
            self.places,
            required=required,
            environ=os.environ,
            pip_args=["--some-option"],
            run=Commands(self.places.made / "page" / "prepare.log", os.environ),
            tell=self.told.append,
        )
        return run_stages(work.stages, work.folder.stamps, lambda _: None)

    def calls(self, what: str) -> list[str]:
        """The calls of the builder, or of pip."""
        said = (self.bin / "calls").read_text().splitlines()
        return [line for line in said if what in line and not line.endswith("--check")]


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """Without a Node.js."""
    return Server(tmp_path / "mein Prüfstand")


def test_the_builder_is_asked_once(server: Server) -> None:
    """What it says is told; what is built is not built again, and pip is not called."""
    server.have("node")

    assert server.build() == ("page",)
    assert server.build() == ()
    assert server.told == ["built"]
    assert server.calls("") == ["-I -m playground.page"]


def test_a_page_that_is_no_longer_current_is_built_again(server: Server) -> None:
    """The builder knows; nothing of ours says otherwise."""
    server.have("node")
    server.build()
    (server.bin / "built").unlink()

    assert server.build() == ("page",)


def test_a_node_is_brought_where_there_is_none(server: Server) -> None:
    """As locked, whole, and with the arguments that pip was given."""
    assert server.build(required=True) == ("page",)

    (pip,) = server.calls("pip install")
    assert "--some-option --require-hashes" in pip
    assert "--force-reinstall" in pip
    assert len(server.calls("playground.page")) == 2
    assert server.told[-1] == "built"


def test_without_one_the_page_is_skipped_and_told_to_be(server: Server) -> None:
    """The playground serves without it; each run tries again."""
    server.have("offline")

    assert server.build() == ("page",)
    assert server.told[-1].startswith("skipped: the page is not built, for want of Node.js 20.19")
    assert server.build() == ("page",)


def test_without_one_a_page_that_is_required_fails(server: Server) -> None:
    """And says what to install."""
    server.have("offline")

    with pytest.raises(StageFailed, match=r"install Node\.js 20\.19 or newer") as caught:
        server.build(required=True)

    assert caught.value.stage == "page"


def test_a_build_that_fails_is_never_skipped(server: Server) -> None:
    """No other Node.js would help."""
    server.have("node")
    server.have("broken")

    with pytest.raises(StageFailed, match="stage page"):
        server.build()

    assert server.calls("pip install") == []
