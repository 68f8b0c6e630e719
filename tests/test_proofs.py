"""Proofs, damaged by the hundred: each is refused, or proves the same; rules one at a time; layers that collapse."""

from __future__ import annotations

from random import Random

import pytest

from symcount.algebra import kernel, witness
from symcount.algebra.kernel import Equation, Induction, Lemma
from symcount.algebra.making import apply, eye, matrix, ones, zero
from symcount.algebra.scalars import Entry
from symcount.algebra.terms import Letter, Over, Product, Scaled, Shift, Side, Stack, Sum, Transpose, scaled, total
from symcount.errors import ModelError, ProofError, ShapeError
from symcount.polynomials import letter, opaque
from symcount.proving import prove
from symcount.render import latex, matrices, terms
from symcount.theorems import identities, load

PROOFS = {name: load(name).proved(name) for name in identities()}
PROOFS |= {f"{layers} layers": load("layer_collapse").proved("layer_collapse", layers=layers) for layers in (3, 5, "L")}
RULE_NAMES = (*kernel.RULES, "definition", "equation", "")


# ---------------------------------------------------------------- damages

def places(term):
    """All parts of a term, each with a function that puts another in its place."""
    found = [(term, lambda new: new)]
    for i, part in enumerate(term.parts):
        found += [(inner, lambda new, put=put, i=i: term.rebuilt((*term.parts[:i], put(new), *term.parts[i + 1:])))
                  for inner, put in places(part)]
    return found


def altered(part, rng):
    """Another letter, another sign, a summand dropped or added, factors or blocks swapped, a number changed."""
    parts, at, other = list(part.parts), rng.randrange(len(part.parts) or 1), Letter("other", part.rows, part.columns)
    swapped = (*parts[:at], *reversed(parts[at:at + 2]), *parts[at + 2:])
    made = [lambda: other, lambda: -part, lambda: part + other, lambda: 2 * part, lambda: Transpose(part)]
    if isinstance(part, Sum):
        made += [lambda: total(parts[:at] + parts[at + 1:])] * 2
    if isinstance(part, (Product, Side, Stack)):
        made += [lambda: part.rebuilt(swapped)] * 2
    if isinstance(part, Scaled):
        made += [lambda: parts[0], lambda: scaled(letter("d"), part)]
    return rng.choice(made)()


def spoiled(term, rng):
    """The term with one part altered, of the same shape."""
    for _ in range(50):
        part, put = rng.choice(places(term))
        try:
            new = put(altered(part, rng))
        except ShapeError:
            continue
        if new != term and (str(new.rows), str(new.columns)) == (str(term.rows), str(term.columns)):
            return new
    return -term


def with_lemma(proof, at, **changes):
    one = proof.lemmas[at]
    new = Lemma(changes.get("name", one.name), changes.get("left", one.left), changes.get("right", one.right),
                changes.get("steps", one.steps), changes.get("given", one.given))
    return proof._replace(lemmas=(*proof.lemmas[:at], new, *proof.lemmas[at + 1:]))


def of_steps(proof, rng, kind):
    """A proof in which the steps of one lemma are damaged; None where it has none to damage so."""
    at = rng.randrange(len(proof.lemmas))
    steps = list(proof.lemmas[at].steps)
    i = rng.randrange(len(steps))
    if kind == "deleted":
        return with_lemma(proof, at, steps=steps[:i] + steps[i + 1:])
    if kind == "swapped":
        j = rng.randrange(len(steps))
        steps[i], steps[j] = steps[j], steps[i]
        return with_lemma(proof, at, steps=steps) if i != j else None
    step = steps[i]
    steps[i] = {
        "altered": lambda: step._replace(term=spoiled(step.term, rng)),
        "renamed": lambda: step._replace(rule=rng.choice([name for name in RULE_NAMES if name != step.rule])),
        "flipped": lambda: step._replace(backwards=not step.backwards),
        "cited": lambda: step._replace(of=rng.choice([name for name in (*proof.definitions, "layer 9", "layer 1", "")
                                                      if name != step.of])),
        "shape": lambda: step._replace(term=Side((step.term, step.term))),
    }[kind]()
    return with_lemma(proof, at, steps=steps) if kind != "cited" or step.of else None


