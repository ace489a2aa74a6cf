"""How closely does the shipped program follow the checkpoints it was made from?

    python -m bootstrap.nano.parity [--checkpoint DIR] [--draft DIR] [--model DIR]
                                    [--conversations N]

Held-out conversations without pictures are forwarded by transformers' eager model in float32,
whole, and by the program, one token at a time; both see the true text. Printed, for the tokens that
the model itself writes: how often both rank the same token first, how often each ranks the *true*
token first, and the size of the difference of the logits. Then each turn is written by the program
alone, greedily, after the true history, and compared with the true turn.

The draft is asked for blocks on the true text, by the program and by the same module in float32:
how often each of the three proposals is what comes, and how often both propose the same. Pictures
of other held-out conversations are encoded by both: the cosine of their rows.

Whether the lowering is exact, quantisation aside, is another question: the tests ask it.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bootstrap.nano.configuration import CHECKPOINT, DRAFT_CHECKPOINT, NANO, SHIPPED, VISION
from bootstrap.nano.evaluation import held_out
from bootstrap.nano.export import ARTIFACT, read_checkpoint, read_draft_configuration
from bootstrap.nano.rendering import Rendered, render
from bootstrap.nano.vocabulary import Encoder
from playground.vision.grid import cells
from playground.vision.pixels import open_image, resized
from playground.worker.program import ExecuTorchEngine, ProgramSession

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from bootstrap.nano.pictures.picture import Picture

__all__ = ["Agreement", "Proposals", "agreement", "main", "picture_agreement", "proposals"]


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


@dataclass(frozen=True)
class Proposals:
    """What was seen over a number of blocks; one entry for each place in a block."""

    blocks: int
    reference_right: tuple[int, ...]
    program_right: tuple[int, ...]
    same: tuple[int, ...]

    def __str__(self) -> str:
        def rates(counts: Sequence[int]) -> str:
            return ", ".join(f"{count / self.blocks:.1%}" for count in counts)

        return (
            f"{self.blocks} blocks: proposals of the draft's checkpoint right "
            f"{rates(self.reference_right)}; of the program {rates(self.program_right)}; "
            f"both the same {rates(self.same)}"
        )


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bootstrap.nano.parity", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--draft", type=Path, default=DRAFT_CHECKPOINT)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--conversations", type=int, default=16)
    options = parser.parse_args(argv)
    engine = ExecuTorchEngine.load(options.model / ARTIFACT, threads=1)
    from bootstrap.nano.network import load  # noqa: PLC0415  (transformers, seconds)

    encode = Encoder(options.model / "tokenizer.json")
    drawn = (render(held_out(n), encode) for n in range(options.conversations))
    written = [each for each in drawn if not each.pictures]
    print(agreement(load(options.checkpoint), engine, written))
    right, turns = written_turns(engine, written)
    print(f"{turns} outputs written by the program: {right / turns:.1%} are the true ones")
    print(proposals(options.checkpoint, options.draft, engine, written))
    pictures = some_pictures(options.conversations)
    lowest, mean = picture_agreement(read_checkpoint(options.checkpoint), engine, pictures)
    print(f"{len(pictures)} pictures: cosine of rows {mean:.4f} in the mean, {lowest:.4f} at least")
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


def proposals(
    checkpoint: Path,
    draft: Path,
    engine: ExecuTorchEngine,
    conversations: Sequence[Rendered],
) -> Proposals:
    """Ask the draft for the three tokens after every fourth, where the model writes them."""
    import torch  # noqa: PLC0415  (and executorch: the exporter's, seconds)

    from bootstrap.nano.draft_lowering import DraftProgram  # noqa: PLC0415
    from bootstrap.nano.lowered_layers import Lowering  # noqa: PLC0415
    from bootstrap.nano.target_lowering import TargetProgram  # noqa: PLC0415

    how, weights = Lowering(quantised=False), read_checkpoint(checkpoint)
    sizes = read_draft_configuration(draft)
    block, places = sizes.block_size, range(1, sizes.block_size)
    masks = [NANO.control("<|mask|>")] * (block - 1)
    seen = np.zeros((3, block - 1), np.int64)
    blocks = 0
    for conversation in conversations:
        ids = conversation.ids[: NANO.max_position_embeddings]
        target = TargetProgram(weights, NANO, how, sizes.target_layer_ids).eval()
        reference = DraftProgram(read_checkpoint(draft), sizes, target, weights, NANO, how).eval()
        session = engine.open_plain()
        for begin in range(0, len(ids) - 2 * block + 1, block):
            chunk, anchor = ids[begin : begin + block], begin + block
            _, hidden = session.seat.verify(chunk, begin)
            asked = [ids[anchor], *masks]
            with torch.no_grad():
                rows = target.embed_text(torch.tensor([chunk]))
                _, true_hidden = target(rows, torch.arange(begin, anchor))
                expected = reference(torch.tensor([asked]), true_hidden, torch.tensor([begin]))
            found = session.seat.draft(asked, hidden, begin)
            if not all(conversation.learned[anchor + place] for place in places):
                continue
            truth = np.array([ids[anchor + place] for place in places])
            ours, theirs = found[1:].argmax(1), expected[0, 1:].argmax(1).numpy()
            seen += np.stack([theirs == truth, ours == truth, ours == theirs])
            blocks += 1
        session.close()
    right, found_right, same = (tuple(map(int, row)) for row in seen)
    return Proposals(blocks, right, found_right, same)


def some_pictures(count: int) -> list[Picture]:
    """Return the first pictures of the held-out conversations."""
    conversations = (held_out(number) for number in itertools.count())
    pictures = (
        exchange.picture
        for conversation in conversations
        for exchange in conversation.exchanges
        if exchange.picture is not None
    )
    return list(itertools.islice(pictures, count))


def picture_agreement(
    weights: Mapping[str, Any], engine: ExecuTorchEngine, pictures: Sequence[Picture]
) -> tuple[float, float]:
    """Encode each by the program and by the tower in float32: least and mean cosine of rows."""
    import torch  # noqa: PLC0415

    from bootstrap.nano.lowered_layers import Lowering  # noqa: PLC0415
    from bootstrap.nano.vision_lowering import VisionProgram  # noqa: PLC0415

    tower = VisionProgram(weights, VISION, Lowering(quantised=False)).eval()
    cosines: list[float] = []
    for picture in pictures:
        size = cells(picture.width, picture.height, most=VISION.most_cells)
        inputs = engine.prepare(resized(open_image(picture.png), *size))
        with torch.no_grad():
            expected = tower(*map(torch.from_numpy, inputs.arrays()))[0]
        found = torch.from_numpy(engine.encode(inputs))
        cosines += torch.cosine_similarity(found, expected).tolist()
    return min(cosines), sum(cosines) / len(cosines)


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
