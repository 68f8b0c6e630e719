"""Every matrix product, the softmax at 3 an element, and the look-up of words as a product with their table.

The ratios to 6ND in table A4 are those of this count without both products with the table of words.

Source: Hoffmann et al. 2022, "Training compute-optimal large language models", appendix F.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.ledger import Term
from symcount.network import walk
from symcount.scopes import repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.readers import Network


def _one_hot(net: Network) -> list[Term]:
    """2·b·s·V·d for each look-up of words: one-hot rows times the table."""
    terms = []
    for x in walk(net):
        if x.verb == "lookup" and "V" in x.inputs[1].axes:
            ids, table = x.inputs
            terms.append(Term(f"{x.path}.one_hot", (2, *ids.axes.values(), *table.axes.values()), repeats(x.scope),
                              ("weight", "embedding")))
    return terms


CONVENTION = Convention(
    "chinchilla",
    rates={"softmax": 3},
    beside=_one_hot,
    says="full s·t scores, 3 FLOPs an element of a softmax, logits at every position, a look-up of words as a product",
    leaves="the look-up of words is counted as a product of one-hot rows with the table, which no implementation "
           "computes, and of elementwise work only the softmax",
    source="Hoffmann et al. 2022, Training compute-optimal large language models, appendix F",
    backward=2,
)
