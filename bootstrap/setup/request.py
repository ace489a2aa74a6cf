"""What is the setup asked to do? Arguments and variables, read once; an argument wins.

argument            variable               meaning
--profile NAME      MUSE_PROFILE           `muse` or `embedded`, whatever the machine is
--offline           MUSE_OFFLINE           begin nothing that needs the network
--port N            MUSE_PLAYGROUND_PORT   the port that the playground is to listen on
--model-dir DIR     MUSE_MODEL_DIR         where Muse Glimmer's files are, or are to go
--cache-dir DIR     MUSE_CACHE_DIR         the cache of pip, uv and npm
--model-mirror URL  MUSE_MODEL_MIRROR      in place of where models are published
--uv-url URL        MUSE_UV_URL            uv's archive, in place of that of its release page
--git-mirror URL    MUSE_GIT_MIRROR        in place of https://github.com
--install-metal     MUSE_INSTALL_METAL     install Xcode's Metal compiler where it is missing
--pip-args ARGS     MUSE_PIP_ARGS          more arguments of pip
--pins FILE         MUSE_PINS              another pins file
                    HF_TOKEN               who asks, where a publisher wants to know
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from bootstrap.layout import Layout

__all__ = [
    "PIP_ARGS",
    "TOKEN",
    "VARIABLES",
    "Request",
    "cached",
    "model_dir_of",
    "pip_arguments",
    "read_request",
]

PIP_ARGS = "MUSE_PIP_ARGS"
TOKEN = "HF_TOKEN"
VARIABLES = {
    "profile": "MUSE_PROFILE",
    "offline": "MUSE_OFFLINE",
    "port": "MUSE_PLAYGROUND_PORT",
    "model_dir": "MUSE_MODEL_DIR",
    "cache_dir": "MUSE_CACHE_DIR",
    "model_mirror": "MUSE_MODEL_MIRROR",
    "uv_url": "MUSE_UV_URL",
    "git_mirror": "MUSE_GIT_MIRROR",
    "install_metal": "MUSE_INSTALL_METAL",
    "pip_args": PIP_ARGS,
    "pins": "MUSE_PINS",
}
YES = {"1", "true", "yes"}
CACHES = {"PIP_CACHE_DIR": "pip", "UV_CACHE_DIR": "uv", "npm_config_cache": "npm"}


@dataclass(frozen=True, slots=True)
class Request:
    """All of it."""

    profile: str = ""
    """Empty where the machine is to decide."""
    only: tuple[str, ...] = ()
    """Stages or works; empty for all."""
    force: tuple[str, ...] = ()
    """Stages or works that are to be done again."""
    offline: bool = False
    port: int | None = None
    model_dir: Path | None = None
    cache_dir: Path | None = None
    model_mirror: str = ""
    uv_url: str = ""
    git_mirror: str = ""
    install_metal: bool = False
    pip_args: tuple[str, ...] = ()
    pins: Path | None = None
    token: str = field(default="", repr=False)
    """Of Hugging Face."""
    remembered: tuple[str, ...] = ()
    """Which of these an earlier run was told, and not this one: see `remembered`."""


def read_request(options: argparse.Namespace, environ: Mapping[str, str]) -> Request:
    """The request of a command line whose options have the names of `VARIABLES`.

    Raises:
        UsageError: a value that is none.
    """

    def text(key: str) -> str:
        return str(getattr(options, key, None) or environ.get(VARIABLES[key], ""))

    def flag(key: str) -> bool:
        return bool(getattr(options, key, False)) or environ.get(VARIABLES[key], "").lower() in YES

    def folder(key: str) -> Path | None:
        return _folder(text(key), key)

    return Request(
        profile=text("profile"),
        only=tuple(options.only),
        force=tuple(options.force),
        offline=flag("offline"),
        port=_port(text("port")),
        model_dir=folder("model_dir"),
        cache_dir=folder("cache_dir"),
        model_mirror=text("model_mirror"),
        uv_url=text("uv_url"),
        git_mirror=text("git_mirror"),
        install_metal=flag("install_metal"),
        pip_args=pip_arguments(text("pip_args")),
        pins=folder("pins"),
        token=environ.get(TOKEN, ""),
    )


def model_dir_of(environ: Mapping[str, str]) -> Path | None:
    """The folder that is said by the variable alone."""
    return _folder(environ.get(VARIABLES["model_dir"], ""), "model_dir")


def pip_arguments(text: str) -> tuple[str, ...]:
    """As a shell would split them.

    Raises:
        UsageError: a quote that is never closed.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise UsageError(f"--pip-args or {PIP_ARGS}: {problem}") from problem


def cached(request: Request, places: Layout, environ: Mapping[str, str]) -> dict[str, str]:
    """An environment whose package commands keep their caches below `.runtime`.

    A cache that the user has named already stays, unless `--cache-dir` says another.
    """
    folder = request.cache_dir or places.cache
    named = {variable: str(folder / name) for variable, name in CACHES.items()}
    return {**environ, **named} if request.cache_dir else {**named, **environ}


def _folder(text: str, key: str) -> Path | None:
    try:
        return Path(text).expanduser().absolute() if text else None
    except RuntimeError as problem:  # nobody here has that name
        said = f"--{key.replace('_', '-')} or {VARIABLES[key]}"
        raise UsageError(f"{said}: {text!r}: {problem}; say the whole path") from problem


def _port(text: str) -> int | None:
    if not text:
        return None
    port = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not 1 <= port <= 65535:
        raise UsageError(f"--port or MUSE_PLAYGROUND_PORT: {text!r} is no port: 1 to 65535")
    return port