def of_lemmas(proof, rng, kind):
    """A proof in which what a lemma says, or the order or the names of lemmas, is damaged."""
    at, lemmas = rng.randrange(len(proof.lemmas)), proof.lemmas
    if kind in ("left", "right"):
        return with_lemma(proof, at, **{kind: spoiled(getattr(lemmas[at], kind), rng)})
    if kind == "broken":
        return with_lemma(proof, at, right=Side((lemmas[at].right, lemmas[at].right)))
    if kind == "assumed":
        return with_lemma(proof, at, given={"luck": Equation(lemmas[at].left, lemmas[at].right)})
    if len(lemmas) == 1 or proof.induction:
        return None
    if kind == "order":
        return proof._replace(lemmas=lemmas[::-1])
    return with_lemma(proof, len(lemmas) - 1, name=lemmas[0].name)


def of_definitions(proof, rng, kind):
    """A proof in which what one letter stands for is damaged."""
    if not proof.definitions:
        return None
    name = rng.choice(list(proof.definitions))
    one, term = proof.definitions[name]
    new = {
        "meant": lambda: (one, spoiled(term, rng)), "circular": lambda: (one, term + one),
        "unfit": lambda: (one, Side((term, term))),
        "declared": lambda: (Letter(name, one.rows, one.columns, ("data",)), term),
        "misnamed": lambda: (Letter("other", one.rows, one.columns), term),
        "widened": lambda: (Letter(name, one.rows, one.columns + one.columns), term),
    }[kind]()
    return proof._replace(definitions={**proof.definitions, name: new})


def of_induction(proof, rng, kind):
    """A proof in which what an induction assumes, or how it counts, is damaged."""
    if proof.induction is None:
        return None
    step = proof.lemmas[1]
    (said, hypothesis), = step.given.items()
    return {
        "none": lambda: proof._replace(induction=None), "index": lambda: proof._replace(induction=Induction("n", {})),
        "sizes": lambda: proof._replace(induction=proof.induction._replace(sizes=rng.choice(
            ({}, {"m": letter("d")}, {"m": letter("r"), "d": letter("m")}, {"m": 1})))),
        "hypothesis": lambda: with_lemma(proof, 1, given={said: hypothesis._replace(
            right=spoiled(hypothesis.right, rng))}),
        "stronger": lambda: with_lemma(proof, 1, given={said: Equation(step.left, step.right)}),
        "forgotten": lambda: with_lemma(proof, 1, given={}),
        "second": lambda: with_lemma(proof, 1, given={**step.given, "luck": hypothesis}),
        "base": lambda: with_lemma(proof, 0, **{side: spoiled(getattr(proof.lemmas[0], side), rng)
                                                for side in (rng.choice(("left", "right")),)}),
        "based on luck": lambda: with_lemma(proof, 0, given={said: hypothesis}),
    }[kind]()


DAMAGES = {
    of_steps: ("deleted", "swapped", "altered", "altered", "renamed", "flipped", "cited", "shape"),
    of_lemmas: ("left", "right", "broken", "assumed", "order", "twice"),
    of_definitions: ("meant", "circular", "unfit", "declared", "misnamed", "widened"),
    of_induction: ("none", "index", "sizes", "hypothesis", "stronger", "forgotten", "second", "base", "based on luck"),
}


def meant(proof):
    given = {one.left.name: one.right for one in proof.lemmas[-1].given.values()}
    return {**given, **{name: term for name, (_, term) in proof.definitions.items()}}


