"""What stopped a command before its end, and which exit code comes of it?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from harness.errors import HarnessError, Interrupted

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import IO, Any

__all__ = ["code_of", "until_stopped"]


def until_stopped(playing: Coroutine[Any, Any, object]) -> HarnessError | None:
    """Play; what ended it before its end, if something did."""
    try:
        asyncio.run(playing)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Interrupted("stopped by hand; what was finished is reported")
    except HarnessError as problem:
        return problem
    return None


def code_of(code: int, stopped: HarnessError | None, stderr: IO[str]) -> int:
    """The exit code of a result, and of what stopped it; a failure goes before all."""
    if stopped is None:
        return code
    stderr.write(f"muse-bench: {stopped}\n")
    return 1 if code == 1 else stopped.exit_code
