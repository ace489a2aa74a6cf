"""Is what was made removed, and nothing else; and nothing at all while it is in use?"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.cli.command import main
from bootstrap.errors import InUse
from bootstrap.layout import Layout
from bootstrap.machine.asking import Answer
from bootstrap.running.lock import held
from bootstrap.setup.uninstalling import removals, remove, unused

NO_PROC = Path("/nowhere")


def made(folder: Path) -> Path:
    """A folder as the setup leaves it, and what others put there."""
    made = folder / "gemacht für Muse"
    for name in ("server", "muse-glimmer", "embedded"):
        (made / name / "stamps").mkdir(parents=True)
        (made / name / "lock").write_text("1\n")
    (made / "models" / "muse-glimmer").mkdir(parents=True)
    (made / "models" / "muse-glimmer" / "program.pte").write_bytes(b"p" * 2_000_000)
    (made / "muse-glimmer" / "stamps" / "model-program.pte").touch()
    (made / "cache" / "pip").mkdir(parents=True)
    (made / "profile.json").write_text("{}")
    (made / "mine").mkdir()
    (made / "mine" / "thesis.tex").write_text("years")
    return made


def uninstall(folder: Path, *argv: str, said: str = "") -> tuple[int, str, str]:
    """Its exit code and what it wrote."""
    stdout, stderr = io.StringIO(), io.StringIO()
    environ = {"MUSE_RUNTIME_DIR": str(folder), "PATH": os.environ["PATH"]}
    code = main(("uninstall", *argv), environ, stdout, stderr, io.StringIO(said))
    return code, stdout.getvalue(), stderr.getvalue()


def test_what_was_made_is_listed_with_its_size_and_removed(tmp_path: Path) -> None:
    """When it is agreed to; what the setup did not make stays."""
    folder = made(tmp_path)
    code, out, err = uninstall(folder, said="y\n")

    assert (code, out) == (0, "removed 2.0 MB\n")
    assert f"2.0 MB  {folder / 'models'}" in err
    assert f"stays  {folder / 'mine'}" in err
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert (folder / "mine" / "thesis.tex").read_text() == "years"


@pytest.mark.parametrize("said", ["", "\n", "n\n", "yesterday\n"])
def test_nothing_is_removed_that_was_not_agreed_to(tmp_path: Path, said: str) -> None:
    """Nor where there is nobody to ask."""
    folder = made(tmp_path)
    code, _, err = uninstall(folder, said=said)

    assert code == 2
    assert "nothing was removed: it was not agreed to; --yes does without" in err
    assert len(list(folder.iterdir())) == 7


def test_models_can_be_kept(tmp_path: Path) -> None:
    """With what is known of them, so that the next setup fetches nothing."""
    folder = made(tmp_path)
    code, out, _ = uninstall(folder, "--yes", "--keep-models", "--json")

    told = json.loads(out)
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["mine", "models", "muse-glimmer"]
    assert {Path(each["path"]).name for each in told["removed"]} == {
        *("cache", "embedded", "profile.json", "server")
    }


def test_where_nothing_was_made_there_is_nothing_to_remove(tmp_path: Path) -> None:
    """And nothing to agree to."""
    folder = made(tmp_path)
    (folder / "mine" / "thesis.tex").unlink()
    (folder / "mine").rmdir()

    assert uninstall(folder, "--yes")[0] == 0
    assert not folder.exists()
    assert uninstall(folder)[:2] == (0, "there was nothing to remove\n")


def test_what_a_stopped_run_left_of_a_folder_is_removed_by_the_next(tmp_path: Path) -> None:
    """Though its stamps, by which it was known, went first."""
    folder = made(tmp_path)
    (folder / "embedded" / "venv").mkdir()

    def cut(path: Path) -> None:
        shutil.rmtree(path / "stamps" if path.name == "embedded" else path)
        if path.name == "embedded":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        remove(removals(Layout(tmp_path, folder), None, keep_models=False), folder, cut)

    assert uninstall(folder, "--yes")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["mine"]


def test_a_link_is_removed_and_not_followed(tmp_path: Path) -> None:
    """A model folder may be one, to another disk."""
    folder, elsewhere = made(tmp_path), tmp_path / "elsewhere"
    (folder / "models").rename(elsewhere)
    (folder / "models").symlink_to(elsewhere)

    assert uninstall(folder, "--yes")[0] == 0
    assert (elsewhere / "muse-glimmer" / "program.pte").exists()
    assert not (folder / "models").is_symlink()


def test_a_link_counts_as_a_link(tmp_path: Path) -> None:
    """Nothing of what it leads to is said to be removed."""
    folder, elsewhere = made(tmp_path), tmp_path / "elsewhere"
    (folder / "models" / "muse-glimmer").rename(elsewhere)
    (folder / "models" / "muse-glimmer").symlink_to(elsewhere)
    whole = removals(Layout(tmp_path, folder), None, keep_models=False)
    (folder / "models" / "muse-glimmer").unlink()
    (folder / "models").rmdir()
    (folder / "models").symlink_to(elsewhere)

    assert whole.bytes < 100_000
    assert removals(Layout(tmp_path, folder), None, keep_models=False).bytes < 100_000


def test_what_others_have_in_folders_of_the_same_names_stays(tmp_path: Path) -> None:
    """MUSE_RUNTIME_DIR may have named a folder that is used for other things too."""
    folder = made(tmp_path)
    theirs = [
        *("cache/browser/page", "tools/hammer", "python/scripts/mine.py", "launch/rocket.txt"),
        *("models/llama.gguf", "models/other/own.pte", "models/muse-glimmer/notes.txt"),
        *("stamps/penny-black.jpg", "letters/stamps/1840.jpg", "profile/lock", "profile/bookmarks"),
    ]
    ours = [
        *("cache/uv/wheel", "tools/uv-1/uv", "python/cpython-3.12.9-macos/bin/python3.12"),
        *("launch/127.0.0.1-3939.lock", "launch/127.0.0.1-3939.json", "metal/prepare.log"),
        *("models/muse-glimmer/recorded.json", "models/muse-glimmer/program.pte.part"),
        *("uv/lock", ".DS_Store", "told.json"),
    ]
    for name in (*theirs, *ours):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")

    code, _, err = uninstall(folder, "--yes")

    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert code == 0
    assert left == {*theirs, "mine/thesis.tex"}
    assert f"stays  {folder / 'models' / 'llama.gguf'}\n" in err


def test_a_model_folder_that_was_told_stays_wherever_it_is(tmp_path: Path) -> None:
    """Also where it is the very folder that keeps what is known of the model."""
    folder = made(tmp_path)
    own = folder / "muse-glimmer"
    (own / "program.pte").write_bytes(b"p")
    told = {"schema": 1, "model_dir": str(own), "port": None}
    (folder / "told.json").write_text(json.dumps(told))

    assert uninstall(folder, "--yes")[0] == 0
    assert (own / "program.pte").exists()
    assert not (folder / "server").exists()


def test_it_is_refused_while_somebody_holds_a_lock(tmp_path: Path) -> None:
    """With who does; a launcher's lock is one too."""
    folder = made(tmp_path)
    (folder / "launch").mkdir()
    for name in ("server/lock", "launch/127.0.0.1-3939.lock"):
        with held(folder / name, print):
            code, _, err = uninstall(folder, "--yes")
        assert code == 1
        assert f"process {os.getpid()} holds {folder / name}" in err
        assert (folder / "models").exists()

    assert uninstall(folder, "--yes")[0] == 0


