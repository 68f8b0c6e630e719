"""GenZ, prefill: the look-up in the word table is a product as large as the head.

Source: GenZ at its head of 2026-07, Models/embedding.py, whose column "MACs (MFLOP)" holds FLOPs; that of genz-llm
0.0.16 holds multiply-adds, half of them.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.conventions._beside import HEADS, head, words
from symcount.ledger import Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.readers import Network


def table(net: Network) -> list[Term]:
    """Logits where the class has none, and the look-up as a product with one-hot rows: 2·b·s·V·d."""
    tokens, V, d = words(net)
    return [*head(net), Term("embeddings.product", (2, *tokens, V, d), (), ("weight", "embedding"))]


CONVENTION = Convention(
    "genz",
    counts=HEADS,
    beside=table,
    says="full s·t scores, the word table as a product, logits at every position, no elementwise work",
    leaves="the look-up of words counts as a product with a one-hot row, 2·V·d a token, as its table of operators "
           "has no other kind; norms, softmax and activations are left out; of a large figure it prints seven digits",
    source="GenZ, head of 2026-07, and genz-llm 0.0.16, prefill_moddeling; measured 2026-11 on LLaMA",
    backward=None,
)
