"""Pictures packed into sheets get the rows that transformers gives each of them alone."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

import torch

from bootstrap.nano.attention import dense_masks, dense_picture_mask
from bootstrap.nano.configuration import NANO, VISION
from bootstrap.nano.network import build, embedded, hidden_states
from bootstrap.nano.packing import Packer
from bootstrap.nano.pictures.picture import Picture
from bootstrap.nano.rendering import Placed, Rendered
from bootstrap.nano.vision import Sheets, picture_rows
from playground.vision.patches import corners, prepare

pytestmark = pytest.mark.embedded
SIZES = ((2, 2), (1, 5), (4, 3), (2, 16))  # rows and columns, in cells


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    """Noise of each size."""
    rng = np.random.default_rng(0)
    shapes = [(rows * 28, columns * 28) for rows, columns in SIZES]
    noise = [rng.integers(0, 256, (height, width, 3), dtype=np.uint8) for height, width in shapes]
    return [Picture(each.tobytes(), each.shape[1], each.shape[0]) for each in noise]


def packed(pictures: list[Picture]) -> tuple[torch.Tensor, Sheets]:
    """One row of tokens that shows all pictures, each after a BOS, and their sheets."""
    ids: list[int] = []
    placed: list[Placed] = []
    for (rows, columns), picture in zip(SIZES, pictures, strict=True):
        ids.append(NANO.control("<|begin_of_text|>"))
        placed.append(Placed(len(ids), rows, columns, picture))
        ids += [NANO.control("<|patch|>")] * (rows * columns)
    packer = Packer(1, 1, len(ids))
    assert packer.place(0, Rendered(ids, [False] * len(ids), [], placed))
    made = packer.done()
    arrays = (made.patches, made.places, made.pictures, made.cells)
    return torch.tensor([ids]), Sheets(*map(torch.from_numpy, arrays))


def test_every_picture_of_a_sheet_gets_transformers_own_rows(pictures: list[Picture]) -> None:
    """Pixels prepared as the server does, positions gathered per axis, transformers' modules."""
    model = build(0).eval()
    torch.nn.init.normal_(model.model.vision_tower.patch_embedder.position_embedding_table.weight)
    side, head = VISION.table_side, VISION.hidden_size // VISION.num_attention_heads
    table = np.zeros((side, side, VISION.hidden_size), np.float32)
    alone = []
    with torch.inference_mode():
        for (rows, columns), picture in zip(SIZES, pictures, strict=True):
            inputs = prepare(picture.pixels(), table, head_width=head)
            indices, weights = corners(2 * rows, 2 * columns, side, side)
            features = model.model.get_image_features(
                torch.from_numpy(inputs.patches[0]),
                torch.tensor([[1, 2 * rows, 2 * columns]]),
                interp_indices=torch.from_numpy(indices),
                interp_weights=torch.from_numpy(weights),
            )
            alone.append(features.pooler_output[0])
        ids, sheets = packed(pictures)
        together = picture_rows(model, sheets, dense_picture_mask(sheets.pictures))

    torch.testing.assert_close(
        together[sheets.cells < ids.numel()], torch.cat(alone), atol=2e-5, rtol=1e-4
    )


def test_rows_take_the_place_of_patches_and_nothing_else(pictures: list[Picture]) -> None:
    """In order, and the places of sheets that hold no picture go nowhere."""
    model = build(0).eval()
    ids, sheets = packed(pictures)
    soft = torch.arange(len(sheets.cells), dtype=torch.float32)[:, None].expand(-1, 384)

    with torch.inference_mode():
        plain = embedded(model, ids)
        seen = embedded(model, ids, soft, sheets.cells)

    patches = ids == NANO.control("<|patch|>")
    assert torch.equal(seen[~patches], plain[~patches])
    assert torch.equal(seen[patches], soft[: patches.sum()])


def test_a_picture_is_seen_only_by_its_own_conversation(pictures: list[Picture]) -> None:
    """Another picture in the first conversation changes nothing in the others."""
    model = build(0).eval()
    changed = [Picture(bytes(len(pictures[0].rgb)), 56, 56), *pictures[1:]]
    states = []
    with torch.inference_mode():
        for shown in (pictures, changed):
            ids, sheets = packed(shown)
            soft = picture_rows(model, sheets, dense_picture_mask(sheets.pictures))
            states.append(hidden_states(model, ids, dense_masks(ids), soft, sheets.cells)[0])

    assert not torch.allclose(states[0][:5], states[1][:5], atol=1e-3)
    torch.testing.assert_close(states[0][5:], states[1][5:], atol=1e-5, rtol=1e-5)
