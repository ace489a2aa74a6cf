"""Which rules are there, how much depends on each, and who says so?

The one table.  Rules are named for what they look at:

    reply, head        any response; its head            refusal, error     requests refused
    sse, chunk         the lines and chunks of a stream  body, models       replies in one piece
    finish, done, usage, text, same                      what a turn comes to
    stop, cap, n, calls, model, odd, next                what was asked of it

`harness/conformance/rule.py` says what MUST and SHOULD come to.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from harness.conformance import of_frames, of_head, of_refusal, of_turn
from harness.conformance.of_frames import unbroken
from harness.conformance.rule import Level, Rule, When

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["RULES", "SOURCES", "rules_for"]

MUST, SHOULD = Level.MUST, Level.SHOULD
ALWAYS, REFUSAL = When.ALWAYS, When.REFUSAL

CHAT = "OpenAI API reference, Chat Completions"
STREAMED = "OpenAI API reference, Chat Completions, streaming"
ERRORS = "OpenAI API reference, error codes"
MODELS = "OpenAI API reference, Models"
SSE = "WHATWG HTML 9.2, server-sent events"
HTTP = "RFC 9110, HTTP semantics"
HTTP1 = "RFC 9112, HTTP/1.1"
CACHING = "RFC 9111, HTTP caching"
READERS = "published clients that stumble otherwise"
PROXIES = "proxies that hold streams up otherwise"
DEBUGGING = "OpenAI API reference, debugging requests"
JSON = "RFC 8259, JSON"

SOURCES: Mapping[str, str] = {
    CHAT: "https://platform.openai.com/docs/api-reference/chat/create",
    STREAMED: "https://platform.openai.com/docs/api-reference/chat-streaming",
    ERRORS: "https://platform.openai.com/docs/guides/error-codes",
    MODELS: "https://platform.openai.com/docs/api-reference/models",
    DEBUGGING: "https://platform.openai.com/docs/api-reference/debugging-requests",
    SSE: "https://html.spec.whatwg.org/multipage/server-sent-events.html",
    HTTP: "https://www.rfc-editor.org/rfc/rfc9110",
    HTTP1: "https://www.rfc-editor.org/rfc/rfc9112",
    CACHING: "https://www.rfc-editor.org/rfc/rfc9111",
    JSON: "https://www.rfc-editor.org/rfc/rfc8259",
    READERS: "`harness/wire_fixtures.py`: streams that at least one published tool read wrongly",
    PROXIES: "https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering",
}
"""Where each source is to be read."""

_TABLE = (
    # The response, whatever it is.
    Rule(
        "reply.whole",
        MUST,
        CHAT,
        "what can be honoured is answered with 200, to its end, without an error inside",
        of_turn.whole,
        ALWAYS,
    ),
    Rule(
        "head.content_type",
        MUST,
        SSE,
        "a stream comes as text/event-stream, one body as application/json",
        of_head.content_type,
    ),
    Rule("head.charset", MUST, SSE, "a charset, where one is named, is utf-8", of_head.charset),
    Rule(
        "head.framing",
        MUST,
        HTTP1,
        "a body is measured in one way: by chunks, by its length, or by the end of the connection",
        of_head.framing,
        ALWAYS,
    ),
    Rule(
        "head.not_measured",
        SHOULD,
        HTTP1,
        "a stream has no content-length, which is not known before it ends",
        of_head.not_measured,
    ),
    Rule(
        "head.not_cached",
        SHOULD,
        CACHING,
        "a stream is not to be cached: no-cache or no-store",
        of_head.not_cached,
    ),
    Rule(
        "head.not_held_up",
        SHOULD,
        PROXIES,
        "proxies are asked not to hold a stream up: no-transform, or x-accel-buffering: no",
        of_head.not_held_up,
    ),
    Rule(
        "head.request_id",
        SHOULD,
        DEBUGGING,
        "every response names its request: x-request-id",
        of_head.request_id,
        ALWAYS,
    ),
    # The lines of a stream.
    Rule("sse.utf8", MUST, SSE, "a stream is UTF-8", of_frames.utf8),
    Rule(
        "sse.ended",
        MUST,
        SSE,
        "the last event ends with an empty line, or it is none",
        unbroken("incomplete_event"),
    ),
    Rule(
        "sse.only_data",
        SHOULD,
        STREAMED,
        "lines are `data: …`, with the space, or comments, or empty",
        of_frames.only_data,
    ),
    Rule("sse.line_ends", SHOULD, READERS, "lines end with LF", of_frames.line_ends),
    Rule(
        "sse.one_data_line",
        SHOULD,
        READERS,
        "the data of an event is on one line",
        of_frames.one_data_line,
    ),
    Rule(
        "sse.comments_apart",
        SHOULD,
        READERS,
        "a comment stands between events, with an empty line behind it",
        of_frames.comments_apart,
    ),
    Rule(
        "sse.separators",
        SHOULD,
        READERS,
        "U+0085, U+2028 and U+2029 are escaped in JSON",
        of_frames.separators_escaped,
    ),
    Rule(
        "sse.live", SHOULD, STREAMED, "text is sent as it is made, not all at the end", of_turn.live
    ),
    # The chunks in them.
    Rule("chunk.json", MUST, STREAMED, "every event is JSON or [DONE]", unbroken("json")),
    Rule(
        "chunk.only",
        SHOULD,
        STREAMED,
        "every event but [DONE] is a chunk with choices",
        of_frames.only_chunks,
    ),
    Rule("chunk.object", MUST, STREAMED, "object is chat.completion.chunk", of_frames.object_named),
    Rule("chunk.id", MUST, STREAMED, "id is the same in every chunk", of_frames.ids),
    Rule(
        "chunk.created",
        MUST,
        STREAMED,
        "created is the same in every chunk, in whole seconds",
        of_frames.created,
    ),
    Rule("chunk.model", MUST, STREAMED, "model is the same in every chunk", of_frames.model),
    Rule(
        "chunk.choices",
        MUST,
        STREAMED,
        "choices is a list of objects with index and delta",
        of_frames.choices,
    ),
    Rule(
        "chunk.types",
        MUST,
        STREAMED,
        "role, content and tool_calls have their types, or are null or absent",
        unbroken("shape"),
    ),
    Rule(
        "chunk.finish_null",
        SHOULD,
        STREAMED,
        "finish_reason is in every choice, null but in the last",
        of_frames.finish_null,
    ),
    Rule(
        "chunk.role_first",
        SHOULD,
        STREAMED,
        "the first delta says that the assistant speaks",
        of_frames.role_first,
    ),
    Rule(
        "chunk.text_first",
        MUST,
        STREAMED,
        "no text comes after the finish reason",
        unbroken("delta_after_finish"),
    ),
    # How a turn ends.
    Rule("finish.once", MUST, CHAT, "a turn has one finish reason", of_turn.finish_once),
    Rule(
        "finish.known",
        MUST,
        CHAT,
        "which is stop, length, tool_calls, content_filter or function_call",
        of_turn.finish_known,
    ),
    Rule("done.once", MUST, STREAMED, "[DONE] comes once, and nothing after it", of_turn.done_once),
    Rule(
        "done.line_kept",
        MUST,
        HTTP1,
        "the connection stays whole until the body has ended",
        unbroken("broken_after_done"),
    ),
    Rule(
        "next.answered",
        MUST,
        HTTP1,
        "the request after a stream, on its connection where that was kept, is answered for itself",
        of_turn.another_id,
    ),
    # What it cost.
    Rule(
        "usage.sent",
        MUST,
        CHAT,
        "usage comes with every body, and with a stream that was asked for it",
        of_turn.usage_sent,
    ),
    Rule(
        "usage.sums",
        MUST,
        CHAT,
        "usage is in whole numbers, and the total is their sum",
        of_turn.usage_sums,
    ),
    Rule(
        "usage.parts",
        MUST,
        CHAT,
        "cached and reasoning tokens are no more than what they are part of",
        of_turn.usage_parts,
    ),
    Rule(
        "usage.last",
        MUST,
        STREAMED,
        "usage is in a chunk of its own, with empty choices, between finish reason and [DONE]",
        of_turn.usage_last,
    ),
    Rule(
        "usage.null",
        SHOULD,
        STREAMED,
        "all other chunks have a usage too, which is null",
        of_turn.usage_null,
    ),
    Rule(
        "usage.unasked",
        SHOULD,
        STREAMED,
        "a stream that was not asked for usage has none",
        of_turn.usage_unasked,
    ),
    # What it says.
    Rule(
        "text.characters",
        MUST,
        SSE,
        "characters come whole, whatever tokens they were made of",
        of_turn.whole_characters,
    ),
    Rule(
        "text.no_control",
        MUST,
        CHAT,
        "no control token or message header of the model's own format reaches the reader",
        of_turn.no_control_text,
    ),
    Rule(
        "same.prompt",
        MUST,
        JSON,
        "the same messages are as many prompt tokens, streamed or not, escaped or not",
        of_turn.same_prompt,
    ),
    Rule(
        "same.answer",
        SHOULD,
        CHAT,
        "at temperature 0 the same request is answered in the same words",
        of_turn.same_answer,
    ),
    # What was asked of it.
    Rule(
        "stop.short",
        MUST,
        CHAT,
        "the text does not hold the stop string, and ends with stop",
        of_turn.stopped_short,
    ),
    Rule(
        "stop.exact",
        SHOULD,
        CHAT,
        "all that stands before the stop string is sent",
        of_turn.stopped_exactly,
    ),
    Rule(
        "cap.max_tokens",
        MUST,
        CHAT,
        "max_tokens is a cap, and a turn that it ends says length",
        of_turn.capped,
    ),
    Rule(
        "cap.max_completion_tokens",
        SHOULD,
        CHAT,
        "max_completion_tokens, its newer name, is one too",
        of_turn.capped,
    ),
    Rule("n.choices", MUST, CHAT, "a server that takes n gives n choices", of_turn.several_choices),
    Rule(
        "odd.survives",
        MUST,
        CHAT,
        "what is unusual is served or refused by a 4xx, and breaks nothing",
        of_refusal.survives,
        ALWAYS,
    ),
    Rule(
        "calls.shape",
        MUST,
        STREAMED,
        "fragments of a call have its index, and the first id, type and name",
        of_turn.call_shape,
    ),
    Rule(
        "calls.arguments",
        MUST,
        CHAT,
        "the arguments of a call, joined, are a JSON object",
        of_turn.call_arguments,
    ),
    Rule(
        "calls.finish",
        MUST,
        CHAT,
        "a turn with calls, and no other, ends with tool_calls",
        of_turn.call_finish,
    ),
    # Replies in one piece.
    Rule(
        "body.head",
        MUST,
        CHAT,
        "a body has id, created and model, and its object is chat.completion",
        of_turn.body_head,
    ),
    Rule(
        "body.choices",
        MUST,
        CHAT,
        "its choice has index, finish reason, and a message with role and content",
        of_turn.body_choices,
    ),
    Rule(
        "models.listed", MUST, MODELS, "/v1/models is a list of models by id", of_turn.models_listed
    ),
    Rule("models.told", SHOULD, MODELS, "each with created and owned_by", of_turn.models_told),
    # Requests refused.
    Rule(
        "refusal.status",
        MUST,
        ERRORS,
        "what cannot be honoured is refused with a 4xx, before the first byte of a stream",
        of_refusal.refused,
        ALWAYS,
    ),
    Rule(
        "refusal.exact",
        SHOULD,
        ERRORS,
        "with the status that OpenAI uses for it",
        of_refusal.exact_status,
        ALWAYS,
    ),
    Rule("refusal.json", MUST, ERRORS, "an error is application/json", of_refusal.as_json, REFUSAL),
    Rule(
        "refusal.shape",
        MUST,
        ERRORS,
        'an error is {"error": {…}} with a message and a type',
        of_refusal.shape,
        REFUSAL,
    ),
    Rule(
        "refusal.keys",
        SHOULD,
        ERRORS,
        "and has param and code, null where they say nothing",
        of_refusal.keys,
        REFUSAL,
    ),
    Rule(
        "refusal.names",
        SHOULD,
        ERRORS,
        "message or param names what is wrong",
        of_refusal.named,
        REFUSAL,
    ),
    Rule(
        "refusal.allow",
        MUST,
        HTTP,
        "a 405 says which methods are allowed",
        of_head.allowed_methods,
        REFUSAL,
    ),
    Rule(
        "model.unknown",
        SHOULD,
        ERRORS,
        "a model that is not served is refused, with 404 or 400",
        of_refusal.unknown_model,
        ALWAYS,
    ),
    Rule(
        "error.frame",
        MUST,
        STREAMED,
        "an error inside a stream is one event of the same shape, and the last before [DONE]",
        of_refusal.error_frame,
        ALWAYS,
    ),
)

RULES: Mapping[str, Rule] = {rule.name: rule for rule in _TABLE}
"""Every rule by name, in the order of the report."""


def rules_for(patterns: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that are named, in the order of the table; `*` stands for any end of a name."""
    wanted = tuple(patterns)
    return tuple(
        rule for rule in _TABLE if any(fnmatchcase(rule.name, pattern) for pattern in wanted)
    )
