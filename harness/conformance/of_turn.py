"""What must a turn come to, streamed or in one body? Each function judges one rule of the table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.checks.leak import CONTROL
from harness.conformance.rule import broken, kept, moot
from harness.events import Channel, Delta, Done, Ending, Finish
from harness.tool_calls import calls_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.conformance.heard import Frame, Heard
    from harness.conformance.rule import Finding

__all__ = [
    "another_id",
    "body_choices",
    "body_head",
    "call_arguments",
    "call_finish",
    "call_shape",
    "capped",
    "done_once",
    "finish_known",
    "finish_once",
    "live",
    "models_listed",
    "models_told",
    "no_control_text",
    "same_answer",
    "same_prompt",
    "several_choices",
    "stopped_exactly",
    "stopped_short",
    "usage_last",
    "usage_null",
    "usage_parts",
    "usage_sent",
    "usage_sums",
    "usage_unasked",
    "whole",
    "whole_characters",
]

FINISHES = ("stop", "length", "tool_calls", "content_filter", "function_call")


def whole(heard: Heard) -> Finding:
    """A 2xx that nothing cut short."""
    # What is missing at its end is asked for by rules of its own.
    if heard.replied and heard.seen.ending is not Ending.EMPTY:
        return kept(f"HTTP {heard.status}")
    return broken(heard.seen.detail or f"HTTP {heard.status}")


def live(heard: Heard) -> Finding:
    """Text comes as it is made."""
    stamps = [seen.at_ns for seen in heard.seen.of(Delta)]
    if len(stamps) < 2:
        return moot(f"{len(stamps)} pieces of text are too few to tell")
    if stamps[0] == stamps[-1]:
        return broken(f"all {len(stamps)} pieces of text came in one read")
    return kept(f"{len(set(stamps))} reads for {len(stamps)} pieces of text")


# -- how it ends


def finish_once(heard: Heard) -> Finding:
    """Neither twice nor never."""
    found = list(heard.seen.of(Finish))
    if len(found) == 1:
        return kept()
    return broken(f"{len(found)} finish reasons", found[-1].frame if found else None)


def finish_known(heard: Heard) -> Finding:
    """One of those that clients know."""
    for seen in heard.seen.of(Finish):
        if isinstance(seen.event, Finish) and seen.event.reason not in FINISHES:
            return broken(f"finish_reason {seen.event.reason!r}", seen.frame)
    reason = heard.seen.finish_reason
    return kept(reason) if reason else moot("no finish reason came")


def done_once(heard: Heard) -> Finding:
    """The last of all frames, and the only one of its kind."""
    found = list(heard.seen.of(Done))
    if len(found) != 1:
        return broken(f"{len(found)} times [DONE]", found[-1].frame if found else None)
    if after := heard.violation("after_done"):
        return broken(after[1], after[0])
    return kept()


def another_id(heard: Heard) -> Finding:
    """A request on a connection that has carried a stream is answered for itself."""
    other = heard.beside
    if other is None or not other.replied:
        return moot("the stream before it was not answered")
    mine, before = _id(heard), _id(other)
    if not mine or not before:
        return moot("one of the two has no id to tell them apart by")
    if mine == before:
        return broken(f"both completions have the id {mine}")
    return kept(f"{before}, then {mine}")


# -- what it cost


def usage_sent(heard: Heard) -> Finding:
    """A stream that was asked for it has it, and every body does."""
    return kept() if heard.seen.usage else broken("no usage came")


def usage_last(heard: Heard) -> Finding:
    """In a chunk of its own: after the finish reason, before [DONE], its choices empty."""
    told = _usages(heard)
    if not told:
        return moot("no usage came")
    frame, chunk, _ = told[-1]
    number = frame.number if frame else None
    if chunk.get("choices") != []:
        return broken("the chunk with the usage has choices, or none at all", number)
    if heard.violation("after_done"):
        return broken("usage came after [DONE]", number)
    finish = next((seen.frame for seen in heard.seen.of(Finish)), None)
    if finish is not None and number is not None and number < finish:
        return broken("usage came before the finish reason", number)
    return kept()


def usage_null(heard: Heard) -> Finding:
    """The key is in every chunk, and null before the last."""
    last = next((frame.number for frame, _, _ in reversed(_usages(heard)) if frame), None)
    for frame, chunk in heard.chunks:
        if frame.number != last and chunk.get("usage", 0) is not None:
            said = "holds counts already" if chunk.get("usage") else "is not there"
            return broken(f"usage {said} in a chunk before the last", frame.number)
    return kept()


def usage_unasked(heard: Heard) -> Finding:
    """Who did not ask meets no chunk without choices."""
    told = _usages(heard)
    if told:
        return broken("usage came without include_usage", told[0][0].number if told[0][0] else None)
    return kept()


def usage_sums(heard: Heard) -> Finding:
    """Whole numbers, and the total is the sum."""
    told = _usages(heard)
    if not told:
        return moot("no usage came")
    frame, _, usage = told[-1]
    number = frame.number if frame else None
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    for name in names:
        count = usage.get(name)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            return broken(f"{name} is {count!r}", number)
    prompt, completion, total = (usage[name] for name in names)
    if total != prompt + completion:
        return broken(f"{prompt} + {completion} is not {total}", number)
    return kept(f"{prompt} + {completion} = {total}")


def usage_parts(heard: Heard) -> Finding:
    """A part is not more than what it is a part of."""
    usage = heard.seen.usage
    pairs = (
        []
        if usage is None
        else [
            ("cached", usage.cached_tokens, usage.prompt_tokens),
            ("reasoning", usage.reasoning_tokens, usage.completion_tokens),
        ]
    )
    known = [(name, part, of) for name, part, of in pairs if part is not None]
    if not known:
        return moot("no details of the usage came")
    for name, part, of in known:
        if of is None or not 0 <= part <= of:
            return broken(f"{part} {name} tokens of {of}")
    return kept(", ".join(f"{part} {name} of {of}" for name, part, of in known))


# -- what is said


def whole_characters(heard: Heard) -> Finding:
    """No replacement character, no half of a pair."""
    count = 0
    for seen in heard.seen.of(Delta):
        event = seen.event
        text = event.text if isinstance(event, Delta) else ""
        if any(ch == "\ufffd" or "\ud800" <= ch <= "\udfff" for ch in text):
            return broken(f"a broken character in {text[:60]!r}", seen.frame)
        count += sum(not ch.isascii() for ch in text)
    return kept(f"{count} beyond ASCII") if count else moot("no character beyond ASCII came")


def no_control_text(heard: Heard) -> Finding:
    """What was meant for the server's own parser stays there."""
    for channel in (Channel.CONTENT, Channel.REASONING):
        if found := CONTROL.search(heard.seen.text(channel)):
            mark = found[0].strip()
            at = next(
                (
                    seen.frame
                    for seen in heard.seen.of(Delta)
                    if isinstance(seen.event, Delta) and mark in seen.event.text
                ),
                None,
            )
            return broken(f"{channel.value} holds {mark!r}", at)
    return kept() if any(heard.seen.of(Delta)) else moot("no text came")


