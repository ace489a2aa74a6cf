"""What makes a pin ready? Its model is fetched or verified, and the stages of its runtime are run.

They are those of an environment for a Python worker, or those that build a native one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.errors import NotPreparable, UsageError
from bootstrap.fetching.fetching import World
from bootstrap.fetching.model_work import model_work
from bootstrap.fetching.uv import python_source
from bootstrap.native.work import Means, native_work
from bootstrap.native.xcode import xcode_here
from bootstrap.pinning.platforms import platform_of_this_machine, why_not_here
from bootstrap.pinning.verification import refuse_wrong
from bootstrap.python.environment import environment_stages, find_interpreter
from bootstrap.running.commands import Commands, clean_environment
from bootstrap.running.lock import held
from bootstrap.running.stages import run_stages
from bootstrap.setup.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bootstrap.fetching.uv import PythonSource
    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Model, Pin, Tool
    from bootstrap.python.environment import Interpreter

__all__ = ["prepare"]


def prepare(
    pin: Pin,
    places: Layout,
    *,
    environ: Mapping[str, str],
    request: Request | None = None,
    uv: Tool | None = None,
    here: str = "",
    tell: Callable[[str], None],
) -> tuple[str, ...]:
    """Make a pin ready; the names of the stages that were run, none where it was ready.

    Of the `request` count mirrors, pip's arguments and the token.  `uv` brings the Python that a
    native worker is built with, where the system has none; `here` is the platform, by default this
    machine's.

    Raises:
        NotPreparable: this machine cannot.
        FileWrong: a file of it is missing, or another one.
        StageFailed: a stage did not come to its end; the next run goes on there.
    """
    if because := why_not_here(pin.runtime, here or platform_of_this_machine()):
        raise NotPreparable(pin.name, because)
    if pin.runtime.worker == "python" and not pin.runtime.loads:
        raise UsageError(f"runtime {pin.runtime.name} does not say what its worker `loads`")
    request = request or Request()
    fetched = _fetched(pin.model, places, request, tell) if pin.model.url else ()
    refuse_wrong(pin)
    folder = places.runtime(pin.runtime)

    def told(line: str) -> None:
        tell(f"{pin.runtime.name}: {line}")

    cleaned = clean_environment(environ)
    python = _python(pin, places, request, uv, cleaned, tell)
    with held(folder.lock, told) as lock:
        run = Commands(folder.log, cleaned, inherit=(lock,))
        if pin.runtime.worker == "native":
            means = Means(
                interpreter=python,
                toolchain=xcode_here(run.environ),
                git_mirror=request.git_mirror,
                pip_args=request.pip_args,
            )
            stages = native_work(pin.runtime, places, means, run=run, tell=told).stages
        else:
            stages = environment_stages(
                pin.runtime,
                folder,
                places.root,
                interpreter=find_interpreter(pin.runtime.python),
                pip_args=request.pip_args,
                run=run,
                tell=told,
            )
        return (*fetched, *run_stages(stages, folder.stamps, told))


def _fetched(
    model: Model, places: Layout, request: Request, tell: Callable[[str], None]
) -> tuple[str, ...]:
    def told(line: str) -> None:
        tell(f"{model.name}: {line}")

    work = model_work(
        model, places, world=World(told), mirror=request.model_mirror, token=request.token
    )
    with held(work.folder.lock, told):
        return run_stages(work.stages, work.folder.stamps, told)


def _python(
    pin: Pin,
    places: Layout,
    request: Request,
    uv: Tool | None,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
) -> Callable[[], Interpreter] | None:
    """What finds the Python of a native build, after it was brought where it is wanting.

    An environment that was made of one needs no other, whatever is on the PATH by now.
    """
    if pin.runtime.worker != "native":
        return None
    folder = places.work("uv")

    def told(line: str) -> None:
        tell(f"uv: {line}")

    def source(*inherit: int) -> PythonSource:
        return python_source(
            pin.runtime.python,
            uv,
            places,
            world=World(told),
            run=Commands(folder.log, environ, inherit=inherit),
            url=request.uv_url,
            cache=request.cache_dir,
        )

    found = source()
    if found.work is None or places.runtime(pin.runtime).python.exists():
        return found.interpreter
    with held(folder.lock, told) as lock:
        found = source(lock)
        if found.work:
            run_stages(found.work.stages, folder.stamps, told)
    return found.interpreter
