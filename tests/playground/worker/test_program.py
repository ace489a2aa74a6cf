"""The engine on the shipped model: chunks, steps back, sessions, refusals.

That the program computes the right thing is `tests/bootstrap/nano/test_lowering.py`'s to show;
here it has to agree with itself, so that no other implementation is needed.

How near is near enough is measured too. Chunks that are cut elsewhere are summed in another order,
so that last bits differ; a last bit can move an int8 by one, and what follows takes that along. So
the rows are run again with all embeddings moved by their last bits (`Rounding`): what may differ is
about as much as that does, layer by layer, from a few ten-thousandths in the first to a fortieth in
the last. One row of 700 at the wrong place puts the first off by a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from playground.tokens import load_tokenizer
from playground.worker.break_even import BreakEven, Costs
from playground.worker.engine import SOFT, Limits
from playground.worker.errors import EngineError
from playground.worker.messages import Sampling
from playground.worker.program import ExecuTorchEngine, ProgramSession
from playground.worker.sampling import sampler_for
from playground.worker.speculation import SpeculativeSession

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from playground.tokens import Tokenizer
    from playground.worker.engine import Session

SHIPPED = Path(__file__).parents[3] / "playground" / "models" / "muse-nano" / "muse-nano.pte"
CONTEXT = 2048
LAST_BITS = 2.0**-20
"""By how much, of itself, a number differs that was summed in another order."""
MARGIN = 2.0
"""How much further apart than `Rounding` says right rows may be; they are nearer than once."""

pytestmark = pytest.mark.embedded


class Keep:
    """A sampler that keeps the logits it is shown and takes the likeliest token."""

    logits: NDArray[np.float32]

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Take the likeliest."""
        self.logits = logits
        return int(logits.argmax())


@pytest.fixture(scope="module")
def engine() -> ExecuTorchEngine:
    """The shipped program, loaded once; every test closes the sessions it opens."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    if not SHIPPED.exists():
        pytest.skip("the embedded model is not in this checkout")
    return ExecuTorchEngine.load(SHIPPED, threads=1, max_sessions=3)


@pytest.fixture
def session(engine: ExecuTorchEngine) -> Iterator[ProgramSession]:
    """A session that is closed after the test."""
    session = engine.open_plain()
    yield session
    session.close()


@pytest.fixture
def other(engine: ExecuTorchEngine) -> Iterator[ProgramSession]:
    """A second one."""
    session = engine.open_plain()
    yield session
    session.close()


def prompt(length: int, seed: int = 0) -> list[int]:
    """Ordinary tokens, drawn."""
    return [int(i) for i in np.random.default_rng(seed).integers(0, 4000, length)]


def prefill(
    session: ProgramSession,
    ids: Sequence[int],
    chunk: int,
    moved_by: np.random.Generator | None = None,
) -> NDArray[np.float32]:
    """Forward `ids` in chunks; the logits after the last one."""
    for begin in range(0, len(ids), chunk):
        part = ids[begin : begin + chunk]
        if moved_by is None:
            session.prefill(part)
            continue
        rows = session.seat.engine.run_on(session.seat).embed(part)
        factors = 1 + LAST_BITS * moved_by.standard_normal(rows.shape)
        session.prefill([SOFT] * len(part), (rows * factors).astype(np.float32))
    keep = Keep()
    session.decode(keep)
    session.rewind(session.position)  # forget the choice
    return keep.logits


def decode(session: ProgramSession, count: int) -> list[int]:
    """Choose `count` tokens greedily."""
    keep = Keep()
    return [token for _ in range(count) for token in session.decode(keep)]


@dataclass(frozen=True)
class Run:
    """What a session made of a prompt."""

    logits: NDArray[np.float32]
    """After the last row."""
    caches: list[NDArray[np.float32]]
    """Keys and values of all layers in turn, `[heads, rows, …]`."""


@dataclass(frozen=True)
class Rounding:
    """How far runs of the same rows are apart that differ in last bits, as a share."""

    caches: list[float]
    logits: float


def kept(session: ProgramSession, logits: NDArray[np.float32]) -> Run:
    """Return what a session has in its caches, the draft's apart."""
    program = session.seat.engine.run_on(session.seat)
    copies = zip(program.contract.caches, program.copy_out(CONTEXT, []), strict=True)
    return Run(logits, [copy.numpy() for name, copy in copies if not name.startswith("draft")])


