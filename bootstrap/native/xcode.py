"""Which Xcode builds here? Read from its own files, since Xcode takes seconds to be asked.

The compilers, the SDK and the linker are of it, so what was built with another one is built anew.
"""

from __future__ import annotations

import plistlib
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["xcode_here"]

SELECTED = Path("/var/db/xcode_select_link")
"""What `xcode-select --switch` has made: a link to the folder of the chosen Xcode's tools."""
USUAL = Path("/Applications/Xcode.app/Contents/Developer")


def xcode_here(environ: Mapping[str, str]) -> dict[str, str]:
    """Its version and build, as facts of the toolchain; none where there is no Xcode."""
    chosen = environ.get("DEVELOPER_DIR")
    tools = Path(chosen) if chosen else SELECTED if SELECTED.exists() else USUAL
    try:
        said = plistlib.loads((tools.resolve().parent / "version.plist").read_bytes())
        version, build = said["CFBundleShortVersionString"], said["ProductBuildVersion"]
    except (OSError, ValueError, KeyError, TypeError, ExpatError):
        return {}
    return {"xcode": f"{version} ({build})"}
