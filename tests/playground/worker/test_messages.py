"""Is the protocol's vocabulary read and written as its docstring says, wrong lines included?"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.draft_counts import UNAVAILABLE, DraftCounts
from playground.worker.errors import MessageError
from playground.worker.messages import (
    Cancel,
    Done,
    Failed,
    GenerateRequest,
    IdsSegment,
    ImageSegment,
    Progress,
    Ready,
    Reply,
    Request,
    Sampling,
    SessionOp,
    SessionReply,
    TextSegment,
    TokenText,
    WorkerInfo,
    dump_reply,
    dump_request,
    parse_reply,
    parse_request,
)

UPSTREAM_GENERATE = (
    b'{"prompt_segments":[{"text":"<|start|>user<|message|>hi<|eot|><|start|>assistant"},'
    b'{"ids":[311,9001,200023,17]},{"text":"<|eot|>"}],"session_id":"chat-7","max_new_tokens":128,'
    b'"temperature":0.7,"top_p":0.95,"top_k":64,"seed":42,"stop":["<|end_of_text|>"]}'
)
UPSTREAM_DONE = (
    b'{"done":true,"prompt_tokens":31,"completion_tokens":9,"finish_reason":"stop",'
    b'"reused_prompt_tokens":20,"prefilled_prompt_tokens":11,'
    b'"session_reset_reason":"exact_prefix","generated_token_ids":[311,19813,200023,60704,13],'
    b'"prefill_ms":41.2,"decode_ms":212.0,"total_ms":254.1,"prefill_tok_s":267.0,'
    b'"decode_tok_s":42.5}'
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IDS = st.lists(st.integers(0, 2**31), max_size=6).map(tuple)
GENERATE = st.builds(
    GenerateRequest,
    segments=st.lists(
        st.builds(TextSegment, TEXT)
        | st.builds(IdsSegment, IDS)
        | st.builds(ImageSegment, st.sampled_from(["image/png", "image/jpeg"]), TEXT.filter(bool)),
        min_size=1,
        max_size=4,
    ).map(tuple),
    max_new_tokens=st.integers(-1, 2**40),
    sampling=st.builds(
        Sampling,
        temperature=st.floats(0, 2),
        top_p=st.floats(0, 1, exclude_min=True),
        top_k=st.integers(0, 2**31 - 1),
        seed=st.integers(0, 2**63 - 1),
    ),
    stop=st.lists(TEXT.filter(bool), max_size=3).map(tuple),
    session_id=TEXT,
    cancel_request_id=st.none() | st.integers(0, 2**64 - 1),
    dflash=st.booleans(),
    progress=st.booleans(),
)
INFO = WorkerInfo(
    engine="executorch",
    backend="XNNPACK",
    threads=2,
    load_ms=93.5,
    context_length=2048,
    vocab_size=4096,
    max_prefill_chunk=64,
    versions={"executorch": "1.5.1", "torch": None},
    artifact="muse-nano.pte",
    artifact_sha256="ab",
    threads_reason="as asked",
    dflash_block_length=4,
    dflash_draft_tokens=0,
    pid=77,
    peak_rss_bytes=10**8,
    max_image_cells=64,
    max_image_bytes=10**7,
)
DONE = Done(
    prompt_tokens=31,
    completion_tokens=9,
    finish_reason="length",
    reused_prompt_tokens=20,
    prefilled_prompt_tokens=11,
    session_reset_reason="exact_prefix",
    prefill_ms=41.2,
    decode_ms=212.0,
    total_ms=254.1,
    prefill_tok_s=267.0,
    decode_tok_s=42.5,
    generated_token_ids=(311, 7),
    ttft_ms=44.0,
    resident_tokens=40,
    peak_rss_bytes=10**8,
    draft_counts=DraftCounts(
        dflash="fallback",
        cycles=5,
        speculative_cycles=3,
        target_only_cycles=2,
        draft_attempts_by_row=(3, 2),
        draft_accepts_by_row=(2, 1),
        draft_execute_ms=4.5,
        target_execute_ms=9.25,
    ),
    extra={"of_a_later_version": [3, 2]},
)


def image_line(**fields: object) -> bytes:
    """A request whose one segment is an image with these fields in place of proper ones."""
    image = {"encoding": "base64", "mime_type": "image/png", "data": "AA==", **fields}
    return json.dumps({"prompt_segments": [{"image": image}]}).encode()


def test_an_image_is_a_segment_of_its_own() -> None:
    """As base64, which nobody looks into on the way."""
    assert parse_request(image_line()).segments == (  # type: ignore[union-attr]
        ImageSegment("image/png", "AA=="),
    )


def test_a_worker_that_does_not_say_takes_one_image() -> None:
    """ExecuTorch's worker has no such field, and refuses a second one."""
    line = b'{"ready":true,"max_sessions":2,"max_named_sessions":1,"supports_image":true}'

    assert parse_reply(line) == Ready(
        max_sessions=2, max_named_sessions=1, supports_image=True, max_images=1
    )


