"""What the worker and its parent say to each other: the JSONL protocol, whole.

One UTF-8 JSON object a line, requests down the worker's stdin, replies up its stdout, and nothing
else on either. Requests are served one at a time, in order. Blank lines are skipped. End of file
on stdin, at any moment, ends the worker. Unknown fields are ignored on both sides. The field names
are those of ExecuTorch's `llm_server`; *ours* marks what we add, which a client may ignore.

Ready, once, after the model is loaded (if loading fails: no line, exit code 1, reason on stderr)
    {"ready":true,"max_sessions":2,"max_named_sessions":1,"supports_image":false,
     "supports_cancel":true,"cancel_op":true,"max_images":8,"worker":{…}}
    One session of `max_sessions` is reserved for requests that name none. `supports_cancel` says
    that the control descriptor is read, `cancel_op` (ours) that the line below is. `max_images`
    (ours) is how many a request may hold, 1 where a worker that supports them does not say.
    `worker` (ours) is `WorkerInfo`.

Session requests, exactly one reply line each; `session_id` is not empty
    {"op":"open","session_id":"a"}     {"opened":true,"session_id":"a"}    or an error with a code
    {"op":"reset","session_id":"a"}    {"reset":true,"session_id":"a"}     absent is reset already
    {"op":"close","session_id":"a"}    {"closed":true,"session_id":"a"}    absent is closed already

Generate, no `op`; replies are any number of token lines, then one done or one error line
    prompt | prompt_segments   one of them. Segments are {"text":str} and {"ids":[int…]}, each text
                       encoded by itself, and {"image":{"encoding":"base64","mime_type":"image/png"
                       or "image/jpeg","data":str}}, which becomes as many `<|patch|>` as it has
                       cells. Names of control tokens in text are those tokens. The worker puts one
                       BOS before all.
    max_new_tokens     int, -1; 0 and less fill the context; more than there is room for is cut
    temperature        float, 0.0; 0 to 2, or -1 for the default; 0 is greedy
    top_p              float, 1.0; above 0, to 1
    top_k              int, 0; 0 is off
    seed               int, 0; 0 is a different one each time
    stop               [str…], []; none empty
    session_id         str, ""; "" is the scratch session, which every request resets first;
                       a session that is not open is opened
    cancel_request_id  uint64, absent; what a cancellation calls this request, growing
    dflash             bool, true (ours); false decodes token by token where a draft could help
    progress           bool, false (ours); true asks for progress lines

    {"progress":"encode"|"prefill","done":64,"total":1024}   ours, only where asked for: how far the
                                              turn has come before its first token
    {"token":"text that is safe to show"}     whole characters only; what might become a stop
                                              string is held back
    {"done":true, …}                          `Done`
    {"error":"…","code"?:"…","session_id"?:"…"}   also the answer to a line that is no request;
                       `code` is capacity_exhausted | unsupported_session. The worker serves on.

Cancellation ends a generate with a done line whose `cancelled` is true. Two ways, no reply to
either; one that names no unfinished request is ignored, so it never ends a later one
    an 8-byte little-endian uint64 on the descriptor in EXECUTORCH_LLM_WORKER_CONTROL_FD: the
        `cancel_request_id`; it may overtake the request that it names
    {"op":"cancel","request_id"?:uint64,"session_id"?:str} on stdin (ours): with a request id that
        request, running or still queued; without one, the newest unfinished request of the
        session; with both, both must be right
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from playground.worker.draft_counts import read_draft_counts
from playground.worker.errors import MessageError
from playground.worker.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.worker.draft_counts import DraftCounts

__all__ = [
    "Cancel",
    "Done",
    "EngineInfo",
    "Failed",
    "FinishReason",
    "GenerateRequest",
    "IdsSegment",
    "ImageSegment",
    "Phase",
    "Progress",
    "Ready",
    "Reply",
    "Request",
    "ResetReason",
    "Sampling",
    "Segment",
    "SessionOp",
    "SessionReply",
    "SessionVerb",
    "TextSegment",
    "TokenText",
    "WorkerInfo",
    "dump_reply",
    "dump_request",
    "dump_token",
    "parse_reply",
    "parse_request",
]

UINT64_MAX = 2**64 - 1
INT64_MAX = 2**63 - 1
INT32_MAX = 2**31 - 1

FinishReason = Literal["stop", "length"]
SessionVerb = Literal["open", "reset", "close"]
MimeType = Literal["image/png", "image/jpeg"]
ResetReason = Literal["new", "exact_prefix", "mismatch", "dirty", "equal"]
Phase = Literal["encode", "prefill"]


# --- requests ---


@dataclass(frozen=True, slots=True)
class SessionOp:
    """Open, reset or close a named session; each may be repeated without error."""

    op: SessionVerb
    session_id: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a generate; has no reply. With neither field it names nothing."""

    request_id: int | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class TextSegment:
    """Rendered text of a prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class IdsSegment:
    """Token ids of a prompt, taken as they are."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImageSegment:
    """A picture of a prompt: base64 of a file, and what kind of file it is said to be."""

    mime_type: MimeType
    data: str = field(repr=False)


