"""Target and draft of a speculative program against transformers' own, small enough to lower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("executorch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

import torch
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.extension.pybindings import _C as native  # noqa: N811
from transformers import MuseGlimmerAssistantModel, MuseGlimmerForConditionalGeneration
from transformers.cache_utils import DFlashCache

from bootstrap.nano.configuration import (
    CONTROL_TOKENS,
    DraftConfiguration,
    NanoConfiguration,
    assistant_configuration,
    glimmer_configuration,
)
from bootstrap.nano.draft_lowering import DraftProgram
from bootstrap.nano.lowered_layers import Lowering
from bootstrap.nano.lowering import lower
from bootstrap.nano.target_lowering import TargetProgram

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.filterwarnings("ignore"),  # the exporter's and transformers' own, many
]

TINY = NanoConfiguration(
    vocab_size=64,
    hidden_size=48,
    intermediate_size=96,
    num_hidden_layers=4,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=16,
    sliding_window=16,
    max_position_embeddings=96,
)
DRAFT = DraftConfiguration(
    num_hidden_layers=2,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=16,
    intermediate_size=64,
    sliding_window=16,
    target_layer_ids=(0, 2),
)
HOW = Lowering(max_prefill_chunk=12, max_rewind=4, step=16, quantised=False)
EXACT = 1e-4
"""Of numbers whose spread is about 1; float32 sums in another order."""


@dataclass
class Case:
    """Models with drawn weights, what the target makes of its ids, and the program."""

    target: Any
    assistant: Any
    ids: Tensor  # [1, context]
    logits: Tensor  # [context, V]
    taps: Tensor  # [context, 2 * D]
    program: Any
    path: Path

    def method(self, name: str) -> Any:  # noqa: ANN401
        """A method with caches of its own."""
        return self.program.load_method(name)

    def block(self, anchor: int) -> Tensor:
        """A block that stands on `anchor`."""
        return torch.tensor([[anchor] + [TINY.control("<|mask|>")] * (DRAFT.block_size - 1)])


class Reference:
    """Transformers' assistant with its cache."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.cache = DFlashCache(config=case.assistant.config)
        self.cache.activate_past_recording()
        self.rows = 0

    def propose(self, block: Tensor, hidden: Tensor) -> Tensor:
        """Take in rows `[1, n, 2 * D]`, propose for the block: logits `[L, V]`."""
        embedding = self.case.target.get_input_embeddings()
        raw = torch.nn.functional.embedding(block, embedding.weight)
        added = hidden.shape[1]
        if self.rows:
            self.cache.crop(-DRAFT.block_size)
        self.cache.set_previous_accepted_tokens(added)
        places = torch.arange(self.rows, self.rows + added + DRAFT.block_size)[None]
        with torch.no_grad():
            out = self.case.assistant(
                noise_embeds=raw,
                context_hidden_states=hidden,
                position_ids=places,
                cache=self.cache,
            ).last_hidden_state
            logits: Tensor = self.case.target.lm_head(out)[0]
        self.rows += added
        return logits


