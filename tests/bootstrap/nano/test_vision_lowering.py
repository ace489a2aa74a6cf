"""The lowered vision tower against transformers' own, small enough to lower here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("executorch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

import torch
from executorch.extension.pybindings import _C as native  # noqa: N811
from transformers import MuseGlimmerForConditionalGeneration

from bootstrap.nano.configuration import (
    NanoConfiguration,
    VisionConfiguration,
    glimmer_configuration,
)
from bootstrap.nano.lowered_layers import Lowering
from bootstrap.nano.lowering import lower
from playground.vision.patches import prepare

if TYPE_CHECKING:
    from torch import Tensor

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.filterwarnings("ignore"),  # the exporter's and transformers' own, many
]

TINY = NanoConfiguration(
    vocab_size=64,
    hidden_size=48,
    intermediate_size=64,
    num_hidden_layers=1,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=16,
    sliding_window=16,
    max_position_embeddings=32,
)
VISION = VisionConfiguration(
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    table_side=4,
    projector_hidden_size=24,
    most_cells=16,
)
HEAD = VISION.hidden_size // VISION.num_attention_heads
EXACT = 1e-4
"""Of normed rows; float32 sums in another order."""


class Case(NamedTuple):
    """Transformers' model with drawn weights, and the program's vision encoder."""

    model: Any
    encoder: Any
    rough: Any  # the same in int8
    programs: list[Any]  # kept, since a method lives no longer than its program

    @property
    def table(self) -> Tensor:
        """The learned positions, `[16, W]`."""
        table: Tensor = self.model.model.vision_tower.patch_embedder.position_embedding_table.weight
        return table.detach()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Lower the tiny model once for all tests here."""
    torch.manual_seed(5)
    model = MuseGlimmerForConditionalGeneration(glimmer_configuration(TINY, VISION)).eval()
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if tensor.dim() == 2 and "table" not in name:
                tensor.normal_(0, 1 / tensor.shape[1] ** 0.5)
            elif "vision" in name:
                tensor.normal_(
                    float("norm" in name or "ln_" in name) * name.endswith("weight"), 0.3
                )
    programs = []
    for quantised in (False, True):
        how = Lowering(max_prefill_chunk=8, max_rewind=4, step=16, quantised=quantised)
        path = tmp_path_factory.mktemp("vision") / "tiny.pte"
        path.write_bytes(lower(dict(model.state_dict()), TINY, how, vision=VISION))
        programs.append(native._load_program(str(path)))
    exact, rough = (program.load_method("vision_encoder") for program in programs)
    return Case(model, exact, rough, programs)


def picture(rows: int, columns: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Noise of so many cells."""
    return np.random.default_rng(rows * 100 + columns).integers(
        0, 256, (rows * 28, columns * 28, 3), np.uint8
    )


def encoded(case: Case, encoder: Any, rows: int, columns: int) -> Tensor:  # noqa: ANN401
    """What the program makes of a picture: `[cells, D]`."""
    side = VISION.table_side
    table = case.table.numpy().reshape(side, side, -1)
    inputs = prepare(picture(rows, columns), table, head_width=HEAD)
    (out,) = encoder.call(tuple(map(torch.from_numpy, inputs.arrays())), True)
    found: Tensor = out[0].clone()
    return found


def reference(case: Case, rows: int, columns: int) -> Tensor:
    """What transformers makes of it."""
    patches = prepare(picture(rows, columns), np.zeros((4, 4, 1), np.float32), head_width=HEAD)
    grid = torch.tensor([[1, 2 * rows, 2 * columns]])
    with torch.no_grad():
        features = case.model.model.get_image_features(torch.from_numpy(patches.patches[0]), grid)
    found: Tensor = features.pooler_output[0]
    return found


@pytest.mark.parametrize("side", [1, 2, 3, 4])
def test_a_square_picture_becomes_the_rows_of_transformers(case: Case, side: int) -> None:
    """From one cell to the largest picture."""
    found, expected = encoded(case, case.encoder, side, side), reference(case, side, side)

    assert found.shape == (side * side, TINY.hidden_size)
    assert float((found - expected).abs().max()) < EXACT


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (4, 2), (2, 8)])
def test_an_oblong_picture_agrees_where_positions_do_not_count(
    case: Case, rows: int, columns: int
) -> None:
    """Transformers scrambles the learned positions of oblong pictures, so they are taken away."""
    kept = case.table.clone()
    case.table.zero_()
    try:
        found, expected = encoded(case, case.encoder, rows, columns), reference(case, rows, columns)
    finally:
        case.table.copy_(kept)

    assert float((found - expected).abs().max()) < EXACT


def test_int8_stays_close(case: Case) -> None:
    """Rows of the int8 encoder point where those of float32 do."""
    found, expected = encoded(case, case.rough, 4, 4), reference(case, 4, 4)

    assert float(torch.cosine_similarity(found, expected).min()) > 0.98
