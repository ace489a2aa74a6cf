"""The OpenAI dialect this server speaks, strict: what it cannot honour it refuses by name.

`read_chat_request` turns the bytes of `POST /v1/chat/completions` into a `ChatRequest`, or raises
an `InvalidRequest` whose message names each offending field with its value.

Honoured: model, messages, stream, stream_options.include_usage, temperature [0, 2], top_p (0, 1],
top_k [0, 2^31), seed [1, 2^63), max_tokens and max_completion_tokens (the latter wins), stop (a
string, or up to 16), session_id, chat_template_kwargs {reasoning_strength, return_reasoning},
reasoning_effort (an alias: minimal and low are low, the rest is itself). null means unset.

Passed over, because none of it can change an answer: see `IGNORED`.
Accepted only where it asks for nothing: n=1, penalties 0, empty logit_bias, response_format text,
logprobs false, top_logprobs 0, parallel_tool_calls true, tools empty, tool_choice none or auto.
Everything else is refused, unknown fields included, at every depth.

Messages have the roles system, developer (the same as system), user, assistant and tool. Content
is a string or a list of text parts, which are joined as they stand. Earlier tool calls and their
results may stand in the history, since the model can read them, though new calls are not offered
yet; a result has to name its function or answer a call of the history. `reasoning_content` of an
assistant message is accepted, because clients echo it, and dropped: reasoning never is history.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import from_json

from playground.errors import InvalidSessionId
from playground.refusal import invalid, refusal_of, shown, unsupported

__all__ = [
    "IGNORED",
    "MAX_MESSAGES",
    "MAX_PARTS",
    "AssistantMessage",
    "CalledFunction",
    "ChatRequest",
    "Message",
    "StreamOptions",
    "SystemMessage",
    "TemplateSettings",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
    "check_session_id",
    "read_chat_request",
]

IGNORED = (
    "metadata",
    "prompt_cache_key",
    "safety_identifier",
    "service_tier",
    "store",
    "user",
)
"""Fields of OpenAI's that say who asks or how it is billed and kept, never what is answered."""

MAX_MESSAGES = 4096
MAX_PARTS = 1024
MAX_TOOL_CALLS = 128
MAX_STOPS = 16
MAX_STOP_CHARACTERS = 256

SESSION_ID = re.compile(r"[\x21-\x7e]{1,128}")
FUNCTION_NAME = r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$"

Strength = Literal["low", "medium", "high", "xhigh"]
EFFORTS: dict[str, Strength] = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
}


def _text_of(content: object) -> object:
    """One string from a string or a list of text parts; other things are left to the type."""
    if not isinstance(content, list):
        return content
    if len(content) > MAX_PARTS:
        raise invalid(f"has {len(content)} parts, {MAX_PARTS} are allowed")
    return "".join(_text_of_part(number, part) for number, part in enumerate(content))


def _text_of_part(number: int, part: object) -> str:
    if not isinstance(part, dict):
        raise invalid(f"part {number} should be an object with type and text")
    match part.get("type"):
        case "text":
            pass
        case "image_url":
            raise unsupported(f"part {number} is an image, and this model reads text only")
        case other:
            raise unsupported(f"part {number} has the type {shown(other)}; only text is offered")
    if unknown := sorted(part.keys() - {"type", "text"}):
        raise unsupported(f"part {number} has the unknown field {unknown[0]!r}")
    if not isinstance(part.get("text"), str):
        raise invalid(f"part {number} should have its text as a string")
    return str(part["text"])


