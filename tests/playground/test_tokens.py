"""Do both tokenizers keep control tokens and a caller's text apart, and give every byte back?"""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as HuggingFaceModel
from tokenizers import decoders, models, pre_tokenizers, trainers

from playground.tokens import (
    CONTROL_TOKENS,
    ScriptedTokenizer,
    Tokenizer,
    TokenizerError,
    UnknownControlToken,
    UnknownTokenId,
    load_tokenizer,
)

if TYPE_CHECKING:
    from pathlib import Path

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.lists(
    st.sampled_from([*CONTROL_TOKENS, "hello ", "<|", "|>", "é🙂"]), max_size=6
).map("".join)


@pytest.fixture(scope="module")
def tokenizer_json(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a byte-level vocabulary with the control tokens, as small as it gets."""
    model = HuggingFaceModel(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=list(CONTROL_TOKENS),
        show_progress=False,
    )
    model.train_from_iterator(["hello hello world, hello world"], trainer)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    model.save(str(path))
    return path


@pytest.fixture(scope="module", params=["huggingface", "scripted"])
def tokenizer(request: pytest.FixtureRequest, tokenizer_json: Path) -> Tokenizer:
    """Return either tokenizer."""
    return ScriptedTokenizer() if request.param == "scripted" else load_tokenizer(tokenizer_json)


def text_of(tokenizer: Tokenizer, ids: list[int]) -> str:
    """Put the bytes of tokens together again."""
    return b"".join(map(tokenizer.bytes_of, ids)).decode()


@given(text=TEXT)
def test_a_callers_text_never_becomes_a_control_token(tokenizer: Tokenizer, text: str) -> None:
    """And its tokens are its bytes again."""
    ids = tokenizer.encode(text)

    assert not set(ids) & set(tokenizer.controls.values())
    assert text_of(tokenizer, ids) == text


@given(text=TEXT)
def test_rendered_text_has_its_control_tokens(tokenizer: Tokenizer, text: str) -> None:
    """Every name is one token, and the bytes are the text again."""
    ids = tokenizer.encode_prompt(text)

    names = sum(text.count(name) for name in CONTROL_TOKENS)
    assert sum(token in tokenizer.controls.values() for token in ids) == names
    assert text_of(tokenizer, ids) == text


def test_nothing_is_put_before_or_after(tokenizer: Tokenizer) -> None:
    """No BOS: who wants one puts it there."""
    assert tokenizer.encode("") == []
    assert tokenizer.encode_prompt("<|eot|>") == [tokenizer.control("<|eot|>")]


def test_ids_are_below_the_vocabularys_size(tokenizer: Tokenizer) -> None:
    """And all of them have bytes."""
    assert all(tokenizer.bytes_of(token) for token in range(tokenizer.vocab_size))


def test_control_tokens_are_found_by_name(tokenizer: Tokenizer) -> None:
    """An unknown name is an error that lists the known ones."""
    assert {tokenizer.control(name) for name in CONTROL_TOKENS} == set(tokenizer.controls.values())
    with pytest.raises(UnknownControlToken, match=r"'<\|end\|>'.*<\|eot\|>"):
        tokenizer.control("<|end|>")


@pytest.mark.parametrize("token_id", [-1, 10**6])
def test_an_id_outside_the_vocabulary_is_told(tokenizer: Tokenizer, token_id: int) -> None:
    """Rather than shown as nothing."""
    with pytest.raises(UnknownTokenId, match=str(token_id)):
        tokenizer.bytes_of(token_id)


@pytest.mark.parametrize("method", ["encode", "encode_prompt"])
def test_a_lone_surrogate_is_no_text(tokenizer: Tokenizer, method: str) -> None:
    """JSON can hold one, UTF-8 cannot."""
    with pytest.raises(TokenizerError, match="surrogate"):
        getattr(tokenizer, method)("a\ud800")


def test_both_ways_of_encoding_may_run_at_once(tokenizer: Tokenizer) -> None:
    """Threads that encode with and without control tokens do not disturb each other."""
    text = "hello <|eot|> world"
    literal, rendered = tokenizer.encode(text), tokenizer.encode_prompt(text)

    def both(_: int) -> tuple[list[int], list[int]]:
        return tokenizer.encode(text), tokenizer.encode_prompt(text)

    with ThreadPoolExecutor(4) as threads:
        encoded = list(threads.map(both, range(1000)))

    assert literal != rendered
    assert encoded == [(literal, rendered)] * 1000


@pytest.mark.parametrize("content", ["", "{}", "not json"])
def test_a_file_that_is_no_tokenizer_is_told_by_name(tmp_path: Path, content: str) -> None:
    """The library's reason follows."""
    path = tmp_path / "broken.json"
    path.write_text(content)

    with pytest.raises(TokenizerError, match=r"broken\.json: not a tokenizer\.json"):
        load_tokenizer(path)


def test_only_byte_level_vocabularies_are_supported(tmp_path: Path) -> None:
    """Another alphabet would give wrong bytes."""
    model = HuggingFaceModel(models.WordLevel({"hello": 0, "日": 1}, unk_token="hello"))
    path = tmp_path / "words.json"
    model.save(str(path))

    with pytest.raises(TokenizerError, match="'日' is not written in the byte-level alphabet"):
        load_tokenizer(path)


def test_other_threads_run_while_a_long_text_is_encoded(tokenizer_json: Path) -> None:
    """A server that answers others has one of them; nobody is made to hand over while it works."""
    tokenizer = load_tokenizer(tokenizer_json)
    begun, ran = threading.Event(), threading.Event()

    def run() -> None:
        begun.wait()
        ran.set()

    other = threading.Thread(target=run)
    other.start()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(60.0)
    try:
        begun.set()
        tokenizer.encode("hello world " * 100_000)
        ran_meanwhile = ran.is_set()
    finally:
        sys.setswitchinterval(usual)
        other.join()

    assert ran_meanwhile
