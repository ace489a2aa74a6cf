"""How does the built page get into a wheel, which never builds one itself?

Before a wheel or an sdist is made, the page is built as `muse-playground` would build it, and
`playground/web/dist` is packed. A wheel made from an sdist finds it built, and needs no Node.

`MUSE_BUILD_PAGE` says what if that does not work: `1` fails, as a release should; `0` does not
try; without it the wheel has no page, which those who want the harness alone will not miss.
An editable installation builds nothing: `muse-playground` does, at its first start.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Builds the page first."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Called by hatchling before it collects files."""
        wanted = os.environ.get("MUSE_BUILD_PAGE", "")
        if version == "editable" or wanted == "0":
            return
        sys.path.insert(0, self.root)
        from playground.page.build import PageNotBuilt, build_if_needed  # noqa: PLC0415 - found now

        try:
            web = Path(self.root, "playground", "web")
            asyncio.run(build_if_needed(web, self.app.display_info))
        except PageNotBuilt as error:
            if wanted == "1":
                raise
            self.app.display_warning(f"this wheel has no page: {error}")
        finally:
            sys.path.remove(self.root)
