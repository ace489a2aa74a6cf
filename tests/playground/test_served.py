"""Is the served model known from its folder, and is a folder that lacks something told apart?"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from playground.served import ModelUnusable, load_served_model, worker_argv
from playground.settings import MODEL_DIR, Settings
from playground.worker.model_directory import record

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = {
    "model_id": "tiny",
    "name": "Tiny",
    "artifact": "tiny.pte",
    "tokenizer": "tokenizer.json",
    "chat_template": "chat_template.jinja",
    "bos": "<|begin_of_text|>",
    "context_length": 512,
    "defaults": {"reasoning_strength": "low"},
}


def folder(path: Path, **changed: Any) -> Settings:  # noqa: ANN401 - JSON
    """Settings for a model folder with this manifest; a key that is None is left out."""
    (path / "tiny.pte").write_bytes(b"program")
    for name in ("tokenizer.json", "chat_template.jinja"):
        (path / name).write_bytes((MODEL_DIR / name).read_bytes())
    files = {file.name: record(file).to_json() for file in path.iterdir()}
    manifest = {**MANIFEST, "files": files, **changed}
    told = {key: value for key, value in manifest.items() if value is not None}
    (path / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return Settings(model_dir=path)


def test_a_folder_is_known_by_its_manifest(tmp_path: Path) -> None:
    """Everything that the manifest names is used, and the worker is told of the same files."""
    settings = replace(folder(tmp_path), max_sessions=3, threads=2)

    model = load_served_model(settings)

    assert (model.model_id, model.name, model.context_length) == ("tiny", "Tiny", 512)
    assert model.reasoning_strength == "low"
    assert "<|eot|>" in model.tokenizer.controls
    assert worker_argv(model, settings) == [
        *(sys.executable, "-m", "playground.worker"),
        *("--model_path", str(tmp_path / "tiny.pte")),
        *("--tokenizer_path", str(tmp_path / "tokenizer.json")),
        *("--bos_token", "<|begin_of_text|>"),
        *("--max_sessions", "3"),
        *("--threads", "2"),
    ]


def test_a_worker_may_be_started_by_another_command(tmp_path: Path) -> None:
    """Which is told the same."""
    settings = folder(tmp_path)
    model = load_served_model(settings)

    ours = worker_argv(model, settings)
    others = worker_argv(model, replace(settings, worker=("elsewhere/python", "-m", "mine")))

    assert others[:3] == ["elsewhere/python", "-m", "mine"]
    assert others[3:] == ours[3:]


def test_a_native_worker_is_told_of_the_same_files_by_its_own_flags(tmp_path: Path) -> None:
    """Ids where ours is told names, in one word each, behind what the command has already."""
    (tmp_path / "table.bin").write_bytes(b"1234")
    settings = replace(
        folder(tmp_path, pos_embed="table.bin"),
        worker_kind="native",
        worker=("muse_glimmer_worker", "--artifact_mode=dflash"),
        max_sessions=3,
    )
    model = load_served_model(settings)
    controls = model.tokenizer.controls

    assert worker_argv(model, settings) == [
        *("muse_glimmer_worker", "--artifact_mode=dflash"),
        f"--model_path={tmp_path / 'tiny.pte'}",
        f"--tokenizer_path={tmp_path / 'tokenizer.json'}",
        f"--bos_id={controls['<|begin_of_text|>']}",
        f"--eos_id={controls['<|end_of_text|>']}",
        f"--pos_embed_path={tmp_path / 'table.bin'}",
        "--max_sessions=3",
        "--max_image_bytes=20971520",
    ]


def test_a_vocabulary_without_an_end_is_none_for_a_native_worker(tmp_path: Path) -> None:
    """It would go on for ever, and is told at the start."""
    told = (MODEL_DIR / "tokenizer.json").read_text(encoding="utf-8")
    (tmp_path / "poor.json").write_text(told.replace("<|end_of_text|>", "<|end|>"))
    native = replace(folder(tmp_path, tokenizer="poor.json"), worker_kind="native", worker=("w",))

    with pytest.raises(ModelUnusable, match=r"no control token '<\|end_of_text\|>'"):
        load_served_model(native)


def test_what_a_manifest_says_of_its_program_is_known(tmp_path: Path) -> None:
    """Its hash is taken from there, and of the file nothing but the size is looked at."""
    settings = folder(tmp_path, backend="MLX", max_image_cells=256)
    (tmp_path / "tiny.pte").write_bytes(b"ANOTHER")

    model = load_served_model(settings)

    assert (model.backend, model.max_image_cells, model.artifact_bytes) == ("MLX", 256, 7)
    assert model.artifact_sha256 == hashlib.sha256(b"program").hexdigest()


def test_what_a_manifest_does_not_say_of_its_program_is_not_known(tmp_path: Path) -> None:
    """Nor made up."""
    model = load_served_model(folder(tmp_path, files={}))

    assert (model.backend, model.max_image_cells, model.artifact_sha256) == (None, 4096, None)


def test_a_manifest_may_tell_how_pictures_are_shown(tmp_path: Path) -> None:
    """The encoder's position table, for the worker, and whether pictures are wrapped."""
    (tmp_path / "table.bin").write_bytes(b"1234")
    settings = folder(tmp_path, pos_embed="table.bin", image_wrapped=True)

    model = load_served_model(settings)

    assert model.image_wrapped
    assert "--pos_embed_path" in model.worker_flags
    assert str(tmp_path / "table.bin") in model.worker_flags


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"pos_embed": "gone"}, r"gone: no such file"),
        ({"image_wrapped": "yes"}, r"image_wrapped is 'yes'; it is to be true or false"),
    ],
)
def test_a_wrong_word_about_pictures_is_told(
    tmp_path: Path, changed: dict[str, Any], problem: str
) -> None:
    """Rather than serving something that was not meant."""
    with pytest.raises(ModelUnusable, match=problem):
        load_served_model(folder(tmp_path, **changed))


