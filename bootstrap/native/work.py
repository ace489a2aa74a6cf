"""Which stages make a native worker? In this order:

    environment   Python, and the packages that the build needs        native_environment
    source        the pinned commit and its submodules                 source
    patch         the pinned patch, on the pristine tree               patching
    build         the pin's commands; what they made, where it is used native_build
    native-probe  the hash of that, and whether it starts              native_probe

The environment comes first since a stage that is done again has all behind it done again: another
patch installs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bootstrap.errors import UsageError
from bootstrap.native.build import build_stage
from bootstrap.native.environment import native_environment_stage
from bootstrap.native.patching import patch_stage
from bootstrap.native.probe import native_probe_stage
from bootstrap.native.source import source_stage
from bootstrap.python.environment import find_interpreter
from bootstrap.running.stages import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Runtime
    from bootstrap.python.environment import Interpreter
    from bootstrap.running.commands import Commands

__all__ = ["Means", "native_work"]


@dataclass(frozen=True, slots=True)
class Means:
    """What this machine brings to the work."""

    interpreter: Callable[[], Interpreter] | None = None
    """Finds the Python of the pin, when it is needed; None looks on the PATH."""
    toolchain: Mapping[str, str] = field(default_factory=dict)
    """What the compilers are: with others, everything is built anew."""
    git_mirror: str = ""
    """Stands in for https://github.com/ wherever the source comes from there."""
    pip_args: Sequence[str] = ()


def native_work(
    runtime: Runtime,
    places: Layout,
    means: Means,
    *,
    run: Commands,
    tell: Callable[[str], None],
) -> Work:
    """The row of one native runtime; nothing is done or asked for before a stage is run.

    Raises:
        UsageError: the pin does not say what is built, or of what.
    """
    for key in ("repository", "build", "products"):
        if not getattr(runtime, key):
            raise UsageError(f"runtime {runtime.name} does not say its `{key}`")
    folder = places.runtime(runtime)
    stages = (
        native_environment_stage(
            runtime,
            folder,
            interpreter=means.interpreter or (lambda: find_interpreter(runtime.python)),
            pip_args=means.pip_args,
            run=run,
            tell=tell,
        ),
        source_stage(runtime, folder, mirror=means.git_mirror, run=run, tell=tell),
        patch_stage(runtime, folder, run=run),
        build_stage(
            runtime,
            folder,
            toolchain=means.toolchain,
            mirror=means.git_mirror,
            run=run,
            tell=tell,
        ),
        native_probe_stage(runtime, folder, run=run),
    )
    return Work(runtime.name, folder, stages)
