"""What does ExecuTorch's native worker answer to a line? Its dialect at the pinned commit, patched.

Written from what the protocol is known to do, and on purpose not from our own worker: this is what
the server is held against where no native worker can be built. Where it is odd, it is odd so:

    an `op` that is unknown   is no op: the line is a generate, and lacks a prompt
    a blank line              is passed over when it is empty; one of spaces is no JSON
    a session                 is opened by the first line that names it; one place is the nameless
                              one's, which is reset every time
    a turn with a picture     resets its session first and says "new"; so does a nameless one
    texts                     whole characters by their first byte, and of these as much as cannot
                              be the beginning of a stop string; what is no UTF-8 becomes U+FFFD
    a stop string             ends the turn without its ids, and the session is dirty
    a cancel                  is heard before a turn, between two chunks of its prompt and between
                              two of its tokens, never while its picture is encoded; as after a
                              stop string there are no ids, and the session is dirty; before the
                              first token there are no counts either
    an error                  is a sentence; only two of them have a code. It may come after texts
    a done line               has no times but its own, and nothing of drafting or of memory
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.worker.messages import Sampling
from tests.native.pictures import NoPicture, decode_strictly, encode
from tests.native.session import ModelFailed, NativeSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.native.hearing import Heard, Hearing
    from tests.native.session import Loaded

Json = dict[str, Any]


class Complaint(Exception):
    """What is told as an error."""


@dataclass(slots=True)
class Kept:
    """A session, and what the worker knows to be in it."""

    session: NativeSession
    resident: list[int] = field(default_factory=list)
    dirty: bool = False


def prefill_plan(resident: list[int], prompt: list[int], *, dirty: bool) -> tuple[int, str]:
    """How many tokens of the prompt are kept, and why not more."""
    if dirty:
        return 0, "dirty"
    if not resident:
        return 0, "new"
    if len(prompt) < len(resident) or prompt[: len(resident)] != resident:
        return 0, "mismatch"
    if len(prompt) == len(resident):
        return 0, "equal"
    return len(resident), "exact_prefix"


def whole_characters(data: bytes) -> int:
    """How many bytes of the beginning are whole characters, by what their first bytes announce."""
    at = 0
    while at < len(data):
        first = data[at]
        length = 1
        if first >> 5 == 0b110:
            length = 2
        elif first >> 4 == 0b1110:
            length = 3
        elif first >> 3 == 0b11110:
            length = 4
        if at + length > len(data):
            break
        at += length
    return at


def safe_to_show(data: bytes, stops: list[bytes]) -> tuple[int, bool]:
    """How many bytes may be shown by now, and whether a stop string begins behind them."""
    stops = [stop for stop in stops if stop]
    if not stops:
        return len(data), False
    found = [at for at in (data.find(stop) for stop in stops) if at >= 0]
    if found:
        return min(found), True
    shown = max(0, len(data) - (max(map(len, stops)) - 1))
    while 0 < shown < len(data) and data[shown] & 0xC0 == 0x80:
        shown -= 1
    return shown, False


class NativeLoop:
    """Answers lines, one by one, until stdin ends."""

    def __init__(
        self,
        loaded: Loaded,
        hearing: Hearing,
        write: Callable[[bytes], None],
        *,
        bos_id: int,
        warm_resume: bool = True,
        max_image_bytes: int = 20 * 1024 * 1024,
        clock_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._loaded, self._hearing, self._write = loaded, hearing, write
        self._bos_id, self._warm_resume = bos_id, warm_resume
        self._max_image_bytes, self._clock_s = max_image_bytes, clock_s
        self._named: dict[str, Kept] = {}
        self._nameless: Kept | None = None

    @property
    def _most_named(self) -> int:
        return max(0, self._loaded.max_sessions - 1)

    def run(self) -> None:
        """Say ready, and answer until stdin ends."""
        self._emit(
            ready=True,
            max_sessions=self._loaded.max_sessions,
            max_named_sessions=self._most_named,
            supports_image=self._loaded.has_vision,
            cancel_op=True,
        )
        while (heard := self._hearing.next()) is not None:
            try:
                self._answer(heard)
            except Complaint as complaint:
                self._emit(error=str(complaint))
            self._hearing.finished(heard)

    def _answer(self, heard: Heard) -> None:
        request = _parsed(heard.line)
        op = _value(request, "op", "", str)
        if op in {"open", "close", "reset"}:
            self._change_session(op, request)
            return
        name = _value(request, "session_id", "", str)
        if not name:
            if self._nameless is None:
                self._nameless = Kept(NativeSession(self._loaded))
            self._generate(self._nameless, request, heard, warm=False)
        elif (kept := self._open(name)) is not None:
            self._generate(kept, request, heard, warm=self._warm_resume)

    def _change_session(self, op: str, request: Json) -> None:
        if "session_id" not in request:
            raise Complaint("[json.exception.out_of_range.403] key 'session_id' not found")
        name = _value(request, "session_id", "", str)
        if not name:
            raise Complaint("session_id required for op")
        if op == "open":
            if self._open(name) is not None:
                self._emit(opened=True, session_id=name)
        elif op == "close":
            if name in self._named:
                self._named.pop(name).session.close()
            self._emit(closed=True, session_id=name)
        else:
            kept = self._named.get(name)
            try:
                if kept is not None:
                    kept.session.reset()
                    kept.resident, kept.dirty = [], False
            except ModelFailed:
                self._emit(error="session reset failed", session_id=name)
            else:
                self._emit(reset=True, session_id=name)

    def _open(self, name: str) -> Kept | None:
        """The session of a name, made if there is room; says it and gives None if there is not."""
        if name not in self._named:
            if len(self._named) >= self._most_named:
                code = "capacity_exhausted" if self._most_named else "unsupported_session"
                self._emit(error="cannot open session", code=code, session_id=name)
                return None
            self._named[name] = Kept(NativeSession(self._loaded))
        return self._named[name]

    # -- a turn

    def _generate(self, kept: Kept, request: Json, heard: Heard, *, warm: bool) -> None:
        if heard.cancelled:
            self._emit(**_nothing_done())
            return
        more: Json = {}
        if (image := _image_of(request)) is not None:
            more["vision_encoder_ms"] = self._look_at(kept, request, image)
            warm = False
        try:
            self._turn(kept, request, heard, more, warm=warm)
        finally:
            kept.session.unstage()

    def _look_at(self, kept: Kept, request: Json, image: tuple[int, Json]) -> float:
        """Stage a request's picture, and put its run of patches in its place."""
        at, told = image
        if not self._loaded.has_vision:
            raise Complaint("Muse Glimmer artifact does not support image input")
        try:
            data = decode_strictly(_value(told, "data", "", str), self._max_image_bytes)
        except NoPicture:
            raise Complaint("invalid base64 image payload") from None
        try:
            rows, took_ms = encode(data, self._loaded.engine)
        except NoPicture:
            raise Complaint("image decode or vision encoding failed") from None
        kept.session.stage(rows)
        request["prompt_segments"][at] = {"ids": [self._loaded.patch_id] * len(rows)}
        return took_ms

    def _turn(self, kept: Kept, request: Json, heard: Heard, more: Json, *, warm: bool) -> None:
        if heard.cancelled:  # while its picture was looked at
            self._emit(**_nothing_done(), **more)
            return
        began = self._clock_s()
        limit = _value(request, "max_new_tokens", -1, int)
        sampling = _sampling(request)
        stops = [stop.encode() for stop in _strings(request, "stop")]
        ids = [self._bos_id, *self._ids_of(request)]
        room = self._loaded.engine.info.context_length - len(ids)
        if room <= 0:
            raise Complaint("prompt fills the context window; no room to generate")
        limit = room if limit <= 0 else min(limit, room)
        kept_tokens, reason = 0, "new"
        if warm:
            kept_tokens, reason = prefill_plan(kept.resident, ids, dirty=kept.dirty)
        if not kept_tokens:
            try:
                kept.session.reset()
            except ModelFailed:
                kept.dirty = True
                raise Complaint("session reset failed") from None
            kept.resident, kept.dirty = [], False
        prefill_began = self._clock_s()
        try:
            kept.session.prefill_tokens(ids[kept_tokens:], sampling, lambda: heard.cancelled)
        except ModelFailed:
            kept.dirty = True
            if heard.cancelled:
                self._emit(**_nothing_done(), **more)
                return
            raise Complaint("prefill failed") from None
        kept.resident = list(ids)
        decode_began = self._clock_s()
        generated, finish, cut = self._decode(kept, heard, limit, stops)
        ended = self._clock_s()
        cancelled = finish == "cancelled"
        done: Json = {
            "done": True,
            "cancelled": cancelled,
            "prompt_tokens": len(ids),
            "completion_tokens": generated,
            "finish_reason": "stop" if cancelled else finish,
            "reused_prompt_tokens": kept_tokens,
            "prefilled_prompt_tokens": len(ids) - kept_tokens,
            "session_reset_reason": reason,
            "prefill_ms": (decode_began - prefill_began) * 1e3,
            "decode_ms": (ended - decode_began) * 1e3,
            "total_ms": (ended - began) * 1e3,
            "prefill_tok_s": _rate(len(ids) - kept_tokens, decode_began - prefill_began),
            "decode_tok_s": _rate(generated, ended - decode_began),
        }
        if not cut and not cancelled:
            done["generated_token_ids"] = kept.resident[len(kept.resident) - generated :]
        self._emit(**{**done, **more})

    def _decode(
        self, kept: Kept, heard: Heard, limit: int, stops: list[bytes]
    ) -> tuple[int, str, bool]:
        """Say what comes; how many tokens came, why it ended, and whether by a stop string."""
        unfinished = waiting = b""
        generated, finish = 0, "length"
        for _ in range(limit):
            if heard.cancelled:
                kept.dirty, finish = True, "cancelled"
                break
            try:
                token = kept.session.decode_one()
            except ModelFailed:
                kept.dirty = True
                raise Complaint("decode failed") from None
            if token is None:
                finish = "stop"
                break
            kept.resident.append(token)
            generated += 1
            unfinished += self._loaded.tokenizer.bytes_of(token)
            whole = whole_characters(unfinished)
            waiting, unfinished = waiting + unfinished[:whole], unfinished[whole:]
            shown, hit = safe_to_show(waiting, stops)
            self._say(waiting[:shown])
            waiting = waiting[shown:]
            if hit:
                kept.dirty = True
                return generated, "stop", True
        self._say(waiting + unfinished)
        return generated, finish, False

    def _say(self, data: bytes) -> None:
        if data:
            self._emit(token=data.decode("utf-8", "replace"))

    def _ids_of(self, request: Json) -> list[int]:
        if ("prompt" in request) == ("prompt_segments" in request):
            raise Complaint("exactly one of prompt / prompt_segments is required")
        if "prompt" in request:
            return self._encoded(_value(request, "prompt", "", str))
        ids: list[int] = []
        for segment in request["prompt_segments"]:
            if "ids" in segment:
                ids += segment["ids"]
            elif "text" in segment:
                ids += self._encoded(_value(segment, "text", "", str))
            else:
                raise Complaint("prompt_segment needs `text` or `ids`")
        return ids

    def _encoded(self, text: str) -> list[int]:
        return self._loaded.tokenizer.encode_prompt(text)

    def _emit(self, **fields: object) -> None:
        """One line: its keys in the order of the alphabet, as that library's objects have them."""
        line = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._write(line.encode("utf-8", "replace") + b"\n")


