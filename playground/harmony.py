r"""Which of the generated text is reasoning and which is the answer?

A model of the Muse family writes its turn as addressed messages. The prompt ends with the bare
`<|start|>assistant`, so the first header is written without it:

     to=self<|message|>They greet me.<|eom|><|start|>assistant to=user<|message|>Hello!<|eot|>

    turn    := [header] body (END header body)*
    header  := [<|start|>] [ROLE] [to=RECIPIENT] [constrain=NAME] <|message|>
    END     := <|eom|>, or nothing where the next header begins with <|start|>

`HarmonySplitter` takes the text in pieces of any size and gives each character once, as soon as it
can be told apart. Streams and buffered replies go through the same splitter, so they agree:

    what the model writes                  what becomes of it
    to=self                                reasoning
    to=user, or a header without to=       content
    to=a declared function                 its calls, once it is over (see `playground.atem`)
    to=something.else                    ! content, word for word, so that nothing is lost; nothing
                                           is run, and `unknown_recipients` has the name
    a header of another role             ! dropped: the model plays somebody else's part
    several messages to one channel        joined by a blank line
    text without a header, at the start  ! content, live; only what may become a header waits
    or behind <|eom|>
    a header right behind such text        ends it and begins a message
    a message that no <|eom|> ends,      ! the same as if it did
    or that no <|start|> begins
    <|start|> without a header behind it ! nothing; the message it stands in goes on
    other control tokens                 ! nothing
    all behind <|eot|> or <|end_of_text|>  dropped
    a header cut off by the end          ! dropped
    no message to user or a function     ! nothing
    blanks and line ends in a message      kept

What is marked `!` breaks the grammar that the model was trained on; `malformed` counts it. The last
two are counted only where the model ended the turn: one that was cut short could not do better.

A header has at most `MAX_HEADER` characters; what is longer is text, so little is ever held back.

What cannot be told: the worker shows a control token by its name. An answer that spells `<|eot|>`
in ordinary tokens looks the same here, and ends the turn.
"""

from __future__ import annotations

import functools
import re
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from playground.atem import read_calls
from playground.events import Call, Content, Reasoning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from playground.events import Text

__all__ = ["MAX_HEADER", "Channel", "HarmonySplitter", "read_header"]

MAX_HEADER = 256

START, MESSAGE, END_OF_MESSAGE = "<|start|>", "<|message|>", "<|eom|>"
ENDS_OF_TURN = ("<|eot|>", "<|end_of_text|>")
CONTROLS = (
    START,
    MESSAGE,
    END_OF_MESSAGE,
    *ENDS_OF_TURN,
    "<|begin_of_text|>",
    "<|image_start|>",
    "<|image_end|>",
    "<|patch|>",
)


def _begun(word: str) -> str:
    """A pattern for every beginning of a word, from nothing to all of it."""
    pattern = ""
    for letter in reversed(word):
        pattern = f"(?:{letter}{pattern})?"
    return pattern


WORD = r"[^\s<]+"
SPEAKERS = ("assistant", "user", "system", "developer", "tool")
ROLE = rf"(?:assistant|user|system|developer|tool(?:\s+{WORD})?)"
HEADER = re.compile(
    rf"\s*(?P<role>{ROLE})?\s*(?:to=(?P<recipient>{WORD}))?(?:\s+constrain={WORD})?\s*"
)
"""A header without its control tokens."""
CONSTRAINT_BEGUN = rf"(?:{_begun('constrain=')}|constrain={WORD}\s*)"
ADDRESS_BEGUN = rf"(?:{_begun('to=')}|to={WORD}\s*|to={WORD}\s+{CONSTRAINT_BEGUN})"
HEADER_BEGUN = re.compile(
    rf"\s*(?:{'|'.join(map(_begun, SPEAKERS))}|{ROLE}?\s*{ADDRESS_BEGUN}"
    rf"|{ROLE}\s+{CONSTRAINT_BEGUN})"
)
"""Whatever can still become a header."""
HEADER_CUT_OFF = re.compile(r"\s*(?:assistant\s*)?to=|\s+to?\Z|\s*\Z")
"""Of those, what is no plain text either, even without <|start|> before it: models begin ` to`."""
TAIL = re.compile(rf"\s+to=(?P<recipient>{WORD})(?:\s+constrain={WORD})?\s*\Z")
TAIL_BEGUN = re.compile(rf"\s+{ADDRESS_BEGUN}\Z")
"""An address at the end of plain text, whole and begun."""


