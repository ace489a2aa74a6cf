"""What happens before a server may start on its port, and what is taken away when it ends?

    ask the port      a playground of the same model: it is used, and nothing is started
                      one of another model, a broken one, another process: refused, by name
    take the lock     held by another launcher: wait until that one is ready, or gone
    clean up          what a launch left that was killed
    keep awake        a Mac, for as long as we serve
    …serve…           `Launch` notes the worker's process, and opens the browser when ready
    take all away     however it ends; after SIGKILL the next launch does

`--port 0` asks nobody, locks nothing and notes nothing.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Self

from playground.address import address_of, url_at
from playground.launch.helpers import keep_awake, let_sleep, open_page
from playground.launch.instance import Instance, Silence, ask, model_asked_for
from playground.launch.listener import listener_on
from playground.launch.lock import LaunchLock
from playground.launch.places import launch_folder, stem_of
from playground.launch.state import SERVER, LaunchState, clean_up
from playground.settings import SettingsError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from playground.launch.helpers import Surroundings
    from playground.settings import Settings

__all__ = ["Launch", "launch"]

ASK_EVERY_S = 0.2


def launch(
    settings: Settings, surroundings: Surroundings, tell: Callable[[str], None]
) -> Launch | Instance:
    """Our turn to serve, or the playground that serves this model already.

    Waits for another launcher on this port, and says so.

    Raises:
        SettingsError: the port is another's; the message names it.
    """
    if settings.port == 0:
        return Launch(settings, surroundings, tell)
    address = address_of(settings.host)
    if running := _running(settings, address):
        return running
    folder = launch_folder(surroundings.environ)
    stem = folder / stem_of(address, settings.port)
    lock = LaunchLock(stem.with_name(f"{stem.name}.lock"))
    try:
        running = _wait_for(lock, settings, address, tell)
    except OSError as error:
        raise SettingsError(f"{folder}: {error.strerror}") from error
    if running:
        lock.release()
        return running
    state = stem.with_name(f"{stem.name}.json")
    clean_up(state, tell)
    return Launch(settings, surroundings, tell, lock, LaunchState(state))


class Launch:
    """A launch that is under way: a context that leaves nothing behind."""

    def __init__(
        self,
        settings: Settings,
        surroundings: Surroundings,
        tell: Callable[[str], None],
        lock: LaunchLock | None = None,
        state: LaunchState | None = None,
    ) -> None:
        self._settings, self._surroundings, self._tell = settings, surroundings, tell
        self._lock, self._state = lock, state
        self._caffeinate: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        if self._state is not None:
            self._state.add(SERVER, os.getpid())
            if self._settings.caffeinate:
                self._keep_awake(self._state)
        return self

    def worker_started(self, pid: int) -> None:
        """Note the worker's process, which may load for minutes yet."""
        if self._state is not None:
            self._state.add("worker", pid)

    def ready(self, url: str) -> None:
        """The server answers at this address."""
        if self._settings.open_page:
            open_page(url, self._surroundings, self._tell)

    def __exit__(self, *how: object) -> None:
        if self._caffeinate is not None:
            let_sleep(self._caffeinate)
        if self._state is not None:
            self._state.remove()
        if self._lock is not None:
            self._lock.release()

    def _keep_awake(self, state: LaunchState) -> None:
        self._caffeinate = keep_awake(os.getpid(), self._surroundings)
        if self._caffeinate is not None:
            state.add("caffeinate", self._caffeinate.pid)


def _wait_for(
    lock: LaunchLock, settings: Settings, address: str, tell: Callable[[str], None]
) -> Instance | None:
    """The lock, or the playground of whoever had it."""
    told = False
    while not lock.take():
        if running := _running(settings, address):
            return running
        if not told:
            told = True
            tell(f"another muse-playground (process {lock.owner()}) is starting; waiting for it")
        time.sleep(ASK_EVERY_S)
    return _running(settings, address)


def _running(settings: Settings, address: str) -> Instance | None:
    """The playground of the same model that answers on the port; None where nothing listens.

    Raises:
        SettingsError: something else listens there.
    """
    port = settings.port
    there = ask(address, port, url_at(address, port))
    if there is Silence.NOTHING:
        return None
    if there is Silence.FOREIGN:
        found = listener_on(address, port)
        who = str(found or "a process that cannot be seen from here")
        raise SettingsError(f"port {port} is taken by {who}; stop it, or give another --port")
    wanted = model_asked_for(settings)
    stop_it = f"stop it (process {there.pid}), or give another --port"
    if wanted is None:
        raise SettingsError(
            f"port {port} is taken by a muse-playground that serves {there.model}, and"
            f" {settings.model_dir} does not say which model it has; {stop_it}"
        )
    if not there.model.is_same_as(wanted):
        raise SettingsError(
            f"port {port} is taken by a muse-playground that serves {there.model}, not {wanted};"
            f" {stop_it}"
        )
    if there.failure is not None:
        raise SettingsError(
            f"port {port} is taken by a muse-playground that cannot answer any more:"
            f" {there.failure}; {stop_it}"
        )
    return there
