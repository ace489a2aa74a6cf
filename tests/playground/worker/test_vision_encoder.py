"""The picture half of a program: its table, its encoder, and rows in place of tokens.

A program of a few linear maps is exported here, on ExecuTorch's portable kernels: what it computes
is easy to say in numpy, and every one of the nine inputs has a part in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from playground.worker.engine import SOFT
from playground.worker.errors import EngineError
from playground.worker.vision_encoder import POSITIONS_FILE, read_positions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs

SIDE, WIDTH, HEAD, MODEL, VOCAB, MOST_CELLS = 4, 6, 8, 5, 11, 16


def positions() -> NDArray[np.float32]:
    """A position table."""
    return np.random.default_rng(1).standard_normal((SIDE, SIDE, WIDTH)).astype("<f4")


@pytest.mark.parametrize("side", [1, 4])
def test_a_table_is_square(tmp_path: Path, side: int) -> None:
    """Raw float32; the side follows from the size."""
    table = np.arange(side * side * WIDTH, dtype="<f4").reshape(side, side, WIDTH)
    path = tmp_path / POSITIONS_FILE
    path.write_bytes(table.tobytes())

    assert np.array_equal(read_positions(path, WIDTH), table)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has 0 bytes; a square table of rows of 6 float32 values has 24 times a square"),
        (bytes(24 * 3), "has 72 bytes"),
        (bytes(24 * 4 + 1), "has 97 bytes"),
        (bytes(24 * 4 - 4), "has 92 bytes"),
        (np.full(24, np.nan, "<f4").tobytes(), "holds what are not numbers"),
    ],
)
def test_another_file_is_no_table(tmp_path: Path, content: bytes, words: str) -> None:
    """The message names the file and the size it should have."""
    path = tmp_path / POSITIONS_FILE
    path.write_bytes(content)

    with pytest.raises(EngineError, match=words):
        read_positions(path, WIDTH)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    """With the reason the system gives."""
    with pytest.raises(EngineError, match=r"pos_embed.bin cannot be read: No such file"):
        read_positions(tmp_path / POSITIONS_FILE, WIDTH)


class Weights:
    """Of the exported program."""

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self.patch = (random.standard_normal((1176, WIDTH)) / 30).astype(np.float32)
        self.out = random.standard_normal((WIDTH, MODEL)).astype(np.float32)
        self.embedding = random.standard_normal((VOCAB, MODEL)).astype(np.float32)
        self.head = random.standard_normal((MODEL, VOCAB)).astype(np.float32)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """What the exported encoder computes."""
        rows = inputs.patches[0] @ self.patch + inputs.pos_emb[0]
        rows = rows * inputs.cos[:, :1] + inputs.sin[:, :1]
        tiled = rows[inputs.sparse_perm]
        for mask in (inputs.sparse_mask, inputs.global_mask):
            share = mask[0, 0].astype(np.float32)
            tiled = tiled + share / share.sum(axis=-1, keepdims=True) @ tiled
        merged = tiled[inputs.inv_perm][inputs.pixel_perm].reshape(-1, 4, WIDTH).mean(axis=1)
        encoded: NDArray[np.float32] = merged @ self.out
        return encoded


WEIGHTS = Weights()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported program, its table beside it."""
    torch: Any = pytest.importorskip("torch", reason="needs the embedded extra")
    exir: Any = pytest.importorskip("executorch.exir", reason="needs the embedded extra")
    patch, out, embedding, head = (
        torch.from_numpy(weights)
        for weights in (WEIGHTS.patch, WEIGHTS.out, WEIGHTS.embedding, WEIGHTS.head)
    )

    def encode(*inputs: Any) -> Any:  # noqa: ANN401
        patches, pos, cos, sin, order, back, everyone, tile, cells = inputs
        rows = (patches[0] @ patch + pos[0]) * cos[:, :1] + sin[:, :1]
        rows = rows.index_select(0, order)
        for mask in (tile, everyone):
            share = mask[0, 0].to(torch.float32)
            rows = rows + (share / share.sum(dim=-1, keepdim=True)) @ rows
        rows = rows.index_select(0, back).index_select(0, cells)
        return (rows.view(-1, 4, WIDTH).mean(dim=1) @ out).unsqueeze(0)

    def embed(tokens: Any) -> Any:  # noqa: ANN401
        return embedding[tokens]

    def forward(rows: Any, at: Any) -> Any:  # noqa: ANN401
        return rows[:, -1] @ head + 0.0 * at[-1].to(torch.float32)

    def exported(function: Callable[..., Any], example: tuple[Any, ...], shapes: Any) -> Any:  # noqa: ANN401
        module = type("Exported", (torch.nn.Module,), {"forward": staticmethod(function)})()
        return torch.export.export(module, example, dynamic_shapes=shapes)

    cell = torch.export.Dim("cell", min=1, max=MOST_CELLS)
    count = 4 * cell
    length = torch.export.Dim("length", min=1, max=8)
    shown = examples(torch)
    row, rows, square = {0: count}, {1: count}, {2: count, 3: count}
    sizes = (rows, rows, row, row, row, row, square, square, row)
    edge = exir.to_edge(
        {
            "vision_encoder": exported(encode, shown, (sizes,)),
            "embed_text": exported(embed, (torch.zeros(1, 3, dtype=torch.int64),), ({1: length},)),
            "forward_from_embeddings": exported(
                forward,
                (torch.zeros(1, 3, MODEL), torch.arange(3)),
                ({1: length}, {0: length}),
            ),
        },
        constant_methods={
            "get_max_seq_len": 64,
            "get_activation_dtype": "float32",
            "get_vocab_size": VOCAB,
            "get_max_prefill_chunk": 8,
        },
    )
    path = tmp_path_factory.mktemp("program") / "tiny.pte"
    path.write_bytes(edge.to_executorch().buffer)
    path.with_name(POSITIONS_FILE).write_bytes(positions().tobytes())
    return path


