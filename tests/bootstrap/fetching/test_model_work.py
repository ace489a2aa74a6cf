"""Is a published model fetched once, held to what it was then, and made a model folder?"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import FileWrong, StageFailed, UsageError
from bootstrap.fetching.fetching import World
from bootstrap.fetching.model_work import model_work
from bootstrap.fetching.partial import part_of
from bootstrap.fetching.web import Web
from bootstrap.layout import Layout
from bootstrap.pinning.model_folder import model_in
from bootstrap.pinning.pins import Model, Options, Pin, PinnedFile, Runtime
from bootstrap.pinning.recorded import RECORDED, records
from bootstrap.pinning.verification import Found, findings, refuse_wrong
from bootstrap.running.stages import due, run_stages
from bootstrap.setup.preparing import prepare
from bootstrap.setup.request import Request
from tests.bootstrap.fileserver import FileServer, Published, Reply, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bootstrap.running.stages import Work

PROGRAM = bytes(range(256)) * 512
TOKENIZER = b'{"model": "BPE"}'
PINNED = hashlib.sha256(TOKENIZER).hexdigest()
TEXTS = {"chat template.jinja": b"{{ messages }}", "LICENSE": b"Do as you like."}
FILES = (
    PinnedFile("m.pte", "program", len(PROGRAM), source="deep/m.pte"),
    PinnedFile("tokenizer.json", "tokenizer", sha256=PINNED),
    PinnedFile("chat template.jinja", "template"),
    PinnedFile("LICENSE", "licence"),
)
SAID = {"model_id": "m-1b", "name": "M 1B", "bos": "<s>", "context_length": 128, "backend": "MLX"}
ORDER = ("model-LICENSE", "model-chat template.jinja", "model-tokenizer.json", "model-m.pte")


class Place:
    """A checkout, and a publisher on this machine."""

    def __init__(self, server: FileServer, root: Path) -> None:
        self.server = server
        self.places = Layout(root, root / ".runtime")
        self.told: list[str] = []
        self.paused: list[float] = []
        self.model = Model(
            "m",
            "a model",
            root / ".runtime" / "models" / "ein Modell é",
            FILES,
            "rev-1",
            "https://example.org/m",
            f"{server.url}/{{revision}}/{{path}}",
            SAID,
        )
        self.publish("rev-1")

    def publish(self, revision: str, **other: bytes) -> None:
        """All files at a revision, some with other bytes."""
        content = {"deep/m.pte": PROGRAM, "tokenizer.json": TOKENIZER, **TEXTS, **other}
        for path, data in content.items():
            self.server.files[f"/{revision}/{path.replace(' ', '%20')}"] = Published(data)

    def row(
        self, *, mirror: str = "", token: str = "", revision: str = "rev-1", url: str = ""
    ) -> Work:
        """The row of stages, of a model with these changes."""
        world = World(
            self.told.append, web=Web(silence_s=5.0, proxies={}), pause=self.paused.append
        )
        model = replace(self.model, revision=revision, url=url or self.model.url)
        return model_work(model, self.places, world=world, mirror=mirror, token=token)

    def work(
        self, *, mirror: str = "", token: str = "", revision: str = "rev-1", url: str = ""
    ) -> tuple[str, ...]:
        """Make it; the stages that were run."""
        row = self.row(mirror=mirror, token=token, revision=revision, url=url)
        return run_stages(row.stages, row.folder.stamps, self.told.append)

    def due(self, revision: str) -> tuple[str, ...]:
        """The stages that a run for another revision would do."""
        row = self.row(revision=revision)
        return due(row.stages, row.folder.stamps)

    def path(self, name: str) -> Path:
        """A file of the model's folder."""
        return self.model.folder / name

    def pin(self) -> Pin:
        """A pin of the model."""
        return Pin(
            "p", "pin", "why", Runtime("r", "why", "native", "1", "w"), self.model, Options()
        )

    @property
    def asked(self) -> list[str]:
        """The paths that were asked for, and none of them any more."""
        paths = [asked.path for asked in self.server.asked]
        self.server.asked.clear()
        return paths


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A checkout in a folder with spaces and other letters."""
    with serving() as server:
        yield Place(server, tmp_path / "mein Prüfstand")


def test_every_file_is_fetched_the_smallest_first(place: Place) -> None:
    """So that a wrong address is found before gigabytes are fetched."""
    assert place.work() == (*ORDER, "model-manifest")

    assert place.asked == [
        "/rev-1/LICENSE",
        "/rev-1/chat%20template.jinja",
        "/rev-1/tokenizer.json",
        "/rev-1/deep/m.pte",
    ]
    assert place.path("m.pte").read_bytes() == PROGRAM


def test_a_second_run_does_nothing(place: Place) -> None:
    """It neither asks for anything nor reads a file's bytes."""
    place.work()
    _ = place.asked

    assert (place.work(), place.asked) == ((), [])


