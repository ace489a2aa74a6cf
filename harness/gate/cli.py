"""The commands of the gate, each with its arguments; what they do is imported when one is asked.

So `muse-bench run` needs neither pandas nor scipy, which the extra `gate` brings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from harness.gate.cli_after import add_commands_after
from harness.gate.cli_gate import add_gate
from harness.gate.cli_pins import add_pins

if TYPE_CHECKING:
    import argparse

__all__ = ["AddCommand", "add_gate_commands"]


class AddCommand(Protocol):
    """Adds a command to `muse-bench`: name, what it does, an example, what its exit codes say."""

    def __call__(self, name: str, about: str, example: str, codes: str) -> argparse.ArgumentParser:
        """The parser that takes its arguments."""
        ...


def add_gate_commands(add: AddCommand) -> None:
    """Every command of the gate: each sets `command` to (options, stdout, stderr) -> exit code."""
    add_gate(add)
    add_pins(add)
    add_commands_after(add)
