"""Every rule is kept by a response that keeps it, and broken by one that does not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.conformance.heard import hear
from harness.conformance.judge import verdict_on
from harness.conformance.rule import Level
from harness.conformance.rules import RULES, SOURCES, rules_for
from harness.conformance.scenario import Probe
from harness.testing import DONE, every_split, trace
from harness.verdict import Outcome
from harness.wire_fixtures import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.conformance.heard import Heard
    from harness.trace import Trace

USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
SSE = "text/event-stream; charset=utf-8"
JSON = "application/json"
HEAD = {
    "cache-control": "no-store, no-transform",
    "transfer-encoding": "chunked",
    "x-request-id": "r-1",
}
ASKED = {"stream": True, "stream_options": {"include_usage": True}}
KNOWN: Mapping[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "some",
}


def chunk(delta: object = None, finish: str | None = None, **changed: Any) -> str:  # noqa: ANN401
    """A frame of a stream that keeps every rule, but for what is changed; None leaves a key out."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    told = {**KNOWN, "choices": [choice], "usage": None, **changed}
    kept = {name: value for name, value in told.items() if value != "absent"}
    return f"data: {json.dumps(kept, ensure_ascii=False)}\n\n"


FRAMES = {
    "role": chunk({"role": "assistant", "content": ""}),
    "hello": chunk({"content": "Hello"}),
    "world": chunk({"content": " world"}),
    "finish": chunk(finish="stop"),
    "usage": chunk(choices=[], usage=USAGE),
    "done": DONE,
}
CALLS = [
    {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{"}},
    {"index": 0, "function": {"arguments": '"a": 1}'}},
]


@dataclass(frozen=True)
class Said:
    """A response, and what it answers."""

    trace: Trace
    probe: Probe = field(default_factory=lambda: Probe("some", ("*",)))
    beside: Heard | None = None

    @property
    def heard(self) -> Heard:
        """As rules look at it."""
        return hear(self.probe, self.trace, self.beside)


def stream(
    request: Mapping[str, Any] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    content_type: str = SSE,
    change: tuple[str, str] = ("", ""),
    broken: str | None = None,
    apart: bool = True,
    **frames: str,
) -> Said:
    """A stream that keeps every rule, but for the frames and headers that are replaced."""
    pieces = [text.replace(*change) for text in {**FRAMES, **frames}.values()]
    timed = [(float(at if apart else 0), text) for at, text in enumerate(pieces)]
    return _said(timed, ASKED if request is None else request, 200, content_type, headers, broken)


def raw(data: bytes | str, content_type: str = SSE) -> Said:
    """A stream of just these bytes."""
    return _said([(0.0, data)], ASKED, 200, content_type)


def body(
    value: object = None,
    *,
    status: int = 200,
    request: Mapping[str, Any] | None = None,
    content_type: str = JSON,
    headers: Mapping[str, str] | None = None,
    **changed: Any,  # noqa: ANN401
) -> Said:
    """A response in one piece; without a value, a reply that keeps every rule but what changes."""
    message = {"role": "assistant", "content": "Hello world"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    reply = {**KNOWN, "object": "chat.completion", "choices": [choice], "usage": USAGE, **changed}
    text = value if isinstance(value, str) else json.dumps(reply if value is None else value)
    return _said([(0.0, text)], request or {}, status, content_type, headers)


def refusal(status: int = 400, **changed: object) -> Said:
    """An error in the shape of all errors."""
    error = {"message": "messages is missing", "type": "t", "param": None, "code": None, **changed}
    told = {"error": {name: value for name, value in error.items() if value != "absent"}}
    return body(told, status=status, headers={"allow": "POST"})


def _said(
    timed: list[tuple[float, Any]],
    request: Mapping[str, Any],
    status: int,
    content_type: str,
    headers: Mapping[str, str] | None = None,
    broken: str | None = None,
) -> Said:
    came = trace(
        *timed,
        request=request,
        status=status,
        content_type=content_type,
        transport_error=broken,
        closed_at_ms=99,
    )
    told = {**HEAD, **(headers or {})}
    return Said(replace(came, headers=(*came.headers, *((k, v) for k, v in told.items() if v))))


def probed(said: Said, beside: Said | None = None, **changed: Any) -> Said:  # noqa: ANN401
    """The same, as the answer to a probe that asks for more."""
    probe = replace(said.probe, **changed)
    return replace(said, probe=probe, beside=beside.heard if beside else None)


def fixture(name: str) -> Said:
    """A stream that has fooled others."""
    known = FIXTURES[name]
    return _said(list(known.pieces), known.request, known.status, known.content_type)


def called(*calls: object, finish: str = "tool_calls") -> Said:
    """A stream that calls a function."""
    hello, world = (chunk({"tool_calls": [call]}) for call in (calls or CALLS))
    return stream(hello=hello, world=world, finish=chunk(finish=finish))


STOPPED = {**ASKED, "stop": "wor"}
CUT = chunk({"content": " "})
LONG = {**ASKED, "max_tokens": 2}
LENGTH = chunk(finish="length")
MODEL = {"id": "some", "object": "model", "created": 1, "owned_by": "me"}
ERROR = 'data: {"error": {"message": "out of memory", "type": "server_error"}}\n\n'
TWO = [{"index": n, "message": {"content": "a"}, "finish_reason": "stop"} for n in (0, 1)]

CASES: Mapping[str, tuple[Said, Said]] = {
    "reply.whole": (stream(), fixture("error_after_token")),
    "head.content_type": (stream(), fixture("wrong_content_type")),
    "head.charset": (stream(), stream(content_type="text/event-stream; charset=latin-1")),
    "head.framing": (stream(), stream(headers={"content-length": "9"})),
    "head.not_measured": (
        stream(),
        stream(headers={"content-length": "9", "transfer-encoding": ""}),
    ),
    "head.not_cached": (stream(), stream(headers={"cache-control": "no-transform"})),
    "head.not_held_up": (
        stream(headers={"cache-control": "no-cache", "x-accel-buffering": "no"}),
        stream(headers={"cache-control": "no-cache"}),
    ),
    "head.request_id": (stream(), stream(headers={"x-request-id": ""})),
    "sse.utf8": (stream(), fixture("broken_utf8")),
    "sse.ended": (stream(), fixture("incomplete_event")),
    "sse.only_data": (stream(), fixture("unknown_fields")),
    "sse.line_ends": (stream(), fixture("crlf")),
    "sse.one_data_line": (stream(), fixture("two_data_lines")),
    "sse.comments_apart": (
        stream(hello=": keepalive\n\n" + FRAMES["hello"]),
        fixture("keepalive"),
    ),
    "sse.separators": (stream(), fixture("raw_u2028")),
    "sse.live": (stream(), stream(apart=False)),
    "chunk.json": (stream(), fixture("broken_json")),
    "chunk.only": (stream(), fixture("unknown_frame")),
    "chunk.object": (stream(), stream(world=chunk({"content": " world"}, object="chunk"))),
    "chunk.id": (stream(), fixture("changed_id")),
    "chunk.created": (stream(), stream(world=chunk({"content": " world"}, created=2))),
    "chunk.model": (stream(), stream(usage=chunk(choices=[], usage=USAGE, model="absent"))),
    "chunk.choices": (stream(), stream(hello=chunk(choices=[{"delta": {"content": "Hello"}}]))),
    "chunk.types": (stream(), stream(hello=chunk({"content": ["Hello"]}))),
    "chunk.finish_null": (
        stream(),
        stream(hello=chunk(choices=[{"index": 0, "delta": {"content": "Hello"}}])),
    ),
    "chunk.role_first": (stream(), stream(role="")),
    "chunk.text_first": (stream(), stream(usage=chunk({"content": "!"}))),
    "finish.once": (stream(), fixture("two_finishes")),
    "finish.known": (stream(), stream(finish=chunk(finish="eos_token"))),
    "done.once": (stream(), fixture("done_missing")),
    "done.line_kept": (stream(), stream(broken="the server broke HTTP")),
    "next.answered": (
        probed(stream(), stream(change=("chatcmpl-1", "chatcmpl-0"))),
        probed(stream(), stream()),
    ),
    "usage.sent": (stream(), fixture("usage_not_sent")),
    "usage.sums": (
        stream(),
        body(usage={"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 9}),
    ),
    "usage.parts": (
        stream(
            usage=chunk(choices=[], usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 9}})
        ),
        body(usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 10}}),
    ),
    "usage.last": (stream(), fixture("usage_with_choices")),
    "usage.null": (stream(), stream(hello=chunk({"content": "Hello"}, usage="absent"))),
    "usage.unasked": (stream({"stream": True}, usage=""), stream({"stream": True})),
    "text.characters": (
        stream(hello=chunk({"content": "👩‍👩‍👧"})),
        stream(hello=chunk({"content": "Hell\ufffd"})),
    ),
    "text.no_control": (stream(), stream(hello=chunk({"content": "Hello<|eot|>"}))),
    "same.prompt": (
        probed(body(), stream()),
        probed(body(usage={**USAGE, "prompt_tokens": 8, "total_tokens": 10}), stream()),
    ),
    "same.answer": (probed(body(), stream()), probed(stream(world=""), body())),
    "stop.short": (stream(STOPPED, world=CUT), stream(STOPPED)),
    "stop.exact": (
        probed(stream(STOPPED, world=CUT), stream()),
        probed(stream(STOPPED, world=""), stream()),
    ),
    "cap.max_tokens": (stream(LONG, finish=LENGTH), stream(LONG)),
    "cap.max_completion_tokens": (
        stream({**ASKED, "max_completion_tokens": 2}, finish=LENGTH),
        stream({**ASKED, "max_completion_tokens": 1}, finish=LENGTH),
    ),
    "n.choices": (body(request={"n": 2}, choices=TWO), body(request={"n": 2})),
    "odd.survives": (refusal(), refusal(500)),
    "calls.shape": (called(), called(*({**call, "index": None} for call in CALLS))),
    "calls.arguments": (called(), called(CALLS[0], CALLS[0])),
    "calls.finish": (called(), called(finish="stop")),
    "body.head": (body(), body(object="chat.completion.chunk")),
    "body.choices": (
        body(),
        body(choices=[{"index": 0, "message": {"role": "assistant"}, "finish_reason": "stop"}]),
    ),
    "models.listed": (body({"object": "list", "data": [MODEL]}), body([MODEL])),
    "models.told": (
        body({"object": "list", "data": [MODEL]}),
        body({"object": "list", "data": [{"id": "some", "object": "model"}]}),
    ),
    "refusal.status": (refusal(422), raw(ERROR + DONE)),
    "refusal.exact": (probed(refusal(404), status=404), probed(refusal(400), status=404)),
    "refusal.json": (refusal(), body("Not Found", status=404, content_type="text/plain")),
    "refusal.shape": (refusal(), body({"detail": "no"}, status=400)),
    "refusal.keys": (refusal(), refusal(param="absent")),
    "refusal.names": (
        probed(refusal(), names="messages"),
        probed(refusal(message="no"), names="messages"),
    ),
    "refusal.allow": (
        refusal(405),
        body({"error": {"message": "no", "type": "t"}}, status=405),
    ),
    "model.unknown": (refusal(404), body()),
    "error.frame": (
        stream(world=ERROR, finish="", usage=""),
        stream(world=ERROR),
    ),
}
"""A response that keeps the rule, and one that does not."""


def outcome_of(rule: str, said: Said) -> Outcome:
    """What a rule comes to."""
    return verdict_on(RULES[rule], said.heard).outcome


def test_every_rule_has_its_two_cases() -> None:
    """A rule that nothing breaks here would be a rule that nobody has seen broken."""
    assert list(CASES) == list(RULES)


def test_every_source_can_be_looked_up() -> None:
    """No rule is ours alone, and no source is listed in vain."""
    assert {rule.source for rule in RULES.values()} == set(SOURCES)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_kept_by_what_keeps_it(rule: str) -> None:
    """And not merely passed over."""
    kept, _ = CASES[rule]

    verdict = verdict_on(RULES[rule], kept.heard)

    assert (verdict.outcome, verdict.message) == (Outcome.PASS, verdict.message)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_broken_by_what_breaks_it(rule: str) -> None:
    """A MUST fails, a SHOULD is a note, and either comes with its slice of the trace."""
    _, broken = CASES[rule]
    expected = Outcome.FAIL if RULES[rule].level is Level.MUST else Outcome.NOTE

    verdict = verdict_on(RULES[rule], broken.heard)

    assert (verdict.outcome, verdict.message) == (expected, verdict.message)
    assert verdict.evidence[0].excerpt
    assert verdict.evidence[0].trace_id == broken.trace.trace_id


def test_a_stream_that_keeps_every_rule_breaks_none() -> None:
    """The good stream of this file is good by all the rules of streams."""
    of_streams = rules_for(["reply.*", "head.*", "sse.*", "chunk.*", "finish.*", "done.*"])
    of_streams += rules_for(
        ["usage.sent", "usage.sums", "usage.last", "usage.null", "text.no_control"]
    )

    outcomes = {rule.name: outcome_of(rule.name, stream()) for rule in of_streams}

    assert {name: out for name, out in outcomes.items() if out is not Outcome.PASS} == {}


@pytest.mark.parametrize("name", ["crlf", "two_data_lines", "raw_u2028", "changed_id", "keepalive"])
def test_where_reads_cut_a_stream_changes_no_finding(name: str) -> None:
    """Frames, lines and chunks are judged by what was sent, not by what came in one read."""
    known = FIXTURES[name]
    data = b"".join(piece for _, piece in known.pieces)
    rules = [rule for rule in rules_for(["sse.*", "chunk.*", "usage.*"]) if rule.name != "sse.live"]

    def findings(parts: list[bytes]) -> list[tuple[Outcome, str]]:
        heard = _said([(0.0, part) for part in parts], known.request, 200, SSE).heard
        told = [verdict_on(rule, heard) for rule in rules]
        return [(verdict.outcome, verdict.message) for verdict in told]

    whole = findings([data])
    assert all(findings(parts) == whole for parts in every_split(data))


# -- what is easily judged wrongly


def test_what_was_not_answered_is_skipped_and_says_why() -> None:
    """A refusal breaks the rule that it is no reply, and not all those of replies."""
    verdict = verdict_on(RULES["chunk.id"], refusal().heard)

    assert verdict.outcome is Outcome.SKIP
    assert "HTTP 400: messages is missing" in verdict.message


def test_a_reply_is_not_judged_as_a_refusal() -> None:
    """Rules of errors are skipped where nothing was refused."""
    assert outcome_of("refusal.shape", body()) is Outcome.SKIP


def test_a_target_that_calls_nothing_is_not_told_that_its_calls_are_right() -> None:
    """There was nothing to see."""
    told = {name: outcome_of(name, stream()) for name in ("calls.shape", "calls.arguments")}

    assert set(told.values()) == {Outcome.SKIP}
    assert outcome_of("calls.finish", stream(finish=chunk(finish="tool_calls"))) is Outcome.FAIL


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("finish.known", stream(finish="")),
        ("models.told", body({"object": "list", "data": []})),
        ("next.answered", probed(stream(change=('"id": "chatcmpl-1", ', "")), stream())),
    ],
)
def test_what_did_not_come_is_not_told_to_be_right(rule: str, said: Said) -> None:
    """No finish reason is none that clients know, no model has an owner, no id is another one."""
    assert outcome_of(rule, said) is Outcome.SKIP