def same_answer(heard: Heard) -> Finding:
    """The same words at temperature 0, ended for the same reason, at the same cost."""
    other = heard.beside
    if other is None or not other.replied:
        return moot("there is no other answer to compare it with")
    if heard.text != other.text:
        return broken(f"{heard.text[:60]!r} here, {other.text[:60]!r} in {other.probe.name}")
    for name, mine, theirs in (
        ("finish_reason", heard.seen.finish_reason, other.seen.finish_reason),
        ("completion_tokens", _count(heard, "completion"), _count(other, "completion")),
    ):
        if mine != theirs and None not in {mine, theirs}:
            return broken(f"{name} {mine} here, {theirs} in {other.probe.name}")
    return kept(f"{len(heard.text)} characters, as in {other.probe.name}")


def same_prompt(heard: Heard) -> Finding:
    """The same messages are the same prompt, however they were spelled."""
    mine = _count(heard, "prompt")
    theirs = _count(heard.beside, "prompt") if heard.beside else None
    if mine is None or theirs is None:
        return moot("one of the two counts no prompt tokens")
    assert heard.beside is not None
    if mine != theirs:
        return broken(f"{mine} prompt tokens here, {theirs} in {heard.beside.probe.name}")
    return kept(f"{mine} prompt tokens in both")


