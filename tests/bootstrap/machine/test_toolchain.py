"""Is each thing that is missing told, with what was found and what to do?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bootstrap.machine.asking import Answer, Asking
from bootstrap.machine.facts import read_machine
from bootstrap.machine.toolchain import CONDITIONS, Condition, State, look
from tests.bootstrap.fake_mac import fake_mac, sysctl

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

GIB = 2**30
NOT_AGREED = "echo You have not agreed to the Xcode license >&2; exit 69"


def conditions(
    folder: Path,
    changes: dict[str, str | None],
    *,
    wanted: Collection[str] = CONDITIONS,
    memory_bytes: int = 36 * GIB,
) -> dict[str, Condition]:
    """Of a Mac whose commands say this, by name."""
    ask = Asking(fake_mac(folder, changes))
    found = look(read_machine(ask), ask, wanted=wanted, memory_bytes=memory_bytes)
    return {condition.name: condition for condition in found}


def test_a_mac_that_has_everything(tmp_path: Path) -> None:
    """Is told with the versions that were found."""
    found = conditions(tmp_path, {})

    assert tuple(found) == CONDITIONS
    assert {condition.state for condition in found.values()} == {State.OK}
    assert found["xcode"].found == "Xcode 26.1, /Applications/Xcode.app/Contents/Developer"
    assert found["node"].found == "Node.js v22.12.0, npm 10.9.0"
    assert not any(condition.hint for condition in found.values())


@pytest.mark.parametrize(
    ("name", "changes", "state", "said", "hint"),
    [
        ("macos", {"uname": "echo Linux x86_64"}, "missing", "this is Linux", "use a Mac"),
        ("macos", {"sw_vers": "echo 13.6"}, "old", "macOS 13.6", "update to macOS 14"),
        ("macos", {"sw_vers": None}, "old", "of an unknown version", "update to macOS 14"),
        (
            "chip",
            {"uname": "echo Darwin x86_64", "sysctl": sysctl(chip="Intel Core i9", arm64=False)},
            "missing",
            "Intel Core i9",
            "use a Mac with Apple silicon",
        ),
        (
            "chip",
            {"uname": "echo Darwin x86_64", "sysctl": sysctl(rosetta=1)},
            "old",
            "this Python is one for x86_64 and runs under Rosetta",
            "run ./setup",
        ),
        ("memory", {"sysctl": sysctl(24 * GIB)}, "missing", "24 GiB", "--profile embedded"),
        ("memory", {"sysctl": None}, "missing", "unknown", "take 36 GiB"),
        (
            "xcode",
            {"xcodebuild": None, "xcode-select": "exit 2"},
            "missing",
            "no developer tools are selected",
            "install Xcode from the App Store",
        ),
        (
            "xcode",
            {"xcodebuild": None},
            "missing",
            "there is no xcodebuild on the PATH (selected: /Applications/Xcode.app",
            "install Xcode from the App Store",
        ),
        (
            "xcode",
            {"xcodebuild": "echo try running xcodebuild -runFirstLaunch >&2; exit 69"},
            "missing",
            "try running",
            "sudo xcodebuild -runFirstLaunch",
        ),
        (
            "xcode",
            {
                "xcode-select": "echo /Library/Developer/CommandLineTools",
                "xcodebuild": "echo \"error: tool 'xcodebuild' requires Xcode\" >&2; exit 1",
            },
            "missing",
            "requires Xcode (selected: /Library/Developer/CommandLineTools)",
            "sudo xcode-select -s /Applications/Xcode.app",
        ),
        (
            "xcode",
            {"xcodebuild": NOT_AGREED},
            "missing",
            "not agreed to the Xcode license",
            "sudo xcodebuild -license accept",
        ),
        (
            "metal",
            {"xcrun": NOT_AGREED},
            "missing",
            "not agreed",
            "sudo xcodebuild -license accept",
        ),
        ("git", {"git": NOT_AGREED}, "missing", "not agreed", "sudo xcodebuild -license accept"),
        ("xcode", {"xcodebuild": "echo Xcode 14.3.1"}, "old", "Xcode 14.3.1", "update Xcode to 15"),
        (
            "metal",
            {"xcrun": "echo 'xcrun: error: unable to find utility \"metal\"' >&2; exit 72"},
            "missing",
            'unable to find utility "metal"',
            "xcodebuild -downloadComponent MetalToolchain",
        ),
        (
            "metal",
            {
                "xcrun": 'case "$*" in *--find*) echo /usr/bin/metal;;'
                " *) echo 'cannot execute tool: missing Metal Toolchain' >&2; exit 1;; esac"
            },
            "missing",
            "missing Metal Toolchain",
            "--install-metal",
        ),
        ("git", {"git": None}, "missing", "there is no git on the PATH", "xcode-select --install"),
        (
            "node",
            {"node": None},
            "missing",
            "there is no node on the PATH",
            "nodejs.org",
        ),
        ("node", {"node": "echo v20.18.3"}, "old", "Node.js v20.18.3", "20.19 or a later 20"),
        ("node", {"node": "echo v21.7.0"}, "old", "Node.js v21.7.0", "22.12 and newer"),
        ("node", {"node": "echo v22.11.0"}, "old", "Node.js v22.11.0", "22.12 and newer"),
        ("node", {"node": "echo what"}, "old", "Node.js what", "22.12 and newer"),
        ("node", {"npm": None}, "missing", "but there is no npm on the PATH", "comes with it"),
    ],
)
def test_what_is_missing_is_told_one_by_one(
    tmp_path: Path, name: str, changes: dict[str, str | None], state: str, said: str, hint: str
) -> None:
    """With what was found and what to do."""
    condition = conditions(tmp_path, changes)[name]

    assert (condition.state.value, condition.wrong) == (state, True)
    assert said in condition.found
    assert hint in condition.hint


@pytest.mark.parametrize("version", ["v20.19.0", "v20.20.1", "v22.12.0", "v23.1.0", "v24.0.0"])
def test_a_node_of_the_range_will_do(tmp_path: Path, version: str) -> None:
    """Of the two that the page is built with."""
    assert conditions(tmp_path, {"node": f"echo {version}"})["node"].state is State.OK


def test_what_nobody_needs_is_not_looked_at(tmp_path: Path) -> None:
    """A model can be fetched by a machine without Xcode."""
    found = conditions(tmp_path, {"xcodebuild": "echo asked >> $HOME/asked"}, wanted={"macos"})

    assert found["macos"].state is State.OK
    assert {found[name].state for name in CONDITIONS[1:]} == {State.NOT_NEEDED}
    assert not (tmp_path / "asked").exists()


def test_without_developer_tools_nothing_opens_their_installer(tmp_path: Path) -> None:
    """What Apple has put for them does so when it is called, and --plan changes nothing."""
    stub = "echo asked >> $HOME/asked; exit 1"
    found = conditions(
        tmp_path,
        {
            "xcode-select": "echo 'error: unable to get active developer directory' >&2; exit 2",
            **dict.fromkeys(("xcodebuild", "xcrun", "git"), stub),
        },
    )

    assert [name for name, each in found.items() if each.wrong] == ["xcode", "metal", "git"]
    assert all("install Xcode" in found[name].hint for name in ("xcode", "metal", "git"))
    assert not (tmp_path / "asked").exists()


def test_a_node_of_homebrews_that_the_path_does_not_know_is_told(tmp_path: Path) -> None:
    """It need not be installed once more."""
    commands = Asking(fake_mac(tmp_path, {"node": None}))

    def ask(*argv: str) -> Answer:
        there = argv[0] == "/opt/homebrew/bin/node"
        return Answer(0, "v24.1.0\n") if there else commands(*argv)

    (*_, node) = look(read_machine(ask), ask, wanted={"node"}, memory_bytes=0)

    assert (node.state, node.found) == (State.MISSING, "there is no node on the PATH")
    assert 'export PATH="/opt/homebrew/bin:$PATH"' in node.hint


def test_everything_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    """Not one a run."""
    found = conditions(tmp_path, dict.fromkeys(("git", "node", "xcrun", "xcodebuild")))

    assert [name for name, condition in found.items() if condition.wrong] == [
        *("xcode", "metal", "git", "node")
    ]