def test_a_damaged_proof_is_refused_or_proves_what_is_true():
    """Accepted are damages that leave a proof: another rule that makes the same line, a step that was not needed."""
    rng, tried, accepted, seen = Random(3), 0, [], set()
    for name, proof in PROOFS.items():
        kernel.replay(*proof)
        for damage, kinds in DAMAGES.items():
            for kind in kinds * 8:
                worse = damage(proof, rng, kind)
                if worse is None:
                    continue
                tried += 1
                seen.add((damage.__name__, kind))
                try:
                    kernel.replay(*worse)
                except (ProofError, ShapeError):
                    continue
                accepted.append((name, kind))
                ours, theirs = proof.lemmas[-1], worse.lemmas[-1]
                if (ours.left, ours.right, proof.definitions) != (theirs.left, theirs.right, worse.definitions):
                    witness.confirm(theirs.left, theirs.right, meant(worse))
    assert tried > 3_000
    assert len(seen) == sum(len(set(kinds)) for kinds in DAMAGES.values())
    assert len(accepted) < tried / 100, accepted


# ---------------------------------------------------------------- one rule at a time

A, B, C = (matrix(name, "d", "d") for name in "ABC")
X, Y, W = matrix("X", "n", "d"), matrix("Y", "n", "d"), matrix("W", "d", "m")
D, F = matrix("D", "d", "d", "diagonal"), matrix("F", "d", "d", "diagonal")
G, Q, P = (matrix(name, "d", "d", word) for name, word in (("G", "invertible"), ("Q", "orthogonal"),
                                                         ("P", "permutation")))
E, S, K = (matrix(name, "d", "d", word) for name, word in (("E", "idempotent"), ("S", "symmetric"), ("K", "positive")))
R, N = matrix("R", "n", "n", "permutation"), matrix("N", "n", "n", "stochastic")
U, V = matrix("u", "d", 1), matrix("v", "d", 1)
H, J = matrix("H", "d", "m", over=("i",)), matrix("J", "d", "m", over=("i",))
ROW, N1, D1 = matrix("b", 1, "m"), ones("n"), ones("d")


def f(name, part):
    return apply(name, part)


def s(part):
    return Over(("i",), part)


