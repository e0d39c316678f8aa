"""Vocabulary of the synthetic histories: what speakers have, how it is said, and what can be asked about it.

Templates hold two kinds of fields. Slots such as {place} take a composed value that all phrasings of a fact
share. Voice fields make one template serve a chat line and an observation: {who} is "I" or "Mira", {whom}
"me" or "Mira", {whose} "my" or "Mira's"; {s}, {is} and {has} follow suit; {other} is the person spoken to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Statement:
    """Templates: something said in any of `phrasings`, a question about it, and the answer."""

    phrasings: tuple[str, ...]
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Topic:
    """One attribute of a speaker and the small events around it.

    `value` names the slot that composes the attribute's values. `began` states a value, `changed` one that
    replaces {old}, `still` repeats one. `state` asks for the value (a date or a period is added), `when` for
    the day it came, and `guess` is a question that needs common sense, with its answer.
    """

    label: str
    value: str
    began: tuple[str, ...]
    changed: tuple[str, ...]
    still: tuple[str, ...]
    state: str
    when: str
    guess: tuple[str, str]
    episodes: tuple[Statement, ...]


def _each(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


def _numbers(first: int, last: int, step: int = 1) -> tuple[str, ...]:
    return tuple(str(number) for number in range(first, last + 1, step))


# strftime would name the months in the language of the machine.
MONTHS = _each("""January, February, March, April, May, June, July, August, September, October, November,
    December""")
SPEAKERS = _each("""Mira, Tomas, Edda, Rafael, Juno, Bastian, Livia, Henrik, Noor, Callum, Petra, Duncan,
    Selma, Viktor, Amara, Leon, Greta, Emil, Paloma, Arvid, Zora, Florian, Ilka, Sunniva, Marlon, Wanda""")

_FIRST = _each("""Ada, Boris, Celia, Dario, Elsa, Fabio, Gwen, Hugo, Irene, Jonah, Karin, Lorenz, Maud, Nils,
    Odile, Pavel, Rosa, Stefan, Tilda, Ulric, Vera, Walter, Xenia, Yusuf, Zelda, Anton, Bettina, Cyril""")
_HEAD = _each("""Al, Ber, Cor, Dal, El, Fen, Gar, Hol, Ir, Jor, Kel, Lin, Mor, Nar, Or, Pel, Quil, Ros, Sel,
    Tor, Ul, Vel, Wes, Yar, Zan, Bran, Cres, Drum, Flor, Glen, Hart, Kirk, Lang, Mel, Nor, Pren, Stel, Thorn,
    Var, Win""")
_MIDDLE = _each("a, e, i, o, u, an, en, in, or, el, am, ib, od, ud, al, est")
_TOWN = _each("""ford, wick, vale, by, ton, mouth, stead, haven, bridge, field, ham, port, dale, moor, burg,
    cliff, brook, ness, crest, combe""")
_FAMILY = _each("""sen, ski, ley, man, etti, ard, ova, wright, quist, berg, ano, mann, dottir, ez, well,
    stone, ier, ham, kov, lin""")
_MAKER = _each("to, va, ra, no, ko, lix, dex, na, ma, zen, mo, tis, ro, vo, quo, lo, sa, xa, do, ta")
_ADJECTIVE = _each("""Silent, Borrowed, Crooked, Golden, Hidden, Patient, Hollow, Winter, Scarlet, Broken,
    Distant, Paper, Wandering, Forgotten, Salted, Velvet, Northern, Burning, Narrow, Second, Glass""")
_NOUN = _each("""Orchard, Lighthouse, Harbour, Clock, Staircase, Garden, Ferry, Mirror, Island, Letter,
    Bridge, Map, Winter, Lantern, Kitchen, River, Tower, Carnival, Meadow, Piano, Window, Library, Compass""")
_COLOUR = _each("""silver, green, red, blue, white, black, grey, bronze, yellow, purple, turquoise, cream,
    maroon, beige, pink, copper""")
_SPACE = (" ",)
_PERSON = (_FIRST, _SPACE, _HEAD, _MIDDLE, _FAMILY)
_PLACE = (_HEAD, _MIDDLE, _TOWN)
_BRAND = (_HEAD, _MIDDLE, _MAKER)
_ROLE = _each("""nurse, baker, bookkeeper, surveyor, gardener, librarian, florist, welder, carpenter, teacher,
    translator, receptionist, data analyst, project manager, bus driver, lab technician, graphic designer,
    paramedic, tailor, chef, photographer, plumber, geologist, sound engineer, legal clerk, social worker,
    museum guide, pharmacist, web developer, warehouse planner""")
_COMPANY = (
    *_BRAND,
    _SPACE,
    _each("""Labs, Partners, Works, Systems, Studios, Supplies, Brothers, Trading,
    House, Union, Group, Makers, Stores, Market, Craft, Depot"""),
)
_DISH = (
    _each("smoked, roasted, pickled, spicy, baked, grilled, braised, stuffed, cold, creamy, crispy, sweet"),
    _SPACE,
    _each("""lentil, beetroot, pumpkin, mushroom, spinach, chickpea, carrot, fennel, cabbage, leek, tofu,
        barley, bean, courgette, aubergine, potato, celery, millet, tomato, walnut"""),
    _SPACE,
    _each("pie, soup, stew, salad, curry, gratin, quiche, risotto, casserole, lasagne, flan, tart"),
)

SLOTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "person": _PERSON,
    "place": _PLACE,
    "company": _COMPANY,
    "role": (_ROLE,),
    "colour": (_COLOUR,),
    "dish": _DISH,
    "count": (_numbers(2, 60),),
    "minutes": (_numbers(15, 240),),
    "amount": (_numbers(40, 2400, 5),),
    "weekday": (_each("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),),
    "piece": (("The ",), _ADJECTIVE, _SPACE, _NOUN, (" of ",), *_PLACE),
    "job": (_ROLE, (" at ",), *_COMPANY),
    "pet": (
        _each("""Biscuit, Pepper, Mango, Olive, Waffle, Ziggy, Poppy, Rusty, Hazel, Domino, Figaro, Clover,
        Nutmeg, Pickles, Sable, Toffee, Juniper, Marble, Basil, Comet, Truffle, Ginger, Bramble, Cosmo,
        Dumpling, Echo"""),
        (" the ",),
        _COLOUR,
        _SPACE,
        _each("""spaniel, terrier, beagle, poodle, greyhound, tabby cat, kitten, rabbit, parrot, tortoise,
        hamster, collie, dachshund, ferret, canary, husky, gecko, guinea pig"""),
    ),
    "hobby": (
        _each("""pottery, archery, chess, bouldering, fencing, birdwatching, origami, quilting, beekeeping,
        juggling, astronomy, calligraphy, kayaking, improv theatre, woodcarving, tango, badminton, life
        drawing, embroidery, model railways, salsa, judo, photography, rowing, table tennis, candle making,
        geocaching, poetry"""),
        (" at the ",),
        *_PLACE,
        (" club",),
    ),
    "car": (_COLOUR, _SPACE, *_BRAND, _SPACE, _numbers(100, 980, 20)),
    "diet": (
        *_BRAND,
        _SPACE,
        _each("""vegan, low-salt, gluten-free, dairy-free, high-protein, vegetarian,
        low-sugar, fasting, Mediterranean, wholefood, low-carb, seafood, raw food"""),
        (" diet",),
    ),
    "instrument": (
        *_BRAND,
        _SPACE,
        _each("""cello, violin, clarinet, trumpet, piano, banjo, mandolin, flute,
        harp, guitar, ukulele, saxophone, trombone, drum kit, viola, bassoon, bass guitar, tuba, lute"""),
    ),
    "route": (("running route of ",), _numbers(3, 42), (" kilometres around ",), *_PLACE),
    "book": (("The ",), _ADJECTIVE, _SPACE, _NOUN, (" by ",), *_PERSON),
    "trip": (("trip to ",), *_PLACE, (" for ",), _numbers(3, 28), (" days",)),
    "crop": (
        *_BRAND,
        _SPACE,
        _each("""tomatoes, dahlias, pumpkins, roses, beans, strawberries, tulips,
        courgettes, sunflowers, peppers, raspberries, lavender, garlic, radishes, potatoes, carrots"""),
    ),
}


def _topic(raw: dict[str, Any]) -> Topic:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
    episodes = tuple(
        Statement(phrasings=tuple(item["phrasings"]), question=item["question"], answer=item["answer"])
        for item in raw["episodes"]
    )
    return Topic(**{**fields, "episodes": episodes})


TOPICS = tuple(
    _topic(raw)
    for raw in json.loads(resources.files("memforest.datasets").joinpath("synthetic_topics.json").read_text("utf-8"))
)

TRIVIA = (
    ("{who} thanked {other}", "thank you, {other}, that means a lot"),
    ("{who} thanked {other} for asking about {label}", "thanks for asking about {label}, {other}"),
    ("{who} wished {other} a good {weekday}", "have a good {weekday}, {other}"),
    ("{who} laughed at a joke of {other} about a {dish}", "your joke about the {dish} was good, {other}"),
    ("{who} sent {other} a photo of a sunset over {place}", "look at this sunset over {place}"),
    ("{who} apologised to {other} for being {count} minutes late", "sorry for being {count} minutes late"),
    ("{who} had a {dish} for lunch", "I am just having a {dish} for lunch"),
    ("{who} complained about {count} days of rain in {place}", "it rained for {count} days in {place}"),
)

OPENERS = (
    "",
    "",
    "",
    "by the way, ",
    "guess what, ",
    "so, ",
    "well, ",
    "you know what, ",
    "oh, ",
    "as for me, ",
    "let me tell you, ",
    "since you ask, ",
    "believe it or not, ",
    "to be honest, ",
    "hey {other}, ",
)

REPEAT_LEADS = ("as mentioned before, ", "once more, ", "", "")

TAILS = (
    "",
    "",
    "",
    "",
    " How about you, {other}?",
    " What do you say?",
    " I had to tell you.",
    " It feels good.",
    " I am still getting used to it.",
    " Can you believe it?",
    " Enough about me, {other}.",
    " Wish me luck!",
)

SMALL_TALK = (
    "Hi {other}, how have you been?",
    "That sounds wonderful, {other}!",
    "Oh no, I hope it works out.",
    "How is it going with {label}, {other}?",
    "Tell me more about {label}.",
    "I was thinking about {label}.",
    "Ha, that is so like you, {other}.",
    "Good for you! You earned it.",
    "I want to hear the whole story.",
    "Really? I did not expect that.",
    "You always find the right words, {other}.",
    "What a week this was!",
    "I am so glad that we talk, {other}.",
    "We should do this more often.",
    "Anything else new, {other}?",
    "What does your family say about {label}?",
    "I keep my fingers crossed, {other}.",
    "That made my day.",
    "You sound happier than last time.",
    "Let us talk about {label} again soon.",
    "Fair enough, {other}.",
    "I read something about that yesterday.",
    "No way! When did you find out?",
    "I could not agree more.",
)
