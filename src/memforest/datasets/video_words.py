"""Vocabulary of the generated videos: what is seen, said and concluded in them, and what is asked about it.

Templates hold slots of one word or phrase each; {who} and {other} are tags of faces and voices, {name} is how a person
is called.
"""

from __future__ import annotations

from collections.abc import Mapping


def _each(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


NAMES = _each("""Mira, Tomas, Edda, Rafael, Juno, Bastian, Livia, Henrik, Noor, Callum, Petra, Duncan, Selma, Viktor,
    Amara, Leon, Greta, Emil, Paloma, Arvid, Zora, Florian, Ilka, Sunniva, Marlon, Wanda""")
COLOURS = _each("""silver, green, red, blue, white, black, grey, bronze, yellow, purple, turquoise, cream, maroon,
    beige, pink, copper, striped, chequered, spotted, golden""")
THINGS = _each("""cup, kettle, parcel, notebook, scarf, umbrella, lantern, basket, radio, camera, towel, bowl, suitcase,
    blanket, bottle, watering can, candle, folder, toolbox, vase, tray, helmet, cushion, calendar, headset, key ring,
    lunch box, tablecloth, stapler, teapot, picture frame, hair dryer, yoga mat, board game, charger, dumbbell""")
GARMENTS = _each("""jacket, pullover, coat, shirt, waistcoat, cardigan, hoodie, apron, dress, raincoat, blouse,
    tracksuit, dungarees, cap, headscarf, poncho""")
FURNITURE = _each("""wardrobe, sofa, bookcase, window, desk, sink, oven, chest of drawers, door, mirror, armchair,
    piano, coffee table, fridge, whiteboard, lamp, radiator, plant stand, aquarium, coat rack, balcony, fireplace""")
ROOMS = _each("kitchen, study, living room, bedroom, office, meeting room, gym, hallway, workshop, dining room")
SIDES = _each("on, under, beside, behind, in front of, to the left of, to the right of, close to")
JOBS = _each("""nurse, baker, bookkeeper, surveyor, gardener, librarian, florist, welder, carpenter, teacher,
    translator, receptionist, project manager, bus driver, paramedic, tailor, photographer, plumber, geologist,
    sound engineer, social worker, museum guide, pharmacist, web developer""")
HOBBIES = _each("""pottery, archery, chess, bouldering, fencing, birdwatching, origami, quilting, beekeeping, juggling,
    astronomy, calligraphy, kayaking, woodcarving, tango, badminton, embroidery, rowing, table tennis, geocaching""")
DISHES = _each("""lentil soup, beetroot salad, pumpkin curry, mushroom pie, spinach quiche, chickpea stew, carrot cake,
    fennel gratin, leek tart, barley risotto, bean casserole, potato salad, celery soup, tomato lasagne, walnut
    bread""")
MOODS = _each("calm, busy, cheerful, quiet, hurried, sleepy, solemn, playful, tense, friendly")
MANNERS = _each("slowly, with both hands, without a word, twice, and smiles, while humming, and sighs, in a hurry")
HABITS = _each("""after lunch, before every meeting, on Mondays, when guests come, in the evening, when it rains,
    before going to bed, as soon as the phone rings""")

_SEEN_OF_SOMEBODY = (
    "{who} walks to the {furniture} {manner}.",
    "{who} opens the {furniture} {manner} and looks at {other}.",
    "{who} says: 'Could you move the chair away from the {furniture}, please?'",
    "{who} says: 'I will come back to the {room} in {count} minutes.'",
    "{who} nods to {other} and points at the {furniture}.",
    "{who} asks {other} whether the {room} is free at {hour} o'clock.",
    "{who} laughs {manner} at {other}.",
    "{who} sits down {side} the {furniture} and counts {count} coins.",
    "{who} turns the music down and says: 'It is {hour} o'clock already, and nobody has called yet.'",
)
_SEEN_OF_NOBODY = (
    "The {room} has a {colour} {furniture} {side} the {furniture2}.",
    "The camera turns from the {furniture} to the {furniture2} in the {room}.",
    "A clock {side} the {furniture} shows {hour} o'clock.",
    "{count} people can be heard in the {room} {habit}.",
    "The light in the {room} is {mood} and falls on the {furniture}.",
    "The view moves past the {furniture} into the {room}, where a {colour} curtain hangs {side} the {furniture2}.",
    "A phone rings {count} times {side} the {furniture}.",
    "Steps come closer and stop {side} the {furniture}.",
)
_CONCLUDED_OF_SOMEBODY = (
    "{who} and {other} know each other well and share the work in the {room} without many words.",
    "{who} seems {mood} and likes to decide what happens in the {room}, which {other} accepts without complaint.",
    "{who} tends to stand {side} the {furniture} {habit}, which suggests a fixed habit rather than chance.",
    "{who} knows the {room} well and finds the {furniture} in the dark.",
    "{who} asks for things politely and waits for an answer {habit}, which shows respect for everyone in the {room}.",
)
_CONCLUDED_OF_NOBODY = (
    "The video shows a {mood} day in the {room}, in which people take their time {habit}, and {count} things are left "
    "undone until the next morning.",
    "The {room} is used for work and rest alike, since a {colour} {furniture} stands {side} the {furniture2} and "
    "nobody moves it away.",
    "People in this home meet in the {room} {habit}, so it is the place where news is told first.",
    "The {furniture} in the {room} is out of order.",
    "The robot has to keep {count} steps away from the {furniture}, because somebody may open it {habit}.",
    "Whoever enters the {room} passes the {furniture} first, so messages are often left {side} the {furniture2}.",
)
OTHERS: Mapping[tuple[str, bool], tuple[str, ...]] = {
    ("episodic", True): _SEEN_OF_SOMEBODY,
    ("episodic", False): _SEEN_OF_NOBODY,
    ("semantic", True): _CONCLUDED_OF_SOMEBODY,
    ("semantic", False): _CONCLUDED_OF_NOBODY,
}
"""Texts that are of no use for any question, by type of node and whether they are about somebody."""

VOICE_LINES = (
    "It is {hour} o'clock already.",
    "Let us go to the {room}.",
    "Wait, I have to close the {furniture}.",
    "That makes {count}.",
)

PUTS = ("{who} puts the {thing} {place}.", "{who} picks the {thing} up and leaves it {place}.")
BRINGS = "{who} brings a {thing} along and shows it to {other}."
WEARS = "{who} wears a {garment} today."
WANTS = "{who} says: 'For dinner I would like {dish}, and nothing else.'"
NAMED = "The name of {who} is {name}, since {other} says {name} to {who} when they talk to each other."
WORKS = "{who}, called {name}, works as a {job} and often talks about the colleagues there."
LIKES = "{who}, called {name}, spends free evenings with {hobby} and would like to do so more often."
KEPT = "In this home every {thing} is kept {place}, because everybody looks for it there first."

WHERE = "Where is the {thing}?"
WHETHER = "Is the {thing} {place}?"
BROUGHT = "Which things does {name} bring along?"
WHOSE_JOB = "What is the job of the person who put the {thing} {place}?"
DINNER = "What does the person in the {garment} want for dinner?"
HOBBY = "What does {name} do in free evenings?"
JOB = "What does {name} work as?"
KEPT_WHERE = "Where in this home is a {thing} kept?"