def test_upstreams_generate_example_is_read_whole() -> None:
    """The example of ExecuTorch's protocol description, field for field."""
    assert parse_request(UPSTREAM_GENERATE) == GenerateRequest(
        segments=(
            TextSegment("<|start|>user<|message|>hi<|eot|><|start|>assistant"),
            IdsSegment((311, 9001, 200023, 17)),
            TextSegment("<|eot|>"),
        ),
        max_new_tokens=128,
        sampling=Sampling(temperature=0.7, top_p=0.95, top_k=64, seed=42),
        stop=("<|end_of_text|>",),
        session_id="chat-7",
    )


def test_a_prompt_is_one_text_segment_and_everything_else_has_a_default() -> None:
    """Greedy, to the end of the context, in the scratch session."""
    assert parse_request(b'{"prompt":"Hi"}') == GenerateRequest(
        segments=(TextSegment("Hi"),),
        max_new_tokens=-1,
        sampling=Sampling(temperature=0.0, top_p=1.0, top_k=0, seed=0),
        stop=(),
        session_id="",
        cancel_request_id=None,
    )


def test_temperature_minus_one_is_the_default() -> None:
    """What upstream's session takes for "not set"."""
    request = parse_request(b'{"prompt":"Hi","temperature":-1}')

    assert isinstance(request, GenerateRequest)
    assert request.sampling == Sampling()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"op":"open","session_id":"a"}', SessionOp("open", "a")),
        (b'{"op":"reset","session_id":"a"}', SessionOp("reset", "a")),
        (b'{"op":"close","session_id":"a"}', SessionOp("close", "a")),
        (b'{"op":"cancel","request_id":3}', Cancel(request_id=3)),
        (b'{"op":"cancel","session_id":"a"}', Cancel(session_id="a")),
        (b'{"op":"cancel"}', Cancel()),
        (b' {"prompt":"Hi","later":1}\r', GenerateRequest((TextSegment("Hi"),))),
    ],
)
def test_requests_are_read(line: bytes, expected: Request) -> None:
    """Each form, unknown fields and surrounding blanks ignored."""
    assert expected == parse_request(line)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"hello", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'"op"', "not a JSON object"),
        (b'{"prompt":"\xff"}', "not UTF-8 at byte 11"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"prompt":"Hi","temperature":NaN}', "NaN is not JSON"),
        (b'{"op":"generate","prompt":"Hi"}', "unknown op 'generate'"),
        (b'{"op":7}', "'op' must be a string"),
        (b'{"op":"open"}', "'session_id' is missing"),
        (b'{"op":"open","session_id":""}', "'session_id' is empty"),
        (b'{"op":"close","session_id":5}', "'session_id' must be a string"),
        (b'{"op":"cancel","request_id":-1}', "'request_id' is -1"),
        (
            b'{"op":"cancel","request_id":18446744073709551616}',
            "'request_id' is 18446744073709551616",
        ),
        (b"{}", "exactly one of 'prompt' and 'prompt_segments'"),
        (b'{"prompt":"Hi","prompt_segments":[{"text":"Hi"}]}', "exactly one of"),
        (b'{"prompt":3}', "'prompt' must be a string"),
        (b'{"prompt":"\\ud800"}', "'prompt' holds a lone surrogate"),
        (b'{"prompt_segments":{"text":"Hi"}}', "'prompt_segments' must be a list"),
        (b'{"prompt_segments":[]}', "'prompt_segments' is empty"),
        (b'{"prompt_segments":["Hi"]}', "'prompt_segments' must be a list of objects"),
        (b'{"prompt_segments":[{}]}', "exactly one of 'text', 'ids'"),
        (b'{"prompt_segments":[{"text":"a","ids":[1]}]}', "exactly one of 'text', 'ids'"),
        (b'{"prompt_segments":[{"text":1}]}', "'text' must be a string"),
        (b'{"prompt_segments":[{"ids":7}]}', "'ids' must be a list"),
        (b'{"prompt_segments":[{"ids":[1,"2"]}]}', "'ids' must be a list of token ids"),
        (b'{"prompt_segments":[{"ids":[true]}]}', "'ids' must be a list of token ids"),
        (b'{"prompt_segments":[{"ids":[-1]}]}', "'ids' must be a list of token ids"),
        (b'{"prompt_segments":[{"image":"cat"}]}', "'image' must be an object"),
        (b'{"prompt_segments":[{"image":{}}]}', "'encoding' is missing"),
        (image_line(encoding="hex"), "'encoding' is 'hex'; it must be one of base64"),
        (image_line(mime_type="image/gif"), "'mime_type' is 'image/gif'; it must be one of"),
        (image_line(data=""), "'data' is empty"),
        (image_line(data=7), "'data' must be a string"),
        (image_line(detail="low"), "an image segment has no 'detail'"),
        (b'{"prompt_segments":[{"text":"a","image":{}}]}', "exactly one of 'text', 'ids' and"),
        (
            image_line().replace(b'{"image"', b'{"at": 1, "image"'),
            "an image segment has no 'at'",
        ),
        (b'{"prompt":"Hi","max_new_tokens":"9"}', "'max_new_tokens' must be an integer"),
        (b'{"prompt":"Hi","max_new_tokens":9.5}', "'max_new_tokens' must be an integer"),
        (b'{"prompt":"Hi","max_new_tokens":true}', "'max_new_tokens' must be an integer"),
        (b'{"prompt":"Hi","temperature":"hot"}', "'temperature' must be a number"),
        (b'{"prompt":"Hi","temperature":true}', "'temperature' must be a number"),
        (b'{"prompt":"Hi","temperature":2.1}', "'temperature' is 2.1; it must be from 0 to 2"),
        (b'{"prompt":"Hi","temperature":-0.5}', "'temperature' is -0.5; it must be from 0 to 2"),
        (b'{"prompt":"Hi","temperature":1e999}', "'temperature' is not a finite number"),
        (b'{"prompt":"Hi","top_p":0}', "'top_p' is 0.0; it must be above 0 and at most 1"),
        (b'{"prompt":"Hi","top_p":1.01}', "'top_p' is 1.01; it must be above 0 and at most 1"),
        (b'{"prompt":"Hi","top_k":-1}', "'top_k' is -1; it must be from 0 to 2147483647"),
        (b'{"prompt":"Hi","top_k":2147483648}', "'top_k' is 2147483648"),
        (b'{"prompt":"Hi","seed":-1}', "'seed' is -1"),
        (b'{"prompt":"Hi","seed":9223372036854775808}', "'seed' is 9223372036854775808"),
        (b'{"prompt":"Hi","seed":1.0}', "'seed' must be an integer"),
        (b'{"prompt":"Hi","stop":"x"}', "'stop' must be a list"),
        (b'{"prompt":"Hi","stop":[1]}', "'stop' must be a list of strings"),
        (b'{"prompt":"Hi","stop":[""]}', "'stop' holds an empty string"),
        (b'{"prompt":"Hi","session_id":1}', "'session_id' must be a string"),
        (b'{"prompt":"Hi","cancel_request_id":-1}', "'cancel_request_id' is -1"),
        (b'{"prompt":"Hi","cancel_request_id":"1"}', "'cancel_request_id' must be an integer"),
    ],
)
def test_a_wrong_request_is_told_by_field_line_and_text(line: bytes, reason: str) -> None:
    """The error names what is wrong, the line's number and the beginning of its text."""
    with pytest.raises(MessageError) as caught:
        parse_request(line, 7)

    assert reason in caught.value.reason
    assert caught.value.line_number == 7
    assert str(caught.value).startswith("line 7: ")
    assert caught.value.text == line.decode("utf-8", "replace")
    assert len(str(caught.value)) < 400


