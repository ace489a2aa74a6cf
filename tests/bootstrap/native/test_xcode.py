"""Is the Xcode that builds here known without being asked?"""

from __future__ import annotations

import plistlib
from typing import TYPE_CHECKING

import pytest

from bootstrap.native.xcode import xcode_here

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_known_by_version_and_build(tmp_path: Path) -> None:
    """From the file beside the folder of its tools."""
    tools = tmp_path / "Xcode é.app" / "Contents" / "Developer"
    tools.mkdir(parents=True)
    said = {"CFBundleShortVersionString": "26.1", "ProductBuildVersion": "17B55"}
    (tools.parent / "version.plist").write_bytes(plistlib.dumps(said))

    assert xcode_here({"DEVELOPER_DIR": str(tools)}) == {"xcode": "26.1 (17B55)"}


@pytest.mark.parametrize("text", [None, b"", b"<plist", b"<plist><dict/></plist>"])
def test_what_has_no_version_is_no_xcode(tmp_path: Path, text: bytes | None) -> None:
    """Its command-line tools alone, or half of something."""
    tools = tmp_path / "CommandLineTools"
    tools.mkdir()
    if text is not None:
        (tmp_path / "version.plist").write_bytes(text)

    assert xcode_here({"DEVELOPER_DIR": str(tools)}) == {}