Segment = TextSegment | IdsSegment | ImageSegment


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen; the defaults are greedy. Ranges are in the module's docstring."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """One turn. `segments` make the prompt in order; a plain `prompt` is one text segment."""

    segments: tuple[Segment, ...]
    max_new_tokens: int = -1
    sampling: Sampling = field(default_factory=Sampling)
    stop: tuple[str, ...] = ()
    session_id: str = ""
    cancel_request_id: int | None = None
    dflash: bool = True
    progress: bool = False


Request = SessionOp | Cancel | GenerateRequest


# --- replies ---


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """What runs: sizes in tokens, `load_ms` from start of loading to ready."""

    engine: str
    backend: str
    threads: int
    load_ms: float
    context_length: int
    vocab_size: int
    max_prefill_chunk: int
    versions: Mapping[str, str | None]
    artifact: str | None = None
    artifact_sha256: str | None = None
    threads_reason: str | None = None
    """Why so many threads, for a person."""
    dflash_block_length: int | None = None
    """Pending token and proposals of a draft together; None where the program has no draft."""
    dflash_draft_tokens: int | None = None
    """Proposals of a round; 0 where drafting is switched off."""
    max_image_cells: int | None = None
    """Tokens that one picture becomes at most; None where pictures are not supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerInfo(EngineInfo):
    """The `worker` object of the ready line: the engine and the process it is in."""

    pid: int
    peak_rss_bytes: int
    max_image_bytes: int | None = None
    """Decoded bytes of one picture's file at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The first line. `worker` is None when the worker is not one of ours."""

    max_sessions: int
    max_named_sessions: int
    supports_image: bool = False
    supports_cancel: bool = False
    cancel_op: bool = False
    max_images: int = 1
    worker: WorkerInfo | None = None


@dataclass(frozen=True, slots=True)
class SessionReply:
    """The session is open, reset or closed, as was asked."""

    op: SessionVerb
    session_id: str


