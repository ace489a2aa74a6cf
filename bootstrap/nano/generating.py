"""What does Nano really write, and is it well-formed and right?

Outputs are generated for real, greedily or as the model samples by default (temperature 1, the 64
likeliest tokens, of those 0.95 of the probability). An output is well-formed when it is one thought
at most, then messages to the user or to functions, then the end. It is right when the answer holds
the value, or matches the pattern, or when it makes exactly the calls that the turn needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from bootstrap.nano.configuration import NANO
from bootstrap.nano.network import embedded
from bootstrap.nano.rendering import call_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from bootstrap.nano.conversation import Conversation
    from bootstrap.nano.rendering import Span

__all__ = ["DEFAULT", "FREE", "GREEDY", "Sampling", "Written", "generate", "is_right", "written"]

_EOS = [NANO.control("<|eot|>"), NANO.control("<|end_of_text|>")]
_PAD = NANO.control("<|pad|>")

_BODY = r"<\|message\|>((?:(?!<\|)[\s\S])+)"
_MORE = r"<\|eom\|><\|start\|>assistant"
_OUTPUT = re.compile(
    rf"(?: to=self{_BODY}{_MORE})?((?: to=(?!self)[^\s<]+{_BODY}(?:{_MORE}(?= to=)|<\|eot\|>$))+)"
)
_MESSAGE = re.compile(rf" to=([^\s<]+){_BODY}")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn; a temperature of 0 takes the likeliest."""

    temperature: float
    top_p: float = 1.0
    top_k: int = 0


GREEDY = Sampling(0.0)
DEFAULT = Sampling(1.0, top_p=0.95, top_k=64)
FREE = Sampling(1.0)
"""Any token at all, as likely as the model holds it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A well-formed output: the thought, and (recipient, body) of each message."""

    thought: str
    messages: tuple[tuple[str, str], ...]


def written(text: str) -> Written | None:
    """Read an output with its control tokens by name; None if it is malformed."""
    match = _OUTPUT.fullmatch(text)
    if match is None:
        return None
    messages = tuple((to, body) for to, body in _MESSAGE.findall(match[2]))
    if any(to == "user" for to, _ in messages) and len(messages) > 1:
        return None
    return Written(match[1] or "", messages)


def is_right(output: Written | None, conversation: Conversation, span: Span) -> bool:
    """Whether the output does what this place of the conversation asks for."""
    if output is None:
        return False
    exchange = conversation.exchanges[span.turn]
    if span.step < len(exchange.steps):
        calls = exchange.steps[span.step].calls
        return list(output.messages) == [(call.name, call_text(call)) for call in calls]
    (to, answer), *_ = output.messages
    reply = exchange.reply
    if to != "user":
        return False
    if reply.pattern:
        return re.search(reply.pattern, answer) is not None
    return _plain(reply.value) in _plain(answer)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def generate(
    model: Any,  # noqa: ANN401
    prompts: Sequence[Sequence[int]],
    device: str,
    sampling: Sampling,
    *,
    soft: Sequence[Tensor | None] | None = None,
    limit: int = 320,
) -> list[list[int]]:
    """Generate one output for each prompt, all at once, padded on the left.

    `soft[n]` takes the place of the `<|patch|>` of prompt n, in order.
    """
    model.set_attn_implementation("sdpa")
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), _PAD, dtype=torch.long)
    seen = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        seen[row, width - len(prompt) :] = 1
    ids = ids.to(device)
    how: dict[str, Any] = {"do_sample": sampling.temperature > 0}
    if sampling.temperature > 0:
        how |= {
            "temperature": sampling.temperature,
            "top_k": sampling.top_k,
            "top_p": sampling.top_p,
        }
    with torch.inference_mode():
        rows = [each for each in soft or () if each is not None and len(each)]
        cells = (ids == NANO.control("<|patch|>")).flatten().nonzero()[:, 0]
        x = embedded(model, ids, torch.cat(rows), cells) if rows else embedded(model, ids)
        out = model.generate(
            inputs_embeds=x,
            attention_mask=seen.to(device),
            max_new_tokens=limit,
            eos_token_id=_EOS,
            pad_token_id=_PAD,
            **how,
        )
    return [[token for token in row if token != _PAD] for row in out.cpu().tolist()]
