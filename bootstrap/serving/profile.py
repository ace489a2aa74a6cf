"""What does the launcher start? A file says so, and on a Mac another one opens it from the Finder.

    .runtime/profile.json     {"schema": 1, "profile": "muse", "pin": "muse-m5",
                               "digest": "…", "arguments": ["--worker", …]}: what
                               `muse-playground` is given where it is not told otherwise
    Muse Glimmer.command      at the root of the checkout, on a Mac: a double click starts it

Both are written whole or not at all.  The second is made here rather than shipped, so that it
carries no mark of a download, which would have macOS refuse it.
"""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

from bootstrap.pinning.description import describe
from bootstrap.pinning.digest import digest
from bootstrap.running.stages import Stage, Work

if TYPE_CHECKING:
    from pathlib import Path

    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Pin

__all__ = [
    "launcher_path",
    "launcher_script",
    "own_launcher",
    "profile_path",
    "profile_work",
]

SCHEMA = 1


def profile_work(places: Layout, *, profile: str, pin: Pin, port: int | None, finder: bool) -> Work:
    """The work that notes what is started; `finder` where there is one, as on a Mac."""
    kept, launcher = profile_path(places), launcher_path(places.root)
    arguments = describe(pin, places)["arguments"]
    if port is not None:
        arguments = [*arguments, "--port", str(port)]
    told = {
        "schema": SCHEMA,
        "profile": profile,
        "pin": pin.name,
        "digest": digest(pin),
        "arguments": arguments,
    }
    content = f"{json.dumps(told, indent=2)}\n".encode()
    script = os.fsencode(_launcher_script(places))
    stages = [
        Stage(
            "profile",
            f"what muse-playground starts: {pin.name}",
            told,
            lambda: _write(kept, content, 0o600),
            lambda: _is(kept, content),
        )
    ]
    if finder:
        stages.append(
            Stage(
                "launcher",
                f"{launcher.name}, for the Finder",
                {"script": os.fsdecode(script)},
                lambda: _write(launcher, script, 0o755),
                lambda: _is(launcher, script),
            )
        )
    return Work("profile", places.work("profile"), tuple(stages))


def profile_path(places: Layout) -> Path:
    """Where it is noted what is started."""
    return places.made / "profile.json"


def launcher_path(root: Path) -> Path:
    """Where the Finder's launcher is, or belongs."""
    return root / "Muse Glimmer.command"


def launcher_script(command: Path) -> str:
    """The launcher's text, for `/bin/sh`; the path may hold any character."""
    return f"""#!/bin/sh
# Written by the setup of the playground; `./setup uninstall` removes it.
command={shlex.quote(str(command))}
if [ ! -x "$command" ]; then
    printf '%s is not there: open "setup" in the same folder again\\n' "$command" >&2
    exit 1
fi
exec "$command" --open
"""


def own_launcher(places: Layout) -> Path | None:
    """The launcher of what was made here; None where there is none, or one of somebody else's."""
    launcher = launcher_path(places.root)
    return launcher if _is(launcher, os.fsencode(_launcher_script(places))) else None


def _launcher_script(places: Layout) -> str:
    return launcher_script(places.server.venv / "bin" / "muse-playground")


def _is(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    fresh.chmod(mode)
    fresh.replace(path)