def _parsed(line: bytes) -> Json:
    try:
        request = json.loads(line)
    except ValueError as error:
        raise Complaint(f"[json.exception.parse_error.101] parse error: {error}") from None
    if not isinstance(request, dict):
        raise Complaint("[json.exception.type_error.306] cannot use value() with this type")
    return request


def _value(fields: Json, key: str, default: Any, kind: type) -> Any:  # noqa: ANN401  (JSON)
    """A field; where it is of another kind, what that library says."""
    value = fields.get(key, default)
    if kind is str and not isinstance(value, str):
        raise Complaint(f"[json.exception.type_error.302] type must be string ({key})")
    if kind is not str and not isinstance(value, int | float):
        raise Complaint(f"[json.exception.type_error.302] type must be number ({key})")
    return value if kind is str else kind(value)


def _strings(fields: Json, key: str) -> list[str]:
    values = fields.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise Complaint("[json.exception.type_error.302] type must be array of strings")
    return values


def _sampling(request: Json) -> Sampling:
    top_p = _value(request, "top_p", 1.0, float)
    top_k, seed = _value(request, "top_k", 0, int), _value(request, "seed", 0, int)
    if not math.isfinite(top_p) or not 0 < top_p <= 1:
        raise Complaint("top_p must be finite and in (0, 1]")
    if not 0 <= top_k < 2**31:
        raise Complaint("top_k must fit in a nonnegative int32")
    if not 0 <= seed < 2**63:
        raise Complaint("seed must be nonnegative")
    return Sampling(_value(request, "temperature", 0.0, float), top_p, top_k, seed)


