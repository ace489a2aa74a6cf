"""How is JSON printed? The same by every command."""

from __future__ import annotations

import json
from typing import IO

__all__ = ["print_json"]


def print_json(value: object, stdout: IO[str]) -> None:
    """To be read by people too."""
    json.dump(value, stdout, indent=2)
    stdout.write("\n")
