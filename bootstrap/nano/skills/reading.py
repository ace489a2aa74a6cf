"""How does it answer from a text that is pasted into the prompt?

The text stands in quotation marks or after `Text:`; the question before or after it. What the text
does not say is not answered. The thought quotes the sentence that settles the question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.passages import compose
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.passages import Passage, Point

__all__ = ["NOT_SAID", "reading"]

NOT_SAID = "The text does not say."

_AROUND = (
    "Text:\n{text}\n\n{ask}", "Text: {text}\n\nQuestion: {ask}", '"{text}"\n\n{ask}',
    'Read this text:\n"{text}"\n{ask}', "{ask}\n\nText:\n{text}", '{ask}\n\n"{text}"',
    "Read the text and answer the question.\n\n{text}\n\n{ask}",
    "Answer from the text only.\n\nText: {text}\n\nQuestion: {ask}",
    'Here is a text: "{text}" {ask}', "Based on the following text: {ask}\n\n{text}",
    '"""\n{text}\n"""\n{ask}', "I got this text:\n\n{text}\n\n{ask}",
    "Question: {ask}\nText: {text}", "---\n{text}\n---\n{ask}",
)  # fmt: skip
_SUM_UP = (
    "What is the text about?", "Sum up the text in one sentence.", "What kind of text is this?",
    "Summarise the text in one sentence.", "Give me a one-sentence summary.",
    "What is this about?", "Summarise this.", "In one sentence: what is this?",
    "What sort of text is it?", "Please give a short summary.",
)  # fmt: skip


def _asked(rng: Random, passage: Passage, point: Point) -> tuple[str, str, str, str]:
    """A question about a point: question, evidence, answer, value."""
    question, answer, value = rng.choice(passage.questions(point))
    sentence = passage.said.get(point.about)
    if sentence is None:
        return question, f"The text says nothing about the {point.about}.", NOT_SAID, "not say"
    return question, f'The text says: "{sentence}"', answer, value


def reading(rng: Random) -> Exchange:
    """A text and one or two questions about it, or a wish for a summary."""
    passage = compose(rng)
    genre = passage.genre
    present = [point for point in genre.points if point.about in passage.said]
    absent = [point for point in genre.points if point.about not in passage.said]
    draw = rng.random()
    if draw < 0.1:
        ask, answer = rng.choice(_SUM_UP), passage.summary
        evidence, value = f"The text is a {genre.name}.", answer
        if genre.name == "minutes":
            evidence = "The text is the minutes of a meeting."
    elif draw < 0.25:
        points = rng.sample(present, 2)
        if rng.random() < 0.25:
            points[rng.randrange(2)] = rng.choice(absent)
        first, second = (_asked(rng, passage, point) for point in points)
        ask, evidence, answer = (f"{a} {b}" for a, b in zip(first[:3], second[:3], strict=True))
        value = answer
    else:
        point = rng.choice(absent if draw > 0.83 else present)
        ask, evidence, answer, value = _asked(rng, passage, point)
    thoughts = think(
        wants="The user asks about the text.",
        work=evidence,
        so="So that is what I tell the user.",
        check="I use nothing but the text, and I add nothing.",
        restated=f"The question: {ask}",
        plan="What the text does not say, I do not say; the answer is one short sentence.",
    )
    user = rng.choice(_AROUND).format(text=passage.text, ask=ask)
    return Exchange(user, Reply("reading", thoughts, answer, value))
