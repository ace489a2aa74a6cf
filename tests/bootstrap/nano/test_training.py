"""The course of a run, and how several processes share one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")
pytest.importorskip("regex", reason="needs the recipe extra")

import torch
from torch import distributed, multiprocessing
from torch.nn import Parameter

from bootstrap.nano.parallel import Group
from bootstrap.nano.training import Clock, mixture_at, rate_at

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.embedded


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    """Linear warm-up, a plateau, and the decay over the last half."""
    assert rate_at(0.0, 1.0) < 0.1
    assert rate_at(0.3, 1.0) == 1.0
    assert rate_at(0.75, 1.0) == pytest.approx(0.5)
    assert rate_at(1.0, 1.0) == 0.0


def test_notes_weigh_more_towards_the_end() -> None:
    """And the share of whole conversations stays as it was asked for."""
    early, late = mixture_at(0.1, 0.4), mixture_at(0.9, 0.4)

    assert late.notes > early.notes
    assert early.whole == late.whole == 0.4


def test_a_run_by_steps_counts_steps() -> None:
    """Whatever the time."""
    clock = Clock(steps=200, seconds=None, begun=0.0)

    assert clock.progress(50, 1e6) == 0.25


def test_a_run_by_seconds_counts_from_when_everything_is_compiled() -> None:
    """Before that nothing is done, and at its end it has taken the seconds, compiling included."""
    clock = Clock(steps=200, seconds=100.0, begun=10.0)

    assert clock.progress(5, 49.0) == 0.0
    clock.steady(50.0)
    assert clock.progress(10, 80.0) == pytest.approx(0.5)
    assert clock.progress(10, 110.0) == 1.0


def _share(rank: int, folder: str) -> None:
    distributed.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=2)
    group = Group(rank, 2)
    weights = [Parameter(torch.zeros(2, 2)), Parameter(torch.zeros(3)), Parameter(torch.zeros(1))]
    weights[0].grad = torch.full((2, 2), float(rank))
    weights[1].grad = torch.tensor([1.0, 2.0, 3.0]) * (rank + 1)
    group.average_gradients(weights)
    torch.save(
        (weights[0].grad, weights[1].grad, weights[2].grad, group.agreed(rank + 7.0)),
        f"{folder}/{rank}.pt",
    )
    group.leave()


def test_two_processes_step_by_the_mean_of_their_gradients(tmp_path: Path) -> None:
    """Both end up with the same ones, and with the first one's number."""
    multiprocessing.spawn(_share, (str(tmp_path),), nprocs=2)

    for rank in (0, 1):
        matrix, vector, none, number = torch.load(tmp_path / f"{rank}.pt")
        assert matrix.tolist() == [[0.5, 0.5], [0.5, 0.5]]
        assert vector.tolist() == [1.5, 3.0, 4.5]
        assert none is None
        assert number == 7.0


def test_alone_nothing_is_shared() -> None:
    """A group of one leaves gradients and numbers as they are."""
    weight = Parameter(torch.zeros(1))
    weight.grad = torch.ones(1)

    Group(0, 1).average_gradients([weight])

    assert weight.grad.item() == 1.0
    assert Group(0, 1).agreed(3.5) == 3.5
