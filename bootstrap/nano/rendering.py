"""How does a conversation become token ids, and which of them is the model to learn?

`pieces` spells the chat template out for the part of it that the recipe needs (a test compares the
two). A piece is a control token or a run of text between two of them, as the server encodes it.
The loss falls on what the model writes: recipients, thoughts, calls, answers, `<|eom|>`,
`<|start|>assistant` between two messages, `<|eot|>`. The `<|start|>assistant` that opens an output
belongs to the prompt.

A turn with tools has several outputs: one for each of its steps (a thought and its calls), which
the results follow, and the answer last. Each output is a span.

Where the history shows an output without its reasoning, the model would not have written that
header; it is left out of the loss, while the answer below it stays in.

A picture is a run of `<|patch|>`, one for each of its cells, before the text of its message. The
template writes a single one; the server multiplies it in the same way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bootstrap.nano.configuration import NANO
from bootstrap.nano.replies import STRENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bootstrap.nano.dialogues import Conversation
    from bootstrap.nano.pictures.picture import Picture
    from bootstrap.nano.replies import Call, Exchange, ToolSpec

__all__ = [
    "Piece",
    "Placed",
    "Rendered",
    "Span",
    "call_text",
    "pieces",
    "render",
    "skill_of",
    "system_text",
]

BOS, EOM, EOT = "<|begin_of_text|>", "<|eom|>", "<|eot|>"
START, MESSAGE = "<|start|>", "<|message|>"
PATCH, IMAGE_START, IMAGE_END = "<|patch|>", "<|image_start|>", "<|image_end|>"
_CONTROL = {
    name: NANO.control(name)
    for name in (BOS, EOM, EOT, START, MESSAGE, PATCH, IMAGE_START, IMAGE_END)
}
MOST_CELLS = 64  # of one picture; larger ones are shrunk

# What the template says about tools before and after the schemas.
_TOOLBOX = """\
In this environment you have access to a set of tools you can use to answer the user's question.

You can invoke a function by writing a "<atem:function_calls>" block like the following:
<atem:function_calls>
<atem:invoke name="$FUNCTION_NAME">
<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>
...
</atem:invoke>
</atem:function_calls>

String and scalar parameters should be specified as is, while lists and objects should use JSON \
format. Note that spaces for string values are not stripped. The output is not expected to be \
valid XML and is parsed with regular expressions.
Here are the functions available in JSONSchema format:
// Tool metadata
"""
_EXAMPLE = """

Here's an example of how to call a function in the tool set:
(If the tool namespace is not specified, invoke the function directly as `example_function_name` \
rather than `example_tool_name.example_function_name`)

to=example_tool_name.example_function_name

<atem:function_calls>
<atem:invoke name="example_tool_name.example_function_name">
<atem:parameter name="example_parameter_1">value_1</atem:parameter>
<atem:parameter name="example_parameter_2">This is the value for the second parameter
that can span
"multiple" lines
</atem:parameter>
</atem:invoke>
</atem:function_calls>"""


@dataclass(frozen=True, slots=True)
class Piece:
    """A control token or a run of text.

    `turn` is set on what the model writes in that turn; `step` tells its outputs apart.
    """

    text: str
    learned: bool = False
    turn: int | None = None
    step: int = 0
    picture: Picture | None = None  # on the first `<|patch|>` of a picture


@dataclass(frozen=True, slots=True)
class Span:
    """Where one output of the model lies: ids[start:stop].

    `step` counts a turn's outputs; the answer's is the number of the turn's tool steps.
    """

    turn: int
    start: int
    stop: int
    step: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture: the index of its first `<|patch|>` in the ids, and its size in cells."""

    at: int
    rows: int
    columns: int
    picture: Picture


@dataclass(frozen=True, slots=True)
class Rendered:
    """Token ids, which of them carry loss, where outputs lie, and where pictures do."""

    ids: list[int]
    learned: list[bool]
    spans: list[Span]
    pictures: list[Placed] = field(default_factory=list)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spaces(tools: Sequence[ToolSpec]) -> list[str]:
    """The namespaces of the tools, each once: the names up to their first dot."""
    return list(dict.fromkeys(tool.name.split(".")[0] for tool in tools))


def _tool_text(tools: Sequence[ToolSpec]) -> str:
    spaces = "".join(f'{{"name": {_json(space)}, "description": ""}}\n' for space in _spaces(tools))
    schemas = "".join(
        f'\n{{"name": {_json(tool.name)}, "description": {_json(tool.description)}'
        f', "parameters": {_json(tool.parameters)}}}'
        for tool in tools
    )
    return f"{_TOOLBOX}{spaces}// Function schemas{schemas}{_EXAMPLE}"


def system_text(conversation: Conversation) -> str:
    """The body of the system message, as the chat template writes it."""
    if conversation.system is None:
        text = "You are a helpful AI assistant.\nKnowledge cutoff: 2026-01-04."
        if conversation.date:
            text += f"\nCurrent date: {conversation.date}."
    else:
        text = conversation.system
    text += f"\n\nReasoning strength: {conversation.strength}."
    if conversation.tools:
        text += f"\n\n{_tool_text(conversation.tools)}"
    recipients = "".join(f'"{space}.*", ' for space in _spaces(conversation.tools))
    return f'{text}\n\n# Valid recipients: "self", {recipients}"user".'


