"""How often is Nano right on conversations that it was not trained on?

Two ways. *Exact*: the right turn is fed in, and the turn passes when the most likely token is the
right one at every place; that is what greedy decoding writes, word for word, thoughts included, so
it is strict, and it is cheap enough for thousands of turns. *Sampled*: turns are really generated
at temperature 1, and it is counted how many are well-formed Harmony and hold the value asked for.

Recall is split by how many tokens back the fact was told, and by the form of the history: `warm`
keeps the thoughts of every earlier turn, `cold` of none, `mixed` of some.

    python -m bootstrap.nano.evaluation [--checkpoint DIR] [--conversations N]
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import torch

from bootstrap.nano.configuration import CHECKPOINT, CONTROL_TOKENS, NANO
from bootstrap.nano.dialogues import Conversation, Mixture, converse
from bootstrap.nano.network import dense_masks, hidden_states, load, logits
from bootstrap.nano.rendering import Rendered, pieces, render
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.vocabulary import Encoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["evaluate", "held_out", "well_formed"]

_PAD = NANO.control("<|pad|>")
_BANDS = (256, 512, 1024, 1536, 2048)
_RECALL = "recall"

WELL_FORMED = re.compile(
    r"(?: to=self<\|message\|>(?P<thought>[^<]+)<\|eom\|><\|start\|>assistant)?"
    r" to=user<\|message\|>(?P<answer>[^<]+)<\|eot\|>"
)


def well_formed(text: str) -> re.Match[str] | None:
    """The turn's match when it is one thought at most, then one answer, then the end."""
    return WELL_FORMED.fullmatch(text)


def held_out(number: int) -> Conversation:
    """Conversation `number` of the evaluation; no training seed leads to it."""
    rng = Random(f"held-out/{number}")
    return converse(rng, Mixture(notes=0.5, chat=0.4, single=0.1), 7000)


def _distance(conversation: Conversation, turn: int, encode: Callable[[str], list[int]]) -> int:
    """How many tokens before the turn's output the fact that settles it was told."""
    needle = conversation.exchanges[turn].needle
    distance, latest = 0, -1
    for piece in pieces(conversation):
        if piece.turn == turn:
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


def _right_turns(
    model: Any,  # noqa: ANN401
    rendered: list[Rendered],
    device: str,
) -> list[dict[int, bool]]:
    """For each conversation: which turns are right token for token."""
    length = max(len(one.ids) for one in rendered)
    ids = torch.full((len(rendered), length), _PAD, dtype=torch.long)
    for row, one in enumerate(rendered):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
    ids = ids.to(device)
    with torch.inference_mode():
        hidden = hidden_states(model, ids, dense_masks(ids))
        best = torch.stack([logits(model, row[:-1]).argmax(-1) for row in hidden])
    agrees = (best == ids[:, 1:]).cpu()
    return [
        {
            span.turn: bool(agrees[row, span.start - 1 : span.stop - 1].all())
            for span in one.spans
            if all(one.learned[span.start : span.stop])
        }
        for row, one in enumerate(rendered)
    ]


def _exact(model: Any, count: int, device: str, encode: Encoder) -> dict[str, Any]:  # noqa: ANN401
    skills, distances, histories, strengths = _Tally(), _Tally(), _Tally(), _Tally()
    turns_in = _Tally()
    wrong: list[dict[str, str]] = []
    for first in range(0, count, 32):
        conversations = [held_out(k) for k in range(first, min(first + 32, count))]
        rendered = [render(conversation, encode) for conversation in conversations]
        keep = [k for k, one in enumerate(rendered) if len(one.ids) <= NANO.max_position_embeddings]
        results = _right_turns(model, [rendered[k] for k in keep], device)
        for k, result in zip(keep, results, strict=True):
            conversation = conversations[k]
            for turn, passed in result.items():
                exchange = conversation.exchanges[turn]
                skill = exchange.reply.skill
                if skill == "story":
                    continue
                skills.add(skill, passed=passed)
                strengths.add(conversation.strength, passed=passed)
                if not passed and len(wrong) < 60:
                    wrong.append({"skill": skill, "user": exchange.user[-120:]})
                if skill.startswith(_RECALL):
                    distances.add(_band(_distance(conversation, turn, encode)), passed=passed)
                    histories.add(_history(conversation, turn), passed=passed)
                    if conversation.shape == "notes" and turn in {1, 2, 3}:
                        turns_in.add(f"turn {turn + 1}", passed=passed)
    return {
        "by_skill": skills.rates(),
        "by_strength": strengths.rates(),
        "recall_by_distance": distances.rates(),
        "recall_by_history": histories.rates(),
        "recall_after_long_notes": turns_in.rates(),
        "wrong": wrong,
    }


