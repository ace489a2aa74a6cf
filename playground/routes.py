"""Which path does what?

    GET    /health                   200, or 503 with the reason
    GET    /v1/models                the one model, in OpenAI's shape
    GET    /api/runtime              what runs here, and in which state
    POST   /v1/chat/completions      a turn, streamed or whole
    POST   /api/cancel               {"request_id"?, "session_id"?}: end a turn
    POST   /v1/sessions/{id}/reset   empty a session, keep its place
    DELETE /v1/sessions/{id}         free its place
    GET    /api/reports, /reports/…  runs of muse-bench (see `playground.benchmark_reports`)
    GET    /                         the web page, where it is built (see `playground.page`)

Every error has one shape (see `playground.errors`), those of the framework included.
A caller who goes away cancels their turn, whether it was streamed or not.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from playground.errors import (
    APIError,
    InvalidJSON,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    ServerError,
    UnsupportedParameter,
)
from playground.schemas import check_session_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping

    from starlette.types import Receive, Scope, Send

    from playground.chat import ChatTurn, ServingChat

__all__ = ["ERROR_HANDLERS", "api_router"]

REQUEST_ID = re.compile(r"[\x20-\x7e]{1,128}")
SESSION_HEADERS = ("x-executorch-session-id", "session_id", "x-session-affinity")


def api_router(
    serving: ServingChat, models: Mapping[str, Any], runtime_report: Callable[[], Mapping[str, Any]]
) -> APIRouter:
    """The API's routes; `runtime_report` is asked each time, `models` is what it is."""
    router = APIRouter()
    runtime = serving.runtime

    @router.get("/health")
    async def health() -> Response:
        if reason := runtime.unavailable:
            return JSONResponse({"status": "unavailable", "reason": reason}, status_code=503)
        return JSONResponse({"status": "ok"})

    @router.get("/v1/models")
    async def list_models() -> Response:
        return JSONResponse(models)

    @router.get("/api/runtime")
    async def describe_runtime() -> Response:
        return JSONResponse(runtime_report())

    @router.post("/v1/chat/completions")
    async def chat_completions(request: Request) -> Response:
        request.state.request_id = request_id = read_request_id(request.headers)
        session_id = read_session_id(request.headers)
        turn = await serving.accept(
            await request.body(), request_id=request_id, session_id=session_id
        )
        if turn.request.stream:
            return TurnStream(serving, turn)
        async with cancelled_if_left(serving, turn, request.receive):
            reply = await serving.reply(turn)
        return JSONResponse(reply, headers={"x-request-id": request_id})

    @router.post("/api/cancel")
    async def cancel(request: Request) -> Response:
        request_id, session_id = read_cancel(await request.body())
        told = serving.cancel(request_id, session_id)
        return JSONResponse(
            {
                "cancelled": bool(told),
                "request_id": told[0].request_id if told else request_id,
                "session_id": told[0].session.session_id if told else session_id,
            }
        )

    @router.post("/v1/sessions/{session_id:path}/reset")
    async def reset_session(session_id: str) -> Response:
        await runtime.reset(check_session_id(session_id))
        return JSONResponse({"reset": True, "session_id": session_id})

    @router.delete("/v1/sessions/{session_id:path}")
    async def close_session(session_id: str) -> Response:
        await runtime.close(check_session_id(session_id))
        return JSONResponse({"closed": True, "session_id": session_id})

    return router


class TurnStream(Response):
    """A turn as server-sent events; each piece is sent as soon as there is one."""

    media_type = "text/event-stream"

    def __init__(self, serving: ServingChat, turn: ChatTurn) -> None:
        # A proxy that compresses a stream, or waits for more of it, holds the text up.
        unheld = {"cache-control": "no-store, no-transform", "x-accel-buffering": "no"}
        super().__init__(headers={"x-request-id": turn.turn.request_id, **unheld})
        del self.headers["content-length"]
        self._serving, self._turn = serving, turn

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the status line at once, then the turn, then the end."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        async with cancelled_if_left(self._serving, self._turn, receive):
            await send(start)
            async for piece in self._serving.stream(self._turn):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def cancelled_if_left(
    serving: ServingChat, turn: ChatTurn, receive: Receive
) -> AsyncIterator[None]:
    """Cancel the turn when its caller goes away, or when this block is left before its end.

    The request's body has to be read: what `receive` gives next is that the caller has gone.
    """

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        serving.runtime.cancel(turn.turn)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        serving.runtime.cancel(turn.turn)


def read_request_id(headers: Mapping[str, str]) -> str:
    """What the caller calls this request, or else a name of ours.

    Raises:
        InvalidRequest: it is not 1 to 128 printable ASCII characters.
    """
    request_id = headers.get("x-request-id")
    if request_id is None:
        return f"req-{secrets.token_hex(12)}"
    if not REQUEST_ID.fullmatch(request_id):
        raise InvalidRequest("X-Request-ID is not 1 to 128 printable ASCII characters")
    return request_id


def read_session_id(headers: Mapping[str, str]) -> str | None:
    """The session named by a header, for a body that names none; the first header that does.

    Raises:
        InvalidSessionId: it breaks the rule.
    """
    for name in SESSION_HEADERS:
        if name in headers:
            return check_session_id(headers[name])
    return None


def read_cancel(body: bytes) -> tuple[str | None, str | None]:
    """The request id and the session id of a cancel; at least one of them.

    Raises:
        InvalidRequest: the body is anything else.
    """
    try:
        fields = from_json(body or b"{}", allow_inf_nan=False)
    except ValueError as error:
        raise InvalidJSON(f"the body is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidRequest("the body should be an object with request_id or session_id")
    if unknown := sorted(fields.keys() - {"request_id", "session_id"}):
        raise UnsupportedParameter(f"{unknown[0]} is not a field known here")
    request_id, session_id = fields.get("request_id"), fields.get("session_id")
    if not isinstance(request_id, str | None) or not isinstance(session_id, str | None):
        raise InvalidRequest("request_id and session_id should be strings")
    if request_id is None and session_id is None:
        raise InvalidRequest("name what to cancel: request_id, session_id, or both")
    return request_id, session_id


async def on_api_error(request: Request, error: APIError) -> Response:
    """An error of ours, as an answer."""
    request_id = getattr(request.state, "request_id", None)
    headers = {"x-request-id": request_id} if request_id else None
    return JSONResponse(error.body, status_code=error.status, headers=headers)


async def on_http_exception(request: Request, error: HTTPException) -> Response:
    """An error of the framework's, in our shape."""
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    path = request.url.path
    match error.status_code:
        case 404:
            ours: APIError = NotFound(f"nothing is served at {path}")
        case 405:
            ours = MethodNotAllowed(request.method, path, headers.get("allow", "").split(", "))
        case status if status < 500:
            ours = InvalidRequest(error.detail)
        case _:
            ours = ServerError(error.detail)
    return JSONResponse(ours.body, status_code=error.status_code, headers=headers)


async def on_bug(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Whatever nobody foresaw; the log has the rest."""
    ours = ServerError("something went wrong in the server; its log says what")
    return JSONResponse(ours.body, status_code=ours.status)


async def on_disconnect(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """The caller went away while sending; nobody reads this."""
    return Response(status_code=400)


ERROR_HANDLERS: dict[
    int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]
] = {
    APIError: on_api_error,
    HTTPException: on_http_exception,
    ClientDisconnect: on_disconnect,
    Exception: on_bug,
}
