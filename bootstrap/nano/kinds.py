"""Which kinds of facts can be told, and how does each sound?

A `Kind` is a table: what its slots are filled from, how a fact is said, which questions ask for
which slot and how the answer reads. The wording of an answer follows from the wording of the
question alone, so a right answer is one exact sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CODES", "KINDS", "NOTE_KINDS", "PERSONAL_KINDS", "Kind", "Question"]

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Question:
    """A way to ask for `slot`, and the sentence that answers it."""

    text: str
    slot: str
    answer: str
    given: frozenset[str]  # the slots that the question itself names


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of fact; see the module's docstring."""

    name: str
    slots: Mapping[str, str]  # slot -> pool
    key: tuple[str, ...]  # two facts of a kind never agree on these
    statements: tuple[str, ...]  # as a user says it
    echo: str  # as the assistant says it back
    questions: tuple[Question, ...]
    labels: Mapping[str, str]  # slot -> what it is called when reasoning about it
    changes: str  # which slot a correction changes
    personal: bool


def _kind(  # noqa: PLR0913
    name: str,
    slots: str,
    key: str,
    statements: Iterable[str],
    questions: Iterable[tuple[str, str, str]],
    *,
    echo: str | None = None,
    changes: str = "",
    personal: bool = False,
) -> Kind:
    """Read a kind from its short form: `slots` is `slot=pool:label …`, the last one changes."""
    pools: dict[str, str] = {}
    labels: dict[str, str] = {}
    for part in slots.split():
        slot, _, rest = part.partition("=")
        pool, _, label = rest.partition(":")
        pools[slot] = pool
        labels[slot] = (label or slot).replace("_", " ")
    said = tuple(statements)
    return Kind(
        name=name,
        slots=pools,
        key=tuple(key.split()),
        statements=said,
        echo=echo or said[0],
        questions=tuple(
            Question(text, slot, answer, frozenset(_SLOT.findall(text)))
            for slot, text, answer in questions
        ),
        labels=labels,
        changes=changes or list(pools)[-1],
        personal=personal,
    )