# -- what was asked of it


def stopped_short(heard: Heard) -> Finding:
    """The stop string is not in the text, and is why it ended."""
    for stop in _stops(heard):
        if stop in heard.text:
            return broken(f"the text holds the stop string {stop!r}")
    reason = heard.seen.finish_reason
    return kept() if reason == "stop" else broken(f"finish_reason is {reason}, not stop")


def stopped_exactly(heard: Heard) -> Finding:
    """All that stood before the stop string, and nothing else."""
    if heard.beside is None or not heard.beside.replied:
        return moot("there is no whole answer to compare it with")
    places = [at for stop in _stops(heard) if (at := heard.beside.text.find(stop)) >= 0]
    if not places:
        return moot("the whole answer does not hold the stop string")
    expected = heard.beside.text[: min(places)]
    if heard.text != expected:
        return broken(f"{heard.text[-60:]!r} instead of {expected[-60:]!r}")
    return kept(f"{len(expected)} characters")


def capped(heard: Heard) -> Finding:
    """Ended by the cap, and within it."""
    request = heard.trace.request
    cap = request.get("max_completion_tokens", request.get("max_tokens"))
    reason, count = heard.seen.finish_reason, _count(heard, "completion")
    if count is not None and isinstance(cap, int) and count > cap:
        return broken(f"{count} completion tokens, {cap} were allowed")
    if reason != "length":
        return broken(f"finish_reason is {reason}, not length")
    return kept(f"{count} of {cap} tokens")


def several_choices(heard: Heard) -> Finding:
    """As many as were asked for."""
    asked = heard.trace.request.get("n")
    found = sorted(str(choice.get("index")) for _, choice in heard.choices())
    if found == [str(index) for index in range(asked if isinstance(asked, int) else 1)]:
        return kept(f"{len(found)} choices")
    return broken(f"n is {asked}, the choices have the indices {', '.join(found) or 'none'}")


# -- functions


def call_shape(heard: Heard) -> Finding:
    """An index in every fragment; id, type and name in the first of each."""
    seen: set[object] = set()
    for frame, fragment in _fragments(heard):
        index = fragment.get("index")
        if frame is not None and (not isinstance(index, int) or isinstance(index, bool)):
            return broken(f"a fragment of a call with the index {index!r}", frame.number)
        number = frame.number if frame else None
        if frame is None or index not in seen:
            function = fragment.get("function")
            name = function.get("name") if isinstance(function, dict) else None
            for key, value in (("id", fragment.get("id")), ("function.name", name)):
                if not isinstance(value, str) or not value:
                    return broken(f"a call whose {key} is {value!r}", number)
            if fragment.get("type") != "function":
                return broken(f"a call of type {fragment.get('type')!r}", number)
        seen.add(index)
    calls = calls_in(heard.seen)
    return kept(f"{len(calls)} calls") if calls else moot("the model called no function")


def call_arguments(heard: Heard) -> Finding:
    """Joined, they are a JSON object."""
    calls = calls_in(heard.seen)
    for call in calls:
        if not isinstance(call.arguments, dict):
            return broken(f"the arguments of {call.name} are no JSON object: {call.text[:60]!r}")
    return (
        kept(", ".join(map(repr, map(str, calls))))
        if calls
        else moot("the model called no function")
    )


