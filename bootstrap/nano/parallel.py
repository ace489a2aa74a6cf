"""How do several GPUs train one model?

Each works on batches of its own; gradients are averaged before every step, so that all make the
same step from the same weights. Started by `torchrun`; alone, everything here does nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import torch
from torch import distributed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch.nn import Parameter

__all__ = ["Group", "join"]


class Group:
    """The processes of a run: `rank` of `size`."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size

    def average_gradients(self, parameters: Iterable[Parameter]) -> None:
        """Replace each gradient by the mean over all processes."""
        if self.size == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        flat /= self.size
        for gradient, mean in zip(
            gradients, flat.split([gradient.numel() for gradient in gradients]), strict=True
        ):
            gradient.copy_(mean.view_as(gradient))

    def agreed(self, number: float) -> float:
        """The first process's number."""
        if self.size == 1:
            return number
        shared = torch.tensor([number], dtype=torch.float64)
        distributed.broadcast(shared, 0)
        return float(shared)

    def leave(self) -> None:
        """Part; to be called by all."""
        if self.size > 1:
            distributed.destroy_process_group()


def join() -> Group:
    """The group that torchrun's environment describes, or a group of one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return Group(0, 1)
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        distributed.init_process_group("cpu:gloo,cuda:nccl")
    else:
        distributed.init_process_group("gloo")
    return Group(distributed.get_rank(), size)