@pytest.mark.parametrize("key", sorted(MANIFEST.keys() - {"defaults"}))
def test_a_manifest_that_lacks_something_says_what(tmp_path: Path, key: str) -> None:
    """By name, with the file that should have it."""
    with pytest.raises(ModelUnusable, match=rf"manifest\.json: {key} missing"):
        load_served_model(folder(tmp_path, **{key: None}))


def test_pictures_are_wrapped_only_in_tokens_that_there_are(tmp_path: Path) -> None:
    """Found at the start, not at the first picture."""
    told = (MODEL_DIR / "tokenizer.json").read_text(encoding="utf-8")
    (tmp_path / "poor.json").write_text(told.replace("<|image_end|>", "<|image_over|>"))

    with pytest.raises(ModelUnusable, match=r"the vocabulary has no <\|image_end\|>"):
        load_served_model(folder(tmp_path, tokenizer="poor.json", image_wrapped=True))


@pytest.mark.parametrize("key", ["artifact", "tokenizer", "chat_template"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, key: str) -> None:
    """The manifest names it, so the folder is not complete."""
    with pytest.raises(ModelUnusable, match=r"gone: no such file"):
        load_served_model(folder(tmp_path, **{key: "gone"}))


@pytest.mark.parametrize(("text", "problem"), [("{", "not JSON"), ("[]", "not a JSON object")])
def test_a_manifest_that_cannot_be_read_is_told(tmp_path: Path, text: str, problem: str) -> None:
    """With the reason."""
    (tmp_path / "manifest.json").write_text(text)

    with pytest.raises(ModelUnusable, match=problem):
        load_served_model(Settings(model_dir=tmp_path))


def test_a_file_of_another_size_is_told(tmp_path: Path) -> None:
    """A download that was cut off, or a pointer to large file storage, is no model."""
    settings = folder(tmp_path)
    (tmp_path / "tiny.pte").write_bytes(b"prog")

    with pytest.raises(ModelUnusable, match=r"tiny\.pte has 4 bytes"):
        load_served_model(settings)


def test_a_tokenizer_that_is_none_is_told(tmp_path: Path) -> None:
    """The file is there, and is what the manifest says, and holds something else."""
    settings = folder(tmp_path, files={})
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(ModelUnusable, match=r"not a tokenizer\.json"):
        load_served_model(settings)
