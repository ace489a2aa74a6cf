"""What was the server asked to be: the only place that reads its arguments and environment.

Each flag may also be given by a variable, `MUSE_PLAYGROUND_` and the flag's name in capitals
(`--max-sessions` by `MUSE_PLAYGROUND_MAX_SESSIONS`); a flag wins over its variable, and either over
the profile of this machine (see `playground.profile`). That is asked where neither model nor worker
is named, or where it is named itself.
The limits at the end are not flags: they are set here, and tests set others.
"""

from __future__ import annotations

import argparse
import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playground.checkout import checkout, runtime_folder
from playground.profile import FILE, ProfileBroken, read_profile
from playground.worker.dialects import DIALECTS
from playground.worker.threads import MOST_THREADS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.profile import Profile
    from playground.worker.dialects import WorkerKind

__all__ = ["LOOPBACK_HOSTS", "MODEL_DIR", "Settings", "SettingsError", "read_settings"]

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")
PREFIX = "MUSE_PLAYGROUND_"
MODEL_DIR = Path(__file__).parent / "models" / "muse-nano"
CHECKOUT = checkout()
NO_PROFILE = "none"
WEB_DIR = Path(__file__).parent / "web" / "dist"


class SettingsError(Exception):
    """The server was asked for something it will not do; the message says what to ask instead."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the server was told, complete and checked."""

    host: str = "127.0.0.1"
    """One of `LOOPBACK_HOSTS`; nothing else is ever bound."""
    port: int = 3939
    """TCP port; 0 asks the system for a free one."""
    model_dir: Path = MODEL_DIR
    script: Path | None = None
    """A script for the scripted engine, which then answers instead of the model."""
    max_sessions: int = 2
    """Physical sessions of the worker; one of them serves anonymous turns."""
    worker: tuple[str, ...] = ()
    """The command that starts the worker, before its own flags; empty for this Python's."""
    worker_kind: WorkerKind = "python"
    """Which worker that is: ours, or ExecuTorch's own (see `playground.worker.dialects`)."""
    threads: int | None = None
    """Threads of the model; None leaves the choice to the worker."""
    dflash: bool = True
    """Whether turns may draft, where the model has a draft."""
    ui_dir: Path | None = WEB_DIR
    """The built web page; None serves the API alone."""
    reports: Path | None = None
    """Runs of muse-bench to be read in the page."""
    profile: Path | None = None
    """The profile that model and worker were taken from, if they were."""
    open_page: bool = False
    """Whether a browser is to show the page when it is there."""
    caffeinate: bool = True
    """Whether a Mac is kept awake for as long as it serves."""

    ready_timeout_s: float = 900.0
    """How long the worker may take to load its model: 21 GB, from a slow disk."""
    first_text_s: float = 60.0
    """How long the worker may be silent before a first text, beside the time for its prompt."""
    prefill_floor: float = 20.0
    """Tokens of a prompt that are computed in a second at the least; a slower worker is hung."""
    next_text_s: float = 60.0
    """How long it may be silent between two texts, and over a session request."""
    keep_alive_s: float = 1.0
    """A stream that is queued or in prefill says so at least this often."""
    session_wait_s: float = 60.0
    """How long a reset or close may wait for its place in the queue before it is refused."""
    cancel_grace_s: float = 10.0
    """A worker that has not honoured a cancel by then is taken for hung and ended."""
    drain_s: float = 2.0
    """How long running turns may go on after a request to stop."""
    max_body_bytes: int = 32 * 1024 * 1024

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK_HOSTS:
            raise SettingsError(
                f"will not listen on {self.host!r}: there is no authentication, so only this"
                f" machine may connect; use one of {', '.join(LOOPBACK_HOSTS)}"
            )
        if not 0 <= self.port <= 65535:
            raise SettingsError(f"port {self.port} is not between 0 and 65535")
        if self.max_sessions < 1:
            raise SettingsError(f"--max-sessions {self.max_sessions} leaves none; give at least 1")
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise SettingsError(f"--threads {self.threads}; give 1 to {MOST_THREADS}")
        if not 0 < self.ready_timeout_s < math.inf:
            raise SettingsError(f"--ready-timeout {self.ready_timeout_s:g}; give seconds above 0")
        self._check_kind()

    def _check_kind(self) -> None:
        """Refuse by name what this kind of worker cannot be told."""
        dialect = DIALECTS.get(self.worker_kind)
        if dialect is None:
            raise SettingsError(
                f"--worker-kind {self.worker_kind!r} is none of {', '.join(DIALECTS)}"
            )
        given = {
            "threads": self.threads is not None,
            "no-dflash": not self.dflash,
            "script": self.script is not None,
        }
        for flag, reason in dialect.refuses.items():
            if given[flag]:
                raise SettingsError(f"--{flag} with --worker-kind {dialect.kind}: {reason}")
        if not self.worker and not dialect.program:
            raise SettingsError(
                f"--worker-kind {dialect.kind} needs --worker with the program to start"
            )


