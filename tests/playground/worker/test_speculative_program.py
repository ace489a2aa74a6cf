"""A program that drafts: are its methods called as its contract says, on the right caches?

A small one is exported here, on ExecuTorch's portable kernels. Its target remembers what it was
shown, older rows less: m = 0.8 m + x, read from its cache. Its draft does the same over the hidden
rows that it was given, so it is right as long as it has seen them all, and always wrong in the
third row, which is told at random. It comes with the two optional methods and without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from playground.worker.break_even import Costs
from playground.worker.engine import Limits
from playground.worker.errors import EngineError
from playground.worker.messages import Sampling
from playground.worker.sampling import sampler_for
from playground.worker.speculation import DraftOptions

if TYPE_CHECKING:
    from pathlib import Path

    from playground.worker.engine import Session

CONTEXT, WIDTH, VOCABULARY, BLOCK, CHUNK, FADE = 96, 12, 23, 4, 8, 0.8
MASK = VOCABULARY - 1
AS_IT_COMES = DraftOptions()

pytestmark = pytest.mark.embedded


def modules(torch: Any) -> tuple[type, type]:  # noqa: ANN401
    """The classes of target and draft; they need torch to be there."""
    random = torch.Generator().manual_seed(3)
    embedding = torch.randn(VOCABULARY, WIDTH, generator=random)
    head = torch.randn(WIDTH, VOCABULARY, generator=random)
    head[:, MASK] = 0

    def remembered(history: Any, ends: Any) -> Any:  # noqa: ANN401
        """What is remembered of rows `[CONTEXT, W]` at the end of each of `ends` `[T]`."""
        age = ends[:, None] - torch.arange(CONTEXT)[None]
        shares = torch.where(age >= 0, FADE ** age.clamp(min=0).to(torch.float32), 0.0)
        return shares @ history

    class Target(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("embedding", embedding)
            self.register_buffer("history", torch.zeros(1, CONTEXT, WIDTH))

        def embed(self, tokens: Any) -> Any:  # noqa: ANN401
            return self.embedding[tokens]

        def rows(self, x: Any, at: Any) -> Any:  # noqa: ANN401
            self.history.index_copy_(1, at, x)
            m = remembered(self.history[0], at)
            return (m @ head).unsqueeze(0), torch.cat([m, x[0]], 1).unsqueeze(0)

        def last(self, x: Any, at: Any) -> Any:  # noqa: ANN401
            logits, hidden = self.rows(x, at)
            return logits[:, -1:], hidden

    class Draft(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(1, CONTEXT, WIDTH))

        def propose(self, tokens: Any, hidden: Any, first: Any) -> Any:  # noqa: ANN401
            ends = first + torch.arange(hidden.shape[1])
            self.seen.index_copy_(1, ends, hidden[:, :, WIDTH:])
            m = remembered(self.seen[0], ends[-1:])
            logits = [torch.zeros(VOCABULARY)]
            token = tokens[0, :1]
            for _ in range(2):
                m = FADE * m + embedding.index_select(0, token)
                logits.append((m @ head)[0])
                token = logits[-1].argmax().view(1)
            logits.append(-logits[-1])
            return torch.stack(logits).unsqueeze(0)

    return Target, Draft


@pytest.fixture(scope="module", params=["needed", "all"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported program, with the methods it needs or with all there are."""
    torch: Any = pytest.importorskip("torch", reason="needs the embedded extra")
    exir: Any = pytest.importorskip("executorch.exir", reason="needs the embedded extra")
    passes: Any = pytest.importorskip("executorch.exir.passes", reason="needs the embedded extra")
    make_target, make_draft = modules(torch)
    target, draft = make_target().eval(), make_draft().eval()
    length = torch.export.Dim("length", min=1, max=CHUNK)
    x = (torch.zeros(1, 3, WIDTH), torch.arange(3))
    block = torch.zeros(1, BLOCK, dtype=torch.int64)
    given = (block, torch.zeros(1, 3, 2 * WIDTH), torch.zeros(1, dtype=torch.int64))

    def exported(module: Any, name: str, example: Any, shapes: Any) -> Any:  # noqa: ANN401
        module.forward = getattr(module, name)
        return torch.export.export(module, example, dynamic_shapes=shapes)

    by_token = ({1: length}, {0: length})
    by_row: Any = ({}, {1: length}, {})
    methods = {
        "embed_text": exported(target, "embed", (block[:, :3],), ({1: length},)),
        "target_forward_from_embeddings": exported(target, "rows", x, by_token),
        "draft_forward": exported(draft, "propose", given, by_row),
    }
    if request.param == "all":
        methods["target_prefill_from_embeddings"] = exported(target, "last", x, by_token)
        methods["draft_prefill"] = exported(draft, "propose", given, by_row)
    edge = exir.to_edge(
        methods,
        constant_methods={
            "get_max_seq_len": CONTEXT,
            "get_activation_dtype": "float32",
            "get_vocab_size": VOCABULARY,
            "get_max_prefill_chunk": CHUNK,
            "get_block_size": BLOCK,
            "get_mask_token_id": MASK,
            "get_n_target_layers": 2,
            "get_draft_sliding_window": 0,
            "get_mutable_buffer_metadata": '{"mutable_buffers": ["history", "seen"],'
            ' "row_dimension": 1}',
        },
    )
    config = exir.ExecutorchBackendConfig(
        emit_mutable_buffer_names=True,
        memory_planning_pass=passes.MemoryPlanningPass(
            alloc_graph_input=False, share_mutable_buffers=True
        ),
    )
    path = tmp_path_factory.mktemp("speculative") / "tiny.pte"
    path.write_bytes(edge.to_executorch(config).buffer)
    return path


