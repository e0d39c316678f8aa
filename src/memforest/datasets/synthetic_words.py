"""Vocabulary of the synthetic histories: what speakers have, how it is said, and what can be asked about it.

Templates hold two kinds of fields. Slots such as {place} take a composed value that all phrasings of a fact
share. Voice fields make one template serve a chat line and an observation: {who} is "I" or "Mira", {whom}
"me" or "Mira", {whose} "my" or "Mira's"; {s}, {is} and {has} follow suit; {other} is the person spoken to.
"""

from __future__ import annotations

from dataclasses import dataclass


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

TOPICS = (
    Topic(
        "the flat",
        "place",
        ("{who} moved to {value}", "{who} rented a flat in {value}", "{who} found a small house in {value}"),
        ("{who} left {old} and moved to {value}", "{who} gave up the flat in {old} for a house in {value}"),
        ("{who} still live{s} in {value}", "{whose} home is in {value}"),
        "Which town did {who} live in",
        "When did {who} move to {value}?",
        ("Would a job near {value} have suited {who} in {month}?", "Likely yes, {who} lived in {value} then"),
        (
            Statement(
                (
                    "{who} bought a {colour} {company} sofa for the flat in {value} for {amount} euros",
                    "the {colour} {company} sofa in {whose} flat in {value} cost {amount} euros",
                ),
                "How much did {who} pay for the {colour} sofa from {company}?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{whose} new neighbour in {value} is {person}, a {role}",
                    "{who} got to know a {role} called {person} next door in {value}",
                ),
                "What is the job of {whose} neighbour {person}?",
                "{role}",
            ),
            Statement(
                (
                    "the landlord {person} raised {whose} rent in {value} to {amount} euros",
                    "{who} now pay{s} the landlord {person} {amount} euros of rent in {value}",
                ),
                "How much rent did {whose} landlord {person} ask?",
                "{amount} euros",
            ),
        ),
    ),
    Topic(
        "work",
        "job",
        ("{who} started a new job as a {value}", "{who} got hired as a {value}", "{who} became a {value}"),
        ("{who} quit the job as a {old} and became a {value}", "{who} changed jobs from {old} to {value}"),
        ("{who} still work{s} as a {value}", "{whose} job is the same, {value}"),
        "Which job did {who} have",
        "When did {who} become a {value}?",
        ("What kind of tools might {who} have used at work in {month}?", "Those of a {value}"),
        (
            Statement(
                (
                    "{whose} boss {person} praised {whose} report on {company}, written as a {value}",
                    "{who} got praise as a {value} from the boss {person} for a report on {company}",
                ),
                "Which company was the report on that {whose} boss {person} praised?",
                "{company}",
            ),
            Statement(
                (
                    "{who} earned a bonus of {amount} euros at work for the {company} contract",
                    "work paid {whom} a bonus of {amount} euros after the {company} contract",
                ),
                "How large was {whose} bonus for the {company} contract?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{who} trained a new colleague, {person}, for {count} hours in the job of {value}",
                    "the new colleague {person} had {count} hours of training from {whom}, a {value}",
                ),
                "For how long did {who} train the colleague {person}?",
                "{count} hours",
            ),
        ),
    ),
    Topic(
        "the pet",
        "pet",
        ("{who} adopted a pet, {value}", "{who} brought home a new pet, {value}", "{who} took in {value}"),
        ("{who} gave {old} to a cousin and adopted {value}", "after {old}, {who} took in a new pet, {value}"),
        ("{who} still {has} the pet {value}", "{whose} pet is {value}"),
        "Which pet did {who} have",
        "When did {who} adopt {value}?",
        ("Would a hotel that bans animals have suited {who} in {month}?", "Likely no, {who} had {value}"),
        (
            Statement(
                (
                    "{who} took the pet {value} to the vet {person} and paid {amount} euros",
                    "the vet {person} charged {whom} {amount} euros for treating {value}",
                ),
                "How much did the vet {person} charge {who}?",
                "{amount} euros",
            ),
            Statement(
                ("{whose} pet {value} stole a {dish} from the table", "{value} ate {whose} {dish}"),
                "Who stole {whose} {dish}?",
                "{value}",
            ),
            Statement(
                (
                    "{who} bought {value} a {colour} pet basket from {company}",
                    "{whose} pet {value} sleeps in a {colour} basket from {company}",
                ),
                "Which colour is the pet basket that {who} got from {company}?",
                "{colour}",
            ),
        ),
    ),
    Topic(
        "the relationship",
        "person",
        ("{who} started dating {value}", "{who} {is} in love with {value}", "{who} now date{s} {value}"),
        ("{who} broke up with {old} and now date{s} {value}", "{who} left {old} and now love{s} {value}"),
        ("{who} {is} still together with {value}", "{whose} partner is {value}"),
        "Which partner did {who} have",
        "When did {who} start dating {value}?",
        ("Might {who} have bought a Valentine card in {month}, and for whom?", "Likely yes, for {value}"),
        (
            Statement(
                (
                    "{whose} partner {value} cooked {whom} a {dish} for a date on {weekday}",
                    "{who} had a romantic {weekday} dinner of {dish} cooked by {value}",
                ),
                "On which weekday did {whose} partner cook a {dish}?",
                "{weekday}",
            ),
            Statement(
                (
                    "{who} spent an anniversary weekend in {place} with {value} for {amount} euros",
                    "an anniversary weekend in {place} with {value} cost {whom} {amount} euros",
                ),
                "How much did {whose} anniversary weekend in {place} cost?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{who} met {person}, a {role} and a parent of {whose} partner {value}",
                    "{whose} partner {value} introduced {whom} to a parent, the {role} {person}",
                ),
                "What is the job of {person}, a parent of {whose} partner?",
                "{role}",
            ),
        ),
    ),
    Topic(
        "the hobby",
        "hobby",
        ("{who} took up {value}", "{who} discovered a new hobby, {value}", "{who} signed up for {value}"),
        ("{who} stopped {old} and took up {value}", "{who} swapped the hobby {old} for {value}"),
        ("{who} still enjoy{s} {value}", "{whose} hobby is {value}"),
        "Which hobby did {who} have",
        "When did {who} take up {value}?",
        ("Which gift for a hobby would have pleased {who} in {month}?", "Something for {value}"),
        (
            Statement(
                (
                    "{who} came in at place {count} behind {person} in a contest in {value}",
                    "{person} beat {whom} in a contest in {value}, where {who} came in at place {count}",
                ),
                "Which place did {who} reach in the hobby contest with {person}?",
                "{count}",
            ),
            Statement(
                (
                    "{who} spent {amount} euros on {company} gear for {value}",
                    "{whose} {company} gear for {value} cost {amount} euros",
                ),
                "How much did {who} spend on hobby gear from {company}?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{whose} teacher for {value} is {person} from {place}",
                    "{person} from {place} teaches {whom} {value}",
                ),
                "Where is {person}, who teaches {who} a hobby, from?",
                "{place}",
            ),
        ),
    ),
    Topic(
        "the car",
        "car",
        ("{who} bought a {value}", "{who} got a second-hand {value}", "{who} {has} a new car, a {value}"),
        ("{who} sold the {old} and bought a {value}", "{who} traded the old {old} in for a {value}"),
        ("{who} still drive{s} the {value}", "{whose} car is the {value}"),
        "Which car did {who} drive",
        "When did {who} get the {value}?",
        ("Would {who} have needed a parking space in {month}?", "Likely yes, for the {value}"),
        (
            Statement(
                (
                    "{who} drove the {value} to {place} in {minutes} minutes",
                    "the drive to {place} in {whose} {value} took {minutes} minutes",
                ),
                "How long did {who} drive to {place}?",
                "{minutes} minutes",
            ),
            Statement(
                (
                    "{who} paid {amount} euros at {company} for new brakes for the {value}",
                    "the garage {company} fixed the brakes of {whose} {value} for {amount} euros",
                ),
                "How much did {who} pay {company} for new brakes?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{who} got a fine of {amount} euros for parking the {value} in {place}",
                    "parking the {value} in {place} cost {whom} a fine of {amount} euros",
                ),
                "How high was {whose} parking fine in {place}?",
                "{amount} euros",
            ),
        ),
    ),
    Topic(
        "the diet",
        "diet",
        ("{who} went on the {value}", "{who} started eating by the {value}", "{who} switched to the {value}"),
        ("{who} dropped the {old} for the {value}", "{who} gave up the {old} and now follow{s} the {value}"),
        ("{who} still stick{s} to the {value}", "{who} eat{s} by the {value} as before"),
        "Which diet did {who} follow",
        "When did {who} switch to the {value}?",
        ("What should a host have asked {who} before a dinner in {month}?", "What the {value} allows"),
        (
            Statement(
                (
                    "{who} cooked a {dish} for {count} guests on the {value}",
                    "{count} guests ate {whose} {dish}, made by the rules of the {value}",
                ),
                "For how many guests did {who} cook a {dish}?",
                "{count}",
            ),
            Statement(
                (
                    "{who} lost {count} pounds on the {value} with the coach {person}",
                    "with {person} as a diet coach, {who} lost {count} pounds on the {value}",
                ),
                "How much weight did {who} lose with the coach {person}?",
                "{count} pounds",
            ),
            Statement(
                (
                    "{who} broke the {value} with a {dish} in {place}",
                    "the {dish} in {place} was worth breaking {whose} {value} for",
                ),
                "Where did {who} break the diet with a {dish}?",
                "{place}",
            ),
        ),
    ),
    Topic(
        "the music",
        "instrument",
        ("{who} began to learn the {value}", "{who} bought the {value} to play", "{who} took up the {value}"),
        ("{who} sold the {old} and began to play the {value}", "{who} moved from the {old} to the {value}"),
        ("{who} still play{s} the {value}", "{who} practise{s} on the {value} as ever"),
        "Which instrument did {who} play",
        "When did {who} start to play the {value}?",
        ("Might {whose} neighbours have heard music in {month}?", "Likely yes, from the {value}"),
        (
            Statement(
                (
                    "{who} learned the tune {piece} on the {value} in {count} days",
                    "it took {whom} {count} days to play {piece} on the {value}",
                ),
                "How many days did {who} need to learn {piece}?",
                "{count} days",
            ),
            Statement(
                (
                    "{who} played the {value} in a concert for {minutes} people in {place}",
                    "{minutes} people in {place} heard {whose} concert on the {value}",
                ),
                "How many people heard {whose} concert in {place}?",
                "{minutes}",
            ),
            Statement(
                (
                    "{whose} music teacher {person} asks {amount} euros a term for lessons on the {value}",
                    "{who} pay{s} {person} {amount} euros a term for music lessons on the {value}",
                ),
                "How much does the music teacher {person} ask of {who} a term?",
                "{amount} euros",
            ),
        ),
    ),
    Topic(
        "the running",
        "route",
        ("{who} chose a {value} for training", "{who} began to train on a {value}", "{who} tried a {value}"),
        ("{who} went from a {old} to a {value}", "{who} swapped the {old} for a {value}"),
        ("{who} still run{s} the {value}", "{whose} training is the same {value}"),
        "Which running route did {who} train on",
        "When did {who} start on the {value}?",
        ("Would new running shoes have been a sensible gift for {who} in {month}?", "Yes, for the {value}"),
        (
            Statement(
                (
                    "{who} finished the {place} race in {minutes} minutes after training on the {value}",
                    "after training on the {value}, {who} ran the {place} race in {minutes} minutes",
                ),
                "How fast did {who} run the race in {place}?",
                "{minutes} minutes",
            ),
            Statement(
                (
                    "{who} ran the {value} with {person} in {minutes} minutes",
                    "{person} and {who} needed {minutes} minutes for the {value}",
                ),
                "How long did {who} run with {person}?",
                "{minutes} minutes",
            ),
            Statement(
                (
                    "{who} wore out {colour} running shoes from {company} on the {value}",
                    "the {colour} {company} running shoes did not survive {whose} {value}",
                ),
                "Which colour were {whose} running shoes from {company}?",
                "{colour}",
            ),
        ),
    ),
    Topic(
        "the book",
        "book",
        ("{who} started reading {value}", "{who} borrowed the book {value}", "{who} {is} reading {value}"),
        ("{who} finished {old} and started {value}", "{who} put aside {old} to read {value}"),
        ("{who} {is} still reading {value}", "{whose} bedside book is {value}"),
        "Which book did {who} read",
        "When did {who} start to read {value}?",
        ("Could {who} have told the plot of {value} in {month}?", "Its beginning, {who} was reading it"),
        (
            Statement(
                (
                    "{who} read {minutes} pages of {value} on the train to {place}",
                    "on the train to {place}, {who} got through {minutes} pages of {value}",
                ),
                "How many pages did {who} read on the train to {place}?",
                "{minutes}",
            ),
            Statement(
                (
                    "{who} lent a copy of {value} to {person}, a {role}",
                    "a {role} named {person} borrowed {whose} copy of {value}",
                ),
                "What is the job of {person}, who borrowed a book from {who}?",
                "{role}",
            ),
            Statement(
                (
                    "{who} found a signed copy of {value} in {place} for {amount} euros",
                    "a signed copy of {value} cost {whom} {amount} euros in {place}",
                ),
                "How much did {who} pay for a signed book in {place}?",
                "{amount} euros",
            ),
        ),
    ),
    Topic(
        "the travel plan",
        "trip",
        ("{who} plan{s} a {value}", "{who} booked a {value}", "{who} decided on a holiday, a {value}"),
        ("{who} cancelled the {old} and booked a {value}", "{who} replaced the plan of a {old} by a {value}"),
        ("{who} still plan{s} the {value}", "{whose} holiday plan is the {value}"),
        "Which trip did {who} plan",
        "When did {who} decide on the {value}?",
        ("Would {who} have looked at timetables in {month}?", "Likely yes, for the {value}"),
        (
            Statement(
                (
                    "{who} booked a room with {person} for {amount} euros for the {value}",
                    "a room with the host {person} costs {whom} {amount} euros on the {value}",
                ),
                "How much does {who} pay the host {person}?",
                "{amount} euros",
            ),
            Statement(
                (
                    "{who} bought a {colour} suitcase from {company} for the {value}",
                    "the {colour} suitcase from {company} is for {whose} {value}",
                ),
                "Which colour is the suitcase that {who} got from {company}?",
                "{colour}",
            ),
            Statement(
                (
                    "{who} want{s} to stop for {count} hours in {place} on the {value}",
                    "{whose} {value} includes a stop of {count} hours in {place}",
                ),
                "How long does {who} want to stop in {place}?",
                "{count} hours",
            ),
        ),
    ),
    Topic(
        "the garden",
        "crop",
        ("{who} planted {value} in the garden", "{who} sowed {value}", "{who} dug a garden bed for {value}"),
        ("{who} dug up the {old} and planted {value}", "{who} replaced the {old} by {value} in the bed"),
        ("{who} still grow{s} {value} in the garden", "{whose} garden is full of {value}"),
        "Which crop did {who} grow",
        "When did {who} plant the {value}?",
        ("Would a dry summer have worried {who} in {month}?", "Likely yes, because of the {value}"),
        (
            Statement(
                (
                    "{who} gave {count} bunches of the {value} to the neighbour {person}",
                    "the neighbour {person} got {count} bunches of {whose} {value}",
                ),
                "How many bunches from the garden did {who} give to {person}?",
                "{count}",
            ),
            Statement(
                (
                    "{who} treated the {value} with {amount} grams of compost from {company}",
                    "{whose} {value} got {amount} grams of garden compost made by {company}",
                ),
                "How much compost from {company} did {who} use?",
                "{amount} grams",
            ),
            Statement(
                (
                    "{who} won prize {count} for the {value} at the {place} garden show",
                    "the {place} garden show gave {whose} {value} prize {count}",
                ),
                "Which prize did {who} win at the garden show in {place}?",
                "{count}",
            ),
        ),
    ),
)

# What is noted of a turn without news, and what is said in it.
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
