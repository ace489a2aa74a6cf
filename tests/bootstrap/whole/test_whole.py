"""Is everything made from nothing, once, and after that only what has changed?"""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from tests.bootstrap.whole.stages import STAGES, WORKS
from tests.bootstrap.whole.world import files_of, plan_of

if TYPE_CHECKING:
    from tests.bootstrap.whole.conftest import Prepared
    from tests.bootstrap.whole.world import World


def test_from_nothing_all_is_made_in_its_order(prepared: Prepared) -> None:
    """By a Mac's own choice of profile; then it is said how to start."""
    first, world = prepared.first, prepared.world

    assert first.code == 0, first.err
    assert first.begun == list(STAGES)
    assert first.out == (
        f"profile muse is ready; made: {', '.join(STAGES)}\n"
        f"start it: {shlex.quote(str(world.started))}\n"
    )
    assert "profile muse: Apple M5 Max with 64 GiB of memory" in first.err


def test_what_is_made_is_what_is_pinned(whole: World) -> None:
    """The worker of the patched commit, the kernels of its submodules, the published files."""
    assert "# one\n" in whole.worker.read_text()
    assert "# patched\n" in whole.worker.read_text()
    assert whole.worker.with_name("mlx.metallib").read_text() == "kernels\nformat\n"
    assert whole.model.read_bytes() == whole.program
    assert whole.page.read_text().startswith("<!doctype html>")
    assert whole.run("--verify").code == 0


def test_the_plan_of_all_that_is_there_is_nothing(whole: World) -> None:
    """It names every stage, and none of them is due; nobody needs the uv that brought a Python."""
    plan = plan_of(whole.run("--plan", "--json"))

    needed = [stage for stage in STAGES if stage not in WORKS["uv"]]
    assert whole.stages() == dict.fromkeys(needed, False)
    assert plan["disk"]["due_bytes"] == plan["disk"]["download_bytes"] == 0
    assert plan["obstacles"] == []


def test_the_plan_of_a_new_machine_is_every_stage(whole: World) -> None:
    """Nothing is made by it, not even a folder."""
    whole.anew()

    plan = plan_of(whole.run("--plan", "--json"))

    named = {
        each["name"]: tuple(stage["name"] for stage in each["stages"]) for each in plan["works"]
    }
    assert named == WORKS
    assert whole.stages() == dict.fromkeys(STAGES, True)
    assert plan["obstacles"] == []
    assert not whole.made.exists()


def test_a_second_run_does_nothing(whole: World) -> None:
    """No tool is called, nobody is asked, nothing is written but how it was looked at."""
    before = files_of(whole.folder)

    again = whole.run()

    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("profile muse is ready; everything was there\n")
    assert whole.called == []
    assert whole.publisher.asked == []
    assert files_of(whole.folder) == before


def test_another_patch_is_applied_to_the_pristine_tree_and_built(whole: World) -> None:
    """Of the old one nothing is left; nothing else is made but the note of what is pinned."""
    whole.pin(patch=whole.patch("patched otherwise"))

    again = whole.run()

    assert again.begun == ["patch", "build", "native-probe", *WORKS["profile"]], again.err
    assert "# patched otherwise\n" in whole.worker.read_text()
    assert "# patched\n" not in whole.worker.read_text()
    assert whole.run().begun == []


def test_a_patch_that_nobody_pinned_is_not_applied(whole: World) -> None:
    """It says so, and where it is mended, all is as it was."""
    whole.patch("something else")

    refused = whole.run()

    assert refused.code == 1
    assert "stage patch: " in refused.err
    assert "is pinned" in refused.err
    whole.patch("patched")
    assert whole.run().code == 0
    assert "# patched\n" in whole.worker.read_text()


def test_another_commit_is_fetched_patched_and_built(whole: World) -> None:
    """Over the tree that is there, and without another environment."""
    whole.pin(commit=whole.commit_upstream("two"))

    again = whole.run()

    assert again.begun == ["source", "patch", "build", "native-probe", *WORKS["profile"]]
    assert "# two\n" in whole.worker.read_text()
    assert "# patched\n" in whole.worker.read_text()
    assert whole.run().begun == []


def test_another_revision_of_the_model_is_fetched(whole: World) -> None:
    """The files whose hash is the same stay, and only what may be another is asked for."""
    whole.publisher.files.update(
        {path.replace("/r1/", "/r2/"): file for path, file in whole.publisher.files.items()}
    )
    whole.pin(revision="r2")

    again = whole.run()

    assert again.code == 0, again.err
    assert {asked.path for asked in whole.publisher.asked} == {"/r2/LICENSE"}
    assert whole.run().begun == []


def test_only_makes_what_is_named(whole: World) -> None:
    """And leaves what else is due."""
    shutil.rmtree(whole.page.parent)
    whole.profile.unlink()

    again = whole.run("--only", "page")

    assert (again.code, again.begun) == (0, ["page"])
    assert {name for name, due in whole.stages().items() if due} == {"profile", "launcher"}


def test_force_makes_a_stage_again_and_all_behind_it(whole: World) -> None:
    """In its own row alone."""
    again = whole.run("--force", "build")

    assert (again.code, again.begun) == (0, ["build", "native-probe"])


def test_offline_is_enough_where_all_is_there(whole: World) -> None:
    """And for what is due and needs nobody."""
    assert whole.run("--offline").begun == []
    whole.pin(patch=whole.patch("patched offline"))

    again = whole.run("--offline")

    assert again.code == 0, again.err
    assert again.begun == ["patch", "build", "native-probe", *WORKS["profile"]]
    assert whole.publisher.asked == []


def test_offline_begins_nothing_where_a_file_is_missing(whole: World) -> None:
    """Not even what could be done."""
    whole.model.unlink()
    whole.profile.unlink()

    refused = whole.run("--offline")

    assert (refused.code, refused.begun) == (1, [])
    assert "offline: stage model-script.pte needs the network" in refused.err
    assert not whole.profile.exists()


def test_the_other_profile_takes_a_worker_of_its_own_and_the_same_server(whole: World) -> None:
    """No tool of a Mac is asked for, and no model."""
    plan = plan_of(whole.run("--profile", "embedded", "--plan", "--json"))

    assert {work["name"] for work in plan["works"]} == {"server", "embedded", "page", "profile"}
    due = {name for name, due in whole.stages("--profile", "embedded").items() if due}
    assert due == {"venv", "install", "link", "probe", "profile", "launcher"}
    assert {each["state"] for each in plan["toolchain"]} == {"not-needed"}


def test_an_uninstall_leaves_the_checkout_and_nothing_anywhere_else(whole: World) -> None:
    """With the page, which is built among its sources; a person's folder was never written to."""
    before = files_of(whole.checkout)

    gone = whole.run("uninstall", "--yes")

    assert gone.code == 0, gone.err
    assert files_of(whole.home) == {}
    assert not whole.made.exists()
    assert files_of(whole.checkout) == {
        name: content
        for name, content in before.items()
        if not name.startswith(".runtime/") and name != "Muse Glimmer.command"
    }
