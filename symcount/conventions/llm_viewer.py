"""LLM-Viewer, prefill: seven operations a number for a norm, and a head that runs once at one operation a multiply-add.

Source: LLM-Viewer at its head of 2024-07, model_analyzer.py and configs/Llama.py.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.conventions._beside import HEADS, words
from symcount.ledger import Term
from symcount.network import walk
from symcount.scopes import repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.readers import Network


def layers(net: Network) -> list[Term]:
    """In each layer 7·b·s·d for a norm, and 2·b·s·d for the activation, which has width h; then b·d·V for the head."""
    (b, *rest), V, d = words(net)
    rates = {"rms_norm": 7, "silu": 2}
    terms = [Term(x.path, (rates[x.details["kind"]], b, *rest, d), repeats(x.scope), ("elementwise", x.details["kind"]))
             for x in walk(net) if x.verb == "pointwise" and x.details["kind"] in rates and repeats(x.scope)]
    return [*terms, Term("head", (b, d, V), (), ("weight", "logits"))]


CONVENTION = Convention(
    "llm_viewer",
    rates={"softmax": 5, "add": 1, "silu": 0, "activation": None, "layer_norm": None},
    counts={**HEADS, "logits": 0},
    sizes={"k": "d/heads"},
    beside=layers,
    says="full s·t scores, the head for one token at 1 FLOP a multiply-add; softmax 5, norms 7, sums 1, activation 2 "
         "a number of width d",
    leaves="logits count for one token, and half; rotation, the product with the gate and the last norm are left "
           "out; the activation counts on d numbers in place of h, as its sizes are given for d alone",
    source="LLM-Viewer, head of 2024-07, total_results of prefill; measured 2026-11 on LLaMA",
    backward=None,
)
