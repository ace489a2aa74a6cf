"""Does README tell the truth? Its commands are run, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.kinds import load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
OTHERS = {"node_modules", "runs", ".tox", ".venv", ".runtime"}
"""Folders of pages that we did not write; too large to look into."""


def pages() -> Iterator[Path]:
    """Every page of ours."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in OTHERS]
        yield from (Path(folder, name) for name in files if name.endswith(".md"))


PAGES = sorted(pages())


def commands(page: Path) -> list[str]:
    """The lines after `$ ` in the page's console blocks, continued lines joined."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def our_commands(page: Path) -> list[list[str]]:
    """Every call of our two programs in the page, as arguments; where they lie does not matter."""
    parts = [part.strip() for line in commands(page) for part in line.split("&&")]
    parts = [re.sub(r"^(caffeinate \S+ )?\.runtime/\S+/bin/(?=muse-)", "", part) for part in parts]
    return [shlex.split(part) for part in parts if part.startswith("muse-")]


def run(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run one of our programs in this environment."""
    program = str(Path(sys.executable).parent / arguments[0])
    return subprocess.run(
        [program, *arguments[1:]], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )


def test_two_commands_do_the_set_up() -> None:
    """README's first two commands run the main job and the tests."""
    assert commands(ROOT / "README.md")[:2] == [
        "pip install -e '.[embedded]' && muse-bench run --scenario warm-resume",
        "pip install tox && tox",
    ]


def test_ci_runs_what_readme_says() -> None:
    """The two commands are the ones that CI runs, on a clean clone."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    parts = [part.strip() for line in commands(ROOT / "README.md")[:2] for part in line.split("&&")]

    missing = [
        part
        for part in parts
        if part.replace("pip install", "pip install -q") not in script and part not in script
    ]

    assert missing == []


@pytest.mark.parametrize(
    "arguments",
    [arguments for page in PAGES for arguments in our_commands(page)],
    ids=" ".join,
)
def test_options_are_known(arguments: list[str], tmp_path: Path) -> None:
    """Every option that a page shows is one that the program's help names."""
    subcommand = [word for word in arguments[1:2] if not word.startswith("-")]
    help_text = run([arguments[0], *subcommand, "--help"], tmp_path).stdout

    unknown = [word for word in arguments if word.startswith("--") and word not in help_text]

    assert (unknown, "usage:" in help_text) == ([], True)


@pytest.mark.acceptance
@pytest.mark.embedded
def test_the_main_job_passes(tmp_path: Path) -> None:
    """README's `muse-bench run` measures the embedded model and every check passes."""
    pytest.importorskip("executorch")
    main_job = our_commands(ROOT / "README.md")[0]

    finished = run([*main_job, "--out", str(tmp_path / "run")], tmp_path)

    assert (finished.returncode, finished.stderr if finished.returncode else "") == (0, "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link in a page names a file that is there."""
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8"))

    broken = [link for link in links if not (page.parent / link).exists()]

    assert broken == []


def test_every_scenario_has_its_row() -> None:
    """With its kind as the command calls it, and the question that it asks."""
    page = (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[`([\w-]+)`\]\(\1\.toml\) \| ([^|]+) \| ([^|]+) \|", page, re.MULTILINE
    )

    asked = []
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        kind, scenario, _ = load_scenario(path)
        asked.append((path.stem, kind.name, scenario.question))

    assert sorted(rows) == sorted(asked)


def test_the_pages_of_the_harness_name_every_file() -> None:
    """README those at its top; the first lines of a package, where README says so, its own."""
    folder = ROOT / "harness"
    page = (folder / "README.md").read_text(encoding="utf-8")
    missing = [file.name for file in folder.glob("*.py") if file.stem != "__init__"]
    missing = [name for name in missing if f"`{name}`" not in page]
    for package in re.findall(r"`(\w+)/`[^|]*\|[^|]*its `__init__\.py` names the files", page):
        told = (folder / package / "__init__.py").read_text(encoding="utf-8")
        missing += [
            f"{package}/{file.name}"
            for file in (folder / package).glob("*.py")
            if file.stem != "__init__" and not re.search(rf"^ *{file.stem}  ", told, re.MULTILINE)
        ]

    assert missing == []
