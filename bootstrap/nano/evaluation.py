"""How often is Nano right on conversations that it was not trained on?

Two ways. *Exact*: the right output is fed in, and it passes when the most likely token is the right
one at every place; that is what greedy decoding writes, word for word, thoughts included, so it is
strict, and it is cheap enough for thousands of outputs. *Generated*: outputs are really written,
greedily, as the model samples by default and freely, and it is counted how many are well-formed and
right (`generating.py`).

Recall is split by how many tokens back the fact was told, and by the form of the history: `warm`
keeps the thoughts of every earlier turn, `cold` of none, `mixed` of some. What pictures show is
asked a second time with another picture in its place: how often the output stays right then says
how much could be guessed without looking.

    python -m bootstrap.nano.evaluation [--checkpoint DIR] [--conversations N]
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import torch

from bootstrap.nano.attention import dense_masks, dense_picture_mask
from bootstrap.nano.configuration import CHECKPOINT, CONTROL_TOKENS, NANO, SHIPPED, VISION
from bootstrap.nano.dialogues import Conversation, Mixture, converse
from bootstrap.nano.feeding import encoder, workers
from bootstrap.nano.generating import DEFAULT, FREE, GREEDY, Sampling, generate, is_right, written
from bootstrap.nano.network import hidden_states, load, logits
from bootstrap.nano.packing import SHEET, Packer
from bootstrap.nano.rendering import Rendered, Span, pieces, render, skill_of
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.vision import Sheets, picture_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.pool import Pool

    from torch import Tensor

__all__ = ["Case", "Cases", "evaluate", "held_out", "write"]

_BANDS = (256, 512, 1024, 1536, 2048)
_RECALL = "recall"
_GENERATED = 10_000_000  # numbers of held-out conversations that outputs are generated for
_ROOM = 60  # tokens that an output may have more than the longest expected one
_GROUP = 32
_SHOWN = 5  # wrong outputs of each skill that are kept


def held_out(number: int) -> Conversation:
    """Conversation `number` of the evaluation; no training seed leads to it."""
    rng = Random(f"held-out/{number}")
    return converse(rng, Mixture(notes=0.4, chat=0.5, single=0.1, whole=0.45), 7000)


@dataclass(frozen=True, slots=True)
class Case:
    """A held-out conversation and its tokens."""

    conversation: Conversation
    rendered: Rendered


def _case(number: int) -> Case:
    conversation = held_out(number)
    return Case(conversation, render(conversation, encoder()))


class Cases:
    """The held-out cases, made by the pool's processes while the GPU trains."""

    def __init__(self, exact: int, generated: int, pool: Pool | None, wanted: bool = True) -> None:  # noqa: FBT001, FBT002
        self._pool = pool
        numbers = [range(exact), range(_GENERATED, _GENERATED + generated)]
        self._numbers = numbers if wanted else []
        self._made = [pool.map_async(_case, each, 8) for each in self._numbers] if pool else []

    def exact(self) -> list[Case]:
        """Those that are looked at token for token."""
        return self._get(0)

    def generated(self) -> list[Case]:
        """Those that outputs are generated for."""
        return self._get(1)

    def _get(self, which: int) -> list[Case]:
        cases = self._made[which].get() if self._made else map(_case, self._numbers[which])
        return [case for case in cases if len(case.rendered.ids) <= NANO.max_position_embeddings]