class Channel(Enum):
    """Where the text of a message goes."""

    REASONING = "reasoning"
    CONTENT = "content"
    CALLS = "calls"
    NOWHERE = "nowhere"


KINDS: dict[Channel, type[Reasoning | Content]] = {
    Channel.REASONING: Reasoning,
    Channel.CONTENT: Content,
}


class _State(Enum):
    """Where in the grammar the splitter is."""

    FIRST_HEADER = "a header may come, or plain text: the turn or a message has just ended"
    HEADER = "a header is due: <|start|> was read"
    PLAIN = "in text without a header"
    BODY = "in a message"
    OVER = "the turn has ended"


def read_header(header: str) -> tuple[Channel, str | None]:
    """Channel and recipient of a header that is given without its control tokens.

    A header that is damaged has no recipient, and a header without recipient is to the user.
    """
    found = HEADER.fullmatch(header)
    if found is None:
        return Channel.CONTENT, None
    recipient = found["recipient"]
    if found["role"] not in {None, "assistant"}:
        return Channel.NOWHERE, recipient
    return (Channel.REASONING if recipient == "self" else Channel.CONTENT), recipient


class _Names(NamedTuple):
    """The names of control tokens, ready to be looked for."""

    pattern: re.Pattern[str]
    beginnings: frozenset[str]
    longest: int


@functools.lru_cache(maxsize=8)
def _names(more: frozenset[str]) -> _Names:
    """The format's own control tokens and more; once, for a vocabulary may reserve thousands."""
    names = sorted({*CONTROLS, *more}, key=len, reverse=True)
    return _Names(
        pattern=re.compile("|".join(map(re.escape, names))),
        beginnings=frozenset(name[:end] for name in names for end in range(1, len(name))),
        longest=len(names[0]),
    )


