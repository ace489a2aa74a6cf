"""The small parts of a launch: places, notes, what runs, what helps."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from playground.launch.helpers import Surroundings, keep_awake, open_page
from playground.launch.instance import Model, Silence, ask, model_asked_for, read_instance
from playground.launch.places import launch_folder, stem_of
from playground.launch.processes import mark_of
from playground.launch.state import LaunchState, clean_up, read_marks
from playground.settings import MODEL_DIR, Settings, SettingsError
from tests.playground.launch.launching import stub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NANO = Model("muse-nano", "muse-nano.pte", 10, "aa")
TOLD = {
    "modelId": "muse-nano",
    "artifact": "muse-nano.pte",
    "modelBytes": 10,
    "artifactSha256": "aa",
    "state": "ready",
    "reason": None,
    "pids": {"server": 71, "worker": 72},
}


# --- who answers


@contextlib.contextmanager
def foreign(answer: Callable[[socket.socket], object]) -> Iterator[int]:
    """A server that answers one request so, and its port."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            there, _ = listening.accept()
            with there:
                there.recv(1 << 16)
                answer(there)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            thread.join()


def dribble(there: socket.socket) -> None:
    """A byte now and then, for as long as somebody listens to it."""
    while True:
        there.sendall(b"H")
        time.sleep(0.01)


def whole(body: bytes) -> Callable[[socket.socket], object]:
    """An answer with this body."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    return lambda there: there.sendall(head + body)


@pytest.mark.parametrize(
    "answer",
    [
        lambda there: there.recv(1),
        dribble,
        whole(b"<html>"),
        whole(b"[" * 200_000),
        whole(b"[1]"),
        whole(b'"modelId"'),
        whole(b'{"modelId": "x", "pids": []}'),
        whole(b"\xff\xfe"),
        lambda there: there.sendall(b"SSH-2.0-x\r\n"),
        lambda there: there.close(),
    ],
    ids=["nothing", "dribbles", "html", "deep", "list", "string", "pids", "bytes", "ssh", "closes"],
)
def test_whatever_else_answers_is_foreign_and_nobody_waits_for_it(
    answer: Callable[[socket.socket], object],
) -> None:
    """However slowly it speaks, and whatever it says."""
    with foreign(answer) as port:
        assert ask("127.0.0.1", port, "u", patience_s=0.2) is Silence.FOREIGN


def test_where_nobody_can_be_reached_nobody_listens() -> None:
    """Whether that address can be had is for whoever binds it to say."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        port = mute.getsockname()[1]
        assert ask("127.0.0.1", port, "u") is Silence.NOTHING
    assert ask("255.255.255.255", port, "u") is Silence.NOTHING


# --- places


def test_the_folder_is_the_one_that_was_named(tmp_path: Path) -> None:
    """`MUSE_RUNTIME_DIR`, as for all that is made here."""
    named = {"MUSE_RUNTIME_DIR": str(tmp_path / "made é")}

    assert launch_folder(named, tmp_path / "checkout") == tmp_path / "made é" / "launch"


def test_a_checkout_keeps_it_with_all_that_is_made_for_it(tmp_path: Path) -> None:
    """In `.runtime`, which git does not keep."""
    assert launch_folder({}, tmp_path) == tmp_path / ".runtime" / "launch"


def test_an_installed_playground_has_a_folder_of_this_user_alone(tmp_path: Path) -> None:
    """In the system's place for what is temporary."""
    folder = launch_folder({}, None, tmp_path)

    assert folder == launch_folder({}, None, tmp_path)  # and again, now that it is there
    assert folder == tmp_path / f"muse-playground-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_look_into_is_not_used(tmp_path: Path) -> None:
    """Nor a link that somebody has put there."""
    folder = tmp_path / f"muse-playground-{os.getuid()}"
    folder.mkdir(mode=0o755)
    with pytest.raises(SettingsError, match="not this user's alone"):
        launch_folder({}, None, tmp_path)
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(SettingsError, match="not this user's alone"):
        launch_folder({}, None, tmp_path)


@pytest.mark.parametrize("named", [True, False])
def test_a_folder_that_everybody_may_write_to_is_passed_over(
    tmp_path: Path, *, named: bool
) -> None:
    """Its notes say which processes are to be ended, and anybody might have written them."""
    (tmp_path / ".runtime").mkdir()
    environ = {"MUSE_RUNTIME_DIR": str(tmp_path / ".runtime")} if named else {}
    shared = launch_folder(environ, tmp_path, tmp_path)
    made_for_us = shared.stat().st_mode & 0o077
    shared.chmod(0o777)

    folder = launch_folder(environ, tmp_path, tmp_path)

    assert (shared, made_for_us) == (tmp_path / ".runtime" / "launch", 0)
    assert folder == tmp_path / f"muse-playground-{os.getuid()}"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """With the variable that names another one."""
    (tmp_path / "file").touch()

    with pytest.raises(SettingsError, match="MUSE_RUNTIME_DIR"):
        launch_folder({"MUSE_RUNTIME_DIR": str(tmp_path / "file")}, None)


def test_each_address_and_port_has_files_of_its_own() -> None:
    """With names that every file system takes."""
    assert (stem_of("127.0.0.1", 3939), stem_of("::1", 80)) == ("127.0.0.1-3939", "__1-80")


# --- notes


