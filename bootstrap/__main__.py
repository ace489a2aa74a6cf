"""`python -m bootstrap`: see `command`."""

from __future__ import annotations

import os
import sys

from bootstrap.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, sys.stdout, sys.stderr))