@dataclass(frozen=True, slots=True)
class TokenText:
    """Text that is safe to show; not one model token."""

    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a turn has come: pictures encoded, or rows prefilled, of those that have to be.

    What the cache holds already is in neither number. Said before each
    picture, before the prefill and after each of its chunks.
    """

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of a generate. Times in milliseconds, rates in tokens a second, 0.0 when unmeasured.

    prompt_tokens             the whole prompt, BOS included; 0 if cancelled before it was looked at
    completion_tokens         tokens generated; an end-of-turn token is neither counted nor shown
    reused / prefilled        prompt tokens found in the cache / forwarded now; their sum is
                              prompt_tokens, unless the turn was cancelled before prefill ended
    session_reset_reason      see `prefill_plan`; None if cancelled before there was a plan
    generated_token_ids       None (absent on the wire) after a stop string or a cancellation
    prefill_ms, decode_ms     the prefill calls; from there to the end
    total_ms                  from taking the request up to here
    vision_encoder_ms         the encoder's work, in no other time but ttft_ms; None where no
                              picture was encoded, be there none or be they all in the cache
    cancelled                 ours for every turn, upstream's where it supports cancellation
    ttft_ms                   ours: from reading the request to having written the first text
    resident_tokens           ours: rows in the session's cache after the turn; None if it was
                              cancelled before the cache was touched
    peak_rss_bytes            ours: of the worker process, so far
    draft_counts              ours, but for the names: what drafting did, fields of their own in the
                              line (see `draft_counts`); None if cancelled before the first token
    extra                     what else the line held, by name
    """

    prompt_tokens: int
    completion_tokens: int
    finish_reason: FinishReason
    reused_prompt_tokens: int
    prefilled_prompt_tokens: int
    session_reset_reason: ResetReason | None
    prefill_ms: float
    decode_ms: float
    total_ms: float
    prefill_tok_s: float
    decode_tok_s: float
    generated_token_ids: tuple[int, ...] | None = None
    vision_encoder_ms: float | None = None
    cancelled: bool = False
    ttft_ms: float | None = None
    resident_tokens: int | None = None
    peak_rss_bytes: int | None = None
    draft_counts: DraftCounts | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """A request was not served, or a line was no request."""

    message: str
    code: str | None = None
    session_id: str | None = None


Reply = Ready | SessionReply | TokenText | Progress | Done | Failed


# --- lines to messages ---


def parse_request(line: bytes, line_number: int = 0) -> Request:
    """Parse a line for the worker; raise MessageError with the line's number and text."""
    return Fields.of_line(line, line_number).read(_request)


def parse_reply(line: bytes, line_number: int = 0) -> Reply:
    """Parse a line from the worker; raise MessageError with the line's number and text."""
    return Fields.of_line(line, line_number).read(_reply)


def _request(fields: Fields) -> Request:
    if "op" not in fields:
        return _generate(fields)
    match fields.string("op"):
        case "open" | "reset" | "close" as op:
            return SessionOp(op, fields.name("session_id"))
        case "cancel":
            return Cancel(
                request_id=fields.optional_integer("request_id", low=0, high=UINT64_MAX),
                session_id=fields.optional_string("session_id"),
            )
        case op:
            raise MessageError(f"unknown op {op!r}; known are open, reset, close and cancel")


def _generate(fields: Fields) -> GenerateRequest:
    return GenerateRequest(
        segments=_segments(fields),
        max_new_tokens=fields.integer("max_new_tokens", -1, low=-INT64_MAX, high=INT64_MAX),
        sampling=_sampling(fields),
        stop=_stop(fields),
        session_id=fields.string("session_id", ""),
        cancel_request_id=fields.optional_integer("cancel_request_id", low=0, high=UINT64_MAX),
        dflash=fields.flag("dflash", default=True),
        progress=fields.flag("progress"),
    )


def _segments(fields: Fields) -> tuple[Segment, ...]:
    if ("prompt" in fields) == ("prompt_segments" in fields):
        raise MessageError("a generate needs exactly one of 'prompt' and 'prompt_segments'")
    if "prompt" in fields:
        return (TextSegment(fields.string("prompt")),)
    segments = tuple(map(_segment, fields.objects("prompt_segments")))
    if not segments:
        raise MessageError("'prompt_segments' is empty")
    return segments


def _segment(fields: Fields) -> Segment:
    image = fields.optional_object("image")
    if ("text" in fields) + ("ids" in fields) + (image is not None) != 1:
        raise MessageError("a prompt segment needs exactly one of 'text', 'ids' and 'image'")
    if "text" in fields:
        return TextSegment(fields.string("text"))
    return IdsSegment(fields.token_ids("ids")) if image is None else _image(fields, image)


def _image(segment: Fields, image: Fields) -> ImageSegment:
    image.choice("encoding", ("base64",))
    read = ImageSegment(image.choice("mime_type", get_args(MimeType)), image.name("data"))
    if unknown := [*segment.unread(), *image.unread()]:
        raise MessageError(f"an image segment has no {', '.join(map(repr, unknown))}")
    return read


