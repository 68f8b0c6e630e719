"""JSON: a count as data, its formulas both as the author writes them and as SymPy reads them."""

from __future__ import annotations

from symcount.derivation import Equation, Rounded, Solving
from symcount.forms import Function, Number, Power, Product, Quotient, Root, Sum, Symbol
from symcount.render import matrices, signed, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.forms import Form


def amount(number: Any) -> Any:
    """An exact number for JSON: an int, "a/b" for a fraction, None where there is none."""
    if number is None:
        return None
    return int(number) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def as_data(table: Any, *, model: str, quantity: str, unit: str, convention: str | None,
            values: dict[str, int], terms: Any, notes: tuple[str, ...]) -> dict[str, Any]:
    """One count: `terms` are rows (path, form, count or None, share or None)."""
    return {
        "model": model, "quantity": quantity, "unit": unit, "convention": convention, "values": values,
        "total": amount(table.total.count), "closed_form": code(table.total.form),
        "terms": [{"path": row.part, "formula": text.plain(row.form), "total": amount(row.count),
                   "share": None if row.share is None else row.share / 10_000} for row in terms],
        "notes": list(notes),
    }


def as_listing(shown: Any) -> dict[str, Any]:
    """Rows by the keys of their columns: words, formulas as they are typed, exact numbers."""
    def cell(one: Any) -> Any:
        if one is None or isinstance(one, str):
            return one
        exactly = one.exact if isinstance(one, Rounded) else one
        return amount(exactly) if hasattr(exactly, "numerator") else text.plain(exactly)

    return {"title": shown.title, "says": list(map(text.said, shown.says)), "notes": list(shown.notes),
            "rows": [dict(zip(shown.keys, map(cell, row), strict=True)) for row in shown.rows]}


def as_steps(shown: Any) -> dict[str, Any]:
    """A derivation of counts and of what solves them: its lines as they are typed."""
    def side(one: Any) -> Any:
        return amount(one.exact) if isinstance(one, Rounded) else one if isinstance(one, str) else text.plain(one)

    return {"title": shown.title, "steps": [
        {"lines": [f"{'' if left is None else side(left)} {sign} {side(right)}".strip()
                   for left, sign, right in step.lines]} if isinstance(step, Solving) else
        {"name": step.name, "lines": [text.plain(form) for form in step.forms]} for step in shown.steps],
        "remarks": _remarks(shown), "notes": list(shown.notes)}


def as_proof(claim: str, shown: Any) -> dict[str, Any]:
    """A proof, or a counterexample: statements as they are typed, each line with its reason; a law as its steps."""
    if shown is None:
        return {"claim": claim, "verdict": "unknown",
                "reason": "no proof was found, and no small counterexample"}
    if isinstance(shown.steps[-1], Equation):
        verdict, = (remark.pieces[0] for remark in shown.remarks if remark.label == "verdict")
        return {"claim": claim, "verdict": verdict.partition(":")[0],
                "letters": [{"name": one.name, "meaning": one.meaning, "value": amount(one.value)}
                            for one in shown.symbols],
                "steps": [{"name": step.name, "lines": [text.plain(form) for form in step.forms]}
                          for step in shown.steps], "remarks": _remarks(shown), "notes": list(shown.notes)}
    if shown.proof is None:
        sides = [(matrices.plain(chain.lines[0].term), _rows(chain.lines[1].term)) for chain in shown.steps]
        return {"claim": claim, "verdict": "refuted",
                "matrices": {matrices.plain(row.letter): _rows(row.value) for row in shown.symbols},
                "sides": [{"term": term, "value": value} for term, value in sides], "remarks": _remarks(shown)}
    last = shown.proof.lemmas[-1]
    return {
        "claim": claim, "verdict": "proved", "left": matrices.plain(last.left), "right": matrices.plain(last.right),
        "letters": [{"name": _said(row.letter), "rows": code(row.rows), "columns": code(row.columns),
                     "declared": sorted(getattr(row.letter, "properties", ())), "meaning": row.meaning}
                    for row in shown.symbols],
        "definitions": {name: matrices.plain(term) for name, (_, term) in shown.proof.definitions.items()},
        "lemmas": [{"name": one.name, "left": matrices.plain(one.left), "right": matrices.plain(one.right),
                    "given": {name: f"{matrices.plain(each.left)} = {matrices.plain(each.right)}"
                              for name, each in one.given.items()},
                    "steps": [{"rule": step.rule, "of": step.of, "backwards": step.backwards,
                               "line": matrices.plain(step.term)} for step in one.steps]}
                   for one in shown.proof.lemmas],
        "remarks": _remarks(shown),
    }


def _remarks(shown: Any) -> list[dict[str, str]]:
    return [{"label": remark.label, "text": "".join(map(_said, remark.pieces))} for remark in shown.remarks]


def _said(piece: Any) -> str:
    return matrices.piece(piece, matrices.PLAIN)


def _rows(figure: Any) -> list[list[Any]]:
    return [[x if isinstance(x, float) else amount(x) for x in row] for row in figure.rows]


def code(shown: Form) -> str:
    """A form as Python that SymPy evaluates, over `symcount.symbols`.

    >>> code(Product((Number(2), Power(Symbol("d"), 2))))
    '2*d**2'
    """
    kind = type(shown)
    if kind is Number:
        return str(shown.number)
    if kind is Symbol:
        return str(shown.name)
    if kind is Power:
        return f"{_bracketed(shown.base)}**{shown.exponent}"
    if kind is Product:
        return "*".join(map(_bracketed, shown.factors))
    if kind is Quotient:
        return f"{_bracketed(shown.top)}/{_bracketed(shown.bottom)}"
    if kind is Sum:
        return signed(shown.terms, code)
    if kind is Root:
        return f"root({code(shown.body)}, {shown.degree})"
    return _function(shown)


def _function(shown: Function) -> str:
    a, b = map(code, shown.args)
    if shown.name == "min":
        return f"Min({a}, {b})"
    whole = f"{'floor' if shown.name == 'floor' else 'ceiling'}(({a})/({b}))"
    return f"({b})*{whole}" if shown.name == "up" else whole


def _bracketed(shown: Form) -> str:
    simple = type(shown) in (Number, Symbol, Power, Root) or (type(shown) is Function and shown.name != "up")
    return code(shown) if simple else f"({code(shown)})"
