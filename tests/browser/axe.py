"""What does axe find wrong with a page?"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from playground.page.node import find_node, where_node_may_be
from playground.settings import WEB_DIR

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FINDINGS", "axe_source"]

FINDINGS = """
async () => {
  const rules = { "target-size": { enabled: true } };
  const { violations } = await axe.run(document, { rules });
  const where = (nodes) => nodes.map(({ target }) => target.join(" ")).join(", ");
  return violations.map(({ id, nodes }) => `${id}: ${where(nodes)}`);
}
"""
"""What it finds, where its source has been evaluated."""


def axe_source(folder: Path) -> str:
    """The source of axe-core: the page's own development tool, or the same version from npm."""
    installed = WEB_DIR.parent / "node_modules" / "axe-core" / "axe.min.js"
    if not installed.is_file():
        lock = json.loads((WEB_DIR.parent / "package-lock.json").read_text("utf-8"))
        version = lock["packages"]["node_modules/axe-core"]["version"]
        node = find_node(list(where_node_may_be()))
        assert node is not None, "the page was built, so there is a Node"
        command = [*node.npm, "install", "--no-audit", "--no-fund", f"axe-core@{version}"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        installed = folder / "node_modules" / "axe-core" / "axe.min.js"
    return installed.read_text("utf-8")
