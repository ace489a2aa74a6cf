"""Is what the setup made ready served where nobody asks for another, and only there?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playground.settings import MODEL_DIR, SettingsError, read_settings

ARGUMENTS = ["--worker", "'/a b/muse_glimmer_worker' --artifact_mode=dflash", "--model-dir", "/m"]
MUSE = {"schema": 1, "profile": "muse", "pin": "muse-m5", "arguments": ARGUMENTS}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine whose setup has ended."""
    (tmp_path / "profile.json").write_text(json.dumps(MUSE))
    return {"MUSE_RUNTIME_DIR": str(tmp_path)}


def test_what_was_made_ready_is_served(environ: dict[str, str], tmp_path: Path) -> None:
    """Worker and model come from it, on whichever port."""
    settings = read_settings(["--port", "0"], environ)

    assert settings.profile == tmp_path / "profile.json"
    assert settings.worker == ("/a b/muse_glimmer_worker", "--artifact_mode=dflash")
    assert settings.model_dir == Path("/m")


@pytest.mark.parametrize(
    "argv",
    [
        ["--worker", "w"],
        ["--model-dir", str(MODEL_DIR)],
        ["--script", "s.json"],
        ["--profile", "none"],
    ],
)
def test_whoever_names_a_model_gets_that(environ: dict[str, str], argv: list[str]) -> None:
    """As a harness does; nothing of the profile is mixed into it."""
    settings = read_settings(argv, environ)

    assert (settings.profile, settings.model_dir) == (None, MODEL_DIR)
    assert settings.worker == (("w",) if "--worker" in argv else ())


def test_a_variable_names_a_model_too(environ: dict[str, str]) -> None:
    """Every flag has one."""
    environ["MUSE_PLAYGROUND_MODEL_DIR"] = "mine"

    settings = read_settings([], environ)

    assert (settings.profile, settings.model_dir, settings.worker) == (None, Path("mine"), ())


def test_flags_and_variables_win_over_the_profile(tmp_path: Path) -> None:
    """It says what is served where nothing else is said."""
    path = tmp_path / "mine.json"
    path.write_text(
        json.dumps(
            {
                "schema": 1,
                "arguments": [
                    "--threads=1",
                    "--no-dflash",
                    "--max-sessions",
                    "5",
                    "--port",
                    "4000",
                ],
            }
        )
    )

    settings = read_settings(
        ["--profile", str(path), "--threads", "3"], {"MUSE_PLAYGROUND_MAX_SESSIONS": "4"}
    )

    assert (settings.threads, settings.max_sessions) == (3, 4)
    assert (settings.dflash, settings.port) == (False, 4000)


def test_a_variable_that_is_empty_says_nothing(environ: dict[str, str]) -> None:
    """Neither against the profile nor instead of it: half of one model is none."""
    environ |= {"MUSE_PLAYGROUND_MODEL_DIR": "", "MUSE_PLAYGROUND_WORKER": ""}

    settings = read_settings([], environ)

    assert (settings.model_dir, settings.worker[0]) == (Path("/m"), "/a b/muse_glimmer_worker")


def test_a_machine_without_a_profile_serves_the_embedded_model(tmp_path: Path) -> None:
    """Nothing was set up, and nothing has to be."""
    settings = read_settings([], {"MUSE_RUNTIME_DIR": str(tmp_path)})

    assert (settings.profile, settings.model_dir) == (None, MODEL_DIR)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "it is not JSON"),
        ("[]", 'it is no object with "schema": 1'),
        ('{"schema": 2, "arguments": []}', 'it is no object with "schema": 1'),
        ('{"schema": 1}', "its `arguments` are no list of strings"),
        ('{"schema": 1, "arguments": [1]}', "its `arguments` are no list of strings"),
        ('{"schema": 1, "arguments": ["--script", "s"]}', "'--script' is not for a profile"),
        ('{"schema": 1, "arguments": ["x"]}', "'x' is not for a profile"),
        ('{"schema": 1, "arguments": ["--worker"]}', "--worker has no value"),
        ("\x80", "it is not JSON"),
    ],
)
def test_a_broken_profile_is_one_clear_error(tmp_path: Path, content: str, problem: str) -> None:
    """Which file, what is wrong, and two ways on."""
    path = tmp_path / "profile.json"
    path.write_text(content, encoding="latin-1")

    with pytest.raises(SettingsError) as caught:
        read_settings([], {"MUSE_RUNTIME_DIR": str(tmp_path)})

    said = str(caught.value)
    assert said.startswith(f"{path}: {problem}")
    assert "python -m bootstrap" in said
    assert "--profile none" in said


def test_a_profile_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    """Nobody is served another model because of a slip."""
    with pytest.raises(SettingsError, match=r"no\.json: No such file"):
        read_settings(["--profile", str(tmp_path / "no.json")], {})
