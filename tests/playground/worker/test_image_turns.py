"""What does a turn with pictures cost, and what does the next one find?

The scripted encoder gives every row the digest of its picture, and a reply can tell which digests
the cache holds. A picture of 56 x 28 pixels is two cells; encoding takes 7 ms, a row 1 ms.
"""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from playground.worker.engine import SOFT
from playground.worker.messages import (
    Cancel,
    Done,
    Failed,
    GenerateRequest,
    IdsSegment,
    ImageSegment,
    Progress,
    SessionOp,
    TextSegment,
)
from playground.worker.scripted import ScriptedReply

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.worker.messages import Segment

BOS = 256
REPLIES = (ScriptedReply("I see {picture}."),)


def picture(colour: str, width: int = 56, height: int = 28) -> ImageSegment:
    """A picture of one colour."""
    buffer = BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "PNG")
    return ImageSegment("image/png", base64.b64encode(buffer.getvalue()).decode())


RED, BLUE = picture("red"), picture("blue")


def said(text: str) -> IdsSegment:
    """A text, as the tokens that a turn generated."""
    return IdsSegment(tuple(text.encode()))


@pytest.fixture
def show(converse: Callable[..., Any]) -> Callable[..., Any]:
    """Return `converse` with an encoder."""

    def run(*sent: object, **options: object) -> Any:  # noqa: ANN401
        options = {"max_image_cells": 64, "encode_ms": 7.0, "replies": REPLIES, **options}
        return converse(*sent, **options)

    return run


def turn(*segments: Segment, session_id: str = "a", request_id: int = 1) -> GenerateRequest:
    """A request of these segments in a named session."""
    return GenerateRequest(segments, session_id=session_id, cancel_request_id=request_id)


def test_who_asks_is_told_which_picture_is_encoded(show: Callable[..., Any]) -> None:
    """One line before each, then the prefill's."""
    talk = show(GenerateRequest((RED, BLUE, TextSegment("?")), session_id="a", progress=True))

    assert [reply for reply in talk.replies if isinstance(reply, Progress)] == [
        Progress("encode", 0, 2),
        Progress("encode", 1, 2),
        Progress("prefill", 0, 6),
        Progress("prefill", 6, 6),
    ]


def dones(talk: Any) -> list[Done]:  # noqa: ANN401
    """The done lines, in order."""
    return [reply for reply in talk.replies if isinstance(reply, Done)]


def seen(colour: str, show: Callable[..., Any]) -> str:
    """What is said of a picture."""
    return str(show(turn(picture(colour))).text)


def test_a_picture_is_as_many_rows_as_cells(show: Callable[..., Any]) -> None:
    """They stand where the segment stood, and are counted as tokens."""
    talk = show(turn(TextSegment("Look: "), RED, TextSegment("?")))

    assert [call for call in talk.calls if call[0] == "encode"] == [("encode", 2)]
    assert ("prefill", [BOS, *b"Look: ", SOFT, SOFT, *b"?"]) in talk.calls
    assert dones(talk)[0].prompt_tokens == 10


def test_encoding_has_a_time_of_its_own(show: Callable[..., Any]) -> None:
    """It is in no other time but the one to the first text."""
    done = dones(show(turn(RED)))[0]

    assert (done.vision_encoder_ms, done.prefill_ms, done.ttft_ms) == (7.0, 3.0, 12.0)
    assert done.total_ms == done.prefill_ms + done.decode_ms


def test_a_turn_without_pictures_has_no_encoder_time(show: Callable[..., Any]) -> None:
    """None, as opposed to an encoding that took no time."""
    assert dones(show(turn(TextSegment("Hi"))))[0].vision_encoder_ms is None


def test_the_model_sees_the_picture_it_was_shown(show: Callable[..., Any]) -> None:
    """The rows that the encoder made are the ones in the cache."""
    assert seen("red", show) != seen("blue", show)
    assert seen("red", show) == seen("red", show)


