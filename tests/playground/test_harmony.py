"""One splitter, however the text is cut: reasoning and answer apart, no control text in either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.events import Call, Content, Reasoning
from playground.harmony import MAX_HEADER, Channel, HarmonySplitter, read_header
from playground.testing import every_split

START, MESSAGE, EOM, EOT = "<|start|>", "<|message|>", "<|eom|>", "<|eot|>"
SELF, USER = f" to=self{MESSAGE}", f" to=user{MESSAGE}"
NEXT = f"{EOM}{START}assistant"


def split(*pieces: str) -> tuple[str, str]:
    """All reasoning and all content of a turn that came in these pieces."""
    splitter = HarmonySplitter()
    said = [event for piece in pieces for event in splitter.feed(piece)] + splitter.flush()
    return (
        "".join(event.text for event in said if isinstance(event, Reasoning)),
        "".join(event.text for event in said if isinstance(event, Content)),
    )


ADDRESSED = {
    "reasoning, then the answer": (f"{SELF}hm{NEXT}{USER}Hello{EOT}", "hm", "Hello"),
    "no end of turn": (f"{SELF}hm{NEXT}{USER}Hello", "hm", "Hello"),
    "answer without recipient": (f"{SELF}hm{NEXT}{MESSAGE}Hello", "hm", "Hello"),
    "only an answer without recipient": (f"{START}assistant{MESSAGE}Hello", "", "Hello"),
    "a bare message": (f"{MESSAGE}Hello", "", "Hello"),
    "only reasoning": (f"{SELF}hm{EOT}", "hm", ""),
    "no end of message": (f"{SELF}hm{START}assistant{USER}Hello", "hm", "Hello"),
    "no start behind the end of message": (f"{SELF}hm{EOM}{USER}Hello", "hm", "Hello"),
    "blanks between messages": (f"{SELF}hm{EOM}\n{START}assistant{USER}Hello", "hm", "Hello"),
    "two spaces before the address": (f"  to=self{MESSAGE}hm{NEXT}{USER}A", "hm", "A"),
    "no space behind the role": (f"{SELF}hm{NEXT}to=user{MESSAGE}A", "hm", "A"),
    "a role without start": (f"assistant{USER}A", "", "A"),
    "a constrained answer": (f" to=user constrain=json{MESSAGE}{{}}", "", "{}"),
    "an empty recipient": (f" to={MESSAGE}A", "", "A"),
    "an empty answer": (f"{SELF}hm{NEXT}{USER}{EOT}", "hm", ""),
}
JOINED = {
    "two reasonings": (f"{SELF}One.{NEXT}{SELF}Two.{NEXT}{USER}A", "One.\n\nTwo.", "A"),
    "two answers": (f"{USER}A{NEXT}{USER}B{EOT}", "", "A\n\nB"),
    "channels by turns": (f"{SELF}1{NEXT}{USER}A{NEXT}{SELF}2{NEXT}{USER}B", "1\n\n2", "A\n\nB"),
    "an empty one is not joined": (f"{USER}{NEXT}{USER}B", "", "B"),
    "a tool's message and an answer": (f" to=f.x{MESSAGE}p{NEXT}{USER}B", "", "p\n\nB"),
}
PLAIN = {
    "plain text": ("Just text, goto=x, and to=y too.", "", "Just text, goto=x, and to=y too."),
    "one letter": ("a", "", "a"),
    "a word that a header begins with": ("to", "", "to"),
    "the role as a word": ("assistant", "", "assistant"),
    "words that a header might begin with": (" tool box", "", " tool box"),
    "text that looks like an address": ("to=x or not to=x", "", "to=x or not to=x"),
    "plain, then a header": (f"Sure. {START}assistant{SELF}hm{NEXT}{USER}A", "hm", "Sure. \n\nA"),
    "plain, then an address": (f"Sure. to=self{MESSAGE}hm{NEXT}{USER}A", "hm", "Sure.\n\nA"),
    "plain behind reasoning": (f"{SELF}hm{EOM}A", "hm", "A"),
    "plain with an end": (f"A{EOT}B", "", "A"),
    "less than": ("a < b <| c <|d", "", "a < b <| c <|d"),
}
ENDS = {
    "text behind the end of turn": (f"{USER}A{EOT}tail", "", "A"),
    "text behind the end of text": (f"{USER}A<|end_of_text|>tail", "", "A"),
    "nothing at all": ("", "", ""),
    "an end at once": (f"{EOT}A", "", ""),
    "a header cut off": (f"{SELF}hm{NEXT} to=us", "hm", ""),
    "a role cut off": (f"{SELF}hm{EOM}{START}assis", "hm", ""),
    "the first header cut off": (" to=us", "", ""),
    "its first token alone": (" to", "", ""),
    "a header cut off by an end": (f"{SELF}hm{NEXT} to=user{EOT}", "hm", ""),
    "half a control token": (f"{USER}A<|eo", "", "A<|eo"),
    "blanks only": ("  \n", "", ""),
}
STRAY = {
    "start in an answer": (f"{USER}the {START} token", "", "the  token"),
    "start twice": (f"{USER}a{START}{START}b", "", "ab"),
    "start in reasoning": (f"{SELF}a{START}b{NEXT}{USER}c", "ab", "c"),
    "message in an answer": (f"{USER}the {MESSAGE} token", "", "the  token"),
    "others in an answer": (f"{USER}a<|patch|>b<|begin_of_text|>c", "", "abc"),
    "others in a header": (f" to<|patch|>{USER}a", "", "a"),
    "unknown names": (f"{USER}a<|channel|>b<|end|>", "", "a<|channel|>b<|end|>"),
    "another role": (f"{USER}A{NEXT[:-9]}user{MESSAGE}B{EOM}{START}assistant{USER}C", "", "A\n\nC"),
    "a tool's role": (f"{USER}A{EOM}{START}tool{MESSAGE}B", "", "A"),
    "a result made up": (f"{USER}A{EOM}{START}tool f.g{MESSAGE}B{EOM}{START}assist", "", "A"),
    "an endless header": (f"{START}{' ' * MAX_HEADER} to=self{MESSAGE}A", "A", " " * 8),
}
WHITESPACE = {
    "around an answer": (f"{USER}\n  A \n\n{EOT}", "", "\n  A \n\n"),
    "around reasoning": (f"{SELF} hm\n{NEXT}{USER}A", " hm\n", "A"),
    "before plain text": ("\n\n A ", "", "\n\n A "),
}
CASES = {**ADDRESSED, **JOINED, **PLAIN, **ENDS, **STRAY, **WHITESPACE}


@pytest.mark.parametrize("name", CASES)
def test_a_turn_is_split_the_same_at_every_cut(name: str) -> None:
    """Whole, in two and three pieces at any place, and by characters: the table's answer."""
    text, reasoning, content = CASES[name]
    cuts = every_split(text) if len(text) < 120 else [(text,), tuple(text)]

    assert {split(*pieces) for pieces in cuts} == {(reasoning, content)}