def test_a_call_in_one_body_needs_no_index() -> None:
    """But id, type and name."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reply = body(choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])
    nameless = {**call, "function": {"arguments": "{}"}}
    worse = body(choices=[{"index": 0, "message": {**message, "tool_calls": [nameless]}}])

    assert outcome_of("calls.shape", reply) is Outcome.PASS
    assert outcome_of("calls.shape", worse) is Outcome.FAIL


def test_usage_before_the_finish_reason_is_not_last() -> None:
    """Order counts, not only the empty choices."""
    early = stream(world=chunk(choices=[], usage=USAGE), usage="")

    assert outcome_of("usage.last", early) is Outcome.FAIL


def test_text_after_done_is_two_faults_of_one_frame() -> None:
    """The evidence is the frame that came too late."""
    verdict = verdict_on(RULES["done.once"], fixture("after_done").heard)

    assert verdict.outcome is Outcome.FAIL
    assert '"!"' in verdict.evidence[0].excerpt


def test_half_a_surrogate_pair_is_a_broken_character() -> None:
    r"""`\ud83d` alone is JSON, and no character."""
    half = stream(hello=chunk({"content": "Hello"}).replace("Hello", "\\ud83d"))

    assert outcome_of("text.characters", half) is Outcome.FAIL


def test_an_error_inside_a_stream_with_the_wrong_shape_is_told() -> None:
    """`{"error": "…"}` has no message to read."""
    said = stream(world='data: {"error": "out of memory"}\n\n', finish="", usage="")

    assert outcome_of("error.frame", said) is Outcome.FAIL
