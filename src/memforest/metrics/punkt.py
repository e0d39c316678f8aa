"""What NLTK's English sentence model knows about text in lower case.

The model (`punkt_tab`, trained on the Wall Street Journal) is a download and 20,366 words long. In lower-case text its
decisions rest on the abbreviations, and on the words that a sentence began with in lower case and that never had a
capital; all else that the model knows needs a capital letter, or comes to the same: a number or an initial with a full
stop ends no sentence, whichever word follows.
"""

from __future__ import annotations

_ABBREVIATIONS = """
a.a a.c a.d a.g a.h a.m a.m.e a.s a.t adm ala ariz aug ave b.f b.v bros c c.i.t c.o.m.b c.v calif chg cie co col colo
conn corp cos ct d d.c d.h d.w dec dr e e.f e.h e.l e.m f f.g f.j feb fla fri ft g g.d g.f g.k ga gen h h.c h.f h.m
i.m.s ill inc j.b j.c j.j j.k j.p j.r jan jr k kan ky l l.a l.f l.p lt ltd m m.b.a m.d.c m.j maj messrs mg mich minn
mr mrs ms n n.c n.d n.h n.j n.m n.v n.y nev nov oct ok okla ore p p.a.m p.m pa ph.d prof r r.a r.h r.i r.j r.k r.t rep
reps s s.a s.a.y s.c s.g s.p.a s.s sen sep sept sr st sw t t.j tenn tues u.k u.n u.s u.s.a u.s.s.r v va vs vt w w.c
w.r w.va w.w wash wed wis yr
"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())

STARTERS = ("administrators", "b-week", "r-revised", "z-holiday")
"""Words before which it does end one."""
