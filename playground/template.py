"""How does a conversation become the text a model reads, with no way for text to become control?

The model's own chat template renders it, in a sandbox. A template concatenates what people wrote
with the control tokens of the format (`<|start|>`, `<|eot|>` …), so a rendered prompt alone cannot
tell the one from the other. Hence:

1. a mark, one private-use character that neither the conversation nor the template contains, is
   put behind every `<` in every caller's string (names, keys and tool texts included);
2. the template renders; its filters see the caller's words as they are, but for the marks;
3. the result is split at control tokens, and every one of them was the template's;
4. the marks are taken out of the runs of text in between.

The outcome is a tuple of pieces, `Control("<|start|>"), Run("user"), Control("<|message|>"), …`.
Runs are tokenised as ordinary text, so `<|eot|>` in a message is seven or so tokens that spell it.

A leading beginning-of-text token is left out: the worker puts it before every prompt.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from playground.errors import InvalidRequest, TemplateFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["ChatTemplate", "Control", "Piece", "Run", "fresh_character", "sandbox", "strings_in"]

PRIVATE_USE = range(0xE000, 0xF900)


@dataclass(frozen=True, slots=True)
class Control:
    """A control token that the template wrote, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Run:
    """Ordinary text between control tokens, whatever it looks like. Never empty."""

    text: str


Piece = Control | Run


class _Refusal(TemplateError):
    """The template itself said no, through `raise_exception`."""


class ChatTemplate:
    """A chat template, compiled once and safe to render from any thread.

    `controls` are the names of the tokenizer's control tokens, `bos` the one among them that is
    left out at the beginning.

    Raises:
        TemplateFailed: the template is not valid Jinja.
    """

    def __init__(self, source: str, *, controls: Iterable[str], bos: str) -> None:
        self._source = source
        self._bos = bos
        # Longest first: no name that begins with another one may be cut short.
        names = sorted(controls, key=lambda name: (-len(name), name))
        self._controls = re.compile("|".join(map(re.escape, names)) or r"(?!)")
        try:
            self._template = sandbox().from_string(source)
        except TemplateSyntaxError as error:
            raise TemplateFailed(
                f"the chat template is not valid Jinja: line {error.lineno}: {error}"
            ) from error

    def render(
        self, messages: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]
    ) -> tuple[Piece, ...]:
        """The pieces of a prompt that ends where the assistant is to speak.

        `messages` are as the template knows them (roles system, user, assistant, tool); `settings`
        are its variables, such as `reasoning_strength` and `current_date`. There is no clock in
        the sandbox: a template asks for the date it is given, or goes without.

        Raises:
            InvalidRequest: the template refuses this conversation.
            TemplateFailed: the template breaks on it.
        """
        mark = fresh_character([self._source, *strings_in(messages), *strings_in(settings)])
        try:
            text = self._template.render(
                messages=_marked(messages, mark),
                add_generation_prompt=True,
                bos_token=self._bos,
                **_marked(settings, mark),
            )
        except _Refusal as error:
            raise InvalidRequest(f"the chat template refuses this conversation: {error}") from error
        except Exception as error:  # a template is a program of someone else's
            raise TemplateFailed(f"the chat template failed: {error}") from error
        pieces = tuple(self._split(text, mark))
        return pieces[1:] if pieces[:1] == (Control(self._bos),) else pieces

    def _split(self, text: str, mark: str) -> Iterator[Piece]:
        end = 0
        for found in self._controls.finditer(text):
            if run := text[end : found.start()].replace(mark, ""):
                yield Run(run)
            yield Control(found.group())
            end = found.end()
        if run := text[end:].replace(mark, ""):
            yield Run(run)


def sandbox() -> ImmutableSandboxedEnvironment:
    """The sandbox that Hugging Face gives chat templates, less the clock."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    return environment


def _to_json(value: object, indent: int | None = None, **settings: Any) -> str:  # noqa: ANN401
    # Jinja's own filter escapes for HTML, which no model has been trained on.
    return json.dumps(value, indent=indent, **{"ensure_ascii": False, **settings})


def _raise_exception(message: str) -> None:
    raise _Refusal(message)


def strings_in(value: object) -> Iterator[str]:
    """Every string in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings_in(key)
            yield from strings_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_in(item)


def _marked(value: Any, mark: str) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """The value with the mark behind every `<` of every string, keys included.

    Behind every `<` and not only before `|`: a template may join two strings, one of which ends
    in `<` while the other begins with `|`.
    """
    if isinstance(value, str):
        return value.replace("<", "<" + mark)
    if isinstance(value, dict):
        return {_marked(key, mark): _marked(item, mark) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(item, mark) for item in value]
    return value


def fresh_character(texts: Sequence[str]) -> str:
    """A private-use character that occurs in none of the texts."""
    for code in PRIVATE_USE:
        if not any(chr(code) in text for text in texts):
            return chr(code)
    raise InvalidRequest("the conversation uses every private-use character of Unicode")
