"""Acts show pictures: what is sent, what stays, what is taken away, and what is found out."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import ScenarioError
from harness.pictures import Picture, content_of, load_pictures, pictures_of, shown_in, words_of
from harness.rehearsal import Answer
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from harness.acts.judge import ActsResult
    from harness.rehearsal import RehearsalChat

    Play = Callable[..., ActsResult]
    Make = Callable[..., RehearsalChat]

CELL = """\
[pictures]
left = { url = "left" }
right = { url = "right" }
[[cell]]
name = "looks"
opens = false
act = [
    { do = "ask", shows = ["left"], says = "Which?", expect = { reset = "new", encodes = true, contains = ["left"] } },
    { do = "ask", says = "And which?", expect = { reset = "exact_prefix", encodes = false, contains = ["left"] } },
    { do = "ask", shows = ["right"], says = "Now?", expect = { reset = "exact_prefix", encodes = true, contains = ["right"] } },
    { do = "edit", message = 1, says = "What?", cut = true },
    { do = "again", expect = { reset = "mismatch", encodes = true, contains = ["left"], excludes = ["right"] } },
    { do = "edit", message = 1, says = "What?", shows = ["right"], cut = true },
    { do = "again", expect = { reset = "mismatch", encodes = true, contains = ["right"], excludes = ["left"] } },
    { do = "edit", message = 1, says = "What?", shows = [], cut = true },
    { do = "again", expect = { reset = "mismatch", encodes = false, contains = ["nothing"] } },
]
"""  # noqa: E501


def looking(messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Says the address of the last picture, or that there is nothing."""
    seen = [p["image_url"]["url"] for m in messages for p in pictures_of(m["content"])]
    return Answer(f"I see {seen[-1] if seen else 'nothing'}.")


def failed(result: ActsResult) -> list[tuple[str, int]]:
    """What failed, and at which request."""
    return [
        (j.verdict.check, j.label.turn)
        for j in result.judged
        if j.label and j.verdict.outcome is Outcome.FAIL
    ]


def test_a_picture_stays_until_it_is_exchanged_or_taken_away(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """Editing the text beside it leaves it where it is."""
    result = play(CELL, tmp_path, target(looking))

    assert failed(result) == []
    assert {"vision.encoded", "vision.counted"} <= {j.verdict.check for j in result.judged}
    assert (result.outcome, len(result.turns)) == (Outcome.PASS, 6)


def test_one_who_does_not_look_is_found_out(play: Play, target: Make, tmp_path: Path) -> None:
    """The opposite picture has the same question and another answer."""
    result = play(CELL, tmp_path, target(lambda _messages: Answer("I see left.")))

    assert failed(result) == [
        ("answer.expected", 3),
        ("answer.expected", 5),
        ("answer.expected", 6),
    ]


def test_one_who_encodes_again_or_not_at_all_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """As is one to whom the picture never came."""

    def always(messages: Sequence[Mapping[str, Any]]) -> Answer:
        return replace(looking(messages), metrics={"vision_encoder_ms": 2.0, "image_tokens": 0})

    result = play(CELL, tmp_path, target(always))

    assert failed(result) == [
        ("vision.counted", 1),
        ("vision.encoded", 2),
        ("vision.counted", 2),
        ("vision.counted", 3),
        ("vision.counted", 4),
        ("vision.counted", 5),
        ("vision.encoded", 6),
    ]


def test_a_bad_picture_that_is_let_in_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """It was to be refused with a status and a code."""
    cell = """\
[pictures]
bad = { url = "file:///x" }
[[cell]]
name = "bad"
act = [{ do = "ask", shows = ["bad"], says = "Which?", expect = { status = 400, code = "invalid_image" } }]
"""  # noqa: E501

    result = play(cell, tmp_path, target())

    assert failed(result) == [("request.status", 2)]


def test_a_file_is_sent_as_what_it_is_called(tmp_path: Path) -> None:
    """Or as what the scenario says it is; an address goes as it stands."""
    (tmp_path / "cat.png").write_bytes(b"cat")
    pictures = {
        "plain": Picture(file="cat.png"),
        "low": Picture(file="cat.png", type="image/gif", detail="low"),
        "away": Picture(url="http://x/cat"),
    }

    parts = load_pictures(pictures, tmp_path / "some.toml")

    data = base64.b64encode(b"cat").decode()
    assert [part["image_url"] for part in parts.values()] == [
        {"url": f"data:image/png;base64,{data}"},
        {"url": f"data:image/gif;base64,{data}", "detail": "low"},
        {"url": "http://x/cat"},
    ]


def test_a_file_that_is_not_there_is_told_by_its_key(tmp_path: Path) -> None:
    """Before anything is started."""
    with pytest.raises(ScenarioError, match=r"pictures\.cat\.file: cat\.png cannot be read"):
        load_pictures({"cat": Picture(file="cat.png")}, tmp_path / "some.toml")


def test_a_message_with_pictures_is_parts_and_one_without_is_text() -> None:
    """Pictures stand first; as words each is named."""
    part = {"type": "image_url", "image_url": {"url": "x"}}

    shown, plain = content_of("What?", [part]), content_of("What?", [])

    assert plain == "What?"
    assert (words_of(shown), words_of(plain)) == ("[picture] What?", "What?")
    assert shown_in([{"content": shown}, {"content": plain}, {"content": None}]) == 1