@given(request=GENERATE)
def test_generate_requests_survive_the_wire(request: GenerateRequest) -> None:
    """What is written is what is read, in one line of ASCII."""
    line = dump_request(request)

    assert parse_request(line) == request
    assert line.isascii()
    assert line.index(b"\n") == len(line) - 1


@pytest.mark.parametrize(
    "request_",
    [
        SessionOp("open", "a"),
        SessionOp("reset", "ä"),
        SessionOp("close", "a"),
        Cancel(request_id=2**64 - 1),
        Cancel(session_id="a"),
        Cancel(request_id=1, session_id="a"),
    ],
)
def test_other_requests_survive_the_wire(request_: Request) -> None:
    """What is written is what is read."""
    assert parse_request(dump_request(request_)) == request_


@pytest.mark.parametrize(
    "reply",
    [
        Ready(
            max_sessions=2, max_named_sessions=1, supports_cancel=True, cancel_op=True, worker=INFO
        ),
        SessionReply("open", "a"),
        SessionReply("reset", "a"),
        SessionReply("close", "a"),
        TokenText("é \u2028 <|message|>"),
        Progress("encode", 0, 2),
        Progress("prefill", 512, 1024),
        Failed("no", "capacity_exhausted", "a"),
        Failed("no"),
        DONE,
    ],
)
def test_replies_survive_the_wire(reply: Reply) -> None:
    """What is written is what is read, in one line of ASCII."""
    line = dump_reply(reply)

    assert parse_reply(line) == reply
    assert line.isascii()
    assert line.index(b"\n") == len(line) - 1


