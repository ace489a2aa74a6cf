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
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from playground.errors import ContextLengthExceeded, TemplateFailed
from playground.schemas import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from playground.template import Control, Run, fresh_character, strings_in
from playground.transcript import Ids, Transcript, fingerprint, splice

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

    @property
    def ids(self) -> tuple[int, ...]:
        """The prompt without its pictures."""
        return tuple(chain.from_iterable(s for s in self.segments if isinstance(s, tuple)))


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
    ) -> PromptInput:
        """The prompt of one request.

        `settings` are the template's variables, `images` the conversation's in order, `cap` is the
        number of tokens the caller allows the answer, `transcript` what the session remembers
        (empty for an anonymous request).

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
        transcript = transcript.aligned(_fingerprints(messages))
        pieces, spliced_turns = self._pieces(messages, transcript, settings)
        segments = tuple(self._segments(pieces, images))
        image_tokens = sum(image.cells for image in images)
        ids = sum(len(segment) for segment in segments if isinstance(segment, tuple))
        prompt_tokens = ids + image_tokens + BOS_TOKENS
        room = self.context_length - prompt_tokens
        if room < 1 and spliced_turns:
            return self.build(messages, settings=settings, images=images, cap=cap)
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
        )

    def _pieces(
        self, messages: Sequence[Message], transcript: Transcript, settings: Mapping[str, Any]
    ) -> tuple[Sequence[Piece | Ids], int]:
        """The rendered prompt with past answers spliced in, and how many were."""
        told = list(conversation(messages))
        known = {
            turn: record.ids
            for turn, record in enumerate(transcript.records)
            if record.ids is not None
        }
        if known:
            mark = fresh_character([*strings_in(told), *strings_in(settings)])
            sentinels = {turn: f"{mark}{turn}{mark}" for turn in known}
            rendered = self.template.render(list(conversation(messages, sentinels)), settings)
            spliced = splice(rendered, {sentinels[turn]: ids for turn, ids in known.items()})
            if spliced is not None:
                return spliced, len(known)
        return self.template.render(told, settings), 0

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
                case Control(name):
                    ids.append(self.tokenizer.control(name))
                case Run(text):
                    ids.extend(self.tokenizer.encode(text))
                case Ids(generated):
                    ids.extend(generated)
        if waiting:
            raise TemplateFailed("the chat template has no place for images in a message")
        yield tuple(ids)


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