class NoOpinion(Costs):
    """Costs that are never known, so that drafting is not given up: here it could only lose."""

    @property
    def relative(self) -> None:
        """Unknown."""
        return None


def load(path: Path, options: DraftOptions = AS_IT_COMES) -> Any:  # noqa: ANN401
    """An engine on the program."""
    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415

    loaded = ExecuTorchEngine.load(path, threads=1, draft=options)
    return ExecuTorchEngine(
        loaded._program, loaded.info, 3, drafting=loaded._drafting, costs=NoOpinion()
    )


@pytest.fixture(scope="module")
def engine(path: Path) -> Any:  # noqa: ANN401
    """The program, loaded once; tests close what they open."""
    return load(path)


def prefill(session: Session, ids: list[int]) -> None:
    """Forward a prompt in chunks."""
    for at in range(0, len(ids), CHUNK):
        session.prefill(ids[at : at + CHUNK])


def say(
    session: Session,
    most: int,
    *,
    draft: bool = True,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
) -> list[int]:
    """Tokens of a turn, the last of them settled."""
    sampler = sampler_for(sampling)
    tokens: list[int] = []
    while len(tokens) < most:
        tokens += session.decode(sampler, Limits(most - len(tokens), draft=draft))
    session.prefill(tokens[-1:])
    return tokens


def prompt(length: int, seed: int = 0) -> list[int]:
    """Ordinary tokens, drawn."""
    return [int(i) for i in np.random.default_rng(seed).integers(0, MASK, length)]


SAMPLINGS = pytest.mark.parametrize(
    "sampling", [Sampling(), Sampling(temperature=1.0, top_k=5, seed=9)], ids=["greedy", "drawn"]
)


@SAMPLINGS
def test_a_turn_says_the_same_with_and_without_its_draft(engine: Any, sampling: Sampling) -> None:  # noqa: ANN401
    """And as a session that knows nothing of drafts."""
    said = []
    for session, draft in (
        (engine.open(), True),
        (engine.open(), False),
        (engine.open_plain(), True),
    ):
        prefill(session, prompt(21))
        said.append(say(session, 50, draft=draft, sampling=sampling))
        session.close()

    assert said[0] == said[1] == said[2]


def test_a_draft_that_has_seen_all_is_right_in_its_first_two_rows(engine: Any) -> None:  # noqa: ANN401
    """In every round of a greedy turn; the third row is always wrong. The last token is a step."""
    session = engine.open()
    prefill(session, prompt(21))

    say(session, 50)

    counts = session.statistics()
    session.close()
    assert (counts.speculative_cycles, counts.target_only_cycles) == (16, 1)
    assert counts.draft_attempts_by_row == (16, 16, 16)
    assert counts.draft_accepts_by_row == (16, 16, 0)
    assert counts.draft_execute_ms > 0