def test_an_upstream_done_line_is_read() -> None:
    """Fields that only our worker writes are absent there, and None here."""
    done = parse_reply(UPSTREAM_DONE)

    assert isinstance(done, Done)
    assert done.generated_token_ids == (311, 19813, 200023, 60704, 13)
    assert (done.cancelled, done.ttft_ms, done.resident_tokens) == (False, None, None)
    assert done.extra == {}


def test_an_upstream_ready_line_is_read() -> None:
    """A worker that is not ours says nothing of itself and knows no cancel line."""
    line = b'{"ready":true,"max_sessions":4,"max_named_sessions":3,"supports_image":false}'

    assert parse_reply(line) == Ready(max_sessions=4, max_named_sessions=3)


def test_ids_that_do_not_stand_for_the_text_are_left_out() -> None:
    """As upstream does after a stop string: the field is absent, not null."""
    line = dump_reply(
        Done(
            prompt_tokens=0,
            completion_tokens=0,
            finish_reason="stop",
            reused_prompt_tokens=0,
            prefilled_prompt_tokens=0,
            session_reset_reason=None,
            prefill_ms=0.0,
            decode_ms=0.0,
            total_ms=0.0,
            prefill_tok_s=0.0,
            decode_tok_s=0.0,
            cancelled=True,
        )
    )

    assert "generated_token_ids" not in json.loads(line)
    assert "vision_encoder_ms" not in json.loads(line)
    assert json.loads(line)["cancelled"] is True


def test_a_done_line_without_a_draft_says_only_that() -> None:
    """There is nothing to count, and zeros would look like counts."""
    line = dump_reply(replace(DONE, draft_counts=UNAVAILABLE))

    fields = json.loads(line)
    assert fields["dflash"] == "unavailable"
    assert not fields.keys() & {"cycles", "draft_attempts_by_row", "draft_execute_ms"}
    assert parse_reply(line) == replace(DONE, draft_counts=UNAVAILABLE)


