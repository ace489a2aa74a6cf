"""Is each tool that is missing named, with what to do, before anything is begun?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.whole.world import plan_of

if TYPE_CHECKING:
    from tests.bootstrap.whole.world import World

SAID = {
    "xcodebuild": ("xcode: ", "install Xcode from the App Store"),
    "xcrun": ("metal: ", "xcodebuild -downloadComponent MetalToolchain"),
    "git": ("git: ", "xcode-select --install"),
    "node": ("node: ", "install Node.js"),
    "npm": ("node: Node.js v22.12.0, but there is no npm", "npm comes with it"),
    "sw_vers": ("macos: macOS of an unknown version", "update to macOS 14"),
    "sysctl": ("memory: unknown", "use --profile embedded"),
}
"""By the command that is missing: what is told of it, and what helps."""


@pytest.mark.parametrize("tool", SAID)
def test_a_missing_tool_is_named_and_nothing_is_begun(whole: World, tool: str) -> None:
    """By the run as by the plan."""
    whole.anew()
    whole.without(tool)

    refused = whole.run("--profile", "muse")

    found, helps = SAID[tool]
    assert (refused.code, refused.begun) == (1, []), refused.err
    assert found in refused.err
    assert helps in refused.err
    assert not whole.made.exists()
    [obstacle] = plan_of(whole.run("--profile", "muse", "--plan", "--json"))["obstacles"]
    assert found in obstacle


def test_all_that_is_missing_is_named_at_once(whole: World) -> None:
    """Nobody has to begin five times."""
    whole.anew()
    for tool in SAID:
        whole.without(tool)

    plan = plan_of(whole.run("--profile", "muse", "--plan", "--json"))

    named = [obstacle.partition(":")[0] for obstacle in plan["obstacles"]]
    assert named == ["macos", "memory", "xcode", "metal", "git", "node"]


def test_what_is_made_needs_no_tool_any_more(whole: World) -> None:
    """Where nothing is due, nothing but the machine is looked at."""
    for tool in ("xcodebuild", "xcrun", "git", "node", "npm", "cmake"):
        whole.without(tool)

    again = whole.run()

    assert (again.code, again.begun) == (0, []), again.err