def _thought_lengths(model_texts: Iterable[tuple[str, str]]) -> dict[str, float]:
    lengths: dict[str, list[int]] = defaultdict(list)
    for strength, text in model_texts:
        match = well_formed(text)
        if match:
            lengths[strength].append(len(match["thought"] or ""))
    return {
        strength: round(sum(lengths[strength]) / len(lengths[strength]), 1)
        for strength in STRENGTHS
        if lengths[strength]
    }


def generate(
    model: Any,  # noqa: ANN401
    prompts: list[list[int]],
    device: str,
    *,
    temperature: float,
    limit: int = 320,
) -> list[list[int]]:
    """Generate one turn for each prompt, all at once, padded on the left."""
    model.set_attn_implementation("sdpa")
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), _PAD, dtype=torch.long)
    seen = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        seen[row, width - len(prompt) :] = 1
    sampling: dict[str, Any] = (
        {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        if temperature
        else {"do_sample": False}
    )
    with torch.inference_mode():
        out = model.generate(
            input_ids=ids.to(device),
            attention_mask=seen.to(device),
            max_new_tokens=limit,
            eos_token_id=[NANO.control("<|eot|>"), NANO.control("<|end_of_text|>")],
            pad_token_id=_PAD,
            **sampling,
        )
    return [[token for token in row[width:] if token != _PAD] for row in out.cpu().tolist()]


def _sampled(
    model: Any,  # noqa: ANN401
    count: int,
    device: str,
    encode: Encoder,
    temperature: float,
) -> dict[str, Any]:
    torch.manual_seed(0)
    cases: list[tuple[Conversation, int, list[int]]] = []
    for number in range(count):
        conversation = held_out(10_000_000 + number)
        rendered = render(conversation, encode)
        span = rendered.spans[-1]
        if span.stop <= NANO.max_position_embeddings - 60:
            cases.append((conversation, span.turn, rendered.ids[: span.start]))
    cases.sort(key=lambda case: len(case[2]))
    formed, valued = _Tally(), _Tally()
    texts: list[tuple[str, str]] = []
    for first in range(0, len(cases), 128):
        group = cases[first : first + 128]
        outputs = generate(
            model, [prompt for _, _, prompt in group], device, temperature=temperature
        )
        for (conversation, turn, _), output in zip(group, outputs, strict=True):
            text = encode.decode(output)
            reply = conversation.exchanges[turn].reply
            match = well_formed(text)
            formed.add("well formed", passed=match is not None)
            texts.append((conversation.strength, text))
            if reply.value:
                right = match is not None and reply.value in match["answer"]
                valued.add("value in the answer", passed=right)
    return {
        "temperature": temperature,
        **formed.rates(),
        **valued.rates(),
        "mean_thought_characters": _thought_lengths(texts),
    }


def evaluate(model: Any, conversations: int, device: str, sampled: int = 256) -> dict[str, Any]:  # noqa: ANN401
    """All results as one JSON-ready mapping."""
    encode = Encoder()
    results: dict[str, Any] = {
        "conversations": conversations,
        "exact": _exact(model, conversations, device, encode),
    }
    if sampled:
        results["sampled"] = [
            _sampled(model, sampled, device, encode, temperature) for temperature in (0.0, 1.0)
        ]
    return results


def main() -> None:
    """Evaluate a checkpoint and write `evaluation.json` beside it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--conversations", type=int, default=1536)
    parser.add_argument("--sampled", type=int, default=256)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load(arguments.checkpoint).to(device)
    results = evaluate(model, arguments.conversations, device, arguments.sampled)
    out = arguments.out or arguments.checkpoint / "evaluation.json"
    out.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
