"""Do the locked lists hold what pyproject.toml asks for, wherever the server runs, by hash?"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "bootstrap" / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
ASKED = {
    "server.txt": [*PROJECT["dependencies"], *EXTRAS["server"]],
    "page.txt": EXTRAS["page"],
}
SYSTEMS = {
    "a Mac with Apple silicon": {
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
        "os_name": "posix",
    },
    "Linux": {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "os_name": "posix",
    },
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@cache
def entries(name: str) -> tuple[tuple[Requirement, int], ...]:
    """Each requirement of a list, and how many hashes it has."""
    text = re.sub(r"(?m)^\s*#.*\n", "", (FOLDER / name).read_text(encoding="utf-8"))
    found = []
    for entry in text.replace("\\\n", " ").strip().splitlines():
        said, *hashes = re.split(r"\s+--hash=", entry.strip())
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), said
        found.append((Requirement(said), len(hashes)))
    return tuple(found)


def locked(name: str, system: str, python: str) -> dict[str, str]:
    """The version of each package that is installed there."""
    where = {
        **SYSTEMS[system],
        "python_version": python,
        "python_full_version": f"{python}.1",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    holds = [each for each, _ in entries(name) if not each.marker or each.marker.evaluate(where)]
    names = [canonicalize_name(each.name) for each in holds]
    assert len(names) == len(set(names)), f"twice: {sorted(names)}"
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in holds}


@pytest.mark.parametrize("name", ASKED)
def test_every_file_is_known_by_its_hash(name: str) -> None:
    """And every package by one version."""
    assert [str(each) for each, hashes in entries(name) if not hashes] == []
    assert all(re.fullmatch(r"==[^,*]+", str(each.specifier)) for each, _ in entries(name))


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", ASKED)
def test_what_the_project_asks_for_is_locked_within_its_range(
    name: str, system: str, python: str
) -> None:
    """On each system and Python that it is for."""
    there = locked(name, system, python)

    wrong = [
        f"{asked}: {there.get(canonicalize_name(asked.name))}"
        for asked in map(Requirement, ASKED[name])
        if not asked.specifier.contains(there.get(canonicalize_name(asked.name), "0"))
    ]

    assert wrong == []


@pytest.mark.parametrize("name", ASKED)
def test_nothing_in_it_says_where_it_was_made(name: str) -> None:
    """No index, no folder: pip's own settings say where packages come from."""
    text = (FOLDER / name).read_text(encoding="utf-8")

    assert re.findall(r"https?://\S+|--(?:index|extra|find)\S*|file:\S*| /\S+", text) == []


def test_the_libraries_that_a_worker_shares_are_the_same() -> None:
    """A tokenizer that counts for the server is the one that the worker decodes with."""
    pins = tomllib.loads((ROOT / "bootstrap" / "pins.toml").read_text(encoding="utf-8"))
    of_worker = dict(each.split("==") for each in pins["runtime"]["embedded"]["packages"])
    there = locked("server.txt", "Linux", "3.12")

    assert {name: there.get(name) for name in of_worker} == of_worker
