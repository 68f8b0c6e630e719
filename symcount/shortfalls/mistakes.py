"""What authors write in place of what a model has: one size for another, or everything so many times.

Source: claims collected from papers, documentation, answers and READMEs; each row was met in some of them.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.polynomials import quotient

# letter: of the model; put: what is put in its place; says
Mistake = namedtuple("Mistake", "letter put says")

MISTAKES = (
    Mistake("kv", "heads", "takes query heads where key-value heads are meant"),
    Mistake("heads", "kv", "takes key-value heads where query heads are meant"),
    Mistake("L", "L - 1", "counts a layer too few"),
    Mistake("L", "L + 1", "counts a layer too many"),
    Mistake("h", "4d", "takes h = 4d where the feed-forward width is another"),
    Mistake("h", "d", "takes the model width where the feed-forward width is meant"),
    Mistake("k", "d", "takes the model width where that of a head is meant"),
    Mistake("h_e", "h", "takes the feed-forward width where that of one expert is meant"),
    Mistake("h", "h_e", "takes the width of one expert where the feed-forward width is meant"),
    Mistake("E", "K", "takes the experts chosen where all of them are meant"),
    Mistake("K", "E", "takes all experts where those chosen are meant"),
    Mistake("K", "1", "takes one expert where those chosen are meant"),
)
WHOLES = ((2, "counts everything twice"), (quotient(1, 2), "counts half of everything"),
          (3, "counts everything three times"))
COST = 6