def test_rows_that_waited_are_taken_in_later(engine: Any) -> None:  # noqa: ANN401
    """A turn without a draft, then one with: as right as if it had drafted all along."""
    session = engine.open()
    prefill(session, prompt(21))
    say(session, 20, draft=False)
    prefill(session, prompt(3, seed=1))

    say(session, 31)

    counts = session.statistics()
    session.close()
    assert counts.draft_accepts_by_row == (10, 10, 0)


def test_sessions_have_drafts_of_their_own(engine: Any) -> None:  # noqa: ANN401
    """Interrupted by another session at every round, a draft is as right as ever."""
    one, other = engine.open(), engine.open()
    prefill(one, prompt(21))
    alone = say(one, 40)
    one.rewind(0)

    prefill(one, prompt(21))
    prefill(other, prompt(30, seed=5))
    greedy = sampler_for(Sampling())
    together: list[int] = []
    while len(together) < 40:
        together += one.decode(greedy, Limits(40 - len(together)))
        if other.position > 60:
            other.rewind(0)
            prefill(other, prompt(9, seed=len(together)))
        other.decode(greedy)

    counts = one.statistics()
    one.close()
    other.close()
    assert together == alone
    assert counts.draft_accepts_by_row == (13, 13, 0)


def test_stepping_back_takes_the_draft_along(engine: Any) -> None:  # noqa: ANN401
    """Other tokens behind an old place: the draft has forgotten the first ones."""
    session = engine.open()
    prefill(session, prompt(21))
    say(session, 20)
    session.rewind(30)
    prefill(session, prompt(5, seed=2))

    say(session, 31)

    counts = session.statistics()
    session.close()
    assert counts.draft_accepts_by_row == (10, 10, 0)


def test_a_context_is_filled_to_its_end(engine: Any) -> None:  # noqa: ANN401
    """The last tokens without a draft, whose block would not fit."""
    said = []
    for draft in (True, False):
        session = engine.open()
        prefill(session, prompt(60))
        said.append(say(session, CONTEXT - 60, draft=draft))
        assert session.position == CONTEXT
        session.close()

    assert said[0] == said[1]


def test_the_facts_of_the_draft_are_in_the_engines(engine: Any, path: Path) -> None:  # noqa: ANN401
    """Block and proposals; without a draft neither."""
    off = load(path, DraftOptions(enabled=False, n_draft=2)).info
    without = load(path, DraftOptions(artifact_mode="autoregressive")).info

    assert (engine.info.dflash_block_length, engine.info.dflash_draft_tokens) == (4, 3)
    assert (off.dflash_block_length, off.dflash_draft_tokens) == (4, 0)
    assert (without.dflash_block_length, without.dflash_draft_tokens) == (None, None)
    assert engine.info.threads_reason == "as asked"


def test_a_program_may_be_run_without_its_draft(engine: Any, path: Path) -> None:  # noqa: ANN401
    """The draft is not even loaded, and turns say that there is none."""
    sessions = [engine.open(), load(path, DraftOptions(artifact_mode="autoregressive")).open()]
    said = []
    for session in sessions:
        prefill(session, prompt(21))
        said.append(say(session, 20))

    states = [session.statistics().dflash for session in sessions]
    sessions[0].close()
    assert said[0] == said[1]
    assert states == ["on", "unavailable"]


def test_drawn_drafts_are_possible(path: Path) -> None:
    """Other tokens than without a draft, but tokens all the same, and some accepted."""
    session = load(path, DraftOptions(argmax=False)).open()
    prefill(session, prompt(21))

    tokens = say(session, 50, sampling=Sampling(temperature=0.7, seed=3))

    assert len(tokens) == 50
    assert session.statistics().accepted > 0


def test_a_failed_call_is_the_end_of_the_session(engine: Any) -> None:  # noqa: ANN401
    """Until it starts anew."""
    session = engine.open()
    prefill(session, prompt(9))
    with pytest.raises(EngineError, match="not within"):
        session.prefill([VOCABULARY])
    with pytest.raises(EngineError, match=r"only rewind\(0\) can follow"):
        session.prefill([1])

    session.rewind(0)
    prefill(session, prompt(9))
    said = say(session, 9)
    session.close()
    assert len(said) == 9