def _sampling(fields: Fields) -> Sampling:
    temperature = fields.number("temperature", 0.0)
    if temperature == -1.0:
        temperature = 0.0
    if not 0.0 <= temperature <= 2.0:
        raise MessageError(f"'temperature' is {temperature}; it must be from 0 to 2")
    top_p = fields.number("top_p", 1.0)
    if not 0.0 < top_p <= 1.0:
        raise MessageError(f"'top_p' is {top_p}; it must be above 0 and at most 1")
    return Sampling(
        temperature=temperature,
        top_p=top_p,
        top_k=fields.integer("top_k", 0, low=0, high=INT32_MAX),
        seed=fields.integer("seed", 0, low=0, high=INT64_MAX),
    )


def _stop(fields: Fields) -> tuple[str, ...]:
    stop = fields.strings("stop")
    if "" in stop:
        raise MessageError("'stop' holds an empty string, which would stop everything")
    return stop


def _reply(fields: Fields) -> Reply:
    if "token" in fields:
        return TokenText(fields.string("token"))
    if "error" in fields:
        return Failed(
            fields.string("error"),
            code=fields.optional_string("code"),
            session_id=fields.optional_string("session_id"),
        )
    if "progress" in fields:
        return _progress(fields)
    for key, read in _READ_REPLY.items():
        if key in fields and fields.flag(key):
            return read(fields)
    raise MessageError("not a reply: none of token, done, error, opened, reset, closed or ready")


def _progress(fields: Fields) -> Progress:
    return Progress(
        fields.choice("progress", get_args(Phase)),
        done=fields.integer("done", low=0),
        total=fields.integer("total", low=0),
    )


def _ready(fields: Fields) -> Ready:
    worker = fields.optional_object("worker")
    return Ready(
        max_sessions=fields.integer("max_sessions", low=1),
        max_named_sessions=fields.integer("max_named_sessions", low=0),
        supports_image=fields.flag("supports_image"),
        supports_cancel=fields.flag("supports_cancel"),
        cancel_op=fields.flag("cancel_op"),
        max_images=fields.integer("max_images", 1, low=1),
        worker=None if worker is None else _worker_info(worker),
    )


def _worker_info(fields: Fields) -> WorkerInfo:
    return WorkerInfo(
        engine=fields.string("engine"),
        backend=fields.string("backend"),
        threads=fields.integer("threads", low=0),
        load_ms=fields.number("load_ms"),
        context_length=fields.integer("context_length", low=1),
        vocab_size=fields.integer("vocab_size", low=1),
        max_prefill_chunk=fields.integer("max_prefill_chunk", low=1),
        versions=fields.optional_strings_by_name("versions"),
        artifact=fields.optional_string("artifact"),
        artifact_sha256=fields.optional_string("artifact_sha256"),
        threads_reason=fields.optional_string("threads_reason"),
        dflash_block_length=fields.optional_integer("dflash_block_length", low=2),
        dflash_draft_tokens=fields.optional_integer("dflash_draft_tokens", low=0),
        max_image_cells=fields.optional_integer("max_image_cells", low=1),
        max_image_bytes=fields.optional_integer("max_image_bytes", low=1),
        pid=fields.integer("pid", low=1),
        peak_rss_bytes=fields.integer("peak_rss_bytes", low=0),
    )


def _done(fields: Fields) -> Done:
    reason = fields.optional_choice("session_reset_reason", get_args(ResetReason))
    return Done(
        prompt_tokens=fields.integer("prompt_tokens", low=0),
        completion_tokens=fields.integer("completion_tokens", low=0),
        finish_reason=fields.choice("finish_reason", get_args(FinishReason)),
        reused_prompt_tokens=fields.integer("reused_prompt_tokens", low=0),
        prefilled_prompt_tokens=fields.integer("prefilled_prompt_tokens", low=0),
        session_reset_reason=reason,
        prefill_ms=fields.number("prefill_ms"),
        decode_ms=fields.number("decode_ms"),
        total_ms=fields.number("total_ms"),
        prefill_tok_s=fields.number("prefill_tok_s"),
        decode_tok_s=fields.number("decode_tok_s"),
        generated_token_ids=fields.optional_token_ids("generated_token_ids"),
        vision_encoder_ms=fields.optional_number("vision_encoder_ms"),
        cancelled=fields.flag("cancelled"),
        ttft_ms=fields.optional_number("ttft_ms"),
        resident_tokens=fields.optional_integer("resident_tokens", low=0),
        peak_rss_bytes=fields.optional_integer("peak_rss_bytes", low=0),
        draft_counts=read_draft_counts(fields),
        extra=fields.unread("done"),
    )