def examples(torch: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Nine inputs of two by three cells, for the exporter."""
    from playground.vision.patches import prepare  # noqa: PLC0415

    inputs = prepare(pixels(2, 3), positions(), head_width=HEAD)
    return tuple(map(torch.from_numpy, inputs.arrays()))


def pixels(rows: int, columns: int) -> NDArray[np.uint8]:
    """Noise of so many cells."""
    return np.random.default_rng([rows, columns]).integers(
        0, 256, (rows * 28, columns * 28, 3), np.uint8
    )


@pytest.fixture(scope="module")
def engine(program: Path) -> Any:  # noqa: ANN401
    """The exported program, loaded."""
    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415

    return ExecuTorchEngine.load(program, threads=1)


class Likeliest:
    """A sampler that keeps the logits it is shown."""

    logits: NDArray[np.float32]

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Take the likeliest."""
        self.logits = logits
        return int(logits.argmax())


@pytest.mark.embedded
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (4, 4), (1, 16), (8, 2)])
def test_the_encoder_is_given_all_it_asks_for(engine: Any, rows: int, columns: int) -> None:  # noqa: ANN401
    """Nine inputs in their order, of any shape up to the largest."""
    inputs = engine.prepare(pixels(rows, columns))

    encoded = engine.encode(inputs)

    assert encoded.shape == (rows * columns, MODEL)
    np.testing.assert_allclose(encoded, WEIGHTS.encode(inputs), rtol=1e-4, atol=1e-4)


@pytest.mark.embedded
def test_sizes_come_from_the_encoders_own_signature(engine: Any) -> None:  # noqa: ANN401
    """The constant that could say it is not there."""
    assert engine.info.max_image_cells == MOST_CELLS
    assert engine.prepare(pixels(1, 1)).cos.shape == (4, HEAD // 2)


@pytest.mark.embedded
def test_too_large_a_picture_is_the_engines_error(engine: Any) -> None:  # noqa: ANN401
    """The loop never sends one; the program says no, and works on."""
    with pytest.raises(EngineError, match="vision_encoder failed for 17 cells"):
        engine.encode(engine.prepare(pixels(1, 17)))

    assert engine.encode(engine.prepare(pixels(1, 1))).shape == (1, MODEL)


@pytest.mark.embedded
@pytest.mark.parametrize(
    "ids", [(SOFT,), (3, SOFT), (SOFT, 3), (3, SOFT, SOFT, 4), (SOFT, 1, SOFT)]
)
def test_rows_of_pictures_take_their_places(engine: Any, ids: tuple[int, ...]) -> None:  # noqa: ANN401
    """In order, between tokens; the last row's logits show which one was there."""
    soft = np.random.default_rng(2).standard_normal((ids.count(SOFT), MODEL)).astype(np.float32)
    last = soft[-1] if ids[-1] == SOFT else WEIGHTS.embedding[ids[-1]]
    session, keep = engine.open(), Likeliest()

    session.prefill(ids, soft)
    session.decode(keep)
    session.close()

    np.testing.assert_allclose(keep.logits, last @ WEIGHTS.head, rtol=1e-4, atol=1e-4)


@pytest.mark.embedded
@pytest.mark.parametrize("count", [0, 2])
def test_rows_and_places_have_to_agree(engine: Any, count: int) -> None:  # noqa: ANN401
    """Otherwise every row behind would be another's."""
    session = engine.open()

    with pytest.raises(EngineError, match=f"{count} rows of pictures for 1 places"):
        session.prefill((3, SOFT), np.zeros((count, MODEL), np.float32))
    with pytest.raises(EngineError, match="a token id is not within"):
        session.prefill((3, SOFT))
    session.close()


@pytest.mark.embedded
def test_without_a_table_there_are_no_pictures(program: Path, tmp_path: Path) -> None:
    """The program still answers to text, and says that it cannot see."""
    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415

    alone = tmp_path / "tiny.pte"
    alone.write_bytes(program.read_bytes())

    blind = ExecuTorchEngine.load(alone, threads=1)

    assert blind.info.max_image_cells is None
    with pytest.raises(EngineError, match="no vision encoder, or its position table is missing"):
        blind.prepare(pixels(1, 1))


@pytest.mark.embedded
def test_a_table_that_was_named_has_to_be_there(program: Path, tmp_path: Path) -> None:
    """Nobody names one to be served without it."""
    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415

    with pytest.raises(EngineError, match=r"other.bin cannot be read"):
        ExecuTorchEngine.load(program, threads=1, positions=tmp_path / "other.bin")
