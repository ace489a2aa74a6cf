"""Blocks guessed all at once are those that transformers' draft guesses one by one."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

import torch
from torch.nn import functional

from bootstrap.nano.attention import dense_masks
from bootstrap.nano.configuration import DRAFT, NANO
from bootstrap.nano.draft import build_draft, dense_blocks, guesses
from bootstrap.nano.draft_training import blocks_to_learn, expected_tokens
from bootstrap.nano.network import build, embedded, tapped

pytestmark = pytest.mark.embedded
BOS, MASK = NANO.control("<|begin_of_text|>"), NANO.control("<|mask|>")


def test_blocks_of_a_row_are_transformers_own_one_by_one() -> None:
    """With the context before the anchor, as wide as the window, and nothing of other blocks."""
    torch.manual_seed(0)
    target, draft = build(0).eval(), build_draft(1).eval()
    ids = torch.randint(0, 4000, (1, 320))
    ids[0, 0] = BOS
    offset, anchor = torch.tensor(2), 302
    with torch.inference_mode():
        _, taps = tapped(target, embedded(target, ids), dense_masks(ids), DRAFT.target_layer_ids)
        context = torch.cat(taps, dim=-1)
        together = guesses(draft, target, ids, context, offset, dense_blocks(ids, offset))
        block = torch.tensor([[int(ids[0, anchor]), MASK, MASK, MASK]])
        draft.config._attn_implementation = "eager"
        first = anchor - DRAFT.sliding_window
        alone = draft(
            noise_embeds=functional.embedding(
                block, target.model.language_model.embed_tokens.weight
            ),
            context_hidden_states=context[:, first:anchor],
            position_ids=torch.arange(first, anchor + 4)[None],
            attention_mask={"sliding_attention": None, "full_attention": None},
        ).last_hidden_state
        scores = target.lm_head(alone)

    torch.testing.assert_close(together[:, 300:304], scores, atol=1e-4, rtol=1e-4)


def test_a_block_sees_its_own_document_alone() -> None:
    """What stands before the BOS of the anchor's conversation is hidden."""
    ids = torch.tensor([[BOS, 1, 2, 3, BOS, 5, 6, 7]])

    mask = dense_blocks(ids, torch.tensor(2))

    assert mask[0, 0, 0].nonzero()[:, 0].tolist() == [0, 1, 8, 9, 10, 11]
    assert mask[0, 0, 4].nonzero()[:, 0].tolist() == [4, 5, 12, 13, 14, 15]


def test_a_block_counts_as_far_as_the_target_agrees() -> None:
    """Labels are the target's; once it has left the conversation the rest counts for nothing."""
    ids = torch.tensor([[10, 11, 12, 13, 14, 15, 16, 17]])
    learned = torch.tensor([[True] * 6 + [False] * 2])
    following = torch.tensor([[11, 99, 13, 14, 15, 16, 17, 18]])

    label, counts = blocks_to_learn(ids, learned, following, torch.tensor(0))

    assert label[0, 1:4].tolist() == [11, 99, 13]
    assert counts[0].tolist() == [False, True, True, False, False, True, False, False]


def test_tokens_a_round_are_the_targets_own_and_every_run_of_accepted_guesses() -> None:
    """1 + p + pq + pqr."""
    assert expected_tokens([0.5, 0.5, 0.0]) == 1.75
