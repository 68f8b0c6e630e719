"""JSON: a count as data, its formulas both as the author writes them and as SymPy reads them."""

from __future__ import annotations

from symcount.forms import Function, Number, Power, Product, Quotient, Sum, Symbol
from symcount.render import signed, text

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
    return _function(shown)


def _function(shown: Function) -> str:
    a, b = map(code, shown.args)
    if shown.name == "min":
        return f"Min({a}, {b})"
    whole = f"{'floor' if shown.name == 'floor' else 'ceiling'}(({a})/({b}))"
    return f"({b})*{whole}" if shown.name == "up" else whole


def _bracketed(shown: Form) -> str:
    simple = type(shown) in (Number, Symbol, Power) or (type(shown) is Function and shown.name != "up")
    return code(shown) if simple else f"({code(shown)})"
