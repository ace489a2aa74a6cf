"""One command, and a chat: the setup for real, and what it made answers a turn.

The runtime's environment, the large one, is that which `python -m bootstrap prepare embedded` has
made; everything else is made in a folder of the test's own, by pip, venv and Node.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bootstrap.layout import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PREPARED = layout(os.environ).made / "embedded"
READY = "muse-playground ready "
pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(
        not (PREPARED / "stamps" / "probe").is_file(),
        reason="`python -m bootstrap prepare embedded` was not run",
    ),
]


class Made:
    """A folder in which the setup has made everything."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "embedded").symlink_to(PREPARED)
        self.first = self.setup()

    def setup(self) -> dict[str, Any]:
        """As the person does who clones this; what it says it did."""
        ended = subprocess.run(
            ["sh", ROOT / "bootstrap" / "setup.sh", "--profile", "embedded", "--json"],
            cwd=self.folder.parent,
            env={
                **os.environ,
                "MUSE_PYTHON": sys.executable,
                "MUSE_RUNTIME_DIR": str(self.folder),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr + ended.stdout
        told: dict[str, Any] = json.loads(ended.stdout)
        return told


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Set up once, in a folder with spaces and other letters."""
    folder = tmp_path_factory.mktemp("setup") / "gemacht für's Gespräch"
    folder.mkdir()
    return Made(folder)


@pytest.fixture
def url(made: Made, tmp_path: Path) -> Iterator[str]:
    """The playground, started by the command that the setup names, and stopped in order."""
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [*made.first["start"], "--profile", made.folder / "profile.json", "--port", "0"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line.startswith(READY), (tmp_path / "log").read_text(errors="replace")
            yield line.removeprefix(READY).strip()
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def test_it_makes_what_is_missing_and_nothing_twice(made: Made) -> None:
    """The second run finds everything there."""
    assert [name for name in made.first["ran"] if name.startswith("server")] == [
        "server-venv",
        "server-install",
        "server-link",
    ]
    assert "profile" in made.first["ran"]
    assert made.setup()["ran"] == []


def test_what_was_made_answers(made: Made, url: str) -> None:
    """By the embedded model, in the environment of its own; with a page to talk in."""
    asked = {"messages": [{"role": "user", "content": "Who are you?"}], "max_tokens": 200}
    request = urllib.request.Request(
        f"{url}/v1/chat/completions",
        json.dumps(asked).encode(),
        {"content-type": "application/json"},
    )

    with urllib.request.urlopen(request, timeout=120) as answer:
        choice = json.load(answer)["choices"][0]
    with urllib.request.urlopen(f"{url}/", timeout=20) as answer:
        page = answer.read().decode()

    assert "Muse Nano" in choice["message"]["content"]
    assert choice["finish_reason"] == "stop"
    assert 'id="root"' in page