class _Tally:
    """Passes and tries by name."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])

    def add(self, name: str, *, passed: bool) -> None:
        self._counts[name][0] += passed
        self._counts[name][1] += 1

    def rates(self) -> dict[str, dict[str, float]]:
        return {
            name: {"rate": round(passed / tries, 4), "n": tries}
            for name, (passed, tries) in sorted(self._counts.items())
        }

    def whole(self) -> dict[str, float]:
        passed = sum(count[0] for count in self._counts.values())
        tries = sum(count[1] for count in self._counts.values())
        return {"rate": round(passed / max(tries, 1), 4), "n": tries}


def _distance(conversation: Conversation, span: Span, encode: Callable[[str], list[int]]) -> int:
    """How many tokens before the output the fact that settles it was told."""
    needle = conversation.exchanges[span.turn].needle
    distance, latest = 0, -1
    for piece in pieces(conversation):
        if piece.turn == span.turn:
            break
        size = 1 if piece.text in CONTROL_TOKENS else len(encode(piece.text))
        at = piece.text.rfind(needle) if piece.turn is None else -1
        if at >= 0:
            latest = distance + len(encode(piece.text[:at]))
        distance += size
    return distance - latest


def _band(distance: int) -> str:
    below = next(limit for limit in _BANDS if distance < limit or limit == _BANDS[-1])
    return f"< {below}"


def _history(conversation: Conversation, turn: int) -> str:
    before = conversation.kept[:turn]
    if not before:
        return "first turn"
    return "warm" if all(before) else "mixed" if any(before) else "cold"


def _pictures(model: Any, sheets: Sheets) -> Tensor:  # noqa: ANN401
    return picture_rows(model, sheets, dense_picture_mask(sheets.pictures))


def _packed(rendered: list[Rendered], device: str) -> tuple[Tensor, Sheets | None]:
    """One conversation a row: ids `[rows, longest]`, and their pictures."""
    patches = sum(p.rows * p.columns for one in rendered for p in one.pictures)
    patches *= VISION.merge_size**2
    sheets = -(-patches // (SHEET - VISION.most_patches)) if patches else 0
    packer = Packer(len(rendered), sheets, max(len(one.ids) for one in rendered))
    for row, one in enumerate(rendered):
        assert packer.place(row, one)
    made = packer.done()
    tokens = torch.from_numpy((made.tokens & (NANO.vocab_size - 1)).astype("int64")).to(device)
    if not sheets:
        return tokens, None
    arrays = (made.patches, made.places, made.pictures, made.cells)
    return tokens, Sheets(*(torch.from_numpy(each).to(device) for each in arrays))


def _right_outputs(
    model: Any,  # noqa: ANN401
    rendered: list[Rendered],
    device: str,
    *,
    exchanged: bool = False,
) -> list[dict[Span, bool]]:
    """For each conversation: which outputs are right token for token.

    `exchanged` shows in the place of each picture the next one.
    """
    ids, sheets = _packed(rendered, device)
    with torch.inference_mode():
        soft = None if sheets is None else _pictures(model, sheets)
        cells = None if sheets is None else sheets.cells
        if exchanged and sheets is not None and soft is not None:
            soft = soft[_exchanged(sheets)]
        hidden = hidden_states(model, ids, dense_masks(ids), soft, cells)
        best = torch.stack([logits(model, row[:-1]).argmax(-1) for row in hidden])
    agrees = (best == ids[:, 1:]).cpu()
    return [
        {
            span: bool(agrees[row, span.start - 1 : span.stop - 1].all())
            for span in one.spans
            if all(one.learned[span.start : span.stop])
        }
        for row, one in enumerate(rendered)
    ]


def _exchanged(sheets: Sheets) -> Tensor:
    """For every cell one of the next picture, which begins anew where it is smaller."""
    picture = sheets.pictures.flatten()[:: VISION.merge_size**2].cpu()
    where = [(picture == number).nonzero()[:, 0] for number in range(1, int(picture.max()) + 1)]
    order = torch.arange(len(picture))
    for one, other in zip(where, where[1:] + where[:1], strict=True):
        order[one] = other[torch.arange(len(one)) % len(other)]
    return order.to(sheets.cells.device)


def _exact(model: Any, cases: list[Case], device: str) -> dict[str, Any]:  # noqa: ANN401
    names = ("by_skill", "by_shape", "by_strength", "recall_by_distance", "recall_by_history",
             "pictures_exchanged")  # fmt: skip
    tallies = {name: _Tally() for name in names}
    wrong: dict[str, list[str]] = defaultdict(list)
    for first in range(0, len(cases), _GROUP):
        group = cases[first : first + _GROUP]
        results = _right_outputs(model, [case.rendered for case in group], device)
        for case, result in zip(group, results, strict=True):
            for span, passed in result.items():
                skill = _tallied(tallies, case, span, passed=passed)
                if not passed and len(wrong[skill]) < _SHOWN:
                    wrong[skill].append(case.conversation.exchanges[span.turn].user[-160:])
    seen = [case for case in cases if case.rendered.pictures]
    for first in range(0, len(seen), _GROUP):
        group = seen[first : first + _GROUP]
        rendered = [case.rendered for case in group]
        results = _right_outputs(model, rendered, device, exchanged=True)
        for case, result in zip(group, results, strict=True):
            for span, passed in result.items():
                exchange = case.conversation.exchanges[span.turn]
                if exchange.picture is not None:
                    tallies["pictures_exchanged"].add(skill_of(exchange, span.step), passed=passed)
    return {
        "overall": tallies["by_skill"].whole(),
        **{name: tally.rates() for name, tally in tallies.items()},
        "wrong": dict(wrong),
    }


def _tallied(tallies: dict[str, _Tally], case: Case, span: Span, *, passed: bool) -> str:
    conversation = case.conversation
    skill = skill_of(conversation.exchanges[span.turn], span.step)
    tallies["by_skill"].add(skill, passed=passed)
    tallies["by_shape"].add(conversation.shape, passed=passed)
    tallies["by_strength"].add(conversation.strength, passed=passed)
    if skill.startswith(_RECALL):
        distance = _distance(conversation, span, encoder())
        tallies["recall_by_distance"].add(_band(distance), passed=passed)
        tallies["recall_by_history"].add(_history(conversation, span.turn), passed=passed)
    return skill


def _thought_lengths(thoughts: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Median characters of the thoughts that are not empty, by strength."""
    lengths: dict[str, list[int]] = defaultdict(list)
    for strength, thought in thoughts:
        if thought:
            lengths[strength].append(len(thought))
    return {each: median(lengths[each]) for each in STRENGTHS if lengths[each]}


