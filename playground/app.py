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
from fastapi.staticfiles import StaticFiles

from playground.chat import ServingChat
from playground.images import ImageReader, limits_of
from playground.prompt import PromptBuilder
from playground.report import list_models, report_runtime
from playground.routes import ERROR_HANDLERS, api_router, unbuilt_page
from playground.runtime import SessionRuntime
from playground.security import Gate
from playground.served import load_served_model, worker_argv
from playground.sessions import Sessions
from playground.worker.client import WorkerClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

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


@contextlib.asynccontextmanager
async def running(
    settings: Settings, *, today: Callable[[], date] = date.today
) -> AsyncIterator[Playground]:
    """A playground whose worker has loaded its model; nothing of it is left afterwards.

    Raises:
        ModelUnusable: the model folder is not complete.
        StartFailure: the worker did not get ready.
    """
    model = load_served_model(settings)
    async with contextlib.AsyncExitStack() as stack:
        worker = await WorkerClient.spawn(
            worker_argv(model, settings),
            ready_timeout_s=settings.ready_timeout_s,
            cancel_grace_s=settings.cancel_grace_s,
        )
        stack.push_async_callback(worker.aclose)
        info = worker.ready.worker
        context_length = info.context_length if info else model.context_length
        limits = limits_of(worker.ready)
        sessions = Sessions(worker.ready.max_named_sessions, today=today)
        runtime = SessionRuntime(worker, sessions, session_wait_s=settings.session_wait_s)
        stack.push_async_callback(runtime.aclose)
        serving = ServingChat(
            model_id=model.model_id,
            reasoning_strength=model.reasoning_strength,
            prompts=PromptBuilder(
                model.template, model.tokenizer, context_length, model.image_wrapped
            ),
            images=ImageReader(limits),
            sessions=sessions,
            runtime=runtime,
            keep_alive_s=settings.keep_alive_s,
        )
        router = api_router(
            serving,
            list_models(model.model_id, created=int(time.time())),
            lambda: report_runtime(model, worker.ready, runtime, context_length, limits),
        )
        yield Playground(_build_app(router, settings), serving, runtime, worker)


def _build_app(router: APIRouter, settings: Settings) -> ASGIApp:
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        exception_handlers=ERROR_HANDLERS,
    )
    app.include_router(router)
    if settings.ui_dir is not None and settings.ui_dir.is_dir():
        app.mount("/", StaticFiles(directory=settings.ui_dir, html=True))
    elif settings.ui_dir is not None:
        app.add_route("/", unbuilt_page)
    return Gate(app, max_body_bytes=settings.max_body_bytes)
