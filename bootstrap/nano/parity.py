"""How closely does the shipped program follow the checkpoint it was made from?

    python -m bootstrap.nano.parity [--checkpoint DIR] [--model DIR] [--conversations N]

Held-out conversations are forwarded by transformers' eager model in float32, whole, and by the
program, one token at a time; both see the true text. Printed, for the tokens that the model itself
writes: how often both rank the same token first, how often both rank the *true* token first or
both miss it, and the size of the difference of the logits. Then each turn is written by the
program alone, greedily, after the true history, and compared with the true turn.

Whether the lowering is exact, quantisation aside, is another question: the tests ask it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bootstrap.nano.configuration import CHECKPOINT, NANO, SHIPPED
from bootstrap.nano.evaluation import held_out
from bootstrap.nano.export import ARTIFACT
from bootstrap.nano.rendering import Rendered, render
from bootstrap.nano.vocabulary import Encoder
from playground.worker.program import ExecuTorchEngine, ProgramSession

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Agreement", "agreement", "main"]


@dataclass(frozen=True)
class Agreement:
    """What was seen over a number of tokens."""

    tokens: int
    same_first: int
    reference_right: int
    program_right: int
    relative_error: float  # of the logits, root mean square

    def __str__(self) -> str:
        return (
            f"{self.tokens} tokens: same choice {self.same_first / self.tokens:.2%}, "
            f"true token chosen by the checkpoint {self.reference_right / self.tokens:.2%}, "
            f"by the program {self.program_right / self.tokens:.2%}, "
            f"logits differ by {self.relative_error:.1%}"
        )


class Keep:
    """A sampler that keeps the logits it is shown."""

    def __init__(self) -> None:
        self.logits: NDArray[np.float32] = np.empty(0, np.float32)

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Take the likeliest token."""
        self.logits = logits
        return int(logits.argmax())


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bootstrap.nano.parity", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--conversations", type=int, default=16)
    options = parser.parse_args(argv)
    engine = ExecuTorchEngine.load(options.model / ARTIFACT)
    from bootstrap.nano.network import load  # noqa: PLC0415  (transformers, seconds)

    reference = load(options.checkpoint)
    encode = Encoder(options.model / "tokenizer.json")
    conversations = [render(held_out(n), encode) for n in range(options.conversations)]
    print(agreement(reference, engine, conversations))
    right, turns = written_turns(engine, conversations)
    print(f"{turns} turns written by the program: {right / turns:.1%} are the true turn")
    return 0


def agreement(
    reference: Any,  # noqa: ANN401
    engine: ExecuTorchEngine,
    conversations: Sequence[Rendered],
) -> Agreement:
    """Compare the two on the learned tokens of `conversations`."""
    tokens = same = reference_right = program_right = 0
    error = size = 0.0
    for conversation in conversations:
        expected = _reference_logits(reference, conversation.ids)
        for place, found in _program_logits(engine, conversation.ids):
            if not conversation.learned[place + 1]:
                continue
            truth, row = conversation.ids[place + 1], expected[place]
            tokens += 1
            same += int(row.argmax() == found.argmax())
            reference_right += int(row.argmax() == truth)
            program_right += int(found.argmax() == truth)
            error += float(np.square(found - row).sum())
            size += float(np.square(row).sum())
    return Agreement(tokens, same, reference_right, program_right, (error / size) ** 0.5)


def written_turns(engine: ExecuTorchEngine, conversations: Sequence[Rendered]) -> tuple[int, int]:
    """Let the program write the whole turns after the true history: (right, all)."""
    right = turns = 0
    for conversation in conversations:
        for span in conversation.spans:
            if not all(conversation.learned[span.start : span.stop]):
                continue  # a thought was left out of the history; the model would write it
            truth = conversation.ids[span.start : span.stop]
            session = engine.open_plain()
            _prefill(session, conversation.ids[: span.start], engine.info.max_prefill_chunk)
            written: list[int] = []
            sampler = Keep()
            while len(written) < len(truth) and written == truth[: len(written)]:
                written += session.decode(sampler)
            session.close()
            right += written == truth
            turns += 1
    return right, turns


def _prefill(session: ProgramSession, ids: Sequence[int], chunk: int) -> None:
    for begin in range(0, len(ids), chunk):
        session.prefill(ids[begin : begin + chunk])


def _reference_logits(model: Any, ids: Sequence[int]) -> NDArray[np.float32]:  # noqa: ANN401
    import torch  # noqa: PLC0415

    model.model.language_model.config._attn_implementation = "eager"  # noqa: SLF001
    with torch.no_grad():
        logits: NDArray[np.float32] = model(input_ids=torch.tensor([list(ids)])).logits[0].numpy()
    return logits


def _program_logits(
    engine: ExecuTorchEngine, ids: Sequence[int]
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield (place, logits after it) for every token but the last."""
    session = engine.open_plain()
    sampler = Keep()
    for place, token in enumerate(ids[: NANO.max_position_embeddings][:-1]):
        session.prefill([token])
        session.decode(sampler)
        yield place, sampler.logits
    session.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
