"""Questions about a picture have one right answer, and it is decided by the picture."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from random import Random
from statistics import median

import pytest

from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.looking import described
from bootstrap.nano.pictures.pairs import pair
from bootstrap.nano.pictures.palette import COLOURS
from bootstrap.nano.pictures.positions import left_or_right, pointing, where
from bootstrap.nano.pictures.questions import ASKERS, GROUPS, about, asked, no_picture
from bootstrap.nano.pictures.scene import Ground, Item, Scene
from bootstrap.nano.pictures.talk import picture_talk

_WHITE = Ground("white", (255, 255, 255), (255, 255, 255))
_CIRCLE = Item("circle", "red", (220, 20, 20), 28, 28, 30)
_SQUARE = Item("square", "blue", (20, 20, 220), 84, 84, 30)
_SCENE = Scene(112, 112, _WHITE, (_CIRCLE, _SQUARE))


@pytest.mark.parametrize("group", GROUPS)
def test_a_right_answer_holds_its_value(group: str) -> None:
    """A stranger can judge every answer by its value, and it belongs to the group asked for."""
    rng = Random(f"values/{group}")

    for _ in range(200):
        _, exchange = asked(rng, group)
        assert exchange.reply.skill == group
        assert exchange.reply.value.lower() in exchange.reply.answer.lower()


@pytest.mark.parametrize("group", GROUPS)
def test_an_answer_is_a_function_of_the_question_and_the_picture(group: str) -> None:
    """Whatever else is drawn, the same question about the same scene has the same reply."""
    rng = Random(f"function/{group}")
    replies = defaultdict(set)

    for _ in range(20):
        scene, _ = asked(rng, group)
        for _ in range(60):
            exchange = about(rng, scene)
            replies[id(scene), described(scene), exchange.user].add(exchange.reply)

    assert {1} == {len(found) for found in replies.values()}


@pytest.mark.parametrize("group", GROUPS)
def test_a_pair_asks_one_question_of_two_pictures(group: str) -> None:
    """The question is the same, the pictures and the right answers are not."""
    rng = Random(f"pairs/{group}")

    for _ in range(25):
        one, two = pair(rng, group)
        assert one.user == two.user
        assert one.reply.value != two.reply.value
        assert one.picture is not None
        assert two.picture is not None
        assert one.picture.rgb != two.picture.rgb
        assert group == one.reply.skill == two.reply.skill


@pytest.mark.parametrize("group", GROUPS)
def test_reasoning_grows_with_its_strength(group: str) -> None:
    """From step to step the median thought is at least half as long again."""
    rng = Random(f"lengths/{group}")
    thoughts = [asked(rng, group)[1].reply.thoughts for _ in range(200)]

    low, medium, high, xhigh = (median(len(each[k]) for each in thoughts) for k in range(4))

    assert medium >= 1.5 * low
    assert high >= 1.5 * medium
    assert xhigh >= 1.5 * high


@pytest.mark.parametrize("group", GROUPS)
def test_every_question_is_put_in_many_ways(group: str) -> None:
    """With the things of the scene blanked out, each group still has a dozen wordings."""
    rng = Random(f"wordings/{group}")
    asked_for = {asked(rng, group)[1].user for _ in range(800)}

    assert len({" ".join(text.split()[:4]) for text in asked_for}) >= 12


def test_mirroring_exchanges_left_and_right() -> None:
    """What is left of something in a scene is right of it in the mirror."""
    mirrored = _SCENE.mirrored()
    told = [
        (left_or_right(Random(seed), _SCENE), left_or_right(Random(seed), mirrored))
        for seed in range(200)
    ]
    sides = {
        (one.reply.answer, two.reply.answer)
        for one, two in told
        if one is not None and two is not None and one.user == two.user
    }

    assert ("The circle is left of the square.", "The circle is right of the square.") in sides
    assert all("left" in one and "right" in two for one, two in sides if "left" in one)


@pytest.mark.parametrize(
    ("x", "y", "place"),
    [(28, 28, "at the top left"), (56, 56, "in the centre"), (84, 56, "on the right"),
     (56, 84, "at the bottom"), (84, 28, "at the top right")],
)  # fmt: skip
def test_a_place_is_named_by_thirds(x: int, y: int, place: str) -> None:
    """Nine places, from the top left to the bottom right."""
    scene = Scene(112, 112, _WHITE, (replace(_CIRCLE, x=x, y=y),))

    exchange = where(Random(1), scene)

    assert exchange is not None
    assert exchange.reply.answer.endswith(f" is {place}.")


@pytest.mark.parametrize(
    ("turn", "way"), [(-9, "right"), (81, "down"), (188, "left"), (270, "up"), (-99, "up")]
)
def test_an_arrow_points_where_it_was_turned(turn: float, way: str) -> None:
    """Turns go clockwise from the right."""
    arrow = Item("arrow", "black", (0, 0, 0), 56, 56, 80, turn=turn)
    scene = Scene(112, 112, _WHITE, (arrow,))
    exchange = pointing(Random(1), scene)
    dark = draw(scene).pixels()[:, :, 0] < 128
    halves = {"left": dark[:, :56], "right": dark[:, 56:], "up": dark[:56], "down": dark[56:]}

    assert exchange is not None
    assert exchange.reply.answer == f"The arrow points {way}."
    assert max(halves, key=lambda side: int(halves[side].sum())) == way


def test_a_scene_is_described_in_reading_order() -> None:
    """By rows from the top, with the background last."""
    told = described(Scene(112, 112, _WHITE, (_SQUARE, _CIRCLE)).ordered())

    assert told == "A red circle and a blue square on a white background."


def test_who_is_asked_about_a_picture_that_never_came_says_so() -> None:
    """Any question about a picture has the same answer then."""
    answers = {no_picture(Random(k)).reply.answer for k in range(100)}

    assert {"I see no picture."} == answers


def test_a_conversation_speaks_of_a_picture_only_after_it_came() -> None:
    """Until the first picture, questions about one are answered that there is none."""
    rng = Random("talk")
    picture_skills = set(ASKERS)

    for _ in range(300):
        seen = False
        for exchange in picture_talk(rng, 5000).exchanges:
            seen = seen or exchange.picture is not None
            assert not (exchange.reply.skill == "no picture" and seen)
            assert seen or exchange.reply.skill not in picture_skills


def test_colours_of_things_stand_out_from_the_background() -> None:
    """No thing has the background's colour."""
    rng = Random("ground")

    for _ in range(300):
        scene, _ = asked(rng)
        assert scene.ground.colour in COLOURS
        assert all(item.colour != scene.ground.colour for item in scene.items)