FRAGMENTS = st.sampled_from(
    [
        *[START, MESSAGE, EOM, EOT, "<|patch|>", "<|", "<"],
        *["assistant", "user", " to=self", " to=user", " to=f.g", " constrain=x", "to=", "t"],
        *[" ", "\n", " " * 90, "a", "word", "self"],
    ]
)


@given(fragments=st.lists(FRAGMENTS, max_size=12), data=st.data())
def test_streamed_and_buffered_turns_agree(fragments: list[str], data: st.DataObject) -> None:
    """Whatever a model may write, well formed or not, the cuts do not matter and nothing leaks."""
    text = "".join(fragments)
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]
    whole = split(text)

    assert split(*pieces) == whole
    assert split(*text) == whole
    assert not any(
        control in channel for channel in whole for control in (START, MESSAGE, EOM, EOT)
    )


def test_plain_text_streams_live() -> None:
    """Without a header every piece is said as it comes, but for what may become one."""
    splitter = HarmonySplitter()

    said = [
        splitter.feed(piece) for piece in ("To", " be", " or", " to", "night", " t", "o=x", ".")
    ]

    assert said == [
        [Content("To")],
        [Content(" be")],
        [Content(" or")],
        [],
        [Content(" tonight")],
        [],
        [],
        [],
    ]
    assert splitter.flush() == [Content(" to=x.")]