def read_settings(argv: Sequence[str], environ: Mapping[str, str]) -> Settings:
    """Settings from a command line (without the program's name) and an environment.

    Raises:
        SettingsError: a value that cannot be honoured.
        SystemExit: argparse's own answer to `--help` and to an unknown flag.
    """
    given = _parser(environ).parse_args(argv)
    profile = _profile(given, environ)
    if profile is not None:
        told = {_variable(flag): value for flag, value in profile.flags.items()}
        said = {name: value for name, value in environ.items() if value}
        given = _parser({**told, **said}).parse_args(argv)
    return Settings(
        host=given.host,
        port=_whole("port", given.port),
        model_dir=Path(given.model_dir or MODEL_DIR),
        script=Path(given.script) if given.script else None,
        max_sessions=_whole("max-sessions", given.max_sessions),
        worker=_command("worker", given.worker),
        worker_kind=given.worker_kind or "python",
        threads=_whole("threads", given.threads) if given.threads else None,
        dflash=not given.no_dflash,
        ui_dir=None if given.no_ui else Path(given.ui_dir),
        reports=Path(given.reports) if given.reports else None,
        ready_timeout_s=_seconds("ready-timeout", given.ready_timeout),
        profile=profile.path if profile else None,
        open_page=given.open,
        caffeinate=not given.no_caffeinate,
    )


def _profile(given: argparse.Namespace, environ: Mapping[str, str]) -> Profile | None:
    """The profile that is to be served; None where what is said without it is enough."""
    if given.profile == NO_PROFILE:
        return None
    try:
        if given.profile:
            return read_profile(Path(given.profile))
        runtime = runtime_folder(environ, CHECKOUT)
        path = None if runtime is None else runtime / FILE
        if path is None or _names_a_model(given) or not path.exists():
            return None
        return read_profile(path)
    except ProfileBroken as error:
        raise SettingsError(str(error)) from error


def _names_a_model(given: argparse.Namespace) -> bool:
    return bool(given.model_dir or given.script or given.worker or given.worker_kind)


def _whole(flag: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"--{flag} {text!r} is not a whole number") from None


def _seconds(flag: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"--{flag} {text!r} is not a number of seconds") from None


def _command(flag: str, text: str) -> tuple[str, ...]:
    """A command line as a shell would split it; empty where none is given."""
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise SettingsError(f"--{flag} {text!r} is not a command: {problem}") from None


def _variable(flag: str) -> str:
    return PREFIX + flag.upper().replace("-", "_")


def _parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    def variable(flag: str, default: str = "") -> str:
        return environ.get(_variable(flag), default)

    def switch(flag: str) -> bool:
        return variable(flag).lower() in {"1", "true", "yes"}

    parser = argparse.ArgumentParser(
        prog="muse-playground",
        description="Chat with a local model over HTTP, from this machine only.",
        epilog=f"Every flag has a variable: --max-sessions is {PREFIX}MAX_SESSIONS. "
        "`muse-playground doctor` says what is the matter where this does not start.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--host", default=variable("host", "127.0.0.1"), help="loopback address (%(default)s)"
    )
    parser.add_argument(
        "--port", default=variable("port", "3939"), help="port, 0 for a free one (%(default)s)"
    )
    parser.add_argument(
        "--model-dir",
        default=variable("model-dir"),
        help="folder with manifest.json and what it names (the embedded model)",
    )
    parser.add_argument(
        "--script",
        default=variable("script"),
        help="answer from this script (JSON) instead of a model",
    )
    parser.add_argument(
        "--max-sessions",
        default=variable("max-sessions", "2"),
        help="sessions kept warm, one of them for anonymous turns (%(default)s)",
    )
    parser.add_argument(
        "--worker",
        metavar="COMMAND",
        default=variable("worker"),
        help="start the worker so, in another environment (python -m playground.worker)",
    )
    parser.add_argument(
        "--worker-kind",
        metavar="KIND",
        default=variable("worker-kind"),
        help="python, ours, or native, ExecuTorch's muse_glimmer_worker (python)",
    )
    parser.add_argument(
        "--ready-timeout",
        metavar="SECONDS",
        default=variable("ready-timeout", "900"),
        help="how long the worker may take to load its model (%(default)s)",
    )
    parser.add_argument(
        "--threads", default=variable("threads"), help="threads of the model (measured at start)"
    )
    parser.add_argument(
        "--no-dflash",
        action="store_true",
        default=switch("no-dflash"),
        help="decode token by token, whatever requests ask",
    )
    parser.add_argument(
        "--no-ui",
        action="store_true",
        default=switch("no-ui"),
        help="serve the API alone, and build no page",
    )
    parser.add_argument(
        "--ui-dir",
        metavar="DIR",
        default=variable("ui-dir", str(WEB_DIR)),
        help="serve the page that is built there (the one that belongs to this server)",
    )
    parser.add_argument(
        "--reports",
        metavar="DIR",
        default=variable("reports"),
        help="show the muse-bench runs in this folder (reports/runs) in the page",
    )
    parser.add_argument(
        "--profile",
        metavar="FILE",
        default=variable("profile"),
        help=f"serve what this file names, or `{NO_PROFILE}` (.runtime/{FILE}, if neither model"
        " nor worker is named)",
    )
    parser.add_argument(
        "--open",
        action="store_true",
        default=switch("open"),
        help="show the page in the browser as soon as it is there",
    )
    parser.add_argument(
        "--no-caffeinate",
        action="store_true",
        default=switch("no-caffeinate"),
        help="let a Mac go to sleep while it serves",
    )
    return parser
