"""Which token ids stand for a text, and which bytes a token id stands for.

Two tokenizers behind one protocol: the model's own (`load_tokenizer`, a Hugging Face
`tokenizer.json` with a byte-level vocabulary) and `ScriptedTokenizer`, one token a byte,
which needs no file and serves the scripted engine and tests.

A text can be encoded in two ways, and the difference is a safety rule. `encode` knows no control
tokens: a caller who types `<|eot|>` gets the tokens of those seven characters. `encode_prompt`
maps the names of control tokens to their ids, as the worker does with a rendered prompt.
Neither adds anything, so no BOS. Ids of control tokens are looked up by name, never assumed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from tokenizers import Tokenizer as HuggingFaceModel

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = [
    "CONTROL_TOKENS",
    "HuggingFaceTokenizer",
    "ScriptedTokenizer",
    "Tokenizer",
    "TokenizerError",
    "UnknownControlToken",
    "UnknownTokenId",
    "load_tokenizer",
]

CONTROL_TOKENS = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|eom|>",
    "<|eot|>",
    "<|start|>",
    "<|message|>",
    "<|image_start|>",
    "<|image_end|>",
    "<|patch|>",
)
"""The control tokens of the Muse vocabulary that the playground speaks of, by name."""


class TokenizerError(Exception):
    """A text, an id or a file that the tokenizer cannot work with.

    TokenizerError
    ├── UnknownControlToken
    └── UnknownTokenId
    """


class UnknownControlToken(TokenizerError):
    """A control token was asked for that this vocabulary does not have."""

    def __init__(self, name: str, known: Mapping[str, int]) -> None:
        self.name = name
        super().__init__(f"no control token {name!r}; this vocabulary has {', '.join(known)}")


class UnknownTokenId(TokenizerError):
    """A token id outside the vocabulary."""

    def __init__(self, token_id: int, vocab_size: int) -> None:
        self.token_id = token_id
        super().__init__(f"token id {token_id} is not in the vocabulary of {vocab_size}")


class Tokenizer(Protocol):
    """What the server and the worker ask of a vocabulary. Safe to use from several threads."""

    @property
    def vocab_size(self) -> int:
        """One more than the largest token id."""

    @property
    def controls(self) -> Mapping[str, int]:
        """Every control token, name to id."""

    def encode(self, text: str) -> list[int]:
        """Encode text in which the names of control tokens are ordinary characters."""

    def encode_prompt(self, text: str) -> list[int]:
        """Encode rendered text in which the name of a control token is that token."""

    def control(self, name: str) -> int:
        """Return the id of a control token; raise UnknownControlToken if there is none."""

    def bytes_of(self, token_id: int) -> bytes:
        """Return the UTF-8 bytes of a token, of a control token its name.

        A single token may hold only part of a character. Raises UnknownTokenId.
        """


def load_tokenizer(path: str | os.PathLike[str]) -> HuggingFaceTokenizer:
    """Load a `tokenizer.json`; raise TokenizerError, naming the file, if it is not one."""
    try:
        return HuggingFaceTokenizer.from_file(path)
    except TokenizerError:
        raise
    except Exception as error:  # the library raises plain Exception for every bad file
        raise TokenizerError(f"{path}: not a tokenizer.json: {error}") from error


class HuggingFaceTokenizer:
    """A byte-level vocabulary from a `tokenizer.json`, by the `tokenizers` library.

    The library decides about control tokens by a switch on the tokenizer rather than on the
    call, so two tokenizers are kept and neither is ever switched back.
    """

    def __init__(self, *, literal: HuggingFaceModel, rendered: HuggingFaceModel) -> None:
        literal.encode_special_tokens = True
        self._literal = literal
        self._rendered = rendered
        added = literal.get_added_tokens_decoder()
        self.controls: Mapping[str, int] = {
            token.content: token_id for token_id, token in added.items() if token.special
        }
        vocabulary = literal.get_vocab(with_added_tokens=True)
        self.vocab_size = 1 + max(vocabulary.values())
        byte_of = _byte_of_character()
        self._bytes = {
            token_id: token.encode() if token_id in added else _invert(token, byte_of)
            for token, token_id in vocabulary.items()
        }

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> HuggingFaceTokenizer:
        """Load both tokenizers from one `tokenizer.json`."""
        return cls(
            literal=HuggingFaceModel.from_file(str(path)),
            rendered=HuggingFaceModel.from_file(str(path)),
        )

    def encode(self, text: str) -> list[int]:
        """Encode text in which the names of control tokens are ordinary characters."""
        return self._encode(self._literal, text)

    def encode_prompt(self, text: str) -> list[int]:
        """Encode rendered text in which the name of a control token is that token."""
        return self._encode(self._rendered, text)

    def control(self, name: str) -> int:
        """Return the id of a control token; raise UnknownControlToken if there is none."""
        try:
            return self.controls[name]
        except KeyError:
            raise UnknownControlToken(name, self.controls) from None

    def bytes_of(self, token_id: int) -> bytes:
        """Return the UTF-8 bytes of a token, of a control token its name."""
        try:
            return self._bytes[token_id]
        except KeyError:
            raise UnknownTokenId(token_id, self.vocab_size) from None

    @staticmethod
    def _encode(model: HuggingFaceModel, text: str) -> list[int]:
        try:
            # A batch of one: only batches let other threads run, and a long text takes seconds.
            (encoded,) = model.encode_batch_fast([text], add_special_tokens=False)
        except TypeError as error:  # what the library says to a lone surrogate
            raise TokenizerError("the text holds a lone surrogate, so it is not UTF-8") from error
        ids: list[int] = encoded.ids
        return ids


class ScriptedTokenizer:
    """One token a byte, ids 0 to 255, and the control tokens after them."""

    def __init__(self) -> None:
        self.controls: Mapping[str, int] = {
            name: 256 + index for index, name in enumerate(CONTROL_TOKENS)
        }
        self.vocab_size = 256 + len(CONTROL_TOKENS)
        self._bytes = [bytes([value]) for value in range(256)]
        self._bytes += [name.encode() for name in CONTROL_TOKENS]
        self._names = re.compile("|".join(map(re.escape, CONTROL_TOKENS)))

    def encode(self, text: str) -> list[int]:
        """Encode text in which the names of control tokens are ordinary characters."""
        try:
            return list(text.encode())
        except UnicodeEncodeError as error:
            raise TokenizerError("the text holds a lone surrogate, so it is not UTF-8") from error

    def encode_prompt(self, text: str) -> list[int]:
        """Encode rendered text in which the name of a control token is that token."""
        ids: list[int] = []
        end = 0
        for found in self._names.finditer(text):
            ids += self.encode(text[end : found.start()])
            ids.append(self.controls[found.group()])
            end = found.end()
        return ids + self.encode(text[end:])

    def control(self, name: str) -> int:
        """Return the id of a control token; raise UnknownControlToken if there is none."""
        try:
            return self.controls[name]
        except KeyError:
            raise UnknownControlToken(name, self.controls) from None

    def bytes_of(self, token_id: int) -> bytes:
        """Return the UTF-8 bytes of a token, of a control token its name."""
        if not 0 <= token_id < self.vocab_size:
            raise UnknownTokenId(token_id, self.vocab_size)
        return self._bytes[token_id]


def _byte_of_character() -> dict[str, int]:
    """Invert the byte-level alphabet: every byte is written as one printable character.

    The alphabet is GPT-2's: a byte that Latin-1 prints visibly is written as itself, and the
    others, in order, as the characters from U+0100 on.
    """
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    alphabet = {chr(byte): byte for byte in visible}
    alphabet.update({chr(0x100 + index): byte for index, byte in enumerate(hidden)})
    return alphabet


def _invert(token: str, byte_of: Mapping[str, int]) -> bytes:
    try:
        return bytes([byte_of[character] for character in token])
    except KeyError as error:
        raise TokenizerError(
            f"token {token!r} is not written in the byte-level alphabet; "
            "only byte-level vocabularies are supported"
        ) from error