@pytest.mark.parametrize("chunk", [1, 2, 3, 64])
def test_a_picture_is_spliced_chunk_by_chunk(show: Callable[..., Any], chunk: int) -> None:
    """Wherever a chunk ends, each row gets what is its own."""
    segments = (TextSegment("x"), RED, BLUE, TextSegment("y"), picture("green", 84, 28))

    whole = show(turn(*segments)).text
    cut = show(turn(*segments), max_prefill_chunk=chunk).text

    assert whole == cut
    assert len(whole.split()) == 5


def test_an_appended_text_turn_encodes_nothing(show: Callable[..., Any]) -> None:
    """The picture's rows are resident, under the name of its file."""
    answer = seen("red", show)

    talk = show(turn(RED), turn(RED, said(answer), TextSegment("And?")))
    second = dones(talk)[1]

    assert second.session_reset_reason == "exact_prefix"
    assert (second.reused_prompt_tokens, second.prefilled_prompt_tokens) == (3 + len(answer), 4)
    assert second.vision_encoder_ms is None
    assert [call for call in talk.calls if call[0] == "encode"] == [("encode", 2)]
    assert answer * 2 == talk.text


def test_a_second_picture_is_encoded_alone(show: Callable[..., Any]) -> None:
    """The first one stays where it is."""
    answer = seen("red", show)

    talk = show(turn(RED), turn(RED, said(answer), BLUE))

    assert [call for call in talk.calls if call[0] == "encode"] == [("encode", 2), ("encode", 2)]
    assert dones(talk)[1].prefilled_prompt_tokens == 2
    assert dones(talk)[1].vision_encoder_ms == 7.0


def test_another_picture_never_matches(show: Callable[..., Any]) -> None:
    """However alike the two prompts are otherwise."""
    answer = seen("red", show)

    talk = show(turn(RED), turn(BLUE, said(answer), TextSegment("And?")))

    assert dones(talk)[1].session_reset_reason == "mismatch"
    assert dones(talk)[1].reused_prompt_tokens == 0
    assert talk.text == answer + seen("blue", show)


def test_the_same_picture_elsewhere_does_not_match(show: Callable[..., Any]) -> None:
    """What came before it has changed."""
    answer = seen("red", show)

    talk = show(turn(TextSegment("x"), RED), turn(RED, said(answer), TextSegment("And?")))

    assert dones(talk)[1].session_reset_reason == "mismatch"


def test_the_same_pixels_in_another_file_do_not_match(show: Callable[..., Any]) -> None:
    """A name is the file's; to find more would mean to decode it."""
    buffer = BytesIO()
    Image.new("RGB", (56, 28), "red").save(buffer, "PNG", compress_level=0)
    again = ImageSegment("image/png", base64.b64encode(buffer.getvalue()).decode())
    answer = seen("red", show)

    talk = show(turn(RED), turn(again, said(answer), TextSegment("And?")))

    assert dones(talk)[1].session_reset_reason == "mismatch"
    assert talk.text == answer * 2


def test_a_picture_shown_twice_is_encoded_once(show: Callable[..., Any]) -> None:
    """Within one request."""
    talk = show(turn(RED, TextSegment(" and "), RED))

    assert [call for call in talk.calls if call[0] == "encode"] == [("encode", 2)]
    assert dones(talk)[0].prompt_tokens == 10


def test_a_large_picture_is_shrunk_to_the_models_cells(show: Callable[..., Any]) -> None:
    """As many rows as the model takes, in the picture's shape."""
    done = dones(show(turn(picture("red", 1000, 1000)), max_image_cells=16))[0]

    assert done.prompt_tokens == 17