class HarmonySplitter:
    """Feed it the text of one turn; it returns what has been said by then, channel by channel.

    `controls` are names of more control tokens than the format's own; they begin with `<`. `tools`
    are the declared functions, each with the schema of its parameters.
    """

    def __init__(
        self,
        controls: Iterable[str] = (),
        tools: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self.unknown_recipients: tuple[str, ...] = ()
        """Names that a message was addressed to and that nobody has, in order."""
        self.malformed = 0
        """How often the text broke the grammar so far."""
        self._controls = _names(frozenset(controls))
        self._tools = tools
        self._state = _State.FIRST_HEADER
        self._channel = Channel.CONTENT
        self._interrupted = _State.PLAIN
        self._spoken: set[Channel] = set()
        self._answered = False
        self._calls = 0
        self._joint = ""
        self._held = ""
        self._call_text: list[str] = []
        self._said: list[Text] = []

    def resume(self) -> None:
        """Begin inside a message to the user that has text already, and not before its header."""
        self._answered = True
        self._open(_State.BODY, Channel.CONTENT)
        self._spoken.add(Channel.CONTENT)

    def feed(self, text: str) -> list[Text]:
        """Take the next piece of text, of any size."""
        if self._state is _State.BODY and not self._held and "<" not in text:
            self._say(text)  # nearly every piece of a stream, so it gets the short way
            return self._told()
        text = self._held + text
        at, waits = 0, False
        while at < len(text) and not waits:
            match self._state:
                case _State.FIRST_HEADER | _State.HEADER:
                    at, waits = self._read_header(text, at)
                case _State.PLAIN | _State.BODY:
                    at, waits = self._read_body(text, at)
                case _State.OVER:
                    at = len(text)
        self._held = text[at:]
        return self._told()

    def flush(self, *, ended: bool = True) -> list[Text]:
        """Give what was held back, now that nothing follows.

        `ended` says whether the model ended the turn, and not a limit or a person.
        """
        held, self._held = self._held, ""
        if self._state is _State.FIRST_HEADER and not HEADER_CUT_OFF.match(held):
            self._begin_text()
        if self._state in {_State.PLAIN, _State.BODY}:
            self._say(held)
        elif self._state is not _State.OVER:
            due = self._state is _State.HEADER or self._interrupted is _State.FIRST_HEADER
            self.malformed += ended and (due or held.strip() != "")
        self._end_calls(ended=ended)
        self.malformed += ended and not self._answered
        self._state = _State.OVER
        return self._told()

    def _told(self) -> list[Text]:
        said, self._said = self._said, []
        return said

    def _read_header(self, text: str, at: int) -> tuple[int, bool]:
        """Take a header, or find that there is none. Where to go on, and whether to wait there."""
        index, name = self._next_control(text, at)
        header = text[at:index]
        cut_off = self._state is _State.HEADER or HEADER_CUT_OFF.match(header)
        if len(header) > MAX_HEADER or not HEADER_BEGUN.fullmatch(header):
            self._begin_text()
        elif name is None:
            return at, True
        elif name == MESSAGE:
            self._begin_message(header)
            return index + len(name), False
        elif cut_off:
            self.malformed += header.strip() != ""
            self._end_at(name)
            return index + len(name), False
        else:
            self._begin_text()
        return at, False

    def _read_body(self, text: str, at: int) -> tuple[int, bool]:
        """Say text up to the next control token. Where to go on, and whether to wait there."""
        index, name = self._next_control(text, at)
        if self._state is _State.PLAIN and name in {None, MESSAGE}:
            pattern = TAIL_BEGUN if name is None else TAIL
            if tail := pattern.search(text, max(at, index - MAX_HEADER), index):
                self._say(text[at : tail.start()])
                if name is None:
                    return tail.start(), True
                self._begin_message(tail.group())
                return index + len(MESSAGE), False
        self._say(text[at:index])
        if name is None:
            return index, True
        self._end_at(name)
        return index + len(name), False

    def _next_control(self, text: str, at: int) -> tuple[int, str | None]:
        """Where the next control token is, and its name.

        Without a name, it is where text ends that can no longer become one.
        """
        while (index := text.find("<", at)) >= 0:
            if found := self._controls.pattern.match(text, index):
                return index, found.group()
            if text[index : index + self._controls.longest] in self._controls.beginnings:
                return index, None
            at = index + 1
        return len(text), None

    def _end_at(self, control: str) -> None:
        """Take a control token that stands in a message, or where a header breaks off."""
        if control in ENDS_OF_TURN:
            self._end_calls()
            self._state = _State.OVER
        elif control == END_OF_MESSAGE:
            self._end_calls()
            self._state = _State.FIRST_HEADER
            self._interrupted = _State.FIRST_HEADER
        elif control == START:
            if self._state is _State.HEADER:
                self.malformed += 1
            else:
                self._interrupted = self._state
            self._state = _State.HEADER
        else:
            self.malformed += 1

    def _begin_message(self, header: str) -> None:
        channel, recipient = read_header(header)
        whole = HEADER.fullmatch(header) is not None
        started = self._state is _State.HEADER or self._interrupted is not _State.FIRST_HEADER
        ended = self._state is not _State.HEADER or self._interrupted is not _State.BODY
        known = channel is not Channel.NOWHERE
        if known and recipient in self._tools:
            channel = Channel.CALLS
        elif known and recipient not in {None, "self", "user"}:
            self.unknown_recipients += (str(recipient),)
            known = False
        self.malformed += not (whole and started and ended and known)
        self._answered |= channel in {Channel.CONTENT, Channel.CALLS}
        self._open(_State.BODY, channel)

    def _begin_text(self) -> None:
        """There is no header: go on with the message that <|start|> broke into, or begin one."""
        self.malformed += 1
        if self._state is _State.HEADER and self._interrupted in {_State.PLAIN, _State.BODY}:
            self._state = self._interrupted
        else:
            self._answered = True
            self._open(_State.PLAIN, Channel.CONTENT)

    def _open(self, state: _State, channel: Channel) -> None:
        self._end_calls()
        self._state = state
        self._speak_on(channel)

    def _speak_on(self, channel: Channel) -> None:
        self._channel = channel
        self._joint = "\n\n" if channel in self._spoken else ""

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._channel is Channel.CALLS:
            self._call_text.append(text)
        elif kind := KINDS.get(self._channel):
            self._said.append(kind(self._joint + text))
            self._joint = ""
            self._spoken.add(self._channel)

    def _end_calls(self, *, ended: bool = True) -> None:
        """A message to a function is over: say what it called, and what it is besides."""
        if self._channel is not Channel.CALLS:
            return
        reading = read_calls("".join(self._call_text), self._tools)
        self._call_text.clear()
        self._speak_on(Channel.CONTENT)
        self._say(reading.text)
        for name, arguments in reading.calls:
            self._said.append(Call(self._calls, name, arguments))
            self._calls += 1
        self.malformed += ended and reading.flawed