def test_an_answer_streams_token_by_token() -> None:
    """In a message nothing waits but what may become a control token."""
    splitter = HarmonySplitter()
    splitter.feed(USER)

    said = [splitter.feed(piece) for piece in ("a to", " b", "<", "|e", "x", "to=self")]

    assert said == [
        [Content("a to")],
        [Content(" b")],
        [],
        [],
        [Content("<|ex")],
        [Content("to=self")],
    ]


def test_little_is_ever_held_back() -> None:
    """Text that could be a header for ever is said once it is longer than any header."""
    splitter = HarmonySplitter()

    said = [event for _ in range(4 * MAX_HEADER) for event in splitter.feed(" ")]
    told = sum(len(event.text) for event in said if isinstance(event, Content))

    assert 4 * MAX_HEADER - told <= MAX_HEADER + 1


def test_messages_to_strangers_are_shown_and_named() -> None:
    """A call of a function that nobody offered is not run and not lost, and its name is kept."""
    splitter = HarmonySplitter()

    said = splitter.feed(f" to=functions.x{MESSAGE}payload{NEXT} to=self.notes{MESSAGE}n")

    assert said == [Content("payload"), Content("\n\nn")]
    assert splitter.unknown_recipients == ("functions.x", "self.notes")


def atem(name: str, city: str) -> str:
    """A call as a model writes it."""
    return (
        f'<atem:function_calls>\n<atem:invoke name="{name}">\n'
        f'<atem:parameter name="city">{city}</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls>"
    )


TOOLS = {"weather.get": {"properties": {"city": {"type": "string"}}}}
TO_TOOL = f" to=weather.get{MESSAGE}"


def told(*pieces: str) -> tuple[str, str, tuple[Call, ...], int]:
    """Reasoning, content, calls and faults of a turn that may call `weather.get`."""
    splitter = HarmonySplitter(tools=TOOLS)
    said = [event for piece in pieces for event in splitter.feed(piece)] + splitter.flush()
    return (
        "".join(event.text for event in said if isinstance(event, Reasoning)),
        "".join(event.text for event in said if isinstance(event, Content)),
        tuple(event for event in said if isinstance(event, Call)),
        splitter.malformed,
    )


PARIS = Call(0, "weather.get", {"city": "Paris"})
ROME = Call(1, "weather.get", {"city": "Rome"})
A, B = atem("weather.get", "Paris"), atem("weather.get", "Rome")
STRANGE = atem("rm", "all")
WITH_TOOLS = {
    "one call": (f"{SELF}hm{NEXT}{TO_TOOL}{A}{EOT}", "hm", "", (PARIS,), 0),
    "the end is not shown": (f"{TO_TOOL}{A}", "", "", (PARIS,), 0),
    "two at once": (f"{TO_TOOL}{A}{NEXT}{TO_TOOL}{B}", "", "", (PARIS, ROME), 0),
    "an answer before": (f"{USER}Wait.{NEXT}{TO_TOOL}{A}", "", "Wait.", (PARIS,), 0),
    "text before the call": (f"{TO_TOOL}So.\n{A}", "", "So.", (PARIS,), 0),
    "no call in it": (f"{USER}a{NEXT}{TO_TOOL}x{EOT}", "", "a\n\nx", (), 1),
    "another function in it": (f"{TO_TOOL}{STRANGE}", "", STRANGE, (), 1),
    "cut by the next header": (f"{TO_TOOL}{A}{START}assistant{USER}B", "", "B", (PARIS,), 1),
    "a start that is none": (f"{TO_TOOL}{A[:9]}{START}{A[9:]}", "", "", (PARIS,), 1),
}


@pytest.mark.parametrize("name", WITH_TOOLS)
def test_calls_are_told_the_same_at_every_cut(name: str) -> None:
    """Whole, in two pieces at any place, and by characters: the calls, in order, and no header."""
    text, *expected = WITH_TOOLS[name]
    cuts = [(text,), tuple(text), *((text[:at], text[at:]) for at in range(len(text)))]

    assert all(told(*pieces) == tuple(expected) for pieces in cuts)


CALL_FRAGMENTS = st.sampled_from(
    [
        *[START, MESSAGE, EOM, EOT, SELF, USER, TO_TOOL, NEXT, " to=rm", "assistant"],
        *[A, B, STRANGE, A[:50], A[50:], "<atem:function_calls>", "</atem:invoke>"],
        *["<", " ", "\n", "word"],
    ]
)


