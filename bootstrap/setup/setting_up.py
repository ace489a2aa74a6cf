"""How is a plan carried out? Row by row, each under its lock, from where it stands.

Nothing is begun where anything is lacking for what is due: tools, room, or the network.  Then each
row that has something due is locked, built again and run: whoever comes second waits, and finds it
done.  A run that was stopped or killed is gone on with by the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.errors import CannotStart, StageFailed
from bootstrap.machine.toolchain import INSTALL_METAL, State
from bootstrap.running.commands import CommandFailed, Commands
from bootstrap.running.lock import held
from bootstrap.running.stages import run_stages, void
from bootstrap.setup.planning import make_plan
from bootstrap.setup.remembered import keep_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from bootstrap.running.stages import Work
    from bootstrap.setup.here import Here
    from bootstrap.setup.planning import Plan, PlannedRow
    from bootstrap.setup.request import Request

__all__ = ["set_up"]


def set_up(request: Request, here: Here) -> tuple[Plan, tuple[str, ...]]:
    """Make everything ready; the plan that was carried out, and the stages that were run.

    Raises:
        UsageError: the request asks for what there is not.
        CannotStart: something is lacking; nothing was begun.
        StageFailed: a stage did not come to its end; those before it stay done.
    """
    plan = make_plan(request, here, whole=False)
    if plan.due and request.install_metal and _lacks_metal(plan):
        _install_metal(request, here)
        plan = make_plan(request, here, whole=False)
    if plan.obstacles:
        raise CannotStart(plan.profile.name, plan.obstacles)
    if plan.pin.model.url and request.model_dir:
        # There from now on, so that one that is gone later is known to be away with its disk.
        request.model_dir.mkdir(parents=True, exist_ok=True)
    keep_told(request, here.places)
    if plan.due:
        for line in plan.remembered_in_words:
            here.tell(line)
        here.tell(f"profile {plan.profile.name}: {plan.profile.reason}")
    ran: list[str] = []
    for row in plan.rows:
        # What an earlier row has made may have changed what is due in this one.
        if row.due or ran:
            ran += _run(row, plan, here)
    return plan, tuple(ran)


def _run(planned: PlannedRow, plan: Plan, here: Here) -> tuple[str, ...]:
    folder = planned.work.folder

    def tell(line: str) -> None:
        here.tell(f"{planned.work.name}: {line}")

    if not plan.selection.due(_built(planned, here, (), tell)):
        return ()
    with held(folder.lock, tell) as lock:
        work = _built(planned, here, (lock,), tell)
        for name in plan.selection.forced_of(work):
            void(work.stages, folder.stamps, name)
        try:
            return run_stages(
                work.stages, folder.stamps, tell, until=plan.selection.last[work.name]
            )
        except StageFailed as problem:
            if problem.log is None and folder.log.exists():
                raise StageFailed(
                    problem.stage, problem.problem, hint=problem.hint, log=folder.log
                ) from problem
            raise


def _built(
    planned: PlannedRow, here: Here, inherit: tuple[int, ...], tell: Callable[[str], None]
) -> Work:
    commands = Commands(planned.work.folder.log, here.environ, inherit=inherit)
    return planned.row.build(commands, tell)


def _lacks_metal(plan: Plan) -> bool:
    states = {condition.name: condition for condition in plan.conditions}
    return states["metal"].wrong and states["xcode"].state is State.OK


def _install_metal(request: Request, here: Here) -> None:
    """Have Xcode install its Metal compiler: the one thing that is not made below `.runtime`."""
    if request.offline:
        return  # the plan will say that it is missing
    here.tell(f"the Metal compiler is missing: {' '.join(INSTALL_METAL)} …")
    folder = here.places.work("metal")
    try:
        Commands(folder.log, here.environ)(INSTALL_METAL, on_line=here.tell)
    except CommandFailed as problem:
        hint = "run it in Terminal and see what it asks for"
        raise StageFailed("metal", str(problem), hint=hint, log=folder.log) from problem
