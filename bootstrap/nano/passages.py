"""Which short texts are pasted into a prompt, and what can be asked about each?

A `Genre` is a table: what its slots are filled from, an opening, points that may or may not be in
the text, sentences that matter to nobody, and one sentence that sums it up. A point has the ways
to say it, and questions with their answers. What is not in the text cannot be answered.
"""

# ruff: noqa: E501  (a row of the table is one point)

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.nano import lexicon
from bootstrap.nano.lexicon import made_up

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

__all__ = ["GENRES", "Genre", "Passage", "Point", "compose"]


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a text may say."""

    about: str  # what the thought calls it
    said: str  # ways to say it, separated by |
    asked: str  # question = answer = value, separated by |


@dataclass(frozen=True, slots=True)
class Genre:
    """A sort of text; see the module's docstring."""

    name: str
    slots: str  # slot=pool
    opening: str
    points: tuple[Point, ...]
    padding: str
    closing: str
    summary: str


def _p(about: str, said: str, asked: str) -> Point:
    return Point(about, said, asked)


GENRES: tuple[Genre, ...] = (
    Genre(
        "notice",
        "event=event place=place day=day later=day time=time who=name phone=n4 price=n2 seats=n3 why=why food=food bring=object town=town",
        "Dear neighbours, this is a notice about the {event}.|To all who want to come to the {event}: please read this notice.|Notice to everyone in {town} about the {event}.",
        (
            _p("place", "The {event} takes place in the {place}.|We meet in the {place}.|The {event} will be held in the {place}.",
               "Where is the {event}? = The {event} is in the {place}. = {place}|Where does the {event} take place? = The {event} is in the {place}. = {place}|In which place do they meet? = They meet in the {place}. = {place}"),
            _p("day", "It has been moved from {day} to {later}.|It was planned for {day}, but now it is on {later}.|The day has changed: it is no longer {day} but {later}.",
               "On which day is the {event} now? = The {event} is on {later}. = {later}|When will the {event} be? = The {event} is on {later}. = {later}|On which day was the {event} planned at first? = At first it was planned for {day}. = {day}"),
            _p("reason", "The reason for the change is {why}.|This is because of {why}.|We had to do so because of {why}.",
               "Why has the day changed? = Because of {why}. = {why}|What is the reason for the change? = The reason is {why}. = {why}|Why was it moved? = Because of {why}. = {why}"),
            _p("time", "We begin at {time}.|It starts at {time} sharp.|The doors open at {time}.",
               "At what time does it start? = It starts at {time}. = {time}|When does it begin on that day? = It begins at {time}. = {time}|At what time must one be there? = One must be there at {time}. = {time}"),
            _p("price", "A ticket costs {price} crowns.|The price of a ticket is {price} crowns.|Everybody pays {price} crowns at the door.",
               "How much is a ticket? = A ticket costs {price} crowns. = {price}|What does a ticket cost? = A ticket costs {price} crowns. = {price}|How many crowns does one pay? = One pays {price} crowns. = {price}"),
            _p("number of seats", "There are {seats} seats.|There is room for {seats} people.|No more than {seats} people can come in.",
               "How many people can come? = {seats} people can come. = {seats}|For how many people is there room? = There is room for {seats} people. = {seats}"),
            _p("person to ask", "If you have questions, ask {who}.|{who} answers all your questions.|For more, please turn to {who}.",
               "Who answers questions? = {who} answers questions. = {who}|Whom can one ask? = One can ask {who}. = {who}|Who is the person to turn to? = One can turn to {who}. = {who}"),
            _p("phone number", "The phone number ends in {phone}.|Call the number that ends in {phone}.",
               "What does the phone number end in? = The phone number ends in {phone}. = {phone}|Which number should one call? = The number that ends in {phone}. = {phone}"),
            _p("food", "There will be {food} for everyone.|Afterwards we eat {food} together.|We serve {food}.",
               "What is there to eat? = There is {food}. = {food}|What food is served? = There is {food}. = {food}|Which food will there be? = There is {food}. = {food}"),
            _p("thing to bring", "Please bring a {bring}.|Everyone should have a {bring} with them.|Do not forget your {bring}.",
               "What should one bring? = One should bring a {bring}. = {bring}|What must nobody forget? = Nobody must forget a {bring}. = {bring}"),
        ),
        "Children are welcome.|We are looking forward to it.|Please tell your friends.|Dogs must stay outside.|Last year it was a great success.|Please be quiet on your way home.|We thank all the helpers.|The entrance is on the left side.|Nobody has to sign up.|There is no parking nearby.",
        "Thank you for your understanding.|See you there!|Your committee",
        "It is a notice about the {event}.",
    ),
    Genre(
        "letter",
        "to=name who=name town=town job=job animal=animal pet=pet colour=colour object=object place=place day=day time=time friend=name food=food n=n1 why=why vehicle=vehicle hobby=hobby",
        "Dear {to}, it has been a long time since I wrote.|Dear {to}, thank you for your last letter.|Hello {to}, today I have time to write at last.",
        (
            _p("town", "I have moved to {town}.|I now live in {town}.|My new home is in {town}.",
               "Where does the writer live now? = The writer lives in {town}. = {town}|To which town did the writer move? = The writer moved to {town}. = {town}"),
            _p("reason", "I left because of {why}.|The reason why I moved was {why}.",
               "Why did the writer move? = Because of {why}. = {why}|What was the reason for moving? = The reason was {why}. = {why}"),
            _p("job", "I work as a {job} now.|I have found work as a {job}.|My new job is that of a {job}.",
               "What is the writer's job? = The writer works as a {job}. = {job}|What does the writer work as? = The writer works as a {job}. = {job}"),
            _p("pet", "I have a {animal} called {pet}.|My {animal} {pet} is with me.|A {animal} lives with me; its name is {pet}.",
               "What is the {animal} called? = The {animal} is called {pet}. = {pet}|Which animal does the writer have? = The writer has a {animal}. = {animal}|Who is {pet}? = {pet} is a {animal}. = {animal}"),
            _p("visit", "{friend} visited me last week.|Last week {friend} came to see me.",
               "Who visited the writer? = {friend} visited the writer. = {friend}|Who came last week? = {friend} came last week. = {friend}"),
            _p("length of the stay", "The visit lasted {n} days.|We spent {n} days together.",
               "How many days did the visit last? = The visit lasted {n} days. = {n}|How long was the visit? = The visit lasted {n} days. = {n}"),
            _p("lost thing", "I have lost my {colour} {object}.|My {colour} {object} is gone.|I cannot find my {colour} {object}.",
               "What has the writer lost? = The writer has lost a {colour} {object}. = {object}|What colour is the lost {object}? = The lost {object} is {colour}. = {colour}"),
            _p("arrival", "I will come to you on {day} by {vehicle}.|On {day} I take the {vehicle} to you.",
               "When will the writer come? = The writer comes on {day}. = {day}|On which day does the writer arrive? = The writer arrives on {day}. = {day}|How will the writer travel? = The writer travels by {vehicle}. = {vehicle}"),
            _p("time of the arrival", "I arrive at {time}.|I shall be there at {time}.",
               "At what time does the writer arrive? = The writer arrives at {time}. = {time}"),
            _p("wish", "Please cook {food} for me.|I would love to eat {food} again.",
               "What does the writer want to eat? = The writer wants to eat {food}. = {food}|Which food does the writer ask for? = The writer asks for {food}. = {food}"),
            _p("hobby", "My new hobby is {hobby}.|In the evenings I enjoy {hobby}.",
               "What is the writer's hobby? = The writer's hobby is {hobby}. = {hobby}|What does the writer enjoy? = The writer enjoys {hobby}. = {hobby}"),
        ),
        "The weather has been mild.|I think of you often.|The people here are kind.|The house is small but bright.|I sleep well.|There is a lot to do.|Sometimes it is a little lonely.|From the window I see the hills.|My neighbours are quiet.|The garden needs some work.",
        "Yours, {who}|With love, {who}|Best wishes, {who}",
        "It is a letter from {who} to {to}.",
    ),
    Genre(
        "product note",
        "object=object town=town n=n1 price=n2 weight=n2 colour=colour second=colour who=name word=strange hours=n1 years=n1 place=place part=object",
        "The {word} is a new {object}.|Meet the {word}, our new {object}.|This is the {word}, a {object} for every day.",
        (
            _p("place it is made", "It is made in {town}.|Our workshop in {town} makes it.",
               "Where is the {word} made? = The {word} is made in {town}. = {town}|In which town is it made? = It is made in {town}. = {town}"),
            _p("designer", "{who} designed it.|It was designed by {who}.",
               "Who designed the {word}? = {who} designed it. = {who}|Who is the designer? = The designer is {who}. = {who}"),
            _p("price", "It costs {price} crowns.|The price is {price} crowns.",
               "How much does the {word} cost? = The {word} costs {price} crowns. = {price}|What is the price? = The price is {price} crowns. = {price}"),
            _p("weight", "It weighs {weight} kilograms.|Its weight is {weight} kilograms.",
               "How much does it weigh? = It weighs {weight} kilograms. = {weight}|What is the weight of the {word}? = It weighs {weight} kilograms. = {weight}"),
            _p("colours", "You can have it in {colour} or {second}.|It comes in {colour} and in {second}.",
               "In which colours can one have it? = One can have it in {colour} or {second}. = {second}|Which colours are there? = There are {colour} and {second}. = {second}"),
            _p("battery", "The battery lasts {hours} hours.|It runs for {hours} hours without a cable.",
               "How long does the battery last? = The battery lasts {hours} hours. = {hours}|How many hours does it run? = It runs for {hours} hours. = {hours}"),
            _p("guarantee", "The guarantee is {years} years.|We repair it for free for {years} years.",
               "How long is the guarantee? = The guarantee is {years} years. = {years}|For how many years is the repair free? = For {years} years. = {years}"),
            _p("place to keep it", "Keep it in the {place}.|It is best kept in the {place}.",
               "Where should one keep it? = One should keep it in the {place}. = {place}|Where is it best kept? = It is best kept in the {place}. = {place}"),
            _p("what comes with it", "A {part} comes with it.|In the box you also find a {part}.",
               "What comes with it? = A {part} comes with it. = {part}|What else is in the box? = There is also a {part}. = {part}"),
        ),
        "It is easy to clean.|Please do not put it into water.|You will like it.|Thousands of people use it already.|Read this note before you use it.|It makes hardly any noise.|Even a child can use it.|Please keep this note.|It is made with great care.|No tools are needed.",
        "Enjoy your {object}!|Thank you for buying the {word}.|Have fun with it.",
        "It is a note about the {word}, a {object}.",
    ),
    Genre(
        "news item",
        "town=town who=name job=job animal=animal place=place day=day time=time n=n2 object=object colour=colour second=name price=n4 why=why",
        "A {colour} {object} was stolen in {town}.|There was excitement in {town}: a {colour} {object} was stolen.|{town} talks about the theft of a {colour} {object}.",
        (
            _p("day", "It happened on {day} at {time}.|The theft took place on {day} at {time}.",
               "On which day was it stolen? = It was stolen on {day}. = {day}|At what time did it happen? = It happened at {time}. = {time}|When was the theft? = The theft was on {day} at {time}. = {day}"),
            _p("place", "It had been kept in the {place}.|Until then it stood in the {place}.",
               "Where had the {object} been kept? = It had been kept in the {place}. = {place}|Where did the {object} stand? = It stood in the {place}. = {place}"),
            _p("owner", "The owner is {who}, a {job}.|It belongs to {who}, who works as a {job}.",
               "Who is the owner? = The owner is {who}. = {who}|Who owns the {object}? = {who} owns it. = {who}|What is the owner's job? = The owner works as a {job}. = {job}"),
            _p("worth", "It is worth {price} crowns.|Its worth is said to be {price} crowns.",
               "How much is the {object} worth? = It is worth {price} crowns. = {price}|What is it worth? = It is worth {price} crowns. = {price}"),
            _p("witnesses", "The police asked {n} people.|In all, {n} people were asked by the police.",
               "How many people did the police ask? = The police asked {n} people. = {n}|How many people were asked? = {n} people were asked. = {n}"),
            _p("finder", "In the end {second} found it.|Then {second} discovered it again.",
               "Who found it? = {second} found it. = {second}|Who discovered the {object} again? = {second} discovered it. = {second}"),
            _p("thief", "The thief was a {animal}.|It turned out that a {animal} had taken it.",
               "Who was the thief? = The thief was a {animal}. = {animal}|What animal had taken it? = A {animal} had taken it. = {animal}"),
            _p("reason for the delay", "The search took long because of {why}.|The police came late because of {why}.",
               "Why did it take long? = Because of {why}. = {why}|What caused the delay? = It was {why}. = {why}"),
        ),
        "Many people came to look.|The mayor was surprised.|Nobody was hurt.|Such a thing had never happened before.|The police are still writing the report.|The neighbours had heard nothing.|There was a small feast afterwards.|The street was closed for an hour.|A window was open that night.|Everybody was glad.",
        "The newspaper will report again.|So the story ended well.|That is all we know so far.",
        "It is a news item about a stolen {object} in {town}.",
    ),
    Genre(
        "recipe",
        "food=food second=food drink=drink n=n1 minutes=n2 grams=n3 who=name town=town people=n1 degrees=n3 tool=object place=place spoons=n1",
        "This is a recipe for {food} with {second}.|Here is how to make {food} with {second}.|My favourite recipe: {food} with {second}.",
        (
            _p("origin", "It comes from {town}.|People in {town} have made it for ages.",
               "Where does the recipe come from? = The recipe comes from {town}. = {town}|Which town is it from? = It is from {town}. = {town}"),
            _p("person it is from", "I have it from {who}.|{who} taught it to me.",
               "Who taught the recipe? = {who} taught it. = {who}|Whom is the recipe from? = It is from {who}. = {who}"),
            _p("number of people", "It is enough for {people} people.|It feeds {people} people.",
               "For how many people is it? = It is for {people} people. = {people}|How many people does it feed? = It feeds {people} people. = {people}"),
            _p("flour", "Take {grams} grams of flour.|You need {grams} grams of flour.",
               "How much flour is needed? = {grams} grams of flour are needed. = {grams}|How many grams of flour does one take? = One takes {grams} grams. = {grams}"),
            _p("sugar", "Add {spoons} spoons of sugar.|Then come {spoons} spoons of sugar.",
               "How many spoons of sugar are added? = {spoons} spoons of sugar are added. = {spoons}|How much sugar is needed? = {spoons} spoons of sugar are needed. = {spoons}"),
            _p("time in the oven", "Leave it in the oven for {minutes} minutes.|It must bake for {minutes} minutes.",
               "How long must it bake? = It must bake for {minutes} minutes. = {minutes}|How many minutes is it in the oven? = It is in the oven for {minutes} minutes. = {minutes}"),
            _p("heat", "The oven must have {degrees} degrees.|Heat the oven to {degrees} degrees.",
               "How hot must the oven be? = The oven must have {degrees} degrees. = {degrees}|How many degrees are needed? = {degrees} degrees are needed. = {degrees}"),
            _p("tool", "Stir everything with a {tool}.|The best tool for it is a {tool}.",
               "What is used to stir? = A {tool} is used. = {tool}|Which tool is needed? = A {tool} is needed. = {tool}"),
            _p("drink", "Serve it with {drink}.|It goes well with {drink}.",
               "What does one drink with it? = One drinks {drink} with it. = {drink}|Which drink is served? = {drink} is served. = {drink}"),
            _p("place to cool", "Let it cool in the {place}.|Afterwards it cools in the {place}.",
               "Where does it cool? = It cools in the {place}. = {place}|Where should one let it cool? = One should let it cool in the {place}. = {place}"),
        ),
        "Wash your hands first.|Take your time.|Do not forget a little salt.|It smells wonderful.|Children love it.|It is not difficult.|Stir slowly.|Use fresh things only.|Some people like it cold.|Taste it now and then.",
        "Enjoy your meal!|That is all.|Good luck!",
        "It is a recipe for {food} with {second}.",
    ),
    Genre(
        "minutes",
        "place=place day=day time=time who=name second=name third=name n=n1 money=n4 object=object next=day topic=subject years=n2 vote=n1 why=why late=name town=town",
        "Minutes of the meeting in the {place}.|Minutes: the club met in the {place}.|These are the minutes of our meeting in the {place}.",
        (
            _p("day", "The meeting was on {day}.|We met on {day}.",
               "On which day was the meeting? = The meeting was on {day}. = {day}|When did they meet? = They met on {day}. = {day}"),
            _p("chair", "{who} was in the chair.|{who} led the meeting.",
               "Who led the meeting? = {who} led the meeting. = {who}|Who was in the chair? = {who} was in the chair. = {who}"),
            _p("writer", "{second} wrote the minutes.|The minutes were taken by {second}.",
               "Who wrote the minutes? = {second} wrote the minutes. = {second}|Who took the minutes? = {second} took the minutes. = {second}"),
            _p("number of people", "There were {n} people in the room.|In all, {n} people came.",
               "How many people came? = {n} people came. = {n}|How many people were there? = {n} people were there. = {n}"),
            _p("late person", "{late} came late because of {why}.|Because of {why}, {late} was late.",
               "Who came late? = {late} came late. = {late}|Why did {late} come late? = Because of {why}. = {why}"),
            _p("purchase", "It was decided to buy a {object}.|The club will buy a {object}.",
               "What was decided? = It was decided to buy a {object}. = {object}|What will the club buy? = The club will buy a {object}. = {object}"),
            _p("money", "The club has {money} crowns.|There are {money} crowns left.",
               "How much money does the club have? = The club has {money} crowns. = {money}|How many crowns are left? = {money} crowns are left. = {money}"),
            _p("votes against", "There were {vote} votes against it.|{vote} people voted against it.",
               "How many votes were against it? = {vote} votes were against it. = {vote}|How many people voted against it? = {vote} people voted against it. = {vote}"),
            _p("talk", "{third} gave a talk about {topic}.|Then {third} spoke about {topic}.",
               "Who gave a talk? = {third} gave a talk. = {third}|What did {third} speak about? = {third} spoke about {topic}. = {topic}"),
            _p("next meeting", "The next meeting is on {next} at {time}.|We meet again on {next} at {time}.",
               "When is the next meeting? = The next meeting is on {next} at {time}. = {next}|At what time is the next meeting? = The next meeting is at {time}. = {time}"),
            _p("trip", "The trip this year goes to {town}.|In summer the club travels to {town}.",
               "Where does the trip go? = The trip goes to {town}. = {town}|To which town does the club travel? = The club travels to {town}. = {town}"),
        ),
        "The mood was good.|There was coffee and tea.|Nobody had any objection.|The old minutes were read and accepted.|The window stayed open.|There was some laughter.|All bills have been paid.|A letter was read aloud.|The chairs were put back afterwards.|It was a short evening.",
        "The meeting then ended.|There was no other business.|Everybody went home in good spirits.",
        "These are the minutes of a meeting in the {place}.",
    ),
)  # fmt: skip