def _arguments(text: object) -> object:
    """The object that a call's arguments spell in JSON."""
    if not isinstance(text, str):
        raise invalid("should be a string that holds a JSON object")
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise invalid(f"should be a string that holds a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise invalid("should hold a JSON object")
    return value


def _stops(stop: object) -> object:
    """The stop strings as a tuple, whichever of the three forms they came in."""
    match stop:
        case None:
            return ()
        case str():
            return (stop,)
        case list():
            return tuple(stop)
    return stop


class _Only:
    """A field that may be sent, but only with a value that asks for nothing."""

    def __init__(self, *allowed: object) -> None:
        self._allowed = allowed

    def __call__(self, value: object) -> object:
        # bool is an int to Python; to JSON it is not.
        for candidate in self._allowed:
            if value == candidate and isinstance(value, bool) == isinstance(candidate, bool):
                return value
        offered = " or ".join(json.dumps(candidate) for candidate in self._allowed)
        raise unsupported(f"can only be {offered} here, got {shown(value)}")


def _no_tools(value: object) -> object:
    if value is None or value == []:
        return value
    raise unsupported("are not offered yet; leave the field out or send an empty list")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Text = Annotated[str, BeforeValidator(_text_of)]
Zero = Annotated[Any, AfterValidator(_Only(None, 0))]
Off = Annotated[Any, AfterValidator(_Only(None, False))]
Empty = Annotated[Any, AfterValidator(_Only(None, [], {}))]
Name = Annotated[str, Field(pattern=FUNCTION_NAME, max_length=128)]


class SystemMessage(_Strict):
    """Instructions; `developer` is OpenAI's newer word for them."""

    role: Literal["system", "developer"]
    content: Text


class UserMessage(_Strict):
    """What the person said."""

    role: Literal["user"]
    content: Text


class CalledFunction(_Strict):
    """Which function, with what; the arguments arrive as JSON text and are kept as the object."""

    name: Name
    arguments: Annotated[dict[str, Any], BeforeValidator(_arguments)]


class ToolCall(_Strict):
    """A call that the assistant made in an earlier turn."""

    id: str
    type: Literal["function"] = "function"
    function: CalledFunction


class AssistantMessage(_Strict):
    """An earlier answer, as this server or another gave it."""

    role: Literal["assistant"]
    content: Annotated[str | None, BeforeValidator(_text_of)] = None
    tool_calls: Annotated[list[ToolCall], Field(max_length=MAX_TOOL_CALLS)] | None = None
    reasoning_content: str | None = None
    """Accepted and dropped."""

    refusal: Empty = None
    audio: Empty = None
    annotations: Empty = None
    function_call: Empty = None

    @model_validator(mode="after")
    def _says_something(self) -> AssistantMessage:
        if self.content is None and not self.tool_calls:
            raise invalid("needs content or tool_calls")
        return self


class ToolMessage(_Strict):
    """What a called function gave back."""

    role: Literal["tool"]
    content: Text
    tool_call_id: str
    name: Name | None = None


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
ROLES = ("system", "developer", "user", "assistant", "tool")


class StreamOptions(_Strict):
    """What a stream carries beside the text."""

    include_usage: bool | None = None
    include_obfuscation: Off = None


class TemplateSettings(_Strict):
    """The two settings of `chat_template_kwargs`; no other name reaches the template."""

    reasoning_strength: Strength | None = None
    return_reasoning: bool | None = None


class ChatRequest(_Strict):
    """A chat completion as asked for. Unset is None, so that defaults stay the server's."""

    model: str | None = None
    messages: Annotated[
        list[Annotated[Message, Field(discriminator="role")]],
        Field(min_length=1, max_length=MAX_MESSAGES),
    ]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    seed: Annotated[int, Field(ge=1, le=2**63 - 1)] | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    max_completion_tokens: Annotated[int, Field(gt=0)] | None = None
    stop: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=MAX_STOP_CHARACTERS)], ...],
        Field(max_length=MAX_STOPS),
        BeforeValidator(_stops),
    ] = ()
    session_id: str | None = None
    chat_template_kwargs: TemplateSettings | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high", "xhigh"] | None = None

    n: Annotated[Any, AfterValidator(_Only(None, 1))] = None
    presence_penalty: Zero = None
    frequency_penalty: Zero = None
    logit_bias: Empty = None
    response_format: Annotated[Any, AfterValidator(_Only(None, {"type": "text"}))] = None
    modalities: Annotated[Any, AfterValidator(_Only(None, ["text"]))] = None
    logprobs: Off = None
    top_logprobs: Zero = None
    parallel_tool_calls: Annotated[Any, AfterValidator(_Only(None, True))] = None
    tools: Annotated[Any, AfterValidator(_no_tools)] = None
    tool_choice: Annotated[Any, AfterValidator(_Only(None, "none", "auto"))] = None

    metadata: Any = None
    prompt_cache_key: Any = None
    safety_identifier: Any = None
    service_tier: Any = None
    store: Any = None
    user: Any = None

    @property
    def completion_cap(self) -> int | None:
        """How many tokens may be generated at most, None for as many as there is room for."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def reasoning_strength(self) -> Strength | None:
        """How hard to think, under either of its names; None leaves it to the server."""
        settings = self.chat_template_kwargs
        if settings is not None and settings.reasoning_strength is not None:
            return settings.reasoning_strength
        return EFFORTS[self.reasoning_effort] if self.reasoning_effort is not None else None

    @property
    def return_reasoning(self) -> bool:
        """Whether the caller wants to see what the model says to itself."""
        return bool(self.chat_template_kwargs and self.chat_template_kwargs.return_reasoning)

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with a usage frame; a buffered reply always carries usage."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @model_validator(mode="after")
    def _says_one_strength(self) -> ChatRequest:
        effort, settings = self.reasoning_effort, self.chat_template_kwargs
        strength = settings.reasoning_strength if settings is not None else None
        if effort is not None and strength is not None and EFFORTS[effort] != strength:
            raise invalid(
                f"reasoning_effort {shown(effort)} and chat_template_kwargs.reasoning_strength"
                f" {shown(strength)} contradict each other"
            )
        return self

    @model_validator(mode="after")
    def _results_have_a_name(self) -> ChatRequest:
        called: set[str] = set()
        for number, message in enumerate(self.messages):
            match message:
                case AssistantMessage(tool_calls=calls):
                    called.update(call.id for call in calls or ())
                case ToolMessage(name=None, tool_call_id=call) if call not in called:
                    raise invalid(
                        f"messages[{number}].tool_call_id {shown(call)} answers no earlier call;"
                        " give the function's name or the call it answers"
                    )
                case _:
                    pass
        return self


def check_session_id(session_id: str) -> str:
    """The id itself, wherever it came from, if it obeys the rule.

    Raises:
        InvalidSessionId: it is not 1 to 128 printable ASCII characters without a space.
    """
    if SESSION_ID.fullmatch(session_id) is None:
        raise InvalidSessionId(session_id)
    return session_id


def read_chat_request(body: bytes) -> ChatRequest:
    """The request that a body holds.

    Raises:
        InvalidJSON: the body is not JSON.
        UnsupportedParameter: it asks for things that are not offered or not known; all are named.
        InvalidSessionId: its session id breaks the rule.
        InvalidRequest: a value is missing, of the wrong type or out of range.
    """
    try:
        request = ChatRequest.model_validate_json(body)
    except ValidationError as error:
        raise refusal_of(error, branches=ROLES) from None
    if request.session_id is not None:
        check_session_id(request.session_id)
    return request
