"""The shipped vocabulary: control tokens by name, digits one by one, bytes without loss."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="needs the server extra")

from tokenizers import Tokenizer

from bootstrap.nano.configuration import CONTROL_TOKENS, NANO, SHIPPED
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.rendering import pieces

EVERYTHING = "Ünïcödé ☃ 日本語 \t\r\n  a  b\n\n'S don't 12345 <|eot|> <|start|>assistant"


@pytest.fixture(scope="module")
def tokenizer() -> Any:  # noqa: ANN401
    """Load the shipped file."""
    return Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))


@pytest.mark.parametrize("name", CONTROL_TOKENS)
def test_control_tokens_are_found_by_name(tokenizer: Any, name: str) -> None:  # noqa: ANN401
    """Each control token is one id, the one that the configuration states."""
    assert tokenizer.token_to_id(name) == NANO.control(name)
    assert tokenizer.encode(name, add_special_tokens=False).ids == [NANO.control(name)]


def test_the_vocabulary_has_the_size_of_the_embedding(tokenizer: Any) -> None:  # noqa: ANN401
    """No id is without a row, no row without an id."""
    assert tokenizer.get_vocab_size() == NANO.vocab_size


def test_any_text_survives(tokenizer: Any) -> None:  # noqa: ANN401
    """Bytes in, bytes out, also where no merge was learned."""
    ids = tokenizer.encode(EVERYTHING, add_special_tokens=False).ids

    assert tokenizer.decode(ids, skip_special_tokens=False) == EVERYTHING


def test_digits_are_tokens_of_their_own(tokenizer: Any) -> None:  # noqa: ANN401
    """Sums are learned digit by digit."""
    tokens = tokenizer.encode("407 + 38", add_special_tokens=False).tokens

    assert [token for token in tokens if token.isdigit()] == ["4", "0", "7", "3", "8"]


def test_recipients_are_two_tokens(tokenizer: Any) -> None:  # noqa: ANN401
    """` to` and `=self`, as in Muse."""
    assert tokenizer.encode(" to=self").tokens == ["Ġto", "=self"]
    assert tokenizer.encode("assistant").tokens == ["assistant"]


@pytest.mark.embedded
def test_the_fast_encoder_agrees(tokenizer: Any) -> None:  # noqa: ANN401
    """The recipe's encoder gives the ids of the shipped file with control tokens off."""
    pytest.importorskip("regex", reason="needs the recipe extra")
    from bootstrap.nano.vocabulary import Encoder  # noqa: PLC0415  (after the skip)

    tokenizer.encode_special_tokens = True
    encode = Encoder()
    texts = [EVERYTHING]
    for seed in range(30):
        texts += [
            piece.text
            for piece in pieces(converse(Random(seed), Mixture(), 5000))
            if piece.text not in CONTROL_TOKENS
        ]

    expected = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    tokenizer.encode_special_tokens = False

    assert [encode(text) for text in texts] == expected
