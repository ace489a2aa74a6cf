"""`python -m harness` is `muse-bench`."""

from __future__ import annotations

from harness.cli import entry_point

if __name__ == "__main__":
    entry_point()
