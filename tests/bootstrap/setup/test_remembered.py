"""Does a second `./setup` find the model and the port that the first one was told?"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from bootstrap.cli.command import main
from bootstrap.errors import CannotStart, StageFailed, UsageError
from bootstrap.setup.planning import make_plan
from bootstrap.setup.remembered import TOLD, Told, told_before, with_told
from bootstrap.setup.request import Request
from bootstrap.setup.setting_up import set_up
from tests.bootstrap.scripted_rows import Rehearsal, Step

if TYPE_CHECKING:
    from pathlib import Path


def rehearsal(folder: Path) -> Rehearsal:
    """A model that is fetched, and what is noted for the launcher."""
    return Rehearsal(folder, {"model": [Step("fetch")], "profile": [Step("profile")]})


def told(folder: Path) -> Request:
    """Of a first run."""
    return Request(model_dir=folder / "a disk é" / "glimmer", port=4000)


def test_what_a_run_was_told_holds_for_the_next_one(tmp_path: Path) -> None:
    """The same folder, with nothing fetched anew; and the same port."""
    made, first = rehearsal(tmp_path), told(tmp_path)
    set_up(first, made.here)

    again = with_told(Request(), made.places)
    plan = make_plan(again, made.here, whole=True)

    assert (again.model_dir, again.port) == (first.model_dir, 4000)
    assert plan.pin.model.folder == first.model_dir
    assert plan.to_json()["remembered"] == {"model_dir": str(first.model_dir), "port": 4000}
    line = f"as an earlier run was told: --model-dir {first.model_dir}, --port 4000"
    assert line in plan.in_words().splitlines()


def test_what_a_run_is_told_itself_wins_and_is_kept(tmp_path: Path) -> None:
    """The other one holds on."""
    made = rehearsal(tmp_path)
    set_up(told(tmp_path), made.here)

    other = with_told(Request(port=5000), made.places)
    set_up(other, made.here)

    assert other.remembered == ("model_dir",)
    assert told_before(made.places) == Told(told(tmp_path).model_dir, 5000)


def test_a_first_run_that_failed_is_gone_on_with_in_its_folder(tmp_path: Path) -> None:
    """It is kept when it begins, and not when it has ended."""
    made = rehearsal(tmp_path)

    def cut() -> None:
        raise StageFailed("fetch", "the line is bad")

    made.change("fetch", make=cut)
    with pytest.raises(StageFailed):
        set_up(told(tmp_path), made.here)

    assert with_told(Request(), made.places).model_dir == told(tmp_path).model_dir


def test_a_plan_and_a_run_that_cannot_begin_keep_nothing(tmp_path: Path) -> None:
    """They change nothing."""
    made = rehearsal(tmp_path)
    made.needs, made.commands = {"model": ("git",)}, {"git": None}
    make_plan(told(tmp_path), made.here, whole=True)
    with pytest.raises(CannotStart):
        set_up(told(tmp_path), made.here)

    assert not made.places.made.exists()
    assert not (tmp_path / "a disk é").exists()


def test_nothing_is_written_where_nothing_was_said(tmp_path: Path) -> None:
    """Nor again where it is kept already."""
    made = rehearsal(tmp_path)
    set_up(with_told(Request(), made.places), made.here)
    assert not (made.places.made / TOLD).exists()

    set_up(told(tmp_path), made.here)
    before = (made.places.made / TOLD).stat()
    set_up(with_told(Request(), made.places), made.here)
    assert (made.places.made / TOLD).stat() == before


def test_a_folder_that_is_away_with_its_disk_is_asked_for(tmp_path: Path) -> None:
    """The model is not fetched once more to where the disk was; whoever means that can say so."""
    made = rehearsal(tmp_path)
    made.works = {"glimmer": made.works["model"]}
    made.where = {"glimmer": told(tmp_path).model_dir}
    set_up(told(tmp_path), made.here)
    (tmp_path / "a disk é" / "glimmer").rmdir()
    made.change("fetch", made_of="it is not there")

    with pytest.raises(CannotStart, match=r"glimmer, .* is not there(.|\n)*--model-dir DIR"):
        set_up(with_told(Request(), made.places), made.here)
    assert set_up(told(tmp_path), made.here)[1] == ("fetch",)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": 2}', '{"schema": 1, "model_dir": "/m", "port": "x"}']
)
def test_what_cannot_be_read_says_what_to_do(tmp_path: Path, text: str) -> None:
    """It may have been another folder."""
    made = rehearsal(tmp_path)
    made.places.made.mkdir()
    (made.places.made / TOLD).write_text(text)

    with pytest.raises(UsageError, match="remove it, and say --model-dir and --port again"):
        told_before(made.places)


def test_the_commands_about_pins_know_the_folder_too(tmp_path: Path) -> None:
    """Which the gate reads; a variable wins there as well."""
    (tmp_path / TOLD).write_text('{"schema": 1, "model_dir": "/kept/glimmer", "port": null}')

    def folder(**environ: str) -> str:
        out = io.StringIO()
        environ = {"MUSE_RUNTIME_DIR": str(tmp_path), "PATH": "", **environ}
        assert main(("pin", "muse-m5", "--json"), environ, out, io.StringIO()) == 0
        arguments = json.loads(out.getvalue())["arguments"]
        return str(arguments[arguments.index("--model-dir") + 1])

    assert folder() == "/kept/glimmer"
    assert folder(MUSE_MODEL_DIR="/said") == "/said"
