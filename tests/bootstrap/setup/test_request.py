"""Is the setup asked for what the arguments and the variables say?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from bootstrap.cli.setup import add_arguments
from bootstrap.errors import UsageError
from bootstrap.layout import Layout
from bootstrap.setup.request import VARIABLES, Request, cached, read_request

if TYPE_CHECKING:
    from pathlib import Path


def request(*argv: str, **environ: str) -> Request:
    """Of this command line and these variables."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return read_request(parser.parse_args(argv), environ)


def test_an_argument_wins_over_its_variable(tmp_path: Path) -> None:
    """And each has one."""
    given = {
        "profile": ("--profile", "muse"),
        "port": ("--port", "4000"),
        "model_dir": ("--model-dir", str(tmp_path / "a model é")),
        "cache_dir": ("--cache-dir", str(tmp_path)),
        "model_mirror": ("--model-mirror", "http://127.0.0.1:1/m"),
        "uv_url": ("--uv-url", "http://127.0.0.1:1/uv.tar.gz"),
        "git_mirror": ("--git-mirror", "/mirror"),
        "pip_args": ("--pip-args", "--no-index --find-links 'a b'"),
        "pins": ("--pins", str(tmp_path / "pins.toml")),
        "offline": ("--offline",),
        "install_metal": ("--install-metal",),
    }
    by_argument = request(*(word for words in given.values() for word in words))
    by_variable = request(**{VARIABLES[key]: (*words, "1")[1] for key, words in given.items()})
    others = {VARIABLES["profile"]: "embedded", VARIABLES["port"]: "9"}

    assert set(given) == set(VARIABLES)
    assert by_argument == by_variable
    assert by_argument == Request(
        profile="muse",
        offline=True,
        port=4000,
        model_dir=tmp_path / "a model é",
        cache_dir=tmp_path,
        model_mirror="http://127.0.0.1:1/m",
        uv_url="http://127.0.0.1:1/uv.tar.gz",
        git_mirror="/mirror",
        install_metal=True,
        pip_args=("--no-index", "--find-links", "a b"),
        pins=tmp_path / "pins.toml",
    )
    assert request("--profile", "muse", "--port", "4000", **others).port == 4000
    assert request(HF_TOKEN="secret") == Request(token="secret")
    assert "secret" not in repr(request(HF_TOKEN="secret"))
    assert request() == Request()
    assert not request(MUSE_OFFLINE="0").offline


def test_stages_can_be_named_several_times() -> None:
    """Each by an argument of its own."""
    asked = request("--only", "page", "--only", "build", "--force", "page")

    assert (asked.only, asked.force) == (("page", "build"), ("page",))


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1", "999999"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    """With the range."""
    with pytest.raises(UsageError, match=f"'{port}' is no port: 1 to 65535"):
        request(f"--port={port}")


@pytest.mark.parametrize("flag", ["--model-dir", "--cache-dir", "--pins"])
def test_a_home_that_nobody_has_is_told(flag: str) -> None:
    """With the argument that says it."""
    with pytest.raises(UsageError, match=f"{flag} or MUSE_.*say the whole path"):
        request(flag, "~nobody-of-that-name/m")


def test_caches_are_below_what_is_made_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    """Nothing is global; a cache that the user has named already is used."""
    places = Layout(tmp_path, tmp_path / ".runtime")
    usual = cached(Request(), places, {"PIP_CACHE_DIR": "/mine", "HOME": "/h"})
    asked = cached(Request(cache_dir=tmp_path / "c"), places, {"PIP_CACHE_DIR": "/mine"})

    assert usual == {
        "PIP_CACHE_DIR": "/mine",
        "HOME": "/h",
        "UV_CACHE_DIR": str(tmp_path / ".runtime" / "cache" / "uv"),
        "npm_config_cache": str(tmp_path / ".runtime" / "cache" / "npm"),
    }
    assert asked["PIP_CACHE_DIR"] == str(tmp_path / "c" / "pip")