def test_it_is_refused_while_something_runs_from_there(tmp_path: Path) -> None:
    """As a playground does, by a command that names the folder."""
    folder = made(tmp_path)
    command = [sys.executable, "-c", "input()", str(folder / "server" / "muse-playground")]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        code, _, err = uninstall(folder, "--yes")
        assert process.stdin is not None
        process.stdin.close()

    assert code == 1
    assert f"process {process.pid}: {sys.executable} -c input()" in err
    assert (folder / "server").exists()


def test_who_started_us_does_not_count(tmp_path: Path) -> None:
    """A setup that was started from a Python it has made can remove that; `ps` tells on a Mac."""
    folder = made(tmp_path)
    us, others = os.getpid(), os.getppid()
    command = f"{folder}/python/bin/python -m bootstrap uninstall"
    lines = [f"{us} {others} {command}", f"{others} 1 sh {folder}/setup.sh", "1 0 init"]

    def ask(*argv: str) -> Answer:
        return Answer(0, "\n".join(lines))

    with unused(Layout(tmp_path, folder), ask, NO_PROC):
        pass
    lines.append(f"99999 1 {folder}/server/venv/bin/python -m playground")
    with (
        pytest.raises(InUse, match=r"process 99999: .*-m playground"),
        unused(Layout(tmp_path, folder), ask, NO_PROC),
    ):
        pass


def test_whoever_waits_for_a_lock_that_is_removed_takes_the_new_one(tmp_path: Path) -> None:
    """The old one would keep nobody else out."""
    folder = made(tmp_path)
    code = (
        "import sys; from pathlib import Path; from bootstrap.running.lock import held\n"
        "path = Path(sys.argv[1])\n"
        "with held(path, lambda line: print(line, flush=True)) as lock:\n"
        "    import os; print(os.path.samestat(os.fstat(lock), path.stat()))\n"
    )
    lock = folder / "server" / "lock"
    with held(lock, print):
        waiting = subprocess.Popen(
            [sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE, text=True
        )
        assert waiting.stdout is not None
        assert waiting.stdout.readline().startswith("waiting for process")
        remove(removals(Layout(tmp_path, folder), None, keep_models=False), folder)

    assert waiting.communicate()[0] == "True\n"
