"""How do the weights move: Muon for the matrices, Adam for the rest.

The network computes in bfloat16; float32 masters live here. A matrix's update is its momentum,
orthogonalised by a quintic Newton-Schulz iteration (Jordan et al., 2024) and scaled to the size of
an Adam update, `0.2 * sqrt(max(rows, columns))` (Liu et al., 2025), so that one learning rate and
one decoupled weight decay serve both. Matrices of one shape are orthogonalised in one batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor
    from torch.nn import Parameter

__all__ = ["Optimiser"]


def _orthogonal(matrices: Tensor) -> Tensor:
    """The nearest orthogonal matrices to `[n, rows, columns]`, roughly."""
    x = matrices.bfloat16()
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.mT
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x.mT if tall else x


class _Matrices:
    """All hidden matrices of one shape, stacked."""

    def __init__(self, parameters: list[Parameter]) -> None:
        self._parameters = parameters
        self._masters = torch.stack([p.detach().float() for p in parameters])
        self._momentum = torch.zeros_like(self._masters)
        self._scale = 0.2 * max(self._masters.shape[1:]) ** 0.5

    def step(self, rate: float, decay: float) -> None:
        gradient = torch.stack([p.grad for p in self._parameters if p.grad is not None]).float()
        self._momentum.lerp_(gradient, 0.05)
        update = _orthogonal(gradient.lerp(self._momentum, 0.95)).float()
        self._masters.mul_(1 - rate * decay).add_(update, alpha=-rate * self._scale)
        for parameter, master in zip(self._parameters, self._masters, strict=True):
            parameter.data.copy_(master)


class _Rest:
    """Embeddings, head, biases and norm gains."""

    def __init__(self, parameters: list[Parameter]) -> None:
        self._parameters = parameters
        self._masters = [p.detach().float() for p in parameters]
        self._first = [torch.zeros_like(m) for m in self._masters]
        self._second = [torch.zeros_like(m) for m in self._masters]
        self._steps = 0

    def step(self, rate: float, decay: float) -> None:
        self._steps += 1
        slow, fast = 0.9, 0.95
        for parameter, master, first, second in zip(
            self._parameters, self._masters, self._first, self._second, strict=True
        ):
            assert parameter.grad is not None
            gradient = parameter.grad.float()
            first.lerp_(gradient, 1 - slow)
            second.lerp_(gradient.square(), 1 - fast)
            size = (second / (1 - fast**self._steps)).sqrt_().add_(1e-10)
            if master.ndim == 2:
                master.mul_(1 - rate * decay)
            master.addcdiv_(first, size, value=-rate / (1 - slow**self._steps))
            parameter.data.copy_(master)


def _is_a_table(name: str) -> bool:
    """Whether rows of the parameter are looked up, or scored one by one."""
    return "embed_tokens" in name or "embedding_table" in name or "lm_head" in name


class Optimiser:
    """Moves a network's parameters; the masters are float32."""

    def __init__(self, named: Iterable[tuple[str, Parameter]], *, decay: float) -> None:
        shapes: dict[tuple[int, ...], list[Parameter]] = {}
        rest: list[Parameter] = []
        self._all: list[Parameter] = []
        for name, parameter in named:
            self._all.append(parameter)
            if parameter.ndim == 2 and not _is_a_table(name):
                shapes.setdefault(tuple(parameter.shape), []).append(parameter)
            else:
                rest.append(parameter)
        self._groups: list[_Matrices | _Rest] = [
            *(_Matrices(group) for group in shapes.values()),
            _Rest(rest),
        ]
        self._decay = decay

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """One step at this learning rate; clears the gradients."""
        for group in self._groups:
            group.step(rate, self._decay)
        for parameter in self._all:
            parameter.grad = None
