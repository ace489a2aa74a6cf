"""Which questions does a stranger ask Nano, and how does he judge the answers?

Held-out cases for the harness, one JSON object a line: conversations in OpenAI's shape that end
with a message to be answered, and what a right answer says. They are drawn from seeds that no
training run and no evaluation uses, so a case is new to the model wherever a skill has more draws
than training saw; where a skill is a table (facts about the world), it is asked by heart.

    python -m bootstrap.nano.cases --out scenarios/cases

writes `nano-skills.jsonl` (text; what is said before a question is said as the assistant would have
said it) and `picture-probe.jsonl` (pairs: one question about two pictures that differ in what is
asked, so that who does not look is wrong once at least).

    {"id", "skill", "pair": id or null, "system": str or null, "strength",
     "messages": [...], "tools": [...], "expect": {"contains", "excludes", "matches", "calls"}}

`contains` and `excludes` look at neither case nor white space, `matches` is a regular expression
to be found in the answer, `calls` are the function calls wanted instead of an answer.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bootstrap.nano.conversation import Conversation
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.dressing import dressed
from bootstrap.nano.pictures.appearance import colour_of_ground
from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.pairs import scenes
from bootstrap.nano.pictures.questions import GROUPS as PICTURE_GROUPS
from bootstrap.nano.pictures.questions import no_picture
from bootstrap.nano.rendering import skill_of
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.skills.catalogue import other

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootstrap.nano.replies import Call, Exchange, Reply, ToolSpec

__all__ = ["expected", "picture_cases", "text_cases"]

Case = dict[str, Any]  # a line of JSON

_GROUPS: dict[str, tuple[str, ...]] = {
    "recall": ("recall from notes", "recall of a told fact", "recall after a correction",
               "two questions at once", "reading a note", "finding a note",
               "what it knows about the user", "sum with a told number"),
    "noting and confirming": ("noting a fact", "correcting a fact", "confirming notes",
                              "confirming a claim", "saying I don't know"),
    "arithmetic": ("addition", "subtraction", "times tables", "division", "story sum", "comparing",
                   "odd or even", "number words"),
    "words": ("repeating", "saying it n times", "reversing words", "picking a word", "spelling",
              "spelling backwards", "first letter", "searching a list", "counting",
              "counting words", "counting letters", "counting one letter"),
    "upper and lower case": ("upper case", "lower case"),
    "date": ("date", "calendar", "year"),
}  # fmt: skip
_OWN = (
    "instructions", "dates and weekdays", "world facts", "lists", "multi-step sums", "stories",
    "python code", "refusals", "markdown", "reading", "unit conversion", "tool calls",
    "tool results", "no tool needed",
)  # fmt: skip
_SMALL_TALK = "small talk"
_GROUP_OF = {skill: group for group, skills in _GROUPS.items() for skill in skills}
_TEXT_GROUPS = (*_GROUPS, *_OWN, _SMALL_TALK)
_CASED = "upper and lower case"
_ABOUT_TODAY = re.compile(
    r"\b(today|tomorrow|yesterday|date|year|now|day is it|month)\b|(weekday|it) in \d+ days",
    re.IGNORECASE,
)
_ROOM = 3000  # characters of a conversation
_LATER = 0.4  # of the picture cases, but for two groups, ask in a later turn
_BETWEEN = 0.5  # of those have a turn about something else between
_PNG = 2600  # bytes of a picture, so that hundreds of them are a small file


def _group(skill: str) -> str:
    return skill if skill in _OWN else _GROUP_OF.get(skill, _SMALL_TALK)


def _called(calls: tuple[Call, ...], first: int) -> Case:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call_{first + k}",
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for k, call in enumerate(calls)
        ],
    }


def _user(exchange: Exchange) -> Case:
    if exchange.picture is None:
        return {"role": "user", "content": exchange.user}
    url = "data:image/png;base64," + base64.b64encode(exchange.picture.png).decode("ascii")
    parts = [{"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": [*parts, {"type": "text", "text": exchange.user}]}


def _messages(exchanges: tuple[Exchange, ...], steps: int) -> list[Case]:
    """All turns, of the last one only the user's message and the first `steps` tool steps."""
    told: list[Case] = []
    calls = 0
    for turn, exchange in enumerate(exchanges):
        last = turn == len(exchanges) - 1
        told.append(_user(exchange))
        for step in exchange.steps[: steps if last else None]:
            told.append(_called(step.calls, calls))
            for k, output in enumerate(step.outputs):
                told.append(
                    {"role": "tool", "tool_call_id": f"call_{calls + k}", "content": output}
                )
            calls += len(step.calls)
        if not last:
            told.append({"role": "assistant", "content": exchange.reply.answer})
    return told


def _declared(tools: tuple[ToolSpec, ...]) -> list[Case]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def expected(reply: Reply, opposite: str = "") -> Case:
    """What an answer must say to pass for this reply, and must not say if it can be told apart."""
    exact = _group(reply.skill) == _CASED
    excludes = [opposite] if opposite and opposite.lower() not in reply.answer.lower() else []
    return {
        "contains": [reply.value] if reply.value and not exact else [],
        "excludes": excludes,
        "matches": re.escape(reply.value) if exact else reply.pattern or None,
        "calls": None,
    }


