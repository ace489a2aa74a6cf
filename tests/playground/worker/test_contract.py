"""Is a program told by its methods, and are its constants read or their lack named?"""

from __future__ import annotations

from typing import Any

import pytest

from playground.worker.contract import DraftContract, read_contract
from playground.worker.errors import EngineError

SOLO = {"embed_text", "forward_from_embeddings"}
SPECULATIVE = {"embed_text", "target_forward_from_embeddings", "draft_forward"}
CONSTANTS: dict[str, Any] = {
    "get_max_seq_len": 64,
    "get_activation_dtype": "float32",
    "get_vocab_size": 10,
    "get_max_prefill_chunk": 16,
    "get_max_rewind": 8,
    "get_sliding_window": 32,
    "get_mutable_buffer_metadata": '{"mutable_buffers": ["a", "b"], "row_dimension": 1}',
}
DRAFT_CONSTANTS = {
    **CONSTANTS,
    "get_block_size": 4,
    "get_mask_token_id": 9,
    "get_n_target_layers": 2,
    "get_draft_sliding_window": 32,
}


def test_a_plain_program_has_no_draft() -> None:
    """Its constants are read, and what is not said has the value that asks for least."""
    contract = read_contract(SOLO, CONSTANTS)

    assert (contract.forward, contract.draft) == ("forward_from_embeddings", None)
    assert (contract.context_length, contract.max_prefill_chunk) == (64, 16)
    assert (contract.ring_rows, contract.caches, contract.row_dimension) == (40, ("a", "b"), 1)
    assert contract.prefill_from is None


def test_a_speculative_program_says_how_to_draft() -> None:
    """A block of four, one of them the pending token."""
    contract = read_contract(SPECULATIVE, DRAFT_CONSTANTS)

    assert contract.forward == "target_forward_from_embeddings"
    assert contract.draft == DraftContract(
        block_length=4, mask_id=9, window=32, max_chunk=16, prefill_from=None
    )


def test_methods_that_only_prefill_are_used_where_they_are() -> None:
    """The target's for more than a block, the draft's from the fewest rows it takes."""
    names = {*SPECULATIVE, "target_prefill_from_embeddings", "draft_prefill"}

    contract = read_contract(names, {**DRAFT_CONSTANTS, "get_min_draft_prefill_chunk": 5})

    assert contract.prefill_from == 5
    assert contract.draft is not None
    assert contract.draft.prefill_from == 5


def test_a_speculative_program_can_run_without_its_draft() -> None:
    """As upstream's `--artifact_mode autoregressive` says."""
    contract = read_contract(SPECULATIVE, DRAFT_CONSTANTS, "autoregressive")

    assert (contract.forward, contract.draft) == ("target_forward_from_embeddings", None)


def test_a_plain_program_cannot_be_made_to_draft() -> None:
    """`--artifact_mode dflash` asks for a draft."""
    with pytest.raises(EngineError, match="no draft_forward, so it cannot run as dflash"):
        read_contract(SOLO, CONSTANTS, "dflash")


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ({"forward_from_embeddings"}, "embed_text"),
        ({"embed_text", "use_kv_cache"}, "forward_from_embeddings"),
        ({"embed_text", "draft_forward"}, "target_forward_from_embeddings"),
        ({"embed_text", "target_forward_from_embeddings"}, "draft_forward"),
        ({"forward"}, "embed_text, forward_from_embeddings"),
    ],
)
def test_an_incomplete_contract_names_what_it_lacks(names: set[str], missing: str) -> None:
    """The error lists the methods that are missing and those that are there."""
    with pytest.raises(EngineError, match=f"lacks {missing} of"):
        read_contract(names, CONSTANTS)


@pytest.mark.parametrize(
    "name",
    [
        "get_max_seq_len",
        "get_activation_dtype",
        "get_vocab_size",
        "get_block_size",
        "get_mask_token_id",
        "get_n_target_layers",
        "get_draft_sliding_window",
    ],
)
def test_a_missing_constant_is_named(name: str) -> None:
    """Those without which nothing can be run."""
    constants = {key: value for key, value in DRAFT_CONSTANTS.items() if key != name}

    with pytest.raises(EngineError, match=f"no constant {name}"):
        read_contract(SPECULATIVE, constants)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"get_activation_dtype": "bfloat16"}, "activations are bfloat16"),
        ({"get_block_size": 1}, "get_block_size is 1: no room for a proposal"),
    ],
)
def test_what_cannot_be_run_is_refused(changed: dict[str, Any], reason: str) -> None:
    """With the constant's value."""
    with pytest.raises(EngineError, match=reason):
        read_contract(SPECULATIVE, {**DRAFT_CONSTANTS, **changed})