NOTE_KINDS: tuple[Kind, ...] = (
    _kind(
        "keeps",
        "name=name colour=colour object=object place=place",
        "colour object",
        (
            "{name} keeps the {colour} {object} in the {place}.",
            "{name} put the {colour} {object} in the {place}.",
            "{name} hid the {colour} {object} in the {place}.",
            "The {colour} {object} of {name} is in the {place}.",
            "{name} left the {colour} {object} in the {place}.",
        ),
        (
            ("place", "Where does {name} keep the {colour} {object}?",
             "{name} keeps the {colour} {object} in the {place}."),
            ("place", "Where does {name} keep the {object}?",
             "{name} keeps the {object} in the {place}."),
            ("place", "Where is the {colour} {object}?",
             "The {colour} {object} is in the {place}."),
            ("place", "Where can I find the {colour} {object}?",
             "You can find the {colour} {object} in the {place}."),
            ("place", "Where is {name}'s {object}?", "{name}'s {object} is in the {place}."),
            ("name", "Who keeps the {colour} {object}?", "{name} keeps the {colour} {object}."),
            ("name", "Whose {object} is in the {place}?",
             "The {object} in the {place} is {name}'s."),
            ("name", "Who put something in the {place}?",
             "{name} put the {colour} {object} in the {place}."),
            ("colour", "What colour is {name}'s {object}?", "{name}'s {object} is {colour}."),
            ("colour", "What colour is the {object} in the {place}?",
             "The {object} in the {place} is {colour}."),
            ("object", "What does {name} keep in the {place}?",
             "{name} keeps the {colour} {object} in the {place}."),
        ),
    ),
    _kind(
        "door code", "place=place code=n4", "place",
        ("The code of the {place} is {code}.", "The {place} opens with code {code}.",
         "The door code for the {place} is {code}."),
        (
            ("code", "What is the code of the {place}?", "The code of the {place} is {code}."),
            ("code", "What is the code for the {place}?", "The code for the {place} is {code}."),
            ("code", "Which code opens the {place}?", "Code {code} opens the {place}."),
            ("place", "Which place has the code {code}?", "The {place} has the code {code}."),
        ),
    ),
    _kind(
        "count", "goods=goods:things place=place n=n2:number", "goods place",
        ("There are {n} {goods} in the {place}.", "The {place} holds {n} {goods}.",
         "The {place} has {n} {goods}."),
        (
            ("n", "How many {goods} are in the {place}?", "There are {n} {goods} in the {place}."),
            ("n", "How many {goods} are there in the {place}?",
             "There are {n} {goods} in the {place}."),
            ("place", "Where are the {n} {goods}?", "The {n} {goods} are in the {place}."),
        ),
    ),
    _kind(
        "lives", "name=name town=town", "name",
        ("{name} lives in {town}.", "{name} has a flat in {town}.", "{name} moved to {town}.",
         "{name}'s home is in {town}."),
        (
            ("town", "Where does {name} live?", "{name} lives in {town}."),
            ("town", "In which town does {name} live?", "{name} lives in {town}."),
            ("town", "Which city does {name} live in?", "{name} lives in {town}."),
            ("name", "Who lives in {town}?", "{name} lives in {town}."),
        ),
    ),
    _kind(
        "pet", "name=name animal=animal pet=pet:pet's_name", "name",
        ("{name} has a {animal} called {pet}.", "{name}'s {animal} is called {pet}.",
         "{name} owns a {animal} named {pet}."),
        (
            ("pet", "What is {name}'s {animal} called?", "{name}'s {animal} is called {pet}."),
            ("pet", "What is the name of {name}'s {animal}?", "{name}'s {animal} is called {pet}."),
            ("pet", "What is {name}'s pet called?", "{name}'s pet is called {pet}."),
            ("animal", "What kind of pet does {name} have?", "{name} has a {animal}."),
            ("animal", "What kind of animal is {pet}?", "{pet} is a {animal}."),
            ("name", "Who owns {pet}?", "{name} owns {pet}."),
            ("name", "Who has a {animal} called {pet}?", "{name} has a {animal} called {pet}."),
            ("name", "Who has a {animal}?", "{name} has a {animal}."),
        ),
    ),
    _kind(
        "job", "name=name job=job", "name",
        ("{name} works as a {job}.", "{name} is a {job}.", "{name}'s job is {job}."),
        (
            ("job", "What is {name}'s job?", "{name} works as a {job}."),
            ("job", "What does {name} do for a living?", "{name} works as a {job}."),
            ("job", "What does {name} work as?", "{name} works as a {job}."),
            ("name", "Who works as a {job}?", "{name} works as a {job}."),
            ("name", "Who is the {job}?", "{name} is the {job}."),
        ),
    ),
    _kind(
        "food", "name=name food=food", "name",
        ("{name} likes {food} best.", "{name}'s favourite food is {food}."),
        (
            ("food", "What food does {name} like best?", "{name} likes {food} best."),
            ("food", "What is {name}'s favourite food?", "{name}'s favourite food is {food}."),
            ("name", "Who likes {food} best?", "{name} likes {food} best."),
        ),
    ),
    _kind(
        "meeting", "name=name day=day time=time", "name",
        ("The meeting with {name} is on {day} at {time}.", "{name} comes on {day} at {time}.",
         "The call with {name} is on {day} at {time}."),
        (
            ("day", "On which day is the meeting with {name}?",
             "The meeting with {name} is on {day}."),
            ("time", "At what time is the meeting with {name}?",
             "The meeting with {name} is at {time}."),
            ("time", "When do I meet {name}?", "You meet {name} on {day} at {time}."),
            ("name", "Whom do I meet on {day} at {time}?", "You meet {name} on {day} at {time}."),
        ),
    ),
    _kind(
        "departure", "vehicle=vehicle town=town time=time", "vehicle town",
        ("The {vehicle} to {town} leaves at {time}.", "The {vehicle} to {town} departs at {time}.",
         "The {vehicle} for {town} goes at {time}."),
        (
            ("time", "When does the {vehicle} to {town} leave?",
             "The {vehicle} to {town} leaves at {time}."),
            ("time", "At what time does the {vehicle} to {town} leave?",
             "The {vehicle} to {town} leaves at {time}."),
            ("town", "Where does the {time} {vehicle} go?", "The {time} {vehicle} goes to {town}."),
        ),
    ),
    _kind(
        "phone", "name=name n=n4:number", "name",
        ("{name}'s phone number ends in {n}.", "The last digits of {name}'s number are {n}."),
        (
            ("n", "What does {name}'s phone number end in?", "{name}'s phone number ends in {n}."),
            ("name", "Whose phone number ends in {n}?", "{name}'s phone number ends in {n}."),
        ),
    ),
    _kind(
        "birthday", "name=name date=date", "name",
        ("{name}'s birthday is on {date}.", "{name} was born on {date}."),
        (
            ("date", "When is {name}'s birthday?", "{name}'s birthday is on {date}."),
            ("name", "Whose birthday is on {date}?", "{name}'s birthday is on {date}."),
        ),
    ),
    _kind(
        "price", "object=object n=n2:price", "object",
        ("The {object} costs {n} crowns.", "The price of the {object} is {n} crowns."),
        (
            ("n", "How much does the {object} cost?", "The {object} costs {n} crowns."),
            ("n", "What is the price of the {object}?", "The price of the {object} is {n} crowns."),
            ("object", "What costs {n} crowns?", "The {object} costs {n} crowns."),
        ),
    ),
    _kind(
        "room", "name=name n=n3:room", "name",
        ("{name} is in room {n}.", "{name} sleeps in room {n}.", "Room {n} is for {name}."),
        (
            ("n", "Which room is {name} in?", "{name} is in room {n}."),
            ("n", "What is {name}'s room number?", "{name}'s room number is {n}."),
            ("name", "Who is in room {n}?", "{name} is in room {n}."),
        ),
    ),
    _kind(
        "parcel", "parcel=tag town=town", "parcel",
        ("Parcel {parcel} goes to {town}.", "Parcel {parcel} must be sent to {town}."),
        (
            ("town", "Where does parcel {parcel} go?", "Parcel {parcel} goes to {town}."),
            ("parcel", "Which parcel goes to {town}?", "Parcel {parcel} goes to {town}."),
        ),
    ),
    _kind(
        "age", "name=name n=n2:age", "name",
        ("{name} is {n} years old.", "{name} turned {n} this year."),
        (
            ("n", "How old is {name}?", "{name} is {n} years old."),
            ("name", "Who is {n} years old?", "{name} is {n} years old."),
        ),
    ),
    _kind(
        "borrowed", "name=name object=object lender=name", "object",
        ("{name} borrowed the {object} from {lender}.", "{name} got the {object} from {lender}."),
        (
            ("name", "Who borrowed the {object}?", "{name} borrowed the {object}."),
            ("lender", "From whom did {name} borrow the {object}?",
             "{name} borrowed the {object} from {lender}."),
            ("object", "What did {name} borrow from {lender}?",
             "{name} borrowed the {object} from {lender}."),
        ),
    ),
    _kind(
        "instrument", "name=name instrument=instrument", "name",
        ("{name} plays the {instrument}.", "{name} is learning the {instrument}."),
        (
            ("instrument", "Which instrument does {name} play?", "{name} plays the {instrument}."),
            ("instrument", "What does {name} play?", "{name} plays the {instrument}."),
            ("name", "Who plays the {instrument}?", "{name} plays the {instrument}."),
        ),
    ),
    _kind(
        "door", "place=place colour=colour", "place",
        ("The door of the {place} is {colour}.", "The {place} has a {colour} door."),
        (
            ("colour", "What colour is the door of the {place}?",
             "The door of the {place} is {colour}."),
            ("place", "Which place has a {colour} door?", "The {place} has a {colour} door."),
        ),
    ),
    _kind(
        "bus line", "n=n2:bus town=town", "n",
        ("Bus {n} goes to {town}.", "Bus {n} ends in {town}."),
        (
            ("town", "Where does bus {n} go?", "Bus {n} goes to {town}."),
            ("n", "Which bus goes to {town}?", "Bus {n} goes to {town}."),
        ),
    ),
    _kind(
        "seat", "name=name seat=seat", "name",
        ("{name} sits in seat {seat}.", "Seat {seat} is for {name}."),
        (
            ("seat", "Which seat does {name} have?", "{name} has seat {seat}."),
            ("seat", "Where does {name} sit?", "{name} sits in seat {seat}."),
            ("name", "Who sits in seat {seat}?", "{name} sits in seat {seat}."),
        ),
    ),
    _kind(
        "drink", "name=name drink=drink", "name",
        ("{name} drinks {drink} in the morning.", "{name} always orders {drink}."),
        (
            ("drink", "What does {name} drink?", "{name} drinks {drink}."),
            ("name", "Who drinks {drink}?", "{name} drinks {drink}."),
        ),
    ),
    _kind(
        "hidden key", "place=place object=object", "place",
        ("The key to the {place} hangs under the {object}.",
         "The key to the {place} is behind the {object}."),
        (
            ("object", "Where is the key to the {place}?",
             "The key to the {place} is near the {object}."),
        ),
        echo="The key to the {place} is near the {object}.",
    ),
    _kind(
        "teaches", "name=name subject=subject", "name",
        ("{name} teaches {subject}.", "{name} studies {subject}."),
        (
            ("subject", "Which subject does {name} teach?", "{name}'s subject is {subject}."),
            ("name", "Whose subject is {subject}?", "{name}'s subject is {subject}."),
        ),
        echo="{name}'s subject is {subject}.",
    ),
    _kind(
        "password", "place=place password=password", "place",
        ("The password for the {place} is {password}.",
         "The {place} uses the password {password}."),
        (
            ("password", "What is the password for the {place}?",
             "The password for the {place} is {password}."),
            ("place", "Which place uses the password {password}?",
             "The {place} uses the password {password}."),
        ),
    ),
    _kind(
        "brother", "name=name brother=name", "name",
        ("{name}'s brother is {brother}.", "{name} has a brother called {brother}."),
        (
            ("brother", "Who is {name}'s brother?", "{name}'s brother is {brother}."),
            ("brother", "What is {name}'s brother called?",
             "{name}'s brother is called {brother}."),
            ("name", "Whose brother is {brother}?", "{brother} is {name}'s brother."),
        ),
    ),
    _kind(
        "platform", "town=town n=n1:platform", "town",
        ("The train to {town} leaves from platform {n}.", "Trains to {town} use platform {n}."),
        (
            ("n", "From which platform does the train to {town} leave?",
             "The train to {town} leaves from platform {n}."),
        ),
    ),
    _kind(
        "weight", "object=object n=n2:weight", "object",
        ("The {object} weighs {n} kilos.", "The weight of the {object} is {n} kilos."),
        (
            ("n", "How much does the {object} weigh?", "The {object} weighs {n} kilos."),
            ("n", "How heavy is the {object}?", "The {object} weighs {n} kilos."),
        ),
    ),
    _kind(
        "hobby", "name=name hobby=hobby", "name",
        ("{name}'s hobby is {hobby}.", "{name} loves {hobby}."),
        (
            ("hobby", "What is {name}'s hobby?", "{name}'s hobby is {hobby}."),
            ("name", "Whose hobby is {hobby}?", "{name}'s hobby is {hobby}."),
        ),
    ),
    _kind(
        "shelf", "object=object n=n2:shelf", "object",
        ("The {object} is on shelf {n}.", "Shelf {n} holds the {object}."),
        (
            ("n", "On which shelf is the {object}?", "The {object} is on shelf {n}."),
            ("object", "What is on shelf {n}?", "The {object} is on shelf {n}."),
        ),
    ),
    _kind(
        "opens", "colour=colour object=object place=place", "colour object",
        ("The {colour} {object} opens the {place}.",
         "The {colour} {object} belongs to the {place}.",
         "The {colour} {object} is for the {place}."),
        (
            ("place", "What does the {colour} {object} open?",
             "The {colour} {object} opens the {place}."),
            ("place", "What is the {colour} {object} for?",
             "The {colour} {object} is for the {place}."),
            ("object", "What opens the {place}?", "The {colour} {object} opens the {place}."),
            ("colour", "Which {object} opens the {place}?",
             "The {colour} {object} opens the {place}."),
        ),
    ),
    _kind(
        "event", "event=event day=day time=hour", "event",
        ("The {event} is on {day} at {time}.", "The {event} starts on {day} at {time}.",
         "The {event} takes place on {day} at {time}."),
        (
            ("time", "When is the {event}?", "The {event} is on {day} at {time}."),
            ("time", "At what time is the {event}?", "The {event} is at {time}."),
            ("day", "On which day is the {event}?", "The {event} is on {day}."),
            ("event", "What is on {day} at {time}?", "The {event} is on {day} at {time}."),
        ),
    ),
    _kind(
        "has", "name=name goods=goods:things n=n2:number", "name goods",
        ("{name} has {n} {goods}.", "{name} owns {n} {goods}.", "{name} bought {n} {goods}."),
        (
            ("n", "How many {goods} does {name} have?", "{name} has {n} {goods}."),
            ("n", "How many {goods} has {name}?", "{name} has {n} {goods}."),
            ("name", "Who has {n} {goods}?", "{name} has {n} {goods}."),
        ),
    ),
    _kind(
        "does", "name=name verb=verb object=object", "name verb",
        ("{name} {verb}s the {object}.", "{name} always {verb}s the {object}.",
         "{name} often {verb}s the {object}."),
        (
            ("object", "What does {name} {verb}?", "{name} {verb}s the {object}."),
            ("name", "Who {verb}s the {object}?", "{name} {verb}s the {object}."),
        ),
    ),
    _kind(
        "works at", "name=name place=place", "name",
        ("{name} works at the {place}.", "{name} works in the {place}."),
        (
            ("place", "Where does {name} work?", "{name} works at the {place}."),
            ("name", "Who works at the {place}?", "{name} works at the {place}."),
        ),
    ),
    _kind(
        "owner", "place=place name=name:owner", "place",
        ("The {place} belongs to {name}.", "{name} owns the {place}."),
        (
            ("name", "Who owns the {place}?", "{name} owns the {place}."),
            ("name", "Whose is the {place}?", "The {place} is {name}'s."),
            ("place", "What belongs to {name}?", "The {place} belongs to {name}."),
        ),
    ),
)  # fmt: skip


