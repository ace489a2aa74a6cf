"""What exactly is sent to the worker for a request, and how long may the answer be?

`PromptBuilder.build` renders the conversation once and tokenises it once: system and developer
messages, tool calls and results included; past answers as their own ids where the session's
`Transcript` has them; a picture where the template writes `<|patch|>`. The result is runs of ids
and the pictures between them. With `image_wrapped` a picture stands between `<|image_start|>` and
`<|image_end|>`; which of the two a model was trained with is not to be seen from its template.

The budget, with `prompt_tokens` counting the beginning-of-text token that the worker adds, and for
each picture its cells:

    room           = context_length - prompt_tokens            must be at least 1
    max_new_tokens = min(cap, room), or room if no cap is set  a cap over context_length is refused

Spliced answers bring their reasoning along, so they fill the context faster than their text would.
Where they no longer fit, the conversation is told as text once more, which costs a cold turn and
frees that room.

What history looks like to the model when it is not spliced (a cold turn): the answer's visible
text, addressed to the user, and its tool calls; reasoning is dropped, also where a client echoes
it. A message with both text and calls becomes two, since the template knows one or the other.

An answer that is to go on (`continues`) is rendered as history and left open: the prompt ends with
its text, without `<|eot|>`. The worker trusts no cache of a turn that was broken off, so this is
told as text and costs a cold turn; the ids behind the bare header (`begun_ids`) go into the record
together with those that are generated now, so that the turn after it can be warm again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from playground.errors import ContextLengthExceeded, InvalidRequest, TemplateFailed
from playground.schemas import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from playground.template import Control, Run, fresh_character, strings_in
from playground.transcript import Ids, Transcript, fingerprint, opened_at, splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playground.content import ImageURL
    from playground.images import ShownImage
    from playground.schemas import Message
    from playground.template import ChatTemplate, Piece
    from playground.tokens import Tokenizer

__all__ = ["IMAGE_END", "IMAGE_START", "PromptBuilder", "PromptInput", "conversation"]

BOS_TOKENS = 1
PATCH = "<|patch|>"
IMAGE_START = "<|image_start|>"
IMAGE_END = "<|image_end|>"


@dataclass(frozen=True, slots=True)
class PromptInput:
    """A prompt ready for the worker, and what it leaves room for."""

    segments: tuple[tuple[int, ...] | ShownImage, ...]
    """Ids and pictures, without the beginning-of-text token, which is the worker's to add."""
    prompt_tokens: int
    """With it."""
    image_tokens: int
    """How many of them are cells of pictures."""
    room: int
    """Tokens left in the context behind the prompt, at least 1."""
    max_new_tokens: int
    """From 1 to `room`."""
    transcript: Transcript
    """The session's turns as this request tells them; the new turn is recorded on top of it."""
    spliced_turns: int
    """How many past answers stand in `segments` as they were generated."""
    begun: str = ""
    """Text of the answer that is to go on."""
    begun_ids: tuple[int, ...] = ()
    """Its ids, from behind the bare header to the end of the prompt."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The prompt without its pictures."""
        return tuple(chain.from_iterable(s for s in self.segments if isinstance(s, tuple)))

    def record(
        self,
        content: str,
        ids: Sequence[int] | None,
        calls: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> Transcript:
        """The session's turns with the one that came of this prompt (see `Transcript.record`)."""
        whole = None if ids is None else (*self.begun_ids, *ids)
        return self.transcript.record(self.begun + content, whole, calls)


@dataclass(frozen=True, slots=True)
class PromptBuilder:
    """Messages in, `PromptInput` out, for one model."""

    template: ChatTemplate
    tokenizer: Tokenizer
    context_length: int
    image_wrapped: bool = False

    def build(
        self,
        messages: Sequence[Message],
        *,
        settings: Mapping[str, Any],
        images: Sequence[ShownImage] = (),
        cap: int | None = None,
        transcript: Transcript = Transcript(),  # noqa: B008 - an immutable value
        continues: bool = False,
    ) -> PromptInput:
        """The prompt of one request.

        `settings` are the template's variables, `images` the conversation's in order, `cap` is the
        number of tokens the caller allows the answer, `transcript` what the session remembers
        (empty for an anonymous request). With `continues` the model goes on inside the last
        message, which has to be the assistant's.

        Raises:
            ContextLengthExceeded: the prompt fills the context, or the cap alone is larger.
            InvalidRequest: the template refuses the conversation.
            TemplateFailed: the template breaks on it.
        """
        if cap is not None and cap > self.context_length:
            raise ContextLengthExceeded(
                what="the completion may not have",
                tokens=cap,
                context_length=self.context_length,
                advice="ask for fewer, or leave the cap out to use what the prompt leaves",
            )
        begun = _begun(messages) if continues else ""
        transcript = transcript.aligned(_fingerprints(messages[:-1] if continues else messages))
        pieces, spliced_turns = self._pieces(messages, transcript, settings, begun)
        begun_ids = pieces[-1].ids if isinstance(pieces[-1], Ids) else ()
        segments = tuple(self._segments(pieces, images))
        image_tokens = sum(image.cells for image in images)
        ids = sum(len(segment) for segment in segments if isinstance(segment, tuple))
        prompt_tokens = ids + image_tokens + BOS_TOKENS
        room = self.context_length - prompt_tokens
        if room < 1 and spliced_turns:
            return self.build(
                messages, settings=settings, images=images, cap=cap, continues=continues
            )
        if room < 1:
            raise ContextLengthExceeded(
                what=f"the prompt, with {image_tokens} for images, has"
                if images
                else "the prompt has",
                tokens=prompt_tokens,
                context_length=self.context_length,
                advice="leave room for an answer by shortening the conversation",
            )
        return PromptInput(
            segments=segments,
            prompt_tokens=prompt_tokens,
            image_tokens=image_tokens,
            room=room,
            max_new_tokens=room if cap is None else min(cap, room),
            transcript=transcript,
            spliced_turns=spliced_turns,
            begun=begun,
            begun_ids=begun_ids,
        )

    def _pieces(
        self,
        messages: Sequence[Message],
        transcript: Transcript,
        settings: Mapping[str, Any],
        begun: str,
    ) -> tuple[Sequence[Piece | Ids], int]:
        """The rendered prompt with past answers spliced in, and how many were.

        With `begun` it ends with the ids of the message that is to go on.
        """
        told = list(conversation(messages))
        known = {
            turn: record.ids
            for turn, record in enumerate(transcript.records)
            if record.ids is not None
        }
        if not known and not begun:
            return self.template.render(told, settings), 0
        mark = fresh_character([*strings_in(told), *strings_in(settings)])
        last = f"{mark}{mark}"
        to_go_on = {len(transcript.records): last} if begun else {}
        sentinels = {turn: f"{mark}{turn}{mark}" for turn in known}
        rendered = self.template.render(
            list(conversation(messages, sentinels | to_go_on)), settings
        )
        spliced = splice(rendered, {sentinels[turn]: ids for turn, ids in known.items()})
        if spliced is None:
            rendered = self.template.render(list(conversation(messages, to_go_on)), settings)
        pieces = rendered if spliced is None else spliced
        spliced_turns = 0 if spliced is None else len(known)
        return self._left_open(pieces, last, begun) if begun else pieces, spliced_turns

    def _left_open(
        self, pieces: Sequence[Piece | Ids], last: str, begun: str
    ) -> Sequence[Piece | Ids]:
        """The pieces up to the message whose content is `last`, with `begun` in its place."""
        opened = opened_at(pieces, last)
        if opened is None:
            raise TemplateFailed("the chat template has no place where an answer could go on")
        before, opening = opened
        ids = chain.from_iterable(map(self._ids_of, (*opening, Run(begun))))
        return (*before, Ids(tuple(ids)))

    def _segments(
        self, pieces: Sequence[Piece | Ids], images: Sequence[ShownImage]
    ) -> Iterator[tuple[int, ...] | ShownImage]:
        """Runs of ids, with the images in the places that the template has for them."""
        ids: list[int] = []
        waiting = list(images)
        for piece in pieces:
            match piece:
                case Control(name) if name == PATCH and waiting:
                    if self.image_wrapped:
                        ids.append(self.tokenizer.control(IMAGE_START))
                    if ids:
                        yield tuple(ids)
                    yield waiting.pop(0)
                    ids = [self.tokenizer.control(IMAGE_END)] if self.image_wrapped else []
                case _:
                    ids.extend(self._ids_of(piece))
        if waiting:
            raise TemplateFailed("the chat template has no place for images in a message")
        yield tuple(ids)

    def _ids_of(self, piece: Piece | Ids) -> Sequence[int]:
        match piece:
            case Control(name):
                return (self.tokenizer.control(name),)
            case Run(text):
                return self.tokenizer.encode(text)
            case Ids(ids):
                return ids


def conversation(
    messages: Sequence[Message], contents: Mapping[int, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Messages as a chat template knows them.

    `contents` gives, by ordinal among the assistant messages, a text to stand for the whole
    message, calls included.
    """
    names: dict[str, str] = {}
    turn = 0
    for message in messages:
        match message:
            case SystemMessage(content=content):
                yield {"role": "system", "content": content}
            case ToolMessage(content=content, name=name, tool_call_id=call):
                yield {"role": "tool", "content": content, "name": name or names[call]}
            case AssistantMessage(tool_calls=calls):
                names.update({call.id: call.function.name for call in calls or ()})
                if contents is not None and turn in contents:
                    yield {"role": "assistant", "content": contents[turn]}
                else:
                    yield from _answer(message)
                turn += 1
            case UserMessage(content=str() as content):
                yield {"role": "user", "content": content}
            case UserMessage(content=parts):
                yield {"role": "user", "content": list(map(_part, parts))}


def _part(part: str | ImageURL) -> dict[str, str]:
    return {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"}


def _answer(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    """One assistant message as one that speaks, one that calls, or both after each other."""
    if not message.tool_calls:
        yield {"role": "assistant", "content": message.content or ""}
        return
    if message.content:
        yield {"role": "assistant", "content": message.content, "end_turn": False}
    calls = [
        {
            "id": call.id,
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in message.tool_calls
    ]
    yield {"role": "assistant", "content": None, "tool_calls": calls}


def _begun(messages: Sequence[Message]) -> str:
    """The text of the answer that is to go on."""
    match messages[-1]:
        case AssistantMessage(content=str() as text):
            return text
    raise InvalidRequest("the last message is no answer that could go on")


def _fingerprints(messages: Sequence[Message]) -> list[str]:
    """One for each assistant message, in order."""
    return [
        fingerprint(
            message.content,
            [(call.function.name, call.function.arguments) for call in message.tool_calls or ()],
        )
        for message in messages
        if isinstance(message, AssistantMessage)
    ]
