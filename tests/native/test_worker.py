"""Does the program that plays the native worker load what it is told, and refuse the rest?"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from playground.tokens import ScriptedTokenizer, load_tokenizer
from tests.native.flags import read_flags
from tests.native.folder import ROOT, byte_tokenizer, make_folder
from tests.native.worker import NotLoaded, load

if TYPE_CHECKING:
    from pathlib import Path

GREETING = {"replies": [{"text": "Hello<|eot|>"}], "step_ms": 0}
DRAFTED = {**GREETING, "draft_tokens": 3, "tokens_per_round": 2}


def flags_of(folder: Path, *more: str) -> list[str]:
    """What tells a worker to load a folder."""
    return [
        f"--model_path={folder / 'script.pte'}",
        f"--tokenizer_path={folder / 'tokenizer.json'}",
        *("--bos_id=256", "--eos_id=257", "--max_sessions=2"),
        *more,
    ]


def run(folder: Path, *more: str, said: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The program, from its start to the end of what it is told."""
    command = [sys.executable, "-m", "tests.native.worker", *flags_of(folder, *more)]
    return subprocess.run(
        command, cwd=ROOT, input=said, capture_output=True, check=False, timeout=60
    )


def test_it_serves_until_stdin_ends(tmp_path: Path) -> None:
    """Nothing but protocol on stdout, and exit code 0."""
    ended = run(make_folder(tmp_path, GREETING), said=b'{"op":"open","session_id":"a"}\n')
    lines = [json.loads(line) for line in ended.stdout.splitlines()]

    assert ended.returncode == 0
    assert lines[0]["ready"] is True
    assert lines[1:] in ([], [{"opened": True, "session_id": "a"}])  # what waits is dropped


def test_a_flag_that_it_does_not_know_is_its_end(tmp_path: Path) -> None:
    """Before anything is loaded, with exit code 1 and no line."""
    ended = run(make_folder(tmp_path, GREETING), "--threads=2")

    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"unknown command line flag 'threads'" in ended.stderr


@pytest.mark.parametrize(
    ("script", "more", "problem"),
    [
        (GREETING, "--artifact_mode=dflash", "does not match detected mode autoregressive"),
        (DRAFTED, "--artifact_mode=autoregressive", "does not match detected mode dflash"),
        (DRAFTED, "--artifact_mode=fast", "invalid --artifact_mode"),
        (DRAFTED, "--dflash_block_length=5", r"must be in \[2, 4\]"),
        (DRAFTED, "--dflash_n_draft=4", r"n_draft must be in \[1, block_length - 1\]"),
        (GREETING, "--max_image_bytes=0", "max_image_bytes must be positive"),
        (GREETING, "--model_path=", "--model_path and --tokenizer_path required"),
        (GREETING, "--model_path=nowhere", "failed to create engine"),
    ],
)
def test_what_cannot_be_loaded_is_told(
    tmp_path: Path, script: dict[str, object], more: str, problem: str
) -> None:
    """A program is loaded in the mode whose methods it has, and in no other."""
    folder = make_folder(tmp_path, script)

    with pytest.raises(NotLoaded, match=problem):
        load(read_flags(flags_of(folder, more)))


def test_a_program_with_a_draft_is_found_out(tmp_path: Path) -> None:
    """Under `auto`, and where its mode is demanded."""
    for mode in ("auto", "dflash"):
        loaded = load(
            read_flags(flags_of(make_folder(tmp_path, DRAFTED), f"--artifact_mode={mode}"))
        )
        assert loaded.eos_ids == {257, ScriptedTokenizer().control("<|eot|>")}


def test_the_vocabulary_of_a_script_is_the_same_on_both_sides(tmp_path: Path) -> None:
    """One token a byte, and control tokens behind them."""
    byte_tokenizer().save(str(tmp_path / "tokenizer.json"))
    read, scripted = load_tokenizer(tmp_path / "tokenizer.json"), ScriptedTokenizer()
    text = "Grüße 🌍<|eot|>\n\ta  b\x00"

    assert (read.vocab_size, read.controls) == (scripted.vocab_size, scripted.controls)
    assert read.encode(text) == scripted.encode(text)
    assert read.encode_prompt(text) == scripted.encode_prompt(text)
    assert [read.bytes_of(i) for i in range(265)] == [scripted.bytes_of(i) for i in range(265)]
