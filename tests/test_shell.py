"""Will any shell run the shell that is here, macOS's bash 3.2 included? And ours alone is POSIX."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from bootstrap.layout import Layout
from bootstrap.serving.environment import command_script
from bootstrap.serving.profile import launcher_script

ROOT = Path(__file__).parent.parent
BASH = {".ci/run"}
"""Runs on Linux only, in bash; everything that a user's machine runs is POSIX."""
WRITTEN = {
    "Muse Glimmer.command": launcher_script(Path("/a folder/it's/muse-playground")),
    "bin/muse-playground": command_script(Layout(Path("/a 'b"), Path("/made here")), "playground"),
}
"""What setup writes, in a folder with spaces and quotes."""
NEWER = {
    r"\b(mapfile|readarray)\b": "mapfile and readarray are of bash 4.0",
    r"\b(declare|local|typeset) +-[a-zA-Z]*A": "associative arrays are of bash 4.0",
    r"\$\{[^}]*[A-Za-z_\]](,,?|\^\^?)[^}]*\}": "${x,,} and ${x^^} are of bash 4.0",
    r"\|&": "|& is of bash 4.0",
    r"&>>": "&>> is of bash 4.0",
    r"\bcoproc\b": "coproc is of bash 4.0",
    r"\bshopt +-s +(\w+ +)*(globstar|lastpipe|inherit_errexit)": "of bash 4.0 and later",
    r"\bprintf +[^|;&\n]*%\([^)]*\)T": "printf %(…)T is of bash 4.2",
    r"\[\[? +(! +)?-v +": "-v is of bash 4.2",
    r"\$\{[A-Za-z_]\w*\[-\d+\]\}": "negative subscripts are of bash 4.2",
    r"\bwait +-n\b": "wait -n is of bash 4.3",
    r"\b(declare|local|typeset) +-[a-zA-Z]*n\b": "name references are of bash 4.3",
    r"\$\{[^}]*@[QEPAakKUuL]\}": "${x@Q} is of bash 4.4",
    r"\$\{[A-Za-z_]\w*\[[@*]\]\}": "an empty array under set -u is an error before bash 4.4",
    r"\$\{?(EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASHPID)\b": "of bash 4.0 and later",
    r"\bread +(-\w+ +)*-[iN]\b": "read -i and -N are of bash 4.0",
    r";;?&": ";& and ;;& are of bash 4.0",
    r"\{\d+\.\.\d+\.\.\d+\}": "{a..b..step} is of bash 4.0",
}
"""What bash 3.2 has not, or has otherwise."""
EXAMPLES = (
    *("mapfile -t a", "readarray a", "declare -A a", "local -rA a", "echo ${x,,}", "echo ${x^}"),
    *("make |& tee log", "make &>> log", "coproc cat", "wait -n", "[[ -v x ]]", "[ ! -v x ]"),
    *('run "${a[@]}"', "local -n a=b", "printf '%(%s)T'", "${a[-1]}", "${x@Q}", "$EPOCHSECONDS"),
    *("shopt -s nullglob globstar", "read -r -N 1 x", ";;&", "{1..9..2}", "$BASHPID"),
)


@cache
def scripts() -> dict[str, str]:
    """Every file of ours that a shell runs, and its text."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout of git's: which files are ours is not known")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    found = {}
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if not path.is_file():
            continue
        with path.open("rb") as file:
            first = file.readline(200)
        if path.suffix in {".sh", ".bash", ".command"} or re.match(
            rb"#!.*\b(ba|da|k|z)?sh\b", first
        ):
            found[name] = path.read_text(encoding="utf-8")
    return found


def without_comments(text: str) -> str:
    """The text without its comments, the first line included."""
    return re.sub(r"(?m)(^|\s)#.*$", "", text)


def newer(text: str) -> list[str]:
    """What bash 3.2 would not run, each with its line."""
    return [
        f"line {number}: {why}"
        for number, line in enumerate(without_comments(text).splitlines(), 1)
        for pattern, why in NEWER.items()
        if re.search(pattern, line)
    ]


def test_the_scripts_are_found() -> None:
    """Those that a user's machine runs, and CI's."""
    assert {"setup", "bootstrap/setup.sh", ".ci/run"} <= set(scripts())


def test_all_but_ci_is_posix() -> None:
    """By its first line, so that no shell of a newer kind is looked for."""
    first = {name: text.partition("\n")[0] for name, text in scripts().items()}

    assert {name for name, line in first.items() if line != "#!/bin/sh"} == BASH
    assert all(text.startswith("#!/bin/sh\n") for text in WRITTEN.values())


def test_nothing_is_newer_than_bash_3_2() -> None:
    """Where a Mac's own shell stands, whatever a first line says."""
    texts = {**scripts(), **WRITTEN}

    assert {name: found for name, text in texts.items() if (found := newer(text))} == {}


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_is_newer_is_found(example: str) -> None:
    """Each of the table, as somebody may write it."""
    assert newer(f"#!/bin/sh\n{example}\n")


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_a_shell_can_read_them(shell: str) -> None:
    """Without running them."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    texts = {**scripts(), **WRITTEN}
    readable = [name for name in texts if shell == "bash" or name not in BASH]

    ended = {
        name: subprocess.run(
            [program, "-n"], input=texts[name], text=True, capture_output=True, check=False
        )
        for name in readable
    }

    assert {name: end.stderr for name, end in ended.items() if end.returncode} == {}


def test_shellcheck_has_nothing_to_say() -> None:
    """Of each in the dialect of its first line."""
    program = shutil.which("shellcheck")
    if program is None:
        pytest.skip("no shellcheck on the PATH; tox brings it")
    said = {
        name: subprocess.run(
            [program, "--severity=style", "-"],
            input=text,
            text=True,
            capture_output=True,
            check=False,
        ).stdout
        for name, text in {**scripts(), **WRITTEN}.items()
    }

    assert {name: lines for name, lines in said.items() if lines} == {}


def test_tox_lints_every_script() -> None:
    """The list that shellcheck is given has them all."""
    (listed,) = re.findall(
        r"^ *shellcheck (.+)$", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert sorted(listed.split()) == sorted(scripts())