RULES = [  # rule, what stands, what it makes of it
    ("transpose", (A * B).T, B.T * A.T), ("transpose", A.T.T, A), ("transpose", (A + B).T, A.T + B.T),
    ("transpose", S.T, S), ("transpose", D.T, D), ("transpose", K.I.T, K.I),
    ("transpose", zero("n", "d").T, zero("d", "n")), ("transpose", Side((A, B)).T, Stack((A.T, B.T))),
    ("transpose", (2 * A).T, 2 * A.T), ("transpose", s(H).T, s(H.T)), ("transpose", eye("d").T, eye("d")),
    ("inverse", (G * Q).I, Q.T * G.I), ("inverse", G.I.I, G), ("inverse", G.T.I, G.I.T), ("inverse", Q.I, Q.T),
    ("inverse", eye("d").I, eye("d")),
    ("block", Side((A, B)) * Stack((C, D)), A * C + B * D), ("block", X * Side((A, B)), Side((X * A, X * B))),
    ("block", Stack((A, B)) * W, Stack((A * W, B * W))), ("block", 2 * Side((A, B)), Side((2 * A, 2 * B))),
    ("block", Side((A, B)) + Side((C, D)), Side((A + C, B + D))),
    ("block", f("relu", Side((A, B))), Side((f("relu", A), f("relu", B)))),
    ("over", A * s(H), s(A * H)), ("over", s(H + J), s(H) + s(J)), ("over", s(2 * H), 2 * s(H)),
    ("over", s(H) * W.T, s(H * W.T)),
    ("distribute", X * (A + B), X * A + X * B), ("distribute", (A + B) * W, A * W + B * W),
    ("distribute", 2 * Sum((A, B)), 2 * A + 2 * B),
    ("associate", X * (A * B), X * A * B), ("scalars", X * (2 * A), 2 * (X * A)),
    ("zero", X * zero("d", "m"), zero("n", "m")), ("zero", A + zero("d", "d"), A), ("zero", 0 * A, zero("d", "d")),
    ("identity", X * eye("d") * W, X * W), ("identity", eye("d") * eye("d"), eye("d")),
    ("cancel", G * G.I, eye("d")), ("cancel", G.I * G, eye("d")), ("cancel", Q.T * Q, eye("d")),
    ("cancel", Q * Q.T, eye("d")), ("cancel", G.I.T * G.T, eye("d")), ("cancel", P * P.T, eye("d")),
    ("idempotent", E * E * W, E * W), ("commute", F * D, D * F), ("commute", F * K * D, D * F * K),
    ("count", D1.T * D1, letter("d") * eye(1)), ("count", U * D1.T * D1, letter("d") * U),
    ("stochastic", N * N1, N1), ("stochastic", f("softmax", X) * D1, N1), ("stochastic", P.T * D1, D1),
    ("shift", Shift(1, 2, 3) * Shift(2, 3, 5), Shift(3, 2, 5)), ("constant", Shift(1, 2, 3) * ones(3), ones(2)),
    ("elementwise", f("relu", X).T, f("relu", X.T)),
    ("permute", f("relu", X * P), f("relu", X) * P), ("permute", f("softmax", R * X), R * f("softmax", X)),
    ("permute", f("softmax", X * P), f("softmax", X) * P), ("permute", f("relu", X * P + Y * P), f("relu", X + Y) * P),
    ("permute", f("softmax", N1 * ROW), N1 * f("softmax", ROW)),
    ("rotate", f("rms_norm", X * Q), f("rms_norm", X) * Q), ("rotate", f("rms_norm", X * Q.T), f("rms_norm", X) * Q.T),
    ("homogeneous", f("relu", X * K), f("relu", X) * K), ("homogeneous", f("relu", K * W), K * f("relu", W)),
    ("homogeneous", f("relu", X * K.I), f("relu", X) * K.I),
    ("shifted", f("softmax", A + U * D1.T), f("softmax", A)), ("shifted", f("softmax", A + 2 * (U * D1.T)),
                                                               f("softmax", A)),
    ("one", U.T * V * ROW, opaque(Entry(U.T * V)) * ROW), ("one", V.T * U, U.T * V),
    ("one", (matrix("x", 1, 1)).T, matrix("x", 1, 1)),
    ("collect", A + A, 2 * A), ("collect", A - A, zero("d", "d")), ("collect", 2 * A + letter("n") * A,
                                                                 (letter("n") + 2) * A),
]


@pytest.mark.parametrize(("rule", "term", "result"), RULES, ids=str)
def test_what_a_rule_makes_of_a_term(rule, term, result):
    assert kernel.everywhere(kernel.RULES[rule].apply, term) == result
    witness.confirm(term, result)


def test_every_rule_has_rows():
    assert {rule for rule, *_ in RULES} == set(kernel.RULES) == {rule for rule, _ in SILENT}