_READ_REPLY: Mapping[str, Callable[[Fields], Reply]] = {
    "done": _done,
    "ready": _ready,
    "opened": lambda fields: SessionReply("open", fields.string("session_id")),
    "reset": lambda fields: SessionReply("reset", fields.string("session_id")),
    "closed": lambda fields: SessionReply("close", fields.string("session_id")),
}


# --- messages to lines ---

# Everything leaves as ASCII, so no reader's locale can come between the two ends.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def dump_request(request: Request) -> bytes:
    """Write a request as one line, newline included."""
    match request:
        case SessionOp():
            fields: dict[str, object] = _fields_of(request)
        case Cancel():
            fields = {"op": "cancel", **_without_none(_fields_of(request))}
        case GenerateRequest():
            fields = _generate_fields(request)
    return _line(fields)


def _generate_fields(request: GenerateRequest) -> dict[str, object]:
    fields: dict[str, object] = {
        "prompt_segments": [_segment_fields(segment) for segment in request.segments],
        "max_new_tokens": request.max_new_tokens,
        **_fields_of(request.sampling),
        "stop": request.stop,
    }
    if request.session_id:
        fields["session_id"] = request.session_id
    if request.cancel_request_id is not None:
        fields["cancel_request_id"] = request.cancel_request_id
    if not request.dflash:
        fields["dflash"] = False
    if request.progress:
        fields["progress"] = True
    return fields


def _segment_fields(segment: Segment) -> dict[str, object]:
    if isinstance(segment, ImageSegment):
        return {"image": {"encoding": "base64", **_fields_of(segment)}}
    return _fields_of(segment)


def dump_reply(reply: Reply) -> bytes:
    """Write a reply as one line, newline included."""
    match reply:
        case TokenText(text):
            return dump_token(text)
        case Ready():
            fields: dict[str, object] = {"ready": True, **_without_none(_fields_of(reply))}
            if reply.worker is not None:
                fields["worker"] = _fields_of(reply.worker)
        case SessionReply(op, session_id):
            fields = {_DONE_VERB[op]: True, "session_id": session_id}
        case Failed(message, code, session_id):
            rest = {"code": code, "session_id": session_id}
            fields = {"error": message, **_without_none(rest)}
        case Progress(phase, done, total):
            fields = {"progress": phase, "done": done, "total": total}
        case Done():
            fields = _done_fields(reply)
    return _line(fields)


_DONE_VERB = {"open": "opened", "reset": "reset", "close": "closed"}


def _done_fields(done: Done) -> dict[str, object]:
    fields = _fields_of(done)
    extra = {**(done.draft_counts.to_json() if done.draft_counts else {}), **done.extra}
    del fields["extra"], fields["draft_counts"]
    shadowed = fields.keys() & extra.keys()
    if shadowed:
        raise MessageError(f"extra done fields shadow the protocol's: {sorted(shadowed)}")
    for optional in ("generated_token_ids", "vision_encoder_ms"):
        if fields[optional] is None:
            del fields[optional]
    return {"done": True, **fields, **extra}


def dump_token(text: str) -> bytes:
    """Write a token line; the one reply that is on the path of every token."""
    return b'{"token":' + _encode(text).encode() + b"}\n"


def _fields_of(message: object) -> dict[str, object]:
    """Return a message's fields, not copied: a done line may hold a hundred thousand ids."""
    names: Mapping[str, object] = message.__dataclass_fields__  # type: ignore[attr-defined]
    return {name: getattr(message, name) for name in names}


def _line(fields: Mapping[str, object]) -> bytes:
    return _encode(fields).encode() + b"\n"


def _without_none(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if value is not None}
