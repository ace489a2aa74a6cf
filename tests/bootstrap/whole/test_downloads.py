"""Does a model come whole through a bad line, and never wrong?"""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import CannotStart
from bootstrap.fetching.partial import part_of, part_size
from bootstrap.layout import Layout
from bootstrap.machine.asking import Asking
from bootstrap.machine.room import Disk
from bootstrap.setup.here import Here
from bootstrap.setup.profiles import rows
from bootstrap.setup.request import Request
from bootstrap.setup.setting_up import set_up
from tests.bootstrap.fileserver import Published, Reply
from tests.bootstrap.whole.running import Started
from tests.bootstrap.whole.world import PROGRAM, copied, unplugged

if TYPE_CHECKING:
    from tests.bootstrap.whole.conftest import Away
    from tests.bootstrap.whole.world import World

STAGE = f"model-{PROGRAM}"


def test_a_download_that_is_cut_off_goes_on_by_itself(whole: World) -> None:
    """In the same run, with the rest."""
    whole.model.unlink()
    whole.publisher.replies = [Reply(after=200_000)]

    again = whole.run()

    assert again.code == 0, again.err
    assert [asked.start for asked in whole.publisher.asked] == [0, 200_000]
    assert whole.model.read_bytes() == whole.program


def test_a_download_that_is_another_file_is_thrown_away(whole: World) -> None:
    """It is fetched once more; the right one gets the name."""
    whole.model.unlink()
    whole.publisher.replies = [Reply(data=whole.program[::-1])]

    again = whole.run()

    assert again.code == 0, again.err
    assert "what came is another file" in again.err
    assert whole.model.read_bytes() == whole.program


def test_one_that_is_wrong_every_time_gets_no_name(whole: World) -> None:
    """The stage, what was found and what is pinned are told; the next run begins from there."""
    whole.model.unlink()
    whole.publisher.replies = [Reply(data=whole.program[::-1])] * 2

    failed = whole.run()

    assert (failed.code, failed.begun) == (1, [STAGE])
    assert f"stage {STAGE}: " in failed.err
    assert "SHA-256" in failed.err
    assert not whole.model.exists()
    assert whole.run().begun == [STAGE, "model-manifest"]
    assert whole.model.read_bytes() == whole.program


def test_one_that_is_published_too_short_is_refused(whole: World) -> None:
    """By its size, before it is fetched."""
    whole.model.unlink()
    whole.publisher.files[f"/r1/{PROGRAM}"] = Published(whole.program[:1000])

    failed = whole.run()

    assert failed.code == 1
    assert f"stage {STAGE}: " in failed.err
    assert "has 1000 bytes" in failed.err
    assert not whole.model.exists()


def test_a_model_that_was_changed_here_is_told_and_left_alone(whole: World) -> None:
    """Somebody may have meant it."""
    size = len(whole.program)
    whole.model.unlink()
    whole.model.write_bytes(b"x" * size)

    failed = whole.run()

    assert failed.code == 1
    assert "is another file" in failed.err
    assert "move it away" in failed.err
    assert whole.model.read_bytes() == b"x" * size


def test_a_disk_without_room_is_told_before_anything_is_begun(whole: World) -> None:
    """With what is to be made, and what there is."""
    whole.model.unlink()
    told: list[str] = []
    here = Here(
        places=Layout(whole.checkout, whole.made),
        environ=whole.environ,
        ask=Asking(whole.environ),
        look_at_disk=lambda _: Disk(1, 1000),
        tell=told.append,
        rows=rows,
    )

    with pytest.raises(CannotStart, match=r"disk: .*; make room for ") as problem:
        set_up(Request(profile="muse"), here)

    assert "1.0 kB free" in str(problem.value)
    assert whole.publisher.asked == []
    assert told == []


def test_a_disk_that_takes_no_more_ends_the_stage_and_keeps_what_came(whole: World) -> None:
    """The next run asks for the rest."""
    whole.model.unlink()
    command = shlex.join([sys.executable, "-m", "bootstrap"])
    limited = ["sh", "-c", f"ulimit -f 400; exec {command}"]

    failed = Started(limited, whole.checkout, whole.environ).end()

    came = part_size(whole.model)
    assert failed.code == 1, failed.err
    assert f"stage {STAGE}: " in failed.err
    assert 0 < came < len(whole.program)
    assert whole.run().code == 0
    assert whole.publisher.asked[-1].start == came
    assert not part_of(whole.model).exists()


def test_without_a_network_what_is_there_is_enough(whole: World) -> None:
    """And so it is for what is only made again of it."""
    with unplugged(whole.environ) as environ:
        assert whole.run(**environ).begun == []
        again = whole.run("--force", "source", **environ)

    assert again.code == 0, again.err
    assert again.begun == ["source", "patch", "build", "native-probe"]


def test_without_a_network_another_commit_is_a_clear_failure(whole: World) -> None:
    """Which stage, what git said, and what helps; with the network it goes on."""
    whole.pin(commit=whole.commit_upstream("another"))
    with unplugged(whole.environ) as environ:
        failed = whole.run(**environ)

    assert (failed.code, failed.begun) == (1, ["source"])
    assert "stage source: " in failed.err
    assert "MUSE_GIT_MIRROR" in failed.err
    assert whole.run().begun[0] == "source"
    assert "# another\n" in whole.worker.read_text()


def test_without_a_network_packages_are_a_clear_failure(whole: World) -> None:
    """Which stage, and how another index is named."""
    environment = whole.made / "server"
    whole.anew()
    copied(environment, whole.made / "server")
    for path in (whole.made / "server").glob("venv/lib/*/site-packages/locked-*"):
        shutil.rmtree(path)
    (whole.made / "server" / "stamps" / "server-install").unlink()
    with unplugged(whole.environ) as environ:
        failed = whole.run(**environ)

    assert (failed.code, failed.begun) == (1, ["server-install"])
    assert "stage server-install: " in failed.err
    assert "MUSE_PIP_ARGS" in failed.err


def test_without_a_network_a_model_is_given_up_after_a_while(away: Away) -> None:
    """Each try is told, and the address; nothing has a name that was not there."""
    failed = away.setup.end()

    assert failed.code == 1
    assert "stage model-LICENSE: " in failed.err
    assert "once more in 1 s" in failed.err
    assert "tried 6 times" in failed.err
    assert not list(away.folder.rglob("LICENSE"))
