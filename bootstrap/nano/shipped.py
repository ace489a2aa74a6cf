"""How often is the program that ships right, int8 and all?

The last turn of held-out conversations is generated greedily by the worker's own engine, drafting
included, and compared with the turn that is right: word for word, thoughts included, and by whether
the answer holds the value that was asked for and has the pattern. Tools and pictures are left to
the scenarios `nano-skills` and `picture-probe`, which ask over HTTP.

    python -m bootstrap.nano.shipped [--conversations N]

Needs the embedded extra alone; about 0.7 s a conversation on one core.
"""

from __future__ import annotations

import argparse
import json
import re
from random import Random
from typing import TYPE_CHECKING

from bootstrap.nano.configuration import NANO, SHIPPED
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.rendering import render
from playground.tokens import load_tokenizer
from playground.worker.engine import Limits
from playground.worker.messages import Sampling
from playground.worker.program import ExecuTorchEngine
from playground.worker.sampling import sampler_for

if TYPE_CHECKING:
    from playground.worker.engine import Session

__all__ = ["generate", "main"]

_END = NANO.control("<|eot|>")
_LIMIT = 400
_MIXTURE = Mixture(notes=0.6, chat=0.4, single=0.0)


def generate(session: Session, prompt: list[int], chunk: int) -> list[int]:
    """One greedy turn from an empty cache, `<|eot|>` included."""
    session.rewind(0)
    for start in range(0, len(prompt), chunk):
        session.prefill(prompt[start : start + chunk])
    sampler, limits = sampler_for(Sampling()), Limits(eos_ids=frozenset({_END}))
    output: list[int] = []
    while _END not in output and len(output) < _LIMIT:
        output += session.decode(sampler, limits)
    return output


def main() -> None:
    """Print how many turns are right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--conversations", type=int, default=150)
    arguments = parser.parse_args()
    tokenizer = load_tokenizer(SHIPPED / "tokenizer.json")
    engine = ExecuTorchEngine.load(SHIPPED / "muse-nano.pte", max_sessions=1)
    session = engine.open()
    tried = exact = valued = 0
    for number in range(arguments.conversations):
        conversation = converse(Random(f"held-out/shipped/{number}"), _MIXTURE, 7000)
        rendered = render(conversation, tokenizer.encode)
        span, reply = rendered.spans[-1], conversation.exchanges[-1].reply
        if span.stop > NANO.max_position_embeddings:
            continue
        output = generate(session, rendered.ids[: span.start], engine.info.max_prefill_chunk)
        text = b"".join(map(tokenizer.bytes_of, output)).decode("utf-8", "replace")
        tried += 1
        exact += output == rendered.ids[span.start : span.stop]
        answer = text.rpartition(" to=user<|message|>")[2]
        valued += reply.value in answer and bool(re.search(reply.pattern, answer))
    print(json.dumps({"turns": tried, "word_for_word": exact, "value_in_the_answer": valued}))


if __name__ == "__main__":
    main()
