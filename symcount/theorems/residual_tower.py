"""Residual branches that are linear multiply out: X + XW₁ + (X + XW₁)W₂ = X(I + W₁ + W₂ + W₁W₂).

For n layers, with H₀ = X and Hₖ = Hₖ₋₁ + Hₖ₋₁Wₖ, one lemma a layer shows Hₖ = XMₖ for Mₖ = Mₖ₋₁(I + Wₖ); multiplied
out, Mₙ has 2ⁿ terms.

Source: He et al. 2016, "Identity mappings in deep residual networks" (the stream as a sum); Veit et al. 2016, "Residual
networks behave like ensembles of relatively shallow networks" (2ⁿ paths).
"""

from __future__ import annotations

from symcount.algebra import apply, eye, matrix
from symcount.algebra.kernel import Lemma, Proof, Step
from symcount.algebra.terms import Letter, Product, Term
from symcount.identity import Identity, Neighbour, counted

X, I = matrix("X", "n", "d", "data"), eye("d")
W1, W2 = matrix("W1", "d", "d"), matrix("W2", "d", "d")
LEFT = X + X * W1 + (X + X * W1) * W2


def proof(layers: int = 2) -> Proof:
    """One lemma a layer: what comes out of layer k is XMₖ."""
    counted("layers", layers, 2_000)
    stream: Term = X
    made: Term = I
    lemmas: list[Lemma] = []
    definitions: dict[str, tuple[Letter, Term]] = {}
    for k in range(1, layers + 1):
        W, H, M = matrix(f"W{k}", "d", "d"), matrix(f"H{k}", "n", "d"), matrix(f"M{k}", "d", "d")
        before = X * made if k > 1 else X  # what the lemma of the layer before says of its stream
        definitions[H.name] = (H, stream + stream * W)
        definitions[M.name] = (M, made * (I + W) if k > 1 else I + W)
        steps = [Step("definition", of=H.name, term=stream + stream * W)]
        if k > 1:
            steps += [Step("equation", of=lemmas[-1].name, term=before + Product((before, W))),
                      Step("associate", term=before + before * W)]
        steps += [Step("identity", backwards=True, term=before * I + before * W),
                  Step("distribute", backwards=True, term=before * (I + W))]
        if k > 1:
            steps += [Step("associate", backwards=True, term=X * (made * (I + W)))]
        steps += [Step("definition", of=M.name, backwards=True, term=X * M)]
        lemmas.append(Lemma(f"layer {k}", H, X * M, steps))
        stream, made = H, M
    return Proof(tuple(lemmas), definitions)


IDENTITY = Identity(
    "residual branches that are linear multiply out",
    LEFT, X * (I + W1 + W2 + W1 * W2),
    meaning={"X": "residual stream, one token a row", "W1": "first branch", "W2": "second branch"},
    conditions=("each branch is linear, without a norm before it",),
    reason="each layer multiplies the stream by I + W",
    source="Veit et al. 2016, Residual networks as ensembles",
    neighbours=(
        Neighbour("the branches only add up", LEFT, X * (I + W1 + W2)),
        Neighbour("the branches may change places", LEFT, X * (I + W1 + W2 + W2 * W1)),
        Neighbour("the branches are ReLUs", X + apply("relu", X * W1) + apply("relu", (X + apply("relu", X * W1)) * W2),
                  X * (I + W1 + W2 + W1 * W2)),
    ),
    proof=proof,
)
