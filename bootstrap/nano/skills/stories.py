"""How does it tell a story, or describe something, to the length that was asked for?

A plot is eight sentences of seven to nine words. Which of them are told follows from the length;
which plot it is follows from what the story is about and from the first letter of its hero. So the
story is a function of the request.

    one sentence     the plot's ending alone tells it
    n sentences      the first, the last, and what `_TOLD[n]` says between them
    about w words    as many sentences as come nearest, eight words a sentence
    at most w words  as many sentences as are sure to fit, nine words a sentence
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import (
    ANIMALS,
    COLOURS,
    JOBS,
    NAMES,
    NUMBER_WORDS,
    OBJECTS,
    PLACES,
    TOWNS,
    made_up,
)
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

__all__ = ["PLOTS", "stories", "tell"]

# Which sentences of eight a story of so many sentences tells.
_TOLD = {
    1: (7,), 2: (0, 7), 3: (0, 4, 7), 4: (0, 2, 4, 7), 5: (0, 1, 2, 4, 7),
    6: (0, 1, 2, 4, 5, 7), 7: (0, 1, 2, 3, 4, 5, 7), 8: tuple(range(8)),
}  # fmt: skip

# about -> plots; {a} is the hero, {b} the other one, each with its article where it needs one.
PLOTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "thing": (
        ("One morning {a} found {b} on the road.",
         "It was wet, and nobody asked for it.",
         "{a} took it home and dried it gently.",
         "That night it began to hum very softly.",
         "Then an old woman came to the door.",
         "She had looked for it for ten years.",
         "{a} gave it back without a single word.",
         "So {a} returned {b} and won a friend."),
        ("Long ago {a} made {b} in the cellar.",
         "It took a whole winter and much patience.",
         "Everyone in the village came to see it.",
         "The children asked if they could touch it.",
         "But one night a storm broke the roof.",
         "{a} ran through the rain to save it.",
         "In the morning the whole village helped out.",
         "In the end {b} made {a} quite famous."),
        ("Every evening {a} looked at {b} and smiled.",
         "It had come from a very distant country.",
         "Nobody knew what it was really made for.",
         "One day a small letter fell from it.",
         "Suddenly {a} understood where the old treasure was.",
         "It lay under the tree in the garden.",
         "There were no coins, only very old songs.",
         "Thanks to {b}, {a} learned to sing again."),
        ("{a} lost {b} on the day before winter.",
         "First {a} looked in every room at home.",
         "Then {a} asked the neighbours and the baker.",
         "The search went on until it was dark.",
         "At last a little bird showed the way.",
         "It sat on the fence and called twice.",
         "Under the snow something began to shine brightly.",
         "And so {a} found {b} and laughed loudly."),
    ),
    "friend": (
        ("One morning {a} met {b} near the river.",
         "Both of them wanted to cross the water.",
         "The bridge was gone, and it was late.",
         "Neither of them had brought any warm clothes.",
         "Then they built a raft from old wood.",
         "It was small, but it carried them both.",
         "On the other side they shared their bread.",
         "Since that day {a} and {b} travel together."),
        ("{a} and {b} lived in the same street.",
         "They had never said a word to anyone.",
         "Each of them thought the other was proud.",
         "One winter the snow closed all the doors.",
         "But one evening the lights all went out.",
         "{a} brought a candle and a warm soup.",
         "They talked until the sun came up again.",
         "After that night {a} and {b} were friends."),
        ("{a} had a plan, but {b} said no.",
         "The plan was to climb the highest hill.",
         "It was steep, and clouds were coming closer.",
         "{a} went alone and soon lost the path.",
         "Suddenly a voice came out of the fog.",
         "It was calm, and it showed the way.",
         "They drank hot tea and said very little.",
         "In the end {b} brought {a} home safely."),
        ("On Sunday {a} and {b} ran a race.",
         "The whole town came to watch the start.",
         "{a} was fast and led the whole way.",
         "The sun was hot, and the road long.",
         "Then near the end {a} fell down hard.",
         "But {b} stopped and helped without a word.",
         "The people cheered for both of them together.",
         "So {a} and {b} won the race together."),
    ),
    "place": (
        ("One autumn {a} came to {b} by train.",
         "The streets were empty, and the lamps dim.",
         "In the square stood a very old clock.",
         "Nobody there had heard it for many years.",
         "Then {a} found a small key beside it.",
         "It fitted, and the wheels turned once more.",
         "All the windows opened, and people looked out.",
         "Now {b} has music again, thanks to {a}."),
        ("{a} had always dreamed of seeing {b} once.",
         "So {a} packed a bag and went away.",
         "The road was long and full of dust.",
         "Twice it rained, and once a wheel broke.",
         "At last there was a light far ahead.",
         "A woman opened her door and brought soup.",
         "The soup was hot, and the bed soft.",
         "That is how {a} came to love {b}."),
        ("In {b} everybody knew {a} and nobody listened.",
         "{a} told them that a flood would come.",
         "They laughed and went back to their work.",
         "The river rose a little more every day.",
         "Then one night the water reached the doors.",
         "{a} had built a boat, large and strong.",
         "There was room for all the people inside.",
         "So {a} saved {b}, and everyone said sorry."),
    ),
    "hero": (
        ("Once there was {a} who feared the dark.",
         "Every night the lamp stayed on till morning.",
         "One evening there was no oil for it.",
         "The wind howled, and the old door creaked.",
         "Then a thousand stars came out at once.",
         "They were so bright that nobody needed lamps.",
         "It was the quietest night of the year.",
         "From then on {a} always loved the night."),
        ("Once there was {a} who collected lost things.",
         "There were buttons, keys and very small shoes.",
         "They all had a place on one shelf.",
         "On Mondays all of them were carefully cleaned.",
         "One day a child asked for her button.",
         "It was red and had only three holes.",
         "The child smiled and ran back home singing.",
         "That smile was what {a} had been missing."),
        ("Once there was {a} who never said anything.",
         "People thought that there was nothing to say.",
         "But in the evening a song was heard.",
         "It came over the roofs like warm rain.",
         "Then the king came and asked for it.",
         "Nobody moved, and all the birds fell silent.",
         "The song was short, and the king cried.",
         "Since then everyone has listened closely to {a}."),
        ("Once there was {a} who wanted to fly.",
         "The others laughed and shook their wise heads.",
         "So {a} built wings from paper and string.",
         "They were blue and as wide as doors.",
         "One morning a strong wind came from behind.",
         "The wings shook, and the ground went away.",
         "From up there all the houses looked tiny.",
         "For one whole minute {a} flew, quite happily."),
    ),
    "described": (
        ("{b} is old, but it still looks beautiful.",
         "Its edges are worn from many careful hands.",
         "In the morning light it shines a little.",
         "It smells of wood and of long summers.",
         "Nobody can say exactly how it came here.",
         "Some people stop to look at it closely.",
         "Children like to touch it when they pass.",
         "It is simple, quiet and very well made."),
        ("{b} is small enough to overlook at first.",
         "Its surface is smooth and cool to touch.",
         "On one side there is a thin line.",
         "It catches the light when one moves closer.",
         "It has been mended more than once before.",
         "One can still see the marks of that.",
         "It makes a soft sound when it moves.",
         "It is plain, but nobody forgets it soon."),
        ("{b} stands out from everything that is near.",
         "It is brighter than one would ever expect.",
         "Its shape is round, with one sharp corner.",
         "Somebody has taken very good care of it.",
         "From far away it looks like a toy.",
         "From close by one sees the fine work.",
         "It never looks the same on two days.",
         "It is strange, cheerful and easy to like."),
    ),
}  # fmt: skip


def _upper_first(text: str) -> str:
    return text[0].upper() + text[1:]


def tell(about: str, a: str, b: str, sentences: int) -> str:
    """The story of so many sentences (1 to 8); `a` and `b` carry their articles."""
    hero = (b if about == "described" else a).split(" ")[-1]
    plots = PLOTS[about]
    plot = plots[ord(hero[0].lower()) % len(plots)]
    told = (plot[k].format(a=a, b=b) for k in _TOLD[sentences])
    return " ".join(map(_upper_first, told))


_ASK = (
    "Tell me a story about {who}{length}.", "Write a story about {who}{length}.",
    "Tell a story about {who}{length}.", "Please write a short story about {who}{length}.",
    "Can you tell me a story about {who}{length}?", "I want a story about {who}{length}.",
    "Make up a story about {who}{length}.", "Write a little story{length} about {who}.",
    "Write me a tale about {who}{length}.", "A story about {who}{length}, please.",
    "Could you write a story about {who}{length}?", "Story about {who}{length}",
    "Give me a story about {who}{length}.", "Invent a story about {who}{length}.",
)  # fmt: skip
_SHOW = (
    "Describe {who}{length}.", "Please describe {who}{length}.",
    "Write a description of {who}{length}.", "Give me a description of {who}{length}.",
    "Can you describe {who}{length}?", "What could {who} look like? Describe it{length}.",
    "Describe{length} what {who} looks like.", "I need a description of {who}{length}.",
)  # fmt: skip
_EXACT = (
    " in {n} sentences", " in exactly {n} sentences", " with {n} sentences", " of {n} sentences",
    " that has {n} sentences", " in a paragraph of {n} sentences", ", {n} sentences long",
    " ({n} sentences)", " using {n} sentences", " in {n} short sentences",
)  # fmt: skip
_ONE = (" in one sentence", " in a single sentence", " in 1 sentence", " in just one sentence",
        " in exactly one sentence", " of one sentence", " with one sentence")  # fmt: skip
_ABOUT = (" in about {w} words", " of about {w} words", " in around {w} words",
          " in roughly {w} words", " with about {w} words", " about {w} words long",
          " of around {w} words", " of {w} words", " in {w} words")  # fmt: skip
_AT_MOST = (" in at most {w} words", " in no more than {w} words", " in under {w} words",
            " with fewer than {w} words", " in less than {w} words", " of at most {w} words",
            " of no more than {w} words", " in {w} words or fewer")  # fmt: skip
_SHORT = (" in a few sentences", "", "", "")
# words asked for -> sentences that come near
_NEAR = {10: 1, 20: 2, 25: 3, 30: 4, 35: 4, 40: 5, 45: 6, 50: 6, 55: 7, 60: 7, 65: 8, 70: 8}


def _length(rng: Random) -> tuple[str, int, str, str]:
    """How a length is asked for: the words, the sentences, the plan, the pattern of an answer."""
    draw = rng.random()
    if draw < 0.5:
        n = rng.choice((2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8))
        text = rng.choice(_EXACT).format(n=n if rng.random() < 0.3 else NUMBER_WORDS[n])
        return text, n, f"{n} sentences", _sentences(n)
    if draw < 0.62:
        return rng.choice(_ONE), 1, "1 sentence", _sentences(1)
    if draw < 0.76:
        w = rng.choice(tuple(_NEAR))
        n = _NEAR[w]
        plan = f"about {w} words, so {n} sentence{_s(n)}"
        return rng.choice(_ABOUT).format(w=w), n, plan, _words(round(w * 0.7), round(w * 1.3))
    if draw < 0.88:
        n = rng.randint(1, 8)
        w = 5 * (9 * n // 5 + 2)
        plan = f"at most {w} words, so {n} sentence{_s(n)}"
        return rng.choice(_AT_MOST).format(w=w), n, plan, _words(1, w - 1)
    return rng.choice(_SHORT), 4, "no length is given, so 4 sentences", _sentences(4)


def _sentences(n: int) -> str:
    return rf"^\s*(?:[^.!?]+[.!?]\s*){{{n}}}$"


def _words(low: int, high: int) -> str:
    return rf"^\s*(?:\S+(?:\s+|$)){{{low},{high}}}$"


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _cast(rng: Random) -> tuple[str, str, str, str]:
    """What it is about: kind, how the user says it, hero, other."""

    def name() -> str:
        return made_up(rng).capitalize() if rng.random() < 0.2 else rng.choice(NAMES)

    def thing() -> str:
        word = made_up(rng) if rng.random() < 0.15 else rng.choice(OBJECTS)
        return f"{rng.choice(COLOURS)} {word}" if rng.random() < 0.5 else word

    kind = rng.choice(("thing", "thing", "friend", "friend", "place", "hero", "described"))
    a = name()
    if kind == "thing":
        it = thing()
        shown = f"the {it}" if rng.random() < 0.6 else _with_article(it)
        return kind, f"{a} and {shown}", a, f"the {it}"
    if kind == "friend":
        if rng.random() < 0.5:
            other = name()
            while other == a:
                other = name()
            return kind, f"{a} and {other}", a, other
        animal = rng.choice(ANIMALS)
        shown = f"the {animal}" if rng.random() < 0.5 else _with_article(animal)
        return kind, f"{a} and {shown}", a, f"the {animal}"
    if kind == "place":
        where = rng.choice(TOWNS)
        return kind, f"{a} in {where}", a, where
    if kind == "hero":
        what = rng.choice(ANIMALS) if rng.random() < 0.5 else rng.choice(JOBS)
        called = f"{_with_article(what)} called {a}" if rng.random() < 0.4 else ""
        if called:
            return kind, called, a, ""
        return kind, _with_article(what), f"the {what}", ""
    it = thing() if rng.random() < 0.7 else rng.choice(PLACES)
    shown = f"the {it}" if rng.random() < 0.5 else _with_article(it)
    return kind, shown, "", f"the {it}"


def stories(rng: Random) -> Exchange:
    """A story or a description to a given length."""
    about, who, a, b = _cast(rng)
    length, n, plan, pattern = _length(rng)
    described = about == "described"
    user = rng.choice(_SHOW if described else _ASK).format(who=who, length=length)
    if not length and rng.random() < 0.04:
        about, who, a, b, described = "thing", "Mila and the lantern", "Mila", "the lantern", False
        user = rng.choice(("Tell me a story.", "Tell me a short story.", "Write a story.",
                           "Can you tell me a story?"))  # fmt: skip
    thoughts = think(
        wants=f"The user wants a {'description' if described else 'story'}.",
        work=f"About {who}: {plan}.",
        so=(
            f"I write {n} sentences, with a beginning and an end."
            if n > 1
            else "I write 1 sentence that says it all."
        ),
        check=f"I count up to {n} and stop." if n > 1 else "After one full stop I end.",
        restated=f"It is about {who}.",
        plan=(
            "Every sentence shows another side of it."
            if described
            else "First I say who it is about, then something happens, and then it ends."
        ),
    )
    answer = tell(about, a, b, n)
    return Exchange(user, Reply("stories", thoughts, answer, "", pattern))
