"""Layers without a nonlinearity between them are one layer: (XW₁ + 1b₁)W₂ + 1b₂ = X(W₁W₂) + 1(b₁W₂ + b₂).

The layers are not typed here: they are read from the forward pass of `mlp` with activation=none.

Source: Goodfellow, Bengio and Courville 2016, "Deep learning", section 6.1 (a composition of linear maps is linear).
"""

from __future__ import annotations

from collections import namedtuple

from symcount.algebra.certificate import coq_collapse
from symcount.algebra.kernel import Equation, Induction, Lemma, Proof, Step
from symcount.algebra.making import matrix, ones
from symcount.algebra.terms import Letter, Term, Zero, letters, replaced
from symcount.architectures.mlp import mlp
from symcount.errors import ModelError, ProofError
from symcount.functions import function
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter
from symcount.readers.words import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.tensors import Tensor

_MOST_LAYERS = 2_000
_Sizes = namedtuple("_Sizes", "b n bias activation")


def _name(x: Tensor) -> str:
    """layer2.weight is W_2, layer2.bias b_2, what comes out H_2; the input X."""
    if x.verb == "input":
        return "X"
    part, _, kind = x.path.partition(".")
    index = "".join(sign for sign in part if sign.isdigit())
    return {"weight": "W", "bias": "b"}.get(kind, "H" if part.startswith("layer") else "A") + f"_{index}"


def layers_read(layers: int, activation: str | None = None) -> dict[str, Any]:
    """{name: (letter, what it is)} of the layers of `mlp`, in order, as its forward pass says."""
    if not isinstance(layers, int) or not 2 <= layers <= _MOST_LAYERS:
        raise ModelError(f"layer_collapse: layers = {layers}: a whole number from 2 to {_MOST_LAYERS:,}, or L for any")
    widths = [letter(name) for name in ("d", "r", "m")] if layers == 2 else [
        letter(f"n_{i}") for i in range(layers + 1)]
    z = _Sizes(b=letter("n"), n=tuple(widths), bias=True, activation=activation)
    read = Words(mlp(z), _name, cut=lambda x: x.details.get("kind") == "bias")
    return {name: (one.letter, one.term) for name, one in read.named.items() if one.term is not None}


def proof(layers: Any = 2, activation: str | None = None) -> Proof:
    """One lemma a layer; for `layers="L"` the first layer and the step of an induction.

    Raises ProofError where an activation stands between, with the two sides that then differ.
    """
    if activation not in (None, "none"):
        function(activation)
        error = ProofError(f"with {activation} between layer 1 and layer 2")
        error.sides = _sides(layers_read(2, activation))
        f, x = error.sides[0], letters(LEFT)["X"]
        y = matrix("Y", x.rows, x.columns, "data")
        at = [replaced(f, {x.key: term}) for term in (x + y, Zero(x.rows, x.columns), y)]
        error.also = ("none would do, for an affine layer f has f(X + Y) + f(0) = f(X) + f(Y), but here",
                      at[0] + at[1], f + at[2])
        raise error
    return _induction() if layers == "L" else _layers(layers_read(layers))


def certificate(proof: Proof) -> str:
    """For Coq: the theorem for every depth, and as many layers as there are lemmas as an instance of it."""
    return coq_collapse(len(proof.lemmas))


def _layers(defined: dict[str, Any]) -> Proof:
    """Lemma k: H_k = X M_k + 1 c_k, from lemma k - 1; M_1 is W_1, and of the last layer M is W and c is b."""
    last = len(defined)
    first = defined["H_1"][1]
    lemmas = [Lemma("layer 1", defined["H_1"][0], first, [Step("definition", "H_1", term=first)])]
    (x, m), c = _affine(first)
    definitions = dict(defined)
    for k in range(2, last + 1):
        h, term = defined[f"H_{k}"]
        (_, w), b = _affine(term)
        short = last == 2
        m_k = Letter("W" if short else f"M_{k}", m.rows, w.columns)
        c_k = Letter("b" if short else f"c_{k}", 1, w.columns)
        definitions |= {m_k.name: (m_k, m * w), c_k.name: (c_k, c * w + b)}
        lemmas.append(_two(f"layer {k}", h, term, f"layer {k - 1}", lemmas[-1].right, (x, m, c, w, b), (m_k, c_k)))
        m, c = m_k, c_k
    return Proof(tuple(lemmas), definitions)