def call_text(call: Call) -> str:
    """A call in ATEM: strings as they are, everything else as JSON."""
    arguments = "".join(
        f'<atem:parameter name="{name}">{value if isinstance(value, str) else _json(value)}'
        "</atem:parameter>\n"
        for name, value in call.arguments.items()
    )
    return (
        f'<atem:function_calls>\n<atem:invoke name="{call.name}">\n{arguments}'
        "</atem:invoke>\n</atem:function_calls>"
    )


def _user(exchange: Exchange, *, wrapped: bool) -> Iterator[Piece]:
    yield from (Piece(START), Piece("user"), Piece(MESSAGE))
    if exchange.picture is not None:
        rows, columns = _cells(exchange.picture)
        if wrapped:
            yield Piece(IMAGE_START)
        yield Piece(PATCH, picture=exchange.picture)
        yield from (Piece(PATCH) for _ in range(rows * columns - 1))
        if wrapped:
            yield Piece(IMAGE_END)
    yield from (Piece(exchange.user), Piece(EOT))


def _cells(picture: Picture) -> tuple[int, int]:
    from playground.vision.grid import cells  # noqa: PLC0415  (text needs none of it)

    return cells(picture.width, picture.height, most=MOST_CELLS)


def _output(thought: str, messages: Sequence[tuple[str, str]], *, kept: bool) -> Iterator[Piece]:
    """What the model writes after `<|start|>assistant`: a thought, then (recipient, body) each."""
    if kept and thought:
        for text in (" to=self", MESSAGE, thought, EOM, START, "assistant"):
            yield Piece(text, learned=True)
    header = kept or not thought
    for number, (recipient, body) in enumerate(messages):
        if number:
            yield from (Piece(text, learned=True) for text in (EOM, START, "assistant"))
        for text in (f" to={recipient}", MESSAGE):
            yield Piece(text, learned=header or number > 0)
        yield Piece(body, learned=True)
    yield Piece(EOT, learned=True)


def _outputs(
    exchange: Exchange, level: int, *, kept: bool
) -> Iterator[tuple[int, Iterable[Piece]]]:
    """The assistant's half of a turn: (number of the output or -1 for a result, pieces)."""
    opening = (Piece(START), Piece("assistant"))
    for number, step in enumerate(exchange.steps):
        calls = [(call.name, call_text(call)) for call in step.calls]
        yield -1, opening
        yield number, _output(step.thoughts[level], calls, kept=kept and step.kept)
        for call, output in zip(step.calls, step.outputs, strict=True):
            body = f'<tool_output name="{call.name}">\n{output}\n</tool_output>'
            texts = (START, f"tool {call.name}", MESSAGE, body, EOT)
            yield -1, (Piece(text) for text in texts)
    reply = exchange.reply
    yield -1, opening
    yield len(exchange.steps), _output(reply.thoughts[level], [("user", reply.answer)], kept=kept)


def skill_of(exchange: Exchange, step: int) -> str:
    """What output number `step` of this turn shows the model able to do."""
    return "tool calls" if step < len(exchange.steps) else exchange.reply.skill


def pieces(conversation: Conversation) -> Iterator[Piece]:
    """The whole conversation, piece by piece."""
    level = STRENGTHS.index(conversation.strength)
    yield Piece(BOS)
    yield from (Piece(START), Piece("system"), Piece(MESSAGE))
    yield from (Piece(system_text(conversation)), Piece(EOT))
    turns = zip(conversation.exchanges, conversation.kept, strict=True)
    for turn, (exchange, kept) in enumerate(turns):
        yield from _user(exchange, wrapped=conversation.wrapped)
        for step, written in _outputs(exchange, level, kept=kept):
            if step < 0:
                yield from written
            else:
                yield from (replace(piece, turn=turn, step=step) for piece in written)


def render(conversation: Conversation, encode: Callable[[str], list[int]]) -> Rendered:
    """Encode the conversation; every run of text is encoded by itself."""
    rendered = Rendered([], [], [], [])
    ids = rendered.ids
    output: tuple[int | None, int] = (None, 0)
    start = 0
    for piece in pieces(conversation):
        if (piece.turn, piece.step) != output:
            if output[0] is not None:
                rendered.spans.append(Span(output[0], start, len(ids), output[1]))
            output, start = (piece.turn, piece.step), len(ids)
        if piece.picture is not None:
            rendered.pictures.append(Placed(len(ids), *_cells(piece.picture), piece.picture))
        control = _CONTROL.get(piece.text)
        new = [control] if control is not None else encode(piece.text)
        ids += new
        rendered.learned.extend([piece.learned] * len(new))
    if output[0] is not None:
        rendered.spans.append(Span(output[0], start, len(ids), output[1]))
    return rendered
