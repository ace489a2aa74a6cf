"""A worker whose model takes 10 % longer: see `throttled`."""

from __future__ import annotations

import sys

from tests.gate.throttled import entry_point

if __name__ == "__main__":
    sys.exit(entry_point(0.10))
