"""How is the server put together? This is the only place that wires.

    Gate ► FastAPI ► routes ► ServingChat ─┬─► PromptBuilder ► ChatTemplate, Tokenizer
                       │                   ├─► Sessions
                       └──► SessionRuntime ┴─► WorkerClient ► the worker process

`running` builds it bottom up, from the worker to the gate, and takes it down again.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from fastapi import FastAPI

from playground.benchmark_reports import ReportFolder, reports_router
from playground.chat import ServingChat
from playground.images import ImageReader, limits_of
from playground.loading import tell_of_loading
from playground.page.files import page_routes, read_page
from playground.page.unbuilt import unbuilt_route
from playground.prompt import PromptBuilder
from playground.report import list_models, report_runtime
from playground.routes import ERROR_HANDLERS, api_router
from playground.runtime import SessionRuntime
from playground.security import Gate
from playground.served import load_served_model, worker_argv
from playground.sessions import Sessions
from playground.worker.client import WorkerClient
from playground.worker.dialects import DIALECTS
from playground.worker.patience import Patience

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from fastapi import APIRouter
    from starlette.types import ASGIApp

    from playground.settings import Settings

__all__ = ["Playground", "running"]


@dataclass(frozen=True, slots=True)
class Playground:
    """A server that is ready to be asked."""

    app: ASGIApp
    serving: ServingChat
    runtime: SessionRuntime
    worker: WorkerClient


def _say_nothing(told: object) -> None:
    """Nobody wants to know."""


@contextlib.asynccontextmanager
async def running(
    settings: Settings,
    *,
    today: Callable[[], date] = date.today,
    no_page_because: str | None = None,
    tell: Callable[[str], object] = _say_nothing,
    on_worker: Callable[[int], object] = _say_nothing,
) -> AsyncIterator[Playground]:
    """A playground whose worker has loaded its model; nothing of it is left afterwards.

    It serves the page that lies in `settings.ui_dir`; `no_page_because` is what whoever could not
    build it says there instead. `on_worker` is told the worker's process id as soon as there is
    one, `tell` is given a line every few seconds while that loads.

    Raises:
        ModelUnusable: the model folder is not complete.
        StartFailure: the worker did not get ready.
    """
    model, dialect = load_served_model(settings), DIALECTS[settings.worker_kind]
    argv = worker_argv(model, settings)

    def loading(pid: int) -> Coroutine[None, None, None]:
        on_worker(pid)
        return tell_of_loading(model.name, pid, tell, program_bytes=model.artifact_bytes)

    async with contextlib.AsyncExitStack() as stack:
        worker = await WorkerClient.spawn(
            argv,
            dialect=dialect,
            ready_timeout_s=settings.ready_timeout_s,
            patience=Patience(settings.first_text_s, settings.prefill_floor, settings.next_text_s),
            cancel_grace_s=settings.cancel_grace_s,
            meanwhile=loading,
        )
        stack.push_async_callback(worker.aclose)
        info = worker.ready.worker
        context_length = info.context_length if info else model.context_length
        limits = limits_of(worker.ready, max_cells=model.max_image_cells)
        sessions = Sessions(worker.ready.max_named_sessions, today=today)
        runtime = SessionRuntime(worker, sessions, session_wait_s=settings.session_wait_s)
        stack.push_async_callback(runtime.aclose)
        serving = ServingChat(
            model_id=model.model_id,
            reasoning_strength=model.reasoning_strength,
            prompts=PromptBuilder(
                model.template, model.tokenizer, context_length, model.image_wrapped
            ),
            images=ImageReader(limits, redraws=not dialect.looks_as_told),
            sessions=sessions,
            runtime=runtime,
            plain_turns=dialect.plain_turns,
            keep_alive_s=settings.keep_alive_s,
        )
        router = api_router(
            serving,
            list_models(model.model_id, created=int(time.time())),
            lambda: report_runtime(model, worker, runtime, context_length, limits),
        )
        app = _build_app(router, settings, no_page_because)
        yield Playground(app, serving, runtime, worker)


def _build_app(router: APIRouter, settings: Settings, no_page_because: str | None) -> ASGIApp:
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        exception_handlers=ERROR_HANDLERS,
    )
    app.include_router(router)
    reports = None if settings.reports is None else ReportFolder(settings.reports)
    app.include_router(reports_router(reports))
    if settings.ui_dir is not None:
        page = read_page(settings.ui_dir)
        app.router.routes += page_routes(page) if page else [unbuilt_route(no_page_because)]
    return Gate(app, max_body_bytes=settings.max_body_bytes)
