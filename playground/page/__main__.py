"""`python -m playground.page`: have the page built where it is not, and do nothing else.

    --check   only say, by the exit code, whether it is what its sources make

`muse-playground` does this at its start; whoever makes a machine ready does it before.
Standard library only.

Exit codes: 0 it is; 1 it is not, or could not be built; 3 there is no Node.js that could build it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from playground.page.build import NoNode, PageNotBuilt, build_if_needed
from playground.page.node import find_node, where_node_may_be
from playground.page.stamp import has_sources, is_current

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.page.node import Node

__all__ = ["NO_NODE_CODE", "main"]

WEB = Path(__file__).parent.parent / "web"
NO_NODE_CODE = 3


def main(
    argv: Sequence[str],
    out: TextIO,
    *,
    web: Path = WEB,
    node: Callable[[], Node | None] = lambda: find_node(list(where_node_may_be())),
) -> int:
    """Build, or look; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m playground.page", description="Builds the web page.", allow_abbrev=False
    )
    parser.add_argument("--check", action="store_true", help="only look whether it is built")
    if parser.parse_args(argv).check:
        return 0 if not has_sources(web) or is_current(web, web / "dist") else 1
    try:
        asyncio.run(build_if_needed(web, lambda line: print(line, file=out, flush=True), node=node))
    except PageNotBuilt as problem:
        print(f"the page is not built: {problem}", file=out)
        return NO_NODE_CODE if isinstance(problem, NoNode) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
