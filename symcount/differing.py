"""Why two conventions disagree about one model: their difference, term by term, in words and formulas."""

from __future__ import annotations

from symcount.conventions import Convention, convention
from symcount.counting import conventions, formula
from symcount.derivation import Listing
from symcount.errors import UnitError
from symcount.forms import written
from symcount.ledger import UNITS
from symcount.polynomials import added, quotient
from symcount.readers.work import flops
from symcount.render import text
from symcount.sizes import fraction, letters, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.ledger import Ledger, Term
    from symcount.polynomials import Size

_NAMES = {"linear": "linear maps", "attention": "scores", "experts": "experts", "logits": "logits"}


def differences(model: Any, one: str | Convention, other: str | Convention, phase: str = "forward",
                **sizes: Any) -> Listing:
    """What `one` convention counts otherwise than the `other`: rows (what, by one, by the other, difference).

    The differences add up to that of the totals. Where the two count a multiply-add differently, that is a row of
    its own, and the other rows are in the one's.

    >>> from symcount import model
    >>> listing = differences(model("llama-7b", s=2048), "causal", "matmul")
    >>> listing.rows[0][0], listing.rows[0][3]
    ('scores', -1098974756864)
    """
    rules = convention(one), convention(other)
    a, b = (flops(model, rule, phase, **sizes) for rule in rules)
    values = {**b.values, **{name: a.values[name] for name in letters(a.size) if name in a.values}}
    if any(values[name] != b.values[name] for name in letters(b.size) if name in b.values):
        raise UnitError(f"{rules[0].name} and {rules[1].name} count models of different sizes")
    known = not any(name not in values for name in letters(a.size) + letters(b.size))
    rows: list[tuple[str, Any, Any, Size]] = []
    first, second = (rule.multiply_add for rule in rules)
    scaled = {id(term): term.size if "elementwise" in term.kinds or first == second
              else term.size * first * quotient(1, second) for term in b.terms}
    if first != second:
        rows.append(("a multiply-add", first, second,
                     added(scaled[id(term)] - term.size for term in b.terms)))
    for what, (ours, theirs) in _groups(a, b, scaled).items():
        gap = added([*(term.size for term in ours), *(-1 * scaled[id(term)] for term in theirs)])
        if not same(gap, 0):  # the same work under two paths is no difference
            rows.append((what, _form(ours, a), _form(theirs, b), gap))
    if not same(added(gap for *_, gap in rows), a.size - b.size):
        raise UnitError(f"{rules[0].name} and {rules[1].name} differ by more than their terms say")
    listed = [(what, left, right, fraction(gap, values) if known else written(gap))
              for what, left, right, gap in rows]
    total = ("total", *((a.total, b.total, a.total - b.total) if known else
                        (formula(a), formula(b), written(a.size - b.size))))
    return Listing(f"{a.subject}: {UNITS[a.unit]} by {rules[0].name}, {UNITS[b.unit]} by {rules[1].name}",
                   ("part", "one", "other", "difference"),
                   ("part", rules[0].name, rules[1].name, "difference"), (*listed, total),
                   (f"{rules[0].name} {_said(rows) or f'counts what {rules[1].name} counts'}.",),
                   (rules[0].line, rules[1].line, *conventions(a)[1:]))


def _groups(a: Ledger, b: Ledger, scaled: dict[int, Size]) -> dict[str, tuple[list[Term], list[Term]]]:
    """{what: the terms of one and of the other} for what differs; of the same path, both are compared."""
    found: dict[str, tuple[list[Term], list[Term]]] = {}
    of_b = {_place(term): term for term in b.terms}
    of_a = {_place(term): term for term in a.terms}
    for place in dict.fromkeys((*of_a, *of_b)):
        left, right = of_a.get(place), of_b.get(place)
        if left and right and same(left.size, scaled[id(right)]):
            continue
        ours, theirs = found.setdefault(_what(right or left), ([], []))
        ours += [left] if left else []
        theirs += [right] if right else []
    return found


def _place(term: Term) -> str:
    """The path of the operation: a product is named as its weight."""
    return term.path.removesuffix(".weight")


def _what(term: Any) -> str:
    """What a term is called: softmax, scores, biases."""
    kind = term.kinds[1] if len(term.kinds) > 1 and term.kinds[0] in ("elementwise", "weight", "activation") else (
        term.kinds[0] if term.kinds else term.path)
    return _NAMES.get(kind, str(kind))


def _form(terms: list[Term], ledger: Ledger) -> Any:
    return formula(ledger.of(terms)) if terms else None


def _said(rows: list[tuple[str, Any, Any, Size]]) -> str:
    """The rows as a sentence: counts A as …, not …; adds B and C; leaves out D."""
    adds = [f"{what} {text.cell(left)}" for what, left, right, _ in rows if right is None]
    lacks = [f"{what} {text.cell(right)}" for what, left, right, _ in rows if left is None]
    others = [f"counts {what} as {text.cell(left)}, not {text.cell(right)}"
              for what, left, right, _ in rows if left is not None and right is not None]
    listed = [(verb, those) for verb, those in (("adds", adds), ("leaves out", lacks)) if those]
    return "; ".join([*others, *(f"{verb} {', '.join(those[:-1])}{' and ' if those[1:] else ''}{those[-1]}"
                                 for verb, those in listed)])
