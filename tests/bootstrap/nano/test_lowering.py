"""The lowered program against transformers' eager model, on a model small enough to lower here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("executorch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

import torch
from executorch.exir._serialize._program import deserialize_pte_binary
from transformers import MuseGlimmerForConditionalGeneration

from bootstrap.nano.configuration import (
    CONTROL_TOKENS,
    NanoConfiguration,
    glimmer_configuration,
)
from bootstrap.nano.lowered_layers import Lowering
from bootstrap.nano.lowering import lower
from bootstrap.nano.target_lowering import NanoProgram
from playground.worker.errors import EngineError
from playground.worker.program import ExecuTorchEngine, ProgramSession

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

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
    max_position_embeddings=160,
)
HOW = Lowering(max_prefill_chunk=12, max_rewind=4, step=16, quantised=False)
EXACT = 1e-4
"""Of logits whose spread is about 1; float32 sums in another order."""


@dataclass(frozen=True)
class Case:
    """A model with drawn weights, its eager logits after every token, and its program."""

    weights: dict[str, torch.Tensor]
    ids: list[int]
    expected: NDArray[np.float32]
    path: Path
    engine: ExecuTorchEngine


class Keep:
    """A sampler that keeps the logits it is shown."""

    logits: NDArray[np.float32]

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Take any token."""
        self.logits = logits
        return 0


def drawn_model() -> Any:  # noqa: ANN401
    """Transformers' own class, weights large enough that every part of it shows."""
    torch.manual_seed(7)
    model = MuseGlimmerForConditionalGeneration(glimmer_configuration(TINY)).eval()
    model.model.language_model.config._attn_implementation = "eager"
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if "vision" not in name and tensor.dim() == 2:
                tensor.normal_(0, (9 if name == "lm_head.weight" else 1) / tensor.shape[1] ** 0.5)
            elif "layers" in name and name.endswith("norm.weight"):
                tensor.normal_(0, 0.1)
            elif name.endswith("norm.weight"):
                tensor.normal_(1, 0.1)
    return model


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Lower the tiny model once for all tests here."""
    model = drawn_model()
    plain = TINY.vocab_size - len(CONTROL_TOKENS)  # a placeholder would want its image
    ids = torch.randint(0, plain, (1, TINY.max_position_embeddings))
    with torch.no_grad():
        expected = model(input_ids=ids).logits[0].numpy()
    weights = dict(model.state_dict())
    path = written(weights, HOW, tmp_path_factory.mktemp("lowered"))
    return Case(weights, ids[0].tolist(), expected, path, loaded(path))


def written(weights: dict[str, torch.Tensor], how: Lowering, folder: Path) -> Path:
    """Lower to a file."""
    path = folder / "tiny.pte"
    path.write_bytes(lower(weights, TINY, how))
    return path


def loaded(path: Path) -> ExecuTorchEngine:
    """Load it, with room for the sessions of a test."""
    return ExecuTorchEngine.load(path, threads=1, max_sessions=3)


def run(case: Case, session: ProgramSession, ends: Iterable[int]) -> list[float]:
    """Forward the case's ids up to each of `ends`; how far the logits are off each time."""
    errors = []
    for end in ends:
        session.prefill(case.ids[session.position : end])
        keep = Keep()
        session.decode(keep)
        errors.append(float(np.abs(keep.logits - case.expected[end - 1]).max()))
    return errors


def test_one_pass_gives_the_logits_of_transformers(case: Case) -> None:
    """A prompt of one chunk ends in transformers' logits."""
    session = case.engine.open_plain()

    errors = run(case, session, [HOW.max_prefill_chunk])
    session.close()

    assert max(errors) < EXACT


def test_the_logits_are_not_trivial(case: Case) -> None:
    """The comparison means something: logits vary, and depend on tokens outside the window."""
    session = case.engine.open_plain()
    session.prefill([1] * HOW.max_prefill_chunk)  # other tokens than transformers saw
    for begin in range(HOW.max_prefill_chunk, 60, HOW.max_prefill_chunk):
        session.prefill(case.ids[begin : begin + HOW.max_prefill_chunk])
    keep = Keep()
    session.decode(keep)
    session.close()

    assert case.expected.std() > 0.3
    assert np.abs(keep.logits - case.expected[59]).max() > 100 * EXACT


@pytest.mark.parametrize("size", [1, 5, 7, HOW.max_prefill_chunk])
def test_chunks_of_any_size_agree_to_the_last_row(case: Case, size: int) -> None:
    """Windows wrap round nine times and the context fills; every chunk ends right."""
    session = case.engine.open_plain()

    ends = [*range(size, TINY.max_position_embeddings, size), TINY.max_position_embeddings]
    errors = run(case, session, ends)
    session.close()

    assert max(errors) < EXACT


def test_decoding_goes_on_after_a_prefill(case: Case) -> None:
    """One token at a time after whole chunks gives the same logits as one pass."""
    session = case.engine.open_plain()

    run(case, session, range(12, 49, 12))
    errors = run(case, session, range(49, 80))
    session.close()

    assert max(errors) < EXACT


@pytest.mark.parametrize("back", range(1, HOW.max_rewind + 1))
def test_a_session_can_step_back(case: Case, back: int) -> None:
    """Rows of rejected tokens are forgotten, wherever in the ring they lie."""
    session = case.engine.open_plain()
    errors = []
    for end in range(8, 120, 9):
        errors += run(case, session, [end])
        session.prefill([3] * back)  # a draft that is rejected
        session.rewind(end)
    session.close()

    assert max(errors) < EXACT


