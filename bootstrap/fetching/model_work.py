"""How does a model get here that is published elsewhere? A stage a file, then its manifest.

The smallest files come first, so that a wrong address, or terms that nobody has accepted, are found
before gigabytes are fetched.  A file that is here is held against its pin, or against what is
recorded of it (`recorded`); one of an earlier revision of ours makes room for the new one, and one
that somebody else has put there is left alone and told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from bootstrap.errors import StageFailed
from bootstrap.fetching.fetching import FetchFailed, Wanted, World, fetch
from bootstrap.fetching.manifest import manifest_text
from bootstrap.fetching.partial import origin_of, part_size
from bootstrap.fetching.web import is_loopback
from bootstrap.pinning.model_folder import MANIFEST
from bootstrap.pinning.recorded import (
    FOUND,
    RECORDED,
    Record,
    record,
    records,
    seen_state,
    vouched,
    with_recorded,
)
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.stages import Stage, Work

if TYPE_CHECKING:
    from pathlib import Path

    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Model, PinnedFile

__all__ = ["model_work"]

ABOUT_BYTES = 1000 * 1000
"""What a file is taken for whose size nobody says: those are texts."""
WHO = "the publisher asks who you are: accept the model's terms on its page, and set HF_TOKEN"


def model_work(
    model: Model, places: Layout, *, world: World, mirror: str = "", token: str = ""
) -> Work:
    """The stages that have a model in its folder; making them only looks.

    `mirror` stands in for the publisher: an address in place of its scheme and host, or a whole
    one with `{path}` and, where it matters, `{revision}`.  A mirror is not given the `token`.
    """
    works = [_File(model, file, world, mirror, token) for file in model.files]
    works.sort(key=lambda work: (work.file.bytes or 0, work.file.path))
    stages = (*(work.stage() for work in works), _manifest_stage(model))
    return Work(model.name, places.work(model.name), stages)


@dataclass(frozen=True, slots=True)
class _File:
    model: Model
    file: PinnedFile
    world: World
    mirror: str
    token: str

    @property
    def name(self) -> str:
        return f"model-{self.file.path.replace('/', '-')}"

    @property
    def path(self) -> Path:
        return self.model.folder / self.file.path

    @property
    def source(self) -> str:
        return self.file.source or self.file.path

    @property
    def url(self) -> str:
        model, mirror = self.model, self.mirror.rstrip("/")
        address = model.url
        if "{path}" in mirror:
            address = mirror
        elif mirror:
            parts = urlsplit(model.url)
            address = model.url.replace(f"{parts.scheme}://{parts.netloc}", mirror, 1)
        return address.replace("{revision}", quote(model.revision)).replace(
            "{path}", quote(self.source)
        )

    def stage(self) -> Stage:
        size, there = self._size(), part_size(self.path)
        needed = self._needed()
        return Stage(
            self.name,
            f"{self.file.path} of {self.model.name}",
            {
                "revision": self.model.revision,
                "source": self.source,
                "bytes": self.file.bytes,
                "sha256": self.file.sha256,
            },
            self.make,
            lambda: vouched(self.model, self.file),
            download_bytes=max(0, size - there) if needed else 0,
            disk_bytes=max(0, size - there) if needed else 0,
            network=needed and not (there and there == self._whole()),
        )

    def make(self) -> None:
        """Have the file here, and keep what it is."""
        if vouched(self.model, self.file):
            return
        if self._of_another_revision():
            self._make_room()
        there = self.path.exists()
        held = with_recorded(self.model).files[self.model.files.index(self.file)]
        if not there and held.sha256 is None:
            self._refuse_unless_trusted()
        try:
            fetched = fetch(
                Wanted(
                    self.url,
                    self.path,
                    held.bytes,
                    held.sha256,
                    "" if self.mirror else self.token,
                ),
                self.world,
            )
        except FetchFailed as problem:
            raise StageFailed(self.name, problem.problem, hint=self._hint(problem, held)) from (
                problem
            )
        before = records(self.model.folder).get(self.file.path)
        origin = FOUND if there else self.url
        if there and before and before.sha256 == fetched.sha256:
            origin = before.origin
        elif there and self.file.sha256 is None:
            self.world.tell(f"{self.file.path} was here already: taken, and held from now on")
        record(
            self.model.folder,
            self.file.path,
            Record(
                self.model.revision, fetched.bytes, fetched.sha256, origin, seen_state(self.path)
            ),
        )

    def _size(self) -> int:
        return self.file.bytes or ABOUT_BYTES

    def _whole(self) -> int | None:
        origin = origin_of(self.path)
        return self.file.bytes or (origin.bytes if origin else None)

    def _needed(self) -> bool:
        """Whether it has to come from elsewhere."""
        return not self.path.exists() or self._of_another_revision()

    def _of_another_revision(self) -> bool:
        known = records(self.model.folder).get(self.file.path)
        return (
            known is not None
            and known.revision != self.model.revision
            and known.sha256 != self.file.sha256
            and self.path.exists()
        )

    def _make_room(self) -> None:
        """Remove what we fetched ourselves for another revision, and nothing else."""
        known = records(self.model.folder)[self.file.path]
        if file_sha256(self.path) != known.sha256:
            raise StageFailed(
                self.name,
                f"{self.path} is of revision {known.revision}, and was changed since",
                hint="move it away, and the right one is fetched",
            )
        self.world.tell(f"{self.file.path} of revision {known.revision} makes room")
        self.path.unlink()

    def _refuse_unless_trusted(self) -> None:
        """What nobody knows the hash of is not taken from just anybody on the way."""
        if self.url.startswith("https:") or is_loopback(self.url) or self.mirror:
            return
        raise StageFailed(
            self.name,
            f"{self.url} is not https, and no hash of it is pinned",
            hint="pin its sha256, publish it over https, or name the server as MUSE_MODEL_MIRROR",
        )

    def _hint(self, problem: FetchFailed, held: PinnedFile) -> str:
        if problem.status in {401, 403}:
            return WHO
        if self.file.sha256 is None and held.sha256 is not None and "SHA-256" in problem.problem:
            return (
                f"it was another one when it was fetched first; if the new one is meant, remove "
                f"{self.file.path} from {self.model.folder / RECORDED} (and from its folder)"
            )
        return problem.hint


def _manifest_stage(model: Model) -> Stage:
    path = model.folder / MANIFEST

    def text() -> str | None:
        return manifest_text(model, records(model.folder))

    def make() -> None:
        told = text()
        if told is None:
            raise StageFailed(
                "model-manifest",
                f"{model.folder} does not have all files",
                hint="run it again: what is missing is fetched",
            )
        fresh = path.with_suffix(".new")
        fresh.write_text(told, encoding="utf-8")
        fresh.replace(path)

    def is_there() -> bool:
        try:
            return path.read_text(encoding="utf-8") == text()
        except OSError:
            return False

    about = f"{MANIFEST} of {model.name}: what the server has to know of it"
    return Stage(
        "model-manifest", about, {"manifest": dict(model.manifest), "form": 1}, make, is_there
    )