_WHY = (
    "the storm", "the heavy rain", "a strike", "an illness", "the snow", "a broken pipe", "the noise",
    "the fog", "a lost key", "the heat", "a flat tyre", "the holidays", "a power cut", "the works",
    "a wedding", "a birthday", "the ice", "the dust", "a leak in the roof", "the high rent",
    "a new job", "the wind", "a fallen tree", "the long queue", "a mistake in the plan",
)  # fmt: skip
_POOLS: Mapping[str, tuple[str, ...]] = {
    "name": lexicon.NAMES, "town": lexicon.TOWNS, "place": lexicon.PLACES,
    "object": lexicon.OBJECTS, "colour": lexicon.COLOURS, "animal": lexicon.ANIMALS,
    "pet": lexicon.PETS, "job": lexicon.JOBS, "food": lexicon.FOODS, "drink": lexicon.DRINKS,
    "day": lexicon.WEEKDAYS, "event": lexicon.EVENTS, "subject": lexicon.SUBJECTS,
    "hobby": lexicon.HOBBIES, "vehicle": lexicon.VEHICLES, "why": _WHY,
}  # fmt: skip
_STRANGE = frozenset({"name", "town", "object", "place"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, and which of its genre's points it has."""

    genre: Genre
    values: Mapping[str, str]
    text: str
    said: Mapping[str, str]  # about -> the sentence that says it

    @property
    def summary(self) -> str:
        """One sentence about the whole."""
        return _filled(self.genre.summary, self.values)

    def questions(self, point: Point) -> list[tuple[str, str, str]]:
        """What can be asked about a point: question, answer, value."""
        rows = [[_filled(part, self.values) for part in row.split(" = ")] for row in
                point.asked.split("|")]  # fmt: skip
        return [
            (question, answer, value if value in answer else value[0].lower() + value[1:])
            for question, answer, value in rows
        ]


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The sentence with its slots filled, a capital first, and `an` before a vowel."""
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text.format_map(values))
    return text[0].upper() + text[1:]


def _value(rng: Random, pool: str) -> str:
    if pool == "strange":
        return made_up(rng).capitalize()
    if pool == "time":
        return f"{rng.randint(6, 22)}:{rng.randrange(12) * 5:02d}"
    if pool == "n1":
        return str(rng.randint(2, 12))
    if pool == "n2":
        return str(rng.randint(13, 99))
    if pool == "n3":
        return str(rng.randint(100, 400))
    if pool == "n4":
        return str(rng.randint(1000, 9999))
    if pool in _STRANGE and rng.random() < 0.15:
        word = made_up(rng)
        return word.capitalize() if pool in {"name", "town"} else word
    return rng.choice(_POOLS[pool])


def compose(rng: Random) -> Passage:
    """A text of about 50 to 160 words."""
    genre = rng.choice(GENRES)
    values: dict[str, str] = {}
    for slot in genre.slots.split(" "):
        name, _, pool = slot.partition("=")
        value = _value(rng, pool)
        while value in values.values():
            value = _value(rng, pool)
        values[name] = value
    kept = rng.randint(len(genre.points) // 2, len(genre.points) - 1)
    chosen = sorted(rng.sample(range(len(genre.points)), kept))
    sentences = [
        (p.about, rng.choice(p.said.split("|"))) for p in (genre.points[k] for k in chosen)
    ]
    said = {about: _filled(text, values) for about, text in sentences}
    lines = list(said.values())
    for padding in rng.sample(genre.padding.split("|"), rng.randint(2, 10)):
        lines.insert(rng.randint(0, len(lines)), padding)
    lines.insert(0, _filled(rng.choice(genre.opening.split("|")), values))
    lines.append(_filled(rng.choice(genre.closing.split("|")), values))
    return Passage(genre, values, " ".join(lines), said)
