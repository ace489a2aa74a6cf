"""What makes a pin ready? Its files are verified, and the stages of its runtime are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.commands import Commands, clean_environment
from bootstrap.environment import environment_stages, find_interpreter
from bootstrap.errors import NotPreparable, UsageError
from bootstrap.lock import held
from bootstrap.stages import run_stages
from bootstrap.verification import refuse_wrong

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
    tell: Callable[[str], None],
) -> tuple[str, ...]:
    """Make a pin ready; the names of the stages that were run, none where it was ready.

    Raises:
        NotPreparable: nothing here can.
        FileWrong: a file of it is missing, or another one.
        StageFailed: a stage did not come to its end; the next run goes on there.
    """
    if pin.runtime.unprepared:
        raise NotPreparable(pin.name, pin.runtime.unprepared)
    if not pin.runtime.loads:
        raise UsageError(f"runtime {pin.runtime.name} does not say what its worker `loads`")
    refuse_wrong(pin)
    folder = places.runtime(pin.runtime)
    interpreter = find_interpreter(pin.runtime.python)

    def told(line: str) -> None:
        tell(f"{pin.runtime.name}: {line}")

    with held(folder.lock, told) as lock:
        stages = environment_stages(
            pin.runtime,
            folder,
            places.root,
            interpreter=interpreter,
            pip_args=pip_args,
            run=Commands(folder.log, clean_environment(environ), inherit=(lock,)),
            tell=told,
        )
        return run_stages(stages, folder.stamps, told)
