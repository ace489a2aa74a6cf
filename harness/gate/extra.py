"""Is what the gate computes with installed?"""

from __future__ import annotations

import importlib.util

from harness.errors import UsageError

__all__ = ["need_extra"]

PACKAGES = ("numpy", "pandas", "scipy")
"""Of the extra `gate`."""


def need_extra() -> None:
    """Say what to install, before an import says what is missing.

    Raises:
        UsageError: one of them is not there.
    """
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"needs {', '.join(missing)}; try pip install -e '.[gate]'")
