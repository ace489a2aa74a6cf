"""What does a step of the embedded model cost, and what do four tokens cost next to one?

A step of four is what verifying a draft of three takes; the ratio of the two is what speculation
has to win back. Depth is how many rows the caches hold: global layers read them all, local ones
their window. `extra_info` holds the ratio and the time of each, best of several interleaved runs.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from playground.worker.program import ExecuTorchEngine

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from playground.worker.program import ProgramSession

SHIPPED = Path(__file__).parents[2] / "playground" / "models" / "muse-nano" / "muse-nano.pte"
DRAFT = 4
DEPTHS = (64, 256, 1024, 2040)
ROUNDS = 40

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def session() -> ProgramSession:
    """One session on the shipped program."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    if not SHIPPED.exists():
        pytest.skip("the embedded model is not in this checkout")
    return ExecuTorchEngine.load(SHIPPED).open_plain()


def fill(session: ProgramSession, depth: int) -> None:
    """Leave `depth` rows in the caches."""
    session.rewind(0)
    while session.position < depth:
        session.prefill([7] * min(64, depth - session.position))


def step_ms(session: ProgramSession, tokens: int) -> float:
    """Time one step of so many tokens, and forget it."""
    depth = session.position
    begun = time.perf_counter()
    session.prefill([7] * tokens)
    elapsed = time.perf_counter() - begun
    session.rewind(depth)
    return elapsed * 1000


@pytest.mark.parametrize("depth", DEPTHS)
def test_one_token_and_four(
    benchmark: BenchmarkFixture, session: ProgramSession, depth: int
) -> None:
    """A step of one token at `depth`; the price of four as a ratio."""
    fill(session, depth)
    pairs = [(step_ms(session, 1), step_ms(session, DRAFT)) for _ in range(ROUNDS)]
    one, four = (min(times) for times in zip(*pairs, strict=True))
    benchmark.extra_info["one_ms"] = round(one, 3)
    benchmark.extra_info["four_ms"] = round(four, 3)
    benchmark.extra_info["four_to_one"] = round(four / one, 2)

    benchmark.pedantic(  # type: ignore[no-untyped-call]
        step_ms, (session, 1), rounds=ROUNDS, warmup_rounds=3
    )

    assert session.position == depth


def test_a_chunk_of_prefill(benchmark: BenchmarkFixture, session: ProgramSession) -> None:
    """A whole chunk at the start of a prompt; `extra_info` says how many tokens a second."""
    tokens = session.seat.engine.info.max_prefill_chunk
    session.rewind(0)

    benchmark.pedantic(  # type: ignore[no-untyped-call]
        step_ms, (session, tokens), rounds=ROUNDS, warmup_rounds=3
    )

    assert session.position == 0
    if benchmark.stats is not None:  # None when benchmarks are disabled
        benchmark.extra_info["tokens_per_second"] = round(tokens / benchmark.stats["min"])