def call_finish(heard: Heard) -> Finding:
    """The finish reason says that there are calls."""
    reason, called = heard.seen.finish_reason, bool(calls_in(heard.seen))
    if not called and reason != "tool_calls":
        return moot("the model called no function")
    if called and reason == "tool_calls":
        return kept()
    return broken(f"finish_reason is {reason}, {'with' if called else 'without'} a call")


# -- bodies


def body_head(heard: Heard) -> Finding:
    """Id, object, created and model."""
    body = heard.json if isinstance(heard.json, dict) else {}
    if body.get("object") != "chat.completion":
        return broken(f"object is {body.get('object')!r}, not 'chat.completion'")
    for key, kind in (("id", str), ("created", int), ("model", str)):
        if not isinstance(body.get(key), kind) or isinstance(body.get(key), bool):
            return broken(f"{key} is {body.get(key)!r}")
    return kept()


def body_choices(heard: Heard) -> Finding:
    """An index, a message by the assistant with its content, and a finish reason."""
    choices = [choice for _, choice in heard.choices()]
    if not choices:
        return broken("no choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return broken(f"message is {message!r}")
    if choices[0].get("index") != 0:
        return broken(f"index is {choices[0].get('index')!r}")
    if message.get("role") != "assistant":
        return broken(f"role is {message.get('role')!r}")
    if "content" not in message or not isinstance(message["content"], str | None):
        return broken(f"content is {message.get('content')!r}")
    if not isinstance(choices[0].get("finish_reason"), str):
        return broken(f"finish_reason is {choices[0].get('finish_reason')!r}")
    return kept()


def models_listed(heard: Heard) -> Finding:
    """A list of objects, each with an id."""
    body = heard.json if isinstance(heard.json, dict) else {}
    if body.get("object") != "list" or not isinstance(body.get("data"), list):
        return broken(f"no object of kind list with data: {json.dumps(heard.json)[:80]}")
    for entry in body["data"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            return broken(f"a model without an id: {json.dumps(entry)[:80]}")
        if entry.get("object") != "model":
            return broken(f"a model whose object is {entry.get('object')!r}")
    return kept(f"{len(body['data'])} models")


def models_told(heard: Heard) -> Finding:
    """When each was made, and by whom."""
    body = heard.json if isinstance(heard.json, dict) else {}
    for entry in body.get("data") or ():
        for key, kind in (("created", int), ("owned_by", str)):
            if not isinstance(entry, dict) or not isinstance(entry.get(key), kind):
                return broken(f"a model without {key}: {json.dumps(entry)[:80]}")
    return kept() if body.get("data") else moot("no model is listed")


# -- reading


def _id(heard: Heard) -> str | None:
    sources = [chunk for _, chunk in heard.chunks] or [heard.json]
    said = sources[0].get("id") if isinstance(sources[0], dict) else None
    return said if isinstance(said, str) else None


def _count(heard: Heard, what: str) -> int | None:
    usage = heard.seen.usage
    if usage is None:
        return None
    return usage.prompt_tokens if what == "prompt" else usage.completion_tokens


def _usages(heard: Heard) -> list[tuple[Frame | None, Mapping[str, Any], Mapping[str, Any]]]:
    """Every usage that holds something: its frame, what it came in, and itself."""
    sources: list[tuple[Frame | None, Any]] = [(frame, frame.value) for frame in heard.frames]
    return [
        (frame, value, value["usage"])
        for frame, value in sources or [(None, heard.json)]
        if isinstance(value, dict) and isinstance(value.get("usage"), dict)
    ]


def _stops(heard: Heard) -> list[str]:
    stop = heard.trace.request.get("stop")
    return [stop] if isinstance(stop, str) else [str(each) for each in stop or ()]


def _fragments(heard: Heard) -> Iterator[tuple[Frame | None, Mapping[str, Any]]]:
    for frame, choice in heard.choices():
        said = choice.get("message" if frame is None else "delta")
        calls = said.get("tool_calls") if isinstance(said, dict) else None
        for call in calls if isinstance(calls, list) else ():
            yield frame, call if isinstance(call, dict) else {}
