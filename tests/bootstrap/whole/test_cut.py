"""Is a setup that was killed gone on with, wherever that was?

A setup that begins with nothing is killed before each of its stages, one run after the other; what
comes of that is compared with what one makes that nobody disturbs.
"""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from bootstrap.fetching.partial import part_size
from bootstrap.setup.remembered import TOLD
from tests.bootstrap.fileserver import Reply
from tests.bootstrap.whole.running import Ended, alive, begun_in, until
from tests.bootstrap.whole.stages import STAGES
from tests.bootstrap.whole.world import PROGRAM, World, files_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.bootstrap.whole.conftest import Prepared

MADE_AGAIN = {"server-install": "server-venv"}
"""What begins where one of these was begun, since half of it may be there."""
ENDINGS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@dataclass
class Cuts:
    """What became of a setup that was killed again and again."""

    codes: dict[str, int]
    """By the stage that was to come, how the process ended."""
    began: dict[str, str]
    """By the same, the first stage of the next run."""
    last: Ended
    """The run that nobody killed."""
    made: Mapping[str, bytes]
    model: bytes
    worker: str


@pytest.fixture(scope="module")
def cuts(prepared: Prepared) -> Cuts:
    """One that was killed before each stage, and then was not; in other folders."""
    old = prepared.world
    world = World(old.folder, old.publisher, dict(old.environ))
    world.anew()
    world.environ["MUSE_MODEL_DIR"] = str(world.folder / "a model 音")
    codes: dict[str, int] = {}
    begun: list[str] = []
    for before, stage in zip(("bootstrap: profile muse", *STAGES), STAGES, strict=False):
        setup = world.stepped()

        def is_done(line: str, before: str = before) -> bool:
            return f": {before}: done in " in line or line.startswith(before)

        assert setup.hold(is_done), setup.told
        setup.kill()
        codes[stage] = setup.process.returncode
        begun += begun_in(setup.told)[:1]
    last = world.run()
    begun += last.begun[:1]
    return Cuts(
        codes,
        dict(zip(STAGES, begun, strict=True)),
        last,
        files_of(world.made),
        world.model.read_bytes(),
        world.worker.read_text(),
    )


@pytest.mark.parametrize("stage", STAGES)
def test_who_was_killed_before_a_stage_goes_on_there(cuts: Cuts, stage: str) -> None:
    """Or at the one that makes its ground new, where it had begun already."""
    assert cuts.codes[stage] == -signal.SIGKILL
    assert cuts.began[stage] in {stage, MADE_AGAIN.get(stage, stage)}


def test_what_was_made_in_pieces_is_what_is_made_at_once(cuts: Cuts, prepared: Prepared) -> None:
    """The same files, the same worker and model, and nothing that only a cut leaves behind."""
    whole = files_of(prepared.kept / ".runtime")

    def named(files: Mapping[str, bytes]) -> set[str]:
        return {name for name in files if "/.git/" not in name and not name.startswith("models/")}

    assert cuts.last.code == 0, cuts.last.err
    assert named(cuts.made) == named(whole) | {TOLD}  # it alone was told where the model goes
    assert cuts.worker == prepared.world.worker.read_text()
    assert cuts.model == prepared.world.program


def test_a_download_that_was_killed_goes_on_where_it_was(whole: World) -> None:
    """The publisher is asked for the rest alone, and nobody waits for the dead."""
    whole.model.unlink()
    gate = threading.Event()
    whole.publisher.replies = [Reply(after=100_000, gate=gate)]
    setup = whole.start()
    until(lambda: part_size(whole.model) == 100_000, setup)

    setup.tell(signal.SIGKILL)
    assert setup.end().code == -signal.SIGKILL
    assert not whole.model.exists()
    gate.set()
    again = whole.run()

    assert (again.code, again.begun) == (0, [f"model-{PROGRAM}", "model-manifest"])
    assert [asked.start for asked in whole.publisher.asked] == [0, 100_000]
    assert whole.publisher.asked[-1].sent == len(whole.program) - 100_000
    assert whole.model.read_bytes() == whole.program
    assert "waiting for" not in again.err


def test_a_build_whose_setup_was_killed_is_waited_for(whole: World) -> None:
    """It lives on, and nobody builds beside it; then it is gone on with."""
    note = whole.folder / "at work"
    setup = whole.start("--force", "build", HOLD=str(note))
    until(note.exists, setup)
    setup.tell(signal.SIGKILL)
    setup.end()
    builder, helper = map(int, note.read_text().split())
    assert alive(builder)

    following = whole.stepped()
    assert following.hold(lambda line: "waiting for process" in line), following.told
    assert f"waiting for process {setup.process.pid}," in following.told[-1]
    note.unlink()
    again = following.end()

    assert (again.code, again.begun) == (0, ["build", "native-probe"])
    assert not alive(builder)
    assert not alive(helper)


@pytest.mark.parametrize("number", ENDINGS, ids=lambda number: number.name)
def test_a_signal_ends_a_build_and_all_that_it_started(
    whole: World, number: signal.Signals
) -> None:
    """With 130, and the next run builds again."""
    note = whole.folder / "at work"
    setup = whole.start("--force", "build", HOLD=str(note))
    until(note.exists, setup)
    working = [int(word) for word in note.read_text().split()]

    setup.tell(number)
    ended = setup.end()
    note.unlink()

    assert ended.code == 130, ended.err
    assert not any(alive(each) for each in working)
    assert whole.run().begun == ["build", "native-probe"]


def test_a_signal_ends_a_download_and_leaves_what_came(whole: World) -> None:
    """With 130, and the next run asks for the rest."""
    whole.model.unlink()
    gate = threading.Event()
    whole.publisher.replies = [Reply(after=50_000, gate=gate)]
    setup = whole.start()
    until(lambda: part_size(whole.model) == 50_000, setup)

    setup.tell(signal.SIGTERM)
    assert setup.end().code == 130
    gate.set()

    assert whole.run().code == 0
    assert whole.publisher.asked[-1].start == 50_000
    assert whole.model.read_bytes() == whole.program


def test_of_two_at_once_one_builds_and_the_other_finds_it_built(whole: World) -> None:
    """The second one says whom it waits for."""
    note = whole.folder / "at work"
    whole.pin(patch=whole.patch("patched by one of two"))
    first = whole.start(HOLD=str(note))
    until(note.exists, first)
    second = whole.stepped()
    assert second.hold(lambda line: "waiting for process" in line), second.told
    assert f"waiting for process {first.process.pid}," in second.told[-1]

    note.unlink()
    # The second one is let go on first: it may hold a lock that the first one waits for.
    other, one = second.end(), first.end()

    assert (one.code, other.code) == (0, 0)
    assert one.begun[:3] == ["patch", "build", "native-probe"]
    assert not {"patch", "build", "native-probe"} & set(other.begun)
    assert len([call for call in whole.called if call.startswith("cmake ")]) == 2
    assert whole.run().begun == []


def test_a_build_that_fails_is_told_with_its_log_and_gone_on_with(whole: World) -> None:
    """The compiler's own words; what was there before is not taken for what was asked."""
    failed = whole.run("--force", "build", BREAK="yes")

    assert failed.code == 1
    assert "stage build: cmake --workflow --preset mlx-release: ended with code 2" in failed.err
    assert "worker.sh:1: error: no such thing" in failed.err
    assert f"log: {whole.made / 'muse-m5' / 'prepare.log'}" in failed.err
    assert whole.run().begun == ["build", "native-probe"]