def _soft(model: Any, rendered: Rendered, until: int, device: str) -> Tensor | None:  # noqa: ANN401
    """The rows of the pictures that stand before token `until`."""
    before = [picture for picture in rendered.pictures if picture.at < until]
    if not before:
        return None
    _, sheets = _packed([Rendered(rendered.ids, rendered.learned, [], before)], device)
    assert sheets is not None
    with torch.inference_mode():
        return _pictures(model, sheets)[sheets.cells < len(rendered.ids)]


def _generated(
    model: Any,  # noqa: ANN401
    cases: list[Case],
    device: str,
    sampling: Sampling,
) -> dict[str, Any]:
    """Generate one output of each conversation: its last call, or else its last answer."""
    torch.manual_seed(0)
    todo: list[tuple[Case, Span]] = []
    for case in cases:
        calls = [span for span in case.rendered.spans if _is_call(case, span)]
        span = (calls or case.rendered.spans)[-1]
        if span.stop <= NANO.max_position_embeddings - _ROOM:
            todo.append((case, span))
    todo.sort(key=lambda each: each[1].start)
    skills, malformed = _Tally(), 0
    thoughts: list[tuple[str, str]] = []
    wrong: dict[str, list[dict[str, str]]] = defaultdict(list)
    for first in range(0, len(todo), 256):
        group = todo[first : first + 256]
        prompts = [case.rendered.ids[: span.start] for case, span in group]
        soft = [_soft(model, case.rendered, span.start, device) for case, span in group]
        limit = max(span.stop - span.start for _, span in group) + _ROOM
        outputs = generate(model, prompts, device, sampling, soft=soft, limit=limit)
        for (case, span), ids in zip(group, outputs, strict=True):
            text = encoder().decode(ids)
            output = written(text)
            malformed += output is None
            exchange = case.conversation.exchanges[span.turn]
            skill = skill_of(exchange, span.step)
            passed = is_right(output, case.conversation, span)
            skills.add(skill, passed=passed)
            thoughts.append((case.conversation.strength, output.thought if output else ""))
            if not passed and len(wrong[skill]) < _SHOWN:
                wrong[skill].append({"user": exchange.user[-200:], "wrote": text[-300:]})
    return {
        "temperature": sampling.temperature,
        "overall": skills.whole(),
        "malformed": malformed,
        "by_skill": skills.rates(),
        "median_thought_characters": _thought_lengths(thoughts),
        "wrong": dict(wrong),
    }


def _is_call(case: Case, span: Span) -> bool:
    return span.step < len(case.conversation.exchanges[span.turn].steps)


def evaluate(model: Any, cases: Cases, device: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """All results as one JSON-ready mapping; given again whenever there is more of it."""
    exact, generated = cases.exact(), cases.generated()
    results: dict[str, Any] = {"conversations": len(exact)}
    results["exact"] = _exact(model, exact, device)
    yield results
    results["generated"] = []
    for sampling in (GREEDY, DEFAULT, FREE) if generated else ():
        results["generated"].append(_generated(model, generated, device, sampling))
        yield results


def write(results: Iterator[dict[str, Any]], path: Path) -> None:
    """Write the results down as they come, and say how many outputs were right."""
    for found in results:
        path.write_text(json.dumps(found, indent=2) + "\n")
        parts = [found["exact"], *found.get("generated", ())]
        print([part["overall"] for part in parts], flush=True)


def main() -> None:
    """Evaluate a checkpoint and write `evaluation.json` beside it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--tokenizer", type=Path, default=SHIPPED / "tokenizer.json")
    parser.add_argument("--conversations", type=int, default=1536)
    parser.add_argument("--sampled", type=int, default=256)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load(arguments.checkpoint).to(device)
    with workers(arguments.workers, arguments.tokenizer) as pool:
        cases = Cases(arguments.conversations, arguments.sampled, pool)
        out = arguments.out or arguments.checkpoint / "evaluation.json"
        write(evaluate(model, cases, device), out)


if __name__ == "__main__":
    main()
