"""Everything a caller can be told went wrong; each class knows its HTTP status, type and code.

    class                          status  type                   code

    APIError                         500   server_error           null
    ├── InvalidRequest                 400   invalid_request_error  invalid_value
    │   ├── InvalidJSON                400   invalid_request_error  invalid_json
    │   ├── UnsupportedParameter       400   invalid_request_error  unsupported_parameter
    │   ├── InvalidSessionId           400   invalid_request_error  invalid_session_id
    │   ├── UnsupportedSession         400   invalid_request_error  unsupported_session
    │   ├── ContextLengthExceeded      400   invalid_request_error  context_length_exceeded
    │   ├── InvalidImage               400   invalid_request_error  invalid_image
    │   │   └── ImageTooLarge          400   invalid_request_error  image_too_large
    │   ├── Forbidden                  403   invalid_request_error  forbidden
    │   ├── NotFound                   404   invalid_request_error  not_found
    │   │   └── ModelNotFound          404   invalid_request_error  model_not_found
    │   ├── MethodNotAllowed           405   invalid_request_error  method_not_allowed
    │   ├── BodyTooLarge               413   invalid_request_error  body_too_large
    │   └── UnsupportedMediaType       415   invalid_request_error  unsupported_media_type
    ├── SessionBusy                    409   conflict_error         session_busy
    ├── SessionCapacity                429   capacity_error         capacity_exhausted
    └── ServerError                    500   server_error           null
        ├── GenerationFailed           500   server_error           generation_failed
        ├── TemplateFailed             500   server_error           template_failed
        └── Unavailable                503   server_error           unavailable

Every one of them reaches the caller in one shape, whatever the route and whether the answer is
JSON or an event in a stream that has already begun:

    {"error": {"message": "…", "type": "…", "param": null, "code": "…" | null}}

`param` is there because clients of OpenAI's read it; which field is meant, and it may be several,
stands in the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "APIError",
    "BodyTooLarge",
    "ContextLengthExceeded",
    "Forbidden",
    "GenerationFailed",
    "ImageTooLarge",
    "InvalidImage",
    "InvalidJSON",
    "InvalidRequest",
    "InvalidSessionId",
    "MethodNotAllowed",
    "ModelNotFound",
    "NotFound",
    "ServerError",
    "SessionBusy",
    "SessionCapacity",
    "TemplateFailed",
    "Unavailable",
    "UnsupportedMediaType",
    "UnsupportedParameter",
    "UnsupportedSession",
]


class APIError(Exception):
    """The root: `str()` is the message the caller reads, the class says whose fault it was."""

    status: ClassVar[int] = 500
    type: ClassVar[str] = "server_error"
    code: ClassVar[str | None] = None

    @property
    def body(self) -> dict[str, dict[str, str | None]]:
        """What is sent, as JSON, wherever the error surfaces."""
        told = {"message": str(self), "type": self.type, "param": None, "code": self.code}
        return {"error": told}


class InvalidRequest(APIError):
    """The request cannot be honoured as it stands; the message names the field and the value."""

    status = 400
    type = "invalid_request_error"
    code = "invalid_value"


class InvalidJSON(InvalidRequest):
    """The body is not JSON."""

    code = "invalid_json"


class UnsupportedParameter(InvalidRequest):
    """The request asks for something this server does not do, or names what it does not know."""

    code = "unsupported_parameter"


class InvalidSessionId(InvalidRequest):
    """A session id outside the rule: 1 to 128 printable ASCII characters, no space."""

    code = "invalid_session_id"

    def __init__(self, session_id: str) -> None:
        shown = session_id if len(session_id) <= 40 else session_id[:40] + "…"
        super().__init__(
            f"session id {shown!r} is not 1 to 128 printable ASCII characters without a space"
        )
        self.session_id = session_id


class UnsupportedSession(InvalidRequest):
    """The worker keeps no named sessions at all."""

    code = "unsupported_session"

    def __init__(self) -> None:
        super().__init__(
            "this server keeps no named sessions; leave session_id out, or start it with"
            " --max-sessions 2 or more"
        )


class ContextLengthExceeded(InvalidRequest):
    """Prompt, or completion cap, larger than the model's window."""

    code = "context_length_exceeded"

    def __init__(self, *, what: str, tokens: int, context_length: int, advice: str) -> None:
        super().__init__(f"{what} {tokens} tokens, the context holds {context_length}; {advice}")
        self.tokens = tokens
        self.context_length = context_length


class InvalidImage(InvalidRequest):
    """A picture that is none, is not offered in this form, or is one too many."""

    code = "invalid_image"


class ImageTooLarge(InvalidImage):
    """A picture of more bytes or pixels than are looked at."""

    code = "image_too_large"


class Forbidden(InvalidRequest):
    """The request comes from a place that may not ask: a foreign Host or Origin."""

    status = 403
    code = "forbidden"


class NotFound(InvalidRequest):
    """Nothing is served under this path."""

    status = 404
    code = "not_found"


class ModelNotFound(NotFound):
    """The request names a model that is not the one served."""

    code = "model_not_found"

    def __init__(self, model: str, served: str) -> None:
        super().__init__(f"model {model!r} is not served here; use {served!r} or leave model out")
        self.model = model
        self.served = served


class MethodNotAllowed(InvalidRequest):
    """The path exists, the method does not."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, method: str, path: str, allowed: Sequence[str]) -> None:
        known = f"; allowed: {', '.join(sorted(allowed))}" if allowed else ""
        super().__init__(f"{method} is not allowed on {path}{known}")


class BodyTooLarge(InvalidRequest):
    """The request body is over the cap."""

    status = 413
    code = "body_too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the request body is larger than {limit_bytes} bytes")
        self.limit_bytes = limit_bytes


class UnsupportedMediaType(InvalidRequest):
    """The body is declared as something other than JSON."""

    status = 415
    code = "unsupported_media_type"


class SessionBusy(APIError):
    """A session operation waited for the running turn longer than it may."""

    status = 409
    type = "conflict_error"
    code = "session_busy"


class SessionCapacity(APIError):
    """All named sessions are taken."""

    status = 429
    type = "capacity_error"
    code = "capacity_exhausted"


class ServerError(APIError):
    """Our fault, not the caller's."""


class GenerationFailed(ServerError):
    """The worker reported an error for a turn it had accepted."""

    code = "generation_failed"


class TemplateFailed(ServerError):
    """The model's chat template could not be loaded, or broke while rendering."""

    code = "template_failed"


class Unavailable(ServerError):
    """The worker is gone, or the server is shutting down."""

    status = 503
    code = "unavailable"
