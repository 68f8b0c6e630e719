"""EleutherAI's cookbook, calc_transformer_flops.py --infer: an MLP of width 4d, and logits.

Source: cookbook at its head of 2026-03, which takes --ffn-hidden-size and does not read it, and the number of matrices
of the MLP from -nl. Its training figure triples or quadruples the layers alone, so that no backward pass is made here.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.conventions._beside import ENCODER_HEADS, head, words
from symcount.ledger import Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.readers import Network


def beside(net: Network) -> list[Term]:
    """Logits where the class has none, and 4·b·s·d for the embeddings."""
    tokens, _, d = words(net)
    return [*head(net), Term("embeddings.sum", (4, *tokens, d), (), ("elementwise", "embedding"))]


CONVENTION = Convention(
    "cookbook",
    sizes={"h": "4d", "k": "d/heads"},
    counts={**ENCODER_HEADS, "experts": {"e": 1}, "router": 0},
    beside=beside,
    says="an MLP of width 4d, full s·t scores, logits at every position of every model, embeddings 4 a number",
    leaves="the width of the MLP is taken for 4d, as the option that gives another is not read; logits count though "
           "a class has none, and a pooler does not; without --moe a layer has one MLP",
    source="EleutherAI cookbook, head of 2026-03, calc_transformer_flops.py --infer; measured 2026-11 on LLaMA and "
           "BERT",
    backward=None,
)
