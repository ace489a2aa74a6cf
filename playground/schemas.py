"""The OpenAI dialect this server speaks, strict: what it cannot honour it refuses by name.

`read_chat_request` turns the bytes of `POST /v1/chat/completions` into a `ChatRequest`, or raises
an `InvalidRequest` whose message names each offending field with its value.

Honoured: model, messages, stream, stream_options {include_usage, and, ours, include_status},
temperature [0, 2], top_p (0, 1], top_k [0, 2^31), seed [1, 2^63), max_tokens and
max_completion_tokens (the latter wins), stop (a string, or up to 16), session_id,
chat_template_kwargs {reasoning_strength, return_reasoning}, reasoning_effort (an alias: minimal and
low are low, the rest is itself), tools (functions, see `playground.functions`), tool_choice none
(the model is not told of them) or auto, and, ours, muse {dflash, continue}: `dflash` false decodes
token by token where a draft could help; `continue` true goes on inside the last message, which is
then the assistant's and has text and no calls. null means unset.

Passed over, because none of it can change an answer: see `IGNORED`.
Accepted only where it asks for nothing: n=1, penalties 0, empty logit_bias, response_format text,
logprobs false, top_logprobs 0, parallel_tool_calls true.
Everything else is refused, unknown fields included, at every depth.

Messages have the roles system, developer (the same as system), user, assistant and tool. Content
is a string or a list of parts: text, and in user messages pictures (see `content`). A function's
result has to name it or to answer a call of the history. `reasoning_content` of an assistant
message is accepted, because clients echo it, and dropped: reasoning never is history.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)

from playground.content import Content, content_of, text_of
from playground.errors import InvalidSessionId
from playground.functions import Name, Tool, ToolCall, Tools  # noqa: TC001 - pydantic reads them
from playground.refusal import invalid, refusal_of, shown
from playground.strict import Only, Strict

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "IGNORED",
    "MAX_MESSAGES",
    "AssistantMessage",
    "ChatRequest",
    "Message",
    "StreamOptions",
    "SystemMessage",
    "TemplateSettings",
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
MAX_TOOL_CALLS = 128
MAX_STOPS = 16
MAX_STOP_CHARACTERS = 256

SESSION_ID = re.compile(r"[\x21-\x7e]{1,128}")

Strength = Literal["low", "medium", "high", "xhigh"]
EFFORTS: dict[str, Strength] = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
}


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


Text = Annotated[str, BeforeValidator(text_of)]
Zero = Annotated[Any, AfterValidator(Only(None, 0))]
Off = Annotated[Any, AfterValidator(Only(None, False))]
Empty = Annotated[Any, AfterValidator(Only(None, [], {}))]


class SystemMessage(Strict):
    """Instructions; `developer` is OpenAI's newer word for them."""

    role: Literal["system", "developer"]
    content: Text


class UserMessage(Strict):
    """What the person said."""

    role: Literal["user"]
    content: Annotated[Content, PlainValidator(content_of)]


class AssistantMessage(Strict):
    """An earlier answer, as this server or another gave it."""

    role: Literal["assistant"]
    content: Annotated[str | None, BeforeValidator(text_of)] = None
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


class ToolMessage(Strict):
    """What a called function gave back."""

    role: Literal["tool"]
    content: Text
    tool_call_id: str
    name: Name | None = None


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
ROLES = ("system", "developer", "user", "assistant", "tool")


class StreamOptions(Strict):
    """What a stream carries beside the text."""

    include_usage: bool | None = None
    include_status: bool | None = None
    """Frames instead of comments while a turn waits and computes its prompt."""
    include_obfuscation: Off = None


class TemplateSettings(Strict):
    """The two settings of `chat_template_kwargs`; no other name reaches the template."""

    reasoning_strength: Strength | None = None
    return_reasoning: bool | None = None


class MuseSettings(Strict):
    """What is asked of this server and of no other: the body's `muse`."""

    dflash: bool | None = None
    """Whether a draft may find several tokens at once; off, they come one by one, the same ones."""
    continue_: Annotated[bool | None, Field(alias="continue")] = None
    """Whether the last message is an answer that was broken off and is now to go on."""


class ChatRequest(Strict):
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
    muse: MuseSettings | None = None

    n: Annotated[Any, AfterValidator(Only(None, 1))] = None
    presence_penalty: Zero = None
    frequency_penalty: Zero = None
    logit_bias: Empty = None
    response_format: Annotated[Any, AfterValidator(Only(None, {"type": "text"}))] = None
    modalities: Annotated[Any, AfterValidator(Only(None, ["text"]))] = None
    logprobs: Off = None
    top_logprobs: Zero = None
    parallel_tool_calls: Annotated[Any, AfterValidator(Only(None, True))] = None
    tools: Tools | None = None
    tool_choice: Annotated[Any, AfterValidator(Only(None, "none", "auto"))] = None

    metadata: Any = None
    prompt_cache_key: Any = None
    safety_identifier: Any = None
    service_tier: Any = None
    store: Any = None
    user: Any = None

    @property
    def offered_tools(self) -> Sequence[Tool]:
        """The functions that the model is told of and may call: none where the choice is none."""
        return () if self.tool_choice == "none" else self.tools or ()

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
    def dflash(self) -> bool:
        """Whether the turn may draft; it may unless it is told not to."""
        return self.muse is None or self.muse.dflash is not False

    @property
    def continues(self) -> bool:
        """Whether the last message is to go on, instead of a new one to begin."""
        return bool(self.muse and self.muse.continue_)

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with a usage frame; a buffered reply always carries usage."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def include_status(self) -> bool:
        """Whether a stream says in frames where the turn stands."""
        return bool(self.stream and self.stream_options and self.stream_options.include_status)

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
    def _has_what_it_continues(self) -> ChatRequest:
        match self.messages[-1]:
            case AssistantMessage(content=str() as text, tool_calls=None | []) if text:
                return self
            case last if self.continues:
                raise invalid(
                    "muse.continue goes on inside a last message of the assistant's that has text"
                    f" and no tool calls; messages[{len(self.messages) - 1}] is none, its role is"
                    f" {shown(last.role)}"
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