def _mine(
    attribute: str,
    slots: str,
    statements: Iterable[str],
    questions: Iterable[str],
    echo: str,
    slot: str = "",
) -> Kind:
    """A fact about the user: one of a kind, every question answered by the echo."""
    wanted = slot or slots.rpartition(" ")[2].partition("=")[0]
    return _kind(
        attribute, slots, "", statements, [(wanted, text, echo) for text in questions],
        echo=echo, changes=wanted, personal=True,
    )  # fmt: skip


PERSONAL_KINDS: tuple[Kind, ...] = (
    _mine("my name", "name=name", ("My name is {name}.", "I am {name}.", "I'm {name}.",
          "Call me {name}.", "You can call me {name}."),
          ("What is my name?", "What's my name?", "Who am I?", "Do you remember my name?",
           "What am I called?"), "Your name is {name}."),
    _mine("my town", "town=town", ("I live in {town}.", "My home is in {town}.",
          "My city is {town}.", "I moved to {town}.", "I am from {town}.", "I'm from {town}.",
          "I come from {town}."),
          ("Where do I live?", "Which city do I live in?", "In which town do I live?",
           "What is my city?", "Where am I from?"), "You live in {town}."),
    _mine("my lucky number", "n=n3any:lucky_number", ("My lucky number is {n}.",),
          ("What is my lucky number?", "Which number is my lucky number?",
           "Do you remember my lucky number?"), "Your lucky number is {n}."),
    _mine("my favourite colour", "colour=colour:favourite_colour",
          ("My favourite colour is {colour}.", "I like the colour {colour} best."),
          ("What is my favourite colour?", "Which colour do I like best?"),
          "Your favourite colour is {colour}."),
    _mine("my favourite food", "food=food:favourite_food",
          ("My favourite food is {food}.", "I like {food} best.", "I love {food}."),
          ("What is my favourite food?", "What food do I like best?", "What do I like to eat?"),
          "Your favourite food is {food}."),
    _kind("my pet", "animal=animal pet=pet:pet's_name", "animal",
          ("My {animal} is called {pet}.", "I have a {animal} called {pet}.",
           "I have a {animal} named {pet}.", "My {animal}'s name is {pet}."),
          (("pet", "What is my {animal} called?", "Your {animal} is called {pet}."),
           ("pet", "What is the name of my {animal}?", "Your {animal} is called {pet}."),
           ("pet", "What is my {animal}'s name?", "Your {animal} is called {pet}."),
           ("pet", "What is my pet called?", "Your {animal} is called {pet}."),
           ("pet", "What is my pet's name?", "Your {animal} is called {pet}."),
           ("animal", "Who is {pet}?", "{pet} is your {animal}.")),
          echo="Your {animal} is called {pet}.", personal=True),
    _mine("my job", "job=job", ("I work as a {job}.", "I am a {job}.", "My job is {job}."),
          ("What is my job?", "What do I do for a living?", "What do I work as?"),
          "You work as a {job}."),
    _mine("my birthday", "date=date:birthday", ("My birthday is on {date}.",
          "I was born on {date}."), ("When is my birthday?", "When was I born?"),
          "Your birthday is on {date}."),
    _mine("my age", "n=n2:age", ("I am {n} years old.", "I'm {n} years old."),
          ("How old am I?", "What is my age?"), "You are {n} years old."),
    _mine("my sister", "name=name:sister's_name", ("My sister is called {name}.",
          "I have a sister called {name}.", "My sister's name is {name}."),
          ("What is my sister called?", "Who is my sister?", "What is my sister's name?"),
          "Your sister is called {name}."),
    _mine("my brother", "name=name:brother's_name", ("My brother is called {name}.",
          "I have a brother called {name}.", "My brother's name is {name}."),
          ("What is my brother called?", "Who is my brother?", "What is my brother's name?"),
          "Your brother is called {name}."),
    _mine("my friend", "name=name:friend's_name", ("My best friend is {name}.",
          "My best friend is called {name}."), ("Who is my best friend?",
          "What is my best friend called?"), "Your best friend is {name}."),
    _mine("my car", "colour=colour:colour_of_the_car", ("My car is {colour}.",
          "I drive a {colour} car."), ("What colour is my car?",), "Your car is {colour}."),
    _mine("my drink", "drink=drink:favourite_drink", ("My favourite drink is {drink}.",
          "I drink {drink} every morning."), ("What is my favourite drink?",
          "What do I like to drink?"), "Your favourite drink is {drink}."),
    _mine("my locker", "n=n3:locker", ("My locker number is {n}.", "I have locker {n}."),
          ("What is my locker number?", "Which locker do I have?"),
          "Your locker number is {n}."),
    _mine("my door code", "code=n4", ("My door code is {code}.",
          "The code of my door is {code}."), ("What is my door code?",
          "What is the code of my door?"), "Your door code is {code}."),
    _mine("my hobby", "hobby=hobby", ("My hobby is {hobby}.", "I enjoy {hobby}."),
          ("What is my hobby?", "What do I enjoy?"), "Your hobby is {hobby}."),
    _mine("my parking", "n=n1:level", ("I parked on level {n}.", "My car is on level {n}."),
          ("Where did I park?", "On which level is my car?"), "You parked on level {n}."),
    _mine("my train", "time=time", ("My train leaves at {time}.", "My train goes at {time}."),
          ("When does my train leave?", "At what time does my train leave?"),
          "Your train leaves at {time}."),
    _mine("my animal", "animal=animal:favourite_animal",
          ("My favourite animal is the {animal}.",),
          ("What is my favourite animal?", "Which animal do I like best?"),
          "Your favourite animal is the {animal}."),
    _mine("my seat", "seat=seat", ("My seat is {seat}.", "I sit in seat {seat}."),
          ("What is my seat?", "Where do I sit?", "Which seat do I have?"),
          "Your seat is {seat}."),
    _mine("my instrument", "instrument=instrument", ("I play the {instrument}.",),
          ("Which instrument do I play?", "What do I play?"), "You play the {instrument}."),
    _mine("my boss", "name=name:boss's_name", ("My boss is {name}.", "My boss is called {name}."),
          ("Who is my boss?", "What is my boss called?"), "Your boss is {name}."),
    _mine("my meeting", "day=day", ("My dentist appointment is on {day}.",
          "I see the dentist on {day}."), ("When is my dentist appointment?",
          "On which day do I see the dentist?"), "Your dentist appointment is on {day}."),
    _mine("my things", "colour=colour object=object place=place",
          ("I put my {colour} {object} in the {place}.", "My {colour} {object} is in the {place}.",
           "I left my {colour} {object} in the {place}."),
          ("Where is my {object}?", "Where did I put my {object}?",
           "Where did I leave my {colour} {object}?"), "Your {colour} {object} is in the {place}."),
    _kind("my relative", "relative=relative name=name:name", "relative",
          ("My {relative} is called {name}.", "My {relative}'s name is {name}.",
           "I have a {relative} called {name}."),
          (("name", "What is my {relative} called?", "Your {relative} is called {name}."),
           ("name", "What is my {relative}'s name?", "Your {relative}'s name is {name}."),
           ("name", "What is the name of my {relative}?",
            "The name of your {relative} is {name}."),
           ("relative", "Who is {name}?", "{name} is your {relative}.")),
          echo="Your {relative} is called {name}.", personal=True),
    _kind("my relative's work", "relative=relative job=job", "relative",
          ("My {relative} works as a {job}.", "My {relative} is a {job}."),
          (("job", "What is my {relative}'s job?", "Your {relative} works as a {job}."),
           ("job", "What does my {relative} do?", "Your {relative} works as a {job}.")),
          echo="Your {relative} works as a {job}.", personal=True),
    _kind("my relative's town", "relative=relative town=town", "relative",
          ("My {relative} lives in {town}.", "My {relative} is in {town}."),
          (("town", "Where does my {relative} live?", "Your {relative} lives in {town}."),
           ("town", "Where is my {relative}?", "Your {relative} is in {town}.")),
          echo="Your {relative} lives in {town}.", personal=True),
    _kind("my favourite", "thing=favourite value=word:favourite", "thing",
          ("My favourite {thing} is {value}.", "The {thing} that I like best is {value}."),
          (("value", "What is my favourite {thing}?", "Your favourite {thing} is {value}."),
           ("value", "Which {thing} do I like best?", "Your favourite {thing} is {value}.")),
          echo="Your favourite {thing} is {value}.", personal=True),
    _kind("my thing's colour", "object=object colour=colour", "object",
          ("My {object} is {colour}.", "I have a {colour} {object}."),
          (("colour", "What colour is my {object}?", "Your {object} is {colour}."),),
          echo="Your {object} is {colour}.", personal=True),
    _kind("my count", "goods=goods:things n=n2:number", "goods",
          ("I have {n} {goods}.", "I bought {n} {goods}.", "I own {n} {goods}."),
          (("n", "How many {goods} do I have?", "You have {n} {goods}."),),
          echo="You have {n} {goods}.", personal=True),
    _kind("my event", "event=event day=day time=hour", "event",
          ("My {event} is on {day} at {time}.", "I have a {event} on {day} at {time}."),
          (("time", "When is my {event}?", "Your {event} is on {day} at {time}."),
           ("time", "At what time is my {event}?", "Your {event} is at {time}."),
           ("day", "On which day is my {event}?", "Your {event} is on {day}.")),
          echo="Your {event} is on {day} at {time}.", personal=True),
    _mine("my password", "password=password", ("My password is {password}.",
          "My password word is {password}."), ("What is my password?",
          "Do you remember my password?"), "Your password is {password}."),
    _mine("my country flight", "town=town", ("I fly to {town} tomorrow.",
          "My next trip goes to {town}."), ("Where do I fly tomorrow?",
          "Where does my next trip go?"), "Your next trip goes to {town}."),
)  # fmt: skip

# The line that makes a long first turn unlike any other; it is a fact like the rest.
CODES: tuple[Kind, ...] = tuple(
    _kind(
        f"{label} code", f"code=code:{label.replace(' ', '_')}", "",
        (f"{label.capitalize()}: {{code}}",),
        [("code", f"What is the {label}?", f"The {label} is {{code}}."),
         ("code", f"Which {label} did I give you?", f"The {label} is {{code}}."),
         ("code", f"Repeat the {label}.", f"The {label} is {{code}}.")],
        echo=f"The {label} is {{code}}.",
    )
    for label in ("session code", "run code", "request id", "nonce", "code", "reference",
                  "ticket", "batch id", "run id", "session id")
)  # fmt: skip

KINDS = (*NOTE_KINDS, *PERSONAL_KINDS)
