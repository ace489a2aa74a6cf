"""Is a file of pins read as it is meant, and one that is wrong told by table and key?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bootstrap.errors import PinsFileWrong
from bootstrap.pinning.pins import Options, PinnedFile
from bootstrap.pinning.pins_file import read_pins

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
default = "old"

[runtime.old]
why = "a release"
worker = "python"
executorch = "1.0"
torch = "2.0"
packages = ["numpy==3"]
module = "mine.worker"
loads = "mine.load:all"
flags = ["--x=1"]
patch = { path = "a.patch", sha256 = "HASH" }

[model.small]
why = "a model"
folder = "models/small"
files = [
    { path = "m.pte", role = "program", bytes = 3, sha256 = "HASH" },
    { path = "LICENCE" },
]

[pin.old]
why = "the two"
runtime = "old"
model = "small"
threads = 2
dflash = false
worker = "mine.slow"
""".replace("HASH", "ab" * 32)


def written(folder: Path, text: str, name: str = "pins.toml") -> Path:
    """A pins file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    """Every key ends up in its field; folders are relative to the file."""
    pins = read_pins(written(tmp_path, WHOLE))

    pin = pins.pins["old"]
    assert pins.default == "old"
    assert pin.options == Options(threads=2, dflash=False, worker="mine.slow")
    assert pin.module == "mine.slow"
    assert pin.runtime.packages == ("numpy==3",)
    assert pin.runtime.patch == PinnedFile("a.patch", sha256="ab" * 32)
    assert pin.model.folder == tmp_path / "models" / "small"
    assert pin.model.file("program") == PinnedFile("m.pte", "program", 3, "ab" * 32)
    assert pin.model.files[1] == PinnedFile("LICENCE")


def test_a_patch_may_be_beside_the_folder_of_its_pins(tmp_path: Path) -> None:
    """As the project's are; a file of a model stays below its folder."""
    (tmp_path / "bootstrap").mkdir()
    text = WHOLE.replace('"a.patch"', '"../patches/a.patch"')

    runtime = read_pins(written(tmp_path / "bootstrap", text)).runtimes["old"]

    assert runtime.folder is not None
    assert runtime.patch is not None
    patch = (runtime.folder / runtime.patch.path).resolve()
    assert patch == tmp_path.resolve() / "patches" / "a.patch"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('why = "a release"\n', "", "runtime.old.why: is missing"),
        ('why = "the two"', 'why = " "', "pin.old.why: is empty"),
        ('torch = "2.0"\n', "", "runtime.old.torch: is missing"),
        ('torch = "2.0"', "torch = 2.0", "runtime.old.torch: is 2.0, not a text"),
        ("threads = 2", "thread = 2", "pin.old.thread: no such key; known: dflash, model, "),
        ("threads = 2", "threads = true", "pin.old.threads: is True, not a whole number"),
        ("threads = 2", "threads = 0", "pin.old.threads: is 0, not 1 to 64"),
        ("dflash = false", "dflash = 0", "pin.old.dflash: is 0, not true or false"),
        ('"mine.load:all"', '"mine.load"', "runtime.old.loads: is 'mine.load', not module:"),
        ('worker = "python"', 'worker = "rust"', "runtime.old.worker: is 'rust', not one of"),
        ('role = "program", ', "", "model.small.files: has none with role = 'program'"),
        ('"LICENCE"', '"../LICENCE"', "model.small.files[2].path: is '../LICENCE', which"),
        ('"a.patch"', '"/a.patch"', "runtime.old.patch.path: is '/a.patch', which does not"),
        ("bytes = 3", 'bytes = 3, sha1 = ""', "model.small.files[1].sha1: no such key"),
        ("ab" * 32, "AB" * 32, "runtime.old.patch.sha256: is 'ABAB"),
        ('["--x=1"]', "[1]", "runtime.old.flags: is not a list of texts"),
        ('runtime = "old"', 'runtime = "new"', "pin.old.runtime: is 'new', which no table"),
        ('model = "small"', 'model = "big"', "pin.old.model: is 'big', which no table"),
        ('default = "old"', 'default = "new"', "default: no pin has the name 'new'"),
        ('default = "old"', 'defalt = "old"', "defalt: no such key; known: default, ext"),
        ("[pin.old]", '[pin."a,b"]', "pin.a,b: names are letters, digits"),
        ("[pin.old]", "[pin.old", "not TOML: "),
    ],
)
def test_what_cannot_be_used_is_told_by_table_and_key(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    """In one line, behind the file's name."""
    assert old in WHOLE
    path = written(tmp_path, WHOLE.replace(old, new))

    with pytest.raises(PinsFileWrong) as caught:
        read_pins(path)

    assert str(caught.value).startswith(f"{path}: {said}")


@pytest.mark.parametrize("key", ["threads = 2", "dflash = false", 'worker = "mine.slow"'])
def test_a_pin_of_what_is_built_has_no_options_of_a_python_worker(tmp_path: Path, key: str) -> None:
    """They would be passed over in silence."""
    text = WHOLE.replace('worker = "python"', 'worker = "native"')
    for each in {"threads = 2", "dflash = false", 'worker = "mine.slow"'} - {key}:
        text = text.replace(f"{each}\n", "")

    with pytest.raises(PinsFileWrong, match=r"pin\.old\.\w+: is for a Python worker, and old is"):
        read_pins(written(tmp_path, text))


def test_a_key_of_older_files_is_read_over(tmp_path: Path) -> None:
    """The pins of an older commit can be compared with those of today."""
    text = WHOLE.replace('executorch = "1.0"', 'executorch = "1.0"\nunprepared = "needs a Mac"')

    assert read_pins(written(tmp_path, text)) == read_pins(written(tmp_path, WHOLE, "pins.toml"))


def test_a_file_may_extend_another_one(tmp_path: Path) -> None:
    """What it says itself comes first; its own pins may use the other's parts."""
    written(tmp_path, WHOLE)
    (tmp_path / "mine").mkdir()
    path = written(
        tmp_path / "mine",
        """
        extends = "../pins.toml"
        [pin.slow]
        why = "made slow"
        runtime = "old"
        model = "small"
        worker = "mine.throttled"
        [model.small]
        why = "another one"
        folder = "."
        files = [{ path = "n.pte", role = "program" }]
        """,
    )

    pins = read_pins(path)

    assert (pins.default, set(pins.pins)) == ("old", {"old", "slow"})
    assert pins.pins["slow"].module == "mine.throttled"
    assert pins.pins["slow"].model.folder == tmp_path / "mine"
    assert pins.pins["old"].model.folder == tmp_path / "models" / "small"


def test_files_cannot_extend_in_a_circle(tmp_path: Path) -> None:
    """Told, not followed for ever."""
    written(tmp_path, 'extends = "b.toml"', "a.toml")
    path = written(tmp_path, 'extends = "a.toml"', "b.toml")

    with pytest.raises(PinsFileWrong, match=r"b\.toml: extends: extends itself"):
        read_pins(path)