def run(session: ProgramSession, ids: Sequence[int], chunk: int) -> Run:
    """Forward `ids` from the start, in chunks."""
    session.rewind(0)
    return kept(session, prefill(session, ids, chunk))


def run_moved(session: ProgramSession, ids: Sequence[int], chunk: int, seed: int) -> Run:
    """The same with all embeddings moved by their last bits: as rows that are no tokens."""
    session.rewind(0)
    logits = prefill(session, ids, chunk, moved_by=np.random.default_rng(seed))
    return kept(session, logits)


def share(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """How far b is from a, as a share of a: root mean squares."""
    return float(np.sqrt(np.square(a - b).mean() / np.square(a).mean()))


def apart(a: Run, b: Run) -> list[float]:
    """How far the caches of two runs are apart, each as a share."""
    return [share(*pair) for pair in zip(a.caches, b.caches, strict=True)]


@pytest.fixture(scope="module")
def whole(engine: ExecuTorchEngine) -> Run:
    """700 tokens, which wrap the local windows twice, in the largest chunks."""
    session = engine.open_plain()
    whole = run(session, prompt(700), engine.info.max_prefill_chunk)
    session.close()
    return whole


@pytest.fixture(scope="module")
def rounding(engine: ExecuTorchEngine, whole: Run) -> Rounding:
    """What last bits do to these tokens."""
    session = engine.open_plain()
    chunk = engine.info.max_prefill_chunk
    moved = [run_moved(session, prompt(700), chunk, seed) for seed in range(4)]
    session.close()
    caches = [max(shares) for shares in zip(*(apart(whole, each) for each in moved), strict=True)]
    return Rounding(caches, max(share(whole.logits, each.logits) for each in moved))


def test_the_facts_come_from_the_program(engine: ExecuTorchEngine) -> None:
    """Sizes, backend, versions and the artifact's hash are read, not assumed."""
    info = engine.info

    assert (info.engine, info.backend, info.threads) == ("executorch", "XNNPACK", 1)
    assert (info.context_length, info.vocab_size) == (CONTEXT, 4096)
    assert info.max_prefill_chunk >= 32
    assert info.artifact == "muse-nano.pte"
    assert info.artifact_sha256 is not None
    assert len(info.artifact_sha256) == 64
    assert set(info.versions) == {"executorch", "torch", "python"}
    assert info.load_ms > 0


def test_a_chunk_limit_can_be_lowered_and_not_raised() -> None:
    """`max_prefill_chunk` bounds the program's own limit from above only."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    if not SHIPPED.exists():
        pytest.skip("the embedded model is not in this checkout")

    limits = [
        ExecuTorchEngine.load(SHIPPED, threads=1, max_prefill_chunk=limit).info.max_prefill_chunk
        for limit in (16, 10_000)
    ]

    assert limits[0] == 16
    assert 16 < limits[1] < 10_000


@pytest.mark.parametrize("chunk", [1, 7, 37])
def test_chunks_of_any_size_give_the_same_rows(
    session: ProgramSession, whole: Run, rounding: Rounding, chunk: int
) -> None:
    """How tokens are cut up makes no difference, to any layer, but for rounding."""
    parts = run(session, prompt(700), chunk)

    allowed = [MARGIN * each for each in rounding.caches]
    assert session.position == 700
    assert all(found <= most for found, most in zip(apart(whole, parts), allowed, strict=True))
    assert share(whole.logits, parts.logits) < MARGIN * rounding.logits


def test_rounding_is_little(rounding: Rounding) -> None:
    """What the tests here allow is measured; it grows through the layers and stays small."""
    assert 0 < rounding.caches[0] < 0.001
    assert max(rounding.caches) < 0.04
    assert rounding.logits < 0.15


@pytest.mark.parametrize("fault", ["late", "another", "swapped"])
def test_a_fault_is_no_rounding(
    session: ProgramSession, whole: Run, rounding: Rounding, fault: str
) -> None:
    """One row of 700 a position late, another token, or two swapped: far from what is allowed."""
    ids = prompt(700)
    before, last = ids[:690], ids[690:]
    session.rewind(0)
    prefill(session, before, 64)
    if fault == "late":
        for place, token in enumerate(last, 690):
            session.seat.forward([token], place + (place == 698))
    elif fault == "another":
        prefill(session, [*last[:4], last[4] + 1, *last[5:]], 64)
    else:
        prefill(session, [*last[:4], last[5], last[4], *last[6:]], 64)

    found = apart(whole, kept(session, whole.logits))

    assert found[0] > 50 * MARGIN * rounding.caches[0]
    assert found[1] > 50 * MARGIN * rounding.caches[1]


def test_the_same_tokens_give_the_same_bits(session: ProgramSession) -> None:
    """A session that starts anew repeats itself exactly, whatever the caches held before."""
    ids = prompt(300)
    first = prefill(session, ids, 64)
    session.rewind(0)
    prefill(session, prompt(500, seed=1), 64)
    session.rewind(0)

    again = prefill(session, ids, 64)

    assert np.array_equal(first, again)


def test_the_context_can_be_filled_to_the_last_row(session: ProgramSession) -> None:
    """Row 2,047 can be computed, one more is refused and leaves the session usable."""
    ids = prompt(CONTEXT)
    prefill(session, ids, 64)

    with pytest.raises(EngineError, match="2049 tokens do not fit the context of 2048"):
        session.prefill([1])
    session.rewind(CONTEXT - 1)
    logits = prefill(session, ids[-1:], 1)

    assert session.position == CONTEXT
    assert np.isfinite(logits).all()


def test_stepping_back_reproduces(session: ProgramSession) -> None:
    """Rows of rejected tokens leave no trace: the same token after a rewind, the same bits."""
    ids = prompt(640)
    prefill(session, ids, 64)
    first = prefill(session, [11], 1)
    session.rewind(640)
    prefill(session, [5, 6, 7, 8], 4)
    session.rewind(640)

    again = prefill(session, [11], 1)

    assert np.array_equal(first, again)


def test_a_step_back_past_the_ring_is_refused(session: ProgramSession) -> None:
    """What the local layers have overwritten cannot be returned to; 0 always can."""
    prefill(session, prompt(640), 64)

    with pytest.raises(EngineError, match="cannot rewind by 540 rows"):
        session.rewind(100)
    session.rewind(0)

    assert session.position == 0


@pytest.mark.parametrize("position", [-1, 6])
def test_a_rewind_to_no_row_is_refused(session: ProgramSession, position: int) -> None:
    """Rows that were never there cannot be kept."""
    session.prefill(prompt(5))

    with pytest.raises(EngineError, match=f"cannot rewind to {position}"):
        session.rewind(position)


def test_sessions_take_turns_without_a_trace(
    session: ProgramSession, other: ProgramSession
) -> None:
    """Decoding that another session interrupts at each step goes on as if it were alone."""
    session.prefill(prompt(60))
    alone = decode(session, 24)
    session.rewind(0)

    session.prefill(prompt(60))
    together: list[int] = []
    for step in range(24):
        together += decode(session, 1)
        if other.position > 500:
            other.rewind(0)
        other.prefill(prompt(64, seed=step))

    assert alone == together


def test_a_round_is_one_token_and_leaves_it_pending(session: ProgramSession) -> None:
    """The first round after a prefill forwards nothing, each later one a token."""
    session.prefill(prompt(10))
    positions = []
    for _ in range(3):
        decode(session, 1)
        positions.append(session.position)

    assert positions == [10, 11, 12]


def test_decoding_without_a_prefill_is_refused(session: ProgramSession) -> None:
    """There are no logits to choose from at the start, nor after a rewind."""
    with pytest.raises(EngineError, match="needs a prefill first"):
        decode(session, 1)
    session.prefill(prompt(4))
    session.rewind(4)
    with pytest.raises(EngineError, match="needs a prefill first"):
        decode(session, 1)


@pytest.mark.parametrize("ids", [[], [1] * 65, [4096], [-1]], ids=["none", "many", "big", "small"])
def test_what_the_program_cannot_take_is_refused(session: ProgramSession, ids: list[int]) -> None:
    """Wrong counts and ids are told apart before anything native sees them."""
    with pytest.raises(EngineError, match=r"tokens at once|not within"):
        session.prefill(ids)

    session.prefill([1, 2, 3])
    assert session.position == 3


def test_no_more_sessions_than_there_is_room_for(
    engine: ExecuTorchEngine, session: ProgramSession, other: ProgramSession
) -> None:
    """The fourth session of three is refused; closing one makes room."""
    third = engine.open_plain()
    with pytest.raises(EngineError, match="all 3 sessions"):
        engine.open_plain()
    third.close()

    fourth = engine.open_plain()
    fourth.close()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A wrong path is said before torch is loaded."""
    with pytest.raises(EngineError, match=r"nowhere\.pte is no file"):
        ExecuTorchEngine.load(tmp_path / "nowhere.pte")


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    """What is not a program is refused with the runtime's reason."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    path = tmp_path / "text.pte"
    path.write_text("this is not a program" * 100)

    with pytest.raises(EngineError, match=r"text\.pte cannot be loaded"):
        ExecuTorchEngine.load(path)


# --- drafting ---

ASKED = ("What is 17 plus 25?", "Tell me a story about a fox.", "Which day comes after Monday?")


class Steady(Costs):
    """Costs that are never known, so that drafting is not given up."""

    @property
    def relative(self) -> None:
        """Unknown."""
        return None


@pytest.fixture(scope="module")
def drafting(engine: ExecuTorchEngine) -> Iterator[SpeculativeSession]:
    """A session that drafts in every round."""
    if engine._drafting is None:
        pytest.skip("the embedded model has no draft")
    session = SpeculativeSession(engine._take_seat(), engine._drafting, BreakEven(Steady()))
    yield session
    session.close()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """The embedded model's."""
    return load_tokenizer(SHIPPED.with_name("tokenizer.json"))


def answer(session: Session, ids: Sequence[int], eos: int, most: int) -> list[int]:
    """The greedy answer to a prompt, its end-of-turn token included."""
    session.rewind(0)
    for at in range(0, len(ids), 64):
        session.prefill(ids[at : at + 64])
    greedy = sampler_for(Sampling())
    tokens: list[int] = []
    while len(tokens) < most and eos not in tokens:
        tokens += session.decode(greedy, Limits(most - len(tokens), frozenset({eos})))
    return tokens


@pytest.mark.parametrize("question", ASKED)
def test_a_drafted_answer_is_the_plain_one_but_for_ties(
    session: ProgramSession, drafting: SpeculativeSession, tokenizer: Tokenizer, question: str
) -> None:
    """Where they part, the two tokens were as likely as rounding can tell."""
    text = f"<|start|>user<|message|>{question}<|eot|><|start|>assistant"
    ids = [tokenizer.control("<|begin_of_text|>"), *tokenizer.encode_prompt(text)]
    eos = tokenizer.control("<|eot|>")

    plain, drafted = (answer(it, ids, eos, 120) for it in (session, drafting))

    counts = drafting.statistics()
    made = 1 + counts.cycles + counts.accepted
    assert made - len(drafted) in {0, 1}
    assert drafting.position == len(ids) + len(drafted) - 1
    if plain != drafted:
        pairs = enumerate(zip(plain, drafted, strict=False))
        parted = next(place for place, (one, other) in pairs if one != other)
        rows = [*ids, *plain[:parted]]
        lead = [run(session, rows, 64)] + [run_moved(session, rows, 64, seed) for seed in range(4)]
        leads = [each.logits[plain[parted]] - each.logits[drafted[parted]] for each in lead]
        assert leads[0] < MARGIN * max(abs(leads[0] - other) for other in leads[1:])


def test_most_of_a_draft_is_accepted(drafting: SpeculativeSession, tokenizer: Tokenizer) -> None:
    """It was trained on what the model says: over two tokens a round on ordinary questions."""
    eos, rounds, accepted = tokenizer.control("<|eot|>"), 0, 0
    for question in ASKED:
        text = f"<|start|>user<|message|>{question}<|eot|><|start|>assistant"
        ids = [tokenizer.control("<|begin_of_text|>"), *tokenizer.encode_prompt(text)]
        answer(drafting, ids, eos, 120)
        rounds += drafting.statistics().speculative_cycles
        accepted += drafting.statistics().accepted

    assert accepted > rounds