def test_a_cancel_before_encoding_leaves_the_session_as_it_was(show: Callable[..., Any]) -> None:
    """The second of two pictures is not begun, and the cache was not touched."""
    answer = seen("red", show)
    moments = {("encode", 2): lambda parent: parent.send(Cancel(2))}

    talk = show(
        turn(RED),
        turn(RED, said(answer), BLUE, picture("green"), request_id=2),
        turn(RED, said(answer), TextSegment("And?"), request_id=3),
        moments=moments,
    )
    _, cancelled, last = dones(talk)

    assert [call for call in talk.calls if call[0] == "encode"] == [("encode", 2), ("encode", 2)]
    assert (cancelled.cancelled, cancelled.prefilled_prompt_tokens) == (True, 0)
    assert (cancelled.vision_encoder_ms, cancelled.resident_tokens) == (7.0, None)
    assert last.session_reset_reason == "exact_prefix"


def test_a_cancel_during_the_only_encoding_prefills_nothing(show: Callable[..., Any]) -> None:
    """The encoder cannot be interrupted; what follows it can."""
    talk = show(turn(RED), moments={("encode", 1): lambda parent: parent.send(Cancel(1))})

    assert talk.prefills() == []
    assert dones(talk)[0].cancelled


def test_a_reset_forgets_pictures(show: Callable[..., Any]) -> None:
    """They are encoded again."""
    answer = seen("red", show)

    talk = show(turn(RED), SessionOp("reset", "a"), turn(RED, said(answer), TextSegment("And?")))

    assert dones(talk)[1].session_reset_reason == "new"
    assert dones(talk)[1].vision_encoder_ms == 7.0


def spoiled(segment: ImageSegment) -> ImageSegment:
    """A picture whose header is right and whose pixels are cut off."""
    data = base64.b64decode(segment.data)
    return ImageSegment("image/png", base64.b64encode(data[:50]).decode())


@pytest.mark.parametrize(
    ("segments", "words"),
    [
        ((ImageSegment("image/png", "AAAA"),), "image 1 is neither a JPEG nor a PNG"),
        ((RED, ImageSegment("image/png", "A")), "image 2 is not base64"),
        ((ImageSegment("image/jpeg", RED.data),), "image 1 is declared as image/jpeg"),
        ((RED,) * 9, "a request may hold 8 images"),
        ((spoiled(RED),), "an image cannot be decoded"),
        ((picture("red", 4000, 4000),) * 2, "the prompt has 129 tokens, which leaves no room"),
    ],
)
def test_pictures_that_will_not_do_are_refused(
    show: Callable[..., Any], segments: tuple[Segment, ...], words: str
) -> None:
    """The reply says which, and the session is as it was."""
    answer = seen("red", show)

    talk = show(
        turn(RED),
        turn(*segments),
        turn(RED, said(answer), TextSegment("And?")),
        context_length=100,
    )

    failed = talk.replies[-1 - len(answer) - 1]
    assert isinstance(failed, Failed)
    assert words in failed.message
    assert dones(talk)[1].session_reset_reason == "exact_prefix"


def test_a_file_may_not_be_larger_than_the_worker_was_told(show: Callable[..., Any]) -> None:
    """Counted decoded."""
    size = len(base64.b64decode(RED.data))

    assert isinstance(show(turn(RED), max_image_bytes=size).last, Done)
    failed = show(turn(RED), max_image_bytes=size - 1).last
    assert isinstance(failed, Failed)
    assert f"image 1 has {size} bytes" in failed.message


def test_a_model_without_an_encoder_refuses_pictures(converse: Callable[..., Any]) -> None:
    """The ready line said so."""
    talk = converse(turn(RED))

    assert talk.last == Failed(
        "images are not supported: the model has no vision encoder", session_id="a"
    )
    assert not talk.ready.supports_image


def test_the_ready_line_tells_what_pictures_may_be(show: Callable[..., Any]) -> None:
    """How many, how large, and how many rows of each."""
    ready = show(turn(RED)).ready

    assert (ready.supports_image, ready.max_images) == (True, 8)
    assert (ready.worker.max_image_cells, ready.worker.max_image_bytes) == (64, 20 * 2**20)
