"""Is every difference between the workers in the table, and is the command line each one's own?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from playground.tokens import ScriptedTokenizer, UnknownControlToken
from playground.worker.dialects import DIALECTS, Drafting, Loads, Serves, WorkerKind

if TYPE_CHECKING:
    from collections.abc import Sequence

BOS = "<|begin_of_text|>"
LOADS = Loads(Path("m.pte"), Path("t.json"), ScriptedTokenizer(), BOS, Path("p.bin"))


def test_every_kind_has_its_row() -> None:
    """Under its own name."""
    assert {kind: row.kind for kind, row in DIALECTS.items()} == {
        kind: kind for kind in get_args(WorkerKind)
    }


def test_the_native_worker_is_told_ids_by_flags_with_a_sign() -> None:
    """Looked up by name in the model's own vocabulary; a position table only where there is one."""
    native = DIALECTS["native"]

    assert native.model_flags(LOADS) == (
        "--model_path=m.pte",
        "--tokenizer_path=t.json",
        "--bos_id=256",
        "--eos_id=257",
        "--pos_embed_path=p.bin",
    )
    assert native.server_flags(Serves(3, 2**20)) == (
        "--max_sessions=3",
        "--max_image_bytes=1048576",
    )


def test_ours_is_told_names() -> None:
    """And what only ours can be told."""
    ours = DIALECTS["python"]
    loads = Loads(LOADS.program, LOADS.tokenizer_path, LOADS.tokenizer, BOS)

    assert ours.model_flags(loads) == (
        *("--model_path", "m.pte", "--tokenizer_path", "t.json"),
        *("--bos_token", BOS),
    )
    assert ours.server_flags(Serves(2, 2**20, threads=4, dflash=False)) == (
        *("--max_sessions", "2", "--threads", "4", "--dflash", "false"),
    )


def test_a_vocabulary_that_lacks_a_token_is_no_start() -> None:
    """Rather than a number that was guessed."""
    loads = Loads(LOADS.program, LOADS.tokenizer_path, LOADS.tokenizer, "<|begin|>")

    with pytest.raises(UnknownControlToken, match=r"<\|begin\|>"):
        DIALECTS["native"].model_flags(loads)


@pytest.mark.parametrize(
    ("argv", "drafting"),
    [
        ("w --artifact_mode=dflash", Drafting(4, 3)),
        ("w --artifact-mode dflash --dflash_n_draft 2", Drafting(4, 2)),
        ("w -artifact_mode=dflash --dflash_block_length=8 --dflash_n_draft=0", Drafting(8, 7)),
        ("w --artifact_mode=dflash --dflash_block_length=0", None),
        ("w --artifact_mode=dflash --artifact_mode=auto", None),
        ("w --artifact_mode=auto", None),
        ("w", None),
    ],
)
def test_how_a_native_worker_drafts_is_known_as_far_as_it_was_told(
    argv: str, drafting: Drafting | None
) -> None:
    """A mode that is demanded is the one that was loaded; of any other nothing is claimed."""
    assert DIALECTS["native"].drafting(argv.split()) == drafting
    assert DIALECTS["python"].drafting(argv.split()) is None


@pytest.mark.parametrize("argv", [[], ["w"], ["w", "--artifact_mode"]])
def test_a_command_that_ends_too_soon_is_read_all_the_same(argv: Sequence[str]) -> None:
    """Whoever wrote it hears of it from the worker."""
    assert DIALECTS["native"].drafting(argv) is None
