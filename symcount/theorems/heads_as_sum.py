"""Multi-head attention is a sum over its heads: [A₁(XV₁), A₂(XV₂), …][O₁; O₂; …] = Σᵢ AᵢX(VᵢOᵢ).

Source: Vaswani et al. 2017, section 3.2.2 (heads); Elhage et al. 2021, "A mathematical framework for transformer
circuits" (attention heads are independent and additive).
"""

from __future__ import annotations

from symcount.algebra import matrix, side, stack
from symcount.algebra.kernel import Proof
from symcount.algebra.search import proved
from symcount.algebra.terms import total
from symcount.identity import Identity, Neighbour, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.algebra.terms import Term

X = matrix("X", "t", "d", "data")


def _sides(heads: int) -> tuple[Term, Term]:
    """Both sides for so many heads, each with a width of its own."""
    every = [(matrix(f"A_{i}", "s", "t", "data"), matrix(f"V_{i}", "d", f"v_{i}"), matrix(f"O_{i}", f"v_{i}", "d"))
             for i in range(1, heads + 1)]
    return (side(*(a * (X * v) for a, v, _ in every)) * stack(*(o for *_, o in every)),
            total([a * X * (v * o) for a, v, o in every]))


def proof(heads: int = 2) -> Proof:
    """The proof for any number of heads; ProofError where none is found."""
    return Proof((proved("heads_as_sum", *_sides(counted("heads", heads, 32))),))


LEFT, RIGHT = _sides(2)
A, B = matrix("A_1", "s", "t", "data"), matrix("A_2", "s", "t", "data")
V, W = matrix("V_1", "d", "v"), matrix("V_2", "d", "v")
O, P = matrix("O_1", "v", "d"), matrix("O_2", "v", "d")

IDENTITY = Identity(
    "multi-head attention is a sum over its heads, so its parameters depend on the sum of the head widths only",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "A_1": "attention weights of head 1", "A_2": "attention weights of head 2",
             "V_1": "value weight of head 1", "V_2": "value weight of head 2",
             "O_1": "the output weight's rows for head 1", "O_2": "the output weight's rows for head 2"},
    conditions=("nothing between the concatenation and the output weight",),
    reason="the output weight multiplies the concatenation block by block; head i stores 2d·v_i numbers for values "
           "and output, whatever the others store",
    source="Vaswani et al. 2017, section 3.2.2; Elhage et al. 2021, A mathematical framework for transformer circuits",
    neighbours=(
        Neighbour("all heads attend alike", LEFT, A * X * (matrix("V_1", "d", "v_1") * matrix("O_1", "v_1", "d")
                                                           + matrix("V_2", "d", "v_2") * matrix("O_2", "v_2", "d"))),
        Neighbour("the heads are added before the output weight",
                  side(A * (X * V), B * (X * W)) * stack(O, P), (A * (X * V) + B * (X * W)) * (O + P)),
        Neighbour("the heads are concatenated in another order than the output weight's rows",
                  side(A * (X * V), B * (X * W)) * stack(P, O), A * X * (V * O) + B * X * (W * P)),
    ),
    proof=proof,
)