def test_a_worker_that_knows_nothing_of_drafts_has_no_counts() -> None:
    """Upstream's own done line."""
    done = parse_reply(UPSTREAM_DONE)

    assert isinstance(done, Done)
    assert done.draft_counts is None


def test_progress_is_mentioned_only_where_it_is_asked_for() -> None:
    """A worker that is not ours is sent nothing that it does not know."""
    quiet, curious = (
        GenerateRequest((TextSegment("Hi"),)),
        GenerateRequest((TextSegment("Hi"),), progress=True),
    )

    assert b"progress" not in dump_request(quiet)
    assert b'"progress":true' in dump_request(curious)


def test_drafting_is_mentioned_only_where_it_is_switched_off() -> None:
    """So that a request is upstream's as long as nothing of ours is asked."""
    request = GenerateRequest((TextSegment("Hi"),))

    lines = [json.loads(dump_request(replace(request, dflash=flag))) for flag in (True, False)]

    assert [line.get("dflash") for line in lines] == [None, False]


def test_extra_done_fields_must_not_shadow_the_protocol() -> None:
    """An engine's statistics cannot rewrite a count."""
    shadowing = Done(
        **{
            **{name: getattr(DONE, name) for name in DONE.__dataclass_fields__},
            "extra": {"prompt_tokens": 1},
        }
    )

    with pytest.raises(MessageError, match="prompt_tokens"):
        dump_reply(shadowing)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\xff", "not UTF-8"),
        (b"{}", "not a reply"),
        (b'{"done":false}', "not a reply"),
        (b'{"ready":1,"max_sessions":2}', "'ready' must be true or false"),
        (b'{"ready":true,"max_sessions":0,"max_named_sessions":0}', "'max_sessions' is 0"),
        (b'{"token":null}', "not a reply"),
        (b'{"progress":"thinking","done":1,"total":2}', "'progress' is 'thinking'"),
        (b'{"progress":"prefill","done":-1,"total":2}', "'done' is -1"),
        (b'{"progress":"prefill","done":1}', "'total' is missing"),
        (UPSTREAM_DONE.replace(b'"finish_reason":"stop",', b""), "'finish_reason' is missing"),
        (UPSTREAM_DONE.replace(b'"done":true', b'"done":true,"dflash":"maybe"'), "'dflash' is"),
        (
            UPSTREAM_DONE.replace(b'"done":true', b'"done":true,"dflash":"on"'),
            "'cycles' is missing",
        ),
        (
            UPSTREAM_DONE.replace(
                b'"done":true',
                b'"done":true,"dflash":"on","cycles":1,"speculative_cycles":1,'
                b'"target_only_cycles":0,"draft_attempts_by_row":[1],"draft_accepts_by_row":[]',
            ),
            "differ in length",
        ),
        (
            UPSTREAM_DONE.replace(
                b'"done":true',
                b'"done":true,"dflash":"on","cycles":1,"speculative_cycles":1,'
                b'"target_only_cycles":0,"draft_attempts_by_row":[-1]',
            ),
            "'draft_attempts_by_row' must be a list of counts",
        ),
        (UPSTREAM_DONE.replace(b'"stop"', b'"eos"'), "'finish_reason' is 'eos'"),
        (UPSTREAM_DONE.replace(b"exact_prefix", b"lucky"), "'session_reset_reason' is 'lucky'"),
        (UPSTREAM_DONE.replace(b"41.2", b'"fast"'), "'prefill_ms' must be a number"),
    ],
)
def test_a_wrong_reply_is_told(line: bytes, reason: str) -> None:
    """The client learns which field of which line broke the protocol."""
    with pytest.raises(MessageError, match="line 3: ") as caught:
        parse_reply(line, 3)

    assert reason in caught.value.reason


def test_the_vocabulary_needs_no_library() -> None:
    """The HTTP process imports it, so it must not bring torch, numpy or a tokenizer along."""
    libraries = "{'torch', 'numpy', 'tokenizers'}"
    code = f"import sys, playground.worker.messages; print({libraries} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"
