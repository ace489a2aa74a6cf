"""Is the dialect of the native worker played as it is, oddities included?"""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from playground.worker.messages import Done, Ready, parse_reply
from tests.native.hearing import Hearing
from tests.native.loop import NativeLoop, prefill_plan, safe_to_show, whole_characters
from tests.native.talk import BOS, last, loaded, talk, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

GREETING = {"replies": [{"text": "Hello<|eot|>"}]}
COUNTED = {"prompt_tokens", "completion_tokens", "reused_prompt_tokens", "prefilled_prompt_tokens"}
TIMED = {"prefill_ms", "decode_ms", "total_ms", "prefill_tok_s", "decode_tok_s"}


def ask(prompt: str = "Hi", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A generate."""
    return {"prompt": prompt, **fields}


def picture(width: int = 56, height: int = 28) -> dict[str, Any]:
    """A segment that shows one."""
    buffer = BytesIO()
    Image.new("RGB", (width, height), "red").save(buffer, "PNG")
    data = base64.b64encode(buffer.getvalue()).decode()
    return {"image": {"encoding": "base64", "mime_type": "image/png", "data": data}}


def test_ready_says_nothing_of_the_worker_itself() -> None:
    """One line of sorted keys, which the server takes for a worker that is not ours."""
    lines: list[bytes] = []
    hearing = Hearing()
    hearing.end()
    NativeLoop(loaded(GREETING), hearing, lines.append, bos_id=BOS).run()

    (line,) = lines
    assert line == (
        b'{"cancel_op":true,"max_named_sessions":1,"max_sessions":2,"ready":true,'
        b'"supports_image":false}\n'
    )
    assert parse_reply(line) == Ready(max_sessions=2, max_named_sessions=1, cancel_op=True)


def test_a_done_line_has_upstreams_fields_and_no_others() -> None:
    """No time of the first text, no rows, no memory, nothing of drafting."""
    said = talk(loaded({**GREETING, "draft_tokens": 3, "tokens_per_round": 4}), ask())

    assert "".join(texts(said)) == "Hello"
    assert last(said).keys() == COUNTED | TIMED | {
        *("done", "cancelled", "finish_reason", "session_reset_reason", "generated_token_ids"),
    }
    assert last(said)["generated_token_ids"] == list(b"Hello")
    assert (last(said)["prompt_tokens"], last(said)["completion_tokens"]) == (3, 5)
    done = parse_reply(json.dumps(last(said)).encode())
    assert isinstance(done, Done)
    assert (done.ttft_ms, done.resident_tokens, done.peak_rss_bytes) == (None, None, None)
    assert (done.draft_counts, done.extra) == (None, {})


@pytest.mark.parametrize(
    ("resident", "prompt", "dirty", "plan"),
    [
        ([1, 2], [1, 2, 3], True, (0, "dirty")),
        ([], [1, 2], False, (0, "new")),
        ([1, 2, 3], [1, 2], False, (0, "mismatch")),
        ([1, 2], [1, 3, 4], False, (0, "mismatch")),
        ([1, 2], [1, 2], False, (0, "equal")),
        ([1, 2], [1, 2, 3], False, (2, "exact_prefix")),
    ],
)
def test_the_first_rule_that_holds_is_the_plan(
    resident: list[int],
    prompt: list[int],
    dirty: bool,  # noqa: FBT001
    plan: tuple[int, str],
) -> None:
    """Token by token, never by text."""
    assert prefill_plan(resident, prompt, dirty=dirty) == plan


def test_a_named_session_goes_on_from_its_own_tokens() -> None:
    """What was generated is spliced back as ids; the end of the turn was never resident."""
    segments = [{"text": "Hi"}, {"ids": list(b"Hello")}, {"text": "<|eot|>More"}]
    said = talk(
        loaded(GREETING),
        ask(session_id="a"),
        {"prompt_segments": segments, "session_id": "a"},
        {"prompt_segments": segments, "session_id": "a"},
    )
    dones = [reply for reply in said if "done" in reply]

    assert [done["session_reset_reason"] for done in dones] == ["new", "exact_prefix", "mismatch"]
    assert [done["reused_prompt_tokens"] for done in dones] == [0, 8, 0]
    assert [done["prefilled_prompt_tokens"] for done in dones] == [3, 5, 13]


def test_a_nameless_turn_knows_nothing_and_says_new() -> None:
    """Each time; so does every turn where nothing is to be warm."""
    nameless = talk(loaded(GREETING), ask(), ask())
    cold = talk(loaded(GREETING), ask(session_id="a"), ask(session_id="a"), warm_resume=False)

    for said in (nameless, cold):
        assert [r["session_reset_reason"] for r in said if "done" in r] == ["new", "new"]


def test_one_place_is_the_nameless_ones() -> None:
    """The first to be named takes the other, by asking or by opening; closing gives it back."""
    said = talk(
        loaded(GREETING),
        {"op": "open", "session_id": "a"},
        {"op": "open", "session_id": "a"},
        ask(session_id="b"),
        {"op": "reset", "session_id": "nobody"},
        {"op": "close", "session_id": "nobody"},
        {"op": "close", "session_id": "a"},
        ask(session_id="b", max_new_tokens=1),
    )
    full = {"error": "cannot open session", "code": "capacity_exhausted", "session_id": "b"}

    assert said[:6] == [
        {"opened": True, "session_id": "a"},
        {"opened": True, "session_id": "a"},
        full,
        {"reset": True, "session_id": "nobody"},
        {"closed": True, "session_id": "nobody"},
        {"closed": True, "session_id": "a"},
    ]
    assert last(said)["session_reset_reason"] == "new"


def test_a_worker_of_one_session_names_none() -> None:
    """By its code."""
    said = talk(loaded(GREETING, max_sessions=1), {"op": "open", "session_id": "a"})

    assert last(said)["code"] == "unsupported_session"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"op": "dance"}, "exactly one of prompt / prompt_segments is required"),
        ({"prompt": "a", "prompt_segments": []}, "exactly one of prompt / prompt_segments"),
        ({"prompt_segments": [{}]}, "prompt_segment needs `text` or `ids`"),
        ({"op": "open"}, "key 'session_id' not found"),
        ({"op": "open", "session_id": ""}, "session_id required for op"),
        ({"op": 7}, "type_error.302"),
        (b"{", "parse_error.101"),
        (b"  ", "parse_error.101"),
        (b"[]", "type_error.306"),
        (ask(top_p=0), "top_p must be finite and in (0, 1]"),
        (ask(top_k=-1), "top_k must fit in a nonnegative int32"),
        (ask(seed=-1), "seed must be nonnegative"),
        (ask(temperature=3), "prefill failed"),
        (ask("x" * 5000), "prompt fills the context window; no room to generate"),
        ({"prompt_segments": [picture()]}, "Muse Glimmer artifact does not support image input"),
    ],
)
def test_an_error_is_a_sentence_without_a_code(line: dict[str, Any] | bytes, error: str) -> None:
    """And the next line is answered; an `op` that is unknown is a prompt that is missing."""
    said = talk(loaded(GREETING), line, ask())

    assert error in said[0]["error"]
    assert said[0].keys() == {"error"}
    assert last(said)["done"] is True


def test_an_empty_line_is_passed_over() -> None:
    """Though one of spaces is not."""
    hearing = Hearing()
    hearing.feed(b'\n\n{"op":"open","session_id":"a"}\n')
    hearing.end()

    assert hearing._waiting.qsize() == 2


# -- texts


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"", 0),
        (b"ab", 2),
        ("ü".encode()[:1], 0),
        ("aü".encode(), 3),
        ("a🌍".encode()[:4], 1),
        (b"\xff\x80", 2),
        # What its first byte announces counts, be it a character or not.
        (b"\xc3(", 2),
    ],
)
def test_what_is_shown_is_whole_by_what_its_first_byte_announces(data: bytes, whole: int) -> None:
    """The rest waits."""
    assert whole_characters(data) == whole


@pytest.mark.parametrize(
    ("text", "stops", "shown", "hit"),
    [
        ("Hello", [], "Hello", False),
        ("Hello", [""], "Hello", False),
        ("Hello", ["xyz"], "Hel", False),
        ("Hello", ["lo", "ell"], "H", True),
        ("a", ["xyz"], "", False),
        ("aüb", ["xyz"], "a", False),
    ],
)
def test_as_much_is_held_back_as_a_stop_string_is_long(
    text: str,
    stops: Sequence[str],
    shown: str,
    hit: bool,  # noqa: FBT001
) -> None:
    """Though it begins otherwise; no character is cut for it."""
    length, was_hit = safe_to_show(text.encode(), [stop.encode() for stop in stops])

    assert (text.encode()[:length].decode(), was_hit) == (shown, hit)


def test_a_character_comes_when_it_is_whole() -> None:
    """Of several tokens one text; what is never whole comes at the end, as U+FFFD."""
    said = talk(loaded({"replies": [{"text": "ü🌍<|eot|>"}]}), ask(), ask(max_new_tokens=3))

    assert texts(said) == ["ü", "🌍", "ü", "\ufffd"]
    assert last(said)["finish_reason"] == "length"


def test_a_stop_string_leaves_no_ids_and_a_dirty_session() -> None:
    """What stood before it is shown, the next turn is cold, and the one after it warm again."""
    model = loaded({"replies": [{"text": "Hello there<|eot|>"}]})
    said = talk(
        model,
        ask(session_id="a", stop=["lo"]),
        ask("Hi more", session_id="a"),
        {"prompt_segments": [{"ids": [*b"Hi more", *b"Hello there", 65]}], "session_id": "a"},
    )
    stopped, cold, warm = (reply for reply in said if "done" in reply)

    assert "".join(texts(said[: said.index(stopped)])) == "Hel"
    assert (stopped["finish_reason"], "generated_token_ids" in stopped) == ("stop", False)
    assert (cold["session_reset_reason"], warm["session_reset_reason"]) == ("dirty", "exact_prefix")


def test_more_than_there_is_room_for_is_cut_to_it() -> None:
    """And less than one token means all there is."""
    model = loaded({"context_length": 6, "replies": [{"text": "Hello there<|eot|>"}]})

    for wanted in (-1, 0, 100):
        assert last(talk(model, ask(max_new_tokens=wanted)))["completion_tokens"] == 3


def test_the_tokens_of_a_round_that_nobody_wanted_are_dropped() -> None:
    """The next turn goes on from what was said."""
    script = {"draft_tokens": 3, "tokens_per_round": 4, "replies": [{"text": "Hello<|eot|>"}]}
    said = talk(
        loaded(script),
        ask(session_id="a", max_new_tokens=2),
        {
            "prompt_segments": [{"text": "Hi"}, {"ids": list(b"He")}, {"text": "x"}],
            "session_id": "a",
        },
    )

    assert last(said)["session_reset_reason"] == "exact_prefix"
    assert last(said)["reused_prompt_tokens"] == 5
    assert "".join(texts(said)) == "HeHello"


# -- cancels


def test_a_cancel_ends_a_turn_between_two_tokens() -> None:
    """It says so, has no ids, and the session is dirty; a second cancel is one too many."""

    def cancel(hearing: Hearing, said: dict[str, Any]) -> None:
        if said.get("token") == "e":
            hearing.feed(b'{"op":"cancel","request_id":7}\n' * 2)

    said = talk(
        loaded(GREETING),
        ask(session_id="a", cancel_request_id=7),
        ask("Hi!", session_id="a", cancel_request_id=8),
        then=cancel,
    )
    first, second = (reply for reply in said if "done" in reply)

    assert texts(said)[:2] == ["H", "e"]
    assert (first["cancelled"], first["finish_reason"]) == (True, "stop")
    assert (first["completion_tokens"], "generated_token_ids" in first) == (2, False)
    # The cancel came again with the second turn's second token, and named the first.
    assert (second["cancelled"], second["session_reset_reason"]) == (False, "dirty")


def test_a_cancel_by_session_ends_what_it_runs() -> None:
    """And not what another one does."""

    def cancel(hearing: Hearing, said: dict[str, Any]) -> None:
        if "token" in said:
            hearing.feed(b'{"op":"cancel","session_id":"a"}\n')

    said = talk(loaded(GREETING), ask(), ask(session_id="a"), then=cancel)

    assert [reply["cancelled"] for reply in said if "done" in reply] == [False, True]


@pytest.mark.parametrize(
    "cancel",
    [
        b'{"op":"cancel"}\n',
        b'{"op":"cancel","request_id":6}\n',
        b'{"op":"cancel","request_id":"7"}\n',
        b'{"op":"cancel","request_id":7,"session_id":"b"}\n',
        b'{"op":"cancel","session_id":""}\n',
    ],
)
def test_a_cancel_that_names_no_turn_says_and_does_nothing(cancel: bytes) -> None:
    """Neither does it wait for one that comes."""

    def interrupt(hearing: Hearing, said: dict[str, Any]) -> None:
        if said.get("ready") or "token" in said:
            hearing.feed(cancel)

    said = talk(loaded(GREETING), ask(session_id="a", cancel_request_id=7), then=interrupt)

    assert (last(said)["cancelled"], "".join(texts(said))) == (False, "Hello")


def test_a_turn_can_be_cancelled_before_it_runs() -> None:
    """By the same write that asks for it: then nothing of it was done, and nothing is dirty."""
    asked = json.dumps(ask(session_id="a", cancel_request_id=7)).encode()
    said = talk(
        loaded(GREETING), asked + b'\n{"op":"cancel","request_id":7}', ask("Hi", session_id="a")
    )
    first, second = (reply for reply in said if "done" in reply)

    assert first.keys() == COUNTED | TIMED | {"done", "cancelled", "finish_reason"}
    assert (first["cancelled"], {first[key] for key in COUNTED}) == (True, {0})
    assert second["session_reset_reason"] == "new"


def test_a_prompt_is_given_up_between_two_chunks() -> None:
    """Nothing is told of what was computed, and the session is dirty."""

    class Interrupted(Hearing):
        """Cancels behind the first chunk."""

    model = loaded({**GREETING, "max_prefill_chunk": 4})
    hearing, said = Interrupted(), list[dict[str, Any]]()
    prefill = model.engine.pace.wait_ms  # type: ignore[attr-defined]

    def wait_ms(delay_ms: float) -> None:
        hearing.feed(b'{"op":"cancel","request_id":7}\n')
        prefill(delay_ms)

    model.engine.pace.wait_ms = wait_ms  # type: ignore[attr-defined]

    def write(line: bytes) -> None:
        said.append(json.loads(line))
        if sum("done" in reply for reply in said) == 2:
            hearing.end()

    for request in (
        ask("a long prompt", session_id="a", cancel_request_id=7),
        ask("another", session_id="a"),
    ):
        hearing.feed(json.dumps(request).encode() + b"\n")
    NativeLoop(model, hearing, write, bos_id=BOS).run()
    first, second = (reply for reply in said if "done" in reply)

    assert (first["cancelled"], first["prompt_tokens"]) == (True, 0)
    assert second["session_reset_reason"] == "dirty"


def test_the_end_of_stdin_ends_what_runs_and_drops_what_waits() -> None:
    """Nobody is left who would read it."""

    def leave(hearing: Hearing, said: dict[str, Any]) -> None:
        if "token" in said:
            hearing.end()

    said = talk(loaded(GREETING), ask(), ask(), then=leave)

    assert texts(said) == ["H"]
    assert len(said) == 2


# -- pictures

SEES = {"replies": [{"text": "{picture}<|eot|>"}], "max_image_cells": 16}


def test_a_turn_with_a_picture_is_always_new() -> None:
    """Though it goes on; its run of patches is bare, and its encoding is no part of its times."""
    asked = {"prompt_segments": [{"text": "a"}, picture(), {"text": "b"}], "session_id": "a"}
    said = talk(loaded(SEES), asked, asked)
    dones = [reply for reply in said if "done" in reply]

    assert [done["session_reset_reason"] for done in dones] == ["new", "new"]
    assert [done["prompt_tokens"] for done in dones] == [1 + 1 + 2 + 1] * 2
    assert all(done["vision_encoder_ms"] >= 0 for done in dones)


@pytest.mark.parametrize(
    ("segments", "error"),
    [
        ([picture(), picture()], "exactly one valid image segment is supported"),
        ([{**picture(), "text": "a"}], "exactly one valid image segment is supported"),
        ([{"image": {**picture()["image"], "encoding": "hex"}}], "encoding must be base64"),
        ([{"image": {**picture()["image"], "mime_type": "image/gif"}}], "must be JPEG or PNG"),
        ([{"image": {**picture()["image"], "data": "!"}}], "invalid base64 image payload"),
        ([{"image": {**picture()["image"], "data": "QUJD"}}], "image decode or vision encoding"),
    ],
)
def test_what_is_no_picture_is_an_error(segments: list[dict[str, Any]], error: str) -> None:
    """Before the session is touched: the next turn goes on warm."""
    warm = {"prompt_segments": [{"text": "Hi"}, {"text": "!"}], "session_id": "a"}
    said = talk(
        loaded({**SEES, "replies": [{"text": "<|eot|>"}]}),
        ask(session_id="a"),
        {"prompt_segments": segments, "session_id": "a"},
        warm,
    )

    assert error in said[-2]["error"]
    assert last(said)["session_reset_reason"] == "exact_prefix"


def test_a_picture_is_taken_as_its_pixels_lie() -> None:
    """Whatever EXIF says: a picture of two cells beside each other is not one above the other."""
    buffer = BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = Image.new("RGB", (28 * 3, 28), "red")
    picture.putpixel((0, 0), (0, 0, 255))
    picture.save(buffer, "JPEG", exif=exif)
    plain = BytesIO()
    picture.save(plain, "JPEG")

    def seen(file: BytesIO) -> str:
        data = base64.b64encode(file.getvalue()).decode()
        image = {"encoding": "base64", "mime_type": "image/jpeg", "data": data}
        return "".join(texts(talk(loaded(SEES), {"prompt_segments": [{"image": image}]})))

    assert seen(buffer) == seen(plain)
