"""`python -m bootstrap`: see `command`.

Any Python from 3.8 on can read this file, and says which one is needed.
"""

import os
import shlex
import sys
from pathlib import Path

NEEDED = (3, 11)

if __name__ == "__main__":
    if sys.version_info < NEEDED:
        found, needed = (f"{version[0]}.{version[1]}" for version in (sys.version_info, NEEDED))
        brings_one = Path(__file__).resolve().parent / "setup.sh"
        print(
            f"bootstrap: this is Python {found}, and {needed} or newer is needed;"
            f" this brings one: sh {shlex.quote(str(brings_one))}",
            file=sys.stderr,
        )
        sys.exit(2)
    from bootstrap.cli.command import main

    sys.exit(main(sys.argv[1:], os.environ, sys.stdout, sys.stderr))