def test_the_manifest_is_that_of_a_model_folder(place: Place) -> None:
    """What the server reads, and every file with its hash."""
    place.work()

    told = json.loads(place.path("manifest.json").read_bytes())
    assert SAID.items() <= told.items()
    assert (told["artifact"], told["tokenizer"], told["chat_template"]) == (
        *("m.pte", "tokenizer.json"),
        "chat template.jinja",
    )
    by_folder = {file.path: file.sha256 for file in model_in(place.model.folder).files}
    assert by_folder["m.pte"] == hashlib.sha256(PROGRAM).hexdigest()
    assert by_folder.keys() == {file.path for file in FILES} | {"manifest.json"}


def test_files_without_a_known_hash_are_right_after_their_download(place: Place) -> None:
    """They are held to what they were then."""
    before = {finding.found for finding in findings(place.pin())}
    place.work()
    right = {finding.found for finding in findings(place.pin())}
    place.path("LICENSE").write_bytes(b"Do not as you like.")
    wrong = {finding.path.name: finding for finding in findings(place.pin())}["LICENSE"]

    assert (before, right) == ({Found.UNFETCHED}, {Found.RIGHT})
    assert wrong.found is Found.WRONG
    assert wrong.problem == "it has 19 bytes, and its first download had 15"


def test_what_was_read_and_found_right_is_not_read_before_each_start(place: Place) -> None:
    """Gigabytes would be; who verifies has them read."""
    place.work()
    path = place.path("m.pte")
    state = path.stat()
    path.write_bytes(b"x" * len(PROGRAM))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    refuse_wrong(place.pin())

    assert Found.WRONG in {finding.found for finding in findings(place.pin())}
    os.utime(path)
    with pytest.raises(FileWrong, match=r"m\.pte is not the file of model m: its SHA-256 is"):
        refuse_wrong(place.pin())


def test_one_that_was_removed_is_fetched_again_and_held_to_what_it_was(place: Place) -> None:
    """Another one under the same revision is refused, with how to accept it."""
    place.work()
    place.path("LICENSE").unlink()
    place.publish("rev-1", LICENSE=b"Now you owe us.")

    with pytest.raises(StageFailed, match="is another file: its SHA-256 is ") as caught:
        place.work()
    assert "remove LICENSE from " in caught.value.hint
    assert RECORDED in caught.value.hint
    assert not place.path("LICENSE").exists()
    recorded = json.loads(place.path(RECORDED).read_bytes())
    del recorded["files"]["LICENSE"]
    place.path(RECORDED).write_text(json.dumps(recorded))
    ran = place.work()

    assert ran == (*ORDER, "model-manifest")
    assert place.path("LICENSE").read_bytes() == b"Now you owe us."


def test_one_that_was_changed_here_is_left_alone_and_told(place: Place) -> None:
    """It is somebody's; the right one comes when it is moved away."""
    place.work()
    place.path("LICENSE").write_bytes(b"My own licence.")

    with pytest.raises(StageFailed, match=r"stage model-LICENSE: .* is another file"):
        place.work()

    assert place.path("LICENSE").read_bytes() == b"My own licence."


def test_one_that_was_copied_is_read_once_more_and_not_fetched(place: Place) -> None:
    """As when the folder comes from another disk."""
    place.work()
    _ = place.asked
    data = place.path("m.pte").read_bytes()
    place.path("m.pte").unlink()
    place.path("m.pte").write_bytes(data)

    ran = place.work()

    assert (ran, place.asked, place.work()) == (("model-m.pte", "model-manifest"), [], ())


def test_files_that_lie_there_already_are_taken(place: Place) -> None:
    """Where they are what the pin says, as far as it does; nothing is fetched."""
    place.model.folder.mkdir(parents=True)
    for name, data in {"m.pte": PROGRAM, "tokenizer.json": TOKENIZER, **TEXTS}.items():
        place.path(name).write_bytes(data)

    offline = [stage.name for stage in place.row().stages if stage.network]
    place.work()

    assert (place.asked, offline) == ([], [])
    assert records(place.model.folder)["LICENSE"].origin == "found"
    assert {finding.found for finding in findings(place.pin())} == {Found.RIGHT}


