"""How does text become Nano's token ids, and where does its vocabulary come from?

A byte-level BPE learned from the recipe's own conversations. The pre-tokenizer is Qwen2's pattern,
which cuts digits one by one (sums are learned digit by digit) and which llama.cpp knows as `qwen2`.
Control tokens take the last ids and are matched by name.

`Encoder` gives the same ids as the `tokenizer.json` with control tokens off, several times faster
for the recipe's own text, because it remembers every piece it has seen.
"""

# ruff: noqa: PLC0415  (tokenizers and regex belong to the recipe, the pattern to everyone)

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bootstrap.nano.configuration import CONTROL_TOKENS, NANO, SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PATTERN", "Encoder", "learn"]

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def learn(texts: Iterator[str]) -> Any:  # noqa: ANN401
    """A `tokenizers.Tokenizer` whose merges come from `texts`."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=NANO.vocab_size - len(CONTROL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in CONTROL_TOKENS])
    return tokenizer


class Encoder:
    """Text to ids, control tokens off."""

    def __init__(self, path: Path = SHIPPED / "tokenizer.json") -> None:
        import regex
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.encode_special_tokens = True
        self._split = regex.compile(PATTERN).findall
        self._pieces: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """The ids of ordinary text; the name of a control token is ordinary too."""
        pieces = self._pieces
        ids: list[int] = []
        for piece in self._split(text):
            known = pieces.get(piece)
            if known is None:
                known = self._tokenizer.encode(piece, add_special_tokens=False).ids
                pieces[piece] = known
            ids += known
        return ids

    def decode(self, ids: list[int]) -> str:
        """The text of these ids, control tokens by name."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=False))


def _corpus(seed: int, size: int) -> Iterator[str]:
    from bootstrap.nano import lexicon
    from bootstrap.nano.dialogues import Mixture, converse
    from bootstrap.nano.rendering import pieces

    mixture = Mixture(notes=0.35, chat=0.5, single=0.15, whole=0.35, strange=(0.03,))
    rng = Random(seed)
    for _ in range(size):
        room = rng.choice((2000, 6500))
        for piece in pieces(converse(rng, mixture, room)):
            if piece.text not in CONTROL_TOKENS:
                yield piece.text
    for name in lexicon.__all__:
        words = getattr(lexicon, name)
        if isinstance(words, tuple):
            yield from (f" {word}" for word in words for _ in range(40))


def main() -> None:
    """Learn the vocabulary and write `tokenizer.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--conversations", type=int, default=12_000)
    parser.add_argument("--out", type=Path, default=SHIPPED / "tokenizer.json")
    arguments = parser.parse_args()
    tokenizer = learn(_corpus(arguments.seed, arguments.conversations))
    assert tokenizer.get_vocab_size() == NANO.vocab_size
    for name in CONTROL_TOKENS:
        assert tokenizer.token_to_id(name) == NANO.control(name)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(arguments.out))


if __name__ == "__main__":
    main()