def drawn(model: Any) -> Any:  # noqa: ANN401
    """Weights large enough that every part shows."""
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if "vision" in name:
                continue
            if tensor.dim() == 2:
                tensor.normal_(0, (9 if name == "lm_head.weight" else 1) / tensor.shape[1] ** 0.5)
            elif name.startswith("model.language_model.layers"):
                tensor.normal_(0, 0.1)
            elif name.endswith(("norm.weight", "enc.weight")):
                tensor.normal_(1, 0.1)
    return model


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Lower the tiny models once for all tests here."""
    torch.manual_seed(11)
    target = drawn(MuseGlimmerForConditionalGeneration(glimmer_configuration(TINY)).eval())
    target.model.language_model.config._attn_implementation = "eager"
    assistant = drawn(MuseGlimmerAssistantModel(assistant_configuration(DRAFT, TINY)).eval())
    assistant.config._attn_implementation = "eager"
    plain = TINY.vocab_size - len(CONTROL_TOKENS)
    ids = torch.randint(0, plain, (1, TINY.max_position_embeddings))
    with torch.no_grad():
        out = target(input_ids=ids, output_hidden_states=True)
    taps = [out.hidden_states[layer + 1][0] for layer in DRAFT.target_layer_ids]
    path = tmp_path_factory.mktemp("speculative") / "tiny.pte"
    path.write_bytes(
        lower(dict(target.state_dict()), TINY, HOW, draft=(dict(assistant.state_dict()), DRAFT))
    )
    program = native._load_program(str(path))
    return Case(target, assistant, ids, out.logits[0], torch.cat(taps, 1), program, path)


def test_the_target_gives_every_row_and_what_the_draft_taps(case: Case) -> None:
    """Logits of all rows, and the outputs of the tapped layers, in chunks of several sizes."""
    embed, forward = case.method("embed_text"), case.method("target_forward_from_embeddings")
    rows, taps, begin = [], [], 0
    for size in (12, 1, 4, 4, 7, 12, 12, 12, 12, 12, 4, 4):
        (x,) = embed.call((case.ids[:, begin : begin + size],), True)
        logits, hidden = forward.call((x, torch.arange(begin, begin + size)), True)
        rows.append(logits[0])
        taps.append(hidden[0])
        begin += size

    assert begin == TINY.max_position_embeddings
    assert float((torch.cat(rows) - case.logits).abs().max()) < EXACT
    assert float((torch.cat(taps) - case.taps).abs().max()) < EXACT


def test_a_chunk_can_be_prefilled_with_its_last_logits_alone(case: Case) -> None:
    """The prefill fills the same caches, so that a step after it sees its rows, and the reverse."""
    embed = case.method("embed_text")
    prefill = case.method("target_prefill_from_embeddings")
    forward = case.method("target_forward_from_embeddings")
    errors, begin = [], 0
    for method, size in (
        (prefill, 12),
        (forward, 3),
        (prefill, 9),
        (forward, 1),
        (prefill, 12),
    ) * 2:
        (x,) = embed.call((case.ids[:, begin : begin + size],), True)
        logits, hidden = method.call((x, torch.arange(begin, begin + size)), True)
        begin += size
        errors.append(float((logits[0, -1] - case.logits[begin - 1]).abs().max()))
        errors.append(float((hidden[0] - case.taps[begin - size : begin]).abs().max()))
        assert logits.shape[1] == (1 if method is prefill else size)

    assert max(errors) < EXACT


@pytest.mark.parametrize("sizes", [(1,) * 30, (4,) * 20, (12, 12, 1, 4, 2, 3, 4, 1, 12, 4, 4, 4)])
def test_the_draft_proposes_as_transformers_does(case: Case, sizes: tuple[int, ...]) -> None:
    """Cycle after cycle, each with as many new rows as were accepted; the window wraps round."""
    draft, reference = case.method("draft_forward"), Reference(case)
    errors, spread, begin = [], [], 0
    for size in sizes:
        hidden = case.taps[None, begin : begin + size].contiguous()
        block = case.block(int(case.ids[0, begin + size]))
        (found,) = draft.call((block, hidden, torch.tensor([begin])), True)
        expected = reference.propose(block, hidden)
        errors.append(float((found[0] - expected).abs().max()))
        spread.append(float(expected.std()))
        begin += size

    assert max(errors) < EXACT
    assert min(spread) > 0.3


def test_the_draft_can_step_back(case: Case) -> None:
    """Rows given again for earlier positions take the place of those that were there."""
    draft, reference = case.method("draft_forward"), Reference(case)
    errors = []
    for begin in range(0, 80, 4):
        other = torch.randn(1, HOW.max_rewind, case.taps.shape[1])
        block = case.block(3)
        draft.call((block, other, torch.tensor([begin])), True)
        hidden = case.taps[None, begin : begin + 4].contiguous()
        (found,) = draft.call((block, hidden, torch.tensor([begin])), True)
        errors.append(float((found[0] - reference.propose(block, hidden)).abs().max()))

    assert max(errors) < EXACT


def test_all_that_a_prompt_leaves_can_be_taken_in_at_once(case: Case) -> None:
    """A ring's worth of rows in one call: the oldest are seen only after a step back."""
    ring = DRAFT.sliding_window + HOW.max_rewind
    draft, reference, end = case.method("draft_forward"), Reference(case), 60
    for begin in range(0, end, 4):
        expected = reference.propose(case.block(5), case.taps[None, begin : begin + 4])
    back = Reference(case)
    for begin in range(0, end - HOW.max_rewind, 4):
        stepped_back = back.propose(case.block(6), case.taps[None, begin : begin + 4])

    rows = case.taps[None, end - ring : end].contiguous()
    (found,) = draft.call((case.block(5), rows, torch.tensor([end - ring])), True)
    found = found.clone()
    last = end - HOW.max_rewind - 1
    again = case.taps[None, last : last + 1].contiguous()
    (after,) = draft.call((case.block(6), again, torch.tensor([last])), True)

    assert float((found[0] - expected).abs().max()) < EXACT
    assert float((after[0] - stepped_back).abs().max()) < EXACT


