"""Is the caller shown what is theirs to see, and no more than a stop string allows?"""

from __future__ import annotations

from playground.answer import Answer
from playground.events import Call, Content, Reasoning
from playground.testing import every_split

TURN = " to=self<|message|>Hm, END<|eom|><|start|>assistant to=user<|message|>One, two END three"


def heard(pieces: tuple[str, ...], stops: tuple[str, ...] = ()) -> tuple[Answer, str, str]:
    """The answer to these pieces; what was shown of reasoning and of content."""
    answer = Answer(stops)
    shown = [event for piece in pieces for event in answer.feed(piece)] + answer.flush()
    reasoning = "".join(event.text for event in shown if isinstance(event, Reasoning))
    content = "".join(event.text for event in shown if isinstance(event, Content))
    return answer, reasoning, content


def test_a_stop_string_ends_the_content_however_the_text_is_cut() -> None:
    """Nothing of it is shown and nothing behind it; in reasoning it means nothing."""
    seen = set()
    for pieces in every_split(TURN):
        answer, reasoning, content = heard(pieces, ("END",))
        seen.add((reasoning, content, answer.stopped))

    assert seen == {("Hm, END", "One, two ", True)}


def test_what_is_shown_is_what_is_kept() -> None:
    """The transcript takes its fingerprint from what the caller was given."""
    answer, reasoning, content = heard((TURN,), ("END",))

    assert (answer.reasoning, answer.content) == (reasoning, content)


def test_without_stop_strings_everything_is_shown() -> None:
    """The whole answer, and it was not stopped."""
    answer, _, content = heard((TURN,))

    assert (content, answer.stopped) == ("One, two END three", False)


def test_what_only_began_like_a_stop_string_is_shown_at_the_end() -> None:
    """It was held back for a reason that did not come true."""
    answer, _, content = heard((" to=user<|message|>The EN",), ("END",))

    assert (content, answer.content) == ("The EN", "The EN")


CALL = (
    '<atem:function_calls>\n<atem:invoke name="f">\n<atem:parameter name="a">END</atem:parameter>\n'
    "</atem:invoke>\n</atem:function_calls>"
)
TO_F = f" to=f<|message|>{CALL}"


def test_a_stop_string_in_a_call_means_nothing() -> None:
    """It ends what the caller sees as content; an argument is none."""
    answer = Answer(("END",), tools={"f": {}})
    shown = answer.feed(TO_F) + answer.flush()

    assert shown == list(answer.calls) == [Call(0, "f", {"a": "END"})]
    assert not answer.stopped


def test_nothing_is_called_behind_a_stop_string() -> None:
    """Whoever ended the answer there does not want what comes after it."""
    answer = Answer(("END",), tools={"f": {}})
    answer.feed(f" to=user<|message|>The END<|eom|><|start|>assistant{TO_F}")
    answer.flush()

    assert (answer.content, answer.calls) == ("The ", ())