def test_what_was_noted_is_read(tmp_path: Path) -> None:
    """By role; a process that has ended is none to clean up."""
    path = tmp_path / "state.json"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    state = LaunchState(path)
    state.add("server", os.getpid())
    state.add("worker", gone.pid)

    assert read_marks(path) == {"server": mark_of(os.getpid())}
    state.remove()
    assert (read_marks(path), list(tmp_path.iterdir())) == ({}, [])


def test_a_note_that_cannot_be_written_keeps_nobody_from_serving(tmp_path: Path) -> None:
    """No room on the disk, or a folder that is gone: it would only help the next start."""
    path = tmp_path / "state.json"
    path.with_suffix(".new").mkdir()

    LaunchState(path).add("server", os.getpid())
    LaunchState(tmp_path / "gone" / "state.json").add("server", os.getpid())

    assert read_marks(path) == {}


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"worker": {"pid": Infinity}}', "[]", '{"worker": 5}', '{"worker": {"pid": "x"}}'],
)
def test_a_broken_note_holds_nobody_up(tmp_path: Path, content: str) -> None:
    """There is nothing in it that could be cleaned up."""
    path = tmp_path / "state.json"
    path.write_text(content)
    told: list[str] = []

    clean_up(path, told.append)

    assert (told, path.exists()) == ([], False)


def test_what_only_has_the_id_of_a_noted_process_is_not_touched(tmp_path: Path) -> None:
    """The note is of before this process began."""
    path = tmp_path / "state.json"
    told: list[str] = []
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as bystander:
        noted = {"pid": bystander.pid, "began": "before the flood"}
        path.write_text(json.dumps({"server": noted, "worker": noted}))
        clean_up(path, told.append, patience_s=0.0)
        spared = bystander.poll() is None
        bystander.kill()

    assert (spared, told, path.exists()) == (True, [], False)


def test_a_server_that_lives_without_its_lock_is_not_touched(tmp_path: Path) -> None:
    """Somebody removed the folder while it loads: it is no leftover, and neither is its worker."""
    path = tmp_path / "state.json"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        mark = mark_of(process.pid)
        assert mark is not None
        noted = {"pid": mark.pid, "began": mark.began}
        path.write_text(json.dumps({"server": noted, "worker": noted}))
        clean_up(path, lambda line: None, patience_s=0.0)
        spared = process.poll() is None
        process.kill()

    assert (spared, path.exists()) == (True, True)


# --- what runs


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (NANO, True),
        (Model("muse-nano", "muse-nano.pte"), True),  # a worker that tells no hash
        (Model("muse-nano", "muse-nano.pte", 10, "bb"), False),
        (Model("muse-nano", "muse-nano.pte", 11, None), False),
        (Model("muse-nano", "other.pte", 10, "aa"), False),
        (Model("muse-glimmer-30b", "muse-nano.pte", 10, "aa"), False),
        (Model("muse-nano"), False),
    ],
)
def test_the_same_model_is_id_and_artifact(other: Model, *, same: bool) -> None:
    """What one side does not know says nothing."""
    assert (NANO.is_same_as(other), other.is_same_as(NANO)) == (same, same)


def test_a_playground_is_known_by_what_it_says() -> None:
    """Its model, its process, and whether it can still answer."""
    instance = read_instance(TOLD, "http://127.0.0.1:1")
    failed = read_instance({**TOLD, "state": "failed", "reason": "gone"}, "")

    assert instance is not None
    assert failed is not None
    assert (instance.model, instance.pid, instance.failure) == (NANO, 71, None)
    assert failed.failure == "gone"


@pytest.mark.parametrize(
    "told", [None, [], "x", {}, {"modelId": "m"}, {**TOLD, "modelId": 5}, {**TOLD, "pids": {}}]
)
def test_anything_else_is_no_playground(told: Any) -> None:  # noqa: ANN401 - what JSON may be
    """Whatever it answers."""
    assert read_instance(told, "") is None


def test_the_model_that_is_asked_for_is_read_from_its_folder(tmp_path: Path) -> None:
    """Without loading it; a folder that does not say is for the server to complain about."""
    model = model_asked_for(Settings())

    assert model is not None
    assert (model.model_id, model.artifact) == ("muse-nano", "muse-nano.pte")
    assert model.artifact_bytes == (MODEL_DIR / "muse-nano.pte").stat().st_size
    assert len(model.artifact_sha256 or "") == 64
    assert model_asked_for(Settings(script=Path("s.json"))) == Model("scripted")
    assert model_asked_for(Settings(model_dir=tmp_path)) is None


# --- what helps


def on(platform: str, folder: Path) -> Surroundings:
    """A machine whose search path is one folder."""
    return Surroundings({"PATH": str(folder)}, platform)


def test_only_a_mac_is_kept_awake_and_only_where_it_can_be(tmp_path: Path) -> None:
    """Elsewhere there is nothing to be done, whatever lies on the search path."""
    (tmp_path / "empty").mkdir()
    stub(tmp_path / "caffeinate", "")

    assert keep_awake(1, on("linux", tmp_path)) is None
    assert keep_awake(1, on("darwin", tmp_path / "empty")) is None


def test_a_browser_that_cannot_be_opened_is_told() -> None:
    """And where the page is; a browser in the terminal would take it over."""
    told: list[str] = []

    open_page("http://127.0.0.1:1", Surroundings({}, "linux"), told.append, wait=True)

    assert told == ["there is no display to open a browser on; the page is at http://127.0.0.1:1"]