def test_stepping_back_too_far_is_refused(case: Case) -> None:
    """Once the ring has wrapped, older rows are gone, and the session says so."""
    session = case.engine.open_plain()
    run(case, session, range(10, 51, 10))

    with pytest.raises(EngineError, match="cannot rewind by 5 rows"):
        session.rewind(45)
    session.close()


def test_before_the_ring_wraps_any_step_back_will_do(case: Case) -> None:
    """While nothing was overwritten, a session can go back to any row."""
    session = case.engine.open_plain()
    run(case, session, [10, 20])
    session.rewind(3)

    errors = run(case, session, [9, 21, 33])
    session.close()

    assert max(errors) < EXACT


def test_sessions_do_not_see_each_other(case: Case) -> None:
    """Two sessions that take turns on one program give what each would give alone."""
    one, other = case.engine.open_plain(), case.engine.open_plain()
    errors = []
    for end in range(4, 100, 4):
        errors += run(case, one, [end])
        other.prefill([end % TINY.vocab_size] * 3)
        if end % 24 == 0:
            other.rewind(0)
    one.close()
    other.close()

    assert max(errors) < EXACT


def test_a_step_is_one_delegate_call(case: Case) -> None:
    """Nothing between embeddings and logits falls out of XNNPACK, which would split the call."""
    program = deserialize_pte_binary(case.path.read_bytes()).program
    (plan,) = (plan for plan in program.execution_plan if plan.name == "forward_from_embeddings")
    calls = [type(step.instr_args).__name__ for chain in plan.chains for step in chain.instructions]

    assert calls.count("DelegateCall") == 1


# --- int8

LAST_BITS = 2.0**-20
"""By how much, of itself, a number differs that was summed in another order."""


@dataclass(frozen=True)
class Quantised:
    """The logits of an int8 model at the ends of chunks, `[ends, V]`."""

    program: NDArray[np.float32]
    """As the program computes them."""
    eager: NDArray[np.float32]
    """As the quantised module does."""
    moved: list[NDArray[np.float32]]
    """The same, all embeddings moved by their last bits: now and then a number falls to the other
    side of an int8's edge, and what follows takes it along. Right answers are so far apart."""
    late: NDArray[np.float32]
    """The module again, the last chunks one position late: a fault."""
    swapped: NDArray[np.float32]
    """The module again, two rows of the first chunk in each other's place: a fault."""


def off(these: NDArray[np.float32], those: NDArray[np.float32]) -> float:
    """How far they are apart, root mean square."""
    return float(np.sqrt(np.square(these - those).mean()))


@pytest.fixture(scope="module")
def quantised(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Quantised:
    """Lower the tiny model in int8, and run it beside its eager module."""
    how = Lowering(max_prefill_chunk=12, max_rewind=4, step=16)
    session = loaded(written(case.weights, how, tmp_path_factory.mktemp("int8"))).open_plain()
    program = []
    for end in ENDS:
        session.prefill(case.ids[end - 12 : end])
        keep = Keep()
        session.decode(keep)
        program.append(keep.logits)
    swapped = [case.ids[1], case.ids[0], *case.ids[2:]]
    return Quantised(
        np.stack(program),
        eager_logits(case, how, case.ids),
        [eager_logits(case, how, case.ids, moved_by=LAST_BITS, seed=seed) for seed in range(3)],
        eager_logits(case, how, case.ids, late_from=60),
        eager_logits(case, how, swapped),
    )


ENDS = range(12, 97, 12)


def eager_logits(
    case: Case,
    how: Lowering,
    ids: list[int],
    *,
    moved_by: float = 0.0,
    seed: int = 0,
    late_from: int = 1000,
) -> NDArray[np.float32]:
    """The quantised module's logits at each of `ENDS`."""
    model = NanoProgram(case.weights, TINY, how).eval()
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for end in ENDS:
        with torch.no_grad():
            x = model.embed_text(torch.tensor([ids[end - 12 : end]]))
            x = x * (1 + moved_by * torch.randn(x.shape, generator=generator))
            late = int(end > late_from)
            rows.append(model(x, torch.arange(end - 12 + late, end + late))[0].numpy())
    return np.stack(rows)


def test_int8_is_its_own_arithmetic_but_for_rounding(quantised: Quantised) -> None:
    """The program is no further from its quantised module than last bits move that module."""
    rounding = max(off(moved, quantised.eager) for moved in quantised.moved)

    assert 0 < rounding < 0.1 * quantised.eager.std()
    assert off(quantised.program, quantised.eager) < 2 * rounding


def test_a_row_out_of_place_is_no_rounding(quantised: Quantised) -> None:
    """The bound of the test before this one is far below what a fault in the positions makes."""
    rounding = max(off(moved, quantised.eager) for moved in quantised.moved)

    assert off(quantised.program, quantised.late) > 6 * rounding
    assert off(quantised.program, quantised.swapped) > 6 * rounding


def test_int8_ranks_as_float32_does(case: Case, quantised: Quantised) -> None:
    """What rounding takes away leaves the order of the tokens much as it was."""
    expected = case.expected[[end - 1 for end in ENDS]]
    pairs = zip(quantised.program, expected, strict=True)

    assert min(float(np.corrcoef(*pair)[0, 1]) for pair in pairs) > 0.95