def _image_of(request: Json) -> tuple[int, Json] | None:
    """The picture of a request and its place; None where there is none."""
    found: tuple[int, Json] | None = None
    for at, segment in enumerate(request.get("prompt_segments", [])):
        if "image" not in segment:
            continue
        image = segment["image"]
        if found is not None or len(segment) != 1 or not isinstance(image, dict):
            raise Complaint("exactly one valid image segment is supported")
        if image.get("encoding") != "base64":
            raise Complaint("image segment encoding must be base64")
        if image.get("mime_type") not in {"image/jpeg", "image/png"}:
            raise Complaint("image segment must be JPEG or PNG")
        found = at, image
    return found


def _nothing_done() -> Json:
    """How a turn ends that was cancelled before it began."""
    counts = ("prompt_tokens", "completion_tokens", "reused_prompt_tokens")
    times = ("prefill_ms", "decode_ms", "total_ms", "prefill_tok_s", "decode_tok_s")
    return {
        "done": True,
        "cancelled": True,
        "finish_reason": "stop",
        **dict.fromkeys((*counts, "prefilled_prompt_tokens"), 0),
        **dict.fromkeys(times, 0.0),
    }


def _rate(tokens: int, seconds: float) -> float:
    return tokens / seconds if seconds > 0 else 0.0