def _two(name: str, h: Letter, term: Term, before: str, known: Term, parts: tuple[Term, ...],
         named: tuple[Letter, Letter], given: dict[str, Equation] | None = None) -> Lemma:
    """h = h₋W + 1b = (XM + 1c)W + 1b = X(MW) + 1(cW + b), each line by one rule."""
    x, m, c, w, b = parts
    one = ones(h.rows)
    used = replaced(term, {term.parts[0].parts[0].key: known})
    right = x * named[0] + one * named[1]
    return Lemma(name, h, right, [
        Step("definition", h.name, term=term),
        Step("equation", before, term=used),
        Step("distribute", term=x * m * w + one * c * w + one * b),
        Step("associate", backwards=True, term=x * (m * w) + one * c * w + one * b),
        Step("distribute", backwards=True, term=x * (m * w) + one * (c * w + b)),
        Step("definition", named[0].name, backwards=True, term=x * named[0] + one * (c * w + b)),
        Step("definition", named[1].name, backwards=True, term=right),
    ], given)


def _induction() -> Proof:
    """Any number of layers: layer 1, and layer k from layer k - 1, of widths r and m."""
    x, h_1 = matrix("X", "n", "d", "data"), matrix("H_1", "n", "r")
    w_1, b_1 = matrix("W_1", "d", "r"), matrix("b_1", 1, "r")
    one = ones("n")
    m_1, c_1 = matrix("M_1", "d", "r"), matrix("c_1", 1, "r")
    before, m, c = matrix("H_{k-1}", "n", "r"), matrix("M_{k-1}", "d", "r"), matrix("c_{k-1}", 1, "r")
    w, b, h = matrix("W_k", "r", "m"), matrix("b_k", 1, "m"), matrix("H_k", "n", "m")
    m_k, c_k = matrix("M_k", "d", "m"), matrix("c_k", 1, "m")
    known = x * m + one * c
    base = Lemma("layer 1", h_1, x * m_1 + one * c_1, [
        Step("definition", "H_1", term=x * w_1 + one * b_1),
        Step("definition", "M_1", backwards=True, term=x * m_1 + one * b_1),
        Step("definition", "c_1", backwards=True, term=x * m_1 + one * c_1)])
    hypothesis = "the hypothesis for layer k − 1"
    step = _two("layer k", h, before * w + one * b, hypothesis, known, (x, m, c, w, b), (m_k, c_k),
                {hypothesis: Equation(before, known)})
    meant = [(h_1, x * w_1 + one * b_1), (m_1, w_1), (c_1, b_1), (h, before * w + one * b), (m_k, m * w),
             (c_k, c * w + b)]
    return Proof((base, step), {one.name: (one, term) for one, term in meant},
                 Induction("k", {"m": letter("r")}))


def _sides(defined: dict[str, Any]) -> tuple[Term, Term]:
    """Two layers as they run, and the one layer that they would be without what stands between."""
    left = defined["H_2"][1]
    for name in reversed([name for name in defined if name != "H_2"]):
        left = replaced(left, {defined[name][0].key: defined[name][1]})
    plain = layers_read(2)
    (x, v), b = _affine(plain["H_1"][1])
    (_, w), c = _affine(plain["H_2"][1])
    return left, x * (v * w) + ones(x.rows) * (b * w + c)


def _affine(term: Term) -> tuple[tuple[Term, Term], Term]:
    """x, W and b of xW + 1b."""
    product, broadcast = term.parts
    x, w = product.parts
    return (x, w), broadcast.parts[1]


LEFT, RIGHT = _sides(layers_read(2))
_RELU = _sides(layers_read(2, "relu"))[0]
_FORGOTTEN = RIGHT.parts[0] + LEFT.parts[-1]  # X(W₁W₂) + 1b₂

IDENTITY = Identity(
    "layers without a nonlinearity between them are one layer",
    LEFT, RIGHT, proof=proof, certificate=certificate,
    meaning={"X": "input, one sample a row", "W_k": "weight of layer k", "b_k": "bias of layer k",
             "M_k": "weights up to layer k, multiplied", "c_k": "biases up to layer k, collected"},
    conditions=("nothing but weights and biases stands between the layers",),
    reason="products distribute over sums and are associative, so one linear map after another is one linear map",
    source="Goodfellow, Bengio and Courville 2016, Deep learning, section 6.1",
    neighbours=(Neighbour("a ReLU stands between", _RELU, RIGHT),
                Neighbour("the first bias is forgotten", LEFT, _FORGOTTEN)),
)