def test_only_the_last_window_of_rows_is_needed(case: Case) -> None:
    """A draft that joins late, given the rows its window reaches, proposes as if always there."""
    late, early, end = case.method("draft_forward"), case.method("draft_forward"), 60
    found = []
    for draft, first in ((early, 0), (late, end - DRAFT.sliding_window)):
        for begin in range(first, end, 4):
            rows = case.taps[None, begin : begin + 4].contiguous()
            (logits,) = draft.call((case.block(5), rows, torch.tensor([begin])), True)
        found.append(logits.clone())

    assert float((found[0] - found[1]).abs().max()) < EXACT


def test_a_block_may_stand_partly_beyond_the_context(case: Case) -> None:
    """The last row of the context can be taken in; its block has no room, and does no harm."""
    draft, last = case.method("draft_forward"), TINY.max_position_embeddings - 1
    rows = case.taps[None, last:].contiguous()

    (logits,) = draft.call((case.block(5), rows, torch.tensor([last])), True)

    assert bool(torch.isfinite(logits).all())


def test_four_bits_are_their_own_arithmetic_but_for_rounding(case: Case, tmp_path: Path) -> None:
    """The draft in 4 bits proposes as its quantised module does, and a fault is far off.

    What may differ is what the hidden rows' last bits do to the module (see `test_lowering`).
    """
    how = Lowering(max_prefill_chunk=12, max_rewind=4, step=16)
    weights, drafts = dict(case.target.state_dict()), dict(case.assistant.state_dict())
    path = tmp_path / "four.pte"
    path.write_bytes(lower(weights, TINY, how, draft=(drafts, DRAFT)))
    program = native._load_program(str(path))
    method = program.load_method("draft_forward")
    target = TargetProgram(weights, TINY, how, DRAFT.target_layer_ids)
    block, begins = case.block(5), range(0, 60, 4)
    taps = [case.taps[None, begin : begin + 4].contiguous() for begin in begins]

    def eager(*, moved_by: float = 0.0, late: int = 0, seed: int = 0) -> Tensor:
        module = DraftProgram(drafts, DRAFT, target, weights, TINY, how).eval()
        torch.manual_seed(seed)
        found = []
        for begin, rows in zip(begins, taps, strict=True):
            moved = rows * (1 + moved_by * torch.randn(rows.shape))
            at = torch.tensor([begin + late * (begin > 30)])
            with torch.no_grad():
                found.append(module(block, moved, at))
        return torch.cat(found)

    called = [
        method.call((block, rows, torch.tensor([begin])), True)
        for begin, rows in zip(begins, taps, strict=True)
    ]
    found, right = torch.cat([logits for (logits,) in called]), eager()
    rounding = max(off(eager(moved_by=2.0**-20, seed=seed), right) for seed in range(8))

    assert 0 < rounding < 0.1 * float(right.std())
    assert off(found, right) < 2 * rounding
    assert off(found, eager(late=1)) > 6 * rounding


def off(these: Tensor, those: Tensor) -> float:
    """How far they are apart, root mean square."""
    return float((these - those).square().mean().sqrt())


def test_a_proposal_is_one_delegate_call(case: Case) -> None:
    """Nothing between hidden rows and proposals falls out of XNNPACK."""
    program = deserialize_pte_binary(case.path.read_bytes()).program
    plans = {plan.name: plan for plan in program.execution_plan}
    calls = {
        name: sum(
            type(step.instr_args).__name__ == "DelegateCall"
            for chain in plans[name].chains
            for step in chain.instructions
        )
        for name in plans
        if name.startswith(("draft", "target"))
    }

    assert calls == {
        "draft_forward": 1,
        "target_forward_from_embeddings": 1,
        "target_prefill_from_embeddings": 1,
    }