def _case(conversation: Conversation, steps: int) -> Case:
    """A case that ends where output number `steps` of the last turn is due."""
    exchange = conversation.exchanges[-1]
    due = exchange.steps[steps].calls if steps < len(exchange.steps) else None
    expect = expected(exchange.reply)
    if due is not None:
        calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in due]
        expect = {"contains": [], "excludes": [], "matches": None, "calls": calls}
    case = {
        "id": "",
        "skill": _group(skill_of(exchange, steps)),
        "pair": None,
        "system": _system(conversation),
        "strength": conversation.strength,
        "messages": _messages(conversation.exchanges, steps),
        "expect": expect,
    }
    if conversation.tools:
        case["tools"] = _declared(conversation.tools)
    return case


def _system(conversation: Conversation) -> str | None:
    """None for the template's own text; spelled out where an answer hangs on its date."""
    asks = any(_ABOUT_TODAY.search(exchange.user) for exchange in conversation.exchanges)
    if conversation.system is not None or not asks:
        return conversation.system
    text = "You are a helpful AI assistant.\nKnowledge cutoff: 2026-01-04."
    return f"{text}\nCurrent date: {conversation.date}." if conversation.date else text


def _drawn(number: int) -> Iterator[Case]:
    """The cases of one conversation: its last turn (with each of its tool steps)."""
    rng = Random(f"cases/text/{number}")
    if rng.random() < 0.5:
        exchange = other(rng)
        exchange = replace(exchange, user=dressed(rng, exchange.user))
        strength = rng.choice(STRENGTHS)
        conversation = Conversation("single", None, None, strength, (exchange,), (True,))
    else:
        mixture = Mixture(notes=0.25, chat=0.5, single=0.25, whole=0.4)
        conversation = converse(rng, mixture, _ROOM)
        if conversation.shape == "pictures":
            return
        turns = rng.randint(1, len(conversation.exchanges))
        conversation = replace(
            conversation,
            exchanges=conversation.exchanges[:turns],
            kept=conversation.kept[:turns],
        )
    for step in range(len(conversation.exchanges[-1].steps) + 1):
        yield _case(conversation, step)


def text_cases(each: int) -> list[Case]:
    """`each` cases of every group of text skills."""
    found: dict[str, list[Case]] = {group: [] for group in _TEXT_GROUPS}
    number = 0
    while any(len(cases) < each for cases in found.values()):
        for case in _drawn(number):
            cases = found[case["skill"]]
            if len(cases) < each:
                cases.append(case | {"id": f"{_slug(case['skill'])}-{len(cases) + 1:02d}"})
        number += 1
    return [case for group in _TEXT_GROUPS for case in found[group]]


def _slug(group: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", group.lower())


def _small_pair(rng: Random, group: str) -> list[tuple[Exchange, ...]]:
    """A pair whose pictures are small files; some ask after other turns that give nothing away."""
    later = group not in ("colours", "describing") and rng.random() < _LATER
    while True:
        two = scenes(rng, group)
        wording = rng.getrandbits(32)
        between = (other(rng),) if rng.random() < _BETWEEN else ()
        told: list[tuple[Exchange, ...]] = []
        for scene, exchange in two:
            first = colour_of_ground(Random(wording), scene)
            turns = (first, *between, exchange) if later else (exchange,)
            told.append((replace(turns[0], picture=draw(scene)), *turns[1:]))
        pictures = [turns[0].picture for turns in told]
        if all(picture is not None and len(picture.png) <= _PNG for picture in pictures):
            return told


def _talk(rng: Random, exchanges: tuple[Exchange, ...]) -> Conversation:
    kept = (True,) * len(exchanges)
    return Conversation("pictures", None, None, rng.choice(STRENGTHS), exchanges, kept)


def picture_cases(pairs: int) -> list[Case]:
    """`pairs` pairs of every group of questions about pictures; as many without a picture."""
    cases: list[Case] = []
    for group in PICTURE_GROUPS:
        for number in range(1, pairs + 1):
            name = f"{_slug(group)}-{number:02d}"
            one, two = _small_pair(Random(f"cases/pictures/{group}/{number}"), group)
            for letter, turns, opposite in (("a", one, two), ("b", two, one)):
                case = _case(_talk(Random(f"cases/strength/{name}"), turns), 0)
                expect = expected(turns[-1].reply, opposite[-1].reply.value)
                case |= {"id": name + letter, "skill": group, "pair": name, "expect": expect}
                cases.append(case)
    for number in range(1, pairs + 1):
        rng = Random(f"cases/no picture/{number}")
        case = _case(_talk(rng, (no_picture(rng),)), 0)
        cases.append(case | {"id": f"no-picture-{number:02d}", "skill": "no picture"})
    return cases


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("scenarios/cases"))
    parser.add_argument("--each", type=int, default=25, help="text cases of every group")
    parser.add_argument("--pairs", type=int, default=20, help="picture pairs of every group")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = {
        "nano-skills.jsonl": text_cases(arguments.each),
        "picture-probe.jsonl": picture_cases(arguments.pairs),
    }
    for name, cases in files.items():
        lines = [json.dumps(case, ensure_ascii=False) + "\n" for case in cases]
        (arguments.out / name).write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(cases)} cases, {sum(map(len, lines)):,} characters")


if __name__ == "__main__":
    main()
