"""What helps a launch besides the server: a Mac kept awake, a browser opened?"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import threading
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Surroundings", "can_show_pages", "keep_awake", "let_sleep", "open_page"]

DARWIN = "darwin"
ENDED_S = 2.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a launch meets outside of this program; tests give it others."""

    environ: Mapping[str, str]
    platform: str = sys.platform


def keep_awake(pid: int, surroundings: Surroundings) -> subprocess.Popen[bytes] | None:
    """Have a Mac stay awake for as long as a process lives; None where there is nothing to do.

    `caffeinate -w` ends with the process that it watches, however that ends.
    """
    if surroundings.platform != DARWIN:
        return None
    command = shutil.which("caffeinate", path=surroundings.environ.get("PATH"))
    if command is None:
        return None
    try:
        return subprocess.Popen(
            [command, "-dimsu", "-w", str(pid)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def let_sleep(caffeinate: subprocess.Popen[bytes]) -> None:
    """End what keeps the machine awake."""
    with contextlib.suppress(ProcessLookupError):
        caffeinate.terminate()
    try:
        caffeinate.wait(ENDED_S)
    except subprocess.TimeoutExpired:
        caffeinate.kill()
        caffeinate.wait()


def open_page(
    url: str,
    surroundings: Surroundings,
    tell: Callable[[str], None],
    *,
    wait: bool = False,
) -> None:
    """Show a page in the browser; `BROWSER` names another one than the system's.

    Some browsers stay until they are closed, so nobody waits for one, unless asked to `wait`.
    Where nothing can show a page that is told; a browser in the terminal would take it over.
    """
    if not can_show_pages(surroundings):
        tell(f"there is no display to open a browser on; the page is at {url}")
        return

    def show() -> None:
        if not _show(url, surroundings):
            tell(f"no browser could be opened; the page is at {url}")

    if wait:
        show()
    else:
        threading.Thread(target=show, name="browser", daemon=True).start()


def can_show_pages(surroundings: Surroundings) -> bool:
    """Whether there is a browser with a window, or one that was named."""
    return surroundings.platform == DARWIN or any(
        surroundings.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )


def _show(url: str, surroundings: Surroundings) -> bool:
    if surroundings.platform != DARWIN or surroundings.environ.get("BROWSER"):
        return webbrowser.open(url)
    try:
        return subprocess.run(["open", url], check=False).returncode == 0
    except OSError:
        return False
