"""When is something that the model wrote right?"""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the embedded extra")
pytest.importorskip("transformers", reason="needs the recipe extra")

from bootstrap.nano.conversation import Conversation
from bootstrap.nano.generating import Written, is_right, written
from bootstrap.nano.rendering import Span, call_text
from bootstrap.nano.replies import Call, Exchange, Reply, ToolStep

pytestmark = pytest.mark.embedded
NOTHING = ("", "", "", "")
CALLS = (Call("weather", {"place": "Bergen"}), Call("clock", {"zone": 2}))


def asked(value: str, pattern: str = "", steps: tuple[ToolStep, ...] = ()) -> Conversation:
    """A conversation of one turn with this reply."""
    exchange = Exchange("?", Reply("s", NOTHING, "", value, pattern), steps=steps)
    return Conversation("chat", None, None, "high", (exchange,), (True,))


def said(answer: str) -> Written:
    """An answer to the user."""
    return Written("", (("user", answer),))


def test_an_output_falls_into_a_thought_and_its_messages() -> None:
    """Control tokens by name; recipients without the `to=`."""
    text = (
        " to=self<|message|>Hm.<|eom|><|start|>assistant"
        " to=a<|message|>x < y<|eom|><|start|>assistant to=b<|message|>z<|eot|>"
    )

    assert written(text) == Written("Hm.", (("a", "x < y"), ("b", "z")))


@pytest.mark.parametrize(
    ("answer", "right"),
    [("It is in the  CELLAR.", True), ("It is in the attic.", False)],
)
def test_an_answer_holds_the_value(answer: str, right: bool) -> None:  # noqa: FBT001
    """Case and spaces are not looked at."""
    assert is_right(said(answer), asked("the cellar"), Span(0, 0, 0)) == right


def test_where_one_value_will_not_do_the_pattern_decides() -> None:
    """It is searched for in the answer."""
    conversation = asked("", r"^\w+ \w+\.$")

    assert is_right(said("Two words."), conversation, Span(0, 0, 0))
    assert not is_right(said("Three short words."), conversation, Span(0, 0, 0))


def test_a_step_is_right_with_exactly_its_calls() -> None:
    """In order, arguments included; an answer in their place is wrong."""
    conversation = asked("x", steps=(ToolStep(NOTHING, CALLS, ("1", "2")),))
    messages = tuple((call.name, call_text(call)) for call in CALLS)

    assert is_right(Written("", messages), conversation, Span(0, 0, 0, step=0))
    assert not is_right(Written("", messages[:1]), conversation, Span(0, 0, 0, step=0))
    assert not is_right(said("x"), conversation, Span(0, 0, 0, step=0))
    assert is_right(said("x"), conversation, Span(0, 0, 0, step=1))


def test_what_is_malformed_or_goes_elsewhere_is_wrong() -> None:
    """A call is no answer."""
    assert not is_right(None, asked("x"), Span(0, 0, 0))
    assert not is_right(Written("", (("weather", "x"),)), asked("x"), Span(0, 0, 0))