SILENT = [  # rule, where it has nothing to say
    ("transpose", A.T), ("transpose", Q.T), ("transpose", E.T), ("transpose", G.T), ("transpose", N.T),
    ("transpose", G.I.T), ("inverse", G.I), ("inverse", K.I), ("identity", A * B), ("zero", A + B),
    ("block", Side((A, B)) * matrix("Z", "2*d", "m")), ("block", f("softmax", Side((A, B)))),
    ("block", Side((X, Y)) + Side((matrix("x", "n", "2*d - m"), matrix("y", "n", "m")))),
    ("over", H * s(J.T)), ("over", s(H)), ("distribute", f("relu", A + B)), ("associate", A * B),
    ("scalars", f("relu", 2 * A)), ("cancel", G.T * G), ("cancel", A * A), ("cancel", G.I.T * G),
    ("cancel", G * A * G.I), ("idempotent", A * A), ("idempotent", E.T * E), ("idempotent", E * A * E),
    ("commute", F * A), ("commute", A * F), ("commute", D * F), ("commute", S * A), ("count", N1 * N1.T),
    ("count", N1.T * X * D1), ("stochastic", A * D1), ("stochastic", N1.T * N), ("stochastic", f("rms_norm", X) * D1),
    ("stochastic", N.T * N1), ("stochastic", f("softmax", X).T * N1), ("shift", matrix("T", 2, 3) * Shift(2, 3, 5)),
    ("constant", Shift(1, 2, 3) * matrix("c", 3, 1)), ("elementwise", f("softmax", X).T),
    ("elementwise", f("rms_norm", X).T), ("permute", f("relu", X * Q)), ("permute", f("relu", X * P + Y)),
    ("permute", f("softmax", X * A)), ("permute", f("softmax", matrix("L", "n", "d") * W)),
    ("rotate", f("layer_norm", X * Q)), ("rotate", f("softmax", X * Q)), ("rotate", f("rms_norm", R * X)),
    ("rotate", f("rms_norm", X * G)), ("rotate", f("rms_norm", Q * W)), ("homogeneous", f("relu", X * D)),
    ("homogeneous", f("gelu", X * K)), ("homogeneous", f("relu2", X * K)), ("homogeneous", f("rms_norm", X * K)),
    ("homogeneous", f("relu", -X)), ("shifted", f("softmax", A + D1 * U.T)), ("shifted", f("relu", A + U * D1.T)),
    ("shifted", f("layer_norm", A + U * D1.T)), ("shifted", f("softmax", A + U * V.T)),
    ("one", U * V.T), ("one", A * U), ("collect", A + A.T), ("collect", A * B + B * A),
]


@pytest.mark.parametrize(("rule", "term"), SILENT, ids=str)
def test_where_a_rule_has_nothing_to_say(rule, term):
    assert kernel.everywhere(kernel.RULES[rule].apply, term) is term


# ---------------------------------------------------------------- layers that collapse

TWO = [  # the lines of layer 2: text, LaTeX, why
    ("H₁W₂ + 1b₂", r"H_{1} W_{2} + \mathbf{1} b_{2}", "by definition"),
    ("(XW₁ + 1b₁)W₂ + 1b₂", r"(X W_{1} + \mathbf{1} b_{1}) W_{2} + \mathbf{1} b_{2}", "by layer 1"),
    ("XW₁W₂ + 1b₁W₂ + 1b₂", r"X W_{1} W_{2} + \mathbf{1} b_{1} W_{2} + \mathbf{1} b_{2}",
     "the product distributes over the sum"),
    ("X(W₁W₂) + 1b₁W₂ + 1b₂", r"X (W_{1} W_{2}) + \mathbf{1} b_{1} W_{2} + \mathbf{1} b_{2}",
     "the product is associative"),
    ("X(W₁W₂) + 1(b₁W₂ + b₂)", r"X (W_{1} W_{2}) + \mathbf{1} (b_{1} W_{2} + b_{2})", "a common factor is taken out"),
    ("XW + 1(b₁W₂ + b₂)", r"X W + \mathbf{1} (b_{1} W_{2} + b_{2})", "with W = W₁W₂"),
    ("XW + 1b", r"X W + \mathbf{1} b", "with b = b₁W₂ + b₂"),
]
ANY = [  # the lines for any number of layers
    ("XW₁ + 1b₁", "by definition"), ("XM₁ + 1b₁", "with M₁ = W₁"), ("XM₁ + 1c₁", "with c₁ = b₁"),
    ("Hₖ₋₁Wₖ + 1bₖ", "by definition"), ("(XMₖ₋₁ + 1cₖ₋₁)Wₖ + 1bₖ", "by the hypothesis for layer k − 1"),
    ("XMₖ₋₁Wₖ + 1cₖ₋₁Wₖ + 1bₖ", "the product distributes over the sum"),
    ("X(Mₖ₋₁Wₖ) + 1cₖ₋₁Wₖ + 1bₖ", "the product is associative"),
    ("X(Mₖ₋₁Wₖ) + 1(cₖ₋₁Wₖ + bₖ)", "a common factor is taken out"), ("XMₖ + 1(cₖ₋₁Wₖ + bₖ)", "with Mₖ = Mₖ₋₁Wₖ"),
    ("XMₖ + 1cₖ", "with cₖ = cₖ₋₁Wₖ + bₖ"),
]


