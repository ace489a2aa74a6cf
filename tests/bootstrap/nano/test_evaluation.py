"""What evaluation counts as well-formed, and how the network masks packed conversations."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")
pytest.importorskip("regex", reason="needs the recipe extra")

import torch

from bootstrap.nano.attention import dense_masks
from bootstrap.nano.configuration import NANO, NanoConfiguration, glimmer_configuration
from bootstrap.nano.evaluation import held_out
from bootstrap.nano.generating import written
from bootstrap.nano.network import build, hidden_states, logits

pytestmark = pytest.mark.embedded
BOS = NANO.control("<|begin_of_text|>")


@pytest.mark.parametrize(
    ("text", "formed"),
    [
        (" to=user<|message|>Hi<|eot|>", True),
        (" to=self<|message|>Hm<|eom|><|start|>assistant to=user<|message|>Hi<|eot|>", True),
        (" to=self<|message|>Hm<|eom|>", False),
        (" to=user<|message|>Hi", False),
        (" to=user<|message|><|eot|>", False),
        ("Hi<|eot|>", False),
        (" to=weather<|message|>a < b\n<|eot|>", True),
        (" to=a.b<|message|>x<|eom|><|start|>assistant to=c<|message|>y<|eot|>", True),
        (" to=c<|message|>x<|eom|><|start|>assistant to=user<|message|>y<|eot|>", False),
        (" to=c<|message|>x<|eom|><|start|>assistant", False),
        (" to=user<|message|>Hi<|eot|><|eot|>", False),
    ],
)
def test_one_thought_at_most_then_one_answer_or_calls(text: str, formed: bool) -> None:  # noqa: FBT001
    """An output is a thought or none, then an answer or calls, and the end."""
    assert (written(text) is not None) == formed


def test_held_out_conversations_stay_the_same() -> None:
    """Their seeds are words, so no training seed leads to them."""
    assert held_out(3) == held_out(3)
    assert held_out(3) != held_out(4)


def test_packed_conversations_do_not_see_each_other() -> None:
    """Conversations in one row get the logits that each gets alone, and transformers' own."""
    torch.manual_seed(0)
    model = build(0).eval()
    first = torch.cat([torch.tensor([BOS]), torch.randint(0, 4000, (300,))])[None]
    second = torch.cat([torch.tensor([BOS]), torch.randint(0, 4000, (40,))])[None]
    packed = torch.cat([first, second], dim=1)
    with torch.inference_mode():
        alone = logits(model, hidden_states(model, second, dense_masks(second)))
        together = logits(model, hidden_states(model, packed, dense_masks(packed)))[:, 301:]
        model.set_attn_implementation("sdpa")
        whole = model(input_ids=first).logits
        ours = logits(model, hidden_states(model, first, dense_masks(first)))

    torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours, whole, atol=1e-4, rtol=1e-4)


def test_the_parameter_count_is_transformers_own() -> None:
    """What the configuration says about its size is what the network has."""
    model = build(0)
    text = sum(p.numel() for p in model.model.language_model.parameters())

    assert text + model.lm_head.weight.numel() == NANO.parameters


def test_global_layers_are_where_transformers_puts_them() -> None:
    """Every fourth layer counted from the end."""
    kinds = glimmer_configuration().text_config.layer_types
    nano = NanoConfiguration()

    expected = ["full_attention" if nano.is_global(k) else "sliding_attention" for k in range(8)]

    assert kinds == expected
