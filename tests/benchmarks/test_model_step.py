"""What does a step of the embedded model cost, next to what it is made of and to its rivals?

All figures are ratios of best times, measured in turns within one run, at a short and at a long
depth (rows in the caches: global layers read them all, local ones their window):

    step / products         a step of one token over the weights' own products alone, in XNNPACK
    verify / step           a block of four tokens, which is what verifying three proposals takes
    draft / step            proposing three tokens
    round / step            both: a round pays once it brings more tokens than this
    prefill / decode        tokens a second in whole chunks over tokens a second one by one

They are printed in pytest-benchmark's `extra_info`, with the times in milliseconds.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from playground.worker.program import ExecuTorchEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from playground.worker.program import ProgramSession

SHIPPED = Path(__file__).parents[2] / "playground" / "models" / "muse-nano" / "muse-nano.pte"
BLOCK = 4
DEPTHS = (64, 1000)
ROUNDS = 40
TOKEN = 7

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def session() -> ProgramSession:
    """One session on the shipped program, on one thread."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    if not SHIPPED.exists():
        pytest.skip("the embedded model is not in this checkout")
    return ExecuTorchEngine.load(SHIPPED, threads=1).open_plain()


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], None]:
    """Every matrix of a step, one after the other, for so many rows and with nothing between."""
    pytest.importorskip("executorch", reason="needs the embedded extra")
    import torch  # noqa: PLC0415  (seconds, as are the next two)
    from executorch.extension.pybindings import _C as native  # noqa: N811, PLC0415

    from bootstrap.nano.configuration import NANO  # noqa: PLC0415
    from bootstrap.nano.products import lower_products  # noqa: PLC0415

    path = tmp_path_factory.mktemp("products") / "products.pte"
    path.write_bytes(lower_products())
    program = native._load_program(str(path))
    method = program.load_method("forward")

    def multiply(rows: int, kept: Any = program) -> None:  # noqa: ANN401
        assert kept is program  # which the method does not keep alive
        method.call((torch.ones(rows, NANO.hidden_size),), True)

    return multiply


def fill(session: ProgramSession, depth: int) -> None:
    """Leave `depth` rows in the caches."""
    session.rewind(0)
    while session.position < depth:
        session.prefill([TOKEN] * min(64, depth - session.position))


def best_ms(calls: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Time the calls in turns; the best time of each."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    return {name: min(values) * 1000 for name, values in times.items()}


def report(benchmark: BenchmarkFixture, times: dict[str, float], ratios: dict[str, float]) -> None:
    """Put figures where pytest-benchmark prints them."""
    benchmark.extra_info.update({f"{name}_ms": round(value, 3) for name, value in times.items()})
    benchmark.extra_info.update({name: round(value, 2) for name, value in ratios.items()})
    print(*(f"{name} {value:.2f}" for name, value in ratios.items()), sep=", ")


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_step_next_to_the_products_it_is_made_of(
    benchmark: BenchmarkFixture,
    session: ProgramSession,
    products: Callable[[int], None],
    depth: int,
) -> None:
    """One token, and four, over the same rows through the matrices alone."""
    fill(session, depth)
    seat = session.seat
    times = best_ms(
        {
            "step": lambda: seat.verify([TOKEN], depth),
            "products": lambda: products(1),
            "verify": lambda: seat.verify([TOKEN] * BLOCK, depth),
            "products_of_four": lambda: products(BLOCK),
        }
    )
    report(
        benchmark,
        times,
        {
            "step/products": times["step"] / times["products"],
            "verify/products of four": times["verify"] / times["products_of_four"],
        },
    )

    benchmark.pedantic(seat.verify, ([TOKEN], depth), rounds=ROUNDS)  # type: ignore[no-untyped-call]

    assert session.position == depth


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_round_of_drafting_next_to_a_step(
    benchmark: BenchmarkFixture, session: ProgramSession, depth: int
) -> None:
    """Three proposals and their verification; as many tokens as the ratio make it even."""
    fill(session, depth)
    seat = session.seat
    _, hidden = seat.verify([TOKEN] * BLOCK, depth)
    taken = np.ascontiguousarray(hidden[: BLOCK - 1])
    times = best_ms(
        {
            "step": lambda: seat.verify([TOKEN], depth),
            "draft": lambda: seat.draft([TOKEN] * BLOCK, taken, depth),
            "verify": lambda: seat.verify([TOKEN] * BLOCK, depth),
        }
    )
    report(
        benchmark,
        times,
        {
            "verify/step": times["verify"] / times["step"],
            "draft/step": times["draft"] / times["step"],
            "round/step": (times["verify"] + times["draft"]) / times["step"],
        },
    )

    benchmark.pedantic(  # type: ignore[no-untyped-call]
        seat.verify, ([TOKEN] * BLOCK, depth), rounds=ROUNDS
    )

    assert hidden.shape[0] == BLOCK


@pytest.mark.parametrize("depth", DEPTHS)
def test_prefill_next_to_decoding(
    benchmark: BenchmarkFixture, session: ProgramSession, depth: int
) -> None:
    """A whole chunk behind `depth` rows, and one token there."""
    fill(session, depth)
    seat = session.seat
    chunk = [TOKEN] * seat.engine.info.max_prefill_chunk
    times = best_ms(
        {
            "step": lambda: seat.verify([TOKEN], depth),
            "chunk": lambda: seat.forward(chunk, depth),
        },
        rounds=ROUNDS // 2,
    )
    report(benchmark, times, {"prefill/decode": times["step"] * len(chunk) / times["chunk"]})

    benchmark.pedantic(  # type: ignore[no-untyped-call]
        seat.forward, (chunk, depth), rounds=ROUNDS // 2
    )

    assert session.position == depth