def test_another_revision_replaces_what_we_fetched(place: Place) -> None:
    """But for what is the same in both by its pinned hash."""
    place.work()
    _ = place.asked
    place.publish("rev-2", LICENSE=b"Second edition.")

    assert place.due("rev-2") == (*ORDER, "model-manifest")
    place.work(revision="rev-2")

    assert "/rev-2/tokenizer.json" not in place.asked
    assert place.path("LICENSE").read_bytes() == b"Second edition."
    assert place.work(revision="rev-2") == ()
    assert json.loads(place.path("manifest.json").read_bytes())["revision"] == "rev-2"


def test_another_revision_does_not_replace_what_somebody_has_changed(place: Place) -> None:
    """Nobody would get it back."""
    place.work()
    place.path("LICENSE").write_bytes(b"My own licence.")
    place.publish("rev-2")

    with pytest.raises(StageFailed, match="is of revision rev-1, and was changed since"):
        place.work(revision="rev-2")

    assert place.path("LICENSE").read_bytes() == b"My own licence."


def test_a_download_that_was_cut_is_gone_on_with(place: Place) -> None:
    """The plan says what is left of it."""
    place.work()
    place.path("m.pte").unlink()
    place.server.replies += [Reply(after=50_000), *[Reply(503)] * 5]
    with pytest.raises(StageFailed, match=r"stage model-m\.pte: .* answers 503"):
        place.work()
    assert part_of(place.path("m.pte")).stat().st_size == 50_000
    planned = {stage.name: stage for stage in place.row().stages}["model-m.pte"]
    place.server.asked.clear()

    place.work()

    assert (planned.download_bytes, planned.network) == (len(PROGRAM) - 50_000, True)
    assert [asked.start for asked in place.server.asked] == [50_000]


def test_a_plan_only_looks(place: Place) -> None:
    """No folder is made for it, and nothing is asked."""
    row = place.row()

    assert sum(stage.download_bytes for stage in row.stages) > len(PROGRAM)
    assert (place.asked, place.model.folder.exists()) == ([], False)


def test_a_mirror_stands_in_for_the_publisher(place: Place) -> None:
    """At the same paths; it does not get the token."""
    with serving("localhost") as mirror:
        mirror.files |= place.server.files
        place.work(mirror=f"{mirror.url}/", token="secret")

        assert {asked.authorization for asked in mirror.asked} == {""}
    assert place.asked == []
    assert records(place.model.folder)["LICENSE"].origin == f"{mirror.url}/rev-1/LICENSE"


def test_a_mirror_may_have_paths_of_its_own(place: Place) -> None:
    """A template of its address says which."""
    for path, file in list(place.server.files.items()):
        place.server.files[path.replace("/rev-1", "/nas")] = file

    place.work(mirror=f"{place.server.url}/nas/{{path}}")

    assert "/nas/deep/m.pte" in place.asked


def test_the_publisher_gets_the_token(place: Place) -> None:
    """And who has none is told what is asked of them."""
    place.server.replies.append(Reply(401))
    with pytest.raises(StageFailed, match="answers 401") as caught:
        place.work()
    place.work(token="secret")

    assert "set HF_TOKEN" in caught.value.hint
    assert place.server.asked[-1].authorization == "Bearer secret"


def test_an_unknown_hash_is_not_trusted_over_an_open_line(place: Place) -> None:
    """Unless the user has named the server."""
    url = "http://example.invalid/{revision}/{path}"

    with pytest.raises(StageFailed, match="is not https, and no hash of it is pinned") as caught:
        place.work(url=url)

    assert "MUSE_MODEL_MIRROR" in caught.value.hint
    assert place.paused == []


@pytest.mark.parametrize("text", ["{", "[]", '{"files": {"LICENSE": {}}}'])
def test_a_record_that_cannot_be_read_is_told(place: Place, text: str) -> None:
    """It is not taken for none: everything would be trusted anew."""
    place.work()
    place.path(RECORDED).write_text(text)

    with pytest.raises(UsageError, match=r"recorded\.json does not say what the files were"):
        place.row()


def test_a_pin_that_is_made_ready_has_its_model_fetched(place: Place) -> None:
    """From where the request says, and before anything is made of it."""
    runtime = Runtime("r", "why", "python", "1", "w", torch="2", python="3.99", loads="w:load")
    elsewhere = replace(place.model, url="https://example.invalid/{revision}/{path}")
    pin = replace(place.pin(), runtime=runtime, model=elsewhere)

    with pytest.raises(StageFailed, match=r"there is no python3\.99 on the PATH"):
        prepare(
            pin,
            place.places,
            environ={},
            request=Request(model_mirror=place.server.url),
            tell=place.told.append,
        )

    assert place.path("m.pte").read_bytes() == PROGRAM
    assert "m: model-m.pte: m.pte of m …" in place.told
