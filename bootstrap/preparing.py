"""What makes a pin ready? Its files are verified, and the stages of its runtime are run.

They are those of an environment for a Python worker, or those that build a native one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.commands import Commands, clean_environment
from bootstrap.environment import environment_stages, find_interpreter
from bootstrap.errors import NotPreparable, UsageError
from bootstrap.lock import held
from bootstrap.native_work import Means, native_work
from bootstrap.platforms import platform_of_this_machine, why_not_here
from bootstrap.stages import run_stages
from bootstrap.verification import refuse_wrong
from bootstrap.xcode import xcode_here

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bootstrap.layout import Layout
    from bootstrap.pins import Pin

__all__ = ["prepare"]


def prepare(
    pin: Pin,
    places: Layout,
    *,
    environ: Mapping[str, str],
    pip_args: Sequence[str] = (),
    git_mirror: str = "",
    here: str = "",
    tell: Callable[[str], None],
) -> tuple[str, ...]:
    """Make a pin ready; the names of the stages that were run, none where it was ready.

    `here` is the platform, by default this machine's.

    Raises:
        NotPreparable: this machine cannot.
        FileWrong: a file of it is missing, or another one.
        StageFailed: a stage did not come to its end; the next run goes on there.
    """
    if because := why_not_here(pin.runtime, here or platform_of_this_machine()):
        raise NotPreparable(pin.name, because)
    if pin.runtime.worker == "python" and not pin.runtime.loads:
        raise UsageError(f"runtime {pin.runtime.name} does not say what its worker `loads`")
    refuse_wrong(pin)
    folder = places.runtime(pin.runtime)

    def told(line: str) -> None:
        tell(f"{pin.runtime.name}: {line}")

    with held(folder.lock, told) as lock:
        run = Commands(folder.log, clean_environment(environ), inherit=(lock,))
        if pin.runtime.worker == "native":
            toolchain = xcode_here(run.environ)
            means = Means(toolchain=toolchain, git_mirror=git_mirror, pip_args=pip_args)
            stages = native_work(pin.runtime, places, means, run=run, tell=told).stages
        else:
            stages = environment_stages(
                pin.runtime,
                folder,
                places.root,
                interpreter=find_interpreter(pin.runtime.python),
                pip_args=pip_args,
                run=run,
                tell=told,
            )
        return run_stages(stages, folder.stamps, told)