def lines(chain):
    return [(matrices.text(line.term), latex.math(terms.piece(line.term)), "".join(map(matrices.piece, line.reason)))
            for line in chain.lines[1:]]


def test_the_lines_of_two_layers():
    shown = prove("layer_collapse")
    assert lines(shown.steps[1]) == TWO
    assert lines(shown.steps[0]) == [("XW₁ + 1b₁", r"X W_{1} + \mathbf{1} b_{1}", "by definition")]
    for text, typeset, why in TWO:
        assert f"= {text.ljust(len(TWO[4][0]))}  {why}\n" in shown.to_text()
        assert typeset in shown.to_latex()


def test_the_lines_of_any_number_of_layers():
    shown = prove("layer_collapse", layers="L")
    assert [chain.name for chain in shown.steps] == ["layer 1", "layer k"]
    assert [(text, why) for chain in shown.steps for text, _, why in lines(chain)] == ANY


def nodes(term):
    return 1 + sum(map(nodes, term.parts))


def test_a_thousand_layers_take_seven_steps_each_and_no_line_grows():
    counts = {}
    for layers in (2, 3, 10, 1_000):
        proof = load("layer_collapse").proved("layer_collapse", layers=layers)
        kernel.replay(*proof)
        counts[layers] = [len(lemma.steps) for lemma in proof.lemmas]
        assert max(nodes(step.term) for lemma in proof.lemmas for step in lemma.steps) == 13
        assert max(nodes(term) for _, term in proof.definitions.values()) == 7
    assert counts == {layers: [1, *[7] * (layers - 1)] for layers in counts}


BETWEEN = [  # what stands between, and what the two sides are at the witness
    ("relu", [[0]], [[-1]]), ("relu2", [[0]], [[-1]]), ("gelu", [[0.8413447460685429]], [[1]]),
    ("silu", [[0.7310585786300049]], [[1]]), ("sigmoid", "1/2", "0"), ("tanh", "3/5", "1"), ("softmax", [[1]], [[0]]),
    ("layer_norm", [[-1]], [[0]]), ("rms_norm", [[1]], [[2]]),
]


@pytest.mark.parametrize(("activation", "left", "right"), BETWEEN, ids=[name for name, *_ in BETWEEN])
def test_an_activation_between_is_refused_with_a_witness(activation, left, right):
    with pytest.raises(ProofError, match=f"^layer_collapse.*{activation}.*: refuted: X = ") as error:
        prove("layer_collapse", activation=activation)
    sides = [chain.lines[-1].term.rows for chain in error.value.witness.steps]
    for side, expected in zip(sides, (left, right), strict=True):
        assert side == expected if isinstance(expected, list) else str(side[0][0]) == expected
    assert error.value.witness.remarks[0].pieces[0] == "refuted: the two sides differ"


@pytest.mark.parametrize("layers", [1, 0, -3, 10**9, "x", 2.0, None, "2", 2_001])
def test_layers_that_are_refused(layers):
    with pytest.raises(ModelError, match=r"a whole number from 2 to 2,000, or L for any$"):
        prove("layer_collapse", layers=layers)


def test_an_unknown_activation():
    with pytest.raises(ModelError, match=r"^unknown function 'gleu'; did you mean 'gelu'\?$"):
        prove("layer_collapse", activation="gleu")
    assert lines(prove("layer_collapse", activation="none").steps[1]) == TWO
