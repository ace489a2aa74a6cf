"""A model's folder against its manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from playground.worker.errors import EngineError
from playground.worker.model_directory import FileRecord, check, read_records, record

SHIPPED = Path(__file__).parents[3] / "playground" / "models" / "muse-nano"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of one file and a true manifest."""
    (tmp_path / "a.bin").write_bytes(b"weights")
    files = {"a.bin": record(tmp_path / "a.bin").to_json()}
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 1, "files": files}))
    return tmp_path


def test_a_record_is_size_and_hash(folder: Path) -> None:
    """What is entered for a file is its size in bytes and its SHA-256."""
    expected = FileRecord(7, hashlib.sha256(b"weights").hexdigest())

    assert read_records(folder) == {"a.bin": expected}


def test_a_folder_as_listed_passes(folder: Path) -> None:
    """Nothing is raised where sizes and hashes agree."""
    check(folder, hashes=True)


def test_a_missing_file_is_named(folder: Path) -> None:
    """The first file that is not there is named."""
    (folder / "a.bin").unlink()

    with pytest.raises(EngineError, match=r"a\.bin is missing"):
        check(folder)


def test_a_file_cut_short_is_seen_without_hashing(folder: Path) -> None:
    """A download that ended early differs in size."""
    (folder / "a.bin").write_bytes(b"weigh")

    with pytest.raises(EngineError, match=r"a\.bin has 5 bytes; manifest\.json says 7"):
        check(folder)


def test_a_changed_file_is_seen_by_its_hash(folder: Path) -> None:
    """A file of the same size with other bytes passes only while hashes are not asked for."""
    (folder / "a.bin").write_bytes(b"weightz")

    check(folder)
    with pytest.raises(EngineError, match=r"a\.bin has SHA-256"):
        check(folder, hashes=True)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": [1]}', '{"files": {"a": {}}}'])
def test_a_manifest_without_a_list_of_files_is_refused(tmp_path: Path, text: str) -> None:
    """A manifest that is no JSON, or holds no sizes and hashes, is an error that names it."""
    (tmp_path / "manifest.json").write_text(text)

    with pytest.raises(EngineError, match=r"manifest\.json has no proper list of files"):
        read_records(tmp_path)


def test_a_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    """The manifest itself has to be there."""
    with pytest.raises(EngineError, match=r"manifest\.json cannot be read"):
        check(tmp_path)


def test_the_shipped_model_is_what_its_manifest_says() -> None:
    """Every file of the embedded model is there with the listed size and hash."""
    if not (SHIPPED / "muse-nano.pte").exists():
        pytest.skip("the embedded model is not in this checkout")

    check(SHIPPED, hashes=True)