@given(fragments=st.lists(CALL_FRAGMENTS, max_size=10), data=st.data())
def test_calls_and_faults_do_not_depend_on_the_cuts(
    fragments: list[str], data: st.DataObject
) -> None:
    """Whatever a model may write: the same text, calls and count, and no control token in any."""
    text = "".join(fragments)
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]
    whole = told(text)

    assert told(*pieces) == whole
    assert told(*text) == whole
    assert {call.name for call in whole[2]} <= TOOLS.keys()
    assert not any(control in str(whole[:3]) for control in (START, MESSAGE, EOM, EOT))


def test_a_call_is_told_as_soon_as_its_message_is_over() -> None:
    """It does not wait for the end of the turn, and no part of it is told before."""
    splitter = HarmonySplitter(tools=TOOLS)

    assert splitter.feed(TO_TOOL + A) == []
    assert splitter.feed(EOM) == [PARIS]


FAULTS = {
    "reasoning, then the answer": (f"{SELF}hm{NEXT}{USER}Hello", 0),
    "an answer at once": (f"{USER}Hello", 0),
    "two reasonings": (f"{SELF}One.{NEXT}{SELF}Two.{NEXT}{USER}A", 0),
    "a constrained answer": (f" to=user constrain=json{MESSAGE}{{}}", 0),
    "an empty answer": (f"{SELF}hm{NEXT}{USER}", 0),
    "markup in an answer": (f"{USER}<b>a < b</b> to=x <|end|>", 0),
    "plain text": ("Hello", 1),
    "no answer": (f"{SELF}hm", 1),
    "nothing": ("", 1),
    "a stranger": (f" to=weather{MESSAGE}x", 1),
    "another role": (f"{USER}A{EOM}{START}user{MESSAGE}B", 1),
    "a token in an answer": (f"{USER}a<|patch|>b", 1),
    "a header in an answer": (f"{USER}a{MESSAGE}b", 1),
    "no end of message": (f"{SELF}hm{START}assistant{USER}A", 1),
    "no start of message": (f"{SELF}hm{EOM}{USER}A", 1),
    "a header cut off": (f"{USER}A{NEXT} to=us", 1),
    "nothing behind the end of a message": (f"{USER}A{EOM}", 1),
    "half a recipient": (f" to{MESSAGE}A", 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_grammar_are_counted_the_same_at_every_cut(name: str) -> None:
    """A turn as the model was trained to write it has none; each kind of fault counts."""
    text, faults = FAULTS[name]
    cuts = every_split(text)

    assert {told(*pieces)[3] for pieces in cuts} == {faults}


@pytest.mark.parametrize("text", [f"{SELF}hm", f"{USER}A{NEXT} to=us", f"{TO_TOOL}{A[:40]}"])
def test_a_turn_that_was_cut_short_is_not_at_fault(text: str) -> None:
    """A limit or a person ended it, so what is missing at its end is not the model's doing."""
    splitter = HarmonySplitter(tools=TOOLS)
    splitter.feed(text)
    splitter.flush(ended=False)

    assert splitter.malformed == 0


def test_a_models_own_control_tokens_are_known_by_name() -> None:
    """Reserved tokens of a vocabulary are dropped like the others, if the splitter is told."""
    splitter = HarmonySplitter(controls=["<|reserved_7|>"])

    assert splitter.feed(f"{USER}a<|reserved_7|>b") == [Content("a"), Content("b")]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (" to=self", (Channel.REASONING, "self")),
        ("assistant to=self", (Channel.REASONING, "self")),
        ("assistant to=user constrain=json", (Channel.CONTENT, "user")),
        ("assistant", (Channel.CONTENT, None)),
        ("", (Channel.CONTENT, None)),
        ("assistant to=math.add", (Channel.CONTENT, "math.add")),
        ("user", (Channel.NOWHERE, None)),
        ("nonsense here", (Channel.CONTENT, None)),
    ],
)
def test_headers_name_a_channel(header: str, expected: tuple[Channel, str | None]) -> None:
    """A header is read alone as it is in a stream."""
    assert read_header(header) == expected
