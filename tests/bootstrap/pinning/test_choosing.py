"""Is the pin chosen that a text asks for?"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap.errors import UnknownPin, UsageError
from bootstrap.pinning.choosing import choose
from bootstrap.pinning.digest import digest
from bootstrap.pinning.pins import Model, Options, Pin, PinnedFile, Pins, Runtime

OLD = Runtime("old", "the release before", "python", "1.0", "mine.worker", torch="2.0")
NEW = replace(OLD, name="new", executorch="1.1")
NATIVE = Runtime("native", "built", "native", "abc", "a_worker")
SMALL = Model("small", "a model", Path("/models/small"), (PinnedFile("m.pte", "program", 1, "a"),))
BIG = replace(SMALL, name="big", files=(PinnedFile("n.pte", "program", 2, "b"),))
PIN = Pin("new", "pin", "to be shipped", NEW, SMALL, Options(threads=1))
PINS = Pins(
    Path("pins.toml"),
    "new",
    {each.name: each for each in (OLD, NEW, NATIVE)},
    {each.name: each for each in (SMALL, BIG)},
    {"new": PIN, "native": replace(PIN, runtime=NATIVE)},
)
HERE = Path("/")


def test_a_name_is_a_pin_as_it_is() -> None:
    """With the name that was asked for."""
    assert choose("new", PINS, HERE) == PIN


def test_changes_are_made_to_what_is_named() -> None:
    """In the order given; all else stays."""
    pin = choose("new,dflash=off,threads=2,model=big,worker=mine.slow", PINS, HERE)

    assert pin.options == Options(threads=2, dflash=False, worker="mine.slow")
    assert (pin.model, pin.runtime, pin.name[:10]) == (BIG, NEW, "new,dflash")
    assert choose("new,threads=measured", PINS, HERE).options.threads is None


def test_a_release_takes_all_else_from_the_default() -> None:
    """In an environment of its own."""
    pin = choose("executorch==1.2.dev3", PINS, HERE)

    assert (pin.kind, pin.name, pin.options, pin.model) == (
        *("release", "executorch==1.2.dev3"),
        *(PIN.options, SMALL),
    )
    assert (pin.runtime.executorch, pin.runtime.torch) == ("1.2.dev3", "2.0")
    assert pin.runtime.name == "executorch-1.2.dev3"


def test_a_release_that_is_pinned_already_has_that_environment() -> None:
    """There is no second one to be made."""
    assert choose("executorch==1.0", PINS, HERE).runtime is OLD


def test_a_digest_is_of_what_runs_and_not_of_how_it_is_called() -> None:
    """Names and reasons change nothing; a release, an option or a file does."""
    same = replace(PIN, name="x", why="y", runtime=replace(NEW, name="z", why="z"))

    assert digest(same) == digest(PIN) == digest(choose("executorch==1.1", PINS, HERE))
    assert digest(choose("new,worker=mine.worker", PINS, HERE)) == digest(PIN)
    others = ["new,dflash=off", "new,threads=2", "new,model=big", "executorch==1.0", "native"]
    assert len({digest(PIN), *(digest(choose(text, PINS, HERE)) for text in others)}) == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("newer", "unknown pin 'newer'; known: new, native; or a release: executorch==X"),
        ("", "unknown pin ''; known"),
        ("executorch=1.0", "unknown pin 'executorch=1.0'"),
        ("executorch==../x", "unknown pin 'executorch==../x'"),
        ("new,dflash", "pin 'new,dflash': 'dflash' is none of dflash=, threads=, model=, worker="),
        ("new,speed=9", "pin 'new,speed=9': 'speed=9' is none of"),
        ("new,dflash=maybe", "dflash=maybe: on or off"),
        ("new,threads=0", "threads=0: 1 to 64, or measured"),
        ("new,threads=9999", "threads=9999: 1 to 64"),
        ("new,worker=a b", "worker=a b: not the name of a module"),
        ("new,worker=-c", "worker=-c: not the name of a module"),
        ("new,model=huge", "unknown model 'huge'; known: small, big; or a folder with"),
    ],
)
def test_what_is_no_pin_is_refused_with_what_would_be(text: str, said: str) -> None:
    """By name."""
    with pytest.raises(UsageError) as caught:
        choose(text, PINS, HERE)

    assert str(caught.value).startswith(said)
    assert isinstance(caught.value, UnknownPin) == said.startswith("unknown")


def test_a_release_of_what_is_built_is_refused() -> None:
    """It is not installed from one."""
    with pytest.raises(UsageError, match="native is not installed from a release"):
        choose("executorch==1.0", replace(PINS, default="native"), HERE)


@pytest.mark.parametrize("change", ["threads=2", "dflash=off", "worker=mine.slow"])
def test_what_is_built_has_no_options_of_a_python_worker(change: str) -> None:
    """Its flags are the pin's."""
    with pytest.raises(UsageError, match=r"= is for a Python worker, and native is built"):
        choose(f"native,{change}", PINS, HERE)


def test_a_release_needs_a_default() -> None:
    """To take all else from."""
    with pytest.raises(UsageError, match="has no `default`"):
        choose("executorch==1.0", replace(PINS, default=""), HERE)


def test_a_model_may_be_a_folder_with_a_manifest(tmp_path: Path) -> None:
    """Pinned by what its manifest lists, and by the manifest itself."""
    told = {"artifact": "m.pte", "files": {"m.pte": {"bytes": 3, "sha256": "cd"}}}
    manifest = json.dumps(told).encode()
    (tmp_path / "a model é").mkdir()
    (tmp_path / "a model é" / "manifest.json").write_bytes(manifest)

    model = choose("new,model=a model é", PINS, tmp_path).model

    assert model.folder == tmp_path / "a model é"
    assert model.files == (
        PinnedFile("m.pte", "program", 3, "cd"),
        PinnedFile(
            "manifest.json", "manifest", len(manifest), hashlib.sha256(manifest).hexdigest()
        ),
    )


@pytest.mark.parametrize("text", [None, "{", "[]", '{"files": {"m.pte": 1}}'])
def test_a_folder_that_lists_no_files_is_refused(tmp_path: Path, text: str | None) -> None:
    """Nothing could be verified."""
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)

    with pytest.raises(UsageError, match=r"manifest\.json"):
        choose(f"new,model={tmp_path}", PINS, HERE)
